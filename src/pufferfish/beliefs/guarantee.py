"""The promise: the most that an adversary may learn about the secret from one released value.

A promise may also be made by accuracy: with two secrets equally likely beforehand, the best guess
is right in at most a share g of cases. That is TV ≤ 2g − 1, δ at ε = 0. A `Guarantee` has ε above
0, so it holds such a promise as (ε₀, δ) with ε₀ = 2⁻²⁰ and δ = g − e^{ε₀}·(1 − g), rounded down: by
TV ≤ (e^ε − 1 + 2δ)/(e^ε + 1) the best guess is right in at most (e^ε + δ)/(e^ε + 1) ≤ g of cases.
The share that is promised in this way is less than g by at most 10⁻⁶. So everything that proves,
draws, records and verifies an (ε,δ) promise does so for this one. It bounds guesses on average over
what is published: a single value may reveal more, and the least pure ε may be infinite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pufferfish.core.numerics import decimal_of, decimal_up, round_up
from pufferfish.core.validation import finite, positive, require
from pufferfish.documents.shape import Entries
from pufferfish.documents.types import Positive, Share

__all__ = ["GUESS_EPSILON", "GoalEntries", "Guarantee", "guess_at_most", "guess_promised"]

# The ε that marks a promise by accuracy.
GUESS_EPSILON = 2.0**-20
# A share of guesses is written with this many digits, if they give the same promise.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Guarantee:
    """(ε,δ)-indistinguishability of every secret pair, in both orders, under every belief.

    For every set B of outputs, P(Y∈B | s_i) ≤ e^ε·P(Y∈B | s_j) + δ and the same with i and j
    exchanged (Definition 1 of the paper, for ordered pairs; we promise both orders).

    Attributes:
        epsilon: How far apart the odds may be, as a logarithm; above 0.
        delta: The amount that may be added to a probability beyond that factor; 0 ≤ delta < 1. With
            0 the promise is pure ε: no published value ever moves the odds by more than e^ε.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        """Refuse numbers that promise nothing."""
        epsilon = positive("epsilon", self.epsilon)
        delta = finite("delta", self.delta)
        require(0.0 <= delta < 1.0, f"delta must be at least 0 and less than 1, got {delta:g}.")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)

    @property
    def pure(self) -> bool:
        """Whether δ = 0: the log-ratio of the two laws never leaves [−ε, ε]."""
        return self.delta == 0.0

    @property
    def epsilon_text(self) -> str:
        """ε as it is written, never less; for a promise by accuracy 2^-20, which stands for 0."""
        return "2^-20" if self.epsilon == GUESS_EPSILON else _at_most(self.epsilon)

    @property
    def delta_text(self) -> str:
        """δ as it is written, never less than it is."""
        return _at_most(self.delta)

    def __str__(self) -> str:
        """`ε = 1`, `(ε = 1, δ = 1e-05)`, or for a promise by accuracy `guess ≤ 60%`."""
        guess = guess_promised(self)
        if guess is not None:
            return f"guess ≤ {decimal_up(decimal_of(guess).scaleb(2), 10).normalize():f}%"
        if self.pure:
            return f"ε = {self.epsilon_text}"
        return f"(ε = {self.epsilon_text}, δ = {self.delta_text})"


def _at_most(number: float) -> str:
    return f"{round_up(number, 6):g}"


def guess_at_most(accuracy: float) -> Guarantee:
    """The promise that the best guess between two secrets is right in at most this share of cases.

    For every pair and every described adversary, with even odds beforehand.

        pf.calibrate(scenario, pf.guess_at_most(0.6))

    Args:
        accuracy: Above 1/2, the accuracy of a guess without any release, and below 1.
    """
    share = finite("accuracy", accuracy)
    guess, epsilon = Fraction(share), Fraction(GUESS_EPSILON)
    # e^ε ≤ 1 + ε + ε² for ε ≤ 1.
    most = guess - (1 + epsilon + epsilon**2) * (1 - guess)
    require(
        most > epsilon and guess < 1,
        "accuracy must be a share above 0.5 (a guess without any release) and below 1, such as "
        f"0.6, got {share:g}.",
    )
    delta = float(most)
    if Fraction(delta) > most:
        delta = math.nextafter(delta, 0.0)
    return Guarantee(GUESS_EPSILON, delta)


def guess_promised(goal: Guarantee) -> float | None:
    """The share of cases that a promise by accuracy names, on the safe side; None for others."""
    if goal.epsilon != GUESS_EPSILON or goal.pure:
        return None
    factor = math.exp(GUESS_EPSILON)
    found = (factor + goal.delta) / (factor + 1.0)
    short = round(found, _DIGITS)
    if 0.5 < short < 1.0 and guess_at_most(short) == goal:
        return short
    return min(found * (1.0 + 1e-12), 1.0)


class GoalEntries(Entries):
    """A guarantee in a document."""

    MADE = Guarantee

    epsilon: Positive
    delta: Share
