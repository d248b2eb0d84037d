"""Plans between the components of two Gaussian mixtures, as linear programs.

A plan w ≥ 0 moves the mass w_ml of component m of the first mixture to component l of the second:

    Σ_l w_ml = α_m,   Σ_m w_ml = β_l.

Within a pair of components X moves by Monge's map. The plan of least cost for
(μ_m − μ_l)² + (σ_m − σ_l)² is W2-optimal among couplings that are mixtures themselves.

The solver is the dual simplex of HiGHS, through SciPy: it takes any numbers of components, returns
a vertex (few arcs, no mass smeared over the rest), and its dual prices show which arcs *any*
optimal plan may use. Ties are found in this way (docs/theory/transport.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.priors import Components, Gaussian, GaussianMixture, Prior
from pufferfish.core.errors import CertificationError, UnsupportedError
from pufferfish.core.numerics import UNIT, distance_upper
from pufferfish.core.validation import FloatArray, require
from pufferfish.transport.displacement import Displacement
from pufferfish.transport.monge import MongeMap

__all__ = ["MixturePlan", "least_cost_plan", "mixture_plan", "plan_displacement"]

_Arcs = npt.NDArray[np.bool_]

# The finest tolerance that HiGHS offers; costs are first scaled to 1, which makes it relative.
_TOLERANCE = 1e-10
# Weights are enlarged, so that rare components stand out from that tolerance.
_ENLARGED = 2.0**13
# An arc whose price is within this share of the largest cost of its cost may carry mass in another
# optimal plan. Too large only adds plans to choose the largest value from.
_TIE = 1e-9
# An arc farther from its price than this carries no mass in any optimal plan.
_NEAR = 1e-6
# A solver may leave weights as small as this where there is no mass.
_DUST = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class MixturePlan:
    """The W2-optimal plan between the components of two mixtures.

    Attributes:
        first: Components of the law of X.
        second: Components of the law of X'.
        weights: weights[m, l] is the mass that goes from component m to component l.
        cost: Σ w_ml ((μ_m − μ_l)² + (σ_m − σ_l)²).
        optimal_arcs: Whether some optimal plan may send mass from m to l.
    """

    first: Components
    second: Components
    weights: FloatArray
    cost: float
    optimal_arcs: _Arcs

    def map(self, m: int, l: int) -> MongeMap:
        """Monge's map from component m to component l."""
        return MongeMap(
            Gaussian(self.first.means[m], self.first.stds[m]),
            Gaussian(self.second.means[l], self.second.stds[l]),
        )

    @property
    def displacement(self) -> Displacement:
        """|X − X'| under this plan: |Δμ_ml + Δσ_ml·Z| with probability w_ml."""
        return plan_displacement(self.first, self.second, self.weights)

    def largest(self, values: FloatArray) -> float:
        """max Σ w_ml·values[m, l] over all optimal plans w; values may be infinite."""
        infinite = np.isinf(values) & self.optimal_arcs
        if infinite.any() and self._largest(infinite.astype(np.float64)) > _DUST:
            return math.inf
        return self._largest(np.where(np.isinf(values), 0.0, values))

    def _largest(self, values: FloatArray) -> float:
        plan = self.weights
        if np.count_nonzero(self.optimal_arcs) > np.count_nonzero(plan):
            other = least_cost_plan(
                self.first.weights, self.second.weights, -values, self.optimal_arcs
            )
            # This plan is one of those that are searched; rounding must not lose it.
            return max(float(np.sum(each * values)) for each in (plan, other))
        return float(np.sum(plan * values))


def mixture_plan(first: Prior, second: Prior) -> MixturePlan:
    """The W2-optimal plan between the components of two Gaussians or Gaussian mixtures."""
    for prior in (first, second):
        if not isinstance(prior, Gaussian | GaussianMixture):
            raise UnsupportedError(
                f"a component plan is between Gaussian mixtures, got {type(prior).__name__}; use "
                "transport.comonotone for any two laws."
            )
    p, q = first.components(), second.components()
    costs = np.subtract.outer(p.means, q.means) ** 2 + np.subtract.outer(p.stds, q.stds) ** 2
    weights, arcs = _solve(p.weights, q.weights, costs, np.ones_like(costs, dtype=np.bool_))
    return MixturePlan(p, q, weights, float(np.sum(weights * costs)), arcs)


