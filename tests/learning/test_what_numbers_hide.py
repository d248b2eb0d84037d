"""Kept columns that give the secret away though no order of their values does.

Each is looked at as in a release: rows go by, some are sampled, the learner is asked. Next to the
kept column is one of pure noise, as the protected column should be.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pufferfish.beliefs.scenario import SecretPair
from pufferfish.learning import Sample, measure_leak
from pufferfish.learning.features import features

IntArray = npt.NDArray[np.int64]
ROWS = 20_000


def source() -> np.random.Generator:
    return np.random.default_rng(11)


def percent(cells: list[Any], secrets: IntArray) -> int:
    """The headline, for a table of a kept column and a column of noise."""
    noise = source().normal(size=secrets.size).tolist()
    sample = Sample(("no", "yes"))
    for start in range(0, secrets.size, 6000):
        part = slice(start, start + 6000)

        def columns(chosen: IntArray, part: slice = part) -> dict[str, list[Any]]:
            return {
                name: [values[part][row] for row in chosen.tolist()]
                for name, values in (("x", noise), ("k", cells))
            }

        sample.look(secrets[part], ("no", "yes"), columns)
    found = measure_leak(sample.rows(), [SecretPair("no", "yes")])
    assert found is not None
    return found.found_percent


def groups(count: int) -> tuple[IntArray, IntArray]:
    """A group for each row, and its secret: the same for all rows of a group."""
    drawn = source()
    group = drawn.integers(0, count, ROWS)
    return group, drawn.integers(0, 2, count)[group]


WRITTEN: dict[str, Callable[[int], Any]] = {
    "whole number": lambda group: 10_000 + 37 * group,
    "digits": lambda group: f"{37 * group:05d}",
    "beyond 2^53": lambda group: 2**60 + group,
    "decimal": lambda group: 0.37 * group,
    "date": lambda group: date(1990, 1, 1) + timedelta(days=17 * group),
    "text": lambda group: f"city {group}",
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_thousand_places_each_of_one_secret(kind: str) -> None:
    place, secrets = groups(1000)
    assert percent([WRITTEN[kind](each) for each in place.tolist()], secrets) >= 98


def test_persons_with_twenty_rows_each() -> None:
    drawn = source()
    person = drawn.permutation(np.repeat(np.arange(1000), 20))
    secrets = drawn.integers(0, 2, 1000)[person]
    assert percent((700_000 + person).tolist(), secrets) >= 98


@pytest.mark.parametrize("beginnings", [1, 300])
def test_a_secret_after_the_two_hundredth_letter(beginnings: int) -> None:
    drawn = source()
    secrets = drawn.integers(0, 2, ROWS)
    start = drawn.integers(0, beginnings, ROWS)
    texts = [
        f"{begin:03d}" + "x" * 300 + str(secret)
        for begin, secret in zip(start.tolist(), secrets.tolist(), strict=True)
    ]
    assert percent(texts, secrets) >= 98


def test_a_beginning_is_seen_where_every_text_is_different() -> None:
    group, secrets = groups(300)
    mixed = source().permutation(300)
    texts = [f"{mixed[each]:03d}" + "x" * 300 + str(row) for row, each in enumerate(group.tolist())]
    assert percent(texts, secrets) >= 98


DAYS: dict[str, Callable[[date], int]] = {
    "even day of the month": lambda day: day.day % 2,
    "even day of all": lambda day: day.toordinal() % 2,
    "weekend": lambda day: int(day.weekday() >= 5),
    "summer": lambda day: int(5 <= day.month <= 8),
}


@pytest.mark.parametrize("name", DAYS)
@pytest.mark.parametrize("written", ["date", "ISO text"])
def test_what_a_part_of_a_date_says(name: str, written: str) -> None:
    """Over 80 years: most days occur once."""
    drawn = source().integers(0, 80 * 365, ROWS).tolist()
    days = [date(1940, 1, 1) + timedelta(days=each) for each in drawn]
    cells = [day.isoformat() if written == "ISO text" else day for day in days]
    assert percent(cells, np.array([DAYS[name](day) for day in days])) >= 98


@pytest.mark.parametrize("part", ["hour", "minute", "second"])
def test_what_a_part_of_a_time_says(part: str) -> None:
    drawn = source().integers(0, 10**9, ROWS).tolist()
    moments = [datetime(1990, 1, 1) + timedelta(seconds=each) for each in drawn]
    assert percent(moments, np.array([getattr(each, part) % 2 for each in moments])) >= 98


DIGITS: dict[str, Callable[[int], int]] = {
    "parity": lambda number: number % 2,
    "remainder of seven": lambda number: int(number % 7 in (1, 4, 6)),
    "last digit": lambda number: int(number % 10 in (0, 3, 4, 7, 9)),
    "two last digits": lambda number: number // 10 % 2,
}


@pytest.mark.parametrize("name", DIGITS)
@pytest.mark.parametrize("kind", [int, str, float])
@pytest.mark.parametrize("most", [100, 10**9])
def test_what_the_last_digits_of_whole_numbers_say(
    name: str, kind: Callable[[int], Any], most: int
) -> None:
    drawn = source().integers(0, most, ROWS).tolist()
    secrets = np.array([DIGITS[name](each) for each in drawn])
    assert percent([kind(each) for each in drawn], secrets) >= 98


def test_the_last_digit_of_a_number_beyond_all_doubles() -> None:
    drawn = source().integers(2**60, 2**62, ROWS).tolist()
    assert percent(drawn, np.array([each % 2 for each in drawn])) >= 98


@pytest.mark.parametrize("groups_there", [30, 1000, 10_000])
def test_nothing_is_found_in_numbers_that_say_nothing(groups_there: int) -> None:
    drawn = source()
    place, secrets = drawn.integers(0, groups_there, ROWS), drawn.integers(0, 2, ROWS)
    assert percent(place.tolist(), secrets) <= 54
    assert percent([date(1900, 1, 1) + timedelta(days=int(each)) for each in place], secrets) <= 54


def test_what_goes_with_a_number_is_counted_on_other_rows() -> None:
    """Pairs of equal numbers: the row itself would give its secret away."""
    drawn = source()
    train, target = np.arange(2000) < 1000, drawn.integers(0, 2, 2000)
    cells = (np.arange(2000) // 2 + 0.5).tolist()
    found = features({"k": cells}, train, target)
    assert [each.ordered for each in found] == [True, True]
    assert abs(np.corrcoef(found[1].bins[train], target[train])[0, 1]) < 0.2
    turned = features({"k": cells}, train, np.where(train, target, 1 - target))
    assert all(np.array_equal(a.bins, b.bins) for a, b in zip(found, turned, strict=True))


def test_holes_and_endless_numbers_are_no_obstacle() -> None:
    train, target = np.arange(400) % 2 == 0, np.arange(400) // 2 % 2
    for cells in (
        [None if each % 3 else each for each in range(400)],
        ["" if each % 3 else f"{each}.0" for each in range(400)],
        [None if each % 3 else date(1, 1, 1) + timedelta(days=each) for each in range(400)],
        [float("inf") if each % 3 else float(each) for each in range(400)],
        ["inf" if each % 3 else f"{each}" for each in range(400)],
        [None] * 400,
        [date.max, date.min] * 200,
    ):
        found = features({"k": cells}, train, target)
        assert all(each.bins.min() >= 0 and each.bins.max() < 128 for each in found)
