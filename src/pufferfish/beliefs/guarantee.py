"""The promise: what an adversary may at most learn of the secret from one released value."""

from __future__ import annotations

from dataclasses import dataclass

from pufferfish.core.validation import finite, positive, require
from pufferfish.documents.shape import Entries
from pufferfish.documents.types import Positive, Share

__all__ = ["GoalEntries", "Guarantee"]


@dataclass(frozen=True, slots=True)
class Guarantee:
    """(ε,δ)-indistinguishability of every secret pair, in both orders, under every belief.

    For every set B of outputs, P(Y∈B | s_i) ≤ e^ε·P(Y∈B | s_j) + δ and the same with i and j
    exchanged (Definition 1 of the paper, for ordered pairs; we promise both orders).

    Attributes:
        epsilon: How far apart the odds may be, as a logarithm; above 0.
        delta: What may be added to a probability beyond that factor; 0 ≤ delta < 1. With 0 the
            promise is pure ε: no published value ever moves the odds by more than e^ε.
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        epsilon = positive("epsilon", self.epsilon)
        delta = finite("delta", self.delta)
        require(0.0 <= delta < 1.0, f"delta must be at least 0 and less than 1, got {delta:g}.")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)

    @property
    def pure(self) -> bool:
        """Whether δ = 0: the log-ratio of the two laws never leaves [−ε, ε]."""
        return self.delta == 0.0

    def __str__(self) -> str:
        """`ε = 1` or `(ε = 1, δ = 1e-05)`."""
        if self.pure:
            return f"ε = {self.epsilon:g}"
        return f"(ε = {self.epsilon:g}, δ = {self.delta:g})"


class GoalEntries(Entries):
    """A guarantee in a document."""

    MADE = Guarantee

    epsilon: Positive
    delta: Share
