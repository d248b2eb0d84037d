"""Count on the cluster, as one machine would count.

Executors count each partition by the `Tally` that counts files. Spark adds up what they find; where
numbers have to be binned, the bins are made coarse enough for all partitions before the driver sees
any. The smallest width of bins that keeps their number, and that of combinations, within the limits
does not depend on how the rows are spread over partitions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import pyarrow, pyspark
from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import ColumnKind
from pufferfish.tables.names import check_columns, not_secrets
from pufferfish.tables.spark.jobs import Field, map_partitions, pick, understood
from pufferfish.tables.tally import Counting, Tally, centres, finest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["secret_kind", "spark_fold", "spark_kinds"]

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_DATES = ("date", "timestamp", "timestamp_ntz")
# The columns of the partial counts, next to those that are counted: c0, c1, ...
_COUNT, _EXPONENT = "count", "exponent"


def spark_fold(frame: Any, what: Counting) -> Counts:
    """How often each combination of labels occurs in a classic Spark frame."""
    if what.secret is not None:
        secret_kind(frame, what.secret)
    sql = pyspark("sql.functions")
    names = [*what.names, *([] if what.count is None else [what.count])]
    fields = _fields(what)
    keys = [field.name for field in fields[:-2]]
    tally = Tally(what)
    cells = map_partitions(frame, names, _Counting(what), fields)
    with understood():
        cells = cells.persist() if what.bins else cells
        try:
            exponent = _exponent(cells, what) if what.bins else None
            binned = cells if exponent is None else _binned(cells, exponent, fields)
            added = binned.groupBy(*keys).agg(sql.sum(_COUNT).alias(_COUNT))
            if what.most_cells is not None:
                added = added.limit(what.most_cells + 1)
            table = added.toArrow()
        finally:
            if what.bins:
                cells.unpersist()
    if exponent is not None:
        tally.at_least(exponent)
    tally.merge(_cells(table, what))
    return tally.result()


def spark_kinds(frame: Any, names: Sequence[str]) -> dict[str, ColumnKind]:
    """How columns are read, by their types."""
    check_columns(frame.columns, *names)
    kinds = [kind.partition("(")[0] for _, kind in pick(frame, *names).dtypes]
    return {
        name: ColumnKind("number" if kind in _NUMBERS else "date" if kind in _DATES else "label")
        for name, kind in zip(names, kinds, strict=True)
    }


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
    """Counts one partition; labels are sent as JSON, which keeps their types, numbers as such."""

    what: Counting

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa, what = pyarrow(), self.what
        tally = Tally(what)
        for part in parts:
            batch = arrow_batch(part, what.numbers, what.secret, what.labels, what.count)
            # Rows of a cluster have no numbers.
            tally.merge(tally.counted(batch, None))
        cells = tally.cells()
        if not cells.counts.size:
            return
        columns = [
            pa.array(np.append(np.asarray(labels), np.nan)[codes])
            if plain
            else pa.array([json.dumps(label) for label in labels], pa.string()).take(
                pa.array(codes, mask=codes < 0)
            )
            for labels, codes, plain in zip(cells.labels, cells.codes.T, what.plain, strict=True)
        ]
        exponent = pa.array([tally.exponent] * cells.counts.size, pa.int32())
        yield pa.RecordBatch.from_arrays(
            [*columns, pa.array(cells.counts), exponent],
            names=[field.name for field in _fields(what)],
        )


def _fields(what: Counting) -> list[Field]:
    kinds = ["double" if plain else "string" for plain in what.plain]
    keys = [Field(f"c{number}", kind) for number, kind in enumerate(kinds)]
    return [*keys, Field(_COUNT, "bigint"), Field(_EXPONENT, "int")]


def _exponent(cells: Any, what: Counting) -> int | None:
    """The smallest k for which bins of width 2^k are few enough; None if the values are."""
    sql = pyspark("sql.functions")
    value = sql.when(~sql.isnan("c0"), sql.col("c0"))
    found = cells.agg(
        sql.max(_EXPONENT), sql.max(sql.abs(value)), sql.min(value), sql.max(value)
    ).first()
    coarsest, size, low, high = found
    if size is None or (coarsest is None and _few(cells, None, what)):
        return None
    # With values of very different sizes a bin's centre must still be exact.
    first = finest(np.array([size]))
    first = first if coarsest is None else max(first, coarsest)
    last = max(first, math.frexp(high - low)[1])  # two bins at most
    return _smallest(lambda exponent: _few(cells, exponent, what), first, last)


def _smallest(enough: Callable[[int], bool], first: int, last: int) -> int:
    """The smallest k of a range that suffices; the last one is taken if none does."""
    while first < last:
        middle = (first + last) // 2
        if enough(middle):
            last = middle
        else:
            first = middle + 1
    return first


def _few(cells: Any, exponent: int | None, what: Counting) -> bool:
    """Whether the values, and their combinations with other columns, are few enough."""
    fields = _fields(what)
    binned = cells if exponent is None else _binned(cells, exponent, fields)
    keys = binned.select(*(field.name for field in fields[:-2])).distinct()
    values = int(keys.select("c0").distinct().where("not isnan(c0)").count())
    most = math.inf if what.most_values is None else what.most_values
    return values <= most and (what.most_cells is None or int(keys.count()) <= what.most_cells)


def _binned(cells: Any, exponent: int, fields: Sequence[Field]) -> Any:
    """The cells with the centres of bins of width 2^k for their values."""
    return map_partitions(cells, [field.name for field in fields], _Centred(exponent), fields)


@dataclass(frozen=True, slots=True)
class _Centred:
    """Moves values to the centres of their bins."""

    exponent: int

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            values = np.asarray(part.column(0).to_numpy(zero_copy_only=False), dtype=np.float64)
            columns = [pa.array(centres(values, self.exponent)), *part.columns[1:]]
            yield pa.RecordBatch.from_arrays(columns, names=part.schema.names)


def _cells(table: pa.Table, what: Counting) -> SomeCells:
    """The counts that Spark added up."""
    labels: list[Any] = []
    codes = []
    for number, plain in enumerate(what.plain):
        column: Any = table.column(f"c{number}").combine_chunks()
        if plain:
            values = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
            labels.append(values)
            codes.append(np.where(np.isnan(values), -1, np.arange(values.size)))
            continue
        coded = column.dictionary_encode()
        labels.append(tuple(json.loads(text) for text in coded.dictionary.to_pylist()))
        found = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.asarray(found, dtype=np.int64))
    counts = np.asarray(table.column(_COUNT).to_numpy(), dtype=np.int64)
    return SomeCells(int(counts.sum()), tuple(labels), np.stack(codes, axis=1), counts)
