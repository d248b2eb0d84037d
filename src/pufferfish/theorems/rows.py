"""What several rows of one person cost together: k values, each with its own noise.

A belief says how one row is distributed given the secret, not how the rows of a person depend on
each other. A coupling of the laws of single rows says nothing about their joint law: X_1 = X_2
under one secret and X_1 = −X_2 under the other have equal laws row by row, yet are easily told
apart. What can be proven depends on what is assumed:

- "any": only that values lie where the beliefs hold them possible. A value that is possible under
  one secret and one that is possible under the other are at most Δ apart, so any coupling of the
  rows gives ( k·(Δ + γ)/b , 0 ).
- "equal": all rows of a person repeat one value, so they are releases of it: (k·(D+γ)/b, δ).
- "independent": rows are independent given the secret, so their promises add up: (kε, kδ). No
  coupling is needed, and none is made here.

The last two assume that the law of a row given the secret is the believed one, for any number of
rows of its person.

Proofs and the counterexample: docs/theory/composition.md, "Several rows of one person".
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np

from pufferfish.beliefs.priors import Prior
from pufferfish.beliefs.scenario import PairOfLaws, Scenario
from pufferfish.core.numerics import distance_upper, float_upper
from pufferfish.core.validation import require
from pufferfish.noise import Law
from pufferfish.theorems.composition import ComposableCertificate, adding_up, composable

__all__ = ["DEPENDENCES", "Dependence", "composable_rows"]

# What is assumed of the rows of one person, given the secret.
Dependence = Literal["any", "equal", "independent"]
DEPENDENCES: tuple[Dependence, ...] = ("any", "equal", "independent")


def composable_rows(
    scenario: Scenario,
    law: Law,
    delta: float,
    radius: float = 0.0,
    *,
    wrong: float,
    rows: int = 1,
    dependence: Dependence = "any",
    width: float = math.inf,
) -> ComposableCertificate | None:
    """The certificate of all rows of a person; None if nothing bounds their distance.

    Args:
        scenario: What must look alike, to whom.
        law: What is applied to each row; it is charged by its floor, Laplace noise.
        delta: The δ of all rows together.
        radius: How far in W_∞ the true laws may be from the believed ones.
        wrong: How far in total variation they may be. Couplings are of the described laws alone, so
            only 0 has a certificate, and a sampling region has none.
        rows: The largest number of rows of a person.
        dependence: "any" or "equal".
        width: No two values are further apart than this, whatever the beliefs say: the distance of
            the bounds to which values are capped.
    """
    require(dependence in ("any", "equal"), f"no coupling is made for {dependence!r} rows.")
    floors = adding_up([law])
    if wrong or scenario.sampled or floors is None:
        return None
    noise = floors[0]
    if rows == 1 or dependence == "equal":
        one = composable(scenario, noise, delta, radius)
        if one is None:
            return None
        total = float_upper(rows * Fraction(one.distance_upper))
        return replace(one, distance_upper=total, rows=rows)
    if _holes(scenario):
        return None
    names = tuple(repr(pair) for pair in scenario.pairs)
    span, worst = _span(scenario, names)
    apart = min(math.nextafter(span + 2.0 * radius, math.inf) if radius else span, width)
    if not math.isfinite(apart):
        return None
    return ComposableCertificate(
        noise=noise,
        delta=delta,
        distance_upper=float_upper(rows * Fraction(apart)),
        once_upper=0.0,
        belief=worst.belief,
        pair=worst.pair,
        rows=rows,
    )


def _holes(scenario: Scenario) -> bool:
    """Whether values may be missing: nothing says how the holes of several rows depend."""
    return any(laws.missing_first or laws.missing_second for laws in scenario.laws())


@lru_cache(maxsize=4)
def _span(scenario: Scenario, names: tuple[str, ...]) -> tuple[float, PairOfLaws]:
    """Δ for all pairs, and the pair that decides; Δ is infinite if a law is not bounded.

    Secrets that are equal as keys, such as 0 and False, are different `names`.
    """
    largest = -1.0
    for laws in scenario.laws():
        (low, high), (other_low, other_high) = _range(laws.first), _range(laws.second)
        found = math.inf
        if all(map(math.isfinite, (low, high, other_low, other_high))):
            ends = distance_upper(np.array([low, high]), np.array([other_high, other_low]))
            found = float(ends.max())
            if laws.radius:
                found = math.nextafter(found + 2.0 * laws.radius, math.inf)
        if found > largest:
            largest, worst = found, laws
    return largest, worst


def _range(prior: Prior) -> tuple[float, float]:
    """The values between which a law lies."""
    law = prior.components()
    if law.stds.any():
        return -math.inf, math.inf
    return float(law.means.min()), float(law.means.max())
