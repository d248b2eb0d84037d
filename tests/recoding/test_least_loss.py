"""Whatever is found keeps its duty, before a judge of its own, and loses no more than it must."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.kernels import line_floor, line_kernel
from pufferfish.recoding.least_loss import Found, Task, least_loss
from pufferfish.recoding.table import Duty
from tests import seams
from tests.recoding import referee
from tests.recoding.hostile import case

LIMITS = json.loads((Path(__file__).parents[1] / "data" / "recoding_education.json").read_text())


def education(asked: dict[str, Any]) -> Task:
    columns = pf.datasets.adult_education()
    values, place = np.unique(columns["education-num"], return_inverse=True)
    counts = {
        secret: np.bincount(place[columns["race"] == secret], minlength=values.size)
        for secret in np.unique(columns["race"])
    }
    chosen = [counts[each] for each in asked["pair"] or counts]
    frequencies = np.bincount(place) / place.size
    kappa = asked.get("floor", math.inf)
    return Task(
        duty=Duty(
            laws=(tuple(map(CellLaw.from_counts, chosen)),),
            pairs=(tuple(combinations(range(len(chosen)), 2)),),
            goal=pf.Guarantee(asked["epsilon"], asked.get("delta", 0.0)),
            wrong=Fraction(str(asked.get("wrong", 0))),
            floor=line_floor(values, kappa),
        ),
        cost=frequencies[:, None] * (values[:, None] - values) ** 2,
        kernel=line_kernel(values, kappa),
        histogram=(frequencies, frequencies) if asked.get("keep_histogram") else None,
    )


@pytest.mark.parametrize("asked", LIMITS)
def test_education_loses_the_least(asked: dict[str, Any]) -> None:
    """The limits were computed elsewhere, by one program over all channels, to 1e-7."""
    found = least_loss(education(asked))
    assert float(found.loss) == pytest.approx(asked["least_mean_loss"], rel=1e-5)
    assert found.bound <= asked["least_mean_loss"] * (1.0 + 1e-6)
    assert float(found.loss) - found.bound <= 1e-6 * found.bound


def spent(found: Found, task: Task) -> Fraction:
    """What an independent judge finds above the promise."""
    exact = [[Fraction(int(each), WHOLE) for each in row] for row in found.table]
    laws = [[Fraction(int(n), law.total) for n in law.low] for law in task.duty.laws[0]]
    return referee.spent(exact, laws, task.duty.goal.epsilon, task.duty.wrong)


def judge(seeds: range) -> None:
    for seed in seeds:
        each = case(seed, most=200)
        found = least_loss(each.task)
        assert (found.table >= 0).all(), seed
        assert (found.table.sum(axis=1) == WHOLE).all(), seed
        assert not each.broken(found.table), seed
        assert found.bound <= float(found.loss), seed
        if each.task.histogram is not None:
            given, wanted = each.task.histogram
            assert given @ (found.table / WHOLE) == pytest.approx(wanted, abs=1e-8), seed


def test_tables_keep_their_promise() -> None:
    judge(range(150))


@pytest.mark.heavy
def test_a_thousand_tables_keep_their_promise() -> None:
    judge(range(1000))


def test_a_kernel_on_the_way_loses_more() -> None:
    asked = next(each for each in LIMITS if each.get("floor") == 2.0)
    free = education(asked)
    fixed = Task(duty=free.duty, cost=free.cost, kernel=free.kernel, fixed=True)
    found = least_loss(fixed)
    assert 1.005 * least_loss(free).loss < found.bound <= found.loss
    assert found.loss < 1.02 * asked["least_mean_loss"]


class TestStopped:
    ASKED = next(each for each in LIMITS if each.get("wrong") == 0.03)

    def test_what_there_is_keeps_the_promise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rounds: list[int] = []
        task = education(self.ASKED)
        seams.put(monkeypatch, seams.MOST_WORK_OF_A_SEARCH, 500 * task.cost.size)
        found = least_loss(task, progress=rounds.append)
        assert max(rounds) > 1
        assert not spent(found, task)
        assert found.bound < self.ASKED["least_mean_loss"] < found.loss

    def test_a_kernel_serves_where_one_program_is_too_much_work(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = next(each for each in LIMITS if each.get("floor") == 2.0)
        task = education(asked)
        seams.put(monkeypatch, seams.MOST_WORK_OF_A_SEARCH, 100 * task.cost.size)
        found = least_loss(task)
        assert 1.005 < float(found.loss) / asked["least_mean_loss"] < 1.02
        assert found.bound == 0.0

    def test_without_any_work_a_trivial_map_serves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seams.put(monkeypatch, seams.MOST_WORK_OF_A_SEARCH, 0)
        task = education(self.ASKED)
        found = least_loss(task)
        assert not spent(found, task)
        assert self.ASKED["least_mean_loss"] < found.loss < task.cost.sum(axis=0).min()
        assert found.bound == 0.0

    def test_somebody_may_cancel(self) -> None:
        def cancel(solved: int) -> None:
            if solved == 2:
                raise KeyboardInterrupt

        task = education(self.ASKED)
        with pytest.raises(KeyboardInterrupt):
            least_loss(task, progress=cancel)
        assert float(least_loss(task).loss) == pytest.approx(self.ASKED["least_mean_loss"])
