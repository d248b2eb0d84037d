"""The interior point method finds what other methods find, and stops well when it must."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
import pufferfish.recoding.least_loss as module
from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.inside import descend, fits
from pufferfish.recoding.least_loss import Task, least_loss
from pufferfish.recoding.program import Group, Program, solve
from pufferfish.recoding.table import Duty
from tests import seams
from tests.recoding import referee
from tests.recoding.dense import least
from tests.recoding.hostile import case


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """However few cells there are; the programs that it solved."""
    seams.put(monkeypatch, seams.FEW_CELLS_OUTSIDE, 0)
    seams.put(monkeypatch, seams.FEW_WRONG_CELLS_OUTSIDE, 0)
    found: list[Program] = []

    def noted(program: Program, **more: Any) -> Any:
        found.append(program)
        return descend(program, **more)

    monkeypatch.setattr(module, "descend", noted)
    return found


def test_dense_programs_with_every_corner_agree(used: list[Program]) -> None:
    for seed in range(120):
        each = case(seed, most=4)
        before = len(used)
        found = least_loss(each.task)
        if len(used) == before:
            continue
        best = least(each)
        # Two solvers differ by what they take for 0, measured by what a constant loses.
        close = 1e-6 * max(float(each.task.cost.sum(axis=0).min()), 1e-9)
        assert found.bound - close <= best <= float(found.loss) + close, seed
        assert float(found.loss) - found.bound <= 5.0 * close, seed
        assert not each.broken(found.table), seed
    assert len(used) > 20


def joint(seed: int, cells: int, *, secrets: int, wrong: str, keep: bool = False) -> Task:
    """Tuples of a number and two labels, a few rare, some that only one secret has."""
    source = np.random.default_rng(seed)
    values = [(a, b, c) for a in range(9) for b in "uvwx" for c in "yz"][:cells]
    usual = source.dirichlet(np.full(cells, 0.7))
    counts = np.array(
        [
            source.multinomial(3000, mixed / mixed.sum())
            for mixed in usual * source.gamma(4.0, 0.25, (secrets, cells))
        ]
    )
    counts[0] += 1
    frequencies = counts.sum(axis=0) / counts.sum()
    apart = np.array(
        [
            [((a[0] - b[0]) / 3) ** 2 + (a[1] != b[1]) + (a[2] != b[2]) for b in values]
            for a in values
        ]
    )
    return Task(
        duty=Duty(
            laws=(tuple(map(CellLaw.from_counts, counts)),),
            pairs=(tuple(combinations(range(secrets), 2)),),
            goal=pf.Guarantee(0.5),
            wrong=Fraction(wrong),
        ),
        cost=apart * frequencies[:, None],
        histogram=(frequencies, frequencies) if keep else None,
    )


def programmed(task: Task) -> Program:
    return Program(
        cost=task.cost,
        kernel=np.eye(len(task.cost)),
        groups=tuple(
            Group(np.array([law.probabilities for law in laws]), pairs)
            for laws, pairs in zip(task.duty.laws, task.duty.pairs, strict=True)
        ),
        goal=task.duty.goal,
        wrong=float(task.duty.wrong),
        histogram=task.histogram,
    )


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("wrong", ["0", "0.02"])
@pytest.mark.parametrize("secrets", [2, 5])
def test_the_simplex_method_agrees(secrets: int, wrong: str, keep: bool) -> None:
    program = programmed(joint(1, 14, secrets=secrets, wrong=wrong, keep=keep))
    inside, outside = descend(program), solve(program)
    assert inside is not None
    assert outside is not None
    assert inside.loss == pytest.approx(outside.loss, rel=1e-5)


@pytest.mark.parametrize(("secrets", "wrong"), [(2, "0.05"), (4, "0.01")])
def test_joint_domains_end_with_a_narrow_gap(secrets: int, wrong: str, used: list[Program]) -> None:
    task = joint(2, 60, secrets=secrets, wrong=wrong)
    found = least_loss(task)
    assert used
    assert found.bound <= float(found.loss) <= found.bound * 1.002
    judge(found.table, task)


def judge(table: np.ndarray, task: Task) -> None:
    exact = [[Fraction(int(each), WHOLE) for each in row] for row in table]
    laws = [[Fraction(int(n), law.total) for n in law.low] for law in task.duty.laws[0]]
    assert (table.sum(axis=1) == WHOLE).all()
    assert referee.spent(exact, laws, task.duty.goal.epsilon, task.duty.wrong) == 0


def test_large_programs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seams.put(monkeypatch, seams.FEW_WRONG_CELLS_OUTSIDE, 1_000)
    small, large = (programmed(joint(3, n, secrets=2, wrong="0.02")) for n in (14, 60))
    assert not fits(small)
    assert fits(large)
    assert not fits(replace(large, goal=pf.Guarantee(0.5, 0.01)))
    assert not fits(replace(large, goal=pf.Guarantee(0.0001)))
    assert not fits(replace(large, floor=((0, 1, 2.0),)))
    assert not fits(replace(large, kernel=np.full((60, 60), 1 / 60)))
    empty = np.eye(60)[0]
    assert not fits(replace(large, histogram=(empty, empty)))


@pytest.mark.usefixtures("used")
class TestStopped:
    TASK = joint(4, 60, secrets=3, wrong="0.02")

    def test_what_there_is_keeps_the_promise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = least_loss(self.TASK)
        seams.put(monkeypatch, seams.MOST_STEPS_INSIDE, 20)
        found = least_loss(self.TASK)
        judge(found.table, self.TASK)
        silent = self.TASK.cost.sum(axis=0).min()
        assert found.bound <= whole.bound <= whole.loss < found.loss < silent

    def test_without_a_step_a_trivial_map_serves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seams.put(monkeypatch, seams.MOST_STEPS_INSIDE, 0)
        found = least_loss(self.TASK)
        judge(found.table, self.TASK)
        assert found.bound == 0.0
        # Here that is the best constant; its loss is a sum of doubles.
        assert found.loss <= self.TASK.cost.sum(axis=0).min() * (1.0 + 1e-12)

    def test_somebody_may_cancel(self) -> None:
        def cancel(step: int) -> None:
            if step == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            least_loss(self.TASK, progress=cancel)
