"""Work on the rows of a Spark frame, in its executors, by Arrow batches."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.errors import DataError, EngineError, InvalidInputError
from pufferfish.tables.extras import pyarrow, pyspark
from pufferfish.tables.names import check_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Field", "Work", "chosen", "is_spark", "mapped", "spark_errors", "understood"]

# Rows worked on at a time in an executor: enough to hide the cost of a call.
_ROWS = 1 << 17
_DATA_ERROR = re.compile(r"pufferfish\.errors\.DataError: (.+?\.)(?: SQLSTATE.*)?$", re.MULTILINE)
_NOT_THERE = re.compile(r"No module named '(pufferfish|numpy|scipy|cryptography|pyarrow)\b")


Work = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


class Field(NamedTuple):
    """A column, and its type as Spark's SQL calls it."""

    name: str
    kind: str


def is_spark(data: object) -> bool:
    """Whether this is a frame of Spark's; asks without importing it."""
    kind = type(data)
    return kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"


def chosen(frame: Any, *names: str) -> Any:
    """Some columns of a frame, under names that Spark cannot misread: c0, c1, ..."""
    check_columns(frame.columns, *names)
    columns = (frame[f"`{name.replace('`', '``')}`"] for name in names)
    return frame.select(*columns).toDF(*(f"c{number}" for number in range(len(names))))


def mapped(frame: Any, names: Sequence[str], work: Work, fields: Sequence[Field]) -> Any:
    """A frame of what `work` makes of some columns of each partition; nothing is computed yet.

    `work` must be picklable, and must make the same rows whenever it is run again on the same
    partition; or its result must be written before anybody looks at it.
    """
    schema = ", ".join(f"c{number} {field.kind}" for number, field in enumerate(fields))
    result = chosen(frame, *names).mapInArrow(_Named(tuple(names), work), schema)
    return result.toDF(*(field.name for field in fields))


@dataclass(frozen=True, slots=True)
class _Named:
    """Work on columns by their names, whatever Spark calls them."""

    names: tuple[str, ...]
    work: Work

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        record_batch = pyarrow().RecordBatch
        given = (record_batch.from_arrays(part.columns, names=self.names) for part in parts)
        for made in self.work(joined(each for each in given if each.num_rows)):
            plain = [f"c{number}" for number in range(made.num_columns)]
            yield record_batch.from_arrays(made.columns, names=plain)


def joined(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer, larger batches: Spark sends ten thousand rows at a time."""
    held: list[pa.RecordBatch] = []
    for part in parts:
        held.append(part)
        if sum(each.num_rows for each in held) >= _ROWS:
            yield _one(held)
            held = []
    if held:
        yield _one(held)


def _one(parts: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(parts) == 1:
        return parts[0]
    table = pyarrow().Table.from_batches(parts).combine_chunks()
    batches = table.to_batches()
    return batches[0] if batches else parts[0]


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises, in Python and in Java."""
    return pyspark("errors").PySparkException, import_module("py4j.protocol").Py4JJavaError


@contextlib.contextmanager
def understood() -> Iterator[None]:
    """Errors of a job in the library's words, which hold nothing of a table's content."""
    try:
        yield
    except spark_errors() as error:
        text = str(error)
        found = _DATA_ERROR.search(text)
        if found:
            raise DataError(found.group(1)) from None
        if _NOT_THERE.search(text):
            raise InvalidInputError(
                "the executors cannot import pufferfish and what it needs: install "
                "'pufferfish-privacy[spark]' in their Python, the one that PYSPARK_PYTHON or "
                "spark.pyspark.python names."
            ) from None
        raise EngineError(
            "Spark stopped the job; its log says why. Nothing was published."
        ) from error
