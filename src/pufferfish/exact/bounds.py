"""Laws of Y as the oracle needs them: values at points, and bounds on whole cells.

For a cell [l, r] between two evaluated points a law has an interval that holds its score (d/dy log
density) everywhere in the cell, and an interval that holds its mass. Scores:

- **Mixtures.** Each component is log-concave, so on the cell its score lies between its values at r
  and at l; the mixture's score is a weighted mean of its components' scores and lies between their
  extremes. Components that cannot matter in the cell (below e^{−37}/m of the rest everywhere in it)
  are left out: together they change log p by less than 1e-16, which is part of the margin.
- **Tables** with Laplace noise. Between neighbouring atoms the density is A·e^{y/b} + B·e^{−y/b},
  log-convex, so its score lies between its one-sided values at l and at r. The atoms must be ends
  of cells, so `features` has them.

Every computed log-density is within `margin` of the truth: docs/theory/certificate.md, section
"Floating point".
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import UNIT, log_sum_exp
from pufferfish.core.validation import FloatArray
from pufferfish.exact.lines import Interval
from pufferfish.noise import LaplaceNoise, MixtureOutput, TableOutput

__all__ = ["BoundedLaw", "MixtureBounds", "TableBounds", "finite_kappa", "log_mean_exp"]

# The stated error κ of a computed log-density: absolute part, and part per unit of |log density|.
# Measured against 60-digit arithmetic: at most 3e-15·(1 + |log density|) (tests/noise).
KAPPA_ABSOLUTE = 1e-13
KAPPA_RELATIVE = 4e-15
# log of the share below which a component cannot matter (times the number of components).
_NEGLIGIBLE = -37.0
_SCORE_SLACK = 1e-13
# The largest number of (component, point) values in memory.
_LARGEST_TABLE = 5_000_000

_CORE = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0, 9.5])
_TAIL = np.array([0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 30.0, 45.0])
_FAR = np.array([0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.5])


class BoundedLaw(ABC):
    """A law of Y with bounds on cells; `rows` hold what the law keeps of each point."""

    @abstractmethod
    def features(self) -> FloatArray:
        """Points that resolve the law: between the first and last lies all but 1e-19 of it."""

    @abstractmethod
    def far_features(self) -> FloatArray:
        """Further points, where the log-density is still curved although no mass is left."""

    @abstractmethod
    def at(self, y: FloatArray) -> FloatArray:
        """Rows of data at each point, shape (rows, points)."""

    @abstractmethod
    def log_density(self, rows: FloatArray) -> FloatArray:
        """log density at the points of `rows`."""

    @abstractmethod
    def score(self, rows: FloatArray) -> FloatArray:
        """d/dy log density at the points of `rows`, as a number to steer by, not a bound."""

    @abstractmethod
    def score_bounds(self, left: FloatArray, right: FloatArray, width: FloatArray) -> Interval:
        """An interval for the score on each cell, from the rows of its two ends and its width."""

    @abstractmethod
    def log_mass(self, left: FloatArray, right: FloatArray) -> Interval:
        """log of bounds on P(left < Y ≤ right) for disjoint increasing intervals."""

    @abstractmethod
    def tail_mass(self, first: float, last: float) -> float:
        """An upper bound on P(Y ≤ first) + P(Y > last)."""

    def margin(self, rows: FloatArray, log_density: FloatArray) -> FloatArray:
        """κ at the points of `rows`: a bound on the error of `log_density`."""
        return kappa(log_density)


def kappa(log_value: FloatArray) -> FloatArray:
    """A bound on the error of the logarithm of a computed density or tail."""
    return KAPPA_ABSOLUTE + KAPPA_RELATIVE * np.abs(log_value)


class MixtureBounds(BoundedLaw):
    """Bounds for a mixture of log-concave kernels."""

    def __init__(self, law: MixtureOutput) -> None:
        """Evaluate each component at its own mean, where it is largest."""
        self._law = law
        self._count = law.components.weights.size
        self.means, self.stds = law.components.means, law.components.stds
        self.log_weights = law.log_weights
        self.score_slack = law.kernel.score_slack
        self._peak = law.kernel.log_peak() + law.log_weights
        # One rounding per term of a sum, and one of a norm that may cancel the rest.
        self._rounding = self._count * UNIT + KAPPA_RELATIVE * float(
            np.max(np.abs(law.kernel.log_norm))
        )
        self._threshold = _NEGLIGIBLE - np.log(self._count)

    def features(self) -> FloatArray:
        """Each mean, and around it multiples of the std and of the noise's scale."""
        means, stds = self.means, self.stds
        noise = self._law.noise
        if isinstance(noise, LaplaceNoise):
            steps = [stds[:, None] * _CORE]
            b = noise.scale
            steps.append(np.where(b * _TAIL > stds[:, None], b * _TAIL, 0.0))
            steps.append(9.5 * stds[:, None] + 45.0 * b)
            offsets = np.concatenate(steps, axis=1)
        else:
            spread = self._kernel_stds()
            offsets = spread[:, None] * _CORE
            low, high = float((means - offsets[:, -1]).min()), float((means + offsets[:, -1]).max())
            # Many atoms overlap under wide Gaussian noise: one even mesh serves all of them.
            even = 3.0 * (high - low) / float(spread.min())
            if even < offsets.size:
                return self._checked(np.linspace(low, high, max(int(even), 2)))
        points = (means[:, None] + np.stack([offsets, -offsets])).reshape(-1)
        return self._checked(points)

    def far_features(self) -> FloatArray:
        """With Laplace noise, points around μ ± σ²/b, where the score reaches ∓1/b."""
        means, stds = self.means, self.stds
        noise = self._law.noise
        if not isinstance(noise, LaplaceNoise):
            return np.array([])
        reach = stds * (stds / noise.scale)
        offsets = np.concatenate(
            [reach[:, None] * _FAR, reach[:, None] + stds[:, None] * np.array([4.0, 10.0])], axis=1
        )
        return np.asarray(means[:, None] + np.stack([offsets, -offsets])).reshape(-1)

    def at(self, y: FloatArray) -> FloatArray:
        """Per component, weighted log-density, then score."""
        log_f, scores = self._law.kernel.density_and_score(y)
        return np.concatenate([log_f + self.log_weights, scores])

    def parts(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weighted log-density and score of each component, from rows."""
        return rows[: self._count], rows[self._count : 2 * self._count]

    def sizes(self, rows: FloatArray) -> FloatArray:
        """The size to which the rounding of each component's log-density is proportional."""
        return np.abs(rows[: self._count])

    def margin(self, rows: FloatArray, log_density: FloatArray) -> FloatArray:
        """κ, with the rounding of a sum of as many terms as there are components."""
        return super().margin(rows, log_density) + self._rounding

    def log_density(self, rows: FloatArray) -> FloatArray:
        """log Σ_m w_m f_m."""
        log_f, _ = self.parts(rows)
        return log_sum_exp(log_f)

    def score(self, rows: FloatArray) -> FloatArray:
        """Σ_m w_m f_m s_m / Σ_m w_m f_m."""
        log_f, scores = self.parts(rows)
        return _mean_score(log_f, scores, np.True_)

    def score_bounds(self, left: FloatArray, right: FloatArray, width: FloatArray) -> Interval:
        """Extremes of the component scores that matter in the cell, sharpened by the mean value.

        With r_m the share of component m in the density, score' = Σ r_m s_m' + Var_r(s_m), where
        s_m' ≤ 0. Along the cell the first part therefore takes away at most Σ_m (s_m(l) − s_m(r)),
        and the second adds at most width·(range of the s_m)²/4: from either end a bound that
        closes in as the cell shrinks, as the extremes alone do not.
        """
        log_left, score_left = self.parts(left)
        log_right, score_right = self.parts(right)
        holds_mean = (score_left > 0) & (score_right < 0)
        highest = np.where(holds_mean, self._peak, np.maximum(log_left, log_right))
        # A log-concave function is smallest at an end of the cell.
        floor = np.minimum(log_left, log_right).max(axis=0)
        doubt = np.maximum(
            self.margin(left, log_left.max(axis=0)), self.margin(right, log_right.max(axis=0))
        )
        matters = highest >= floor + self._threshold - 2.0 * doubt
        size = np.maximum(np.abs(score_left), np.abs(score_right))
        slack = np.where(matters, _SCORE_SLACK * size + self.score_slack, 0.0)
        upper = np.where(matters, score_left + slack, -np.inf).max(axis=0)
        lower = np.where(matters, score_right - slack, np.inf).min(axis=0)
        if self._count == 1:
            return Interval(lower, upper)
        # Shares are quotients of densities, with the same relative errors.
        slack = slack.max(axis=0) + 4.0 * doubt * (upper - lower)
        lost = np.where(matters, score_left - score_right, 0.0).sum(axis=0) + self._count * slack
        gained = width * (upper - lower) ** 2 / 4.0 * (1.0 + 1e-12)
        at_left = _mean_score(log_left, score_left, matters)
        at_right = _mean_score(log_right, score_right, matters)
        return Interval(
            np.maximum(lower, np.maximum(at_left - lost, at_right - gained) - slack),
            np.minimum(upper, np.minimum(at_left + gained, at_right + lost) + slack),
        )

    def log_mass(self, left: FloatArray, right: FloatArray) -> Interval:
        """For each component the better of two enclosures: difference of tails, and log-concavity.

        A difference of tails T(l) − T(r) is exact but for rounding, about κ·T(l), which ruins it on
        a cell much narrower than the law. There, log-concavity helps: the density lies above its
        log-linear chord and below its tangents at the two ends.
        """
        upper_side = 0.5 * (left + right) >= self.means[:, None]
        ends = np.concatenate([left, right])
        below, above = self._law.log_tails(ends)
        count = left.size
        below_left, below_right = below[:, :count], below[:, count:]
        above_left, above_right = above[:, :count], above[:, count:]
        # The tails on the side away from the mean: the tail of the nearer end contains the other.
        near = np.where(upper_side, above_left, below_right) + self.log_weights
        far = np.where(upper_side, above_right, below_left) + self.log_weights
        error = finite_kappa(near) + self._rounding
        with np.errstate(divide="ignore", invalid="ignore"):
            share = -np.expm1(far - near)
            tails_low = near + np.log(np.maximum(share - 4.0 * error, 0.0))
            tails_high = near + np.log(share + 4.0 * error)
        empty = np.isneginf(near)
        tails_low, tails_high = (np.where(empty, -np.inf, t) for t in (tails_low, tails_high))
        width = right - left
        rows = self.at(ends)
        log_left, score_left = self.parts(rows[:, :count])
        log_right, score_right = self.parts(rows[:, count:])
        error = finite_kappa(np.minimum(log_left, log_right)) + self._rounding + 1e-13
        chord = np.maximum(log_left, log_right) + log_mean_exp(-np.abs(log_left - log_right))
        tangent = np.minimum(
            log_left + log_mean_exp(score_left * width),
            log_right + log_mean_exp(-score_right * width),
        )
        # A bound that overflowed is nan, and the other one is used.
        low = np.fmax(tails_low, chord + np.log(width) - error)
        high = np.fmin(tails_high, tangent + np.log(width) + error)
        return Interval(log_sum_exp(low), log_sum_exp(high))

    def tail_mass(self, first: float, last: float) -> float:
        """Both half-lines, by the components' own tails, with a rounding allowance."""
        below, above = np.exp(self._law.log_tails(np.array([first, last])))
        return float(self._law.components.weights @ (below[:, 0] + above[:, 1])) * (1.0 + 1e-9)

    def _kernel_stds(self) -> FloatArray:
        return np.sqrt(self.stds**2 + self._law.noise.variance)

    def _checked(self, points: FloatArray) -> FloatArray:
        if points.size * self._count > _LARGEST_TABLE:
            raise UnsupportedError(
                f"{self._count} components need more than {_LARGEST_TABLE:,} evaluations on one "
                "mesh. Merge neighbouring ones first; a table (pf.Discrete) with Laplace noise has "
                "a closed form at any size."
            )
        return points


class TableBounds(BoundedLaw):
    """Bounds for atoms with Laplace noise; rows are log-left and log-right, from both sides."""

    def __init__(self, law: TableOutput) -> None:
        """Keep the law; its recurrences add up to `atoms` rounded terms."""
        self._law = law
        self._log_norm = float(np.log(2.0 * law.noise.scale))
        # One rounding per term of a recurrence, and that of a norm which may cancel the rest.
        self._kappa_sum = 4.0 * law.atoms.size * UNIT + KAPPA_RELATIVE * abs(self._log_norm)

    def features(self) -> FloatArray:
        """The atoms (kinks of the density), and multiples of the scale beyond the outer ones."""
        reach = self._law.noise.scale * _TAIL
        return np.concatenate(
            [self._law.atoms, self._law.atoms[0] - reach, self._law.atoms[-1] + reach]
        )

    def far_features(self) -> FloatArray:
        """None: beyond the outer atoms the law is exponential."""
        return np.array([])

    def at(self, y: FloatArray) -> FloatArray:
        """log of left and right parts, as limits from the right, then from the left."""
        return np.stack(self._law.sides(y) + self._law.sides(y, atom_counts_left=False))

    def log_density(self, rows: FloatArray) -> FloatArray:
        """log of (left + right)/(2b)."""
        return np.asarray(np.logaddexp(rows[0], rows[1]) - self._log_norm)

    def score(self, rows: FloatArray) -> FloatArray:
        """(right − left)/(right + left)/b, seen from the right."""
        return self._score(rows[0], rows[1])

    def score_bounds(self, left: FloatArray, right: FloatArray, width: FloatArray) -> Interval:
        """Between atoms the score rises from its right limit at l to its left limit at r."""
        return Interval(
            self._score(left[0], left[1]) - self._score_error(left[0], left[1]),
            self._score(right[2], right[3]) + self._score_error(right[2], right[3]),
        )

    def log_mass(self, left: FloatArray, right: FloatArray) -> Interval:
        """Σ over gaps between atoms of (left(l+) + right(r−))·(1 − e^{−h/b})/2: no differences."""
        atoms = self._law.atoms
        inside = atoms[(atoms > left[0]) & (atoms < right[-1])]
        points = np.unique(np.concatenate([left, right, inside]))
        rows = self.at(points)
        share = np.log(-np.expm1(-np.diff(points) / self._law.noise.scale)) - np.log(2.0)
        gaps = np.logaddexp(rows[0, :-1], rows[3, 1:]) + share
        begins, ends = np.searchsorted(points, left), np.searchsorted(points, right)
        slices = np.column_stack([begins, ends]).reshape(-1)
        # The last index closes the last slice; every second slice is the space between intervals.
        sums = np.logaddexp.reduceat(np.append(gaps, -np.inf), slices)[::2]
        error = finite_kappa(sums) + self._kappa_sum + gaps.size * UNIT
        return Interval(sums - error, sums + error)

    def tail_mass(self, first: float, last: float) -> float:
        """Both half-lines, by cdf and survival, with a rounding allowance."""
        mass = self._law.cdf(first) + self._law.survival(last)
        return float(mass) * (1.0 + 1e-9)

    def margin(self, rows: FloatArray, log_density: FloatArray) -> FloatArray:
        """κ, with the rounding of a sum of as many terms as there are atoms."""
        return super().margin(rows, log_density) + self._kappa_sum

    def _score(self, log_left: FloatArray, log_right: FloatArray) -> FloatArray:
        return np.tanh(0.5 * (log_right - log_left)) / self._law.noise.scale

    def _score_error(self, log_left: FloatArray, log_right: FloatArray) -> FloatArray:
        """tanh is 1-Lipschitz, and ±1 to all digits where one side outweighs the other by e^100."""
        larger, smaller = np.maximum(log_left, log_right), np.minimum(log_left, log_right)
        error = 2.0 * kappa(larger) + self._kappa_sum
        error = np.where(smaller < larger - 100.0 * (1.0 + error), 2.0 * UNIT, error)
        return np.asarray(error / self._law.noise.scale)


def finite_kappa(log_value: FloatArray) -> FloatArray:
    """κ, but nothing for a zero: its logarithm is known."""
    return kappa(np.where(np.isneginf(log_value), 0.0, log_value))


def _mean_score(
    log_f: FloatArray, scores: FloatArray, matters: npt.NDArray[np.bool_] | np.bool_
) -> FloatArray:
    """Σ f_m s_m / Σ f_m over the components that matter."""
    share = np.where(matters, np.exp(log_f - log_f.max(axis=0)), 0.0)
    return np.asarray((share * scores).sum(axis=0) / share.sum(axis=0))


def log_mean_exp(x: FloatArray) -> FloatArray:
    """log of the mean of e^{xu} over 0 ≤ u ≤ 1, that is log((e^x − 1)/x)."""
    size = np.abs(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        general = np.log(-np.expm1(-size) / size)
    return np.maximum(x, 0.0) + np.where(size < 1e-8, -0.5 * size, general)
