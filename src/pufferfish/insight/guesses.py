"""What an ideal adversary can guess about two secrets from one published value, at most.

Let P and Q be the laws of what is published under the two secrets.

- **Accuracy.** With two secrets equally likely beforehand, the best guess is right with probability
  (1 + TV)/2, TV the total variation distance (δ at ε = 0). Under an (ε,δ) promise TV ≤
  (e^ε − 1 + 2δ)/(e^ε + 1), so it is right with probability at most (e^ε + δ)/(e^ε + 1).
- **AUC**, the probability of telling a value of P from one of Q when shown one of each. A test that
  says "P" on a set S has TPR = P(S) and FPR = Q(S). By the definition of δ, for every ε ≥ 0

      TPR ≤ e^ε·FPR + δ_PQ(ε),        1 − FPR ≤ e^ε·(1 − TPR) + δ_QP(ε),

  the second for the complement of S. So every test, and every mixture of tests, lies below the
  smallest of these lines in FPR; the area under that minimum is at least the AUC of any adversary.
  The minimum is concave, and the midpoint rule never falls short of the integral of a concave
  function, so the computed area is an upper bound too. As the ε fill [0, ∞) it tends to the AUC
  of the likelihood ratio: the lines are the tangents of its ROC curve.
- A **promise** has two lines, with its (ε,δ). They meet at FPR = 1 − TPR = (1−δ)/(1+e^ε) and leave
  an area of (1−δ)²/(1+e^ε) above them: AUC ≤ 1 − (1−δ)²/(1+e^ε).
- **Given what is known**, if a promise holds for each z, an adversary who sees z does no better
  than one who sees z and one of four further signs: with e = e^ε, these have the probabilities δ,
  (1−δ)e/(1+e), (1−δ)/(1+e), 0 under P and the reverse under Q, and every pair of laws that keeps
  (ε,δ) is made of them by a random map (Kairouz, Oh, Viswanath 2015). With a = P(z), b = Q(z) the
  accuracy is ½·Σ max over z and signs, the sum of docs/theory/known-columns.md, and the AUC that of
  the likelihood ratio of (z, sign).
- **Given known values z**, with both secrets equally likely given z, the best guess is right in
  (1 + TV_z)/2 of the rows that have z, and in Σ_z n_z(1 + TV_z)/2 / Σ_z n_z of all rows of the two
  secrets, n_z being the number of them that have z. Some z may reveal far more than the average.
- **Posterior.** If log p/q never exceeds ε, odds move by e^ε at most: a secret of prior probability
  π among the two has a posterior of at most πe^ε/(1 − π + πe^ε), and of at least the same with −ε.
  With δ > 0 a promise does not bound the posterior of any single value: rare ones may reveal
  everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.known import Given, given_key
from pufferfish.beliefs.scenario import Belief, PairOfLaws, Scenario, SecretPair
from pufferfish.calibration.result import Calibration
from pufferfish.core.validation import FloatArray, finite, require
from pufferfish.exact import privacy_profile, pure_epsilon
from pufferfish.exact.pair import PairOracle
from pufferfish.exact.recoded import as_they_are, deltas_of_pair
from pufferfish.noise import Law, Noise, NoNoise, as_noise
from pufferfish.recoding.law import Recoding

__all__ = [
    "BY_HEART",
    "Guess",
    "Success",
    "accuracy_allowed",
    "accuracy_upper",
    "auc_allowed",
    "auc_upper",
    "best_guess",
    "by_heart",
    "by_heart_at_worst",
    "posterior_lower",
    "posterior_upper",
    "success",
    "success_allowed",
    "success_knowing",
    "success_of",
    "told_apart",
]

# Slopes e^ε of the tangents: close together where ROC curves bend most.
_EPSILONS = (*(0.1 * step for step in range(21)), 2.5, 3.0, 4.0, 5.0, 7.0, 10.0)
_MIDPOINTS = 8192
# More pairs, as their adversaries see them, are not tried one by one.
_MOST_TRIED = 200
# More than the rounding error of the few operations between a bound and its result.
_UP = 1.0 + 1e-12
# What a guess from true values is, where most of them are distinct.
BY_HEART = "an upper bound: most values occur once, so each points to its row"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """How often an ideal adversary is right about one pair, from one row; even odds before.

    Attributes:
        pair: The two secrets.
        given: The known values of the rows that are guessed; empty: all rows.
        before_upper: With the true row.
        after_upper: With the published row.
        allowed: The most that the promise alone allows, whatever anybody believes.
        largest: Whether no other pair, and no other known values, are guessed better.
        average: On average over the rows of the two secrets, each guessed by somebody who knows all
            known columns of it, with the true and with the published row. None where nothing is
            known, or rows were not counted.
    """

    pair: SecretPair
    given: Given
    before_upper: float
    after_upper: float
    allowed: float
    largest: bool = True
    average: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """How well an ideal adversary does, at most, with what is seen of one row.

    Attributes:
        accuracy_upper: How often the best guess is right; even odds before.
        auc_upper: How often a row of one secret is told from a row of the other.
        epsilon_upper: How far the log of the odds moves, at most; ∞ where nothing bounds it.
    """

    accuracy_upper: float
    auc_upper: float
    epsilon_upper: float


class _Group(NamedTuple):
    """Adversaries who know the same values, and what is applied to the rows that have them."""

    law: Law
    scenario: Scenario

    @property
    def given(self) -> Given:
        """What they know."""
        return self.scenario.beliefs[0].given

    @property
    def pairs(self) -> tuple[SecretPair, ...]:
        """The pairs that one of them might tell apart."""
        found = (pair for each in self.scenario.beliefs for pair in self.scenario.pairs_of(each))
        return tuple(dict.fromkeys(found))

    def guessed(self, pair: SecretPair, law: Law | None = None) -> float:
        """How often the best of them is right about a pair; of what another law publishes."""
        return accuracy_upper(self.scenario.only([pair]), law or self.law)

    def rows(self, pair: SecretPair) -> int | None:
        """How many rows with these values have one of two secrets, if they were counted."""
        for each in self.scenario.beliefs:
            counts = [getattr(each.priors.get(secret), "counts", None) for secret in pair]
            known = [int(own.sum()) for own in counts if own is not None]
            if len(known) == len(counts):
                return sum(known) + sum(each.missing_counts.get(secret, 0) for secret in pair)
        return None


def best_guess(calibration: Calibration, goal: Guarantee) -> Guess:
    """The best guess of all: of those who know what tells most, about the pair it tells apart best.

    If there are too many pairs and known values to try, those that decide are compared.

    Args:
        calibration: What is applied, and to whom the promise is made.
        goal: The promise; for several rows of a person another than that of the calibration.
    """
    groups = _groups(calibration)
    laws = sum(len(each.scenario.pairs_of(who)) for each in groups for who in each.scenario.beliefs)
    if laws <= _MOST_TRIED:
        tried = [(each, pair) for each in groups for pair in each.pairs]
    else:
        worst = [part.certificate.worst for part in calibration.parts or (calibration,)]
        pairs = {each.belief: each.pair for each in worst}
        tried = [
            (each, pairs[who.name])
            for each in groups
            for who in each.scenario.beliefs
            if who.name in pairs
        ]
    group, pair = max(tried, key=lambda each: each[0].guessed(each[1]))
    return Guess(
        pair=pair,
        given=group.given,
        before_upper=group.guessed(pair, NoNoise()),
        after_upper=group.guessed(pair),
        allowed=accuracy_allowed(goal),
        largest=laws <= _MOST_TRIED,
        average=_average(groups, pair),
    )


def told_apart(scenario: Scenario, law: Law, pair: SecretPair) -> tuple[float, float]:
    """How often the best of the adversaries is right about a pair: before a release, and after."""
    alone = scenario.only([pair]).as_described()
    return accuracy_upper(alone, NoNoise()), accuracy_upper(alone, law)


def success_of(calibration: Calibration, guess: Guess) -> tuple[Success, Success]:
    """How far those get, at most, whose guess it is: with the true row, and with the published."""
    wanted = given_key(guess.given)
    group = next(each for each in _groups(calibration) if given_key(each.given) == wanted)
    alone = group.scenario.only([guess.pair])
    bare = (
        as_they_are(alone) if isinstance(group.law, Recoding) and group.law.labelled else NoNoise()
    )
    return success(alone, bare), success(alone, group.law)


def _groups(calibration: Calibration) -> list[_Group]:
    """The adversaries, as described, by what they know."""
    found: list[_Group] = []
    for part in calibration.parts or (calibration,):
        groups: dict[Any, list[Belief]] = {}
        for each in part.scenario.as_described().beliefs:
            groups.setdefault(given_key(each.given), []).append(each)
        found += [
            _Group(part.mechanism, Scenario(beliefs, part.scenario.pairs))
            for beliefs in groups.values()
        ]
    return found


def _average(groups: Sequence[_Group], pair: SecretPair) -> tuple[float, float] | None:
    """Σ_z n_z·(1 + TV_z)/2 / Σ_z n_z over all z, from true and from published rows."""
    most = max(len(each.given) for each in groups)
    knowing = [each for each in groups if len(each.given) == most and pair in each.pairs]
    counted = [(each, each.rows(pair)) for each in knowing]
    known = [(each, rows) for each, rows in counted if rows is not None]
    if len(known) < max(len(counted), 2):
        return None
    total = sum(rows for _, rows in known)

    def mean(guesses: Iterable[tuple[float, int]]) -> float:
        weighed = [*guesses]
        found = sum(rows * guess for guess, rows in weighed) / total
        # Rounding up must not lift a mean above the largest of its parts.
        return min(found * _UP, max(guess for guess, _ in weighed))

    return (
        mean((each.guessed(pair, NoNoise()), rows) for each, rows in known),
        mean((each.guessed(pair), rows) for each, rows in known),
    )


def by_heart(beliefs: Iterable[Belief], pair: SecretPair) -> str:
    """A remark, where most values are distinct, that the guess from true values is an upper bound.

    A frequency table then identifies the rows it was counted from, and says less about others.
    """
    for belief in beliefs:
        for prior in (belief.priors[each] for each in pair if each in belief.priors):
            counts = getattr(prior, "counts", None)
            if counts is not None and 2 * len(counts) > sum(counts):
                return f" ({BY_HEART})"
    return ""


def by_heart_at_worst(scenario: Scenario, guess: float) -> bool:
    """Whether `by_heart` remarks on a pair at which the guess from true values is right this often.

    Args:
        scenario: The scenario, as described.
        guess: How often the best guess is right, for the worst pair.
    """
    said = [pair for pair in scenario.pairs if by_heart(scenario.beliefs, pair)]
    return bool(said) and accuracy_upper(scenario.only(said), NoNoise()) >= guess


def success(scenario: Scenario, noise: Law) -> Success:
    """The most that any of the scenario's adversaries achieves, as described, for any pair."""
    described = scenario.as_described()
    return Success(
        accuracy_upper=accuracy_upper(described, noise),
        auc_upper=auc_upper(described, noise),
        epsilon_upper=pure_epsilon(described, noise).upper,
    )


