"""Couplings of two priors: Monge's map, plans between components, the comonotone coupling."""

from __future__ import annotations

from pufferfish.transport.bounded import bounded_displacement
from pufferfish.transport.displacement import Displacement
from pufferfish.transport.monge import MongeMap
from pufferfish.transport.monotone import COARSE, KNOTS, ComonotoneCoupling, comonotone
from pufferfish.transport.plan import (
    MixturePlan,
    least_cost_plan,
    mixture_plan,
    plan_displacement,
)

__all__ = [
    "COARSE",
    "KNOTS",
    "ComonotoneCoupling",
    "Displacement",
    "MixturePlan",
    "MongeMap",
    "bounded_displacement",
    "comonotone",
    "least_cost_plan",
    "mixture_plan",
    "plan_displacement",
]
