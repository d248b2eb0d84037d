"""What is done to the rows of a table: described once, for every engine.

What the callables do is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.scenario import Secret
from pufferfish.tables.one_row import OneRow
from pufferfish.tables.rows import Columns
from pufferfish.tables.seen import PersonsFound, WhichPairs
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Batch, Counted

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Change", "Changed", "Look", "Shuffle"]


class Changed(NamedTuple):
    """What becomes of some rows.

    Attributes:
        values: The new values of the rows that stay.
        holes: Where there is none.
        rows: Which rows stay; None: all.
        counts: What was seen of them, for `Change.account`.
        counted: Their values by secret, before the change, if somebody adds them up.
    """

    values: npt.NDArray[Any]
    holes: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.bool_] | None
    counts: Any
    counted: Counted | None = None


class Shuffle(Protocol):
    """Rows in another order; `deal` and the parts may be called by several threads at a time."""

    def deal(self, rows: pa.RecordBatch) -> Any:
        """Prepare some rows."""

    def take(self, dealt: Any) -> None:
        """Keep prepared rows."""

    def parts(self, rows: int) -> Iterator[Callable[[], pa.RecordBatch]]:
        """Give all of them back, about so many at a time."""


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
        column: The column that gets new values.
        secret: The column of the secret, which does not stay.
        person: A column that the change looks at, and that stays only if it is kept.
        keep: The columns that stay as they are.
        drops: Whether rows may be left out.
        whole: Whether the new values are whole numbers.
        change: From rows, and how many come before them in the table (None: nobody knows), to what
            becomes of them; called once for each row, in several threads or processes at a time.
        account: Told what became of rows; called in the rows' order.
        order: So many rows in random order, by their numbers; None: all stay in their places.
        shuffle: Begins a shuffle of rows that may be too many for the memory and wait in a folder
            (None: the system's for such files); None: as `order`.
        keys: So many random keys by which rows can be sorted; runs wherever rows are; None: as
            `order`.
        look: Told what is published, in the rows' order, before `finish`; None: nobody looks.
        finish: Told what was seen of persons when all rows are through, before anything is
            published; may refuse.
        pairs: Which two rows of each person are looked at.
        one_row: How the rows of a person become one before anything else; None: they stay.
        cap: The bounds that values are moved to before anything is seen of persons; None: none.
        same: Whether it matters that the rows are those that were surveyed: what is believed of
            the table was compared with them.
    """

    column: str
    secret: str
    person: str | None
    keep: tuple[str, ...]
    drops: bool
    whole: bool
    change: Callable[[Batch, int | None], Changed]
    account: Callable[[Changed], None]
    order: Callable[[int], IntArray] | None
    shuffle: Callable[[Path | None], Shuffle] | None
    keys: Callable[[int], IntArray] | None
    look: Look | None
    finish: Callable[[PersonsFound], None]
    pairs: WhichPairs = "none"
    one_row: OneRow | None = None
    cap: tuple[float, float] | None = None
    same: bool = False

    def capped(self, batch: Batch) -> Batch:
        """Rows with the values that get noise: two beyond a bound are equal."""
        if self.cap is None:
            return batch
        return batch._replace(values=np.clip(batch.values, *self.cap))

    @property
    def read(self) -> list[str]:
        """The columns that are looked at."""
        person = [] if self.person is None else [self.person]
        return list(dict.fromkeys([self.column, self.secret, *person, *self.keep]))

    def stays(self, names: Sequence[str]) -> list[str]:
        """The columns of the result, in the order of the table."""
        return [name for name in names if name == self.column or name in self.keep]
