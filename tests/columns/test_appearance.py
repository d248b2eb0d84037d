"""True releases pass, whatever the column; raw and under-noised columns fail where that can be."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.calibration.postprocess import Clip, RoundTo
from pufferfish.columns.appearance import FALSE_ALARM, MOST_LOOKED_AT, appearance
from pufferfish.noise import Law
from pufferfish.sampling import discrete_gaussian, discrete_laplace

GRID = 2.0**-25
LAPLACE = pf.LaplaceNoise(1.0078, GRID)
GAUSSIAN = pf.GaussianNoise(1.4, GRID)
WHOLE = np.repeat(np.arange(1.0, 17.0), 2_000)
# Columns that make a false alarm as likely as it can be: all alike, spaced, few, wide.
COLUMNS = {
    "constant": np.zeros(20_000),
    "whole": WHOLE,
    "tenths": np.round(np.linspace(150.0, 190.0, 20_000), 1),
    "one row": np.array([13.0]),
    "three rows": np.array([1.0, 2.0, 2.0]),
    "wide": np.linspace(-1e6, 1e6, 5_000),
    "far": np.full(5_000, 2.0**34),
    "farther than doubles tell": np.full(5_000, 2.0**34 - 64.0),
}


def noised(column: Any, noise: Any, seed: int, factor: float = 1.0) -> Any:
    """By the sampler of the library, with a seed."""
    source = pf.NotPrivateEntropy(seed)
    steps = np.rint(column / noise.grid).astype(np.int64)
    if isinstance(noise, pf.LaplaceNoise):
        rate = Fraction(noise.grid) / Fraction(factor * noise.scale)
        steps = steps + discrete_laplace(column.size, rate, source)
    else:
        std = Fraction(factor * noise.std) / Fraction(noise.grid)
        steps = steps + discrete_gaussian(column.size, std, source)
    return steps * noise.grid


def after(values: Any, steps: tuple[Any, ...]) -> Any:
    for step in steps:
        if isinstance(step, Clip):
            values = np.clip(values, step.low, step.high)
        else:
            values = np.rint(values / step.step) * step.step
    return values


STEPS: dict[str, tuple[Any, ...]] = {
    "as it is": (),
    "rounded": (RoundTo(1.0),),
    "finely rounded": (RoundTo(0.01),),
    "clipped": (Clip(2.5, 9.3),),
    "rounded, clipped": (RoundTo(0.3), Clip(1.0, 16.0)),
    "clipped, rounded": (Clip(1.1, 16.2), RoundTo(0.5)),
}


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_true_release_is_not_accused(name: str, steps: str, noise: Any) -> None:
    """Each of these raises a false alarm at most once in a million seeds."""
    assert FALSE_ALARM <= 1e-6
    for seed in range(5):
        values = after(noised(COLUMNS[name], noise, seed), STEPS[steps])
        assert appearance([values], noise, STEPS[steps]).verdict is not False


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_noise_that_is_a_tenth_too_small_is_found_where_nothing_hides_it(noise: Any) -> None:
    column = np.zeros(200_000)
    assert appearance([noised(column, noise, 1)], noise, ()).verdict is True
    assert appearance([noised(column, noise, 1, 0.9)], noise, ()).verdict is False


def test_noise_that_doubles_cannot_show_is_not_accused() -> None:
    """Noise of 1e-17 on zeros and ones: the ones stay what they are."""
    slight = pf.LaplaceNoise(1e-17, 2.0**-81)
    values = noised(np.zeros(2_000), slight, 8) + np.arange(2_000) % 2
    assert appearance([values], slight, ()).verdict is not False
    assert appearance([values[values >= 0.5]], slight, ()).verdict is not False


@pytest.mark.parametrize("factor", [1e-3, 0.1, 0.5])
def test_too_little_noise_on_whole_numbers_is_found(factor: float) -> None:
    assert appearance([noised(WHOLE, LAPLACE, 2, factor)], LAPLACE, ()).verdict is False


def test_raw_whole_numbers_are_found() -> None:
    for rows in (2, 3, 100, WHOLE.size):
        found = appearance([WHOLE[:rows]], LAPLACE, ())
        assert found.verdict is False
        assert "multiples of" in found.detail


def test_a_few_raw_values_among_noised_ones_are_found() -> None:
    values = noised(WHOLE, LAPLACE, 3)
    values[:3] = 7.0, 8.0, 9.0
    assert appearance([values], LAPLACE, ()).verdict is False


def test_raw_decimals_that_were_put_on_the_grid_are_found_by_their_repeats() -> None:
    raw = np.rint(COLUMNS["tenths"] / GRID) * GRID
    # No multiples of anything coarse.
    raw = raw[raw % 0.5 != 0.0]
    found = appearance([raw], LAPLACE, ())
    assert found.verdict is False
    assert "occurs" in found.detail


def test_a_column_that_is_narrower_than_its_noise_is_found() -> None:
    draw = np.random.default_rng(4)
    narrow = np.rint(draw.normal(0.0, 0.9 * LAPLACE.std, 50_000) / GRID) * GRID
    found = appearance([narrow], LAPLACE, ())
    assert found.verdict is False
    assert "std" in found.detail


@pytest.mark.parametrize(
    ("values", "steps", "what"),
    [
        ([0.1, 0.2], (), "multiples"),
        ([np.inf, 1.0], (), "infinite"),
        ([1.0, 2.5], (RoundTo(1.0),), "multiples"),
        ([1.0, 17.0], (RoundTo(1.0), Clip(1.0, 16.0)), "outside"),
        ([1.0, 17.0], (Clip(1.0, 16.0), RoundTo(1.0)), "outside"),
        ([1.25, 9.3], (RoundTo(1.0), Clip(1.1, 9.3)), "multiples"),
        ([1.0], (RoundTo(1.0), Clip(1.1, 9.3)), "outside"),
    ],
)
def test_values_that_cannot_be_are_found(values: Any, steps: Any, what: str) -> None:
    found = appearance([np.array(values)], LAPLACE, steps)
    assert found.verdict is False
    assert what in found.detail


def test_what_cannot_be_told_is_not_claimed() -> None:
    rounded = appearance([WHOLE], LAPLACE, (RoundTo(1.0),))
    assert rounded.verdict is None
    assert "rounded to steps of 1" in rounded.detail
    clipped = after(noised(WHOLE, LAPLACE, 5), (Clip(8.0, 8.5),))
    assert appearance([clipped], LAPLACE, (Clip(8.0, 8.5),)).verdict is None
    assert appearance([WHOLE], pf.NoNoise(), ()).verdict is None
    assert appearance([np.array([np.nan])], LAPLACE, ()).verdict is None
    assert appearance([], LAPLACE, ()).verdict is None


def test_rows_are_counted_with_holes_and_over_all_parts() -> None:
    part = noised(np.zeros(100), LAPLACE, 6)
    part[7] = np.nan
    assert appearance([part, part[:50]], LAPLACE, ()).rows == 150


def test_the_grid_is_checked_beyond_what_is_looked_at_closely() -> None:
    part = np.rint(np.linspace(0.0, 1e6, 2**18) / GRID) * GRID
    parts = [part + GRID * number for number in range(MOST_LOOKED_AT // part.size + 1)]
    assert appearance(parts, LAPLACE, ()).verdict is True
    assert appearance([*parts, np.array([0.1])], LAPLACE, ()).verdict is False


def test_of_another_law_nothing_is_said() -> None:
    class Recoded(Law):
        def output(self, prior: object) -> None:
            return None

        def error(self, frequencies: object = None) -> float:
            return 1.0

    found = appearance([np.array([1.0, math.nan]), np.array([2.0])], Recoded(), ())
    assert (found.rows, found.verdict) == (3, None)
