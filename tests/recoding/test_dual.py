"""The bound is below the least loss of a program written down elsewhere, whatever it is given."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import pufferfish.recoding.least_loss as module
from pufferfish.recoding.dual import lower_bound
from tests.recoding import referee
from tests.recoding.hostile import Case, case


def least(each: Case) -> float:
    """The least loss, with a row for every corner of the laws that may be believed."""
    task, duty = each.task, each.task.duty
    cells, outs = task.cost.shape
    through = task.kernel if task.fixed and task.kernel is not None else np.eye(cells)
    secrets, orders = len(each.laws), list(permutations(range(len(each.laws)), 2))
    # M or T; then the largest and the least probability of each y; then what is spent of δ.
    size = cells * outs
    upper, lower = size, size + secrets * outs
    spent = lower + secrets * outs
    width = spent + len(orders) * outs
    rows: list[np.ndarray] = []
    limits: list[float] = []

    def add(limit: float, *entries: tuple[Any, Any]) -> None:
        row = np.zeros(width)
        for columns, values in entries:
            row[columns] += values
        rows.append(row)
        limits.append(limit)

    factor = np.exp(duty.goal.epsilon)
    for y in range(outs):
        column = np.arange(cells) * outs + y
        for i, law in enumerate(each.laws):
            for corner in referee.extreme_laws(law, duty.wrong):
                seen = np.array([float(p) for p in corner]) @ through
                add(0.0, (column, seen), (upper + i * outs + y, -1.0))
                add(0.0, (column, -seen), (lower + i * outs + y, 1.0))
        for number, (i, j) in enumerate(orders):
            add(
                0.0,
                (upper + i * outs + y, 1.0),
                (lower + j * outs + y, -factor),
                (spent + number * outs + y, -1.0),
            )
        if each.kappa < np.inf and not task.fixed:
            for x, z in permutations(range(cells), 2):
                if each.distances[x, z] < np.inf:
                    shrunk = np.exp(-each.kappa * each.distances[x, z])
                    add(0.0, (column[x], shrunk), (column[z], -1.0))
    for number in range(len(orders)):
        add(duty.goal.delta, (np.arange(outs) + spent + number * outs, 1.0))
    equal = [np.zeros(width) for _ in range(cells)]
    for k, row in enumerate(equal):
        row[k * outs : (k + 1) * outs] = 1.0
    given = [1.0] * cells
    if task.histogram is not None:
        for y in range(outs):
            row = np.zeros(width)
            row[np.arange(cells) * outs + y] = task.histogram[0] @ through
            equal.append(row)
            given.append(float(task.histogram[1][y]))
    cost = np.zeros(width)
    cost[:size] = (through.T @ task.cost).ravel()
    scale = cost.max() or 1.0
    found = linprog(
        cost / scale, A_ub=np.array(rows), b_ub=limits, A_eq=np.array(equal), b_eq=given
    )
    assert found.status == 0, found.message
    return float(found.fun * scale)


def shaken(value: Any, source: np.random.Generator) -> Any:
    """The same multipliers, each of them wrong."""
    if isinstance(value, np.ndarray):
        noise = np.exp(source.normal(0.0, 0.5, value.shape)) * (source.random(value.shape) < 0.9)
        return value * noise + source.exponential(0.01, value.shape)
    if isinstance(value, tuple):
        return tuple(shaken(each, source) for each in value)
    if is_dataclass(value):
        return replace(
            value, **{f.name: shaken(getattr(value, f.name), source) for f in fields(value)}
        )
    return value


@pytest.mark.parametrize("seed", range(60))
def test_the_bound_is_below_and_close(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, Any]] = []

    def noted(*args: Any, **more: Any) -> float:
        given.append((args, more))
        return lower_bound(*args, **more)

    monkeypatch.setattr(module, "lower_bound", noted)
    each = case(seed, most=4)
    found = module.least_loss(each.task)
    best = least(each)
    # Two solvers differ by what they take for 0, measured by what a constant loses.
    close = 1e-6 * max(float(each.task.cost.sum(axis=0).min()), 1e-9)
    assert found.bound - close <= best <= float(found.loss) + close
    assert float(found.loss) - found.bound <= 2.0 * close
    (args, more) = given[0]
    source = np.random.default_rng(seed)
    for _ in range(5):
        assert lower_bound(args[0], args[1], shaken(args[2], source), **more) <= best + close
