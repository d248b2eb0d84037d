"""Several releases of one column: what is allowed, what is charged, what is refused."""

from __future__ import annotations

import dataclasses
import math
import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from tests.strategies import multiples, tables
from tests.support import scenario_of

# X and X' can be coupled within 3, and no closer.
TABLES = scenario_of(pf.Discrete([0.0, 4.0], [0.5, 0.5]), pf.Discrete([3.0, 7.0], [0.5, 0.5]))
MIXTURES = scenario_of(
    pf.GaussianMixture([0.5, 0.5], [0.0, 2.0], [1.0, 0.5]),
    pf.GaussianMixture([0.5, 0.5], [0.0, 2.5], [1.0, 0.75]),
)
PURE = pf.Guarantee(1.0)

scales = multiples(2.0**-6, 0.5, 16.0)


def opened(scenario: pf.Scenario = TABLES, budget: pf.Guarantee = PURE) -> pf.Ledger:
    return pf.Ledger(scenario=scenario, budget=budget)


def charged(ledger: pf.Ledger, *noises: pf.Noise) -> pf.Ledger:
    for noise in noises:
        ledger = ledger.charge(noise)
    return ledger


# One release: the exact certificate.


def test_nothing_is_spent_before_the_first_release() -> None:
    assert opened().releases == ()
    assert opened().spent is None


@pytest.mark.parametrize("budget", [PURE, pf.Guarantee(1.0, 0.01)], ids=str)
def test_the_first_release_is_judged_exactly(budget: pf.Guarantee) -> None:
    scenario = pf.Scenario(pf.datasets.adult_tables())
    noise = pf.calibrate(scenario, budget).noise
    ledger = opened(scenario, budget).charge(noise)
    assert ledger.releases == (noise,)
    # The certificate that composes would not have allowed it.
    assert ledger.spent is not None
    assert ledger.spent.epsilon > budget.epsilon
    assert ledger.spent.delta == budget.delta


@pytest.mark.parametrize("budget", [PURE, pf.Guarantee(1.0, 0.01)], ids=str)
@pytest.mark.parametrize("kind", [pf.LaplaceNoise, pf.GaussianNoise])
def test_a_first_release_that_breaks_the_budget_is_refused(
    budget: pf.Guarantee, kind: type[pf.LaplaceNoise] | type[pf.GaussianNoise]
) -> None:
    with pytest.raises(pf.CertificationError, match="does not keep"):
        opened(budget=budget).charge(kind(0.5))


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_whatever_has_an_exact_certificate_may_come_first(noise: str) -> None:
    budget = pf.Guarantee(1.0, 0.01)
    law = pf.calibrate(MIXTURES, budget, mechanism=noise).noise
    assert opened(MIXTURES, budget).charge(law).releases == (law,)


# Several: the certificate that composes.


def test_three_releases_of_a_third_each_fit_exactly() -> None:
    ledger = charged(opened(), *[pf.LaplaceNoise(9.0)] * 3)
    assert ledger.spent == PURE
    with pytest.raises(pf.BudgetExceededError, match="4 releases"):
        ledger.charge(pf.LaplaceNoise(1e6))


def test_a_hair_more_than_the_budget_does_not_fit() -> None:
    narrow = math.nextafter(9.0, 0.0)
    # In doubles the sum would be 1 all the same.
    assert 3 / 9.0 + 3 / 9.0 + 3 / narrow == 1.0
    with pytest.raises(pf.BudgetExceededError):
        charged(opened(), *[pf.LaplaceNoise(9.0)] * 2, pf.LaplaceNoise(narrow))


@given(st.lists(scales, min_size=2, max_size=4))
def test_several_releases_are_charged_their_sum(sizes: list[float]) -> None:
    noises = [pf.LaplaceNoise(size) for size in sizes]
    cost = sum(3 / Fraction(size) for size in sizes)
    # A budget that is kept to the last digit, and the next one below it.
    enough = float(cost)
    if Fraction(enough) < cost:
        enough = math.nextafter(enough, math.inf)
    ledger = pf.Ledger(scenario=TABLES, budget=pf.Guarantee(enough), releases=tuple(noises))
    assert ledger.spent == pf.Guarantee(enough)
    short = pf.Guarantee(math.nextafter(enough, 0.0))
    with pytest.raises(pf.BudgetExceededError):
        pf.Ledger(scenario=TABLES, budget=short, releases=tuple(noises))


