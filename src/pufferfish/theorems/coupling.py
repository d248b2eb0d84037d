"""`coupling`: what a coupling of the two priors proves about one release with Laplace noise.

For any coupling (X, X') of two priors

    HS_ε(P_i‖P_j) ≤ E( 1 − e^{(ε − |X−X'|/b)/2} )_+ ≤ P( |X − X'| > εb ),

in both orders, and the log-ratio never exceeds sup|X − X'|/b. `thm-1` is the union bound of the
last form for two Gaussians; the first form is the sharpest. It holds for *every* plan between the
components of two mixtures, which repairs `thm-2`. The best of the couplings that are known for a
pair counts:

- two Gaussians: Monge's map, |X − X'| a folded normal, in closed form;
- mixtures: the plan of least loss (again a linear program), and the comonotone coupling;
- any laws: the comonotone coupling;
- δ = 0: components moved onto ones of the same shape, so that |X − X'| is bounded.

Laws within W_∞ ≤ r of the believed ones are coupled in the same way, 2r further apart.

Proofs: docs/theory/coupling.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import erfcx, ndtr

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Components, Gaussian, Prior
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import FAINTEST, UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact import Enclosure
from pufferfish.exact.published import delta_of_published, epsilon_of_published
from pufferfish.exact.search import describe, log_excess
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise
from pufferfish.transport import (
    COARSE,
    KNOTS,
    Displacement,
    MongeMap,
    bounded_displacement,
    comonotone,
    least_cost_plan,
    mixture_plan,
    plan_displacement,
)

__all__ = [
    "delta_upper",
    "displacements",
    "epsilon_upper",
    "loss_upper",
    "refuse_unbounded",
    "shortfall",
]

_SQRT_HALF = math.sqrt(0.5)
# The absolute error of one piece of the loss, as a share of the probability of that piece.
_PIECE_ERROR = 1e-12
# The product of the components of two mixtures up to which a plan is made for every scale tried.
_MOST_ARCS = 10_000


def shortfall(laws: PairOfLaws, noise: Noise, goal: Guarantee) -> float:
    """How much the bound exceeds the goal, as a logarithm: at most 0 if the promise is kept."""
    if isinstance(noise, GaussianNoise):
        raise UnsupportedError("coupling bounds are about Laplace noise.")
    if goal.pure:
        return log_excess(epsilon_upper(laws, noise), goal.epsilon)
    # One of many pairs decides; a coarse bound is enough to rule out the others.
    found = _delta_upper(laws, noise, goal.epsilon, _coarse_loss)
    if found > goal.delta:
        found = delta_upper(laws, noise, goal.epsilon)
    return log_excess(found, goal.delta)


def delta_upper(laws: PairOfLaws, noise: LaplaceNoise | NoNoise, epsilon: float) -> float:
    """An upper bound of δ at ε of one release, in both directions, with holes and grid."""
    return _delta_upper(laws, noise, epsilon, _least_loss)


# For a pair, an ε ≥ 0 and a scale: an upper bound of HS_ε of X + N.
_Loss = Callable[[PairOfLaws, float, float], float]


def _delta_upper(
    laws: PairOfLaws, noise: LaplaceNoise | NoNoise, epsilon: float, loss: _Loss
) -> float:
    scale = noise.scale if isinstance(noise, LaplaceNoise) else 0.0

    def hockey_stick(inner: float) -> Enclosure:
        if laws.radius > 0.0:
            inner -= 2.0 * laws.radius / scale * (1.0 + 2.0**-50) if scale else math.inf
        # The lemma is about ε ≥ 0. Unequal holes can leave a negative ε; then nothing is claimed.
        return Enclosure(0.0, loss(laws, inner, scale) if inner >= 0.0 else 1.0)

    first, second = laws.missing_first, laws.missing_second
    return max(
        delta_of_published(noise, first, second, epsilon, hockey_stick).upper,
        delta_of_published(noise, second, first, epsilon, hockey_stick).upper,
    )


def epsilon_upper(laws: PairOfLaws, noise: LaplaceNoise | NoNoise) -> float:
    """An upper bound of ε* of one release, both directions, with holes and grid: sup|X − X'|/b."""
    bounded = _bound(laws.first, laws.second)
    if bounded is None:
        ratio = math.inf
    else:
        reach = bounded.reach
        if laws.radius > 0.0:
            reach = math.nextafter(reach + 2.0 * laws.radius, math.inf)
        if isinstance(noise, LaplaceNoise):
            ratio = reach / noise.scale * (1.0 + 2.0**-52) + bounded.charge
        else:
            ratio = bounded.charge if reach == 0.0 else math.inf
    first, second = laws.missing_first, laws.missing_second
    supremum = Enclosure(-math.inf, ratio)
    return max(
        epsilon_of_published(noise, first, second, supremum).upper,
        epsilon_of_published(noise, second, first, supremum).upper,
    )


def refuse_unbounded(laws: PairOfLaws, goal: Guarantee) -> None:
    """Refuse pairs for which no coupling keeps X and X' within some distance, up to δ."""
    if _bound(laws.first, laws.second) is not None:
        return
    known = () if goal.pure else displacements(laws.first, laws.second, COARSE)
    if not any(math.isfinite(each.quantile_upper(goal.delta)) for each in known):
        but_for = f", except with probability {goal.delta_text}" if goal.delta else ""
        raise UnsupportedError(
            f"no coupling known for {describe(laws)} keeps the two values within a fixed distance"
            f"{but_for}, so none proves {goal}. Use the method exact, which needs no coupling, or "
            "a larger δ."
        )


