"""Count combinations of labels on the cluster, as one machine would count them.

Executors count each partition, by the rules and the tally that count files. Spark adds up the
counts, and the driver sees each combination once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.extras import pyarrow, pyspark
from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.coding import Coding, labels_in, numbers_in
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.crosstab import MOST_CELLS, Crosstab, CrosstabTally
from pufferfish.tables.engine import ColumnKind
from pufferfish.tables.names import check_columns
from pufferfish.tables.spark.jobs import Field, map_partitions, pick, understood

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["spark_crosstab", "spark_kinds"]

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_DATES = ("date", "timestamp", "timestamp_ntz")
_COUNT = "count"


def spark_crosstab(frame: Any, codings: Sequence[Coding], most_cells: int = MOST_CELLS) -> Crosstab:
    """How often each combination of labels occurs.

    Args:
        frame: A classic Spark frame.
        codings: The columns, and how their entries become labels.
        most_cells: A table with more combinations is refused; the driver sees at most one more.
    """
    tally = CrosstabTally(codings, most_cells)
    sql, codings = pyspark("sql.functions"), tuple(codings)
    names = [f"c{number}" for number in range(len(codings))]
    fields = [*(Field(name, "string") for name in names), Field(_COUNT, "bigint")]
    columns = [each.column for each in codings]
    cells = map_partitions(frame, columns, _Counting(codings, most_cells), fields)
    with understood():
        added = cells.groupBy(*names).agg(sql.sum(_COUNT).alias(_COUNT)).limit(most_cells + 1)
        table = added.toArrow()
    tally.merge(_cells(table, names))
    return tally.crosstab()


def spark_kinds(frame: Any, names: Sequence[str]) -> dict[str, ColumnKind]:
    """How columns are read, by their types."""
    check_columns(frame.columns, *names)
    kinds = [kind.partition("(")[0] for _, kind in pick(frame, *names).dtypes]
    return {
        name: ColumnKind("number" if kind in _NUMBERS else "date" if kind in _DATES else "label")
        for name, kind in zip(names, kinds, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _Counting:
    """Counts one partition; labels are sent as JSON, which keeps their types."""

    codings: tuple[Coding, ...]
    most_cells: int

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        tally = CrosstabTally(self.codings, self.most_cells)
        for part in parts:
            batch = arrow_batch(part, numbers_in(self.codings), None, labels_in(self.codings))
            # Rows of a cluster have no numbers.
            tally.merge(tally.counted(batch, None))
        cells = tally.cells()
        if not cells.counts.size:
            return
        columns = [
            pa.array([json.dumps(label) for label in labels], pa.string()).take(
                pa.array(codes, mask=codes < 0)
            )
            for labels, codes in zip(cells.labels, cells.codes.T, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(
            [*columns, pa.array(cells.counts)],
            names=[*(f"c{number}" for number in range(len(columns))), _COUNT],
        )


def _cells(table: pa.Table, names: Sequence[str]) -> SomeCells:
    """The counts that Spark added up."""
    labels, codes = [], []
    for name in names:
        coded: Any = table.column(name).combine_chunks().dictionary_encode()
        labels.append(tuple(json.loads(text) for text in coded.dictionary.to_pylist()))
        found = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        codes.append(np.asarray(found, dtype=np.int64))
    counts = np.asarray(table.column(_COUNT).to_numpy(), dtype=np.int64)
    return SomeCells(int(counts.sum()), tuple(labels), np.stack(codes, axis=1), counts)
