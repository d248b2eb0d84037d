"""What an ideal adversary can guess: how often the better guess between two secrets is right.

With two secrets equally likely beforehand, the best guess from what is published is right with
probability (1 + TV)/2, TV the total variation distance of the two laws of Y (δ at ε = 0). Under an
(ε,δ) promise TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1), so it is right at most with (e^ε + δ)/(e^ε + 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pufferfish.exact import privacy_profile
from pufferfish.guarantee import Guarantee
from pufferfish.noise import Noise, NoNoise
from pufferfish.scenario import Scenario, SecretPair

__all__ = ["Guess", "accuracy_allowed", "accuracy_upper", "ideal_guess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """How often an ideal adversary is right about one pair, from one value; even odds before.

    Attributes:
        pair: The two secrets.
        before_upper: Seeing the true value.
        after_upper: Seeing the published one.
        allowed: At most, by the promise alone, whatever is believed.
    """

    pair: SecretPair
    before_upper: float
    after_upper: float
    allowed: float


def ideal_guess(scenario: Scenario, noise: Noise, goal: Guarantee, pair: SecretPair) -> Guess:
    """The best that the best informed of the scenario's adversaries can do."""
    alone = Scenario(scenario.beliefs, [pair])
    return Guess(
        pair=pair,
        before_upper=accuracy_upper(alone, NoNoise()),
        after_upper=accuracy_upper(alone, noise),
        allowed=accuracy_allowed(goal),
    )


def accuracy_upper(scenario: Scenario, noise: Noise) -> float:
    """(1 + TV)/2, the largest over all pairs and adversaries."""
    return 0.5 + 0.5 * privacy_profile(scenario, noise, [0.0]).delta_upper[0]


def accuracy_allowed(goal: Guarantee) -> float:
    """(e^ε + δ)/(e^ε + 1): what a promise allows at most."""
    faint = math.exp(-goal.epsilon)
    return (1.0 + goal.delta * faint) / (1.0 + faint)
