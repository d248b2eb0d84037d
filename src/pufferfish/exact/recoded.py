"""The exact privacy of a recoding: whole numbers times counts, e^ε rounded to the private side.

For a law P of the values, Q(y) = Σ_x P(x)·M(x,y), for P as described, any law within `wrong` of it
in total variation, or any law of its sampling region (`sampled`). A pair loses ε* = log max_y
Q₁(y)/Q₂(y), and δ = Σ_y [Q₁(y) − e^ε·Q₂(y)]₊. Counts of a table are exact. Smooth laws, and laws
after noise on a grid, are enclosed (docs/theory/recoding.md). Nothing here depends on how a map was
found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Book, Labels
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.region import SampleRegion, refuse_both
from pufferfish.beliefs.scenario import AllPairs, Belief, Scenario, Secret, SecretPair
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import float_upper
from pufferfish.exact.cell_laws import cell_law, rows_of_cells
from pufferfish.exact.certificate import Certificate, PairResult, Screened
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.many import is_many
from pufferfish.exact.sampled import judge_over_region
from pufferfish.recoding.exact import (
    WHOLE,
    Published,
    delta_of,
    epsilon_of,
    exp_lower,
    exp_upper,
    publish,
)
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.regions import region_of_pair
from pufferfish.recoding.sampled import SampledPair

__all__ = ["certify_recoding", "deltas_of_pair", "published_shares"]
__all__ += ["as_they_are", "recoding_delta", "recoding_epsilon"]

# The least ε of a promise.
_LEAST_EPSILON = 1e-100
# Above this ε, e^ε overflows.
_LARGEST_EPSILON = 700.0
# The most pairs that are judged over a sampling region.
_MOST_SAMPLED = 1_000
# A ratio larger than all others.
_UNBOUNDED = Fraction(1 << 512)


def certify_recoding(
    scenario: Scenario,
    recoding: Recoding,
    goal: Guarantee,
    wrong: float = 0.0,
    recorded: Certificate | None = None,
) -> Certificate:
    """Certify a recoding for every pair and every belief, for all laws within `wrong` of it.

    The witnesses of a recorded certificate, if it has any, replace a search.
    """
    results: list[PairResult] = []
    screened: list[Screened] = []
    for belief in scenario.beliefs:
        own = scenario.pairs_of(belief)
        if belief.region is not None:
            results += _sampled_results(recoding, belief, own, goal, wrong, recorded)
            continue
        seen = _Seen(recoding, belief, wrong)
        if is_many(scenario) and len(own) > 1:
            pairs = _all_pairs(own, goal)
            results += seen.results(seen.worst_of(pairs), goal)
            screened.append(seen.screen(pairs, goal))
            continue
        results += [each for pair in own for each in seen.results(pair, goal)]
    return Certificate(
        goal=goal,
        noise=recoding,
        results=tuple(results),
        screened=tuple(screened),
        wrong=wrong,
        confidence=scenario.confidence,
    )


def as_they_are(scenario: Scenario) -> Recoding:
    """The map that publishes every category as it is."""
    values: dict[object, Labels] = {}
    for belief in scenario.beliefs:
        for law in belief.priors.values():
            if isinstance(law, Categorical):
                for key, labels in zip(law.values.keys, law.values, strict=True):
                    values.setdefault(key, labels)
    every = Book(values.values())
    table = np.eye(len(every), dtype=np.int64) * WHOLE
    return Recoding(values=every, outputs=every, table=table, labelled=True)


def recoding_epsilon(scenario: Scenario, recoding: Recoding) -> Enclosure:
    """ε* over all pairs, directions and beliefs."""
    found = certify_recoding(scenario, recoding, Guarantee(1.0))
    return Enclosure(found.epsilon_lower, found.epsilon_upper)


def recoding_delta(scenario: Scenario, recoding: Recoding, epsilon: float) -> Enclosure:
    """δ at ε, over all pairs, directions and beliefs."""
    goal = Guarantee(max(epsilon, _LEAST_EPSILON), 0.5)
    found = certify_recoding(scenario, recoding, goal)
    upper = found.delta_upper
    if epsilon < _LEAST_EPSILON:
        # No promise has ε = 0; its δ is larger by at most e^ε − 1.
        upper = min(math.nextafter(upper + 2.0 * _LEAST_EPSILON, math.inf), 1.0)
    return Enclosure(found.delta_lower, upper)


def published_shares(recoding: Recoding, belief: Belief, secret: Secret) -> tuple[float, ...]:
    """The approximate probability of each output under a secret; for pictures."""
    found = _Seen(recoding, belief, 0.0).described(secret)
    return tuple(
        float(low + high) / 2.0 for low, high in zip(found.lower, found.upper, strict=True)
    )


def deltas_of_pair(
    recoding: Recoding, belief: Belief, pair: SecretPair, epsilons: Iterable[float]
) -> list[tuple[float, float]]:
    """Upper bounds on δ at each ε, in both orders, for one pair as one adversary sees it."""
    seen = _Seen(recoding, belief, 0.0)
    first, second = (seen.described(secret) for secret in pair)
    both = (first, second), (second, first)
    return [
        (
            min(float_upper(delta_of(*both[0], epsilon)), 1.0),
            min(float_upper(delta_of(*both[1], epsilon)), 1.0),
        )
        for epsilon in epsilons
    ]


def _all_pairs(pairs: Sequence[SecretPair], goal: Guarantee) -> AllPairs:
    """The pairs, checked to be bounded by a single one: all pairs of some secrets, with δ = 0."""
    if not isinstance(pairs, AllPairs) or not goal.pure:
        raise UnsupportedError(
            "thousands of pairs are judged together only if they are all pairs of some secrets and "
            "delta = 0: name fewer pairs."
        )
    return pairs


def _sampled_results(
    recoding: Recoding,
    belief: Belief,
    pairs: Sequence[SecretPair],
    goal: Guarantee,
    wrong: float,
    recorded: Certificate | None,
) -> list[PairResult]:
    """The results of all pairs of an adversary with a sampling region."""
    refuse_both(belief.name, wrong)
    seen, region = _Seen(recoding, belief, 0.0), cast("SampleRegion", belief.region)
    if len(pairs) > _MOST_SAMPLED:
        raise UnsupportedError(
            f"a sampling region is judged for up to {_MOST_SAMPLED} pairs, got {len(pairs)}: name "
            "fewer (--pair)."
        )
    domain = recoding.domain_of_laws
    rows = {each: rows_of_cells(domain, belief, each) for pair in pairs for each in pair}
    cells = region.cells
    if recoding.unseen is not None and cells is not None and len(recoding.values) >= cells:
        raise UnsupportedError(
            "the recoding takes values that are not listed, which need a cell of their own: give a "
            "larger number of cells when you fit the belief (cells=...)."
        )
    known = {} if recorded is None else recorded.witnesses_of(belief.name)
    found: list[PairResult] = []
    for pair in pairs:
        for direction in (pair, SecretPair(pair.second, pair.first)):
            first, second = direction
            laws = region_of_pair(region, rows[first], rows[second])
            sampled = SampledPair.from_table(laws, recoding.table)
            one, other = seen.described(first), seen.described(second)
            least = _least_epsilon(one, other), _least_delta(one, other, goal.epsilon)
            bounds = judge_over_region(sampled, goal, known.get(direction))
            lower = max(bounds.epsilon.lower, least[0])
            found.append(
                PairResult(
                    belief=belief.name,
                    provenance=belief.provenance,
                    pair=pair,
                    direction=direction,
                    delta_lower=min(least[1], bounds.delta),
                    delta_upper=bounds.delta,
                    epsilon_lower=min(lower, bounds.epsilon.upper),
                    epsilon_upper=bounds.epsilon.upper,
                    witnesses=bounds.witnesses,
                )
            )
    return found


class _Seen:
    """The published laws as one adversary sees them, secret by secret."""

    def __init__(self, recoding: Recoding, belief: Belief, wrong: float) -> None:
        self._recoding, self._belief, self._wrong = recoding, belief, Fraction(wrong)
        self._exact = True
        self._described: dict[Secret, Published] = {}
        self._worst: dict[Secret, Published] = {}

    def described(self, secret: Secret) -> Published:
        """Bounds under the law as it is described."""
        if secret not in self._described:
            law = cell_law(self._recoding.domain_of_laws, self._belief, secret)
            self._exact &= bool((law.low == law.high).all())
            self._described[secret] = publish(self._recoding.table, law)
            self._worst[secret] = publish(self._recoding.table, law, self._wrong)
        return self._described[secret]

    def worst(self, secret: Secret) -> Published:
        """Bounds under all laws that are wrong by as much as they may be."""
        self.described(secret)
        return self._worst[secret]

    def results(self, pair: SecretPair, goal: Guarantee) -> tuple[PairResult, PairResult]:
        """Both directions of a pair."""
        backward = SecretPair(pair.second, pair.first)
        return self._result(pair, pair, goal), self._result(pair, backward, goal)

    def _result(self, pair: SecretPair, direction: SecretPair, goal: Guarantee) -> PairResult:
        first, second = (self.worst(secret) for secret in direction)
        one, other = (self.described(secret) for secret in direction)
        upper = _epsilon(first, second, goal)
        # If laws are known exactly, the worst of the wrong laws is attained, so ε* is exact. δ over
        # all of them is bounded output by output, and from below by the laws as described.
        reached = (
            (Published(first.upper, first.upper), Published(second.lower, second.lower))
            if self._exact
            else (one, other)
        )
        epsilon = Enclosure(min(_least_epsilon(*reached), upper), upper)
        delta = Enclosure(_least_delta(one, other, goal.epsilon), _delta(first, second, goal))
        none_left = epsilon.upper <= goal.epsilon
        return PairResult(
            belief=self._belief.name,
            provenance=self._belief.provenance,
            pair=pair,
            direction=direction,
            delta_lower=0.0 if none_left else delta.lower,
            delta_upper=0.0 if none_left else delta.upper,
            epsilon_lower=epsilon.lower,
            epsilon_upper=epsilon.upper,
        )

    def worst_of(self, pairs: AllPairs) -> SecretPair:
        """The pair with the largest ratio."""
        found = []
        for y in range(len(self._recoding.outputs)):
            top = max(pairs.secrets, key=lambda each: self.worst(each).upper[y])
            low = min(pairs.secrets, key=lambda each: self.worst(each).lower[y])
            above, below = self.worst(top).upper[y], self.worst(low).lower[y]
            if top != low and above:
                found.append((above / below if below else _UNBOUNDED, top, low))
        if not found:
            return pairs[0]
        _, *both = max(found, key=lambda each: each[0])
        return SecretPair(*sorted(both, key=pairs.secrets.index))

    def screen(self, pairs: AllPairs, goal: Guarantee) -> Screened:
        """Bounds for every pair, as all published laws lie between two bounds."""
        known = [self.worst(each) for each in pairs.secrets]
        every = Published(
            tuple(map(min, zip(*(each.lower for each in known), strict=True))),
            tuple(map(max, zip(*(each.upper for each in known), strict=True))),
        )
        epsilon = _epsilon(every, every, goal)
        return Screened(
            belief=self._belief.name,
            provenance=self._belief.provenance,
            pairs=len(pairs) - 1,
            delta_upper=0.0 if epsilon <= goal.epsilon else 1.0,
            epsilon_upper=epsilon,
        )


def _epsilon(first: Published, second: Published, goal: Guarantee) -> float:
    """An upper bound on ε*, not above the goal's ε if whole numbers prove that."""
    ratio = epsilon_of(first, second)
    if ratio is None:
        return math.inf
    if ratio == 1:
        return 0.0
    upper = math.nextafter(math.log(float_upper(ratio)), math.inf)
    return min(upper, goal.epsilon) if ratio <= exp_lower(goal.epsilon) else upper


def _least_epsilon(first: Published, second: Published) -> float:
    """A lower bound on ε*, from lower bounds of the first and upper bounds of the second law."""
    ratio = epsilon_of(Published(first.lower, first.lower), Published(second.upper, second.upper))
    if ratio is None:
        return math.inf
    return max(math.nextafter(math.log(-float_upper(-ratio)), -math.inf), 0.0)


def _delta(first: Published, second: Published, goal: Guarantee) -> float:
    """An upper bound on δ, not above the goal's δ if whole numbers prove that."""
    found = delta_of(first, second, goal.epsilon)
    upper = float_upper(found)
    return min(upper, goal.delta, 1.0) if found <= Fraction(goal.delta) else min(upper, 1.0)


def _least_delta(first: Published, second: Published, epsilon: float) -> float:
    """A lower bound on δ."""
    if epsilon > _LARGEST_EPSILON:
        return 0.0
    factor = exp_upper(epsilon)
    both = zip(first.lower, second.upper, strict=True)
    found = sum((max(a - factor * b, Fraction(0)) for a, b in both), Fraction(0))
    return max(0.0, -float_upper(-found))
