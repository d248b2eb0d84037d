"""A sample of published rows with their secrets, from a table that is read once.

The sample has the same number of rows of each secret, so that rare secrets are not lost among
common ones: the rows with the smallest random keys, one key for each row (a reservoir for each
secret). The keys come from a seeded generator. They decide which rows are looked at, and protect
nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret

__all__ = ["Sample", "Sampled"]

IntArray = npt.NDArray[np.int64]

# The number of rows kept: more would change the figure by less than its rounding.
MOST_ROWS = 20_000
# At least this many rows of each secret, for any number of secrets.
_FEWEST_EACH = 200
# A longer text is held as its beginning and a hash of all of it.
_MOST_LETTERS = 200
_HASH_BYTES = 8


class Sampled(NamedTuple):
    """Rows in random order.

    Attributes:
        columns: The published cells, by column.
        secrets: The secret of each row, as an index into `labels`.
        labels: The secrets.
    """

    columns: dict[str, list[Any]]
    secrets: IntArray
    labels: tuple[Secret, ...]


class Sample:
    """Looks at rows as they are read, and keeps some.

    Attributes:
        secrets: The secrets whose rows are wanted.
        most_each: The largest number of rows of each secret.
    """

    def __init__(
        self, secrets: Collection[Secret], *, most: int = MOST_ROWS, seed: int = 0
    ) -> None:
        """An empty sample.

        Args:
            secrets: The secrets whose rows are wanted.
            most: About the number of rows to keep, shared by the secrets.
            seed: The seed of the keys.
        """
        self.secrets = tuple(secrets)
        self._number = {label: number for number, label in enumerate(self.secrets)}
        self.most_each = max(most // max(len(self.secrets), 1), _FEWEST_EACH)
        self._generator = np.random.default_rng(seed)
        self._keys = np.zeros(0)
        self._secrets = np.zeros(0, dtype=np.int64)
        self._columns: dict[str, list[Any]] = {}
        # For each secret: a row with a larger key is not kept.
        self._limits = np.ones(len(self.secrets) + 1)
        self._limits[-1] = -1.0

    def look(
        self,
        codes: IntArray,
        labels: tuple[Secret, ...],
        columns: Callable[[IntArray], Mapping[str, list[Any]]],
    ) -> None:
        """Look at more rows; the arguments are those of `tables.change.Look`."""
        number = np.array([self._number.get(label, -1) for label in labels] + [-1])
        secrets = number[codes]
        keys = self._generator.random(codes.size)
        chosen = np.flatnonzero(keys < self._limits[secrets])
        chosen = chosen[self._first(keys[chosen], secrets[chosen])]
        if not chosen.size:
            return
        self._keys = np.concatenate([self._keys, keys[chosen]])
        self._secrets = np.concatenate([self._secrets, secrets[chosen]])
        for name, cells in columns(chosen).items():
            self._columns.setdefault(name, []).extend(_short(cells))
        self._prune()

    def rows(self) -> Sampled:
        """The rows that are kept."""
        stays = self._first(self._keys, self._secrets)
        order = stays[np.argsort(self._keys[stays])]
        return Sampled(self._selected(order), self._secrets[order], self.secrets)

    def _prune(self) -> None:
        stays = self._first(self._keys, self._secrets)
        counts = np.bincount(self._secrets[stays], minlength=len(self.secrets))
        full = np.flatnonzero(counts >= self.most_each)
        largest = np.zeros(len(self.secrets))
        np.maximum.at(largest, self._secrets[stays], self._keys[stays])
        self._limits[full] = largest[full]
        # Not every time: copying columns takes longer than checking.
        if self._keys.size > 2 * stays.size:
            self._columns = self._selected(stays)
            self._keys, self._secrets = self._keys[stays], self._secrets[stays]

    def _first(self, keys: npt.NDArray[np.float64], secrets: IntArray) -> IntArray:
        """Keep the rows with the smallest keys, for each secret."""
        order = np.lexsort((keys, secrets))
        ordered = secrets[order]
        begins = np.searchsorted(ordered, ordered)
        return np.asarray(order[np.arange(order.size) - begins < self.most_each])

    def _selected(self, rows: IntArray) -> dict[str, list[Any]]:
        numbers = rows.tolist()
        return {
            name: [cells[number] for number in numbers] for name, cells in self._columns.items()
        }


def _short(cells: list[Any]) -> list[Any]:
    """Cells that take little memory for any content."""
    kinds = set(map(type, cells)) - {type(None)}
    if kinds <= {float, int, bool}:
        return cells
    if kinds == {str} and max(len(each or "") for each in cells) <= _MOST_LETTERS:
        return cells
    return [
        _cut(str(each)) if isinstance(each, str | bytes | list | dict | tuple) else each
        for each in cells
    ]


def _cut(text: str) -> str:
    """A short text with the same beginning, equal only for equal texts."""
    if len(text) <= _MOST_LETTERS:
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).hexdigest()
    return text[: _MOST_LETTERS - 2 * _HASH_BYTES] + digest