def test_a_release_beyond_a_first_one_that_took_all_is_refused() -> None:
    budget = PURE
    scenario = pf.Scenario(pf.datasets.adult_tables())
    ledger = opened(scenario, budget).charge(pf.calibrate(scenario, budget).noise)
    with pytest.raises(pf.BudgetExceededError, match="already cost") as caught:
        ledger.charge(pf.LaplaceNoise(1e6))
    # No scale would fit, so none is suggested.
    assert "would fit" not in str(caught.value)


def test_what_is_allowed_keeps_the_budget() -> None:
    # ε* of releases of total precision t = Σ1/b is log(1 − p + p·e^{10t}): far more than their sum.
    share = 1e-3
    scenario = scenario_of(pf.Discrete([0.0, 10.0], [1 - share, share]), pf.Discrete([0.0], [1.0]))
    alone = pf.LaplaceNoise(10.0 / math.log1p(math.expm1(1.0) / share) * (1 + 1e-6))
    budget = pf.Guarantee(2.0)
    ledger = opened(scenario, budget).charge(alone)
    with pytest.raises(pf.BudgetExceededError):
        ledger.charge(alone)  # 7.99 and not 2
    allowed = charged(opened(scenario, budget), *[pf.LaplaceNoise(20.0)] * 4)
    precision = sum(1 / noise.scale for noise in allowed.releases)
    assert math.log(1 - share + share * math.exp(10 * precision)) <= 2.0


def test_delta_is_charged_once() -> None:
    scenario = scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.5, 1.25))
    budget = pf.Guarantee(1.0, 1e-3)
    ledger = charged(opened(scenario, budget), *[pf.LaplaceNoise(12.0)] * 5)
    assert ledger.spent is not None
    assert ledger.spent.delta == 1e-3
    # |½ + ¼Z| exceeds 1.28 with probability 0.00090, and 1.26 with 0.00118.
    assert 5 * 1.26 / 12 < ledger.spent.epsilon < 5 * 1.28 / 12


def test_a_grid_and_holes_are_charged() -> None:
    scenario = scenario_of(
        pf.Discrete([0.0], [1.0]), pf.Discrete([3.0], [1.0]), missing={"a": 0.25, "b": 0.125}
    )
    noise = pf.LaplaceNoise(16.0, 1.0)
    ledger = charged(opened(scenario, pf.Guarantee(2.0)), noise, noise)
    assert ledger.spent is not None
    # Two quarters for the values, and log 2 once for the hole.
    assert ledger.spent.epsilon == pytest.approx(0.5 + math.log(2.0), rel=1e-12)


# The remedy.


@given(tables(), tables(), scales, st.floats(1.05, 20.0))
def test_the_scale_that_is_suggested_fits_and_is_not_far_too_large(
    p: pf.Discrete, q: pf.Discrete, scale: float, room: float
) -> None:
    scenario, first = scenario_of(p, q), pf.LaplaceNoise(scale)
    certificate = pf.composable(scenario, first, 0.0)
    assert certificate is not None
    assume(certificate.distance_upper > 0.0)
    budget = pf.Guarantee(room * certificate.cost().epsilon)
    ledger = opened(scenario, budget).charge(first)
    with pytest.raises(pf.BudgetExceededError) as caught:
        ledger.charge(pf.LaplaceNoise(scale / 100))
    suggested = re.search(r"scale (\S+) would fit", str(caught.value))
    assert suggested is not None
    size = float(suggested[1])
    assert len(ledger.charge(pf.LaplaceNoise(size)).releases) == 2
    # 1e-3 is added to the least scale, and four digits of it are shown.
    with pytest.raises(pf.BudgetExceededError):
        ledger.charge(pf.LaplaceNoise(size * 0.997))


