"""What is drawn keeps the promise exactly; what the program gives does not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import pufferfish as pf
from pufferfish.recoding.cells import CellLaw
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.kernels import line_floor, line_kernel
from pufferfish.recoding.program import Group, Program, solve
from pufferfish.recoding.table import Duty, repair, round_table
from tests.recoding import referee


def case(seed: int) -> tuple[np.ndarray, np.ndarray, pf.Guarantee, float, float, bool]:
    """Counts by secret, values, goal, wrong, floor, histogram: hostile ones among them."""
    source = np.random.default_rng(seed)
    cells, secrets = int(source.integers(1, 9)), int(source.integers(2, 4))
    counts = source.integers(0, 50, (secrets, cells)) * source.integers(0, 2, (secrets, cells))
    if seed % 5 == 0:
        # Near ties: groups that differ by one row.
        counts = np.repeat(counts[:1], secrets, axis=0)
        counts[1, 0] += 1
    counts[:, source.integers(cells)] += 1
    values = np.sort(source.choice(1000, cells, replace=False)) / source.choice([1.0, 7.0, 1000.0])
    goal = pf.Guarantee(
        float(source.choice([0.01, 0.5, 1.0, 3.0])), float(source.choice([0.0, 0.01]))
    )
    wrong = float(source.choice([0.0, 0.0, 0.01, 0.2]))
    floor = float(source.choice([np.inf, 0.5, 2.0]))
    return counts, values, goal, wrong, floor, bool(source.integers(2))


def planned(seed: int) -> tuple[np.ndarray, np.ndarray, Duty, np.ndarray | None]:
    counts, values, goal, wrong, floor, keep = case(seed)
    frequencies = counts.sum(axis=0) / counts.sum()
    kernel = line_kernel(values, floor)
    cost = (frequencies[:, None] * kernel).T @ (values[:, None] - values) ** 2
    pairs = tuple((i, j) for i in range(len(counts)) for j in range(i + 1, len(counts)))
    found = solve(
        Program(
            cost=cost,
            kernel=kernel,
            groups=(Group(counts / counts.sum(axis=1, keepdims=True), pairs),),
            goal=goal,
            wrong=wrong,
            histogram=(frequencies @ kernel, frequencies) if keep else None,
        )
    )
    duty = Duty(
        laws=(tuple(map(CellLaw.from_counts, counts)),),
        pairs=(pairs,),
        goal=goal,
        wrong=Fraction(str(wrong)),
        floor=line_floor(values, floor),
    )
    map_ = np.clip(found.map, 0.0, None)
    matrix = kernel @ (map_ / map_.sum(axis=1, keepdims=True))
    return counts, matrix, duty, frequencies if keep else None


def judged(table: np.ndarray, counts: np.ndarray, duty: Duty) -> Fraction:
    """What an independent judge finds spent of δ."""
    exact = [[Fraction(int(each), WHOLE) for each in row] for row in table]
    laws = [[Fraction(int(n), int(row.sum())) for n in row] for row in counts]
    return referee.spent(exact, laws, duty.goal.epsilon, duty.wrong)


def test_repaired_tables_keep_their_promise_and_bare_solutions_do_not() -> None:
    broken = 0
    for seed in range(150):
        counts, matrix, duty, kept = planned(seed)
        table = repair(matrix, duty, kept)
        assert (table.sum(axis=1) == WHOLE).all()
        assert judged(table, counts, duty) <= Fraction(duty.goal.delta), seed
        broken += judged(round_table(matrix), counts, duty) > Fraction(duty.goal.delta)
    assert broken > 50
