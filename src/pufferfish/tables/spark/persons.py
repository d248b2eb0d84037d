"""Persons on a cluster: what was found about each, and one row for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import pyarrow, pyspark
from pufferfish.tables.one_row import OneRow, means
from pufferfish.tables.seen import (
    MOST_PAIRS,
    NOBODY,
    Pairs,
    PersonsFound,
    WhichPairs,
    two_secrets,
    unnamed,
)
from pufferfish.tables.spark.fold import secret_kind
from pufferfish.tables.spark.jobs import Field, map_partitions, pick, understood

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["reduce_spark", "spark_persons"]

# The seed of the random keys by which two rows of a person are chosen; it protects nothing.
_SEED = 19
_LIST = "values"


def spark_persons(
    frame: Any, person: str, secret: str, column: str | None, pairs: WhichPairs = "none"
) -> PersonsFound:
    """What was found about every person; with `pairs` also two rows of each of some of them.

    Without a column, only rows and secrets are counted.
    """
    sql = pyspark("sql.functions")
    table = _name_columns(frame, person, secret, column)
    value = sql.col("value")
    each = table.groupBy("person").agg(
        sql.count(sql.lit(1)).alias("rows"),
        _several_secrets().alias("several"),
        (sql.min(value) < sql.max(value)).alias("unequal"),
        sql.count(value).alias("present"),
    )
    partly = (sql.col("present") > 0) & (sql.col("present") < sql.col("rows"))
    with understood():
        most, several, unequal, missing, nobody = each.agg(
            sql.max("rows"),
            sql.max("several"),
            sql.max("unequal"),
            sql.max(partly),
            sql.max(_unnamed(table)),
        ).first()
    if nobody:
        raise unnamed(person)
    return PersonsFound(
        most=int(most or 0),
        two_secrets=bool(several),
        unequal=bool(unequal),
        partly_missing=bool(missing),
        pairs=NOBODY.pairs if pairs == "none" else _pairs(table, pairs),
    )


def reduce_spark(frame: Any, how: OneRow) -> Any:
    """A frame with one row for each person: the mean of its values.

    The values of a person are added up in ascending order, so that the same frame gives the same
    means whenever Spark computes it again.

    Raises:
        InvalidInputError: The first row is requested: rows of a cluster have no order.
    """
    if how.way == "first":
        raise InvalidInputError(
            "a Spark frame has no first row: its rows have no order. Use the mean of each person's "
            "rows (one_row='mean', --one-row mean), or choose one row of each person beforehand."
        )
    sql = pyspark("sql.functions")
    table = _name_columns(frame, how.person, how.secret, how.column)
    each = table.groupBy("person").agg(
        _several_secrets().alias("several"),
        sql.min("secret").alias("secret"),
        sql.sort_array(sql.collect_list("value")).alias(_LIST),
    )
    fields = [
        Field(how.column, "double"),
        Field(how.secret, secret_kind(frame, how.secret)),
        Field(how.person, each.schema["person"].dataType),
    ]
    return map_partitions(each, [_LIST, "secret", "person", "several"], _Means(how), fields)


@dataclass(frozen=True, slots=True)
class _Means:
    """The mean of each list of values."""

    how: OneRow

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pa = pyarrow()
        for part in parts:
            lists, secrets, persons, several = part.columns
            if any(several.to_pylist()):
                raise two_secrets(self.how.person, self.how.secret)
            # One more row without a value for each person, so that every person has a number.
            owners = np.asarray(lists.value_parent_indices().to_numpy(zero_copy_only=False))
            values = lists.flatten().to_numpy(zero_copy_only=False)
            owners = np.concatenate([owners.astype(np.int64), np.arange(len(lists))])
            values = np.concatenate([values.astype(np.float64), np.full(len(lists), np.nan)])
            found = means(owners, values)
            columns = [pa.array(found, mask=np.isnan(found)), secrets, persons]
            yield pa.RecordBatch.from_arrays(columns, names=["0", "1", "2"])


def _name_columns(frame: Any, person: str, secret: str, column: str | None) -> Any:
    """Persons, secrets and values; null where a value is missing."""
    sql = pyspark("sql.functions")
    if column is None:
        table = pick(frame, person, secret).toDF("person", "secret")
        return table.withColumn("value", sql.lit(None).cast("double"))
    table = pick(frame, person, secret, column).toDF("person", "secret", "given")
    value = sql.col("given").cast("double")
    present = sql.when(~sql.isnan(value), value)
    return table.select("person", "secret", present.alias("value"))


def _several_secrets() -> Any:
    """Whether some rows of a group have another secret, or none."""
    sql = pyspark("sql.functions")
    without = sql.count(sql.lit(1)) - sql.count("secret")
    differ = sql.coalesce(sql.min("secret") < sql.max("secret"), sql.lit(False))
    return differ | ((without > 0) & (sql.count("secret") > 0))


def _unnamed(table: Any) -> Any:
    """Whether a person has no name."""
    sql = pyspark("sql.functions")
    kind = str(dict(table.dtypes)["person"])
    missing = sql.col("person").isNull()
    if kind in ("float", "double"):
        missing |= sql.isnan("person")
    if kind == "string":
        missing |= sql.col("person") == ""
    return missing


def _pairs(table: Any, which: WhichPairs) -> Pairs:
    """Two random rows of each of some persons; a missing value is infinite."""
    sql = pyspark("sql.functions")
    rows = table if which == "all" else table.where(sql.col("value").isNotNull())
    filled = sql.coalesce("value", sql.lit(float("inf")))
    keyed = rows.withColumn("value", filled).withColumn("key", sql.rand(_SEED))
    two = keyed.groupBy("person").agg(
        sql.min("secret").alias("secret"),
        sql.slice(sql.sort_array(sql.collect_list(sql.struct("key", "value"))), 1, 2).alias("two"),
    )
    some = (
        two.where(sql.size("two") == 2)
        .orderBy(sql.col("two")[0]["key"])
        .limit(MOST_PAIRS)
        .select(
            "secret",
            sql.col("two")[0]["value"].alias("first"),
            sql.col("two")[1]["value"].alias("second"),
        )
    )
    with understood():
        found = some.toArrow()
    codes = found.column("secret").combine_chunks().dictionary_encode().indices.fill_null(-1)
    first, second = (
        np.asarray(found.column(name).to_numpy(), dtype=np.float64) for name in ("first", "second")
    )
    numbers = np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)
    return Pairs(numbers, first, second, np.arange(first.size))
