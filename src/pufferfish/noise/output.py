"""The law of the published value, Y = X + N, in closed form.

It has one of three shapes:

- `MixtureOutput`: Gaussian components with Laplace noise, with Gaussian noise, or with none;
  also a table with Gaussian noise. A mixture of log-concave kernels.
- `TableOutput`: a table (`Discrete`) with Laplace noise. Between neighbouring atoms its density is
  A·e^{y/b} + B·e^{−y/b}; recurrences along the sorted atoms give all A and B in O(n).
- `AtomsOutput`: a table with no noise, which has masses and no density.

These are the continuous laws, without the grid of a noise law; `exact.grid` says what the grid
costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Components, Discrete, Prior
from pufferfish.beliefs.priors.base import as_points
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import log_sum_exp
from pufferfish.core.validation import FloatArray

if TYPE_CHECKING:
    from pufferfish.noise.base import AdditiveLaw
    from pufferfish.noise.laws import LaplaceNoise

__all__ = ["AtomsOutput", "MixtureOutput", "OutputLaw", "TableOutput", "output_law"]


class OutputLaw(ABC):
    """The law of Y = X + N for one prior and one noise law."""

    @abstractmethod
    def log_density(self, y: npt.ArrayLike) -> FloatArray:
        """log of the density of Y at y; keeps its relative accuracy in the far tails."""

    @abstractmethod
    def cdf(self, y: npt.ArrayLike) -> FloatArray:
        """P(Y ≤ y)."""

    @abstractmethod
    def survival(self, y: npt.ArrayLike) -> FloatArray:
        """P(Y > y), not computed as 1 − cdf."""


class MixtureOutput(OutputLaw):
    """Σ_m w_m · kernel_m: see `kernels` for the two kernels."""

    def __init__(self, components: Components, noise: AdditiveLaw) -> None:
        """Make the kernel; components may have std 0 (atoms) only with Gaussian noise."""
        self.components = components
        self.noise = noise
        self.log_weights: FloatArray = np.log(components.weights)[:, None]
        self.kernel = noise.kernel(components)

    def log_density(self, y: npt.ArrayLike) -> FloatArray:
        """log Σ_m w_m f_m(y)."""
        points = as_points(y)
        log_f, _ = self.kernel.density_and_score(points.reshape(-1))
        return log_sum_exp(log_f + self.log_weights).reshape(points.shape)

    def cdf(self, y: npt.ArrayLike) -> FloatArray:
        """Σ_m w_m F_m(y)."""
        return self._tail(y, 0)

    def survival(self, y: npt.ArrayLike) -> FloatArray:
        """Σ_m w_m (1 − F_m(y)), each term with its own digits."""
        return self._tail(y, 1)

    def log_tails(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Per component, log P(Y ≤ y) and log P(Y > y)."""
        small, z = self.kernel.log_tail(y)
        large = np.log1p(-np.exp(small))
        return np.where(z < 0, small, large), np.where(z < 0, large, small)

    def _tail(self, y: npt.ArrayLike, side: int) -> FloatArray:
        points = as_points(y)
        inside = np.isfinite(points)
        tails = self.log_tails(np.where(inside, points, 0.0).reshape(-1))
        mass = np.asarray(self.components.weights @ np.exp(tails[side])).reshape(points.shape)
        beyond = np.where(points > 0, 1.0 - side, float(side))
        return np.where(inside, mass, beyond)


class TableOutput(OutputLaw):
    """Atoms with Laplace noise, by recurrences along the sorted atoms.

    `log_left[k]` = log Σ_{i≤k} w_i e^{−(x_k−x_i)/b} and `log_right[k]` = log Σ_{i≥k}
    w_i e^{−(x_i−x_k)/b}; each sum holds its own atom, so neither underflows.
    """

    def __init__(self, table: Discrete, noise: LaplaceNoise) -> None:
        """Run both recurrences, O(atoms)."""
        self.table = table
        self.noise = noise
        self.atoms = table.values
        decay = np.exp(-np.diff(self.atoms) / noise.scale)
        masses = table.probabilities
        self.log_left = _decaying_sum(masses, decay)
        self.log_right = _decaying_sum(masses[::-1], decay[::-1])[::-1]

    def sides(
        self, y: FloatArray, *, atom_counts_left: bool = True
    ) -> tuple[FloatArray, FloatArray]:
        """log of the parts of 2b·density(y) from the atoms on the left and on the right of y.

        An atom at y itself counts on the left (the limit from the right), or, with
        `atom_counts_left=False`, on the right (the limit from the left).
        """
        after = np.searchsorted(self.atoms, y, side="right" if atom_counts_left else "left")
        last = np.maximum(after - 1, 0)
        following = np.minimum(after, self.atoms.size - 1)
        b = self.noise.scale
        left = np.where(after > 0, self.log_left[last] - (y - self.atoms[last]) / b, -np.inf)
        right = np.where(
            after < self.atoms.size,
            self.log_right[following] - (self.atoms[following] - y) / b,
            -np.inf,
        )
        return left, right

    def log_density(self, y: npt.ArrayLike) -> FloatArray:
        """log of (left + right)/(2b)."""
        left, right = self.sides(as_points(y))
        return np.asarray(np.logaddexp(left, right) - np.log(2.0 * self.noise.scale))

    def cdf(self, y: npt.ArrayLike) -> FloatArray:
        """P(X ≤ y) − left/2 + right/2."""
        left, right = self.sides(as_points(y))
        return np.asarray(self.table.cdf(y) - 0.5 * np.exp(left) + 0.5 * np.exp(right))

    def survival(self, y: npt.ArrayLike) -> FloatArray:
        """P(X > y) + left/2 − right/2."""
        left, right = self.sides(as_points(y))
        return np.asarray(self.table.survival(y) + 0.5 * np.exp(left) - 0.5 * np.exp(right))


class AtomsOutput(OutputLaw):
    """A table released as it is."""

    def __init__(self, table: Discrete) -> None:
        """The law of Y is the law of X."""
        self.table = table

    def log_density(self, y: npt.ArrayLike) -> FloatArray:
        """Refused: a table has no density."""
        raise UnsupportedError("a table without noise has masses, not a density; use table.mass.")

    def cdf(self, y: npt.ArrayLike) -> FloatArray:
        """P(X ≤ y)."""
        return self.table.cdf(y)

    def survival(self, y: npt.ArrayLike) -> FloatArray:
        """P(X > y)."""
        return self.table.survival(y)


def output_law(prior: Prior, noise: AdditiveLaw) -> OutputLaw:
    """The law of X + N if X follows `prior` and N follows `noise` without its grid."""
    return noise.output(prior)


def _decaying_sum(masses: FloatArray, decay: FloatArray) -> FloatArray:
    """log of s_k = s_{k−1}·decay_{k−1} + masses_k; a prefix sum of e^{x/b} would overflow."""
    steps = zip(decay.tolist(), masses[1:].tolist(), strict=True)
    sums = accumulate(
        steps, lambda total, step: total * step[0] + step[1], initial=float(masses[0])
    )
    return np.log(np.fromiter(sums, dtype=np.float64, count=masses.size))
