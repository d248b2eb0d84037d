"""The table that is drawn from, made from a solution: whole numbers that keep the promise.

A solution keeps the promise only to about 1e-9. So it is first rounded to whole numbers over 2⁶²;
then its violations are computed exactly, and it is mixed with an uninformative map,

    M' = (1−θ)·M + θ·1rᵀ,

by which each row of the promise gains a slack of θ·r(y)·(e^ε − 1), and the floor one of
θ·r(y)·(e^{κd} − 1). With δ > 0 any r multiplies the δ that is spent by 1−θ, or by less.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.region import SampleRegion
from pufferfish.core.errors import CertificationError
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import CellLaw, IntegerTable, Whole
from pufferfish.recoding.exact import WHOLE, Floor, delta_of, exp_lower, publish
from pufferfish.recoding.regions import region_of_pair
from pufferfish.recoding.sampled import SampledPair, factor_lower

__all__ = ["Duty", "repair", "round_table"]

_LEAST = 4.0 / WHOLE
# A share this small changes no frequency noticeably, whatever is mixed in.
_FAINT = 1e-6
# The mixture grows at most this many times before the promise is refused as too fine.
_MOST_TRIES = 60
# Enough to find a number to the last digit of a double.
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Duty:
    """The promise and the floor that a table must keep.

    Attributes:
        laws: For each adversary, one law for each secret.
        pairs: For each adversary, the pairs of secrets, each in both orders.
        goal: The promise.
        wrong: How far in total variation each law may be wrong.
        regions: The sampling region of each adversary, whose laws are then counts of rows; None, or
            empty: the laws are taken as they are.
        floor: The factor by which each pair of values may be distinguished (`kernels.line_floor`,
            `metric_floor`).
    """

    laws: tuple[tuple[CellLaw, ...], ...]
    pairs: tuple[tuple[tuple[int, int], ...], ...]
    goal: Guarantee
    wrong: Fraction = Fraction(0)
    regions: tuple[SampleRegion | None, ...] = ()
    floor: Floor = ()

    @property
    def sampled(self) -> bool:
        """Whether some adversary has a sampling region."""
        return any(each is not None for each in self.regions)


def round_table(matrix: FloatArray) -> IntegerTable:
    """A matrix with rows that sum to 1, as whole numbers with rows that sum to 2⁶²."""
    table = np.floor(np.clip(matrix, 0.0, 1.0) * float(WHOLE)).astype(np.int64)
    for row, rest in zip(table, WHOLE - table.sum(axis=1), strict=True):
        row[row.argmax()] += rest
    return table


def repair(matrix: FloatArray, duty: Duty, mixed_in: FloatArray | None = None) -> IntegerTable:
    """The table of a map, mixed with as little of an uninformative map as the duty needs.

    Args:
        matrix: M, from a solution.
        duty: The duty that must be kept, exactly.
        mixed_in: r, if the frequencies of published values must stay the same, to within 1e-6;
            None: r is chosen where it helps most.

    Raises:
        CertificationError: The promise is finer than a table can be.
    """
    weights = np.zeros(matrix.shape[1])
    for attempt in range(_MOST_TRIES):
        # θ·r/(1−θ), which need not be exact, because the resulting table is judged.
        mixed = (matrix + weights) / (1.0 + weights.sum())
        table = round_table(mixed)
        needed = _shortfall(table, duty, mixed_in)
        if not any(needed):
            return table
        # At least some units of the table.
        found = np.array([max(float(each), _LEAST) if each else 0.0 for each in needed])
        found *= 1.0 + weights.sum()
        if mixed_in is None or found.sum() < _FAINT:
            # Also where nothing is broken: little room is left there, and the next step rounds
            # again. What is added doubles until doubles can tell it from what is there.
            weights += (found + min(float(found.mean()), _FAINT / found.size)) * 2.0**attempt
        elif not duty.goal.pure:
            weights += mixed_in * found.sum() * 2.0**attempt
        else:
            weights += mixed_in * (found / np.maximum(mixed_in, 2.0**-62)).max() * 2.0**attempt
    raise CertificationError(
        "the promise is finer than a table of whole numbers over 2^62 can resolve: choose a larger "
        "epsilon or delta."
    )


def _shortfall(table: IntegerTable, duty: Duty, mixed_in: FloatArray | None) -> list[Fraction]:
    """For each y the θ·r(y)/(1−θ) that suffices; 0 where nothing is broken."""
    outs, goal = table.shape[1], duty.goal
    needed = [Fraction(0)] * outs
    factor = exp_lower(goal.epsilon)
    # With δ > 0 any r suffices.
    shares = np.full(outs, 1.0 / outs) if mixed_in is None else mixed_in
    regions = duty.regions or (None,) * len(duty.laws)
    for laws, pairs, region in zip(duty.laws, duty.pairs, regions, strict=True):
        if region is not None:
            needed = _over_region(table, duty, laws, pairs, region, needed, shares)
            continue
        seen = [publish(table, law, duty.wrong) for law in laws]
        for i, j in (order for pair in pairs for order in (pair, pair[::-1])):
            if goal.pure:
                for y, (a, b) in enumerate(zip(seen[i].upper, seen[j].lower, strict=True)):
                    if a > factor * b:
                        needed[y] = max(needed[y], _per_slack(a - factor * b, factor))
                continue
            if delta_of(seen[i], seen[j], goal.epsilon) > Fraction(goal.delta):
                sides = zip(seen[i].upper, seen[j].lower, strict=True)
                over = [a - factor * b for a, b in sides]
                needed = _overspent(over, goal, factor, shares, needed)
    for y, excess in _floor_excess(table, duty.floor):
        needed[y] = max(needed[y], excess)
    return needed


def _over_region(
    table: IntegerTable,
    duty: Duty,
    laws: tuple[CellLaw, ...],
    pairs: tuple[tuple[int, int], ...],
    region: SampleRegion,
    needed: list[Fraction],
    shares: FloatArray,
) -> list[Fraction]:
    """`_shortfall` for all laws of a sampling region."""
    goal, factor = duty.goal, exp_lower(duty.goal.epsilon)
    near = factor_lower(goal.epsilon)
    for i, j in (order for pair in pairs for order in (pair, pair[::-1])):
        rows = [[int(each) for each in law.low] for law in (laws[i], laws[j])]
        pair = SampledPair.from_table(region_of_pair(region, *rows), table)
        excess = [Fraction(each) for each in pair.excess(near, pair.witnesses(near)).tolist()]
        if goal.pure:
            for y, each in enumerate(excess):
                if each > 0:
                    needed[y] = max(needed[y], _per_slack(each, factor))
            continue
        if sum((max(each, Fraction(0)) for each in excess), Fraction(0)) > Fraction(goal.delta):
            needed = _overspent(excess, goal, factor, shares, needed)
    return needed


def _overspent(
    excess: list[Fraction],
    goal: Guarantee,
    factor: Fraction,
    shares: FloatArray,
    needed: list[Fraction],
) -> list[Fraction]:
    """At least w·r with the least w for which Σ_y [e(y) − (e^ε − 1)·w·r(y)]₊ ≤ δ·(1 + w)."""
    broken, gained = np.array([float(each) for each in excess]), float(factor - 1) * shares
    low, high = 0.0, float(np.maximum(broken, 0.0).sum()) / goal.delta
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if np.maximum(broken - middle * gained, 0.0).sum() <= goal.delta * (1.0 + middle):
            high = middle
        else:
            low = middle
    return [
        max(each, Fraction(high * share))
        for each, share in zip(needed, shares.tolist(), strict=True)
    ]


def _per_slack(excess: Fraction, factor: Fraction) -> Fraction:
    """The θ·r/(1−θ) that makes up for an excess; a promise of ε = 0 leaves no room."""
    return excess / (factor - 1) if factor > 1 else Fraction(1 << 62)


def _floor_excess(table: IntegerTable, floor: Floor) -> list[tuple[int, Fraction]]:
    whole: Whole = table.astype(object)
    found = []
    for x, other, factor in floor:
        up, down = factor.numerator, factor.denominator
        for first, second in ((whole[x], whole[other]), (whole[other], whole[x])):
            excess = first * down - second * up
            found += [
                (int(y), _per_slack(Fraction(excess[y], down * WHOLE), factor))
                for y in np.flatnonzero(excess > 0)
            ]
    return found
