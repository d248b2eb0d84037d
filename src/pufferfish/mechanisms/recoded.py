"""How a recoding is drawn, described and saved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from pufferfish.beliefs.labels import Labels
from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.documents.shape import plain
from pufferfish.documents.types import Numbers, Positive
from pufferfish.mechanisms.drawing import Drawing, drawing_of
from pufferfish.mechanisms.words import LawWords, Number
from pufferfish.noise import LaplaceNoise
from pufferfish.recoding.domain import AnyValue
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.outline import RecodingOutline
from pufferfish.sampling import Entropy
from pufferfish.sampling.alias import AliasTables
from pufferfish.words.numbers import at_most, readable

__all__ = [
    "Outlined",
    "Recoded",
    "RecodingEntries",
    "RecodingWords",
    "how_recoded",
    "read_recoding",
    "write_recoding",
]

# No number in a table is larger.
_LARGEST = float(np.finfo(np.float64).max)
_BITS = WHOLE.bit_length() - 1
# Values drawn at a time: enough to hide the cost of a call, few enough for the cache.
_AT_A_TIME = 1 << 15


class Recoded(Drawing):
    """One draw from the row of each value, in whole numbers."""

    @property
    def claim(self) -> str:
        """The law that is drawn is the one that is certified."""
        return "the map can be drawn exactly, from whole numbers"

    def check(self, law: Recoding) -> None:
        """Check noise that comes first; the map itself always has whole numbers."""
        if law.noise is not None:
            drawing_of(law.noise).check(law.noise)

    def draw(self, law: Recoding, values: npt.NDArray[Any], entropy: Entropy) -> FloatArray:
        """One published value for each value; nan means a missing one.

        Raises:
            InvalidInputError: A value is not in the domain; the message names its row, never the
                value.
        """
        given = np.asarray(values)
        require(
            given.ndim == 1 and (given.dtype.kind in "iuf" or given.size == 0),
            "values must be a list of real numbers.",
        )
        sampler = _sampler(law)
        results = np.empty(given.shape)
        for start in range(0, given.size, _AT_A_TIME):
            part = slice(start, start + _AT_A_TIME)
            rows = self._rows(law, given[part].astype(np.float64), entropy)
            bad = rows < 0
            if bad.any():
                raise InvalidInputError(
                    f"row {start + int(np.argmax(bad))} has a value that the recoding does not "
                    "cover. Fit the beliefs to a table that has it"
                    f"{'' if law.labelled else ', or use bins (edges=..., --edges)'}."
                )
            results[part] = sampler.published.take(sampler.tables.draw(rows, entropy))
        return results

    def _rows(self, law: Recoding, values: FloatArray, entropy: Entropy) -> npt.NDArray[np.int64]:
        """The row of the map from which each value is drawn; −1: there is none."""
        if law.labelled:
            # A category is given by its place in the list; any other number is not a category.
            size = len(law.values)
            known = (values >= 0.0) & (values < size) & (values == np.floor(values))
            return np.where(known, values, -1 if law.unseen is None else size).astype(np.int64)
        if law.listed and not law.takes_missing:
            return law.cells.places(values)
        missing, beyond = np.isnan(values), np.abs(values) > min(self.limit(law), _LARGEST)
        if law.noise is not None:
            there = ~(missing | beyond)
            values[there] = drawing_of(law.noise).draw(law.noise, values[there], entropy)
        rows = law.cells.places(values)
        rows[missing] = len(law.values) - 1 if law.takes_missing else -1
        rows[beyond] = -1
        return rows

    def limit(self, law: Recoding) -> float:
        """The limit of the noise that comes first."""
        return math.inf if law.noise is None else drawing_of(law.noise).limit(law.noise)

    def explain_exactness(self, law: Recoding) -> str:
        """The size of the map."""
        return f"{len(law.values)} rows of whole numbers that sum to 2^{_BITS}"


class _Sampler(NamedTuple):
    """What drawing from a law needs, made once for all parts of a table.

    Attributes:
        tables: The law of each row of the map; the last is that of values that are not described.
        published: The value of each outcome; nan is a missing value.
    """

    tables: AliasTables
    published: FloatArray


@lru_cache(maxsize=16)
def _sampler(law: Recoding) -> _Sampler:
    rows = law.table
    if law.unseen is not None:
        rows = np.vstack([rows, np.array(law.unseen, dtype=np.int64)])
    published = [np.nan if each is None else each for each in law.coded_outputs]
    return _Sampler(AliasTables.of(rows, _BITS), np.array(published))


def _size(number: float) -> str:
    return readable(number, 6)


class Outlined(Drawing):
    """A recoding whose table is not shown: nothing can be drawn from it."""

    @property
    def claim(self) -> str:
        """What only the internal edition shows."""
        return "the map can be drawn exactly, from whole numbers"

    @property
    def told(self) -> bool:
        """False: this edition does not show it."""
        return False

    def check(self, law: RecodingOutline) -> None:
        """Accept it: only the internal edition has the table to check."""

    def draw(self, law: RecodingOutline, values: npt.NDArray[Any], entropy: Entropy) -> FloatArray:
        """Refused."""
        raise UnsupportedError("the table of this recoding is private: nothing can be drawn.")

    def explain_exactness(self, law: RecodingOutline) -> str:
        """Where it can be checked."""
        return "the internal edition holds its whole numbers, and can be checked"


class RecodingWords(LawWords):
    """Words for recodings."""

    def called(self, law: Recoding | RecodingOutline) -> str:
        """The word "recoding"."""
        return "recoding"

    def noun(
        self,
        law: Recoding | RecodingOutline,
        number: Number = _size,
        error: Number = readable,
    ) -> str:
        """What is recoded, and the floor."""
        if isinstance(law, RecodingOutline):
            return f"a recoding{self._floor(law, number)}"
        what = "bins" if law.binned else "categories" if law.labelled else "values"
        hole = not law.labelled and law.takes_missing
        count = f"{len(law.values) - hole} {what}{' and missing values' if hole else ''}"
        return f"a recoding of {count}{self._floor(law, number)}"

    def short(self, law: Recoding | RecodingOutline) -> str:
        """The floor."""
        kappa = law.kappa if isinstance(law, Recoding) else law.floor
        return "recoding, no floor" if kappa is None else f"recoding, floor {at_most(kappa, 4)}"

    def in_full(self, law: Recoding | RecodingOutline, number: Number = readable) -> str:
        """The same as `short`: its error depends on how often each value occurs."""
        return self.short(law)

    def done(self, law: Recoding | RecodingOutline) -> str:
        """What was applied, and what the floor means."""
        return how_recoded(law, "was")

    def error(self, law: Recoding | RecodingOutline, number: Number = readable) -> str:
        """The largest error of any value."""
        if isinstance(law, RecodingOutline):
            return "an error that is not public"
        return f"error at most {number(law.error())} for any value"

    def proofs(self, law: Recoding | RecodingOutline) -> tuple[tuple[str, str], ...]:
        """The page on recodings."""
        return (("recoding", "the map, its floor and its promise are checked in whole numbers"),)

    @staticmethod
    def _floor(law: Recoding | RecodingOutline, number: Number) -> str:
        if isinstance(law, Recoding) and law.noise is not None:
            return f", after Laplace noise of scale {number(law.noise.scale)}"
        kappa = law.kappa if isinstance(law, Recoding) else law.floor
        if kappa is None:
            return " without a floor"
        own = law.own if isinstance(law, RecodingOutline) else law.distances is not None
        apart = ", in its own distances between values" if own else ""
        if isinstance(law, RecodingOutline):
            # It may have been rounded up to be published.
            return f" with a floor of {number(kappa)} or stronger{apart}"
        return f" with floor {number(kappa)}{apart}"


def how_recoded(law: Recoding | RecodingOutline, verb: str) -> str:
    """What is applied, and what the floor means; "is" or "was"."""
    text = f"Each value {verb} kept or replaced by another one, at random: {_WORDS.noun(law)}."
    noise = law.at_floor
    if noise is None:
        return text
    more = ", or more" if isinstance(law, RecodingOutline) else ""
    return (
        f"{text} The floor protects every value from everybody, whatever they believe, as much as "
        f"Laplace noise of scale {readable(noise.scale)} would{more}."
    )


_WORDS = RecodingWords()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodingEntries:
    """A recoding in a document.

    Attributes:
        values: The domain; null for a missing value.
        outputs: The values that may be published; null for a missing value.
        rows: The whole numbers of each value, in base 16 and separated by spaces. They sum to 2⁶².
        edges: The edges of bins, or null.
        scale: The scale of Laplace noise that comes first, or null.
        grid: The grid of that noise.
        floor: κ, or null.
        distances: The distances between the values, row by row, if not their differences.
        labelled: Whether values are categories, or tuples of them.
        unseen: The row of categories that are not in the list, as in `rows`; null: refused.
    """

    values: Annotated[tuple[Labels, ...], Meta(min_length=1)]
    outputs: Annotated[tuple[Labels, ...], Meta(min_length=1)]
    rows: Annotated[tuple[str, ...], Meta(min_length=1)]
    edges: Numbers | None = None
    scale: Positive | None = None
    grid: Positive | None = None
    floor: Positive | None = None
    distances: tuple[Numbers, ...] | None = None
    labelled: bool = False
    unseen: str | None = None


def write_recoding(law: Recoding) -> dict[str, Any]:
    """Its entries as plain data."""
    noise = law.noise
    labels: dict[str, Any] = {}
    if law.labelled:
        labels = {"labelled": True, "unseen": None if law.unseen is None else _hex(law.unseen)}
    return {
        "values": plain(law.values),
        "outputs": plain(law.outputs),
        "rows": [_hex(row) for row in law.table.tolist()],
        "edges": None if law.edges is None else list(law.edges),
        "scale": None if noise is None else noise.scale,
        "grid": None if noise is None else noise.grid,
        "floor": law.floor,
        "distances": None if law.distances is None else law.distances.tolist(),
        **labels,
    }


def _hex(row: Sequence[int]) -> str:
    return " ".join(f"{each:x}" for each in row)


def read_recoding(
    values: tuple[AnyValue, ...],
    outputs: tuple[AnyValue, ...],
    rows: tuple[str, ...],
    edges: tuple[float, ...] | None,
    scale: float | None,
    grid: float | None,
    floor: float | None,
    distances: tuple[tuple[float, ...], ...] | None,
    labelled: bool = False,
    unseen: str | None = None,
) -> Recoding:
    """The recoding that `write_recoding` described; what it claims is checked again."""
    table = np.array([_row(each, len(outputs)) for each in rows], dtype=np.int64)
    require((scale is None) == (grid is None), "noise that comes first needs a scale and a grid.")
    return Recoding(
        values=values,
        outputs=outputs,
        table=table,
        edges=edges,
        noise=None if scale is None else LaplaceNoise(scale, grid),
        floor=floor,
        distances=None if distances is None else np.array(distances),
        labelled=labelled,
        unseen=None if unseen is None else tuple(_row(unseen, len(outputs))),
    )


def _row(text: str, count: int) -> list[int]:
    words = text.split(" ")
    right = len(words) == count and all(
        0 < len(word) <= 16 and set(word) <= _DIGITS for word in words
    )
    require(right, f"a row of a recoding must be {count} whole numbers in base 16.")
    entries = [int(word, 16) for word in words]
    require(max(entries) <= WHOLE, "a row of a recoding has a probability above 1.")
    return entries


_DIGITS = frozenset("0123456789abcdef")
