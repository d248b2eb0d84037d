"""Noise for all rows of one person together: how much keeps the promise, and whether it does.

For rows that are independent given the secret each row has its share of the promise, (ε/k, δ/k).
Otherwise the noise is chosen so that the k rows cost no more than the promise as a whole, by the
certificate of `theorems.rows`. Proofs: docs/theory/composition.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from pufferfish.calibrate import Calibration, recertified
from pufferfish.checks import require
from pufferfish.errors import CertificationError, UnsupportedError
from pufferfish.exact.family import laplace_family
from pufferfish.guarantee import Guarantee
from pufferfish.noise import LaplaceNoise, Noise, NoNoise, short_law
from pufferfish.numerics import PUBLISHED_DIGITS, float_upper, rounded_up
from pufferfish.scenario import Scenario
from pufferfish.theorems import ComposableCertificate, Dependence, composable_rows

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WAYS", "calibrate_rows", "certify_rows", "check_rows", "least_epsilon_rows", "share"]
__all__ += ["width_of"]

# What to do where several rows of one person cannot be promised anything.
WAYS = (
    "publish one row for each person (--one-row first, or mean); or describe the adversaries by "
    "tables (--belief empirical) or cap the values to public bounds, so that no two values are far "
    "apart; or, if all rows of a person repeat one value, say --rows-are-equal; or, if they are "
    "independent given the secret, say --rows-are-independent, which is tested"
)


def certify_rows(
    scenario: Scenario,
    noise: Noise,
    delta: float,
    radius: float = 0.0,
    *,
    rows: int,
    dependence: Dependence,
    width: float = math.inf,
) -> ComposableCertificate:
    """What several rows of a person cost, or a refusal with the ways out.

    The arguments are those of `composable_rows`.
    """
    found = composable_rows(
        scenario, noise, delta, radius, rows=rows, dependence=dependence, width=width
    )
    if found is None:
        what = (
            "of which nothing is known but the law of each"
            if dependence == "any"
            else "which repeat one value"
        )
        raise UnsupportedError(
            f"no certificate covers {rows} rows of one person, {what}: for that, noise must be "
            "Laplace, the values that are possible under two secrets must lie within some distance "
            f"of each other, and none may be missing unless rows are equal. Ways out: {WAYS}."
        )
    return found


def check_rows(
    calibration: Calibration, rows: int, dependence: Dependence, width: float = math.inf
) -> None:
    """Refuse a calibration whose noise does not keep its goal for all rows of a person together."""
    if rows == 1 or dependence == "independent":
        return
    if dependence == "equal" and isinstance(calibration.noise, NoNoise):
        return  # a value that may be published as it is may be repeated
    goal = calibration.goal
    cost = certify_rows(
        calibration.scenario,
        calibration.noise,
        goal.delta,
        calibration.radius,
        rows=rows,
        dependence=dependence,
        width=width,
    ).cost()
    if cost.epsilon > goal.epsilon:
        raise CertificationError(
            f"{rows} rows of one person cost {_short(cost)} together with this noise, more than "
            f"the goal of {goal}: it was calibrated for one row. Calibrate for all of them "
            f"(pf.calibrate_rows); or {WAYS}."
        )


def calibrate_rows(
    scenario: Scenario,
    goal: Guarantee,
    rows: int,
    dependence: Dependence = "any",
    radius: float = 0.0,
    *,
    width: float = math.inf,
    digits: int | None = None,
    rounded: Callable[[Noise], Noise] | None = None,
) -> Calibration:
    """Laplace noise with which all rows of a person together keep `goal`.

    The certificate of one row comes with it, and holds all the more.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise for all rows of a person together.
        rows: How many rows a person has, at most; at least 2.
        dependence: "any": nothing is known of how they hang together. "equal": they repeat one
            value.
        radius: How far in W_∞ the true laws may be from the believed ones.
        width: No two values are further apart than this: the bounds that values are capped to.
        digits: Round the size of the noise up to so many digits; None: as it is.
        rounded: Rounds the noise up otherwise.

    Raises:
        UnsupportedError: No certificate covers several rows of these beliefs.
    """
    require(rows >= 2, "calibrate_rows is about several rows; for one row there is pf.calibrate.")
    family = laplace_family(goal)

    def cost(noise: Noise) -> ComposableCertificate:
        return certify_rows(
            scenario, noise, goal.delta, radius, rows=rows, dependence=dependence, width=width
        )

    found = cost(LaplaceNoise(1.0))
    if found.distance_upper == 0.0:
        # The rows are the same under both secrets.
        return recertified(scenario, goal, NoNoise(), method="coupling", radius=radius)
    size = found.scale_for(goal.epsilon)
    # The grid goes with the size, and costs about 1e-7 of ε.
    noise = family(size)
    while cost(noise).cost().epsilon > goal.epsilon:
        size *= 1.0 + 2.0**-22
        noise = family(size)
    if rounded is not None:
        noise = rounded(noise)
    elif digits is not None:
        noise = short_law(noise, digits)
    return recertified(scenario, goal, noise, method="coupling", radius=radius)


def least_epsilon_rows(
    scenario: Scenario,
    noise: Noise,
    delta: float,
    rows: int,
    dependence: Dependence,
    *,
    width: float = math.inf,
) -> Calibration:
    """The strongest promise for all rows of a person that a noise is proven to keep at this δ."""
    cost = certify_rows(
        scenario, noise, delta, rows=rows, dependence=dependence, width=width
    ).cost()
    epsilon = cost.epsilon
    if not all(belief.public for belief in scenario.beliefs):
        # It will be published, and was derived from what is private.
        epsilon = rounded_up(epsilon, PUBLISHED_DIGITS)
    return recertified(scenario, Guarantee(epsilon, delta), noise, method="given")


def width_of(cap: tuple[float, float]) -> float:
    """How far apart two values between these bounds can be, rounded up."""
    low, high = cap
    return float_upper(Fraction(high) - Fraction(low))


def share(goal: Guarantee, rows: int) -> Guarantee:
    """What each of several independent rows may cost, so that together they cost no more."""
    return Guarantee(_share(goal.epsilon, rows), _share(goal.delta, rows))


def _share(total: float, rows: int) -> float:
    """The largest float of which so many are not more than the total."""
    each = total / rows
    return each if rows * Fraction(each) <= total else math.nextafter(each, 0.0)


def _short(promise: Guarantee) -> str:
    return str(Guarantee(rounded_up(promise.epsilon, 4), promise.delta))
