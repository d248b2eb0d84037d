"""Count by secret and value on the cluster, as one machine would count.

Executors count each partition by the `Tally` that counts files. Spark adds up what they find, at
most some hundred thousand cells; if the values have to be binned, the bins are made coarse enough
for all of them before the driver sees any. The smallest width of bins that keeps their number
within the limit does not depend on how the rows are spread over partitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.extras import pyarrow, pyspark
from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.engine import Counting
from pufferfish.tables.names import check_columns, not_secrets
from pufferfish.tables.spark.jobs import Field, map_partitions, understood
from pufferfish.tables.summary import Group, Summary
from pufferfish.tables.tally import Tally, centres, finest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["secret_kind", "spark_summary"]

# The columns of the partial counts; the table's columns may have any names.
_SECRET, _VALUE, _COUNT, _EXPONENT = "secret", "value", "count", "exponent"


def spark_summary(frame: Any, what: Counting) -> Summary:
    """How often each value of a column occurs for each secret."""
    column, secret, count, most_values = what.column, what.secret, what.count, what.most_values
    kind = secret_kind(frame, secret)
    work = _Counting(column, secret, count, kind, most_values)
    names = [column, secret, *([] if count is None else [count])]
    cells = map_partitions(frame, names, work, _fields(kind))
    with understood():
        cells = cells.persist()
        try:
            exponent = _exponent(cells, most_values, kind)
            table = _add_up(cells, exponent, kind).toArrow()
        finally:
            cells.unpersist()
    if not table.num_rows:
        raise DataError(f"there are no rows to summarise in column {column!r}.")
    tally = Tally(_VALUE, _SECRET, most_values=None)
    for part in table.to_batches():
        tally.add(arrow_batch(part, (_VALUE,), _SECRET, count=_COUNT))
    width = 0.0 if exponent is None else math.ldexp(1.0, exponent)
    found = tally.summary()
    return Summary(column, secret, found.groups, width, without_secret=found.without_secret)


def secret_kind(frame: Any, secret: str) -> str:
    """The column of the secret as a type that all partitions agree on."""
    check_columns(frame.columns, secret)
    kind = str(dict(frame.dtypes)[secret])
    if kind in ("string", "boolean") or kind.startswith(("varchar", "char")):
        return "boolean" if kind == "boolean" else "string"
    if kind in ("tinyint", "smallint", "int", "bigint"):
        return "bigint"
    raise InvalidInputError(not_secrets(secret, kind))


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts one partition, by its values or in bins of its own."""

    column: str
    secret: str
    count: str | None
    kind: str
    most_values: int

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tally = Tally(self.column, self.secret, self.most_values, numbered=False)
        seen = False
        for part in parts:
            tally.add(arrow_batch(part, (self.column,), self.secret, count=self.count))
            seen = True
        if not seen:
            return
        summary = tally.summary()
        exponent = math.frexp(summary.bin_width)[1] - 1 if summary.bin_width else None
        groups: list[tuple[Any, Group]] = [*summary.groups.items()]
        if summary.without_secret is not None:
            groups.append((None, summary.without_secret))
        for label, group in groups:
            values, counts = group.values, group.counts
            if group.missing:
                values, counts = np.append(values, np.nan), np.append(counts, group.missing)
            yield _cells([label] * values.size, values, counts, exponent, self.kind)


def _fields(kind: str) -> list[Field]:
    kinds = {_SECRET: kind, _VALUE: "double", _COUNT: "bigint", _EXPONENT: "int"}
    return [Field(name, each) for name, each in kinds.items()]


def _cells(labels: Any, values: Any, counts: Any, exponent: int | None, kind: str) -> Any:
    pa = pyarrow()
    secret = {"string": pa.string(), "boolean": pa.bool_(), "bigint": pa.int64()}[kind]
    columns = {
        _SECRET: pa.array(labels, secret),
        _VALUE: pa.array(values, pa.float64()),
        _COUNT: pa.array(counts, pa.int64()),
        _EXPONENT: pa.array([exponent] * len(values), pa.int32()),
    }
    return pa.record_batch(columns)


def _exponent(cells: Any, most: int, kind: str) -> int | None:
    """The smallest k for which bins of width 2^k are few enough; None if the values are."""
    sql = pyspark("sql.functions")
    value = sql.when(~sql.isnan(_VALUE), sql.col(_VALUE))
    found = cells.agg(
        sql.max(_EXPONENT), sql.max(sql.abs(value)), sql.min(value), sql.max(value)
    ).first()
    coarsest, size, low, high = found
    if coarsest is None and _distinct(cells, None, kind) <= most:
        return None
    # With values of very different sizes a bin's centre must still be exact.
    first = finest(np.array([size]))
    first = first if coarsest is None else max(first, coarsest)
    last = max(first, math.frexp(high - low)[1])  # two bins at most
    return _smallest(lambda exponent: _distinct(cells, exponent, kind) <= most, first, last)


def _smallest(enough: Callable[[int], bool], first: int, last: int) -> int:
    """The smallest k of a range that suffices; the last one does."""
    while first < last:
        middle = (first + last) // 2
        if enough(middle):
            last = middle
        else:
            first = middle + 1
    return first


def _distinct(cells: Any, exponent: int | None, kind: str) -> int:
    values = _bin(cells, exponent, kind).select(_VALUE).distinct()
    return int(values.where(f"not isnan({_VALUE})").count())


def _add_up(cells: Any, exponent: int | None, kind: str) -> Any:
    """The counts of all partitions together."""
    sql = pyspark("sql.functions")
    binned = _bin(cells, exponent, kind)
    return binned.groupBy(_SECRET, _VALUE).agg(sql.sum(_COUNT).alias(_COUNT))


def _bin(cells: Any, exponent: int | None, kind: str) -> Any:
    """The cells with the centres of bins of width 2^k for their values."""
    if exponent is None:
        return cells
    fields = _fields(kind)[:3]
    return map_partitions(cells, [field.name for field in fields], _Centred(exponent), fields)


@dataclass(frozen=True, slots=True)
class _Centred:
    """Moves values to the centres of their bins."""

    exponent: int

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            values = np.asarray(part.column(1).to_numpy(zero_copy_only=False), dtype=np.float64)
            columns = [part.column(0), pa.array(centres(values, self.exponent)), part.column(2)]
            yield pa.RecordBatch.from_arrays(columns, names=part.schema.names)
