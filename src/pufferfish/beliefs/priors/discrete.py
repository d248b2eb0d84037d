"""Finitely supported priors: the empirical table of a column, or a value known for certain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors.base import Components, Prior, as_points, check_factor, check_levels
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.numerics import log_sum_exp
from pufferfish.core.validation import (
    FloatArray,
    check_probabilities,
    finite,
    finite_array,
    require,
)

__all__ = ["AGREEMENT", "TOO_MANY", "Discrete"]

# Counts with a sum below this are exact as floats, and so are all their sums.
TOO_MANY = 2**53
# The relative difference permitted between given probabilities and those that counts imply.
AGREEMENT = 1e-12


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Discrete(Prior):
    """P(X = values[k]) = probabilities[k].

    Kept as sorted arrays that cannot be written to: equal values are merged, those of probability
    0 dropped. 100,000 atoms are normal; every method is O(n log n) or better.

    Attributes:
        values: The atoms.
        probabilities: How likely each is.
        counts: How often each occurs in the table that was counted, so that P(X = values[k]) is
            exactly counts[k] divided by their sum; None for a law that was not counted. Two laws
            with the same probabilities are equal, whatever their counts.
    """

    values: FloatArray
    probabilities: FloatArray
    counts: npt.NDArray[np.int64] | None

    def __init__(
        self,
        values: Sequence[float] | FloatArray,
        probabilities: Sequence[float] | FloatArray | None = None,
        *,
        counts: Sequence[int] | npt.NDArray[np.integer] | FloatArray | None = None,
    ) -> None:
        """Refuse an empty table, lengths that differ, probabilities that do not sum to one.

        Args:
            values: The atoms, in any order.
            probabilities: How likely each is; may be left out where there are counts, and must
                agree with them otherwise.
            counts: Whole numbers with a sum below 2⁵³.
        """
        given = finite_array("values", values) + 0.0  # turns −0.0 into 0.0
        if counts is not None:
            weights = finite_array("counts", counts)
            require(_countable(weights), "counts must be whole numbers, their sum below 2⁵³.")
            if probabilities is not None:
                _refuse_disagreement(check_probabilities("probabilities", probabilities), weights)
        elif probabilities is not None:
            weights = check_probabilities("probabilities", probabilities)
        else:
            raise InvalidInputError("a table needs probabilities, or counts=.")
        require(
            given.size == weights.size,
            f"values and {'probabilities' if counts is None else 'counts'} must have one entry per "
            f"atom, got {given.size} and {weights.size}.",
        )
        atoms, position = np.unique(given, return_inverse=True)
        masses = np.bincount(position, weights=weights)
        atoms, masses = atoms[masses > 0], masses[masses > 0]
        whole = None if counts is None else masses.astype(np.int64)
        shares = masses if counts is None else masses / masses.sum()
        for name, array in (("values", atoms), ("probabilities", shares), ("counts", whole)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def from_counts(cls, counts: Mapping[Any, float]) -> Self:
        """The table of how often each value occurs: {value: count}.

        Weights that are not whole numbers are accepted too; the law then has no `counts`.
        """
        require(
            isinstance(counts, Mapping),
            "counts must map each value to how often it occurs; for a column of values write "
            "Discrete.from_counts(collections.Counter(column)).",
        )
        frequencies = finite_array("counts", list(counts.values()))
        require(bool((frequencies >= 0).all()), "counts must not be negative.")
        total = math.fsum(frequencies)
        require(total > 0, "counts must not all be 0.")
        if _countable(frequencies):
            return cls(list(counts), counts=frequencies)
        return cls(list(counts), frequencies / total)

    @property
    def whole_weights(self) -> tuple[tuple[int, ...], int]:
        """Whole numbers w_k and their sum W: the law P(X = values[k]) = w_k/W, for exact work.

        They are the counts, where there are any. Otherwise each is a probability, which as a double
        is a fraction, times a power of two. The probabilities sum to 1 only up to rounding, so W is
        the sum of the whole numbers and not that power.
        """
        if self.counts is not None:
            weights = tuple(self.counts.tolist())
        else:
            ratios = [each.as_integer_ratio() for each in self.probabilities.tolist()]
            finest = max(power for _, power in ratios)
            weights = tuple(number * (finest // power) for number, power in ratios)
        return weights, sum(weights)

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
        return self._moved(self.values + finite("offset", offset))

    def scale(self, factor: float) -> Self:
        """The law of factor·X."""
        return self._moved(self.values * check_factor(factor))

    def _moved(self, values: FloatArray) -> Self:
        """The same masses at other values."""
        return type(self)(values, self.probabilities, counts=self.counts)

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[FloatArray]]:
        """Rebuild, so that a copy's arrays cannot be written to either."""
        masses = partial(type(self), probabilities=self.probabilities, counts=self.counts)
        return masses, (self.values,)

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


def _countable(weights: FloatArray) -> bool:
    """Whether these numbers are counts whose sums are all exact as floats."""
    return bool(
        (weights >= 0).all()
        and (weights == np.floor(weights)).all()
        and 0 < math.fsum(weights) < TOO_MANY
    )


def _refuse_disagreement(probabilities: FloatArray, counts: FloatArray) -> None:
    agree = probabilities.size == counts.size and np.allclose(
        probabilities * counts.sum(), counts, rtol=AGREEMENT, atol=0.0
    )
    require(agree, "probabilities must be the counts divided by their sum.")
