"""The rows of a Spark frame, changed in its executors when somebody writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.extras import pyarrow
from pufferfish.tables.arrow import arrow_batch, arrow_values
from pufferfish.tables.change import Change
from pufferfish.tables.engine import Survey
from pufferfish.tables.spark.jobs import Field, mapped
from pufferfish.tables.spark.looking import look_at_sample

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KEY", "ChangedRows", "change_spark"]

# The column of the keys by which rows are sorted.
KEY = "key"


class ChangedRows(NamedTuple):
    """A changed frame: nothing is computed yet, and each time it is computed noise is drawn anew.

    Attributes:
        given: The frame whose rows are changed.
        frame: What becomes of it; with keys, columns are numbered and the keys come last.
        names: What the columns of the result are called.
        rows: How many there must be.
        survey: What was known of them.
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
    fields = [
        Field(name, ("bigint" if how.whole else "double"))
        if name == how.column
        else Field(name, frame.schema[name].dataType)
        for name in names
    ]
    if how.keys is not None:
        plain = [Field(f"c{number}", field.kind) for number, field in enumerate(fields)]
        fields = [*plain, Field(KEY, "bigint")]
    work = _Changing(how.column, how.secret, tuple(names), how.change, how.keys)
    rows = sum(each.rows - (each.missing if how.drops else 0) for each in survey.groups)
    return ChangedRows(frame, mapped(frame, how.read, work, fields), names, rows, survey)


@dataclass(frozen=True, slots=True)
class _Changing:
    """What an executor does with a partition.

    Attributes:
        column: The column to change.
        secret: That of the secret.
        names: The columns of the result.
        change: As in `Change`.
        keys: Random keys for rows that change places; None: they stay.
    """

    column: str
    secret: str
    names: tuple[str, ...]
    change: Callable[..., Any]
    keys: Callable[[int], Any] | None

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            changed = self.change(arrow_batch(part, self.column, self.secret), None)
            kept = part if changed.rows is None else part.filter(pa.array(changed.rows))
            new = arrow_values(changed.values, changed.holes)
            columns = [new if name == self.column else kept.column(name) for name in self.names]
            names = list(self.names)
            if self.keys is not None:
                columns.append(pa.array(self.keys(len(new)), pa.int64()))
                names.append(KEY)
            yield pa.RecordBatch.from_arrays(columns, names=names)
