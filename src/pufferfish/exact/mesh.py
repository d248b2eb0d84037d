"""The mesh on which many laws are screened: where it starts, and where it is refined.

Any mesh gives sound bounds. This one starts at quantiles of the points that resolve the single
laws, and is cut where the bounds of the pairs that are still above the limit are loosest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.exact.envelope import Law, enclose_law, envelopes
from pufferfish.exact.pair import quiet
from pufferfish.exact.screen import Block, excess_mass
from pufferfish.noise import Noise

__all__ = ["features", "first_mesh", "refine"]

# The number of points kept of one law, of points at the start of a mesh, and of cells at most.
_MOST_FEATURES = 64
_FIRST_POINTS = 64
MOST_CELLS = 4_096
# A cell is cut into this many parts; the loosest cells, with this share of all looseness, are cut.
_PARTS = 4
_SHARE = 0.9
_FEWEST_CUT = 24


def features(laws: Sequence[Law], noise: Noise) -> FloatArray:
    """Points that resolve the laws, a few of each, and the outermost of all; sorted."""
    points = []
    with quiet():
        for law in laws:
            bounds, _ = enclose_law(law.prior, noise)
            own = np.unique(np.concatenate([bounds.features(), bounds.far_features()]))
            kept = np.linspace(0, own.size - 1, min(own.size, _MOST_FEATURES)).astype(np.intp)
            points.append(own[kept])
    found = np.unique(np.concatenate(points))
    return np.asarray(found[np.isfinite(found)])


def first_mesh(points: FloatArray) -> FloatArray:
    """A few of the points, and always the outermost."""
    chosen = np.linspace(0, points.size - 1, min(points.size, _FIRST_POINTS)).astype(np.intp)
    mesh = points[chosen]
    if mesh.size == 1:  # laws narrower than the spacing of floats: one cell that decides nothing
        mesh = np.append(mesh, np.nextafter(mesh, np.inf))
    return mesh


def refine(
    mesh: FloatArray,
    points: FloatArray,
    sample: Block,
    noise: Noise,
    epsilon: float,
    limit: float | None,
) -> FloatArray:
    """The mesh with its loosest cells cut; the same mesh if nothing can be gained.

    Args:
        mesh: The present mesh.
        points: The features of the laws; cells that contain some are cut at them.
        sample: The pairs to fit the mesh to, in both directions.
        noise: The law of N.
        epsilon: The ε at which δ is computed.
        limit: The ε* that matters; None if δ matters.
    """
    loose = _looseness(mesh, sample, noise, epsilon, limit)
    width = np.diff(mesh)
    loose[width <= 1e-14 * np.maximum(np.abs(mesh[1:]), np.abs(mesh[:-1]))] = 0.0
    order = np.argsort(loose)[::-1]
    sums = np.cumsum(loose[order])
    if not sums[-1] > 0.0:
        return mesh
    enough = int(np.searchsorted(sums, _SHARE * sums[-1])) + 1
    most = min((MOST_CELLS - width.size) // (_PARTS - 1), max(width.size // 2, _FEWEST_CUT))
    cut = order[: min(enough, most)]
    cut = cut[loose[cut] > 0.0]
    if not cut.size:
        return mesh
    return np.unique(np.concatenate([mesh, *(_inside(mesh, points, cell) for cell in cut)]))


def _inside(mesh: FloatArray, points: FloatArray, cell: int) -> FloatArray:
    """The points at which a cell is cut: quantiles of its features, or even steps if it has few."""
    left, right = mesh[cell], mesh[cell + 1]
    own = points[np.searchsorted(points, left, "right") : np.searchsorted(points, right)]
    share = np.arange(1, _PARTS) / _PARTS
    if own.size >= _PARTS:
        return own[(share * own.size).astype(np.intp)]
    return np.asarray(left + (right - left) * share)


def _looseness(
    mesh: FloatArray, sample: Block, noise: Noise, epsilon: float, limit: float | None
) -> FloatArray:
    """The approximate excess of the sample's bounds that is due to each cell."""
    bounds = envelopes(sample.laws, noise, mesh)
    p = np.concatenate([sample.first, sample.second])
    q = np.concatenate([sample.second, sample.first])
    with quiet():
        ratio = bounds.upper[p] - bounds.lower[q]
        if limit is not None:
            return _over_limit(ratio, limit)
        # The mass of the law lies between the bounds, which is accurate enough here.
        weight = np.sqrt(bounds.mass_upper * bounds.mass_lower)
        least = np.maximum(weight[p] - np.exp(min(epsilon, 700.0)) * weight[q], 0.0)
        loose = excess_mass(bounds, mesh, p, q, ratio, epsilon) - least
    return np.asarray(np.where(loose >= 0.0, np.minimum(loose, 1.0), 1.0).sum(axis=0))


def _over_limit(ratio: FloatArray, limit: float) -> FloatArray:
    """The largest amount by which the ends of each cell exceed the limit."""
    over = np.maximum(np.where(np.isnan(ratio), np.inf, ratio).max(axis=0) - limit, 0.0)
    cells: npt.NDArray[np.float64] = np.maximum(over[:-1], over[1:])
    return np.minimum(cells, 1e300)
