"""What may be given, what is refused, and what is printed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf
from pufferfish import denoise
from pufferfish.denoise import bandwidth as bandwidth_rule
from pufferfish.denoise import columns
from tests import seams
from tests.denoise.simulate import LEVELS, Array, a_release, same

# Columns.


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = pf.LaplaceNoise(1.0)
    y, z = a_release(16, 1200)
    whole = (denoise.slope(y, z, noise), denoise.quantiles(y, noise, [0.5]))
    seams.put(monkeypatch, seams.ROWS_AT_ONCE_IN_DENOISE, 37)
    parts = (denoise.slope(y, z, noise), denoise.quantiles(y, noise, [0.5]))
    assert parts[0].value == pytest.approx(whole[0].value, rel=1e-12)
    assert parts[0].standard_error == pytest.approx(whole[0].standard_error, rel=1e-12)
    assert parts[1] == whole[1]
    assert denoise.histogram(y, pf.NoNoise(), [0, 2]).estimates[0].value == np.mean(
        (y > 0) & (y <= 2)
    )


def test_rows_are_counted_at_the_nearest_point_of_a_line_or_a_circle() -> None:
    y = np.array([-7.6, 0.0, 0.4, 0.6, 2.0, 3.4, 9.0, 4e200])
    line = columns.bin_values(y, 0.0, 1.0, 4)
    assert line.tolist() == [3, 1, 1, 3]
    circle = columns.bin_values(y[:-1], 0.0, 1.0, 4, wrap=True)
    assert circle.tolist() == [3, 2, 1, 1]
    assert columns.bin_values(y, 0.0, 1.0, 4, wrap=True).sum() == 8


def test_a_column_of_floats_is_not_copied_and_others_are_read() -> None:
    y = np.array([1.0, 2.0, 4.0] * 20)
    assert columns.column("values", y, 1) is y
    for other in ([1, 2, 4] * 20, tuple(y), y.astype(int), np.array(y, dtype=np.float32)):
        assert denoise.mean(other, pf.NoNoise()) == denoise.mean(y, pf.NoNoise())


def test_units_at_the_ends_of_the_range_of_floats() -> None:
    y, z = a_release(17, 1200)
    for unit in (1e90, 1e-90):
        noise = pf.LaplaceNoise(unit)
        same(denoise.mean(y * unit, noise), denoise.mean(y, pf.LaplaceNoise(1.0)), 0.0, unit)
        found = denoise.slope(y * unit, z / unit, noise)
        assert found.value * unit * unit == pytest.approx(
            denoise.slope(y, z, pf.LaplaceNoise(1.0)).value
        )
        medians = denoise.quantiles(y * unit, noise, [0.5])
        assert 1.5 * unit < medians.estimates[0].value < 4.0 * unit


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y, noise: denoise.mean([1.0], noise), "at least 2 rows"),
        (lambda y, noise: denoise.variance([1.0, 2.0], noise), "at least 3 rows"),
        (lambda y, noise: denoise.quantiles(y[:99], noise, [0.5]), "at least 100 rows"),
        (lambda y, noise: denoise.mean(np.append(y, math.inf), noise), "row 600 is not"),
        (lambda y, noise: denoise.mean([1.0, math.inf], noise), "finite"),
        (lambda y, noise: denoise.mean(y * 1e101, noise), "at most 1e"),
        (lambda y, noise: denoise.mean(y.reshape(2, -1), noise), "one-dimensional"),
        (lambda y, noise: denoise.mean(np.ma.masked_greater(y, 1.0), noise), "masked"),
        (lambda y, noise: denoise.mean(y > 1.0, noise), "real numbers"),
        (lambda y, noise: denoise.mean(y, 1.0), "noise must be"),
        (lambda y, noise: denoise.slope(y, y[1:], noise), "600 and 599"),
        (lambda y, noise: denoise.quantiles(y, noise, [50]), "ask for 0.5, not 50"),
        (lambda y, noise: denoise.quantiles(y, noise, []), "must not be empty"),
        (lambda y, noise: denoise.quantiles(y, noise, [0.5], bandwidth=0.0), "greater than 0"),
        (lambda y, noise: denoise.quantiles(y, noise, [0.5], bandwidth=1e-9), "at least 0.0001"),
        (lambda y, noise: denoise.histogram(y, noise, [2.0, 1.0]), "greater than the one before"),
        (lambda y, noise: denoise.histogram(y, noise, [1.0]), "at least two"),
        (
            lambda y, noise: denoise.histogram(y, noise, [0.0, 1e9], support="smooth"),
            "too far apart",
        ),
        # Told the wrong noise, or given a column that was clipped: |φ_Y| ≤ φ_N fails.
        (lambda y, noise: denoise.quantiles(y, pf.LaplaceNoise(9.0), [0.5]), "cannot be a column"),
        (lambda y, noise: denoise.quantiles(np.clip(y, 2, 4), noise, [0.5]), "clipped"),
    ],
)
def test_refusals_say_what_is_wrong(
    call: Callable[[Array, pf.Noise], object], message: str
) -> None:
    y, _ = a_release(18)
    with pytest.raises(pf.InvalidInputError, match=message):
        call(y, pf.LaplaceNoise(1.0))


def test_a_curve_that_misses_the_level_leaves_the_whole_bracket() -> None:
    t, band = np.linspace(0.0, 1.0, 11), np.full(11, 0.01)
    for curve, value in ((np.full(11, 0.2), 1.0), (np.full(11, 0.8), 0.0)):
        found = seams.found(seams.INVERT)(t, curve, band, 0.5, (False, False))
        assert (found.value, found.lower, found.upper) == (value, 0.0, 1.0)


# What is printed.


def test_estimates_print_two_digits_of_their_error() -> None:
    def text(value: float, error: float) -> str:
        return str(
            denoise.Estimate(
                value=value, standard_error=error, lower=value - 2 * error, upper=value + 2 * error
            )
        )

    assert text(1.23444, 0.0561) == "1.234 (standard error 0.056, 95%: 1.122 to 1.347)"
    assert text(123456.0, 789.0) == "123460 (standard error 790, 95%: 121880 to 125030)"
    assert text(1e-20, 1e-21) == "1e-20 (standard error 1e-21, 95%: 8e-21 to 1.2e-20)"
    assert text(2.0, math.inf) == "2.0000 (standard error inf, 95%: -inf to inf)"
    assert text(2.0, 0.0) == "2.0000 (standard error 0.0000, 95%: 2.0000 to 2.0000)"
    estimate = denoise.mean([1.0, 2.0, 3.0] * 20, pf.NoNoise())
    assert estimate.excludes_zero
    assert not denoise.mean([-1.0, 1.0] * 30, pf.NoNoise()).excludes_zero
    with pytest.raises(FrozenInstanceError):
        estimate.value = 0.0  # type: ignore[misc]


def test_tables_print_a_line_for_each_estimate() -> None:
    y, _ = a_release(20)
    lines = str(denoise.quantiles(y, pf.LaplaceNoise(1.0), [0.25, 0.5])).splitlines()
    assert [line.split(":")[0] for line in lines] == ["0.25", "0.5"]
    lines = str(denoise.histogram(y, pf.LaplaceNoise(1.0), [0, 2.5, math.inf])).splitlines()
    assert [line.split(":")[0] for line in lines] == ["0 to 2.5", "2.5 to inf"]


def test_the_rule_is_the_same_on_every_run() -> None:
    y, _ = a_release(21)
    noise = pf.LaplaceNoise(1.0)
    assert denoise.quantiles(y, noise, LEVELS) == denoise.quantiles(y, noise, LEVELS)
    assert bandwidth_rule.least_bandwidth(pf.NoNoise()) == 0.0


def test_missing_values_are_left_out_and_noted() -> None:
    values = np.random.default_rng(3).normal(10.0, 2.0, 1_200)
    noise = pf.LaplaceNoise(1.0)
    holed: dict[str, Any] = {
        "nan": np.insert(values, [3, 77], math.nan),
        "series": pd.Series(np.insert(values, [3, 77], math.nan)),
        "None": [None, *values.tolist(), None],
        "pandas": pd.Series([*values.tolist(), None, None]),
        "objects": np.array([None, None, *values.tolist()], dtype=object),
    }
    plain = pf.denoise.mean(values, noise)
    assert plain.note == ""
    for given in holed.values():
        found = pf.denoise.mean(given, noise)
        assert found.note == "of the 1,200 rows that have a value (2 have none)"
        assert dataclasses.replace(found, note="") == plain
    for estimates in (
        pf.denoise.quantiles(holed["None"], noise, [0.5]).estimates,
        pf.denoise.histogram(holed["None"], noise, [0, 10, 20]).estimates,
        [pf.denoise.variance(holed["nan"], pf.LaplaceNoise(0.5))],
    ):
        assert all("1,200 rows that have a value" in each.note for each in estimates)


def test_a_slope_leaves_out_rows_in_which_either_is_missing() -> None:
    draws = np.random.default_rng(4)
    values = draws.normal(0.0, 5.0, 2_000)
    outcome = 2.0 * values + draws.normal(0.0, 1.0, 2_000)
    noise = pf.LaplaceNoise(0.5)
    whole = pf.denoise.slope(values[2:-1], outcome[2:-1], noise)
    values[:2], outcome[-1] = math.nan, math.nan
    found = pf.denoise.slope(values, outcome, noise)
    assert found.value == whole.value
    assert found.note == "of the 1,997 rows that have a value (3 have none)"


@pytest.mark.parametrize("wrong", [math.inf, -math.inf])
def test_what_is_infinite_is_refused_beside_holes(wrong: float) -> None:
    for values in (np.array([1.0, math.nan, wrong, 2.0]), [1.0, None, wrong, 2.0]):
        with pytest.raises(pf.InvalidInputError, match="must be finite, and row 2 is not"):
            pf.denoise.mean(values, pf.LaplaceNoise(1.0))


def test_a_recoded_column_says_what_holds_of_it() -> None:
    law = pf.Recoding.from_matrix([1, 2], [[0.75, 0.25], [0.25, 0.75]])
    values = np.ones(200)
    for ask in (
        lambda: pf.denoise.mean(values, law),
        lambda: pf.denoise.variance(values, law),
        lambda: pf.denoise.quantiles(values, law, [0.5]),
    ):
        with pytest.raises(pf.UnsupportedError, match=r"at most √2·s/√n"):
            ask()


def test_the_standard_error_of_a_recoded_mean_is_at_most_root_two_of_the_usual() -> None:
    """Rows anew each time, and a map that keeps their frequencies: their mean, over many tables."""
    draws = np.random.default_rng(5)
    size, tables = 60, 4_000
    means, usual = [], []
    for _ in range(tables):
        rows = draws.integers(0, 2, size)
        share = rows.mean()
        # A value is drawn anew, by the frequencies of these very rows: the histogram is kept.
        drawn = draws.random(size) < share
        means.append(drawn.mean())
        usual.append(drawn.std(ddof=1) / math.sqrt(size))
    ratio = float(np.std(means)) / float(np.mean(usual))
    # The standard error of a std of 4,000 normal draws is 1.1%: four of them.
    assert 1.3 < ratio < math.sqrt(2.0) * 1.045


def test_a_standard_error_is_called_so() -> None:
    estimate = pf.denoise.Estimate(
        value=33450.0, standard_error=560.0, lower=32340.0, upper=34560.0
    )
    assert str(estimate) == "33450 (standard error 560, 95%: 32340 to 34560)"