# Where there is only the exact certificate.


@pytest.mark.parametrize(
    ("scenario", "budget", "noises"),
    [
        (MIXTURES, PURE, [pf.LaplaceNoise(4.0), pf.LaplaceNoise(1e6)]),
        (
            MIXTURES,
            pf.Guarantee(1.0, 0.01),
            [pf.LaplaceNoise(4.0), pf.GaussianNoise(1e6)],
        ),
        (TABLES, pf.Guarantee(1.0, 0.01), [pf.GaussianNoise(20.0), pf.GaussianNoise(1e6)]),
        (TABLES, pf.Guarantee(1.0, 0.01), [pf.GaussianNoise(20.0), pf.LaplaceNoise(1e6)]),
    ],
)
def test_a_second_release_that_nothing_covers_is_refused(
    scenario: pf.Scenario, budget: pf.Guarantee, noises: list[pf.Noise]
) -> None:
    ledger = opened(scenario, budget).charge(noises[0])
    with pytest.raises(pf.UnsupportedError, match="second release"):
        ledger.charge(noises[1])


def test_without_a_composable_certificate_nothing_is_said_to_be_spent() -> None:
    assert opened(MIXTURES).charge(pf.LaplaceNoise(4.0)).spent is None
    budget = pf.Guarantee(1.0, 0.01)
    assert opened(TABLES, budget).charge(pf.GaussianNoise(20.0)).spent is None


@pytest.mark.parametrize("prior", [pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Gaussian(0.0, 1.0)])
def test_equal_laws_may_be_released_for_ever(prior: Prior) -> None:
    ledger = charged(opened(scenario_of(prior, prior)), *[pf.LaplaceNoise(1e-3)] * 9)
    assert ledger.spent is not None
    assert ledger.spent.epsilon <= 1e-90
    # No noise at all is fine once, and is no Laplace noise.
    assert opened(scenario_of(prior, prior)).charge(pf.NoNoise()).spent is None


# A ledger is a value.


def test_a_ledger_is_not_changed_by_a_charge() -> None:
    before = opened()
    after = before.charge(pf.LaplaceNoise(9.0))
    assert before == opened()
    assert after != before
    assert after.scenario is before.scenario
    with pytest.raises(pf.BudgetExceededError):
        after.charge(pf.LaplaceNoise(1.0))
    assert after.releases == (pf.LaplaceNoise(9.0),)
    assert after == before.charge(pf.LaplaceNoise(9.0))


