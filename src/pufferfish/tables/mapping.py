"""A table with one column changed: rows go through a callable, some at a time, each once.

What the callable does is not known here. The result is the same kind of table: a dict of arrays or
a frame here, files in `pufferfish.tables.publishing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pufferfish.errors import DataError
from pufferfish.extras import narwhals, pyarrow
from pufferfish.scenario import Secret
from pufferfish.tables.arrays import array_batch
from pufferfish.tables.arrow import BATCH, arrow_batch
from pufferfish.tables.frames import (
    collected,
    frame_columns,
    native,
    reordered,
    to_arrow,
    without_metadata,
    without_unused_categories,
)
from pufferfish.tables.names import check_columns
from pufferfish.tables.one_row import OneRow, reduced_arrays, reduced_frame
from pufferfish.tables.persons import array_persons, arrow_persons
from pufferfish.tables.pool import in_order
from pufferfish.tables.rows import Columns
from pufferfish.tables.seen import WhichPairs
from pufferfish.tables.summary import IntArray
from pufferfish.tables.tally import Batch, Counted

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Change",
    "Changed",
    "Look",
    "Mapped",
    "Seen",
    "Shuffle",
    "arrow_values",
    "change_rows",
    "map_arrays",
    "map_frame",
]


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

    def __call__(
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
        account: Told what became of rows, and what was seen of their persons; called in the rows'
            order.
        order: So many rows in random order, by their numbers; None: all stay in their places.
        shuffle: Begins a shuffle of rows that may be too many for the memory; None: as `order`.
        look: Told what is published, in the rows' order, before `finish`; None: nobody looks.
        finish: Called when all rows are through, before anything is published; may refuse.
        pairs: Which two rows of each person are looked at.
        one_row: How the rows of a person become one before anything else; None: they stay.
        cap: The bounds that values are moved to before anything is seen of persons; None: none.
    """

    column: str
    secret: str
    person: str | None
    keep: tuple[str, ...]
    drops: bool
    whole: bool
    change: Callable[[Batch, int | None], Changed]
    account: Callable[[Changed, Any], None]
    order: Callable[[int], IntArray] | None
    shuffle: Callable[[], Shuffle] | None
    look: Look | None
    finish: Callable[[], None]
    pairs: WhichPairs = "none"
    one_row: OneRow | None = None
    cap: tuple[float, float] | None = None

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


class Mapped(NamedTuple):
    """A changed table, and its changed column as an array, nan where there are holes."""

    table: Any
    column: npt.NDArray[Any]


def map_arrays(table: Mapping[str, Any], how: Change) -> Mapped:
    """A dict of arrays, changed."""
    check_columns(list(table), *how.read)
    names = list(table)
    if how.one_row is not None:
        table = reduced_arrays(table, how.one_row)
    batch = array_batch(table, how.column, how.secret)
    for name in how.read:
        if np.ma.asanyarray(table[name]).shape != batch.values.shape:
            raise DataError(f"column {name!r} must be as long as the others.")
    persons = None
    if how.person is not None:
        persons = array_persons(how.person, table[how.person], how.capped(batch), how.pairs)
    changed = how.change(batch, None if how.one_row else 0)
    how.account(changed, persons)
    values, holes = changed.values, changed.holes
    if holes.any():
        values = np.where(holes, np.nan, values)
    rows = slice(None) if changed.rows is None else changed.rows
    arrays = {
        name: values if name == how.column else np.asanyarray(table[name])[rows]
        for name in how.stays(names)
    }
    if how.look is not None:
        how.look(
            batch.codes[rows],
            batch.labels,
            lambda chosen: {name: each[chosen].tolist() for name, each in arrays.items()},
        )
    how.finish()
    if how.order is not None:
        order = how.order(values.size)
        arrays = {name: each[order] for name, each in arrays.items()}
    return Mapped(arrays, arrays[how.column])


def map_frame(frame: Any, how: Change) -> Mapped:
    """A frame, changed; computed at once, also where a lazy one was given and is given back."""
    given = native(frame)
    names = given.collect_schema().names()
    check_columns(names, *how.read)
    if how.one_row is not None:
        given = native(reduced_frame(frame, how.one_row))
    lazy = hasattr(given, "collect")
    table = collected(given.select(*how.read))
    looked_at = [name for name in how.read if name not in how.keep or name == how.person]
    parts = to_arrow(table.select(*looked_at), how.column).to_batches(max_chunksize=BATCH)
    seen = _all_changed(parts, how)
    if not seen:
        how.finish()
    changed = [each.changed for each in seen]
    values = arrow_values(
        np.concatenate([each.values for each in changed]),
        np.concatenate([each.holes for each in changed]),
    )
    result = narwhals().from_arrow(
        pyarrow().table({how.column: values}), backend=table.implementation
    )
    if how.keep:
        kept = table.select(*how.stays(names))
        if any(each.rows is not None for each in changed):
            kept = kept.filter(np.concatenate([_rows(each) for each in changed]).tolist())
        # A pandas index could say what a dropped column said.
        kept = narwhals().maybe_reset_index(kept)
        result = kept.with_columns(result.get_column(how.column))
    if how.look is not None:
        before = 0
        for each in seen:
            how.look(each.codes, each.labels, partial(frame_columns, result, before))
            before += each.codes.size
    how.finish()
    if how.order is not None:
        order = how.order(len(values))
        result = reordered(result, order)
        values = values.take(pyarrow().array(order))
    # After the shuffle: a dictionary may list its entries as they were first seen.
    result = without_unused_categories(result)
    given_back = without_metadata(result.to_native())
    if lazy:
        given_back = given_back.lazy()
    return Mapped(given_back, values.to_numpy(zero_copy_only=False))


class Seen(NamedTuple):
    """What became of some rows, and whose they are.

    Attributes:
        changed: The rows that stay.
        persons: Of all rows, for `Change.account`.
        codes: The secret of each row that stays, ...
        labels: ... as an index into these.
    """

    changed: Changed
    persons: Any
    codes: IntArray
    labels: tuple[Secret, ...]


def change_rows(rows: pa.RecordBatch, how: Change, before: int | None) -> Seen:
    """What becomes of some rows; how many come before them, where somebody knows."""
    batch, persons = arrow_batch(rows, how.column, how.secret), None
    if how.person is not None:
        names = rows.column(how.person)
        persons = arrow_persons(how.person, names, how.capped(batch), before or 0, how.pairs)
    changed = how.change(batch, before)
    codes = batch.codes if changed.rows is None else batch.codes[changed.rows]
    return Seen(changed, persons, codes, batch.labels)


def _all_changed(parts: Sequence[pa.RecordBatch], how: Change) -> list[Seen]:
    starts: list[int | None] = np.cumsum([0, *(part.num_rows for part in parts[:-1])]).tolist()
    if how.one_row is not None:
        starts = [None] * len(parts)
    numbered = zip(parts, starts, strict=True) if parts else ()
    results = []
    for seen in in_order(numbered, lambda each: change_rows(each[0], how, each[1])):
        how.account(seen.changed, seen.persons)
        results.append(seen)
    return results


def arrow_values(values: npt.NDArray[Any], holes: npt.NDArray[np.bool_]) -> pa.Array:
    """New values, null where there is none."""
    return pyarrow().array(values, mask=holes if holes.any() else None)


def _rows(changed: Changed) -> npt.NDArray[np.bool_]:
    return np.ones(changed.values.size, dtype=bool) if changed.rows is None else changed.rows
