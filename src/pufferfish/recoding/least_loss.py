"""The table with the least loss that keeps a duty, and a lower bound on the loss of any other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.cuts import CutProgram, Sampled, cut
from pufferfish.recoding.dual import lower_bound
from pufferfish.recoding.exact import WHOLE, Floor
from pufferfish.recoding.inside import descend, fits
from pufferfish.recoding.program import Group, Program, solve
from pufferfish.recoding.table import Duty, repair
from pufferfish.recoding.trivial import trivial

__all__ = ["Found", "Task", "least_loss"]

# With more cells and rows than these a floor is a kernel: one program over all M takes too long.
_FEW_CELLS, _FEW_ROWS = 60, 20_000
# A table that loses no more than this share above the lower bound is not compared with others.
_SURE = 1e-6
# The ε of stricter promises that a search which stopped falls back on, in rising order.
_LADDER = 0.25, 0.5, 1.0, 2.0, 4.0, 8.0


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


def least_loss(task: Task, *, progress: Callable[[int], None] | None = None) -> Found:
    """The table with the least loss that was found; it never loses more than a trivial one.

    The trivial ones are a constant for everybody, and each value kept with the largest probability
    that the duty permits, and redrawn otherwise. A search that stops before its end also takes the
    table of the next stricter promise on a ladder, which does not depend on ε: so it never loses
    more than at any rung below.

    Args:
        task: The problem.
        progress: Called with the number of times that the program was solved with more rows. Its
            exceptions pass through.

    Raises:
        CertificationError: The promise is finer than a table of whole numbers can be.
    """
    found, settled = _found(task, progress)
    goal = task.duty.goal
    stricter = [rung for rung in _LADDER if rung < goal.epsilon]
    if settled or not stricter:
        return found
    duty = replace(task.duty, goal=replace(goal, epsilon=stricter[-1]))
    return _better(found, least_loss(replace(task, duty=duty), progress=progress))


def _found(task: Task, progress: Callable[[int], None] | None) -> tuple[Found, bool]:
    """The best table for this very promise, and whether the search is settled."""
    floor = _rows(task)
    if task.kernel is None or not floor:
        return _search(task, task.kernel, floor, progress)
    free, settled = _search(task, None, floor, progress)
    if settled:
        return free, True
    # One program over all M was too much work.
    return _better(free, _search(task, task.kernel, (), progress)[0]), False


def _better(found: Found, other: Found) -> Found:
    """The better table, with the bound of the first, which holds for the second as well."""
    best = min(found, other, key=lambda each: each.loss)
    return Found(best.table, best.loss, min(found.bound, float(best.loss)))


class _Solved(NamedTuple):
    """M of a program, if it was found, a bound on the loss of all such M, and if it is settled."""

    matrix: FloatArray | None = None
    bound: float = 0.0
    settled: bool = False


def _search(
    task: Task,
    kernel: FloatArray | None,
    floor: Floor,
    progress: Callable[[int], None] | None,
) -> tuple[Found, bool]:
    """The best M = K·T, or the best M with rows of a floor, and whether it is settled."""
    matrix, bound, settled = (_cut if task.duty.sampled else _solve)(task, kernel, floor, progress)
    wanted = None if task.histogram is None else task.histogram[1]
    tables = [] if matrix is None else [repair(matrix, task.duty, wanted)]
    if not tables or _loss(tables[0], task.cost) > bound * (1.0 + _SURE):
        tables += trivial(task.cost, task.duty, kernel, task.histogram)
    best = _best(tables, task, bound)
    if kernel is None or task.fixed:
        return best, settled
    # A floor may be kept without this kernel, and then the bound does not hold.
    bound = best.bound
    other = _best(trivial(task.cost, task.duty, None, task.histogram), task, bound)
    if other.loss >= best.loss:
        return best, settled
    return (other if other.bound == bound else replace(other, bound=0.0)), settled


def _best(tables: list[IntegerTable], task: Task, bound: float) -> Found:
    losses = [_loss(each, task.cost) for each in tables]
    least = min(losses)
    return Found(tables[losses.index(least)], least, min(bound, float(least)))


def _solve(
    task: Task,
    kernel: FloatArray | None,
    floor: Floor,
    progress: Callable[[int], None] | None,
) -> _Solved:
    """The program of laws as they are described, or wrong by a share."""
    program = _program(task, kernel, floor)
    solution = (descend if fits(program) else solve)(program, progress=progress)
    if solution is None:
        return _Solved()
    found = np.clip(solution.map, 0.0, None)
    matrix = program.kernel @ (found / found.sum(axis=1, keepdims=True))
    bound = lower_bound(
        task.duty,
        task.cost,
        solution.multipliers,
        near=matrix,
        kernel=kernel,
        histogram=task.histogram,
        floor=floor,
    )
    return _Solved(matrix, max(bound, 0.0), solution.settled)


def _cut(
    task: Task,
    kernel: FloatArray | None,
    floor: Floor,
    progress: Callable[[int], None] | None,
) -> _Solved:
    """The program over sampling regions."""
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
    found = cut(program, progress=progress)
    if found is None:
        return _Solved()
    return _Solved(program.kernel @ found.map, max(found.bound, 0.0), found.settled)


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
