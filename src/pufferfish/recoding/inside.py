"""An interior point method for the linear program of a recoding with many cells.

A general method sees n² columns and, for laws that may be wrong, a multiple of n² rows. But each
output y has the same constraints on its column, and only Σ_y M(·,y) = 1 couples them (`blocks`). So
a step of this method solves n small systems and one of size n (`coupled`). It starts from an
uninformative map, which keeps the promise with room to spare; whenever it stops, its map keeps the
promise too, to within rounding. Steps are those of Mehrotra (1992): a predictor, and a corrector
towards the centre.

It covers δ = 0 without rows of a floor. Small programs are left to the simplex method (`program`),
which ends in a vertex.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.recoding.blocks import Arrays, Block, Plain
from pufferfish.recoding.program import Multipliers, Program, Solution
from pufferfish.recoding.wrong import Wrong

__all__ = ["descend", "fits"]

# With fewer pairs of cell and output the simplex method, which ends in a vertex, is quick enough.
_FEW_WRONG, _FEW = 10_000, 120_000
# Below this ε the interior is too thin.
_LEAST_EPSILON = 1e-3
# The most numbers that the arrays of one program may hold.
_MOST_NUMBERS = 150_000_000
# The required gap, relative to the loss; and the gap below which a solution counts as settled.
_GAP, _SETTLED = 1e-7, 1e-3
# A small loss, compared with that of a constant, which is 1.
_TINY = 1e-3
# The approximate cost of repairing rows of M that miss 1 by rounding, and where to stop.
_PRICE, _MOST_OFF = 20.0, 1e-3
# More steps than are ever needed; and after how many without a gain to stop, with a gap below this.
_MOST_STEPS, _IN_VAIN, _NEAR = 300, 8, 0.05
# A step goes this share of the way to the border.
_SHORT = 0.99


def fits(program: Program) -> bool:
    """Whether this method covers a program."""
    ins, outs = program.cost.shape
    secrets = sum(len(group.laws) for group in program.groups)
    pairs = sum(2 * len(group.pairs) for group in program.groups)
    rows = 3 + 2 * secrets + pairs
    few = _FEW_WRONG if program.wrong else _FEW
    return (
        ins * outs > few
        and program.goal.pure
        and program.goal.epsilon >= _LEAST_EPSILON
        and not program.floor
        and pairs > 0
        and float(np.abs(program.cost).sum(axis=0).min()) > 0.0
        and (not program.wrong or np.array_equal(program.kernel, np.eye(ins)))
        and (program.histogram is None or float(program.histogram[1].min()) > 0.0)
        and ins * outs * (3 * rows + 60 * secrets) <= _MOST_NUMBERS
    )


@dataclass(slots=True)
class _State:
    """A point with its slacks, and the multipliers of slacks, of Σ_y w = 1 and of frequencies."""

    point: Arrays
    slacks: Arrays
    forces: Arrays
    alpha: FloatArray
    nu: FloatArray


def descend(program: Program, *, progress: Callable[[int], None] | None = None) -> Solution | None:
    """The best T, to within floating point, or the best of the steps that could be taken.

    Args:
        program: The program to solve, one that `fits`.
        progress: Called with the number of each step.

    Returns:
        The best map; None if there was no step.
    """
    # The loss of a constant; in most cases the least loss is not far below it.
    scale = float(np.abs(program.cost).sum(axis=0).min())
    block: Block = Wrong(program, scale) if program.wrong else Plain(program, scale)
    state, best, least, in_vain = _start(block), None, math.inf, 0
    with np.errstate(all="ignore"):
        for number in range(1, _MOST_STEPS + 1):
            try:
                state = _step(block, state)
            except np.linalg.LinAlgError:
                break
            if progress is not None:
                progress(number)
            off = float(np.abs(state.point[0].sum(axis=0) - 1.0).max())
            loss = float((state.point[0] * block.cost).sum())
            if not off <= _MOST_OFF or not math.isfinite(loss):
                break
            gap = _gap(state)
            in_vain += gap <= _NEAR * loss
            if loss * (1.0 + _PRICE * off) < least:
                best, least, in_vain = state, loss * (1.0 + _PRICE * off), 0
            if gap <= _GAP * max(loss, _TINY) or in_vain > _IN_VAIN:
                break
    if best is None:
        return None
    return _solution(program, block, best, scale, settled=_gap(best) <= _SETTLED * least)


def _start(block: Block) -> _State:
    point = block.start()
    slacks = block.slacks(point)
    forces = block.forces(slacks)
    return _State(point, slacks, forces, np.zeros(block.cells), np.zeros(block.outs))


def _gap(state: _State) -> float:
    """Σ s·z: if the multipliers are feasible, the loss exceeds the least by no more than this."""
    return sum(float(np.vdot(a, b)) for a, b in zip(state.slacks, state.forces, strict=True))


def _step(block: Block, state: _State) -> _State:
    """One step of predictor and corrector."""
    slacks, forces, w = state.slacks, state.forces, state.point[0]
    number = sum(each.size for each in slacks)
    mean = _gap(state) / number
    missing = 1.0 - w.sum(axis=0)
    unkept, pulled = np.zeros(block.outs), block.pull(forces)
    left = [block.cost + state.alpha - pulled[0], *(-each for each in pulled[1:])]
    if block.histogram is not None:
        given, wanted = block.histogram
        unkept = wanted - w @ given
        left[0] += state.nu[:, None] * given
    block.factor([b / a for a, b in zip(slacks, forces, strict=True)])
    products = [a * b for a, b in zip(slacks, forces, strict=True)]

    def towards(wanted: Arrays) -> tuple[_State, float, float]:
        """The change that makes each product s·z grow by `wanted`, and how far it may go."""
        aims = [a / b for a, b in zip(wanted, slacks, strict=True)]
        right = [a - b for a, b in zip(block.pull(aims), left, strict=True)]
        move = block.solve(right, missing, unkept)
        push = [a - b for a, b in zip(aims, move.push, strict=True)]
        found = _State(move.point, move.slacks, push, move.alpha, move.nu)
        return found, _reach(slacks, move.slacks), _reach(forces, push)

    ahead, far, far_forces = towards([-each for each in products])
    far, far_forces = min(far, 1.0), min(far_forces, 1.0)
    reached = sum(
        float(np.vdot(a + far * da, b + far_forces * db))
        for a, da, b, db in zip(slacks, ahead.slacks, forces, ahead.forces, strict=True)
    )
    centre = (reached / number / mean) ** 3 * mean
    change, far, far_forces = towards(
        [
            centre - product - a * b
            for product, a, b in zip(products, ahead.slacks, ahead.forces, strict=True)
        ]
    )
    far, far_forces = min(_SHORT * far, 1.0), min(_SHORT * far_forces, 1.0)
    return _State(
        [a + far * b for a, b in zip(state.point, change.point, strict=True)],
        [a + far * b for a, b in zip(slacks, change.slacks, strict=True)],
        [a + far_forces * b for a, b in zip(forces, change.forces, strict=True)],
        state.alpha + far_forces * change.alpha,
        state.nu + far_forces * change.nu,
    )


def _reach(values: Arrays, changes: Arrays) -> float:
    """How far values above 0 may change until one is 0."""
    steepest = max(float((-b / a).max()) for a, b in zip(values, changes, strict=True) if a.size)
    return 1.0 / steepest if steepest > 0.0 else math.inf


def _solution(
    program: Program, block: Block, state: _State, scale: float, *, settled: bool
) -> Solution:
    groups, peak, base = block.multipliers([each * scale for each in state.forces])
    found = state.point[0].T
    return Solution(
        map=found,
        loss=float((found * program.cost).sum()),
        multipliers=Multipliers(
            groups=groups,
            peak=peak,
            base=base,
            histogram=state.nu * scale,
            floor=np.zeros((0, block.outs)),
        ),
        settled=settled,
    )