def success_allowed(goal: Guarantee) -> Success:
    """The most that a promise alone allows, whatever anybody believes."""
    return Success(
        accuracy_upper=min(accuracy_allowed(goal) * _UP, 1.0),
        auc_upper=auc_allowed(goal),
        epsilon_upper=goal.epsilon if goal.pure else math.inf,
    )


def success_knowing(
    shares: Sequence[tuple[float, float]], epsilon: float, delta: float = 0.0
) -> Success:
    """The most that somebody who knows z achieves, where a promise holds given each z; rounded up.

    Args:
        shares: The probability of each z under the first secret, and under the second.
        epsilon: The ε of the promise; 0 with delta = 0: nothing but z is seen.
        delta: The δ of the promise.
    """
    faint = math.exp(-epsilon)
    strong, weak = (1.0 - delta) / (1.0 + faint), (1.0 - delta) * faint / (1.0 + faint)
    a, b = np.array(shares, dtype=np.float64).reshape(-1, 2).T
    first = np.concatenate([a * delta, a * strong, a * weak, 0.0 * a])
    second = np.concatenate([0.0 * b, b * weak, b * strong, b * delta])
    found = 0.5 * float(np.maximum(first, second).sum())
    return Success(
        accuracy_upper=min(found * _UP, 1.0),
        auc_upper=min(_ratio_area(first, second) * _UP, 1.0),
        # What z reveals by itself is not bounded.
        epsilon_upper=math.inf,
    )


