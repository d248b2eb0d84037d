"""One pair as one adversary sees it: the curves of a picture, from the laws of the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Scenario, SecretPair
from pufferfish.calibration.postprocess import Postprocess
from pufferfish.core.validation import FloatArray
from pufferfish.exact import Certificate, PairResult
from pufferfish.exact.recoded import published_shares
from pufferfish.noise import Law, NoNoise, as_noise, output_law
from pufferfish.recoding.law import Recoding
from pufferfish.report.afterwards import Curve, Seen, view_afterwards

__all__ = ["Curve", "View", "laws_of_pair", "view_of", "views", "worst_by_pair", "worst_first"]

_POINTS = 401
# How far a picture reaches beyond what is believed: stds of the components, and of the noise.
_COMPONENT_STDS, _NOISE_STDS = 3.5, 2.5
# Atoms of a table that are drawn one by one; more of them are drawn in this many bins.
_MOST_ATOMS = 64
# Adversaries shown for the pair that decides, and further pairs shown.
_MOST_BELIEFS, _MORE_PAIRS = 3, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class View:
    """One pair under one belief.

    Attributes:
        belief: The adversary.
        pair: The two secrets.
        results: What the certificate says of the pair, in both orders.
        believed: The believed law of the value, for each secret.
        seen: The law of what is published; None where no noise was added.
        steps: What was done to the noised values.
        how: How the published value comes from the true one, in words.
        simplified: Whether missing values, or the radius of the belief, are in the certificate but
            not in the curves.
    """

    belief: Belief
    pair: SecretPair
    results: tuple[PairResult, PairResult]
    believed: tuple[Curve, Curve]
    seen: Seen | None
    steps: tuple[Postprocess, ...]
    simplified: bool
    how: str = "with noise"

    @property
    def published(self) -> tuple[Curve, Curve] | None:
        """The law of what is published, for each secret; None where no noise was added."""
        return None if self.seen is None else self.seen.curves

    @property
    def ratio(self) -> Curve | None:
        """log of the first law of what is published over the second."""
        return None if self.seen is None else self.seen.ratio


def views(
    scenario: Scenario, certificate: Certificate, steps: Sequence[Postprocess] = ()
) -> tuple[View, ...]:
    """The pair that decides, as it looks to some adversaries, and the next worst pairs."""
    worst = certificate.worst
    ranked = worst_first(certificate)
    chosen = list(
        dict.fromkeys((each.belief, each.pair) for each in ranked if each.pair == worst.pair)
    )[:_MOST_BELIEFS]
    others = dict.fromkeys(each.pair for each in ranked if each.pair != worst.pair)
    for pair in list(others)[:_MORE_PAIRS]:
        chosen.append(next((each.belief, pair) for each in ranked if each.pair == pair))
    beliefs = {belief.name: belief for belief in scenario.beliefs}
    return tuple(view_of(beliefs[name], pair, certificate, steps) for name, pair in chosen)


def worst_first(certificate: Certificate) -> list[PairResult]:
    """The number that decides: ε* where δ = 0 is promised, else δ."""
    pure = certificate.goal.pure
    return sorted(
        certificate.results,
        key=lambda result: result.epsilon_upper if pure else result.delta_upper,
        reverse=True,
    )


def worst_by_pair(certificate: Certificate) -> list[PairResult]:
    """For each pair the result that decides it, the largest first."""
    found: dict[SecretPair, PairResult] = {}
    for result in worst_first(certificate):
        found.setdefault(result.pair, result)
    return list(found.values())


def view_of(
    belief: Belief, pair: SecretPair, certificate: Certificate, steps: Sequence[Postprocess] = ()
) -> View:
    """One pair as one adversary sees it; the certificate must have looked at it.

    Args:
        belief: The adversary.
        pair: The two secrets.
        certificate: The certificate of the noise.
        steps: What is done to the noised values.
    """
    law = certificate.noise
    seen = (
        _recoded(belief, pair, law)
        if isinstance(law, Recoding)
        else _noised(belief, pair, law, steps)
    )
    found = {
        each.direction: each
        for each in certificate.results
        if each.belief == belief.name and each.pair == pair
    }
    return View(
        belief=belief,
        pair=pair,
        results=(found[pair], found[SecretPair(pair.second, pair.first)]),
        believed=laws_of_pair(belief, pair),
        seen=seen,
        steps=tuple(steps),
        simplified=bool(belief.radius or any(belief.missing[secret] for secret in pair)),
        how="with noise" if law.additive else "recoded",
    )


def _noised(
    belief: Belief, pair: SecretPair, law: Law, steps: Sequence[Postprocess]
) -> Seen | None:
    noise = as_noise(law)
    if noise.identity:
        return None
    priors = belief.priors[pair.first], belief.priors[pair.second]
    x = _points(priors, _NOISE_STDS * noise.error())
    laws = output_law(priors[0], noise), output_law(priors[1], noise)
    return view_afterwards(laws, x, steps)


def _recoded(belief: Belief, pair: SecretPair, law: Recoding) -> Seen:
    """The law of the published numbers; a missing value has no place on the axis."""
    numbers = np.array([np.nan if each is None else each for each in law.coded_outputs])
    first, second = (np.array(published_shares(law, belief, secret)) for secret in pair)
    shown = ~np.isnan(numbers) & (first + second > 0.0)
    with np.errstate(divide="ignore"):
        ratio = np.log(first[shown]) - np.log(second[shown])
    x = numbers[shown]
    curves = _table(x, first[shown]), _table(x, second[shown])
    return Seen(curves=curves, ratio=Curve(x, ratio, True))


def laws_of_pair(belief: Belief, pair: SecretPair) -> tuple[Curve, Curve]:
    """The law of the value in a belief, for both secrets of a pair."""
    priors = belief.priors[pair.first], belief.priors[pair.second]
    x = _points(priors, 0.0)
    return _laws_of_pair(priors[0], x), _laws_of_pair(priors[1], x)


def _points(priors: tuple[Prior, Prior], reach: float) -> FloatArray:
    parts = [prior.components() for prior in priors]
    low = min(float((each.means - _COMPONENT_STDS * each.stds).min()) for each in parts) - reach
    high = max(float((each.means + _COMPONENT_STDS * each.stds).max()) for each in parts) + reach
    if low == high:  # one value known for certain, and no noise
        low, high = low - 1.0, high + 1.0
    return np.linspace(low, high, _POINTS)


def _laws_of_pair(prior: Prior, x: FloatArray) -> Curve:
    if not isinstance(prior, Discrete):
        return Curve(x, np.exp(output_law(prior, NoNoise()).log_density(x)), False)
    return _table(prior.values, prior.probabilities)


def _table(values: FloatArray, masses: FloatArray) -> Curve:
    """The atoms one by one where they are few, else in bins."""
    if values.size <= _MOST_ATOMS:
        return Curve(values, masses, True)
    gathered, edges = np.histogram(values, bins=_MOST_ATOMS, weights=masses)
    return Curve(0.5 * (edges[1:] + edges[:-1]), gathered, True)
