"""What a release must know of a table before it draws anything: one row for each secret.

Counted by Spark itself, without a detour through Python: this reads the table once more, and should
cost little beside the noise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from pufferfish.errors import DataError, InvalidInputError
from pufferfish.extras import pyspark
from pufferfish.scenario import Secret
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.names import not_numeric
from pufferfish.tables.spark.jobs import chosen, understood
from pufferfish.tables.spark.summarise import secret_kind

__all__ = ["counted_groups", "told_apart"]

_NUMBER = re.compile(r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)")
# A secret with more values than this is not one that anybody could describe.
_MOST_SECRETS = 1_000_000


def counted_groups(
    frame: Any,
    column: str,
    secret: str,
    low: float = -math.inf,
    high: float = math.inf,
    cap: tuple[float, float] | None = None,
) -> tuple[SurveyedGroup, ...]:
    """Count the rows of each secret, and those whose capped value is outside a range."""
    sql = pyspark("sql.functions")
    secret_kind(frame, secret)
    table = chosen(frame, column, secret)
    kind = str(table.dtypes[0][1])
    if not _NUMBER.fullmatch(kind):
        raise InvalidInputError(not_numeric(column, kind))
    value = sql.col("value")
    present = sql.when(~sql.isnan(value), value)
    finite = sql.when(sql.abs(present) < float("inf"), present)
    capped = finite
    if cap is not None:
        # Spark's least and greatest pass over nulls, and would make a bound of a missing value.
        capped = sql.when(finite < cap[0], cap[0]).when(finite > cap[1], cap[1]).otherwise(finite)
    named = table.toDF("given", "secret").withColumn("value", sql.col("given").cast("double"))
    grouped = named.groupBy("secret").agg(
        sql.count(sql.lit(1)),
        sql.count(present),
        sql.count(finite),
        sql.count(sql.when((capped < low) | (capped > high), 1)),
        sql.count(sql.when(capped != finite, 1)),
        sql.max(sql.abs(capped)),
        sql.avg(finite),
        sql.var_pop(finite),
        # As decimals: whole numbers of 64 bits would overflow.
        sql.sum(sql.xxhash64("value").cast("decimal(20,0)")),
    )
    with understood():
        found = grouped.limit(_MOST_SECRETS + 1).collect()
    if len(found) > _MOST_SECRETS:
        raise DataError(f"column {secret!r} has more than {_MOST_SECRETS:,} values.")
    return tuple(
        SurveyedGroup(
            label,
            rows,
            rows - present_,
            present_ - finite_,
            outside,
            capped_,
            0.0 if largest is None else float(largest),
            0.0 if mean is None else float(mean),
            0.0 if variance is None else float(variance) * finite_,
            int(digest),
        )
        for (
            label,
            rows,
            present_,
            finite_,
            outside,
            capped_,
            largest,
            mean,
            variance,
            digest,
        ) in found
    )


def told_apart(groups: Iterable[SurveyedGroup]) -> frozenset[tuple[Secret | None, int, int]]:
    """What tells one table from another; sums of floats depend on who added first."""
    return frozenset((group.secret, group.rows, group.digest) for group in groups)
