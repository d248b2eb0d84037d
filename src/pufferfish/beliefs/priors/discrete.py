"""Finitely supported priors: the empirical table of a column, or a value known for certain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors.base import Components, Prior, as_points, check_factor, check_levels
from pufferfish.core.numerics import log_sum_exp
from pufferfish.core.validation import (
    FloatArray,
    check_probabilities,
    finite,
    finite_array,
    require,
)

__all__ = ["Discrete"]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Discrete(Prior):
    """P(X = values[k]) = probabilities[k].

    Kept as sorted arrays that cannot be written to: equal values are merged, those of probability
    0 dropped. 100,000 atoms are normal; every method is O(n log n) or better.
    """

    values: FloatArray
    probabilities: FloatArray

    def __init__(
        self,
        values: Sequence[float] | FloatArray,
        probabilities: Sequence[float] | FloatArray,
    ) -> None:
        """Refuse an empty table, lengths that differ, probabilities that do not sum to one."""
        given = finite_array("values", values) + 0.0  # turns −0.0 into 0.0
        shares = check_probabilities("probabilities", probabilities)
        require(
            given.size == shares.size,
            "values and probabilities must have one entry per atom, got "
            f"{given.size} and {shares.size}.",
        )
        atoms, position = np.unique(given, return_inverse=True)
        masses = np.bincount(position, weights=shares)
        kept = masses > 0
        for name, array in (("values", atoms[kept]), ("probabilities", masses[kept])):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_counts(cls, counts: Mapping[Any, float]) -> Self:
        """The table of how often each value occurs: {value: count}."""
        require(
            isinstance(counts, Mapping),
            "counts must map each value to how often it occurs; for a column of values write "
            "Discrete.from_counts(collections.Counter(column)).",
        )
        frequencies = finite_array("counts", list(counts.values()))
        require(bool((frequencies >= 0).all()), "counts must not be negative.")
        total = math.fsum(frequencies)
        require(total > 0, "counts must not all be 0.")
        return cls(list(counts), frequencies / total)

    def components(self) -> Components:
        """One component of std 0 for each atom."""
        return Components(self.probabilities, self.values, np.zeros_like(self.values))

    @property
    def mean(self) -> float:
        """EX."""
        return float(self.probabilities @ self.values)

    @property
    def variance(self) -> float:
        """E(X − EX)²."""
        return float(self.probabilities @ (self.values - self.mean) ** 2)

    def mass(self, x: npt.ArrayLike) -> FloatArray:
        """P(X = x)."""
        points = as_points(x)
        position = np.minimum(np.searchsorted(self.values, points), self.values.size - 1)
        return np.where(self.values[position] == points, self.probabilities[position], 0.0)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """P(X ≤ x)."""
        sums = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        return np.asarray(sums[np.searchsorted(self.values, as_points(x), side="right")])

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        """P(X > x), summed from the right."""
        sums = np.concatenate([np.cumsum(self.probabilities[::-1])[::-1], [0.0]])
        return np.asarray(sums[np.searchsorted(self.values, as_points(x), side="right")])

    def quantile(self, level: npt.ArrayLike) -> FloatArray:
        """The smallest atom x with P(X ≤ x) ≥ level."""
        position = np.searchsorted(np.cumsum(self.probabilities), check_levels(level))
        return np.asarray(self.values[np.minimum(position, self.values.size - 1)])

    def log_mgf(self, t: float) -> float:
        """log Σ_k p_k e^{t x_k}."""
        return float(log_sum_exp(np.log(self.probabilities) + self.values * t))

    def shift(self, offset: float) -> Self:
        """The law of X + offset."""
        return type(self)(self.values + finite("offset", offset), self.probabilities)

    def scale(self, factor: float) -> Self:
        """The law of factor·X."""
        return type(self)(self.values * check_factor(factor), self.probabilities)

    def __reduce__(self) -> tuple[type[Self], tuple[FloatArray, FloatArray]]:
        """Rebuild, so that a copy's arrays cannot be written to either."""
        return type(self), (self.values, self.probabilities)

    def __eq__(self, other: object) -> bool:
        """The same atoms with the same probabilities."""
        if not isinstance(other, Discrete):
            return NotImplemented
        return np.array_equal(self.values, other.values) and np.array_equal(
            self.probabilities, other.probabilities
        )

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash((self.values.tobytes(), self.probabilities.tobytes()))

    def __repr__(self) -> str:
        """Short for a long table."""
        if self.values.size > 8:
            return f"Discrete({self.values.size} values)"
        return (
            f"Discrete(values={self.values.tolist()}, probabilities={self.probabilities.tolist()})"
        )
