"""How strongly the columns of a table are associated, before and after the table was changed.

A table is the law of one of its rows: which combinations of labels occur, and how often. For two
columns the strength lies between 0 (independent) and 1 (one is a function of the other):

- two columns of numbers: Pearson's correlation, which has a sign;
- numbers and labels: the correlation ratio η, the root of the share of the numbers' variance that
  lies between the groups;
- labels: Cramér's V, √(χ²/(n·(min(a, b) − 1))) for a table of a by b labels.

Mutual information, in bits, depends on the labels only, not on what they mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Label, label_key, natural_order
from pufferfish.core.validation import FloatArray, require

__all__ = ["Association", "Joint", "Measure", "associations", "information", "noised_ratio"]

Measure = Literal["correlation", "correlation ratio", "Cramér's V"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Joint:
    """The law of one row of some columns.

    Attributes:
        columns: Their names.
        cells: Combinations of labels; one may be listed several times.
        weights: How often each occurs; they sum to 1.
    """

    columns: tuple[str, ...]
    cells: tuple[tuple[Label, ...], ...]
    weights: FloatArray

    @classmethod
    def of(
        cls, columns: Sequence[str], cells: Sequence[tuple[Label, ...]], counts: FloatArray
    ) -> Joint:
        """The law from counts, or from weights that need not sum to 1."""
        total = float(counts.sum())
        require(total > 0.0, "there are no rows.")
        return cls(tuple(columns), tuple(cells), np.asarray(counts / total, dtype=np.float64))

    def marginal(self, column: str) -> tuple[tuple[Label, float], ...]:
        """The labels of a column in their natural order, with how often each occurs.

        These are pairs and not a dictionary, in which True and 1 would be the same key.
        """
        labels, codes = self._coded(column)
        found = np.bincount(codes, self.weights, len(labels))
        return tuple(zip(labels, found.tolist(), strict=True))

    def table(
        self, first: str, second: str
    ) -> tuple[tuple[Label, ...], tuple[Label, ...], FloatArray]:
        """The labels of two columns, and how often each two of them occur together."""
        (rows, one), (columns, other) = self._coded(first), self._coded(second)
        size = len(rows) * len(columns)
        found = np.bincount(one * len(columns) + other, self.weights, size)
        return rows, columns, np.asarray(found, dtype=np.float64).reshape(len(rows), len(columns))

    def _coded(self, column: str) -> tuple[tuple[Label, ...], npt.NDArray[np.int64]]:
        part = self.columns.index(column)
        labels = natural_order(cell[part] for cell in self.cells)
        places = {label_key(each): place for place, each in enumerate(labels)}
        codes = [places[label_key(cell[part])] for cell in self.cells]
        return labels, np.array(codes, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """How strongly two columns are associated.

    Attributes:
        first: One column.
        second: The other.
        measure: What `strength` is.
        strength: From 0 to 1, or from −1 for a correlation; 0 where a column has only one label.
        information: Mutual information in bits; None where it was not computed.
    """

    first: str
    second: str
    measure: Measure
    strength: float
    information: float | None


def associations(joint: Joint, numbers: Collection[str]) -> tuple[Association, ...]:
    """The association of every two columns, in their order.

    Args:
        joint: The table.
        numbers: The columns whose labels are numbers to compute with. Correlations leave out rows
            in which one is missing; for the other measures a missing entry is a label.
    """
    return tuple(
        _association(joint, first, second, numbers)
        for first, second in combinations(joint.columns, 2)
    )


def information(table: FloatArray) -> float:
    """Mutual information of rows and columns in bits: Σ p·log₂(p/(p₁·p₂))."""
    product = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    there = table > 0.0
    found = float((table[there] * np.log2(table[there] / product[there])).sum())
    return max(found, 0.0)


def noised_ratio(groups: Sequence[tuple[float, float, float, float]]) -> tuple[float, float]:
    """The correlation ratio of numbers and groups, before and after noise of mean 0.

    This is exact: noise keeps the means of the groups, and adds its own variance within them.

    Args:
        groups: For each group its share of the rows, the mean and the variance of its numbers, and
            the variance of its noise.
    """
    shares, means, variances, noise = (np.array(each) for each in zip(*groups, strict=True))
    between = float(shares @ (means - shares @ means) ** 2)
    inside = float(shares @ variances)
    return _root(between, between + inside), _root(
        between, between + inside + float(shares @ noise)
    )


def _association(joint: Joint, first: str, second: str, numbers: Collection[str]) -> Association:
    rows, columns, table = joint.table(first, second)
    measure: Measure
    if first in numbers and second in numbers:
        measure, strength = "correlation", _correlation(rows, columns, table)
    elif first in numbers or second in numbers:
        measure = "correlation ratio"
        strength = _ratio(rows, table) if first in numbers else _ratio(columns, table.T)
    else:
        measure, strength = "Cramér's V", _cramer(table)
    return Association(
        first=first,
        second=second,
        measure=measure,
        strength=strength,
        information=information(table),
    )


def _correlation(rows: Sequence[Label], columns: Sequence[Label], table: FloatArray) -> float:
    one, other = _numbers(rows), _numbers(columns)
    inside = table[np.ix_(~np.isnan(one), ~np.isnan(other))]
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not inside.sum():
        return 0.0
    shares = inside / inside.sum()
    one = one - shares.sum(axis=1) @ one
    other = other - shares.sum(axis=0) @ other
    spread = math.sqrt(float(shares.sum(axis=1) @ one**2) * float(shares.sum(axis=0) @ other**2))
    return float(np.clip(one @ shares @ other / spread, -1.0, 1.0)) if spread else 0.0


def _ratio(labels: Sequence[Label], table: FloatArray) -> float:
    """The correlation ratio of numbers, one per row of the table, and groups, one per column."""
    values = _numbers(labels)
    inside = table[~np.isnan(values)]
    values = values[~np.isnan(values)]
    sizes = inside.sum(axis=0)
    if not sizes.sum():
        return 0.0
    inside, sizes = inside[:, sizes > 0.0], sizes[sizes > 0.0]
    means = values @ inside / sizes
    shares = sizes / sizes.sum()
    everybody = inside.sum(axis=1) / inside.sum()
    mean = float(shares @ means)
    return _root(float(shares @ (means - mean) ** 2), float(everybody @ (values - mean) ** 2))


def _cramer(table: FloatArray) -> float:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    table = table[np.ix_(rows > 0.0, columns > 0.0)]
    least = min(table.shape) - 1
    if not least:
        return 0.0
    product = np.outer(rows[rows > 0.0], columns[columns > 0.0])
    return _root(float(((table - product) ** 2 / product).sum()), float(least))


def _root(part: float, whole: float) -> float:
    return min(math.sqrt(max(part, 0.0) / whole), 1.0) if whole > 0.0 else 0.0


def _numbers(labels: Sequence[Label]) -> FloatArray:
    return np.array([math.nan if each is None else float(each) for each in labels])
