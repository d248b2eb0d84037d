"""What a release must know of a table before it draws anything: one row for each secret.

Spark itself counts it, without a detour through Python: this reads the table once more, and should
cost little compared with the noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from operator import and_
from typing import Any

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.extras import pyspark
from pufferfish.tables.change import Change, Measured
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.names import not_numeric
from pufferfish.tables.spark.bands import banded
from pufferfish.tables.spark.fold import secret_kind
from pufferfish.tables.spark.jobs import pick, understood

__all__ = ["count_groups", "fingerprint"]

_NUMBER = re.compile(r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)")
# Nobody could describe a secret with more values than this.
_MOST_SECRETS = 1_000_000


def count_groups(frame: Any, how: Change) -> tuple[SurveyedGroup, ...]:
    """Count the rows of each secret, and measure the column that `how` names."""
    sql = pyspark("sql.functions")
    if how.bands is None:
        secret_kind(frame, how.secret)
    looked_at = list(dict.fromkeys([*how.columns, *how.reads]))
    table = pick(frame, how.secret, *looked_at)
    labels: tuple[Any, ...] | None = None
    if how.bands is not None:
        band, labels = banded(how.bands, sql.col("c0"))
        table = table.withColumn("c0", band)
    elif dict(table.dtypes)["c0"] == "string":
        table = table.withColumn("c0", sql.when(sql.col("c0") != "", sql.col("c0")))
    kinds = dict(zip(looked_at, (kind for _, kind in table.dtypes[1:]), strict=True))
    for name in how.numbers:
        if not _NUMBER.fullmatch(kinds[name]):
            raise InvalidInputError(not_numeric(name, kinds[name]))
    places = {name: sql.col(f"c{number}") for number, name in enumerate(looked_at, start=1)}
    # Where a column is measured, only that column decides which rows are left out.
    needed = how.columns if how.measured is None else (how.measured.column,)
    there = [_there(places[name], kinds[name]) for name in needed]
    counted = [
        sql.count(sql.lit(1)),
        sql.count(sql.when(reduce(and_, there), 1)),
        # As decimals: whole numbers of 64 bits would overflow.
        sql.sum(sql.xxhash64(*places.values()).cast("decimal(20,0)")),
    ]
    if how.measured is not None:
        counted += _measures(places[how.measured.column].cast("double"), how.measured)
    with understood():
        found = table.groupBy("c0").agg(*counted).limit(_MOST_SECRETS + 1).collect()
    if len(found) > _MOST_SECRETS:
        raise DataError(f"column {how.secret!r} has more than {_MOST_SECRETS:,} values.")
    return tuple(
        SurveyedGroup(
            label if labels is None or label is None else labels[label],
            *(rows, rows - present, int(digest)),
            *_measure(*measures),
        )
        for label, rows, present, digest, *measures in found
    )


def _there(column: Any, kind: str) -> Any:
    """Whether there is a value."""
    sql = pyspark("sql.functions")
    if kind in ("float", "double"):
        return column.isNotNull() & ~sql.isnan(column)
    return column.isNotNull() & (column != "") if kind == "string" else column.isNotNull()


def _measures(value: Any, measured: Measured) -> list[Any]:
    """The expressions that `_measure` reads, for a column of doubles."""
    sql, cap = pyspark("sql.functions"), measured.cap
    present = sql.when(~sql.isnan(value), value)
    finite = sql.when(sql.abs(present) < float("inf"), present)
    capped = finite
    if cap is not None:
        # Spark's least and greatest skip nulls, and would turn a missing value into a bound.
        capped = sql.when(finite < cap[0], cap[0]).when(finite > cap[1], cap[1]).otherwise(finite)
    return [
        sql.count(present),
        sql.count(finite),
        sql.count(sql.when((capped < measured.low) | (capped > measured.high), 1)),
        sql.count(sql.when(capped != finite, 1)),
        sql.max(sql.abs(capped)),
        sql.avg(finite),
        sql.var_pop(finite),
    ]


def _measure(*found: Any) -> tuple[Any, ...]:
    """The last entries of a `SurveyedGroup`; empty where nothing was measured."""
    if not found:
        return ()
    present, finite, outside, capped, *moments = found
    largest, mean, variance = (0.0 if each is None else float(each) for each in moments)
    return present - finite, outside, capped, largest, mean, variance * finite


def fingerprint(groups: Iterable[SurveyedGroup]) -> frozenset[tuple[Secret | None, int, int]]:
    """What distinguishes tables; without sums of floats, which depend on the order of adding."""
    return frozenset((group.secret, group.rows, group.digest) for group in groups)
