"""Small helpers that several test modules share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pufferfish as pf
from pufferfish.beliefs.priors import Prior

ROOT = Path(__file__).parents[1]
# Seconds to wait for what comes at once where nothing else runs: a bound, and never a measure.
PATIENCE = 120.0
# A prior as the reference wants it: (weight, mean, std), an atom having std 0.
PlainLaw = list[tuple[float, float, float]]


def until(holds: Callable[[], Any], what: str) -> None:
    """Wait for something that happens in another thread or process."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def verdict(found: pf.Verification, words: str) -> bool | None:
    """On the one claim with these words."""
    (of_it,) = [check.verdict for check in found.checks if words in check.claim]
    return of_it


def scenario_of(
    first: Prior,
    second: Prior,
    *,
    missing: Mapping[str, float] | None = None,
    name: str = "belief",
) -> pf.Scenario:
    """One belief about the secrets "a" and "b"."""
    return pf.Scenario([pf.Belief({"a": first, "b": second}, name=name, missing=missing)])


def plain_law(prior: Prior) -> PlainLaw:
    """The fields that the user gave, not what the library made of them."""
    if isinstance(prior, pf.Gaussian):
        return [(1.0, prior.mean, prior.std)]
    if isinstance(prior, pf.GaussianMixture):
        return list(zip(prior.weights, prior.means, prior.stds, strict=True))
    assert isinstance(prior, pf.Discrete)
    atoms = zip(prior.probabilities, prior.values, strict=True)
    return [(float(probability), float(value), 0.0) for probability, value in atoms]


def mirrored(law: PlainLaw) -> PlainLaw:
    """The law of −X."""
    return [(weight, -mean, std) for weight, mean, std in law]


def plain_noise(noise: pf.LaplaceNoise | pf.GaussianNoise | pf.NoNoise) -> tuple[object, ...]:
    """A noise law as the reference wants it."""
    if isinstance(noise, pf.LaplaceNoise):
        return ("laplace", noise.scale)
    if isinstance(noise, pf.GaussianNoise):
        return ("gaussian", noise.std)
    return ("none",)


def overlap(one: pf.Enclosure, other: pf.Enclosure) -> bool:
    """Whether two enclosures can hold the same number."""
    return one.lower <= other.upper and other.lower <= one.upper


def delta_of(
    scenario: pf.Scenario, noise: pf.LaplaceNoise | pf.GaussianNoise | pf.NoNoise, epsilon: float
) -> pf.Enclosure:
    """δ(ε), both directions."""
    (point,) = pf.privacy_profile(scenario, noise, [epsilon])
    return pf.Enclosure(point.delta_lower, point.delta_upper)
