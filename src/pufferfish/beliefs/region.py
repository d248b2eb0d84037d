"""The sampling region: the laws that a sample does not exclude, all covered by the promise.

Rows of a table are a sample of a population. The region of a pair of secrets holds all laws (p, q)
that their rows do not exclude. With the stated confidence, the true laws of all pairs are in their
regions simultaneously, whatever the laws are (docs/theory/sampling-error.md). The shape of a region
is one of

    dirichlet     the evidence for laws near (p, q), against (p, q) itself, is at most 1/α,
    likelihood    n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t, t by Agrawal's bound on its moments,
    boxes         each probability lies between its Clopper-Pearson bounds,
    band          each distribution function lies within d of the one that was fitted.

α is the probability of an error, shared by all pairs (`beliefs.sharing`). The first shape needs
nothing else. The second and third need the number of cells into which a value may fall: a public
number, not one that was counted in the rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from pufferfish.beliefs.band import band_width
from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import require

__all__ = ["RegionShape", "SampleRegion", "check_region", "refuse_both"]

RegionShape = Literal["dirichlet", "likelihood", "boxes", "band"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRegion:
    """The laws that a sample does not exclude.

    Attributes:
        confidence: The probability, at least, that the true laws of all pairs are inside.
        shape: Which laws are inside.
        cells: For "likelihood" and "boxes": the number of public cells into which a value may fall,
            including "other".
        widths: For "band": for each secret, how far a distribution function may be from the fitted
            one.
        rows: For "band": for each secret, how many rows with a value there are.
        pairs: By how much α is divided, because all pairs share it; None: a scenario fills it in.
        elsewhere: Values that other rows of the table have, filled in by a scenario: under noise,
            laws of the region may have them.
    """

    confidence: float
    shape: RegionShape = "dirichlet"
    cells: int | None = None
    widths: tuple[tuple[Secret, float], ...] = ()
    pairs: int | None = None
    rows: tuple[tuple[Secret, int], ...] = ()
    elsewhere: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse entries that describe no region."""
        require(
            isinstance(self.confidence, float) and 0.0 < self.confidence < 1.0,
            f"confidence must be a share between 0 and 1, such as 0.95, got {self.confidence!r}.",
        )
        require(
            self.shape in get_args(RegionShape),
            f"the shape of a region is one of {', '.join(get_args(RegionShape))}, "
            f"got {self.shape!r}.",
        )
        for name, least in (("cells", 2), ("pairs", 1)):
            number = getattr(self, name)
            whole = isinstance(number, int) and not isinstance(number, bool) and number >= least
            require(
                whole or number is None,
                f"{name} must be a whole number of at least {least}, got {number!r}.",
            )
        counted = self.shape in ("likelihood", "boxes")
        if counted and self.cells is None:
            raise InvalidInputError(
                f'a region of shape "{self.shape}" needs cells=, the publicly known number of '
                "cells into which a value may fall: cells=17 for 16 values and one cell for all "
                "others."
            )
        require(
            counted or self.cells is None,
            f'a region of shape "{self.shape}" takes no cells=: leave it out.',
        )
        band = self.shape == "band"
        require(
            bool(self.widths) == band and bool(self.rows) == band,
            'widths= and rows= belong to a region of shape "band", which needs both: the numbers '
            "of rows show that the widths have the stated confidence.",
        )
        if band:
            self._check_widths()

    def _check_widths(self) -> None:
        """Refuse bands that are narrower than their rows permit."""
        widths, rows = dict(self.widths), dict(self.rows)
        require(
            all(isinstance(each, float) and 0.0 <= each <= 1.0 for each in widths.values()),
            "the widths of a band must be shares between 0 and 1.",
        )
        require(widths.keys() == rows.keys(), "a band needs a width and rows for each secret.")
        error = (1.0 - self.confidence) / len(rows)
        require(
            all(widths[secret] >= band_width(rows[secret], error) for secret in rows),
            "a band is narrower than its number of rows permits at the stated confidence.",
        )

    @property
    def error(self) -> float:
        """α of each pair, an equal share of the probability of an error, rounded down."""
        if self.pairs is None:
            raise InvalidInputError(
                "the number of pairs that share the confidence is not known yet: put the belief "
                "into a scenario first."
            )
        return math.nextafter((1.0 - self.confidence) / self.pairs, 0.0) * (1.0 - 2.0**-50)

    def among(self, pairs: int, elsewhere: tuple[float, ...]) -> Self:
        """The region as part of a scenario.

        Part of a scenario keeps the number of pairs of the whole, and its values.
        """
        require(
            self.pairs is None or pairs <= self.pairs,
            f"the confidence is shared by {self.pairs} pair(s), and {pairs} are requested: fit the "
            "beliefs again for all of them.",
        )
        return replace(self, pairs=self.pairs or pairs, elsewhere=elsewhere)


def check_region(
    region: object,
    priors: Mapping[Secret, Prior],
    missing: Mapping[Secret, float],
    missing_counts: Mapping[Secret, int],
    frequencies: object,
    *,
    of_rows: bool,
) -> None:
    """Refuse a region around laws that were not counted in a sample.

    Args:
        region: The region; None: there is none.
        priors: The laws.
        missing: The probability of a missing value.
        missing_counts: The rows without a value.
        frequencies: How often each value occurs in the whole table; None: not known.
        of_rows: Whether the laws are of numbers in rows of the table that is released.
    """
    if region is None:
        return
    if not isinstance(region, SampleRegion):
        raise InvalidInputError(f"region must be a SampleRegion, got {type(region).__name__}.")
    if region.shape == "band":
        require(
            {secret for secret, _ in region.widths} == set(priors),
            'a region of shape "band" needs a width for every secret.',
        )
        counted = {
            secret: int(law.counts.sum())
            for secret, law in priors.items()
            if isinstance(law, Discrete) and law.counts is not None
        }
        require(
            counted.items() <= dict(region.rows).items(),
            'a region of shape "band" must have as many rows of each secret as its law.',
        )
        return
    require(
        all(getattr(law, "counts", None) is not None for law in priors.values()),
        "only laws that were counted have a sampling region: give Discrete or Categorical laws "
        'with counts, such as those of families=["empirical"].',
    )
    require(
        missing_counts.keys() >= {each for each in missing if missing[each]},
        "a region also needs the number of rows without a value: give missing_counts=.",
    )
    require(
        frequencies is not None or not of_rows,
        "a sampling region of rows of a table needs the frequencies of all its values "
        "(frequencies=), because noise publishes values near where they are.",
    )


def refuse_both(belief: str, wrong: float) -> None:
    """Refuse laws that may be wrong by a share under a belief that has a sampling region.

    Args:
        belief: The name of the belief.
        wrong: How far in total variation its laws may be wrong.
    """
    if wrong:
        raise UnsupportedError(
            f"belief {belief!r} has a sampling region (confidence=, --sampling-confidence), and "
            "its laws may be wrong by a share as well (wrong=, --wrong). Nothing is proven for "
            "both together: leave out one of them."
        )
