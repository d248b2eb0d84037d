"""What is done to the rows of a table: described once, for every engine.

This module does not know what the callables do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import (
    Batch,
    Coded,
    ColumnType,
    IntArray,
    Numbers,
    labels_of,
    numbers_of,
)
from pufferfish.tables.coding import Coding
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.names import not_text
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.rows import Columns
from pufferfish.tables.seen import PersonsFound, WhichPairs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Change", "Changed", "Look", "Measured", "Shuffle"]


class Changed(NamedTuple):
    """Some rows after a change.

    Attributes:
        columns: By name, the new values of the rows that stay.
        rows: Which rows stay; None: all.
        counts: Their counts, for `Change.account`.
        counted: Their combinations of labels before the change, if these are added up.
    """

    columns: Mapping[str, Numbers | Coded]
    rows: npt.NDArray[np.bool_] | None
    counts: Any
    counted: SomeCells | None = None


class Measured(NamedTuple):
    """A numeric column that is measured, not only checked for missing values.

    Its moments are surveyed, and the values of a person's rows are compared.

    Attributes:
        column: Its name.
        low: Values below this are counted, ...
        high: ... and values above this.
        cap: The bounds to which values are moved first; None: none.
    """

    column: str
    low: float = -math.inf
    high: float = math.inf
    cap: tuple[float, float] | None = None


class Shuffle(Protocol):
    """Rows in another order; several threads may call `deal` and the parts at the same time."""

    def deal(self, rows: pa.RecordBatch) -> Any:
        """Prepare some rows."""

    def take(self, dealt: Any) -> None:
        """Keep prepared rows."""

    def parts(self, rows: int) -> Iterator[Callable[[], pa.RecordBatch]]:
        """Return all rows, about `rows` at a time."""


class Look(Protocol):
    """An observer of rows as they are published, and of the secret of each."""

    @property
    def secrets(self) -> Collection[Secret]:
        """The secrets whose rows it observes."""

    @property
    def most_each(self) -> int:
        """How many rows of each secret are enough."""

    def look(
        self, codes: IntArray, labels: tuple[Secret, ...], columns: Callable[[IntArray], Columns]
    ) -> None:
        """Observe some rows.

        Args:
            codes: The secret of each row, as an index into `labels`; negative: none.
            labels: The secrets.
            columns: Given row numbers, counted from 0, returns what is published of these rows.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a table is changed.

    Attributes:
        columns: By name, the columns that get new values, with their types.
        reads: By name, further columns that the change reads, and how. They get no new values, and
            stay only if they are kept. A column that is also in `columns` is read as stated here
            and published as stated there: numbers may become text.
        secret: The column of the secret, which does not stay. The change must refuse rows without
            one.
        bands: The public rule by which numbers become secrets; they are also in `reads`. None: the
            secrets are labels.
        person: A column that the change reads, and that stays only if it is kept.
        known: Those of `columns` that are published as they were read, by a public rule: a frame's
            categories are then those of its rows.
        keep: The columns that stay as they are.
        drops: Whether rows in which one of `columns` is missing are left out.
        change: Given rows, and how many come before them in the table (None: unknown), returns the
            changed rows; called once for each row, in several threads or processes at a time.
        account: Called with changed rows, in the rows' order.
        order: Given a number of rows, returns a random order of them; None: all stay in place.
        shuffle: Begins a shuffle of rows that may not fit into memory and are kept in a folder
            (None: the system's for such files); None: as `order`.
        keys: Given a number, returns that many random keys to sort rows by; runs wherever rows
            are; None: as `order`.
        look: Called with what is published, in the rows' order, before `finish`; None: no observer.
        finish: Called with what was found about persons when all rows are processed, before
            anything is published; may refuse.
        pairs: Which two rows of each person are compared.
        one_row: How the rows of a person become one before anything else; None: they stay.
        measured: The column that is measured, also by person; None: rows are counted, and whether
            their values are there.
        same: Whether the rows must be those that were surveyed, because the beliefs were compared
            with them.
        secrets: For an observer: given rows, and how many come before them, returns their secrets,
            one entry for each that is protected; None: what is in `secret`. For a cluster it must
            be picklable.
        groups: How many rows have each of these secrets, where that is known before rows are drawn.
    """

    columns: Mapping[str, ColumnType]
    secret: str
    person: str | None
    keep: tuple[str, ...]
    drops: bool
    change: Callable[[Batch, int | None], Changed]
    account: Callable[[Changed], None]
    order: Callable[[int], IntArray] | None
    shuffle: Callable[[Path | None], Shuffle] | None
    keys: Callable[[int], IntArray] | None
    look: Look | None
    finish: Callable[[PersonsFound], None]
    pairs: WhichPairs = "none"
    one_row: OneRow | None = None
    measured: Measured | None = None
    same: bool = False
    reads: Mapping[str, ColumnType] = field(default_factory=dict)
    bands: Coding | None = None
    secrets: Callable[[Batch, int | None], tuple[Coded, ...]] | None = None
    groups: Mapping[Secret, int] | None = None
    known: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that are read as numbers."""
        return numbers_of({**self.columns, **self.reads})

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that are read as labels."""
        return labels_of({**self.columns, **self.reads})

    @property
    def labelled_secret(self) -> str | None:
        """The column of the secret, where its entries are labels."""
        return self.secret if self.bands is None else None

    def with_secrets(self, batch: Batch, before: int | None) -> Batch:
        """Rows with their secrets, also where these are bands of numbers."""
        if self.bands is None:
            return batch
        return batch._replace(secret=self.bands.coded(batch, before))

    def looked_for(self, batch: Batch, before: int | None) -> tuple[Coded, ...]:
        """The secrets of rows for the observer; empty if there is none."""
        if self.look is None:
            return ()
        return (batch.secret,) if self.secrets is None else self.secrets(batch, before)

    def show(self, secrets: Sequence[Coded], columns: Callable[[IntArray], Columns]) -> None:
        """Show rows to the observer, once for each of their secrets; see `Look.look`."""
        if self.look is not None:
            for each in secrets:
                self.look.look(each.codes, each.labels, columns)

    @property
    def checked(self) -> Callable[[Batch, int | None], Changed]:
        """`change`, which also refuses labels that are not text where text is published."""
        texts = [name for name, kind in self.columns.items() if kind == "text"]
        return partial(_check_texts, self.change, texts)

    def compared(self, batch: Batch) -> FloatArray:
        """The values by which a person's rows are compared: those beyond a bound are equal."""
        if self.measured is None:
            return np.full(batch.rows, np.nan)
        values = batch.numbers[self.measured.column]
        return values if self.measured.cap is None else np.clip(values, *self.measured.cap)

    @property
    def read(self) -> list[str]:
        """The columns that are read."""
        person = [] if self.person is None else [self.person]
        named = [*self.columns, *self.reads, self.secret, *person, *self.keep]
        return list(dict.fromkeys(named))

    def stays(self, names: Sequence[str]) -> list[str]:
        """The columns of the result, in the order of the table."""
        return [name for name in names if name in self.columns or name in self.keep]


def _check_texts(
    change: Callable[[Batch, int | None], Changed],
    texts: Sequence[str],
    batch: Batch,
    before: int | None,
) -> Changed:
    changed = change(batch, before)
    for name in texts:
        new = changed.columns[name]
        for label in new.labels if isinstance(new, Coded) else ():
            if not isinstance(label, str):
                raise DataError(not_text(name, type(label).__name__))
    return changed
