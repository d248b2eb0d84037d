"""A coupling with bounded |X − X'|, as a promise with δ = 0 needs.

Components are moved as a whole, onto components of the same std, so that |X − X'| is the distance
of two means. They are sorted by std, then by mean, and coupled in that order by their cumulative
weights. For tables (all stds 0) that is the comonotone coupling, and the largest distance is W_∞.

The weights are the doubles that were given, divided by their sum, in exact integers. Sums that are
meant to be equal then differ by about 1e-17, and leave a sliver that couples unrelated values. So a
sum that is this close to a sum of the other law is moved onto it, which changes each weight by a
factor; its logarithm is charged to ε, once. Proofs:
docs/theory/transport.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from pufferfish.beliefs.priors import Components, Prior
from pufferfish.core.numerics import distance_upper
from pufferfish.core.validation import FloatArray
from pufferfish.transport.displacement import Displacement

__all__ = ["bounded_displacement"]

# Sums closer than 2^-48 are meant to be equal, if moving one changes no weight by more than 1e-9.
_CLOSE_BITS = 48
_SMALL_CHANGE = 10**9


class _Overlaps(NamedTuple):
    """The components of the two laws that share some of U, and the ε that snapping costs."""

    first: list[int]
    second: list[int]
    charge: float


def bounded_displacement(first: Prior, second: Prior) -> Displacement | None:
    """A bound on |X − X'| when components move onto components of equal std.

    It covers tables, translations of any shape, and mixtures that differ in their means only. None
    where the two laws do not give each std the same weight.
    """
    p, q = _by_shape(first.components()), _by_shape(second.components())
    if np.array_equal(p.weights, q.weights):
        same = list(range(p.weights.size))
        found = _Overlaps(same, same, 0.0)
    else:
        found = _overlaps(p.weights, q.weights)
    if not np.array_equal(p.stds[found.first], q.stds[found.second]):
        return None
    apart = distance_upper(p.means[found.first], q.means[found.second])
    return Displacement(
        weights=np.array([1.0]),
        means=apart.max(keepdims=True),
        stds=np.array([0.0]),
        charge=found.charge,
    )


def _by_shape(law: Components) -> Components:
    order = np.lexsort((law.means, law.stds))
    return Components(*(column[order] for column in law))


def _overlaps(a: FloatArray, b: FloatArray) -> _Overlaps:
    p, q = _sums(a), _sums(b)
    # A common scale: the sums of both laws now end at the same whole number.
    p, q = [level * q[-1] for level in p], [level * p[-1] for level in q]
    q, charge = _snap(q, p)
    first, second = [0], [0]
    k = l = 0
    while k < len(p) - 1 or l < len(q) - 1:
        step_p, step_q = p[k] <= q[l], q[l] <= p[k]
        k, l = k + step_p, l + step_q
        first.append(k)
        second.append(l)
    return _Overlaps(first, second, charge)


def _sums(weights: FloatArray) -> list[int]:
    """Cumulative sums as whole multiples of one power of two."""
    ratios = [weight.as_integer_ratio() for weight in weights.tolist()]
    unit = max(denominator for _, denominator in ratios)
    return list(accumulate(numerator * (unit // denominator) for numerator, denominator in ratios))


def _snap(levels: list[int], onto: list[int]) -> tuple[list[int], float]:
    """`levels`, moved onto neighbours in `onto` that differ by rounding, and the charge to ε."""
    moved = list(levels)
    for place, level in enumerate(levels[:-1]):
        right = bisect_left(onto, level)
        nearest = min(onto[max(right - 1, 0) : right + 1], key=lambda other: abs(other - level))
        change = abs(nearest - level)
        before = level - (levels[place - 1] if place else 0)
        room = min(before, levels[place + 1] - level)
        if change << _CLOSE_BITS <= levels[-1] and change * _SMALL_CHANGE <= room:
            moved[place] = nearest
    if moved == levels:
        return levels, 0.0
    old, new = _differences(levels), _differences(moved)
    largest = max(abs(math.log1p((b - a) / a)) for a, b in zip(old, new, strict=True))
    return moved, largest * (1.0 + 1e-9)


def _differences(levels: list[int]) -> list[int]:
    return [level - before for before, level in zip([0, *levels], levels, strict=False)]
