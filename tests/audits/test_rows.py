"""Every row noised, with noise of its own: what is caught, and what must not be."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from pufferfish.audits.draws import generator
from pufferfish.audits.result import AuditCheck
from pufferfish.audits.rows import check_rows
from pufferfish.audits.subject import as_subject
from tests.audits.subjects import ADULT, PURE, Column, failed, mechanism, numpy_laplace, too_many

EVERY_ROW = "every row is noised"
ALIKE = "all rows have the same noise"
FRESH = "every row of every run has noise of its own"
ROWS = 4001
NOISED = numpy_laplace(1.65, digits=4)


def checked(noiser: Callable[..., Column], rows: int = ROWS) -> tuple[AuditCheck, ...]:
    return check_rows(as_subject(noiser), 9.0, 10.0, rows, 1e-7, generator(1))


def _with_row(place: int) -> Callable[[Column], Column]:
    def noised(values: Column) -> Column:
        results = NOISED(values)
        results[place] = values[place]
        return results

    return noised


@pytest.mark.parametrize("place", [0, -1, 1234])
@pytest.mark.parametrize("rows", [ROWS, 5000])
def test_one_row_without_noise_is_found_wherever_it_is(place: int, rows: int) -> None:
    every = checked(_with_row(place), rows)[0]
    assert every.passed is False
    assert f"row {place % rows + 1} of {rows:,}" in every.detail
    assert "48 of 48 runs (exactly so in 48)" in every.detail


def _even_rows(values: Column) -> Column:
    return np.where(np.arange(values.size) % 2 == 0, NOISED(values), values)


def _little_in_the_last_row(values: Column) -> Column:
    results = NOISED(values)
    results[-1] = values[-1] + 0.02 * (results[-1] - values[-1])
    return results


@pytest.mark.parametrize("noised", [_even_rows, _little_in_the_last_row, lambda values: values])
def test_rows_with_little_or_no_noise(noised: Callable[[Column], Column]) -> None:
    assert EVERY_ROW in failed(checked(noised))


def _by_value(values: Column) -> Column:
    distinct, place = np.unique(values, return_inverse=True)
    return np.asarray(NOISED(distinct)[place])


def _periodic(values: Column) -> Column:
    return values + np.resize(NOISED(np.zeros(1000)), values.size)


def _same_seed(values: Column) -> Column:
    return numpy_laplace(1.65, seed=7, digits=4)(values)


def _opposite(values: Column) -> Column:
    noise = NOISED(np.zeros(values.size))
    noise[1::2] = -noise[:-1:2]
    return values + noise


def _sorted(values: Column) -> Column:
    return np.sort(NOISED(values))


def _drifting(values: Column) -> Column:
    """Each row's noise is half the one before and half its own."""
    noise = NOISED(np.zeros(values.size + 1))
    return values + 0.5 * (noise[1:] + noise[:-1])


def _same_size(values: Column) -> Column:
    """Pairs of rows share the size of their noise, and not its sign."""
    noise = NOISED(np.zeros(values.size))
    noise[1::2] = np.abs(noise[:-1:2]) * np.random.default_rng().choice(
        [-1.0, 1.0], noise[1::2].size
    )
    return values + noise


CHEATS = [_same_size, _by_value, _periodic, _same_seed, _opposite, _sorted, _drifting]


@pytest.mark.parametrize("noised", CHEATS)
def test_noise_that_is_used_twice(noised: Callable[[Column], Column]) -> None:
    assert FRESH in failed(checked(noised))


def test_seeds_that_come_again_after_some_runs() -> None:
    runs = iter(range(10**6))

    def noised(values: Column) -> Column:
        return numpy_laplace(1.65, seed=next(runs) % 5, digits=4)(values)

    # Some rows are then close to their value in all of the five.
    assert EVERY_ROW in failed(checked(noised))


def _less(rows: slice) -> Callable[[Column], Column]:
    """Half the noise in some rows."""

    def noised(values: Column) -> Column:
        results = NOISED(values)
        results[rows] = values[rows] + 0.5 * (results[rows] - values[rows])
        return results

    return noised


