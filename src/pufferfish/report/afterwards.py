"""The law of a noised value after rounding and clipping, for pictures.

Both are nondecreasing functions, so every published value stands for an interval of noised ones. If
a picture can show the published values one by one, the law is a table of their probabilities.
Otherwise it is a density, and all probability beyond a bound of a clipped column lies at that
bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pufferfish.calibration.postprocess import Clip, Postprocess, process
from pufferfish.core.validation import FloatArray
from pufferfish.noise import OutputLaw

__all__ = ["Bound", "Curve", "Seen", "view_afterwards"]

# Published values that are drawn one by one.
_MOST_VALUES = 64
# Where steps are searched for, and how often each is enclosed more closely.
_LOOKED, _HALVINGS = 4096, 60
# Beyond all values: what is not moved here is not clipped.
_FAR = 1e30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve:
    """A density at points, or the masses of a table at its values."""

    x: FloatArray
    y: FloatArray
    is_table: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a clipped column, and the probability published at it, for each of two secrets."""

    value: float
    masses: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Seen:
    """The law of what is published, for two secrets.

    Attributes:
        curves: A density, or a table of probabilities, for each.
        ratio: log of the first over the second.
        bounds: Where a density is cut off.
    """

    curves: tuple[Curve, Curve]
    ratio: Curve
    bounds: tuple[Bound, ...] = ()


def view_afterwards(
    laws: tuple[OutputLaw, OutputLaw], x: FloatArray, steps: Sequence[Postprocess]
) -> Seen:
    """The laws of what is published, where most of the mass of the noised values is."""
    if not steps:
        return _density(laws, x)
    found = _cells(x, steps)
    if found is not None:
        values, edges = found
        masses = [np.maximum(np.diff(law.cdf(edges)), 0.0) for law in laws]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(masses[0]) - np.log(masses[1])
        curves = Curve(values, masses[0], True), Curve(values, masses[1], True)
        return Seen(curves=curves, ratio=Curve(values, ratio, True))
    low, high = process(np.array([-_FAR, _FAR]), steps).tolist()
    inside = np.linspace(max(low, x[0]), min(high, x[-1]), x.size)
    if inside[0] >= inside[-1]:
        inside = np.linspace(low, high, x.size)
    bounds = [Bound(low, _beyond(laws, low, 0))] if low > -_FAR / 2 else []
    bounds += [Bound(high, _beyond(laws, high, 1))] if high < _FAR / 2 else []
    seen = _density(laws, inside)
    return Seen(curves=seen.curves, ratio=seen.ratio, bounds=tuple(bounds))


def _density(laws: tuple[OutputLaw, OutputLaw], x: FloatArray) -> Seen:
    logs = [law.log_density(x) for law in laws]
    curves = Curve(x, np.exp(logs[0]), False), Curve(x, np.exp(logs[1]), False)
    return Seen(curves=curves, ratio=Curve(x, logs[0] - logs[1], False))


def _beyond(laws: tuple[OutputLaw, OutputLaw], bound: float, side: int) -> tuple[float, float]:
    first, second = (
        float(law.survival([bound])[0] if side else law.cdf([bound])[0]) for law in laws
    )
    return first, second


def _cells(x: FloatArray, steps: Sequence[Postprocess]) -> tuple[FloatArray, FloatArray] | None:
    """The published values in a picture, and the edges between the noised values of each.

    None where there are too many. A value at an end of the picture is left out if a part of its
    interval lies outside.
    """
    low, high = float(x[0]), float(x[-1])
    for each in steps:
        if isinstance(each, Clip):
            # A bound beyond the picture still gets what lies beyond it.
            low, high = min(low, each.low), max(high, each.high)
    points = np.linspace(low, high, _LOOKED)
    values = np.unique(process(points, steps))
    if values.size > _MOST_VALUES:
        return None
    # The edge below each value but the first: the first point that becomes at least that value.
    left, right = np.full(values.size - 1, low), np.full(values.size - 1, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        below = process(middle, steps) < values[1:]
        left, right = np.where(below, middle, left), np.where(below, right, middle)
    far = process(np.array([-_FAR, _FAR]), steps)
    whole = far == values[[0, -1]]
    edges = np.concatenate([[-np.inf], right, [np.inf]])
    first, last = (0 if whole[0] else 1), (values.size if whole[1] else values.size - 1)
    if last <= first:
        return None
    return values[first:last], edges[first : last + 1]
