"""Change the rows of a Spark frame in its executors, when they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.core.extras import pyarrow
from pufferfish.tables.change import Change
from pufferfish.tables.engine import Survey
from pufferfish.tables.spark.changing import Changing
from pufferfish.tables.spark.jobs import Field, map_partitions
from pufferfish.tables.spark.looking import look_at_sample

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KEY", "ChangedRows", "change_spark"]

# The column of the keys by which rows are sorted.
KEY = "key"
# The types of new values; where they keep the type of the table, Spark knows it.
_KINDS = {"number": "double", "whole": "bigint", "text": "string"}


class ChangedRows(NamedTuple):
    """A changed frame: not computed yet, and each computation draws fresh noise.

    Attributes:
        given: The frame whose rows are changed.
        frame: The changed frame; with keys, columns are numbered and the keys come last.
        names: The names of the columns of the result.
        rows: How many rows there must be.
        survey: What was known of the rows.
    """

    given: Any
    frame: Any
    names: list[str]
    rows: int
    survey: Survey


def change_spark(frame: Any, how: Change, survey: Survey) -> ChangedRows:
    """A frame, with new values; `how.change` and `how.keys` go to the executors."""
    look_at_sample(frame, how, {each.secret: each.rows for each in survey.groups})
    names = how.stays(frame.columns)
    kinds = {name: _KINDS.get(kind) for name, kind in how.columns.items()}
    fields = [Field(name, kinds.get(name) or frame.schema[name].dataType) for name in names]
    if how.keys is not None:
        plain = [Field(f"c{number}", field.kind) for number, field in enumerate(fields)]
        fields = [*plain, Field(KEY, "bigint")]
    work = _Changing(Changing.of(how), tuple(names), how.keys)
    rows = sum(each.rows - (each.missing if how.drops else 0) for each in survey.groups)
    return ChangedRows(frame, map_partitions(frame, how.read, work, fields), names, rows, survey)


@dataclass(frozen=True, slots=True)
class _Changing:
    """What an executor does with a partition.

    Attributes:
        changing: What is done to rows.
        names: The columns of the result.
        keys: Random keys for rows that change places; None: they stay.
    """

    changing: Changing
    names: tuple[str, ...]
    keys: Callable[[int], Any] | None

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            rows, _ = self.changing.changed(part, self.names)
            if self.keys is not None:
                rows = rows.append_column(KEY, pa.array(self.keys(rows.num_rows), pa.int64()))
            yield rows
