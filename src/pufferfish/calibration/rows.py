"""The noise that keeps a promise for all rows of one person together, and its check.

If the rows are independent given the secret, each row has its share of the promise, (ε/k, δ/k).
Otherwise the noise is chosen so that the k rows together cost no more than the promise, by the
certificate of `theorems.rows`. Proofs: docs/theory/composition.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.least_noise import as_published, recertify
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import CertificationError, UnsupportedError
from pufferfish.core.ladder import Rounding, rung_up
from pufferfish.core.numerics import float_upper, round_up
from pufferfish.core.validation import positive, require
from pufferfish.exact.family import laplace_family, laplace_step
from pufferfish.noise import LaplaceNoise, Noise, NoNoise
from pufferfish.theorems import ComposableCertificate, Dependence, composable_rows
from pufferfish.theorems.anybody import width_of
from pufferfish.words.phrases import larger_size

__all__ = ["TEST_LEVEL", "SeveralRows", "calibrate_rows", "certify_rows", "check_rows"]
__all__ += [
    "calibrate_several",
    "certify_given",
    "cost_of_rows",
    "least_epsilon_rows",
    "share",
    "share_of",
]


@dataclass(frozen=True, slots=True)
class SeveralRows:
    """The number of rows of a person, and what is assumed about them.

    Attributes:
        count: The largest number of rows.
        dependence: As in `theorems.rows`.
        width: No two values are further apart than this, because values are capped to public
            bounds.
    """

    count: int = 1
    dependence: Dependence = "any"
    width: float = math.inf

    @property
    def apart(self) -> bool:
        """Whether each row is judged by itself: there is only one, or they are independent."""
        return self.count == 1 or self.dependence == "independent"


# The probability with which a release refuses rows that are independent as stated.
TEST_LEVEL = 0.01
# The number of certificates that are tried; usually the first is enough.
_TRIES = 4
# What to do if nothing can be promised for several rows of one person.
_WAYS = (
    "publish one row for each person (--one-row first, or mean); or describe the adversaries by "
    "tables (--belief empirical) or cap the values to public bounds, so that no two values are far "
    "apart; or, if all rows of a person repeat one value, give --rows-are equal; or, if they are "
    "independent given the secret, give --rows-are independent, which is tested"
)


def certify_rows(
    scenario: Scenario, noise: Noise, delta: float, rows: SeveralRows, radius: float = 0.0
) -> ComposableCertificate:
    """The cost of several rows of a person; the refusal lists what to do instead.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        noise: The law of the noise on each row.
        delta: The δ of all rows together.
        rows: Their number, and whether they are "any" or "equal" ones.
        radius: How far in W_∞ the true laws may be from the believed ones.

    Raises:
        UnsupportedError: No certificate covers them.
    """
    found = composable_rows(
        scenario,
        noise,
        delta,
        radius,
        wrong=0.0,
        rows=rows.count,
        dependence=rows.dependence,
        width=rows.width,
    )
    if found is None and scenario.sampled:
        raise UnsupportedError(
            f"no certificate covers {rows.count} rows of one person together with a sampling "
            "region (confidence=, --sampling-confidence): what several rows reveal together is "
            "known only for the described laws. What to do: leave out the confidence; or publish "
            "one row for each person (--one-row first, or mean); or, if the rows are independent "
            "given the secret, give --rows-are independent, which is tested."
        )
    if found is None:
        what = (
            "about which nothing is known but the law of each"
            if rows.dependence == "any"
            else "which repeat one value"
        )
        raise UnsupportedError(
            f"no certificate covers {rows.count} rows of one person, {what}. It would need Laplace "
            "noise, a known bound on the distance between values under two secrets, and no missing "
            f"values unless rows are equal. What to do: {_WAYS}."
        )
    return found


def cost_of_rows(calibration: Calibration, rows: SeveralRows) -> Guarantee:
    """The cost of several rows of a person together, "any" or "equal" ones."""
    goal, noise = calibration.goal, calibration.mechanism.at_floor
    if rows.dependence == "equal" and calibration.mechanism.identity:
        return goal  # values that may be published as they are may be repeated
    wrong = calibration.certificate.wrong or calibration.scenario.sampled
    if noise is None or wrong:
        # A coupling is of the described laws; the values of other laws may be further apart.
        lacks = "has no floor" if noise is None else "holds for laws that may be wrong"
        raise UnsupportedError(
            f"no certificate covers {rows.count} rows of one person with a mechanism that {lacks}. "
            f"What to do: {_WAYS}."
        )
    scenario, radius = calibration.scenario, calibration.radius
    return certify_rows(scenario, noise, goal.delta, rows, radius).cost()


def check_rows(calibration: Calibration, rows: SeveralRows) -> None:
    """Refuse a calibration that does not keep its goal for all rows of a person together."""
    if rows.apart:
        return
    goal, cost = calibration.goal, cost_of_rows(calibration, rows)
    if cost.epsilon > goal.epsilon:
        short = Guarantee(round_up(cost.epsilon, 4), cost.delta)
        raise CertificationError(
            f"with this noise {rows.count} rows of one person together cost {short}, more than the "
            f"goal of {goal}: it was calibrated for one row. Calibrate for all of them "
            f"(--rows-per-person, pf.calibrate_rows); or {_WAYS}."
        )


def calibrate_rows(
    scenario: Scenario,
    goal: Guarantee,
    rows: int,
    dependence: Dependence = "any",
    radius: float = 0.0,
    *,
    cap: tuple[float, float] | None = None,
    rounding: Rounding | None = None,
) -> Calibration:
    """Laplace noise with which all rows of a person together keep `goal`.

    Its certificate is that of one row, for which the promise holds all the more.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        goal: The promise for all rows of a person together.
        rows: The largest number of rows of a person; at least 2.
        dependence: "any": nothing is known about how they depend on each other. "equal": they
            repeat one value.
        radius: How far in W_∞ the true laws may be from the believed ones.
        cap: The bounds to which values are capped, if any.
        rounding: As in `calibrate`; None: do not round the least size.

    Raises:
        UnsupportedError: No certificate covers several rows of these beliefs.
    """
    require(rows >= 2, "calibrate_rows is for several rows; for one row use pf.calibrate.")
    require(
        dependence in ("any", "equal"),
        "each of k independent rows has its share of the promise: use pf.calibrate with (ε/k, "
        "δ/k).",
    )
    several = SeveralRows(rows, dependence, width_of(cap))
    return calibrate_several(scenario, goal, several, radius, rounding=rounding)


def calibrate_several(
    scenario: Scenario,
    goal: Guarantee,
    several: SeveralRows,
    radius: float = 0.0,
    *,
    rounding: Rounding | None = None,
) -> Calibration:
    """`calibrate_rows` for rows that are already described."""
    found = certify_rows(scenario, LaplaceNoise(1.0), goal.delta, several, radius)
    if found.distance_upper == 0.0:
        # The rows are the same under both secrets.
        return recertify(scenario, goal, NoNoise(), method="coupling", radius=radius)
    family, size = laplace_family(goal), _size_for(found, goal)

    def kept(noise: Noise) -> bool:
        cost = certify_rows(scenario, noise, goal.delta, several, radius).cost()
        return cost.epsilon <= goal.epsilon

    # Usually the first is enough; in any case only what is checked is promised.
    for _ in range(_TRIES):
        least = recertify(scenario, goal, family(size), method="coupling", radius=radius)
        chosen = least if rounding is None else as_published(least, rounding)
        if kept(least.noise) and kept(chosen.noise):
            return chosen
        size *= 1.0 + 2.0**-22
    raise CertificationError(
        f"no noise was found with which {several.count} rows of one person can be shown to keep "
        f"{goal}. What to do: {_WAYS}."
    )


def _size_for(rows: ComposableCertificate, goal: Guarantee) -> float:
    """The size that keeps `goal` on the grid that goes with it.

    The grid γ is at most c·b, so that (D + k·γ)/b ≤ ε follows from b ≥ D/(ε − k·c). With the grid
    of that size b = (D + k·γ)/ε is enough: it is not larger, so neither is its grid.
    """
    left, distance = Fraction(goal.epsilon) - Fraction(rows.once_upper), rows.distance_upper
    reserved = left - rows.rows * Fraction(laplace_step(goal))
    if reserved <= 0:
        raise UnsupportedError(
            f"{rows.rows} rows of one person cannot be shown to keep {goal}: the grid of the noise "
            f"or missing values alone cost more. What to do: {_WAYS}."
        )
    enough = float_upper(Fraction(distance) / reserved)
    grid = Fraction(laplace_family(goal)(enough).grid or 0.0)
    return float_upper((Fraction(distance) + rows.rows * grid) / left)


def certify_given(
    scenario: Scenario, goal: Guarantee, size: float, rows: SeveralRows
) -> Calibration:
    """Laplace noise of a size that the curator chose, checked for all rows of a person together.

    A refusal names a rung that suffices for all of them, not the least size, which depends on
    private beliefs.

    Raises:
        CertificationError: The size is too small.
    """
    noise = laplace_family(goal)(positive("size", size))
    cost = certify_rows(scenario, noise, goal.delta, rows).cost()
    if cost.epsilon <= goal.epsilon:
        return recertify(scenario, goal, noise, method="given")
    enough = calibrate_several(scenario, goal, rows, rounding="ladder").noise.size
    raise CertificationError(
        larger_size(goal, size, enough, whom=f"for {rows.count} rows of one person together")
    )


def least_epsilon_rows(
    scenario: Scenario, noise: Noise, delta: float, rows: SeveralRows
) -> Calibration:
    """The strongest promise for all rows of a person that a law is proven to keep at this δ."""
    epsilon = certify_rows(scenario, noise, delta, rows).cost().epsilon
    if not all(belief.public for belief in scenario.beliefs):
        # It will be published, and it was derived from private beliefs.
        epsilon = rung_up(epsilon)
    return recertify(scenario, Guarantee(epsilon, delta), noise, method="given")


def share(goal: Guarantee, rows: int) -> Guarantee:
    """The share of the promise for each of several independent rows, which together keep it."""
    return Guarantee(share_of(goal.epsilon, rows), share_of(goal.delta, rows))


def share_of(total: float, rows: int) -> float:
    """The largest float of which `rows` many add up to no more than the total."""
    each = total / rows
    return each if rows * Fraction(each) <= total else math.nextafter(each, 0.0)