@lru_cache(maxsize=16)
def _bound(first: Prior, second: Prior) -> Displacement | None:
    return bounded_displacement(first, second)


@lru_cache(maxsize=8)
def displacements(first: Prior, second: Prior, knots: int = KNOTS) -> tuple[Displacement, ...]:
    """|X − X'| under each coupling that is known for two priors, for any ε and b."""
    found = []
    bounded = _bound(first, second)
    if bounded is not None:
        found.append(bounded)
    p, q = first.components(), second.components()
    if p.stds.all() and q.stds.all():
        if p.weights.size == q.weights.size == 1:
            alone = (Gaussian(float(law.means[0]), float(law.stds[0])) for law in (p, q))
            return (*found, MongeMap(*alone).displacement)
        if knots == KNOTS:
            found.append(mixture_plan(first, second).displacement)
    found.append(comonotone(first, second, knots).displacement)
    return tuple(found)


def loss_upper(displacement: Displacement, epsilon: float, scale: float) -> float:
    """E(1 − e^{(ε − |X−X'|/b)/2})_+, or a little more; ε ≥ 0."""
    inner = epsilon - displacement.charge
    if inner < 0.0:
        return 1.0
    pieces = _losses(displacement.means, displacement.stds, inner, scale)
    known = math.fsum(displacement.weights * pieces) * math.exp(displacement.charge)
    return min(known * (1.0 + 1e-15) + displacement.lost, 1.0)


def _coarse_loss(laws: PairOfLaws, epsilon: float, scale: float) -> float:
    """The smallest loss of the couplings that take little time."""
    return _loss_in_closed_form(displacements(laws.first, laws.second, COARSE), epsilon, scale)


def _loss_in_closed_form(known: tuple[Displacement, ...], epsilon: float, scale: float) -> float:
    """The smallest loss of some couplings; without noise, P(X ≠ X')."""
    if scale == 0.0:
        return min(each.exceeds_upper(0.0) for each in known if each.charge == 0.0)
    return min(loss_upper(each, epsilon, scale) for each in known)


def _least_loss(laws: PairOfLaws, epsilon: float, scale: float) -> float:
    """The smallest loss of all couplings known for the pair."""
    loss = _loss_in_closed_form(displacements(laws.first, laws.second), epsilon, scale)
    p, q = laws.first.components(), laws.second.components()
    several = 1 < p.weights.size * q.weights.size <= _MOST_ARCS
    if scale > 0.0 and several and bool(p.stds.all()) and bool(q.stds.all()):
        loss = min(loss, loss_upper(_best_plan(p, q, epsilon, scale), epsilon, scale))
    return loss


def _best_plan(p: Components, q: Components, epsilon: float, scale: float) -> Displacement:
    """|X − X'| under the plan between components that loses least at this ε and b."""
    gaps, widenings = (np.abs(np.subtract.outer(*pair)) for pair in zip(p[1:], q[1:], strict=True))
    losses = _losses(gaps.ravel(), widenings.ravel(), epsilon, scale).reshape(gaps.shape)
    return plan_displacement(p, q, least_cost_plan(p.weights, q.weights, losses))


def _losses(means: FloatArray, stds: FloatArray, epsilon: float, scale: float) -> FloatArray:
    """E(1 − e^{(ε − |V|/b)/2})_+ for each V ~ N(means, stds²), means ≥ 0, rounded up.

    With u = (μ − εb)/σ and s = σ/(2b) the part V > εb is Φ(u) − e^{s²/2 − us}·Φ(u − s); the part
    V < −εb is the same with −μ.
    """
    excess = means / scale * (1.0 + 4.0 * UNIT) - epsilon
    found = -np.expm1(-0.5 * np.maximum(excess, 0.0))
    random = stds > 0.0
    if random.any():
        mean, std = means[random], stds[random]
        threshold = epsilon * scale * (1.0 - 2.0 * UNIT)
        s = std / (2.0 * scale)
        with np.errstate(over="ignore"):  # overflow occurs only far beyond every tail
            found[random] = sum(_above(sign * mean, std, threshold, s) for sign in (1.0, -1.0))
    return np.minimum(found * (1.0 + 1e-15), 1.0)


def _above(mean: FloatArray, std: FloatArray, threshold: float, s: FloatArray) -> FloatArray:
    """Φ(u) − e^{s²/2 − us}·Φ(u − s), with its error added."""
    u = (mean - threshold) / std
    mass = ndtr(u)
    # As in noise.kernels: for u < s the exponent would cancel, so erfcx includes it.
    inside = np.exp(-0.5 * u * u) * 0.5 * erfcx(np.maximum(s - u, 0.0) * _SQRT_HALF)
    outside = np.exp(np.minimum(s * (0.5 * s - u), 0.0)) * ndtr(u - s)
    tilted = np.where(u < s, inside, outside)
    return np.asarray(np.maximum(mass - tilted, 0.0) + _PIECE_ERROR * mass + FAINTEST)
