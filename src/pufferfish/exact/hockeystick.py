"""Two-sided enclosure of the hockey-stick divergence HS_ε(P‖Q) = ∫ (p − e^ε q)_+ by cells.

Cells where L = log p/q is surely above ε form runs, and a run contributes P(run) − e^ε Q(run), in
closed form. Cells where L is surely at most ε contribute nothing. A cell where L is monotone and
crosses ε has exactly one root: it is located to within a bracket whose own contribution is of
second order in its width. All other cells contribute between 0 and P(cell)·(1 − e^{−(sup L − ε)});
they are cut until that is below the tolerance. Proof: docs/theory/certificate.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.field import Cells, RatioField

__all__ = ["hockey_stick"]

_MOST_ROUNDS = 60
_NEWTON_STEPS = 8
# A crossing is worth locating once its certified slope is known to within this factor.
_SLOPE_RANGE = 16.0


class _Runs(NamedTuple):
    """Intervals on which p > e^ε q for certain, and a bound on all that was left undecided."""

    left: FloatArray
    right: FloatArray
    residual: float


def hockey_stick(field: RatioField, epsilon: float, tolerance: float) -> Enclosure:
    """HS_ε(P‖Q), within about `tolerance` where the cells permit it; ε is any real number."""
    runs = _decide(field, epsilon, tolerance)
    residual = runs.residual + field.p.tail_mass(field.cells.left[0], field.cells.right[-1])
    lower = upper = 0.0
    if runs.left.size:
        p_mass = field.p.log_mass(runs.left, runs.right)
        q_mass = field.q.log_mass(runs.left, runs.right)
        lower = _positive_part(p_mass.lower, q_mass.upper + epsilon)
        upper = _positive_part(p_mass.upper, q_mass.lower + epsilon)
    # Summing a few hundred terms of at most 1 loses less than 1e-13 of the sum.
    lower, upper = lower * (1.0 - 1e-13), upper * (1.0 + 1e-13) + residual
    # Comparisons that also catch nan.
    return Enclosure(lower if lower > 0.0 else 0.0, upper if upper < 1.0 else 1.0)


def _positive_part(log_p: FloatArray, log_q: FloatArray) -> float:
    """Σ (e^{log_p} − e^{log_q})_+ without forming a huge e^{log_q}."""
    with np.errstate(invalid="ignore", over="ignore"):
        terms = np.exp(log_p) * -np.expm1(np.minimum(log_q - log_p, 0.0))
    return math.fsum(terms[~np.isneginf(log_p)])


def _decide(field: RatioField, epsilon: float, tolerance: float) -> _Runs:
    """Cut cells until the undecided ones contribute less than half the tolerance."""
    cells = field.cells
    left: list[FloatArray] = []
    right: list[FloatArray] = []
    crossings: list[Cells] = []
    residual = 0.0
    for round_number in range(_MOST_ROUNDS):
        positive = cells.lower > epsilon
        open_cells = ~positive & ~(cells.upper <= epsilon)
        left.append(cells.left[positive])
        right.append(cells.right[positive])
        cells = cells.take(open_cells)
        crossing = _is_crossing(cells, epsilon)
        crossings.append(cells.take(crossing))
        cells = cells.take(~crossing)
        contribution = _contribution(cells, cells.upper - epsilon)
        total = math.fsum(contribution)
        if (
            total <= 0.5 * tolerance
            or not field.can_split(cells)
            or round_number == _MOST_ROUNDS - 1
        ):
            residual += total
            break
        worth = contribution > 0.05 * tolerance / cells.left.size
        residual += math.fsum(contribution[~worth])
        cells = field.split(cells.take(worth))
    roots = _locate(field, crossings, epsilon, 0.25 * tolerance)
    starts = np.concatenate([*left, roots.left])
    ends = np.concatenate([*right, roots.right])
    starts, ends = _merge(starts, ends)
    return _Runs(starts, ends, residual + roots.residual)


def _is_crossing(cells: Cells, epsilon: float) -> npt.NDArray[np.bool_]:
    below = np.minimum(cells.ratio_left, cells.ratio_right) < epsilon - cells.margin
    above = np.maximum(cells.ratio_left, cells.ratio_right) > epsilon + cells.margin
    gentle, steep = _slope_sizes(cells)
    return np.asarray(below & above & (gentle > 0) & (steep <= _SLOPE_RANGE * gentle))


def _slope_sizes(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest |dL/dy| on the cell; the smallest is ≤ 0 where L may turn."""
    return (
        np.maximum(cells.slope_lower, -cells.slope_upper),
        np.maximum(cells.slope_upper, -cells.slope_lower),
    )


def _contribution(cells: Cells, excess: FloatArray) -> FloatArray:
    """An upper bound on ∫_cell (p − e^ε q)_+, where L − ε ≤ excess on the cell."""
    with np.errstate(over="ignore"):
        mass = np.minimum((cells.right - cells.left) * np.exp(cells.log_p), 1.0)
    return np.asarray(mass * -np.expm1(-np.maximum(excess, 0.0)))


def _locate(field: RatioField, crossings: list[Cells], epsilon: float, tolerance: float) -> _Runs:
    """The certain side of each monotone crossing, and what the brackets between contribute.

    |dL/dy| ≥ g on the cell, so a point y with |L(y) − ε| ≤ e is within e/g of the root.
    """
    cells = Cells(*(np.concatenate(columns) for columns in zip(*crossings, strict=True)))
    if not cells.left.size:
        return _Runs(cells.left, cells.right, 0.0)
    gentle, steep = _slope_sizes(cells)
    rising = cells.slope_lower > 0
    low, high = cells.left, cells.right
    step = (epsilon - cells.ratio_left) / (cells.ratio_right - cells.ratio_left)
    y = np.clip(low + step * (high - low), low, high)
    for _ in range(_NEWTON_STEPS):
        ratio, margin, slope = field.ratio_and_slope(y)
        # One margin for L here, and one for the negligible components that the slope leaves out.
        error = np.abs(ratio - epsilon) + 2.0 * margin
        # Outwards by one float: far from zero the reach may be less than the spacing of floats.
        reach = error / gentle * (1 + 1e-9)
        begin = np.maximum(np.nextafter(y - reach, -np.inf), low)
        end = np.minimum(np.nextafter(y + reach, np.inf), high)
        bracket = cells._replace(left=begin, right=end)
        contribution = _contribution(bracket, error + steep * (end - begin))
        residual = math.fsum(contribution)
        if residual <= tolerance:
            break
        newton = y - (ratio - epsilon) / np.where(slope == 0, np.inf, slope)
        y = np.where((newton > begin) & (newton < end), newton, 0.5 * (begin + end))
    left = np.where(rising, end, low)
    right = np.where(rising, high, begin)
    kept = right > left
    return _Runs(left[kept], right[kept], residual)


def _merge(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Adjacent intervals joined, so that few masses are differenced."""
    order = np.argsort(left)
    left, right = left[order], right[order]
    joined = left[1:] <= right[:-1]
    return left[np.append(True, ~joined)[: left.size]], right[np.append(~joined, True)[: left.size]]
