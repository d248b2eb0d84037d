"""Two-sided enclosure of sup_y log p(y)/q(y) by branch and bound over cells and two half-lines.

A promise with δ = 0 rests on this number alone. Proof: docs/theory/pure-epsilon.md.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.beliefs.priors import Components
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.field import Cells, RatioField
from pufferfish.exact.tails import tail_supremum
from pufferfish.noise import LaplaceNoise, Noise

__all__ = ["supremum"]

_MOST_ROUNDS = 200
_MOST_DOUBLINGS = 80
# The enclosure stops once it is this narrow, relative to the supremum and absolutely.
_RELATIVE = 1e-9
_ABSOLUTE = 1e-12


def supremum(
    field: RatioField, p: Components, q: Components, noise: Noise, cap: float = math.inf
) -> Enclosure:
    """sup log p/q over the whole line, known not to exceed `cap`.

    `p` and `q` are the components of the two priors.
    """
    best, upper, extra = -math.inf, -math.inf, []
    for side in (-1.0, 1.0):
        tail, points = _tail(field, p, q, noise, side)
        if tail.lower == math.inf:
            return Enclosure(math.inf, math.inf)
        best, upper = max(best, tail.lower), max(upper, tail.upper)
        extra.extend(points)
    ends = np.array([field.cells.left[0], field.cells.right[-1]])
    added = np.concatenate([field.p.far_features(), field.q.far_features(), extra])
    added = added[(added < ends[0]) | (added > ends[1])]
    cells = field.cells
    if added.size:
        # The cell between the two ends is the old mesh, and is left out here.
        outer = field.mesh(np.concatenate([added, ends]))
        outer = outer.take((outer.left >= ends[1]) | (outer.right <= ends[0]))
        cells = Cells(*(np.concatenate(both) for both in zip(cells, outer, strict=True)))
    inner = _cells_supremum(field, cells, best, cap)
    return Enclosure(max(best, inner.lower), max(upper, inner.upper)).capped(cap)


def _tail(
    field: RatioField, p: Components, q: Components, noise: Noise, side: float
) -> tuple[Enclosure, list[float]]:
    """The supremum beyond the mesh on one side, and the points passed on the way out.

    With Laplace noise the far features already lie where the bound is exact; with Gaussian noise
    the other components vanish slowly, so the half-line is moved outwards until its bounds are
    close.
    """
    first, last = float(field.cells.left[0]), float(field.cells.right[-1])
    points = [first if side < 0 else last]
    for far in (field.p.far_features(), field.q.far_features()):
        if far.size:
            points.append(float(far.min() if side < 0 else far.max()))
    y = min(points) if side < 0 else max(points)
    steps = [y]
    tail = tail_supremum(p, q, noise, side, y)
    if isinstance(noise, LaplaceNoise):
        return tail, steps
    known = float((field.cells.ratio_left - field.cells.margin).max())
    reach = last - first
    for _ in range(_MOST_DOUBLINGS):
        close = _ABSOLUTE + _RELATIVE * abs(tail.upper)
        if tail.upper <= max(known, tail.lower + close):
            break
        y += side * reach
        reach *= 2.0
        steps.append(y)
        tail = tail_supremum(p, q, noise, side, y)
    return tail, steps


def _cells_supremum(field: RatioField, cells: Cells, known: float, cap: float) -> Enclosure:
    """The supremum over cells, given that `known` is reached elsewhere and `cap` never exceeded."""
    best, settled = known, -math.inf
    for _ in range(_MOST_ROUNDS):
        nodes = np.fmax(cells.ratio_left, cells.ratio_right) - cells.margin
        best = max(best, float(np.max(nodes, where=~np.isnan(nodes), initial=-np.inf)))
        tolerance = _ABSOLUTE + _RELATIVE * abs(best)
        # Cutting cannot bring a bound closer than the margin of its own points.
        active = np.minimum(cells.upper, cap) > best + tolerance + 2.0 * cells.margin
        if not active.all():
            settled = max(settled, float(cells.upper[~active].max()))
        cells = cells.take(active)
        if not cells.left.size or not field.can_split(cells):
            break
        cells = field.split(cells)
    if cells.left.size:
        settled = max(settled, float(cells.upper.max()))
    return Enclosure(best, settled)
