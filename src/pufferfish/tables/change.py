"""What is done to the rows of a table: described once, for every engine.

What the callables do is not known here.
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
from pufferfish.tables.batch import Batch, Coded, ColumnType, Numbers, labels_of, numbers_of
from pufferfish.tables.coding import Coding
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.names import not_text
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.rows import Columns
from pufferfish.tables.seen import PersonsFound, WhichPairs
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Counted

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Change", "Changed", "Look", "Measured", "Shuffle"]


class Changed(NamedTuple):
    """What becomes of some rows.

    Attributes:
        columns: By name, the new values of the rows that stay.
        rows: Which rows stay; None: all.
        counts: What was seen of them, for `Change.account`.
        counted: Their values by secret, or their combinations of labels, before the change, if
            somebody adds them up.
    """

    columns: Mapping[str, Numbers | Coded]
    rows: npt.NDArray[np.bool_] | None
    counts: Any
    counted: Counted | SomeCells | None = None


class Measured(NamedTuple):
    """A numeric column of which more is seen than where its values are missing.

    Its moments are surveyed, and the values of a person's rows are compared.

    Attributes:
        column: Its name.
        low: Values below this are counted, ...
        high: ... and values beyond this.
        cap: The bounds that values are moved to first; None: none.
    """

    column: str
    low: float = -math.inf
    high: float = math.inf
    cap: tuple[float, float] | None = None


class Shuffle(Protocol):
    """Rows in another order; `deal` and the parts may be called by several threads at a time."""

    def deal(self, rows: pa.RecordBatch) -> Any:
        """Prepare some rows."""

    def take(self, dealt: Any) -> None:
        """Keep prepared rows."""

    def parts(self, rows: int) -> Iterator[Callable[[], pa.RecordBatch]]:
        """Give all of them back, about `rows` at a time."""


class Look(Protocol):
    """Somebody who looks at rows as they are published, and at the secret of each."""

    @property
    def secrets(self) -> Collection[Secret]:
        """The secrets whose rows are wanted."""

    @property
    def most_each(self) -> int:
        """How many rows of each are enough."""

    def look(
        self, codes: IntArray, labels: tuple[Secret, ...], columns: Callable[[IntArray], Columns]
    ) -> None:
        """Some rows.

        Args:
            codes: The secret of each row, as an index into `labels`; negative: none.
            labels: Secrets.
            columns: From numbers of rows, counted from 0, to what is published of them.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a table is changed.

    Attributes:
        columns: By name, the columns that get new values, and of which type these are.
        reads: By name, further columns that the change looks at, and how they are read. They get no
            new values, and stay only if they are kept. One that is in `columns`, too, is read as is
            said here and published as is said there: numbers may become text.
        secret: The column of the secret, which does not stay. Rows without one are the change's
            to refuse.
        bands: The public rule by which numbers become secrets; they are among `reads`, too. None:
            the secrets are labels.
        person: A column that the change looks at, and that stays only if it is kept.
        keep: The columns that stay as they are.
        drops: Whether rows in which one of `columns` is missing are left out.
        change: From rows, and how many come before them in the table (None: nobody knows), to what
            becomes of them; called once for each row, in several threads or processes at a time.
        account: Told what became of rows; called in the rows' order.
        order: From a number of rows to a random order of them; None: all stay in their places.
        shuffle: Begins a shuffle of rows that may be too many for the memory and wait in a folder
            (None: the system's for such files); None: as `order`.
        keys: From a number to that many random keys to sort rows by; runs wherever rows are;
            None: as `order`.
        look: Told what is published, in the rows' order, before `finish`; None: nobody looks.
        finish: Told what was seen of persons when all rows are through, before anything is
            published; may refuse.
        pairs: Which two rows of each person are looked at.
        one_row: How the rows of a person become one before anything else; None: they stay.
        measured: The column of which more is seen, also of persons; None: rows are counted, and
            whether their values are there.
        same: Whether it matters that the rows are those that were surveyed: what is believed of
            the table was compared with them.
        secrets: For somebody who looks: from rows, and how many come before them, to the secrets
            that they have, one entry for each that is protected; None: what is in `secret`. For a
            cluster it must be picklable.
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
        """The secrets of rows, as somebody who looks is told them; none where nobody does."""
        if self.look is None:
            return ()
        return (batch.secret,) if self.secrets is None else self.secrets(batch, before)

    def show(self, secrets: Sequence[Coded], columns: Callable[[IntArray], Columns]) -> None:
        """Let somebody look at rows, once for each of their secrets; see `Look.look`."""
        if self.look is not None:
            for each in secrets:
                self.look.look(each.codes, each.labels, columns)

    @property
    def checked(self) -> Callable[[Batch, int | None], Changed]:
        """`change`, but labels that are no text are refused where text is published."""
        texts = [name for name, kind in self.columns.items() if kind == "text"]
        return partial(_check_texts, self.change, texts)

    def compared(self, batch: Batch) -> FloatArray:
        """What is compared of a person's rows: two values beyond a bound of the cap are equal."""
        if self.measured is None:
            return np.full(batch.rows, np.nan)
        values = batch.numbers[self.measured.column]
        return values if self.measured.cap is None else np.clip(values, *self.measured.cap)

    @property
    def read(self) -> list[str]:
        """The columns that are looked at."""
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
