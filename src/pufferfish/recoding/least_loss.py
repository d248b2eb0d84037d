"""The table with the least loss that keeps a duty, and a lower bound on the loss of any other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.cuts import CutProgram, Sampled, cut
from pufferfish.recoding.dual import lower_bound
from pufferfish.recoding.exact import WHOLE, Floor
from pufferfish.recoding.inside import descend, fits
from pufferfish.recoding.program import Group, Program, solve
from pufferfish.recoding.table import Duty, repair, round_table

__all__ = ["Found", "Task", "least_loss"]

# With more cells and rows than these a floor is a kernel: one program over all M takes too long.
_FEW_CELLS, _FEW_ROWS = 60, 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """The problem: the table with the least loss that keeps a duty.

    Attributes:
        duty: The duty that must be kept, exactly.
        cost: c(x,y)·π(x), for each cell and each output: weighted by the frequency of x.
        kernel: K of the floor; None without a floor.
        fixed: Whether M must be K and then a map T, as for remapped noise. Otherwise K serves only
            where one program over all M that keep the floor would take too long.
        histogram: The frequencies of cells, and the required ones of outputs; None: none is
            required.
    """

    duty: Duty
    cost: FloatArray
    kernel: FloatArray | None = None
    fixed: bool = False
    histogram: tuple[FloatArray, FloatArray] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The table that was found, its loss, and a bound.

    Attributes:
        table: M over 2⁶². It keeps the duty: this was checked in whole numbers.
        loss: Σ cost·M of this table, exactly.
        bound: A lower bound on the loss of every map that keeps the duty, for this kernel and these
            outputs.
    """

    table: IntegerTable
    loss: Fraction
    bound: float


def least_loss(
    task: Task,
    *,
    seconds: float = math.inf,
    progress: Callable[[int], None] | None = None,
) -> Found:
    """The table with the least loss.

    Args:
        task: The problem.
        seconds: The time after which the best table so far is returned.
        progress: Called with the number of times that the program was solved with more rows. Its
            exceptions pass through.

    Raises:
        UnsupportedError: No table was found in time.
        CertificationError: The promise is finer than a table of whole numbers can be.
    """
    floor = _rows(task)
    if task.kernel is None or not floor:
        return _search(task, task.kernel, floor, seconds, progress)[0]
    try:
        free, settled = _search(task, None, floor, seconds / 2.0, progress)
    except UnsupportedError:
        # One program over all M took too long.
        return _search(task, task.kernel, (), seconds / 2.0, progress)[0]
    if settled:
        return free
    other = _search(task, task.kernel, (), seconds / 2.0, progress)[0]
    better = min(free, other, key=lambda each: each.loss)
    return Found(better.table, better.loss, min(free.bound, float(better.loss)))


def _search(
    task: Task,
    kernel: FloatArray | None,
    floor: Floor,
    seconds: float,
    progress: Callable[[int], None] | None,
) -> tuple[Found, bool]:
    """The best M = K·T, or the best M with rows of a floor, and whether it is settled."""
    if task.duty.sampled:
        return _cut(task, kernel, floor, seconds, progress)
    program = _program(task, kernel, floor)
    found_by = descend if fits(program) else solve
    solution = found_by(program, seconds=seconds, progress=progress)
    found = np.clip(solution.map, 0.0, None)
    matrix = program.kernel @ (found / found.sum(axis=1, keepdims=True))
    table, loss = _repaired(task, matrix, solution.settled)
    bound = lower_bound(
        task.duty,
        task.cost,
        solution.multipliers,
        near=matrix,
        kernel=kernel,
        histogram=task.histogram,
        floor=floor,
    )
    return Found(table, loss, min(bound, float(loss))), solution.settled


def _repaired(task: Task, matrix: FloatArray, settled: bool) -> tuple[IntegerTable, Fraction]:
    """The table of a map that keeps the duty, and its loss."""
    wanted = None if task.histogram is None else task.histogram[1]
    table = repair(matrix, task.duty, wanted)
    loss = _loss(table, task.cost)
    if settled:
        return table, loss
    # After the repair, a solution that was far from the promise may lose more than a constant.
    silent = _constant(task.cost, wanted)
    return min((table, loss), (silent, _loss(silent, task.cost)), key=lambda each: each[1])


