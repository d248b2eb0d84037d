"""What draws of a row cost whatever anybody believes: compared with the joint laws themselves."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.noise import LaplaceNoise, NoNoise, Stratified, Stratum
from pufferfish.recoding.law import Recoding
from pufferfish.theorems.anybody import cost_for_anybody, price_of, width_of

LABELS = ("a", "b", "c")
APART = np.ones((3, 3)) - np.eye(3)


def response(kappa: float) -> Recoding:
    """Randomised response, which keeps the floor κ between any two labels."""
    stay = math.exp(kappa)
    matrix = np.where(np.eye(3) > 0, stay, 1.0) / (stay + 2.0)
    return Recoding.from_matrix(LABELS, matrix, floor=kappa * (1 + 1e-9), distances=APART)


@pytest.mark.parametrize("kappa", [0.1, 0.7, 3.0])
def test_a_floor_is_what_a_draw_costs(kappa: float) -> None:
    assert kappa * (1 - 1e-12) <= price_of(response(kappa)) <= kappa * (1 + 1e-9)


def test_several_draws_tell_no_more_than_the_sum_and_some_law_attains_it() -> None:
    maps = [response(0.3), response(0.5)]
    first, second = (each.table / 2.0**62 for each in maps)
    total = sum(map(price_of, maps))
    joint = {
        (y, z): first[:, y] * second[:, z] for y, z in product(range(3), range(3))
    }  # of each label, how likely both draws are

    def told(one: np.ndarray, other: np.ndarray) -> float:
        return max(math.log((one @ each) / (other @ each)) for each in joint.values())

    draws = np.random.default_rng(5)
    for _ in range(200):
        assert told(*draws.dirichlet(np.full(3, 0.3), size=2)) <= total
    assert told(np.eye(3)[0], np.eye(3)[1]) == pytest.approx(total)
    # One draw alone is far below what two say together.
    assert total > 1.5 * price_of(maps[0])


def test_strata_cost_what_the_weakest_costs() -> None:
    law = Stratified(
        columns=("sex",),
        strata=(Stratum(("F",), response(0.2)), Stratum(("M",), response(0.6))),
    )
    assert price_of(law) == price_of(response(0.6))


def test_what_nothing_bounds() -> None:
    bare = Recoding.from_matrix(LABELS, np.full((3, 3), 1 / 3))
    assert price_of(bare) == math.inf  # claims no floor
    assert price_of(NoNoise()) == math.inf
    assert price_of(LaplaceNoise(2.0)) == math.inf
    assert price_of(pf.GaussianNoise(2.0), width=3.0) == math.inf


def test_a_missing_value_gets_no_noise() -> None:
    """Noise blurs the bins and not whether there is a value: there the map alone counts."""
    whole = 2**62
    noise = LaplaceNoise(100.0, grid=0.25)
    bins, row = (
        [[whole // 2, whole // 2], [whole // 4, 3 * whole // 4]],
        [whole // 64, 63 * whole // 64],
    )
    with_hole = Recoding(
        values=(0.0, 1.0, None), outputs=(0.0, 1.0), table=[*bins, row], edges=(0.5,), noise=noise
    )
    without = Recoding(values=(0.0, 1.0), outputs=(0.0, 1.0), table=bins, edges=(0.5,), noise=noise)
    assert price_of(without, 1.0) == 1.25 / 100.0
    assert price_of(with_hole, 1.0) == pytest.approx(math.log(32.0))


def test_a_hole_that_is_published_has_no_price() -> None:
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    whole = pf.Scenario(pf.Belief(laws))
    holes = pf.Scenario(pf.Belief(laws, missing={"a": 0.1}))
    noises = [LaplaceNoise(4.0), LaplaceNoise(8.0)]
    assert cost_for_anybody(whole, noises, 2.0) == 0.75
    assert cost_for_anybody(holes, noises, 2.0) == math.inf
    assert cost_for_anybody(whole, [*noises, NoNoise()], 2.0) == math.inf
    assert cost_for_anybody(whole, noises, width_of(None)) == math.inf


def test_noise_within_bounds() -> None:
    assert price_of(LaplaceNoise(2.0, grid=0.25), width=3.0) == 3.25 / 2.0
