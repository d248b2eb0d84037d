"""The last digits: what betrays, and what does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pufferfish.audits.precision import check_precision
from pufferfish.audits.result import AuditCheck
from pufferfish.audits.subject import as_subject
from tests.audits.subjects import ADULT, PURE, Column, mechanism, numpy_laplace, too_many

INPUTS = ((9.0, 10.0), (0.0, 1.0))
SUPPORT = np.array([9.0, 9.1, 10.0])
OURS = mechanism(ADULT, PURE).apply


def checked(noiser: Callable[..., Column], draws: int = 100_000) -> AuditCheck:
    return check_precision(as_subject(noiser), INPUTS, SUPPORT, draws, 1e-7)


def _gaussian(values: Column) -> Column:
    return np.asarray(values + np.random.default_rng(1).normal(0.0, 2.0, values.size))


def _by_inversion(values: Column) -> Column:
    """The textbook's formula."""
    u = np.random.default_rng(2).random(values.size) - 0.5
    return np.asarray(values - 1.65 * np.sign(u) * np.log1p(-2.0 * np.abs(u)))


def _single(values: Column) -> Column:
    noise = np.random.default_rng(3).laplace(0.0, 1.65, values.size)
    return values.astype(np.float32) + noise.astype(np.float32)


def _clipped(values: Column) -> Column:
    return np.clip(numpy_laplace(1.65)(values), 1.0, 16.0)


def _clipped_for_the_most_part(values: Column) -> Column:
    return np.clip(numpy_laplace(1.65)(values), 0.5, 6.0)


def _off_grid(values: Column) -> Column:
    """Noise in steps of 1/64 on values that have none."""
    return values + np.round(64.0 * numpy_laplace(1.65)(np.zeros(values.size))) / 64.0


def _written_below(values: Column) -> Column:
    """Three digits that are noised, and the value itself below them."""
    return np.round(OURS(values), 3) + 1e-6 * values


def _below(digits: int, unit: float) -> Callable[[Column], Column]:
    """The value written in decimal, below the digits that are noised."""

    def published(values: Column) -> Column:
        return np.asarray(np.round(OURS(values), digits) + unit * np.floor(values))

    return published


@pytest.mark.parametrize(
    "bad",
    [
        *(numpy_laplace(1.65), _gaussian, _by_inversion, _single, _off_grid),
        *(_clipped, _clipped_for_the_most_part),
        *(_written_below, _below(3, 1e-6), _below(6, 1e-9), _below(9, 1e-12)),
    ],
)
def test_digits_that_betray_the_value(bad: Callable[[Column], Column]) -> None:
    found = checked(bad)
    assert found.passed is False
    assert "input" in found.detail


@pytest.mark.parametrize("digits", range(7))
def test_decimal_rounding_hides_the_digits(digits: int) -> None:
    assert checked(lambda values: np.round(OURS(values), digits)).passed is True
    assert checked(numpy_laplace(1.65, digits=digits)).passed is True


@pytest.mark.parametrize(
    "private",
    [
        OURS,
        lambda values: OURS(values).astype(np.float32),
        lambda values: OURS(values).astype(np.float16),
        lambda values: np.clip(OURS(values), 1.0, 16.0),
        lambda values: np.clip(OURS(values), 8.0, 10.0),
        lambda values: np.round(3.0 * OURS(values)) / 3.0,
        lambda values: np.exp(OURS(values)),
        lambda values: OURS(values) * 1e9,
        lambda values: OURS(values) / 1e9,
        lambda values: OURS(values) + 1e12,
        lambda values: np.round(OURS(values) - 1e6, 3),
        lambda values: OURS(values) * 1e-200,
        lambda values: OURS(values) * 1e200,
        lambda values: np.round(7e3 * OURS(values)) / 7e3,
        lambda values: OURS(values) ** 2,
        # A published value may be 0, and is never a millionth of a thousandth.
        lambda values: 1.0 / (OURS(values) - 1e-9),
        lambda values: OURS(values) % 1.0,
        lambda values: OURS(np.round(values)),
        lambda values: np.random.default_rng(5).normal(size=values.size),
    ],
)
def test_odd_but_private_outputs_are_not_accused(private: Callable[[Column], Column]) -> None:
    assert checked(private).passed is True


@pytest.mark.parametrize(("place", "scale"), [(50_000.0, 10.0), (10.0, 1e-3), (0.0, 1e-9)])
def test_a_coarse_grid_far_from_zero_is_the_same_for_all(place: float, scale: float) -> None:
    digits = round(1.0 - np.log10(scale))
    noised = as_subject(numpy_laplace(1.5 * scale, digits=digits))
    inputs = ((place, place + scale),)
    support = place + scale * np.linspace(0.0, 1.0, 5)
    assert check_precision(noised, inputs, support, 100_000, 1e-7).passed is True


def test_whole_noise_on_whole_values_is_private() -> None:
    def geometric(values: Column) -> Column:
        draws = np.random.default_rng(4).geometric(0.4, (2, values.size))
        return np.asarray(values + draws[0] - draws[1])

    whole = np.array([8.0, 9.0, 10.0])
    assert check_precision(as_subject(geometric), INPUTS, whole, 100_000, 1e-7).passed is True
    # Where values between are possible, each brings results of its own.
    assert check_precision(as_subject(geometric), INPUTS, SUPPORT, 100_000, 1e-7).passed is False


@pytest.mark.parametrize("constant", [np.nan, 0.0])
def test_what_is_not_there_has_no_digits(constant: float) -> None:
    assert checked(lambda values: np.full(values.size, constant)).passed is None


def test_one_hole_hides_nothing() -> None:
    def holed(values: Column) -> Column:
        results = numpy_laplace(1.65)(values)
        results[0] = np.nan
        return results

    assert checked(holed).passed is False


@pytest.mark.parametrize("digits", [5, 6, 7, 8, 10, 15])
def test_significant_digits_hide_the_rest(digits: int) -> None:
    def written(values: Column) -> Column:
        return np.array([float(f"{each:.{digits}g}") for each in OURS(values)])

    assert checked(written).passed is True


def test_false_alarms_are_as_rare_as_stated() -> None:
    subject, runs, rate = as_subject(mechanism(ADULT, PURE)), 120, 0.2
    alarms = sum(
        check_precision(subject, INPUTS, SUPPORT, 4000, rate).passed is False for _ in range(runs)
    )
    assert not too_many(alarms, runs, rate)


@pytest.mark.parametrize(
    "private",
    [
        lambda values: OURS(values).astype(np.float32),
        lambda values: np.round(OURS(values), 6),
        lambda values: np.round(OURS(values) + 1e6, 3),
        lambda values: np.clip(OURS(values), 8.0, 10.0),
    ],
)
def test_few_draws_at_a_high_rate(private: Callable[[Column], Column]) -> None:
    subject, runs, rate = as_subject(private), 50, 0.3
    alarms = sum(
        check_precision(subject, INPUTS, SUPPORT, 1000, rate).passed is False for _ in range(runs)
    )
    assert not too_many(alarms, runs, rate)


def _caught(noiser: Callable[..., Column]) -> bool:
    return check_precision(as_subject(noiser), INPUTS, SUPPORT, 4000, 0.2).passed is False


def test_floating_point_is_caught_in_the_same_setting() -> None:
    alarms = sum(_caught(numpy_laplace(1.65, run)) for run in range(20))
    assert alarms == 20
