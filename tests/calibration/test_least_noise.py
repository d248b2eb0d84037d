"""Calibration: enough noise, no more than that, and honest refusals."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from mpmath import mp, mpf

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.core.ladder import rung_up
from tests.support import scenario_of

MIXTURE = pf.GaussianMixture([0.25, 0.75], [-1.0, 2.0], [0.5, 1.0])
TABLE = pf.Discrete([0.0, 1.0, 4.0], [0.5, 0.25, 0.25])
PAIRS: dict[str, tuple[Prior, Prior]] = {
    "Gaussians": (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.5, 1.25)),
    "mixtures": (MIXTURE, pf.GaussianMixture([0.5, 0.5], [0.0, 2.5], [1.0, 0.75])),
    "tables": (TABLE, pf.Discrete([0.0, 2.0, 4.0], [0.25, 0.25, 0.5])),
    "table and mixture": (TABLE, MIXTURE),
}
GOALS = [pf.Guarantee(1.0), pf.Guarantee(0.25), pf.Guarantee(1.0, 1e-3), pf.Guarantee(3.0, 1e-6)]


def size_of(noise: object) -> float:
    if isinstance(noise, pf.LaplaceNoise):
        return noise.scale
    assert isinstance(noise, pf.GaussianNoise)
    return noise.std


def unfolded(found: pf.Calibration) -> str:
    """The explanation on one line, wherever it was folded."""
    return " ".join(found.explain().split())


def is_power_of_two(number: float) -> bool:
    return math.frexp(number)[0] == 0.5


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_laplace_noise_is_enough_and_not_too_much(name: str, goal: pf.Guarantee) -> None:
    scenario = scenario_of(*PAIRS[name])
    found = pf.calibrate(scenario, goal)
    noise = found.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert noise.grid is not None
    assert (found.scenario, found.goal, found.method) == (scenario, goal, "exact")
    assert found.certificate.holds is True
    assert found.certificate.noise == noise
    assert pf.verify(scenario, noise, goal) == found.certificate
    # The ideal law of the same size keeps the promise too, and one a little smaller does not.
    assert pf.verify(scenario, pf.LaplaceNoise(noise.scale), goal).holds is True
    # The grid costs about 1e-7 of ε and the search 1e-9: 1e-5 is more than both.
    assert pf.verify(scenario, pf.LaplaceNoise(noise.scale * (1 - 1e-5)), goal).holds is False
    assert is_power_of_two(noise.grid)
    assert noise.grid <= 2.0**-24 * noise.scale * min(1.0, goal.epsilon)
    # Not needlessly fine either: the next power of two would be too large.
    assert 2 * noise.grid > 2.0**-24 * noise.scale * min(1.0, goal.epsilon)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("goal", [goal for goal in GOALS if not goal.pure], ids=str)
def test_gaussian_noise_is_enough_and_not_too_much(name: str, goal: pf.Guarantee) -> None:
    scenario = scenario_of(*PAIRS[name])
    found = pf.calibrate(scenario, goal, mechanism="gaussian")
    noise = found.noise
    assert isinstance(noise, pf.GaussianNoise)
    assert found.certificate.holds is True
    assert pf.verify(scenario, noise, goal) == found.certificate
    # The grid may cost a 2⁻¹⁰ part of δ, which is less than 1e-3 of the size.
    assert pf.verify(scenario, pf.GaussianNoise(noise.std * 0.999), goal).holds is False
    assert noise.grid is not None
    assert is_power_of_two(noise.grid)
    assert noise.grid <= 2.0**-24 * noise.std


def test_a_delta_too_small_for_any_grid_has_none() -> None:
    found = pf.calibrate(
        scenario_of(*PAIRS["Gaussians"]), pf.Guarantee(1.0, 1e-15), mechanism="gaussian"
    )
    assert isinstance(found.noise, pf.GaussianNoise)
    assert found.noise.grid is None
    assert "cannot be drawn safely" in unfolded(found)


@pytest.mark.parametrize(("distance", "epsilon"), [(1.0, 1.0), (0.3, 0.1), (1e6, 2.0), (1e-6, 0.7)])
@pytest.mark.parametrize("prior", [pf.Discrete([0.0], [1.0]), pf.Gaussian(0.0, 0.3), TABLE])
def test_a_translation_needs_its_distance_over_epsilon(
    prior: Prior, distance: float, epsilon: float
) -> None:
    scenario = scenario_of(prior, prior.shift(distance))
    scale = size_of(pf.calibrate(scenario, pf.Guarantee(epsilon)).noise)
    with mp.workdps(40):
        apart = mpf(distance)  # prior.shift rounds each value by one unit in the last place
        assert scale >= apart / mpf(epsilon) * (1 - mpf(2) ** -51)
        # Above it by the grid's share of ε, γ/b ≤ 2⁻²⁴·min(1, ε), and the search's 1e-9.
        assert scale <= apart / mpf(epsilon) * (1 + 2 * mpf(2) ** -24 + mpf("2e-9"))


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.25])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_point_masses_have_a_closed_form(epsilon: float, delta: float) -> None:
    # δ = 1 − e^{(ε − Δ/b)/2} solved for b.
    distance = 3.0
    scenario = scenario_of(pf.Discrete([1.0], [1.0]), pf.Discrete([4.0], [1.0]))
    scale = size_of(pf.calibrate(scenario, pf.Guarantee(epsilon, delta)).noise)
    with mp.workdps(40):
        least = mpf(distance) / (mpf(epsilon) - 2 * mp.log(1 - mpf(delta)))
        assert scale >= least
        # The grid costs 2γ/b ≤ 2⁻²³·ε of ε, and of δ its share γ/b; δ enters through −2·log(1−δ).
        assert scale <= least * (1 + 4e-7)


@pytest.mark.parametrize("goal", [pf.Guarantee(1.0), pf.Guarantee(0.01, 1e-9)], ids=str)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("prior", [MIXTURE, TABLE, pf.Gaussian(0.0, 1.0)])
def test_equal_priors_need_no_noise(prior: Prior, noise: str, goal: pf.Guarantee) -> None:
    found = pf.calibrate(scenario_of(prior, prior), goal, mechanism=noise)
    assert found.noise == pf.NoNoise()
    assert found.certificate.holds is True
    assert found.certificate.noise == pf.NoNoise()


def test_no_noise_where_the_priors_alone_keep_the_promise() -> None:
    scenario, goal = (
        scenario_of(pf.Gaussian(0.0, 1.0), pf.Gaussian(0.1, 1.0)),
        pf.Guarantee(1.0, 0.01),
    )
    found = pf.calibrate(scenario, goal)
    assert found.noise == pf.NoNoise()
    text = unfolded(found)
    assert "Noise to add: none" in text
    assert "Do not publish the raw column for this reason alone" in text
    # Pure ε is another promise: without noise the log-ratio is unbounded.
    assert isinstance(pf.calibrate(scenario, pf.Guarantee(1.0)).noise, pf.LaplaceNoise)


def test_tables_that_already_agree_well_enough_need_no_noise() -> None:
    first = pf.Discrete([0.0, 1.0], [0.5, 0.5])
    second = pf.Discrete([0.0, 1.0], [0.4, 0.6])
    assert pf.calibrate(scenario_of(first, second), pf.Guarantee(0.25)).noise == pf.NoNoise()
    # log(0.5/0.4) = 0.223.
    assert pf.calibrate(scenario_of(first, second), pf.Guarantee(0.2)).noise != pf.NoNoise()


# What cannot be reached.


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.0, 1.5)),
        (pf.Gaussian(0.0, 1.0), pf.Gaussian(0.5, 1.0)),
        (pf.Discrete([0.0, 1.0], [0.5, 0.5]), pf.Discrete([0.0, 2.0], [0.5, 0.5])),
        (TABLE, MIXTURE),
    ],
)
def test_gaussian_noise_cannot_be_pure_where_the_widest_components_differ(
    first: Prior, second: Prior
) -> None:
    belief = pf.Belief({"red": first, "blue": second}, name="expert")
    with pytest.raises(pf.UnreachableGoalError) as caught:
        pf.calibrate(pf.Scenario([belief]), pf.Guarantee(1.0), mechanism="gaussian")
    message = str(caught.value)
    for part in ("'red'", "'blue'", "'expert'", "Laplace", "delta"):
        assert part in message


@pytest.mark.parametrize(("offset", "has_grid"), [(0.0, True), (0.1, False)])
def test_gaussian_noise_can_be_pure_where_the_extreme_atoms_agree(
    offset: float, has_grid: bool
) -> None:
    first = pf.Discrete([0.0, 1.0, 4.0], [0.5, 0.25, 0.25]).shift(offset)
    second = pf.Discrete([0.0, 2.0, 4.0], [0.25, 0.25, 0.5]).shift(offset)
    scenario, goal = scenario_of(first, second), pf.Guarantee(1.0)
    found = pf.calibrate(scenario, goal, mechanism="gaussian")
    noise = found.noise
    assert isinstance(noise, pf.GaussianNoise)
    assert found.certificate.holds is True
    assert found.certificate.epsilon_upper <= 1.0
    assert pf.verify(scenario, pf.GaussianNoise(noise.std * (1 - 1e-5)), goal).holds is False
    # A proven grid needs every atom on it; 0.1 is on none.
    assert (noise.grid is not None) is has_grid
    if noise.grid is not None:
        assert is_power_of_two(noise.grid)
        assert noise.grid <= 2.0**-24 * noise.std


def test_gaussian_noise_can_be_pure_for_mixtures_that_share_their_widest_component() -> None:
    scenario = scenario_of(
        pf.GaussianMixture([0.5, 0.5], [0.0, 0.0], [3.0, 1.0]),
        pf.GaussianMixture([0.5, 0.5], [0.0, 1.0], [3.0, 1.0]),
    )
    found = pf.calibrate(scenario, pf.Guarantee(0.25), mechanism="gaussian")
    assert found.certificate.holds is True
    assert isinstance(found.noise, pf.GaussianNoise)
    smaller = pf.GaussianNoise(found.noise.std * (1 - 1e-5))
    assert pf.verify(scenario, smaller, pf.Guarantee(0.25)).holds is False
    # As the noise grows, at y = c·variance the ratio tends to (1 + e^{c−4c²})/(1 + e^{−4c²}),
    # whose largest logarithm, near c = 0.46, is 0.1617: no noise goes below that.
    floor = max(
        math.log1p(math.exp(c - 4 * c * c)) - math.log1p(math.exp(-4 * c * c))
        for c in (step / 1000 for step in range(1000))
    )
    assert floor == pytest.approx(0.1617, abs=1e-4)
    with pytest.raises(pf.UnreachableGoalError, match=r"pair \('a', 'b'\) of belief 'belief'"):
        pf.calibrate(scenario, pf.Guarantee(0.99 * floor), mechanism="gaussian")


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("missing", "goal"),
    [
        ({"red": 0.1}, pf.Guarantee(1.0)),  # one of them is never missing
        ({"red": 0.1}, pf.Guarantee(5.0, 0.05)),
        ({"red": 0.4, "blue": 0.1}, pf.Guarantee(1.0)),  # 0.4 > e·0.1
        ({"red": 0.9, "blue": 0.5}, pf.Guarantee(0.5, 1e-6)),
        ({"red": 0.05, "blue": 0.7}, pf.Guarantee(1.0)),  # 0.95 > e·0.3, and 0.7 > e·0.05
    ],
)
def test_holes_that_betray_the_secret_are_refused_whatever_the_noise(
    missing: dict[str, float], goal: pf.Guarantee, noise: str
) -> None:
    belief = pf.Belief({"red": TABLE, "blue": TABLE}, name="expert", missing=missing)
    with pytest.raises(pf.UnreachableGoalError) as caught:
        pf.calibrate(pf.Scenario([belief]), goal, mechanism=noise)
    message = str(caught.value)
    for part in ("missing values", "'red'", "'blue'", "'expert'", "--mechanism recode"):
        assert part in message
    # The ε that the message names is enough for the holes, and hardly less is.
    enough = re.search(r"they alone need an ε of at least ([0-9.]*[0-9])", message)
    assert (enough is None) == ("no ε is large enough" in message)
    # A larger ε is advised only where one is enough.
    assert (enough is None) == ("choose a larger epsilon" not in message)
    if enough is None:
        return
    needed = float(enough[1])
    pf.calibrate(pf.Scenario([belief]), pf.Guarantee(needed, goal.delta), mechanism=noise)
    with pytest.raises(pf.UnreachableGoalError):
        pf.calibrate(
            pf.Scenario([belief]), pf.Guarantee(0.99 * needed, goal.delta), mechanism=noise
        )


def test_the_pair_that_needs_the_largest_epsilon_is_named() -> None:
    missing = {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.05}
    belief = pf.Belief(dict.fromkeys(missing, TABLE), missing=missing)
    with pytest.raises(pf.UnreachableGoalError) as caught:
        pf.calibrate(pf.Scenario([belief]), pf.Guarantee(0.5))
    message = str(caught.value)
    assert "('b', 'd')" in message
    assert "at least 1.8" in message  # log(0.3/0.05) = 1.79...
    assert "--missing drop" in message
    known = replace(belief, name="knows sex", given={"sex": "F"})
    with pytest.raises(pf.UnreachableGoalError) as caught:
        pf.calibrate(pf.Scenario([belief, known]), pf.Guarantee(0.5))
    assert "--missing drop" not in str(caught.value)


def test_holes_that_betray_little_are_paid_for_with_noise() -> None:
    goal = pf.Guarantee(1.0)
    plain = scenario_of(*PAIRS["tables"])
    holed = scenario_of(*PAIRS["tables"], missing={"a": 0.1, "b": 0.2})
    without, with_holes = (size_of(pf.calibrate(each, goal).noise) for each in (plain, holed))
    # log(0.9/0.8) of ε is spent before the value is seen.
    assert with_holes > without
    assert pf.verify(holed, pf.LaplaceNoise(without), goal).holds is False
    assert pf.verify(holed, pf.LaplaceNoise(with_holes * (1 - 1e-5)), goal).holds is False


# Several pairs and beliefs.


def test_several_beliefs_take_the_worst() -> None:
    goal = pf.Guarantee(1.0, 1e-3)
    beliefs = [
        pf.Belief({"a": first, "b": second}, name=name) for name, (first, second) in PAIRS.items()
    ]
    alone = {
        belief.name: size_of(pf.calibrate(pf.Scenario([belief]), goal).noise) for belief in beliefs
    }
    together = pf.calibrate(pf.Scenario(beliefs), goal)
    worst = max(alone, key=lambda name: alone[name])
    # Each search stops within about 1e-9 of its root.
    assert size_of(together.noise) == pytest.approx(alone[worst], rel=1e-8)
    assert together.certificate.worst.belief == worst
    for belief in beliefs:
        assert pf.verify(pf.Scenario([belief]), together.noise, goal).holds is True
    reverse = pf.calibrate(pf.Scenario(beliefs[::-1]), goal)
    assert size_of(reverse.noise) == pytest.approx(size_of(together.noise), rel=1e-8)


def test_the_pair_that_looks_hardest_need_not_be() -> None:
    # By means and spreads "far" looks worst; the narrow pair needs more noise at small δ.
    belief = pf.Belief(
        {
            "narrow": pf.Discrete([0.0], [1.0]),
            "near": pf.Discrete([1.0], [1.0]),
            "wide": pf.Gaussian(0.0, 100.0),
            "far": pf.Gaussian(2.0, 100.0),
        }
    )
    pairs = [("wide", "far"), ("narrow", "near")]
    goal = pf.Guarantee(0.5, 0.01)
    found = pf.calibrate(pf.Scenario([belief], pairs=pairs), goal)
    assert found.certificate.worst.pair == ("narrow", "near")
    assert (
        pf.verify(
            pf.Scenario([belief], pairs=pairs), pf.LaplaceNoise(size_of(found.noise) * 0.99), goal
        ).holds
        is False
    )


def many_secrets() -> pf.Scenario:
    """45 pairs."""
    priors = {
        number: pf.GaussianMixture(
            [0.5, 0.5], [number / 8, 3.0 + (number * 7 % 5) / 4], [1.0, 0.5 + number / 16]
        )
        for number in range(10)
    }
    return pf.Scenario([pf.Belief(priors)])


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_the_ladder_rounds_up_and_certifies(kind: Any) -> None:
    scenario, goal = scenario_of(*PAIRS["mixtures"]), pf.Guarantee(1.0, 1e-3)
    exact = pf.calibrate(scenario, goal, kind).noise
    found = pf.calibrate(scenario, goal, kind, rounding="ladder")
    assert found.certified
    assert size_of(found.noise) == rung_up(size_of(exact))
    assert found.noise.grid is not None


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_a_size_that_is_given_is_certified_as_it_is(kind: Any) -> None:
    scenario, goal = scenario_of(*PAIRS["mixtures"]), pf.Guarantee(1.0, 1e-3)
    exact = size_of(pf.calibrate(scenario, goal, kind).noise)
    found = pf.calibrate(scenario, goal, kind, size=1.001 * exact)
    assert found.certified
    assert found.method == "given"
    assert size_of(found.noise) == 1.001 * exact
    # The refusal names the rung, and nothing that is closer to the least size.
    with pytest.raises(pf.CertificationError) as refused:
        pf.calibrate(scenario, goal, kind, size=0.07)
    numbers = {float(each) for each in re.findall(r"\d+\.?\d*", str(refused.value))}
    ladder = {1.0, 1.25, 1.6, 2.0}  # "sizes are rounded up to 1, 1.25, 1.6, 2, ..."
    assert numbers == {1.0, 0.001, 0.07, rung_up(exact)} | ladder


def test_a_size_that_is_given_is_not_rounded_or_found_by_a_method() -> None:
    scenario, goal = scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match="one of size and rounding"):
        pf.calibrate(scenario, goal, size=100.0, rounding="ladder")
    with pytest.raises(pf.InvalidInputError, match="finds a size of its own"):
        pf.calibrate(scenario, goal, method="coupling", size=100.0)
    with pytest.raises(pf.InvalidInputError, match="size must be greater than 0"):
        pf.calibrate(scenario, goal, size=0.0)
    with pytest.raises(pf.InvalidInputError, match="rounding must be one of"):
        pf.calibrate(scenario, goal, rounding="digits")  # type: ignore[arg-type]


def test_a_radius_is_kept_by_a_size_that_is_given() -> None:
    scenario, goal = scenario_of(*PAIRS["mixtures"]), pf.Guarantee(1.0)
    wider = pf.calibrate(scenario, goal, radius=0.2).noise
    assert pf.calibrate(scenario, goal, radius=0.2, size=1.001 * size_of(wider)).certified
    with pytest.raises(pf.CertificationError, match="sizes are rounded up to"):
        pf.calibrate(scenario, goal, radius=0.2, size=0.999 * size_of(wider))


def test_progress_ends_at_the_total() -> None:
    calls: list[tuple[int, int]] = []
    scenario, goal = many_secrets(), pf.Guarantee(1.0, 1e-2)
    pf.calibrate(scenario, goal, progress=lambda done, total: calls.append((done, total)))
    assert {total for _, total in calls} == {45}
    assert calls[-1] == (45, 45)
    # Once for the search and once for the final certificate.
    assert sum(done == 45 for done, _ in calls) == 2
    calls.clear()
    pf.verify(scenario, pf.LaplaceNoise(2.0), goal, progress=lambda *each: calls.append(each))
    assert calls == [(done, 45) for done in range(1, 46)]


def test_two_workers_find_what_one_finds() -> None:
    scenario, goal = many_secrets(), pf.Guarantee(1.0, 1e-2)
    calls: list[tuple[int, int]] = []
    one = pf.calibrate(scenario, goal, workers=1)
    two = pf.calibrate(scenario, goal, workers=2, progress=lambda *each: calls.append(each))
    assert two == one
    assert calls[-1] == (45, 45)


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", None])
def test_refused_workers(workers: object) -> None:
    scenario, goal = scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match="workers"):
        pf.verify(scenario, pf.LaplaceNoise(1.0), goal, workers=workers)
    with pytest.raises(pf.InvalidInputError, match="workers"):
        pf.calibrate(scenario, goal, workers=workers)


# Arguments.


def test_unknown_choices_are_answered_with_the_known_ones() -> None:
    scenario, goal = scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match=r"mechanism 'cauchy'.*'laplace', 'gaussian'"):
        pf.calibrate(scenario, goal, "cauchy")
    with pytest.raises(pf.InvalidInputError, match=r"method 'guess'.*'exact'"):
        pf.calibrate(scenario, goal, method="guess")
    with pytest.raises(pf.InvalidInputError, match=r"got LaplaceNoise.*use pf\.verify"):
        pf.calibrate(scenario, goal, mechanism=pf.LaplaceNoise(1.0))


def test_other_arguments_are_refused() -> None:
    scenario, goal = scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0)
    with pytest.raises(pf.InvalidInputError, match="scenario must be a Scenario"):
        pf.calibrate(pf.Belief({"a": TABLE, "b": TABLE}), goal)
    with pytest.raises(pf.InvalidInputError, match="goal must be a Guarantee"):
        pf.calibrate(scenario, 1.0)
    with pytest.raises(pf.InvalidInputError, match="goal must be a Guarantee"):
        pf.verify(scenario, pf.LaplaceNoise(1.0), (1.0, 0.0))
    with pytest.raises(pf.InvalidInputError, match="noise must be"):
        pf.verify(scenario, "laplace", goal)
    with pytest.raises(pf.InvalidInputError, match="scenario must be a Scenario"):
        pf.verify(TABLE, pf.LaplaceNoise(1.0), goal)
    for epsilons in ([], [-1.0], [math.nan], ["1"]):
        with pytest.raises(pf.InvalidInputError, match="epsilon"):
            pf.privacy_profile(scenario, pf.LaplaceNoise(1.0), epsilons)


# In words.


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_explanation_has_numbered_steps_and_the_size(noise: str) -> None:
    scenario = scenario_of(*PAIRS["mixtures"], name="the expert")
    found = pf.calibrate(scenario, pf.Guarantee(1.0, 1e-3), mechanism=noise)
    text = found.explain()
    numbers = [int(each) for each in re.findall(r"^(\d+)\. ", text, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 5
    shown = re.search(
        r"(?:scale|std) ([0-9.]+)[ ,]",
        next(line for line in text.splitlines() if "Noise to add" in line),
    )
    assert shown is not None
    # Whoever copies the six digits that are shown must not add too little.
    assert size_of(found.noise) <= float(shown[1]) <= size_of(found.noise) * (1 + 1e-5)
    flat = unfolded(found)
    for part in ("'the expert'", "'a'", "'b'", "ε = 1", "δ = 0.001", "Certificate: kept"):
        assert part in flat
    assert "0.1% less breaks the promise" in flat


def test_the_explanation_says_what_is_not_promised() -> None:
    text = unfolded(pf.calibrate(scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0)))
    _, _, promise = text.partition("Not promised")
    for part in ("knows more", "several rows share a secret", "other columns"):
        assert part in promise
    assert "Releasing the same value again" in text
    assert text.startswith("PRIVATE")
    public = pf.Belief(dict(zip("ab", PAIRS["tables"], strict=True)), provenance="public")
    text = unfolded(pf.calibrate(pf.Scenario([public]), pf.Guarantee(1.0)))
    assert "PRIVATE" not in text


def test_the_explanation_lists_few_and_counts_the_rest() -> None:
    text = unfolded(pf.calibrate(many_secrets(), pf.Guarantee(1.0, 1e-2)))
    assert "and 4 more secrets" in text
    assert "and 39 more" in text


def test_repeated_releases_are_covered_only_by_the_certificate_that_composes() -> None:
    covered = pf.calibrate(scenario_of(*PAIRS["tables"]), pf.Guarantee(1.0))
    assert covered.composable is not None
    assert covered.composable.cost(1).epsilon > 1.0  # looser than the exact certificate
    assert "A looser one, which adds up" in unfolded(covered)
    alone = pf.calibrate(scenario_of(*PAIRS["mixtures"]), pf.Guarantee(1.0))
    assert alone.composable is None
    assert "not covered, not even once" in unfolded(alone)


@pytest.mark.parametrize("delta", [1e-15, 1e-24, 1e-60, 1e-300])
def test_a_delta_below_resolution_needs_no_more_than_none(delta: float) -> None:
    """δ too small for sums to resolve: the pure size serves, and is not called unreachable."""
    scenario = scenario_of(pf.Gaussian(44.0, 8.0), pf.Gaussian(41.0, 11.0))
    pure = pf.calibrate(scenario, pf.Guarantee(1.0)).noise
    small = pf.calibrate(scenario, pf.Guarantee(1.0, delta)).noise
    # The search steps over a jump here, known only to the 1e-9 of ε*, in steps that grow.
    assert size_of(small) <= size_of(pure) * (1 + 1e-7)


def test_what_is_said_without_noise_is_said_of_the_adversary_who_sees_most() -> None:
    """The table decides how much noise is needed; without noise the mixtures see without bound."""
    beliefs = [pf.datasets.adult_mixtures(), pf.datasets.adult_tables()]
    scenario = pf.Scenario(beliefs, pairs=[("Black", "Asian-Pac-Islander")])
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0))
    assert calibration.certificate.worst.belief == "Adult table"
    text = unfolded(calibration)
    assert 'as "paper\'s mixtures" sees it: the odds can move without bound' in text


def test_the_least_noise_for_laws_that_may_be_wrong() -> None:
    """Certified, a root, more than without, and more the more wrong laws may be."""
    laws = {"a": pf.Discrete([1, 2, 5], [0.5, 0.3, 0.2]), "b": pf.Discrete([1, 4], [0.4, 0.6])}
    scenario = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0)))
    for goal in (pf.Guarantee(1.0), pf.Guarantee(0.7, 0.02)):
        sizes = [pf.calibrate(scenario, goal).noise.size]
        for wrong in (0.001, 0.01, 0.05):
            found = pf.calibrate(scenario, goal, wrong=wrong)
            noise = found.noise
            assert found.certificate.wrong == wrong
            assert pf.verify(scenario, noise, goal, wrong=wrong) == found.certificate
            less = pf.verify(scenario, noise.ideal(0.999), goal, wrong=wrong)
            assert found.certificate.holds is True
            assert less.holds is not True
            sizes.append(noise.size)
        assert sizes == sorted(sizes)


def test_a_size_that_was_given_must_cover_laws_that_may_be_wrong() -> None:
    laws = {"a": pf.Discrete([1, 2], [0.5, 0.5]), "b": pf.Discrete([1, 4], [0.4, 0.6])}
    scenario, goal = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0))), pf.Guarantee(1.0)
    least = pf.calibrate(scenario, goal).noise.size
    assert pf.calibrate(scenario, goal, size=1.1 * least).certificate.holds
    with pytest.raises(pf.CertificationError, match="larger"):
        pf.calibrate(scenario, goal, size=1.1 * least, wrong=0.05)
    found = pf.calibrate(scenario, goal, size=8.0 * least, wrong=0.05)
    assert found.method == "given"
    assert found.certificate.wrong == 0.05


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"mechanism": "gaussian"}, pf.UnsupportedError),
        ({"method": "coupling"}, pf.UnsupportedError),
        ({"method": "thm-2"}, pf.UnsupportedError),
        ({"radius": 0.5}, pf.InvalidInputError),
    ],
)
def test_wrong_laws_are_refused_where_nothing_is_proven(
    asked: dict[str, Any], error: type[Exception]
) -> None:
    laws = {"a": pf.Discrete([1, 2], [0.5, 0.5]), "b": pf.Discrete([1, 4], [0.4, 0.6])}
    scenario = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0)))
    with pytest.raises(error):
        pf.calibrate(scenario, pf.Guarantee(1.0, 0.01), wrong=0.05, **asked)


def test_repeats_are_not_covered_for_laws_that_may_be_wrong() -> None:
    laws = {"a": pf.Discrete([1, 2], [0.5, 0.5]), "b": pf.Discrete([1, 4], [0.4, 0.6])}
    scenario = pf.Scenario(pf.Belief(laws, cap=(0.0, 8.0)))
    assert pf.calibrate(scenario, pf.Guarantee(1.0)).composable is not None
    found = pf.calibrate(scenario, pf.Guarantee(1.0), wrong=0.05)
    assert found.composable is None
    # Between the public bounds, 8 apart, noise has a price for everybody, and it is no coupling's.
    said = unfolded(found)
    assert "which holds whatever anybody believes, adds up" in said
    twice = re.search(r"two releases ε = (\d+\.\d+)", said)
    assert twice is not None
    exact = 2 * 8.0 / found.noise.size
    assert exact <= float(twice[1]) <= exact * 1.001
