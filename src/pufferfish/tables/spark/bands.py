"""Secrets that are bands of numbers, as Spark expressions: rows are grouped without Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from pufferfish.beliefs.labels import Label
from pufferfish.core.extras import pyspark
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.coding import Coding

__all__ = ["banded"]


def banded(rule: Coding, column: Any) -> tuple[Any, tuple[Label, ...]]:
    """The place of each number's band among labels, null where there is none, and the labels.

    The rule itself gives the label of each band, for one number in it.
    """
    sql, edges = pyspark("sql.functions"), rule.edges or ()
    members = np.array([np.nextafter(edges[0], -np.inf), *edges])
    found = rule.coded(Batch({rule.column: members}, Coded.nothing(members.size)))
    number, places = column.cast("double"), [int(each) for each in found.codes]
    band = sql.lit(places[-1])
    for edge, place in reversed([*zip(edges, places[:-1], strict=True)]):
        band = sql.when(number < edge, place).otherwise(band)
    there = number.isNotNull() & ~sql.isnan(number) & (band >= 0)
    return sql.when(there, band), found.labels
