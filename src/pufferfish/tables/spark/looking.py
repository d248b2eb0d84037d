"""A sample of a Spark frame's rows as they are published, for an observer.

The executors that write rows add their noise and drop their secret. So the sample is drawn from the
table again, and noised on the driver. That noise has the same law, and is never published: nobody
gets two draws for one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.extras import pyspark
from pufferfish.core.validation import FloatArray
from pufferfish.tables.batch import Coded, IntArray
from pufferfish.tables.change import Change
from pufferfish.tables.rows import Columns, plain_columns, take_rows
from pufferfish.tables.spark.bands import banded
from pufferfish.tables.spark.changing import Changing
from pufferfish.tables.spark.fold import secret_kind
from pufferfish.tables.spark.jobs import Field, map_partitions, pick, understood

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["look_at_sample"]

# A few rows more than needed, so that chance seldom leaves too few.
_SPARE = 1.1


def look_at_sample(
    frame: Any, how: Change, counts: Mapping[Secret | None, int], seed: int = 0
) -> None:
    """Show rows of each secret to `how.look`, about as many as it needs.

    Args:
        frame: A classic Spark frame; it is read once more.
        how: What is done to it.
        counts: The number of rows of each secret.
        seed: The seed for the choice of rows, which protects nobody.
    """
    if how.look is None:
        return
    shares = {
        label: min(1.0, _SPARE * how.look.most_each / rows)
        for label, rows in (how.groups or counts).items()
        if rows and label is not None and label in how.look.secrets
    }
    if not shares:
        return
    names, stays = list(dict.fromkeys([how.secret, *how.read])), tuple(how.stays(frame.columns))
    if how.secrets is None:
        with understood():
            rows = _by_column(frame, how, names, shares, seed)
        for part in rows.to_batches():
            published, secrets = Changing.of(how).changed(part, stays)
            how.show(secrets, partial(_columns, published))
        return
    changing = replace(Changing.of(how), secrets=how.secrets)
    key = _new_name(frame)
    with understood():
        keyed = frame.withColumn(key, pyspark("sql.functions").rand(seed))
        fields = [Field(name, keyed.schema[name].dataType) for name in [*names, key]]
        work = _Choosing(changing, shares, key)
        rows = map_partitions(keyed, [*names, key], work, fields).toArrow()
    for part in rows.to_batches():
        published, secrets = changing.changed(part, (*stays, key))
        keys = np.asarray(published.column(key))
        # A row may have been chosen for one of its secrets, and not for the others.
        own = [_unless(each, keys < _shares_of(each, shares)) for each in secrets]
        how.show(own, partial(_columns, published.select(list(stays))))


def _by_column(
    frame: Any, how: Change, names: list[str], shares: Mapping[Secret, float], seed: int
) -> pa.Table:
    """Some rows of each label of the secret column, chosen by Spark itself."""
    sql = pyspark("sql.functions")
    if how.bands is None:
        kind = secret_kind(frame, how.secret)
        secret = sql.col("c0").cast(kind)
        labels = {each: sql.lit(each).cast(kind) for each in shares}
    else:
        secret, banded_labels = banded(how.bands, sql.col("c0"))
        labels = {each: sql.lit(banded_labels.index(each)) for each in shares}
    pairs = ((labels[label], sql.lit(share)) for label, share in shares.items())
    share = sql.create_map(*chain.from_iterable(pairs))[secret]
    return pick(frame, *names).where(sql.rand(seed) < share).toArrow().rename_columns(names)


@dataclass(frozen=True, slots=True)
class _Choosing:
    """What an executor does where rows have several secrets: keep rows chosen for one of them.

    One key decides for all secrets of a row, so the rows that are chosen for one secret do not
    depend on their other secrets.

    Attributes:
        changing: How rows are read, and which secrets they have.
        shares: The share of each secret's rows to choose.
        key: The column of random keys, between 0 and 1.
    """

    changing: Changing
    shares: Mapping[Secret, float]
    key: str

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in parts:
            secrets = self.changing.looked_for(self.changing.read(part))
            most = np.maximum.reduce([_shares_of(each, self.shares) for each in secrets])
            yield take_rows(part, np.flatnonzero(np.asarray(part.column(self.key)) < most))


def _shares_of(secrets: Coded, shares: Mapping[Secret, float]) -> FloatArray:
    """For each row, the share of its secret's rows to choose."""
    return np.array([*(shares.get(label, 0.0) for label in secrets.labels), 0.0])[secrets.codes]


def _unless(secrets: Coded, chosen: npt.NDArray[np.bool_]) -> Coded:
    """The secrets, missing where a row was not chosen for its secret."""
    return Coded(np.where(chosen, secrets.codes, -1), secrets.labels)


def _new_name(frame: Any) -> str:
    """The name of a further column."""
    there, name = {each.casefold() for each in frame.columns}, "key"
    while name in there:
        name += "_"
    return name


def _columns(rows: pa.RecordBatch, numbers: IntArray) -> Columns:
    return plain_columns(take_rows(rows, numbers))
