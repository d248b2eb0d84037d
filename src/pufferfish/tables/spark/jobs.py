"""Work on the rows of a Spark frame, in its executors, by Arrow batches."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pufferfish.core.errors import DataError, EngineError, InvalidInputError
from pufferfish.core.extras import install_in_words, py4j, pyarrow, pyspark
from pufferfish.tables.names import check_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "KINDS",
    "Field",
    "Work",
    "is_spark",
    "map_partitions",
    "pick",
    "spark_errors",
    "understood",
]

# Rows that an executor processes at a time: enough to hide the cost of a call.
_ROWS = 1 << 17
_BYTES = 1 << 26
_DATA_ERROR = re.compile(
    rf"{re.escape(DataError.__module__)}\.DataError: (.+?\.)(?: SQLSTATE.*)?$", re.MULTILINE
)
_NOT_THERE = re.compile(r"No module named '(pufferfish|numpy|scipy|cryptography|pyarrow)\b")


# Types that the library creates, and their classes.
KINDS = {
    "string": "StringType",
    "boolean": "BooleanType",
    "int": "IntegerType",
    "bigint": "LongType",
    "double": "DoubleType",
}
Work = Callable[[Iterator["pa.RecordBatch"]], Iterator["pa.RecordBatch"]]


class Field(NamedTuple):
    """A column, and its type: one of Spark's, or a name of `KINDS`."""

    name: str
    kind: Any


def is_spark(data: object) -> bool:
    """Whether this is a Spark frame; does not import Spark."""
    kind = type(data)
    return kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame"


def pick(frame: Any, *names: str) -> Any:
    """Some columns of a frame, under names that Spark cannot misread: c0, c1, ..."""
    check_columns(frame.columns, *names)
    _refuse_same_but_for_case(frame, names)
    columns = (frame[f"`{name.replace('`', '``')}`"] for name in names)
    return frame.select(*columns).toDF(*(f"c{number}" for number in range(len(names))))


def map_partitions(frame: Any, names: Sequence[str], work: Work, fields: Sequence[Field]) -> Any:
    """A frame with the results of `work` on some columns of each partition; not computed yet.

    `work` must be picklable. It must make the same rows whenever it runs again on the same
    partition, or its result must be written before anything reads it.
    """
    types = pyspark("sql.types")
    schema = types.StructType(
        [
            types.StructField(
                f"c{number}",
                getattr(types, KINDS[field.kind])() if isinstance(field.kind, str) else field.kind,
            )
            for number, field in enumerate(fields)
        ]
    )
    with understood():
        result = pick(frame, *names).mapInArrow(_Named(tuple(names), work), schema)
        return result.toDF(*(field.name for field in fields))


def _refuse_same_but_for_case(frame: Any, names: Sequence[str]) -> None:
    """Refuse names that differ only in case, which Spark takes for one unless told otherwise."""
    if frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true":
        return
    counted = Counter(name.casefold() for name in frame.columns)
    for name in names:
        if counted[name.casefold()] > 1:
            raise InvalidInputError(
                f"several columns are called {name!r} in upper or lower case, which Spark takes "
                "for the same; rename one of them, or set spark.sql.caseSensitive."
            )


@dataclass(frozen=True, slots=True)
class _Named:
    """Work on columns by their names, whatever Spark calls them."""

    names: tuple[str, ...]
    work: Work

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        record_batch = pyarrow().RecordBatch
        given = (record_batch.from_arrays(part.columns, names=self.names) for part in parts)
        for made in self.work(join_batches(each for each in given if each.num_rows)):
            plain = [f"c{number}" for number in range(made.num_columns)]
            yield record_batch.from_arrays(made.columns, names=plain)


def join_batches(parts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer, larger batches: Spark sends ten thousand rows at a time."""
    held: list[pa.RecordBatch] = []
    for part in parts:
        held.append(part)
        rows, size = (sum(getattr(each, name) for each in held) for name in ("num_rows", "nbytes"))
        if rows >= _ROWS or size >= _BYTES:
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
    """The errors that Spark raises, in Python and in Java."""
    return pyspark("errors").PySparkException, py4j("protocol").Py4JJavaError


@contextlib.contextmanager
def understood() -> Iterator[None]:
    """Turn errors of a job into the library's messages, without any content of a table."""
    try:
        yield
    except spark_errors() as error:
        text = str(error)
        # Spark quotes cells in its messages, so none of them is passed on.
        found = _DATA_ERROR.search(text)
        if found:
            raise DataError(found.group(1)) from None
        if "MALFORMED" in text:
            raise DataError(
                "a row of the table cannot be read: it does not have as many fields as the first "
                "line, or its quotes do not match. Correct it, or name the format (--format)."
            ) from None
        if _NOT_THERE.search(text):
            raise InvalidInputError(
                "the executors cannot import pufferfish and what it needs. In their Python, the "
                "one that PYSPARK_PYTHON or spark.pyspark.python names, "
                f"{install_in_words('spark')}."
            ) from None
        raise EngineError(
            "Spark stopped the job; its log says why. Nothing was published."
        ) from None