def _ratio_area(first: FloatArray, second: FloatArray) -> float:
    """The area under the ROC curve of the likelihood ratio of two laws of the same signs.

    The points, in order of falling ratios, are joined by lines; equal ratios lie on one line.
    """
    order = np.argsort(-np.arctan2(first, second), kind="stable")
    rises, runs = first[order], second[order]
    heights = np.cumsum(rises) - 0.5 * rises
    return float((heights * runs).sum())


def accuracy_upper(scenario: Scenario, noise: Law) -> float:
    """(1 + TV)/2, the largest over all pairs and adversaries."""
    return 0.5 + 0.5 * privacy_profile(scenario, noise, [0.0]).delta_upper[0]


def accuracy_allowed(goal: Guarantee) -> float:
    """(e^ε + δ)/(e^ε + 1): the most that a promise allows."""
    faint = math.exp(-goal.epsilon)
    return (1.0 + goal.delta * faint) / (1.0 + faint)


def auc_upper(scenario: Scenario, noise: Law) -> float:
    """The area under the certified tangents of the ROC curve, the largest over all laws."""
    if isinstance(noise, Recoding):
        return max(
            _area(deltas_of_pair(noise, belief, pair, _EPSILONS))
            for belief in scenario.beliefs
            for pair in scenario.pairs_of(belief)
        )
    added = as_noise(noise)
    return max(_area(_deltas(laws, added)) for laws in scenario.laws())