def _cut(
    task: Task,
    kernel: FloatArray | None,
    floor: Floor,
    seconds: float,
    progress: Callable[[int], None] | None,
) -> tuple[Found, bool]:
    """`_search` over sampling regions."""
    duty, chosen = task.duty, np.eye(len(task.cost)) if kernel is None else kernel
    given = None
    if task.histogram is not None:
        given = task.histogram[0] @ chosen, task.histogram[1]
    program = CutProgram(
        cost=chosen.T @ task.cost,
        kernel=chosen,
        groups=tuple(
            Sampled(np.array([law.low.astype(np.float64) for law in laws]), pairs, region)
            for laws, pairs, region in zip(duty.laws, duty.pairs, duty.regions, strict=True)
        ),
        goal=duty.goal,
        histogram=given,
        floor=tuple((x, other, float(factor)) for x, other, factor in floor),
    )
    found = cut(program, seconds=seconds, progress=progress)
    table, loss = _repaired(task, program.kernel @ found.map, found.settled)
    return Found(table, loss, min(found.bound, float(loss))), found.settled


def _rows(task: Task) -> Floor:
    """The rows of the floor; none if K takes their place."""
    if task.kernel is None:
        return _needed(task.duty.floor)
    if task.fixed:
        return ()
    cells, outs = task.cost.shape
    needed = _needed(task.duty.floor)
    few = len(needed) * outs <= _FEW_ROWS and not task.duty.wrong
    return needed if few or cells <= _FEW_CELLS else ()


def _constant(cost: FloatArray, wanted: FloatArray | None) -> IntegerTable:
    """The uninformative map with the least loss; it keeps every promise."""
    outs = cost.shape[1]
    shares = np.eye(outs)[cost.sum(axis=0).argmin()] if wanted is None else wanted
    return round_table(np.tile(shares, (len(cost), 1)))


def _needed(floor: Floor) -> Floor:
    """The pairs that do not follow from others through a third value, in both orders."""
    size = 1 + max((max(x, other) for x, other, _ in floor), default=0)
    apart = np.full((size, size), math.inf)
    for x, other, factor in floor:
        apart[x, other] = apart[other, x] = math.log(factor)
    kept = (
        (x, other, factor)
        for x, other, factor in floor
        if not (
            (apart[x] + apart[other] <= apart[x, other] * (1.0 + 1e-12))
            & (np.minimum(apart[x], apart[other]) > 0.0)
        ).any()
    )
    return tuple(
        order for x, other, factor in kept for order in ((x, other, factor), (other, x, factor))
    )


def _program(task: Task, chosen: FloatArray | None, floor: Floor) -> Program:
    kernel = np.eye(len(task.cost)) if chosen is None else chosen
    duty = task.duty
    return Program(
        cost=kernel.T @ task.cost,
        kernel=kernel,
        groups=tuple(
            Group(np.array([law.probabilities for law in laws]), pairs)
            for laws, pairs in zip(duty.laws, duty.pairs, strict=True)
        ),
        goal=duty.goal,
        wrong=float(duty.wrong),
        floor=tuple((x, other, float(factor)) for x, other, factor in floor),
        histogram=(
            None if task.histogram is None else (task.histogram[0] @ kernel, task.histogram[1])
        ),
    )


def _loss(table: IntegerTable, cost: FloatArray) -> Fraction:
    """Σ cost·M/2⁶², exactly."""
    some = (cost != 0.0) & (table != 0)
    if not some.any():
        return Fraction(0)
    # A double is a whole number times a power of two.
    parts, powers = np.frexp(cost[some])
    whole = np.ldexp(parts, 53).astype(np.int64).astype(object)
    lowest = int(powers.min())
    whole = whole << (powers - lowest).astype(object)
    return Fraction(int(whole @ table[some].astype(object))) * Fraction(2) ** (lowest - 53) / WHOLE
