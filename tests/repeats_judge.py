"""An independent judge of several draws of one row. It shares no code with the library.

A row's value x is drawn once, and T outcomes y_1, …, y_T are drawn given x, each afresh. With
w(x) = Π_t M_t(x, y_t), the joint probability under a law P of the values is Σ_x P(x)·w(x). Over all
laws within `wrong` of P in total variation, the largest moves that much mass from where w is least
to the largest w anywhere, and the least moves it the other way; found by sorting, in fractions
where w is whole. Any law that is named here is one that the promise covers, so what it shows is
never more than the truth: an ε or δ above the budget is a broken promise.

The worst laws are also tried inside a sampling region, whose formula is computed here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

Value = Hashable
# For each value what it weighs: whole numbers, or floats where noise is added.
Weights = Mapping[Value, "int | float"]
Counts = Mapping[Value, int]
# The worst outcomes, whose worst laws are tried on all outcomes for δ, and inside a region.
_TRIED = 4


class Drawn(NamedTuple):
    """What T draws may show: outcomes, in how many orders each may come, and its weights."""

    outcomes: tuple[tuple[int, Weights], ...]
    # Whether the outcomes are all there are, so that δ is a sum over them.
    whole: bool


def draws_of_maps(maps: Sequence[Mapping[Value, Sequence[int]]]) -> Drawn:
    """All outcomes of one draw by each of these maps: value → whole numbers."""
    groups = Counter(map(id, maps))
    of = {id(each): each for each in maps}
    # A value that one of the maps does not take is refused there.
    taken = [x for x in maps[0] if all(x in each for each in maps)]
    seen = [
        [(each, size) for each in combinations_with_replacement(range(_outputs(of[one])), size)]
        for one, size in groups.items()
    ]
    found = []
    for chosen in product(*seen):
        orders = math.prod(
            math.factorial(size) // math.prod(map(math.factorial, Counter(each).values()))
            for each, size in chosen
        )
        weights = {
            x: math.prod(
                of[one][x][y] for one, (each, _) in zip(groups, chosen, strict=True) for y in each
            )
            for x in taken
        }
        found.append((orders, weights))
    return Drawn(tuple(found), whole=True)


def _outputs(one: Mapping[Value, Sequence[int]]) -> int:
    return len(next(iter(one.values())))


def draws_of_noise(
    scales: Sequence[float],
    values: Sequence[float],
    bounds: tuple[float, float] | None,
    chance: np.random.Generator,
    *,
    holes: bool,
) -> Drawn:
    """Some outcomes of Laplace noise of these scales, to be looked at one by one.

    The weight of x is Π e^{−|y_t − x|/b_t}; on a grid that all x lie on, the noise has these
    weights exactly. All y equal is the worst of them: the others are there to doubt it. A hole is
    shown as one, and never in place of a value; where there are none, no law has them.
    """
    ends = list(values) if bounds is None else [*values, *bounds]
    low, high = min(ends), max(ends)
    single = sorted({*ends, *np.linspace(low, high, 33).tolist(), low - 1.0, high + 1.0})
    several = [[y] * len(scales) for y in single]
    several += chance.choice(single, (20, len(scales))).tolist()
    found = []
    for ys in several:
        # Mass may be anywhere within the bounds: w is largest at some y, and least at an end.
        inside = [] if bounds is None else [min(max(y, bounds[0]), bounds[1]) for y in ys]
        weights: dict[Value, float] = {
            x: math.exp(-sum(abs(y - x) / b for y, b in zip(ys, scales, strict=True)))
            for x in {*ends, *inside}
        }
        found.append((1, weights | ({None: 0.0} if holes else {})))
    if holes:
        found.append((1, {**dict.fromkeys(values, 0.0), None: 1.0}))
    return Drawn(tuple(found), whole=False)


def breaks(
    drawn: Drawn, one: Counts, other: Counts, goal: tuple[float, float], share: Sharing
) -> bool:
    """Whether some laws near those of two groups of rows break (ε, δ), in this order."""
    epsilon, delta = goal
    every = [weights for _, weights in drawn.outcomes]
    if share.error is not None:
        # A search for each outcome takes long: only those that tell two values apart best.
        every = sorted(every, key=_apart, reverse=True)[:_TRIED]
    found = sorted(
        ((log_ratio(*share.worst(one, other, weights)), weights) for weights in every),
        key=lambda each: each[0],
        reverse=True,
    )
    # Doubles are accurate to 1e-13 here; a law that is more than 1e-9 off is no accident.
    if found[0][0] <= epsilon + 1e-9:
        return False
    if delta == 0.0:
        return True
    if not drawn.whole:
        return False  # the outcomes that are looked at have no probability to add up
    return any(
        _hockey_stick(drawn, *share.laws(one, other, weights), epsilon) > delta + 1e-9
        for _, weights in found[:_TRIED]
    )


class Sharing(NamedTuple):
    """Which laws are covered: those within `wrong`, or those not excluded at the level `error`."""

    wrong: Fraction = Fraction(0)
    error: float | None = None

    def worst(
        self, one: Counts, other: Counts, weights: Weights
    ) -> tuple[Fraction | float, Fraction | float]:
        """The largest probability under the first law, and the least under the second."""
        return tuple(  # type: ignore[return-value]
            sum((share * weights[x] for x, share in law.items()), Fraction(0))
            for law in self.laws(one, other, weights)
        )

    def laws(
        self, one: Counts, other: Counts, weights: Weights
    ) -> tuple[dict[Value, Fraction], dict[Value, Fraction]]:
        """The laws that make one outcome as telling as they may."""
        places = sorted(weights, key=lambda x: weights[x])
        if self.error is None:
            return (
                _moved(one, places, self.wrong, to=places[-1]),
                _moved(other, places[::-1], self.wrong, to=places[0]),
            )
        return self._inside(one, other, places[-1], places[0])

    def _inside(
        self, one: Counts, other: Counts, up: Value, down: Value
    ) -> tuple[dict[Value, Fraction], dict[Value, Fraction]]:
        """Laws of the region that have more at one value, by mixing as much as it permits."""
        low, high = 0.0, 1.0 - 1e-9
        for _ in range(25):
            middle = (low + high) / 2.0
            mixed = _mixed(one, middle, up), _mixed(other, middle, down)
            spent = _evidence(one, mixed[0]) + _evidence(other, mixed[1])
            low, high = (middle, high) if spent <= -math.log(self.error or 1.0) else (low, middle)
        return _mixed(one, low, up), _mixed(other, low, down)


def _moved(
    counts: Counts, places: Sequence[Value], wrong: Fraction, to: Value
) -> dict[Value, Fraction]:
    """The law of the counts, with `wrong` of its mass moved to one value, from these in turn."""
    total, rest = sum(counts.values()), wrong
    law = {x: Fraction(counts.get(x, 0), total) for x in places}
    for x in places:
        part = min(law[x], rest)
        law[x] -= part
        rest -= part
    law[to] += wrong
    return law


def _mixed(counts: Counts, share: float, to: Value) -> dict[Value, Fraction]:
    part, total = Fraction(share), sum(counts.values())
    law = {x: (1 - part) * Fraction(n, total) for x, n in counts.items()}
    law[to] = law.get(to, Fraction(0)) + part
    return law


def _evidence(counts: Counts, law: Mapping[Value, Fraction]) -> float:
    """log Q_p(X)/p(X): the Dirichlet law with parameters n·p, and then the rows, against p."""
    n = sum(counts.values())
    terms = [math.log(n + i / float(law[x])) for x, count in counts.items() for i in range(count)]
    return math.lgamma(n) - math.lgamma(2 * n) + math.fsum(terms)


def _hockey_stick(
    drawn: Drawn, one: Mapping[Value, Fraction], other: Mapping[Value, Fraction], epsilon: float
) -> float:
    scale = sum(
        orders * sum(share * weights[x] for x, share in one.items())
        for orders, weights in drawn.outcomes
    )
    factor, parts = Fraction(math.exp(epsilon)), []
    for orders, weights in drawn.outcomes:
        first, second = (sum(p * weights[x] for x, p in law.items()) for law in (one, other))
        parts.append(float(orders * max(first - factor * second, 0) / scale))
    return math.fsum(parts)


def _apart(weights: Weights) -> float:
    return log_ratio(max(weights.values()), min(weights.values()))


def log_ratio(one: Fraction | float, other: Fraction | float) -> float:
    """The logarithm of a ratio of probabilities."""
    if one == 0:
        return -math.inf
    if other == 0:
        return math.inf
    ratio = Fraction(one) / Fraction(other)
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def each_way(laws: Mapping[Hashable, Counts]) -> Iterator[tuple[Counts, Counts]]:
    """Both orders of every two groups."""
    return ((laws[i], laws[j]) for i, j in product(laws, laws) if i != j)
