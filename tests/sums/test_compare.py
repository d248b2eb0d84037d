"""Every answer in one table, and the words beside it."""

from __future__ import annotations

import pytest

import pufferfish as pf
from pufferfish.sums import (
    binary,
    calibrate_sum,
    check_limit,
    compare_sum,
    explain_sum,
    identical,
    together,
)

COINS = together(binary([0.5], counts=[36]), binary([0.002], 18.0))
GOAL = pf.Guarantee(1.0, 1e-3)


def test_the_coins_side_by_side() -> None:
    found = {each.name: each for each in compare_sum(COINS, GOAL).methods}
    assert {name: each.valid for name, each in found.items()} == {
        "exact": True,
        "Gaussian belief": False,
        "cor-1a, τ exact": False,
        "cor-1a, τ lambert": False,
        "classic DP, δ = 0": True,
        "no noise": False,
    }
    classic = found["classic DP, δ = 0"]
    assert classic.epsilon_upper <= 1.0
    assert classic.calibration.noise.std == pytest.approx(18.0 * 2**0.5, rel=2e-6)
    assert classic.against_exact == pytest.approx(18.0 / 1.76555, rel=1e-5)


def test_users_alike_have_the_papers_own_formula() -> None:
    found = compare_sum(identical(10, 1.0, 1.0), GOAL)
    names = [each.name for each in found.methods]
    assert names[0] == "exact"
    assert "cor-1a-identical, τ lambert" in names
    assert dict(found.refused).keys() == {"cor-1b", "classic DP, δ = 0"}
    assert all(each.valid for each in found.methods if each.name != "no noise")
    assert all((each.against_exact or 1.0) >= 1.0 for each in found.methods[:-1])


def test_a_value_without_exceptions_is_the_same_for_all() -> None:
    found = compare_sum(COINS, pf.Guarantee(1.0), "value")
    scales = {each.calibration.noise.std for each in found.methods if each.name != "no noise"}
    # The classic one leaves 1e-6 of ε for rounding.
    assert max(scales) == pytest.approx(min(scales), rel=2e-6)


def test_repeats_that_cannot_be_charged_are_not_covered() -> None:
    users = binary([0.01 * k for k in range(1, 31)], [1.0 + k % 3 for k in range(30)])
    found = compare_sum(users, GOAL)
    assert all(each.epsilon_of_two is None for each in found.methods)


def test_the_explanation_says_who_decides_and_what_a_gaussian_would_have_cost() -> None:
    text = " ".join(explain_sum(calibrate_sum(COINS, GOAL), check_limit(COINS, GOAL)).split())
    for part in (
        "PRIVATE",
        "37 independent users",
        "The user who decides: user 37",
        "central limit theorem",
        "BROKEN",
        "in truth it is 0.00193",
        "Not promised",
        "2 releases ε = 10.2",
    ):
        assert part in text


def test_the_explanation_of_no_noise_warns() -> None:
    found = calibrate_sum(identical(1000, 1.0, 1.0, provenance="public"), GOAL)
    text = " ".join(explain_sum(found).split())
    assert "Noise to add: none" in text
    assert "published only once" in text
    assert "PRIVATE" not in text


def test_an_uncertified_scale_is_marked() -> None:
    shown = calibrate_sum(COINS, GOAL, method="gaussian", certified_only=False)
    assert explain_sum(shown).startswith("NOT CERTIFIED")
