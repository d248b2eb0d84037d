"""Random tasks, hostile ones among them: zeros, near ties, one cell, many, a missing value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

import pufferfish as pf
from pufferfish.recoding.cells import CellLaw, IntegerTable
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.kernels import (
    apart,
    exponential_kernel,
    line_floor,
    line_kernel,
    metric_floor,
)
from pufferfish.recoding.least_loss import Task
from pufferfish.recoding.table import Duty
from tests.recoding import referee


@dataclass(frozen=True)
class Case:
    """A task, and what it was made of, for a judge who does not look into it."""

    task: Task
    laws: list[list[Fraction]]
    distances: np.ndarray
    kappa: float

    def broken(self, table: IntegerTable) -> bool:
        """Whether the judge finds the promise or the floor broken."""
        exact = [[Fraction(int(each), WHOLE) for each in row] for row in table]
        duty = self.task.duty
        spent = referee.spent(exact, self.laws, duty.goal.epsilon, duty.wrong)
        return spent > Fraction(duty.goal.delta) or (
            self.kappa < np.inf and referee.floor_broken(exact, self.distances.tolist(), self.kappa)
        )


def case(seed: int, most: int = 8) -> Case:
    source = np.random.default_rng(seed)
    many = seed % 100 == 99 and most > 100
    cells = 200 if many else int(source.integers(1, min(most, 8) + 1))
    missing = cells > 1 and seed % 4 == 1
    laws, judged = _laws(source, seed, cells)
    goal = pf.Guarantee(
        float(source.choice([0.01, 0.5, 1.0, 3.0])), float(source.choice([0.0, 0.0, 0.01]))
    )
    wrong = Fraction(0) if many else Fraction(str(source.choice([0.0, 0.0, 0.01, 0.2])))
    kappa = np.inf if many else float(source.choice([np.inf, 0.3, 2.0]))
    listed = cells - missing
    values = np.sort(source.choice(1000, listed, replace=False)) / source.choice([1.0, 7.0, 500.0])
    distances = np.full((cells, cells), np.inf)
    np.fill_diagonal(distances, 0.0)
    circle = bool(source.integers(2))
    if circle:
        around = np.abs(np.arange(listed)[:, None] - np.arange(listed))
        distances[:listed, :listed] = np.minimum(around, listed - around)
        kernel = exponential_kernel(distances, kappa) if kappa < np.inf else None
        floor = metric_floor(distances, kappa)
    else:
        distances[:listed, :listed] = np.abs(values[:, None] - values)
        bare = line_kernel(values, kappa)
        kernel = None if kappa == np.inf else apart(bare) if missing else bare
        floor = line_floor(values, kappa)
    frequencies = np.array([float(sum(law[x] for law in judged)) for x in range(cells)])
    frequencies /= frequencies.sum()
    cost = np.where(np.isinf(distances), 4.0, distances) ** 2 * frequencies[:, None]
    task = Task(
        duty=Duty(
            laws=(laws,),
            pairs=(tuple(combinations(range(len(laws)), 2)),),
            goal=goal,
            wrong=wrong,
            floor=floor,
        ),
        cost=cost,
        kernel=kernel,
        fixed=bool(source.integers(2)),
        histogram=(frequencies, frequencies) if source.integers(2) else None,
    )
    return Case(task, judged, distances, kappa)


def _laws(
    source: np.random.Generator, seed: int, cells: int
) -> tuple[tuple[CellLaw, ...], list[list[Fraction]]]:
    """Counts of a table, or in every fifth case laws that are enclosed, like those of bins."""
    secrets = int(source.integers(2, 4))
    if seed % 5 == 2:
        shares = [
            [Fraction(each) for each in row] for row in source.dirichlet(np.ones(cells), secrets)
        ]
        exact = [[each / sum(row) for each in row] for row in shares]
        ends = [[float(each) for each in row] for row in exact]
        return tuple(
            CellLaw.from_bounds(
                [max(each - 1e-12, 0.0) for each in row], [each + 1e-12 for each in row]
            )
            for row in ends
        ), exact
    counts = source.integers(0, 50, (secrets, cells)) * source.integers(0, 2, (secrets, cells))
    if seed % 5 == 0:
        # Groups that differ by one row.
        counts = np.repeat(counts[:1], secrets, axis=0)
        counts[1, 0] += 1
    counts[:, source.integers(cells)] += 1
    return tuple(map(CellLaw.from_counts, counts)), [
        [Fraction(int(n), int(row.sum())) for n in row] for row in counts
    ]
