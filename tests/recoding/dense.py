"""The least loss by one dense program with a row for every corner of the laws: for few cells."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tests.recoding import referee
from tests.recoding.hostile import Case


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