def plan_displacement(p: Components, q: Components, weights: FloatArray) -> Displacement:
    """|X − X'| where component m goes to component l with probability weights[m, l]."""
    require(bool((weights >= 0.0).all()), "weights of a plan must not be negative.")
    m, l = np.nonzero(weights)
    return Displacement(
        weights=weights[m, l],
        means=distance_upper(p.means[m], q.means[l]),
        stds=np.abs(p.stds[m] - q.stds[l]),
        lost=_shortfall(p.weights, q.weights, weights),
    )


def _shortfall(a: FloatArray, b: FloatArray, weights: FloatArray) -> float:
    """The mass of either law that the plan does not place, plus the rounding of its sums."""
    rows, columns = np.abs(a - weights.sum(axis=1)).sum(), np.abs(b - weights.sum(axis=0)).sum()
    return float(rows + columns) + 1e-15


def least_cost_plan(
    a: FloatArray,
    b: FloatArray,
    costs: FloatArray,
    allowed: _Arcs | None = None,
) -> FloatArray:
    """The plan from weights a to weights b of least Σ w·costs, on allowed arcs only."""
    arcs = np.ones_like(costs, dtype=np.bool_) if allowed is None else allowed
    return _solve(a, b, costs, arcs)[0]


def _solve(
    a: FloatArray, b: FloatArray, costs: FloatArray, arcs: _Arcs, rounding: float = 0.0
) -> tuple[FloatArray, _Arcs]:
    """An optimal plan, and the arcs that some optimal plan may use.

    Args:
        a: Weights to move.
        b: Weights to reach.
        costs: The cost of each arc.
        arcs: The arcs that may be used.
        rounding: A bound on the error of the costs.
    """
    weights, reduced = _program(a, b, costs, arcs)
    scale = float(np.abs(costs[arcs]).max())
    near = arcs & (reduced <= _NEAR * scale)
    closer = float(np.abs(reduced[near]).max())
    rounding = max(rounding, 32.0 * UNIT * scale)
    # A far outlier, or a large common part, makes all other costs look alike to the solver; without
    # it they differ. The range of near costs shrinks by _NEAR each time, so this ends.
    if closer > 10.0 * rounding:
        return _solve(a, b, np.where(near, reduced, 0.0), near, rounding)
    ties = reduced <= max(_TIE * scale, rounding)
    return weights, arcs & (ties | (weights > 0.0))


def _program(
    a: FloatArray, b: FloatArray, costs: FloatArray, arcs: _Arcs
) -> tuple[FloatArray, FloatArray]:
    """An optimal plan, and the cost of each arc minus its dual price."""
    # Imported here: at the top they would take half of the time to import the library.
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import csc_matrix  # noqa: PLC0415

    rows, columns = np.nonzero(arcs)
    count = rows.size
    scale = float(np.abs(costs[arcs]).max()) or 1.0
    constraints = csc_matrix(
        (
            np.ones(2 * count),
            (np.concatenate([rows, a.size + columns]), np.tile(np.arange(count), 2)),
        ),
        shape=(a.size + b.size, count),
    )
    found = linprog(  # type: ignore[call-overload]  # its stubs know dense matrices only
        costs[arcs] / scale,
        A_eq=constraints,
        b_eq=_ENLARGED * np.concatenate([a, b]),
        method="highs-ds",
        options={
            # The solver takes weights below its own tolerance for a contradiction.
            "presolve": False,
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
        },
    )
    if found.status != 0:
        raise CertificationError(f"the plan between components was not found: {found.message}")
    weights = np.zeros_like(costs)
    weights[arcs] = np.where(found.x > _ENLARGED * _DUST, found.x / _ENLARGED, 0.0)
    prices = scale * found.eqlin.marginals
    reduced = np.full_like(costs, math.inf)
    reduced[arcs] = costs[arcs] - prices[: a.size][rows] - prices[a.size :][columns]
    return weights, reduced
