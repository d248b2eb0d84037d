"""How far the laws of a population may be from those of a sample of it: what a promise covers.

Rows of a table are a sample. For each pair of secrets the region holds all laws (p, q) with

    n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t,

n and m the rows of the two secrets, p̂ and q̂ their frequencies. With the radius t of
`sampling_error` the true laws of every pair are in their regions at once, with the stated
confidence, however the sample came out (docs/theory/sampling-error.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from pufferfish.beliefs.sampling_error import likelihood_radius
from pufferfish.core.validation import require

__all__ = ["SampleRegion"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRegion:
    """The laws that a sample does not exclude.

    Attributes:
        confidence: How sure it is that the true laws of all pairs are inside.
        cells: Into how many public cells a value may fall, "other" among them.
        pairs: How many pairs share the confidence, over all beliefs with such a region; None: a
            scenario will say.
    """

    confidence: float
    cells: int
    pairs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no region."""
        require(
            isinstance(self.confidence, float) and 0.0 < self.confidence < 1.0,
            f"confidence must be a share between 0 and 1, such as 0.95, got {self.confidence!r}.",
        )
        for name, least in (("cells", 2), ("pairs", 1)):
            number = getattr(self, name)
            whole = isinstance(number, int) and not isinstance(number, bool) and number >= least
            require(
                whole or (name == "pairs" and number is None),
                f"{name} must be a whole number of at least {least}, got {number!r}.",
            )

    @property
    def radius(self) -> float:
        """t of each pair, where the pairs share what may go wrong evenly; rounded up."""
        require(self.pairs is not None, "how many pairs share the confidence is not known yet.")
        # 1 − confidence is exact up to one rounding, which the radius has room for.
        return likelihood_radius(
            2 * (self.cells - 1), 1.0 - (1.0 - self.confidence) / (self.pairs or 1)
        )

    def among(self, pairs: int) -> Self:
        """The same for this many pairs; those of a part of a scenario keep theirs."""
        require(
            self.pairs is None or pairs <= self.pairs,
            f"the confidence is shared by {self.pairs} pair(s), and {pairs} are asked for: fit the "
            "beliefs again for all of them.",
        )
        return self if self.pairs is not None else replace(self, pairs=pairs)