def _deltas(laws: PairOfLaws, noise: Noise) -> list[tuple[float, float]]:
    """An upper bound on δ at each slope, in both orders."""
    found = map(PairOracle(laws, noise).delta, _EPSILONS)
    return [(each.forward.upper, each.backward.upper) for each in found]


def auc_allowed(goal: Guarantee) -> float:
    """1 − (1−δ)²/(1+e^ε): the most that a promise allows."""
    faint = math.exp(-goal.epsilon)
    return min((1.0 - (1.0 - goal.delta) ** 2 * faint / (1.0 + faint)) * _UP, 1.0)


def posterior_upper(prior: float, epsilon: float) -> float:
    """πe^ε/(1 − π + πe^ε), rounded up: where the odds grow by a factor of e^ε at most."""
    share = _probability(prior)
    return min(share / (share + (1.0 - share) * math.exp(-epsilon)) * _UP, 1.0)


def posterior_lower(prior: float, epsilon: float) -> float:
    """πe^{−ε}/(1 − π + πe^{−ε}), rounded down: where the odds shrink by a factor of e^ε at most."""
    share, faint = _probability(prior), math.exp(-epsilon)
    return share * faint / (1.0 - share + share * faint) / _UP


def _area(deltas: list[tuple[float, float]]) -> float:
    """∫ of the smallest of the lines TPR ≤ slope·FPR + offset over FPR from 0 to 1."""
    slopes, offsets = [0.0], [1.0]
    for epsilon, (forward, backward) in zip(_EPSILONS, deltas, strict=True):
        factor = math.exp(epsilon)
        slopes += [factor, 1.0 / factor]
        offsets += [forward, 1.0 - (1.0 - backward) / factor]
    middles = (np.arange(_MIDPOINTS) + 0.5) / _MIDPOINTS
    heights = np.multiply.outer(slopes, middles) + np.array(offsets)[:, None]
    return min(float(heights.min(axis=0).mean()) * _UP, 1.0)


def _probability(prior: float) -> float:
    share = finite("prior", prior)
    require(0.0 < share < 1.0, f"a prior must lie between 0 and 1, got {share:g}.")
    return share