@pytest.mark.parametrize("field", ["scenario", "budget", "releases"])
def test_a_ledger_cannot_be_written_to(field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(opened(), field, None)


def test_a_ledger_does_not_show_the_beliefs() -> None:
    assert "Discrete" not in repr(opened())
    assert "belief" not in repr(opened())


@pytest.mark.parametrize(
    ("releases", "error"),
    [
        ((pf.LaplaceNoise(1.0),), pf.CertificationError),
        ((pf.LaplaceNoise(9.0),) * 4, pf.BudgetExceededError),
        ((pf.LaplaceNoise(9.0), pf.GaussianNoise(1e6)), pf.UnsupportedError),
        ((pf.LaplaceNoise(9.0), 9.0), pf.InvalidInputError),
    ],
)
def test_releases_given_at_once_are_checked_too(
    releases: tuple[pf.Noise, ...], error: type[pf.PufferfishError]
) -> None:
    with pytest.raises(error):
        pf.Ledger(scenario=TABLES, budget=PURE, releases=releases)
    at_once = pf.Ledger(scenario=TABLES, budget=PURE, releases=(pf.LaplaceNoise(9.0),) * 3)
    assert at_once == charged(opened(), *[pf.LaplaceNoise(9.0)] * 3)


@pytest.mark.parametrize("noise", [None, 9.0, "laplace", pf.Guarantee(1.0)])
def test_a_release_is_a_noise_law(noise: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="noise"):
        opened().charge(noise)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(pf.InvalidInputError, match="Scenario"):
        pf.Ledger(scenario=pf.datasets.adult_tables(), budget=PURE)
    with pytest.raises(pf.InvalidInputError, match="Guarantee"):
        pf.Ledger(scenario=TABLES, budget=1.0)


def test_a_list_of_releases_is_copied() -> None:
    releases = [pf.LaplaceNoise(9.0)]
    ledger = pf.Ledger(scenario=TABLES, budget=PURE, releases=releases)  # type: ignore[arg-type]
    releases.append(pf.LaplaceNoise(1e-3))
    assert ledger.releases == (pf.LaplaceNoise(9.0),)


@pytest.mark.parametrize("releases", [5, None, pf.LaplaceNoise(9.0), "laplace"])
def test_releases_must_be_a_list(releases: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="releases"):
        pf.Ledger(scenario=TABLES, budget=PURE, releases=releases)  # type: ignore[arg-type]


def test_the_scale_that_is_suggested_counts_the_grid() -> None:
    points = scenario_of(pf.Discrete([0.0], [1.0]), pf.Discrete([1.0], [1.0]))
    ledger = opened(points).charge(pf.LaplaceNoise(4.0))
    with pytest.raises(pf.BudgetExceededError) as caught:
        ledger.charge(pf.LaplaceNoise(1.0, grid=1.0))
    suggested = re.search(r"scale ([\d.]+) would fit", str(caught.value))
    assert suggested is not None
    ledger.charge(pf.LaplaceNoise(float(suggested.group(1)), grid=1.0))


def test_a_radius_is_charged_to_every_release() -> None:
    ledger = pf.Ledger(scenario=TABLES, budget=pf.Guarantee(2.5), radius=0.5)
    ledger = charged(ledger, pf.LaplaceNoise(4.0), pf.LaplaceNoise(4.0))
    assert ledger.spent is not None
    # D = 3 and twice the radius, for each; the sum is rounded up.
    assert 2.0 <= ledger.spent.epsilon <= 2.0 + 1e-12


def test_a_first_release_must_absorb_the_radius() -> None:
    noise = pf.calibrate(TABLES, PURE).noise
    assert opened().charge(noise).releases == (noise,)
    with pytest.raises(pf.CertificationError, match="radius"):
        pf.Ledger(scenario=TABLES, budget=PURE, radius=0.5).charge(noise)
    enough = pf.calibrate(TABLES, PURE, radius=0.5).noise
    pf.Ledger(scenario=TABLES, budget=PURE, radius=0.5).charge(enough)


@pytest.mark.parametrize("radius", [-0.5, math.nan, math.inf, "wide"])
def test_a_radius_that_is_none_is_refused_before_any_release(radius: object) -> None:
    with pytest.raises(pf.InvalidInputError, match="radius"):
        pf.Ledger(scenario=TABLES, budget=PURE, radius=radius)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 7.3])
@pytest.mark.parametrize("share", [0.35, 0.9])
def test_between_public_bounds_the_scale_that_is_named_fits(epsilon: float, share: float) -> None:
    """Where laws may be wrong there is no coupling; a smaller scale is refused."""
    values = [float(each) for each in range(30)]
    even = pf.Discrete(values, [1 / 30] * 30)
    belief = pf.Belief({"a": even, "b": even}, name="x", provenance="public", cap=(0.0, 29.0))
    begun = pf.Ledger(
        scenario=pf.Scenario([belief]), budget=pf.Guarantee(epsilon), wrong=0.1, width=29.0
    ).charge(pf.LaplaceNoise(scale=29.1 / (epsilon * share), grid=2.0**-20))
    with pytest.raises(pf.BudgetExceededError, match="would fit") as refused:
        begun.charge(pf.LaplaceNoise(scale=29.0 / epsilon, grid=2.0**-20))
    named = float(str(refused.value).partition("last release, scale ")[2].split()[0])
    begun.charge(pf.LaplaceNoise(scale=named, grid=2.0**-20))
    with pytest.raises(pf.BudgetExceededError):
        begun.charge(pf.LaplaceNoise(scale=0.98 * named, grid=2.0**-20))
