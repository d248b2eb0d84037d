"""Finds which of very many pairs must be examined: screen, examine the worst, cut the mesh.

A pair whose screened bound does not exceed the limit is settled. The worst few of the others are
examined exactly, which may raise the limit (the worst loss found so far) or the noise (the size
that the worst pair needs so far). A bound that held for less noise holds for more, except for
changes of the grid, and calibration certifies the result again. Then the mesh is cut where it is
loosest for the pairs that are still above the limit, and they are screened again. When they are
few, or the mesh gains no more, all of them are examined.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.exact.classes import ClassPairs, Numbers
from pufferfish.exact.mesh import features, first_mesh, refine
from pufferfish.exact.parallel import Progress, Workers
from pufferfish.exact.screen import (
    Block,
    PairBounds,
    bare_epsilon,
    extra_epsilon,
    screen_block,
    screens,
)
from pufferfish.noise import LaplaceNoise, Noise

__all__ = ["Examine", "Trial", "sift"]

# The number of pairs examined in the first round: their results may settle others.
_WORST = 8
# Up to this many pairs it is quicker to examine than to screen again; and the number of pairs to
# which the mesh is fitted.
_FEW = 128
_SAMPLE = 48
_MOST_ROUNDS = 12
_MOST_VALUES = 500_000
_MOST_PAIRS = 500_000


class Trial(NamedTuple):
    """A noise law, the ε at which δ counts, and the δ (or ε*) below which pairs are settled."""

    noise: Noise
    epsilon: float
    limit: float


# Examines pairs by their indices, and returns the trial from then on.
Examine = Callable[[Numbers, Trial], Trial]


class _Remaining(NamedTuple):
    """Pairs by index, with the bounds that decide."""

    numbers: Numbers
    bounds: FloatArray

    def over(self, limit: float) -> _Remaining:
        """The pairs whose bound exceeds the limit, worst first."""
        kept = np.flatnonzero(self.bounds > limit)
        order = kept[np.argsort(-self.bounds[kept], kind="stable")]
        return _Remaining(self.numbers[order], self.bounds[order])

    def after(self, count: int) -> _Remaining:
        """All but the first."""
        return _Remaining(self.numbers[count:], self.bounds[count:])


def sift(
    pairs: ClassPairs,
    trial: Trial,
    examine: Examine,
    workers: Workers,
    progress: Progress | None = None,
    *,
    pure: bool,
    bounds: PairBounds | None = None,
    exhaustive: bool = True,
) -> PairBounds:
    """Examine pairs until no other is above the limit; the bounds of every pair.

    Args:
        pairs: The pairs.
        trial: The first trial.
        examine: Examines some pairs and returns the next trial: the same or more noise, the same or
            a higher limit.
        workers: The workers.
        progress: Called with the number of pairs settled and of all pairs.
        pure: Whether ε* counts, and not δ.
        bounds: Bounds that are already known.
        exhaustive: Whether to examine all pairs that screening cannot settle, even if they are
            many.
    """
    found = bounds or PairBounds(np.ones(len(pairs)), np.full(len(pairs), np.inf))
    measure = found.epsilon if pure else found.delta
    guess = pairs.difficulty()
    hardest = guess.argmax()
    trial = examine(np.array([hardest]), trial)
    others = np.flatnonzero(measure > trial.limit)
    others = others[others != hardest]
    report = partial(_report, pairs, progress)
    radius = pairs.belief.radius
    screened = others.size > _FEW and screens(pairs.laws, trial.noise, radius, pure=pure)
    if not screened:
        others = others[np.argsort(-guess[others], kind="stable")]
    rest = _Remaining(others, measure[others])
    if screened:
        points = features(pairs.laws, trial.noise)
        mesh = first_mesh(points)
        for _ in range(_MOST_ROUNDS):
            screened_with = trial.noise
            _screen(pairs, rest.numbers, found, trial, mesh, workers)
            rest = _Remaining(rest.numbers, measure[rest.numbers]).over(trial.limit)
            report(rest)
            if rest.numbers.size > _FEW:
                trial = examine(rest.numbers[:_WORST], trial)
                rest = rest.after(_WORST).over(trial.limit)
            if rest.numbers.size <= _FEW:
                break
            sample = rest.numbers[np.linspace(0, rest.numbers.size - 1, _SAMPLE).astype(np.intp)]
            finer = _finer(mesh, points, pairs.block(sample), trial, radius, pure=pure)
            # With more noise than before, the same mesh may settle more.
            if finer.size == mesh.size and trial.noise == screened_with:
                break
            mesh = finer
    batch = _WORST
    while rest.numbers.size and (exhaustive or rest.numbers.size <= _FEW):
        trial = examine(rest.numbers[:batch], trial)
        rest = rest.after(batch).over(trial.limit)
        batch *= 2
        report(rest)
    return found


def _finer(
    mesh: FloatArray,
    points: FloatArray,
    sample: Block,
    trial: Trial,
    radius: float,
    *,
    pure: bool,
) -> FloatArray:
    """The mesh, cut where it is loosest for some pairs, given what grid and radius leave."""
    noise, limit = trial.noise, None
    if pure and isinstance(noise, LaplaceNoise):
        limit = trial.limit - extra_epsilon(noise, radius)
    return refine(mesh, points, sample, noise, bare_epsilon(noise, trial.epsilon, radius), limit)


def _report(pairs: ClassPairs, progress: Progress | None, rest: _Remaining) -> None:
    if progress is not None:
        total = int(pairs.counts.sum())
        progress(total - int(pairs.counts[rest.numbers].sum()), total)


def _screen(
    pairs: ClassPairs,
    numbers: Numbers,
    found: PairBounds,
    trial: Trial,
    mesh: FloatArray,
    workers: Workers,
) -> None:
    """Sharpen the bounds of some pairs."""
    task = partial(
        screen_block,
        mesh=mesh,
        noise=trial.noise,
        epsilon=trial.epsilon,
        radius=pairs.belief.radius,
    )
    sides = max(
        # Limits of memory: values (laws times nodes), and pairs, of one block.
        -(-len(pairs.laws) * mesh.size // _MOST_VALUES),
        math.isqrt(2 * numbers.size // _MOST_PAIRS) + 1,
        # Enough blocks to keep every worker busy.
        math.isqrt(2 * workers.count - 2) + 1,
    )
    parts = pairs.blocks(numbers, sides)
    bounds = workers.map(task, [block for _, block in parts])
    for (chosen, _), part in zip(parts, bounds, strict=True):
        for known, new in zip(found, part, strict=True):
            known[chosen] = np.minimum(known[chosen], new)
