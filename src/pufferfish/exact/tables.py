"""Two tables: closed forms, with Laplace noise or with none, in O(n log n).

**Laplace noise.** Between neighbouring atoms of the union, a gap of length w·b, both densities are
sums of a left part falling as e^{−u} and a right part rising as e^{u−w}, 0 ≤ u ≤ w. So

    2b(p − e^ε q) = α·e^{−u} + β·e^{−(w−u)},   α = left_p − e^ε·left_q,  β = right_p − e^ε·right_q,

which has at most one root. If α > 0 > β its positive part integrates to α(1 − e^{−u*})² with
e^{w − 2u*} = −β/α (u* cut to [0, w]: at u* ≥ w the whole gap is positive); mirrored for β > 0 > α.
The ratio p/q is monotone on a gap and constant beyond the outer atoms, so sup log p/q is the
largest value *at the atoms*.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import KAPPA_ABSOLUTE, KAPPA_RELATIVE
from pufferfish.exact.enclosure import Enclosure
from pufferfish.noise import TableOutput

__all__ = ["LaplaceTables", "masses_hockey_stick", "masses_supremum"]


class _Sides(NamedTuple):
    """log of left and right parts at every atom of the union, each counting an atom there."""

    left: FloatArray
    right: FloatArray
    density: FloatArray
    margin: float

    def moved(self, log_part: FloatArray, side: float) -> FloatArray:
        """A bound on the part, above it (side +1) or below it (side −1)."""
        size = np.abs(np.where(np.isneginf(log_part), 0.0, log_part))
        return log_part + side * (self.margin + KAPPA_RELATIVE * size)


class LaplaceTables:
    """Two tables with the same Laplace noise."""

    def __init__(self, p: TableOutput, q: TableOutput) -> None:
        """Evaluate both laws at every atom of either."""
        atoms = np.union1d(p.atoms, q.atoms)
        self._gaps = np.diff(atoms) / p.noise.scale
        self._p = _sides(p, atoms)
        self._q = _sides(q, atoms)

    def swap(self) -> LaplaceTables:
        """The same for q/p."""
        other = object.__new__(LaplaceTables)
        other._gaps, other._p, other._q = self._gaps, self._q, self._p
        return other

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """HS_ε(P‖Q): the integral is increasing in every α and β, so their bounds bound it."""
        slack = 1.0 + 1e-13 + 4.0 * UNIT * self._gaps.size
        lower = self._integral(epsilon, -1.0) / slack
        upper = self._integral(epsilon, 1.0) * slack
        return Enclosure(lower, min(upper, 1.0))

    def supremum(self) -> Enclosure:
        """sup log p/q, at the atoms."""
        p, q = self._p, self._q
        lower = p.moved(p.density, -1.0) - q.moved(q.density, 1.0)
        upper = p.moved(p.density, 1.0) - q.moved(q.density, -1.0)
        return Enclosure(float(lower.max()), float(upper.max()))

    def _integral(self, epsilon: float, side: float) -> float:
        """½∫ of the positive part, every log-ratio moved to one side by its margin."""
        p, q = self._p, self._q
        log_alpha, alpha = _excess(p.moved(p.left, side), q.moved(q.left, -side), epsilon)
        log_beta, beta = _excess(p.moved(p.right, side), q.moved(q.right, -side), epsilon)
        outer = max(beta[0], 0.0) + max(alpha[-1], 0.0)
        alpha, log_alpha, beta, log_beta = alpha[:-1], log_alpha[:-1], beta[1:], log_beta[1:]
        w = self._gaps
        whole = (np.maximum(alpha, 0.0) + np.maximum(beta, 0.0)) * -np.expm1(-w)
        u = 0.5 * (w + np.where(alpha > 0, 1.0, -1.0) * (log_alpha - log_beta))
        rounding = 4.0 * UNIT * (w + np.abs(log_alpha) + np.abs(log_beta))
        u = np.clip(u + side * np.where(np.isfinite(rounding), rounding, 0.0), 0.0, w)
        larger = np.where(alpha > 0, alpha, beta)
        part = np.where(
            u < w,
            larger * np.expm1(-u) ** 2,
            np.maximum(alpha + beta, 0.0) * -np.expm1(-w),
        )
        mixed = (alpha > 0) != (beta > 0)
        both_negative = (alpha <= 0) & (beta <= 0)
        terms = np.where(both_negative, 0.0, np.where(mixed, part, whole))
        return 0.5 * (math.fsum(terms) + float(outer))


def _sides(law: TableOutput, atoms: FloatArray) -> _Sides:
    left, right_beyond = law.sides(atoms)
    _, right = law.sides(atoms, atom_counts_left=False)
    # One rounding per term of a recurrence.
    margin = KAPPA_ABSOLUTE + 4.0 * UNIT * law.atoms.size
    return _Sides(left, right, np.logaddexp(left, right_beyond), margin)


def _excess(log_p: FloatArray, log_q: FloatArray, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """log|x| and x of x = e^{log_p} − e^{ε + log_q}, without forming a huge e^ε."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = np.where(np.isneginf(log_p) & np.isneginf(log_q), 0.0, epsilon + log_q - log_p)
        gap = np.where(np.isneginf(log_p), np.inf, gap)
        positive = gap < 0
        larger = np.where(positive, log_p, epsilon + log_q)
        log_size = larger + np.log(-np.expm1(-np.abs(gap)))
        size = np.exp(np.minimum(log_size, 700.0))
    log_size = np.where(np.isneginf(log_p) & np.isneginf(log_q), -np.inf, log_size)
    return log_size, np.where(positive, size, np.where(np.isneginf(log_size), 0.0, -size))


def masses_hockey_stick(p: Discrete, q: Discrete, epsilon: float) -> Enclosure:
    """Σ_x (p(x) − e^ε q(x))_+, for two tables released as they are."""
    log_p, log_q = _log_masses(p, q)
    kept = log_p > -np.inf
    gap = epsilon + (log_q - log_p)[kept]
    masses = p.probabilities
    log_p = log_p[kept]
    error = _log_error(log_p, log_q[kept]) + 4.0 * UNIT * (1.0 + abs(epsilon))

    def total(side: float) -> float:
        return math.fsum(masses * -np.expm1(np.minimum(gap - side * error, 0.0)))

    slack = 1.0 + 8.0 * UNIT
    return Enclosure(total(-1.0) / slack, min(total(1.0) * slack, 1.0))


def masses_supremum(p: Discrete, q: Discrete) -> Enclosure:
    """max log p(x)/q(x) over the atoms of p; infinite if q lacks one of them."""
    log_p, log_q = _log_masses(p, q)
    kept = log_p > -np.inf
    ratio, error = (log_p - log_q)[kept], _log_error(log_p[kept], log_q[kept])
    return Enclosure(float((ratio - error).max()), float((ratio + error).max()))


def _log_error(log_p: FloatArray, log_q: FloatArray) -> FloatArray:
    """A bound on the error of a difference of two logarithms of masses."""
    size = np.abs(log_p) + np.where(np.isfinite(log_q), np.abs(log_q), 0.0)
    return 4.0 * UNIT * (2.0 + size)


def _log_masses(p: Discrete, q: Discrete) -> tuple[FloatArray, FloatArray]:
    atoms = np.union1d(p.values, q.values)
    with np.errstate(divide="ignore"):
        return np.log(p.mass(atoms)), np.log(q.mass(atoms))
