"""A sample of a Spark frame's rows as they are published, for somebody who looks at them.

Rows get their noise in the executors that write them, and lose their secret there. So the sample is
drawn from the table once more, and noised on the driver. That noise is the same in law, and is
never published: nobody gets two draws for one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.extras import pyspark
from pufferfish.tables.change import Change
from pufferfish.tables.rows import Columns, plain_columns, take_rows
from pufferfish.tables.spark.bands import banded
from pufferfish.tables.spark.changing import Changing
from pufferfish.tables.spark.jobs import pick, understood
from pufferfish.tables.spark.summarise import secret_kind
from pufferfish.tables.summary import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["look_at_sample"]

# A few rows more than are wanted, so that chance seldom leaves some out.
_SPARE = 1.1


def look_at_sample(
    frame: Any, how: Change, counts: Mapping[Secret | None, int], seed: int = 0
) -> None:
    """Show rows of each secret to `how.look`, about as many as it wants.

    Args:
        frame: A classic Spark frame; it is read once more.
        how: What is done to it.
        counts: The rows of each secret.
        seed: For the choice of rows, which protects nobody.
    """
    wanted = () if how.look is None else how.look.secrets
    counts = {label: rows for label, rows in counts.items() if label in wanted}
    if how.look is None or not counts:
        return
    sql = pyspark("sql.functions")
    if how.bands is None:
        kind = secret_kind(frame, how.secret)
        secret = sql.col("c0").cast(kind)
        names = {each: sql.lit(each).cast(kind) for each in counts}
    else:
        secret, labels = banded(how.bands, sql.col("c0"))
        names = {each: sql.lit(labels.index(each)) for each in counts}
    shares = chain.from_iterable(
        (names[label], sql.lit(min(1.0, _SPARE * how.look.most_each / rows)))
        for label, rows in counts.items()
        if rows
    )
    read = list(dict.fromkeys([how.secret, *how.read]))
    with understood():
        table = pick(frame, *read)
        share = sql.create_map(*shares)[secret]
        rows = table.where(sql.rand(seed) < share).toArrow().rename_columns(read)
    stays = tuple(how.stays(frame.columns))
    for part in rows.to_batches():
        published, secret = Changing.of(how).changed(part, stays)
        how.look.look(*secret, partial(_columns, published))


def _columns(rows: pa.RecordBatch, numbers: IntArray) -> Columns:
    return plain_columns(take_rows(rows, numbers))