@pytest.mark.parametrize(
    "rows",
    [slice(3 * ROWS // 4, None), slice(-ROWS // 20, None), slice(None, None, 2), slice(-33, None)],
)
def test_some_rows_have_less_noise(rows: slice) -> None:
    assert ALIKE in failed(checked(_less(rows)))


def test_less_noise_after_the_first_chunk() -> None:
    assert ALIKE in failed(checked(_less(slice(65_536, None)), 69_537))


def test_less_noise_in_a_choice_of_rows_without_a_pattern() -> None:
    # No stretch and no period; but the same rows have small errors in both runs.
    chosen = np.random.default_rng(99).random(69_537) < 0.5

    def noised(values: Column) -> Column:
        return values + np.where(chosen, 0.5, 1.0) * NOISED(np.zeros(values.size))

    assert FRESH in failed(checked(noised, 69_537))


def test_rows_that_differ_by_turns_are_found_though_their_average_is_right() -> None:
    def noised(values: Column) -> Column:
        factors = np.resize([0.5, 1.2, 1.0], values.size)
        return values + factors * NOISED(np.zeros(values.size))

    assert ALIKE in failed(checked(noised))


def test_another_row_is_left_out_in_each_run() -> None:
    noised = mechanism(ADULT, PURE).apply

    def leaves_out(values: Column) -> Column:
        results = noised(values)
        row = np.random.default_rng().integers(values.size)
        results[row] = values[row]
        return results

    (every, *_) = checked(leaves_out)
    assert every.passed is False
    assert "some rows get no noise" in every.detail


def test_one_hole_hides_nothing() -> None:
    def holed(values: Column) -> Column:
        results = _with_row(-1)(values)
        results[0] = np.nan
        return results

    assert EVERY_ROW in failed(checked(holed))


def test_holes_are_not_compared() -> None:
    (only,) = checked(lambda values: np.full(values.size, np.nan))
    assert only.passed is None


@pytest.mark.parametrize(
    "private",
    [
        mechanism(ADULT, PURE).apply,
        NOISED,
        numpy_laplace(1.65),
        numpy_laplace(1.65, digits=0),
        numpy_laplace(1e-9),
        numpy_laplace(1e9),
        lambda values: NOISED(values).astype(np.float32),
        lambda values: np.clip(NOISED(values), 8.0, 10.0),
        lambda values: np.sign(NOISED(values) - 9.0),
        lambda values: NOISED(values) * 1e6,
        lambda values: NOISED(values) + 1e12,
        lambda values: np.random.default_rng().standard_cauchy(values.size) + values,
        lambda values: np.random.default_rng().permutation(NOISED(values)),
        lambda values: values + np.random.default_rng().integers(0, 2, values.size),
    ],
)
def test_odd_but_private_outputs_are_not_accused(private: Callable[[Column], Column]) -> None:
    assert failed(checked(private)) == []


@pytest.mark.parametrize("value", [0.0, -3.5])
def test_a_constant_betrays_nothing(value: float) -> None:
    (only,) = checked(lambda values: np.full(values.size, value))
    assert only.passed is None
    assert "whatever the value" in only.detail


def test_a_function_of_the_value_is_no_noise() -> None:
    assert FRESH in failed(checked(lambda values: 2.0 * values + 1.0))


def test_where_rounding_hides_the_rows_nothing_is_said() -> None:
    (every, *_) = checked(lambda values: np.clip(NOISED(values), 0.0, 5.0))
    assert every.passed is None
    assert "not decided" in every.detail


def test_the_average_of_runs_is_told() -> None:
    average = checked(NOISED)[-1]
    assert average.passed is None
    off = re.search(r"of 48 runs over the same column is off by ([\d.]+)", average.detail)
    assert off is not None
    # √2·1.65/√48 = 0.337; the average over 4001 rows is known to 1.2%.
    assert float(off[1]) == pytest.approx(0.337, rel=0.08)


def test_false_alarms_are_as_rare_as_stated() -> None:
    subject = as_subject(mechanism(ADULT, PURE))
    runs, rate = 150, 0.1
    found = [check_rows(subject, 9.0, 10.0, 300, rate, generator(run)) for run in range(runs)]
    alarms = sum(bool(failed(each)) for each in found)
    assert not too_many(alarms, runs, rate)


@pytest.mark.parametrize(
    "private",
    [
        lambda values: NOISED(values).astype(np.float32),
        lambda values: np.round(NOISED(values)),
        lambda values: np.clip(NOISED(values), 8.0, 10.0),
        lambda values: values + np.random.default_rng().integers(-3, 4, values.size),
        numpy_laplace(1e-9),
    ],
)
def test_no_row_check_is_rash(private: Callable[[Column], Column]) -> None:
    # 0.4 is divided among the checks: each has a quarter.
    subject, runs, rate = as_subject(private), 60, 0.4
    found = [check_rows(subject, 9.0, 10.0, 101, rate, generator(run)) for run in range(runs)]
    for name in (EVERY_ROW, ALIKE, FRESH):
        assert not too_many(sum(name in failed(each) for each in found), runs, rate / 4.0)


def test_noise_of_some_rows_10_percent_too_close_in_rank_is_called_related() -> None:
    # A correlation of 0.1 between neighbours is seen in the rows of a mechanism, 69,537.
    def noised(values: Column) -> Column:
        noise = numpy_laplace(1.65)(np.zeros(values.size + 1))
        return values + noise[1:] + 0.1 * noise[:-1]

    assert FRESH in failed(checked(noised, 69_537))


@pytest.mark.parametrize("rows", [2, 3])
def test_a_few_rows_are_not_accused(rows: int) -> None:
    assert failed(checked(mechanism(ADULT, PURE).apply, rows)) == []
