"""The sampling region: the laws that a sample does not exclude, all covered by the promise.

Rows of a table are a sample of a population. The region of a pair of secrets holds all laws (p, q)
that their rows do not exclude. With the stated confidence, the true laws of all pairs are in their
regions simultaneously, whatever the laws are (docs/theory/sampling-error.md). The shape of a region
is one of

    dirichlet     the evidence for laws near (p, q), against (p, q) itself, is at most 1/α,
    likelihood    n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t, t by Agrawal's bound on its moments,
    boxes         each probability lies between its Clopper-Pearson bounds,
    band          each distribution function lies within d of the one that was fitted.

α is the probability of an error, shared by all pairs. The first shape needs nothing else. The
second and third need the number of cells into which a value may fall: a public number, not one that
was counted in the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import InvalidInputError, UnsupportedError
from pufferfish.core.validation import require

__all__ = ["RegionShape", "SampleRegion", "check_region", "refuse_both", "share_confidence"]

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
        pairs: The number of pairs that share the confidence, over all beliefs with such a region;
            None: a scenario fills it in.
    """

    confidence: float
    shape: RegionShape = "dirichlet"
    cells: int | None = None
    widths: tuple[tuple[Secret, float], ...] = ()
    pairs: int | None = None

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
        require(
            bool(self.widths) == (self.shape == "band"),
            'widths= belongs to a region of shape "band": leave it out.',
        )
        require(
            all(isinstance(each, float) and 0.0 <= each <= 1.0 for _, each in self.widths),
            "the widths of a band must be shares between 0 and 1.",
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

    def among(self, pairs: int) -> Self:
        """The region with its number of pairs; part of a scenario keeps the number of the whole."""
        require(
            self.pairs is None or pairs <= self.pairs,
            f"the confidence is shared by {self.pairs} pair(s), and {pairs} are requested: fit the "
            "beliefs again for all of them.",
        )
        return self if self.pairs is not None else replace(self, pairs=pairs)


def share_confidence(
    regions: Iterable[tuple[SampleRegion | None, int, str | None]],
) -> list[SampleRegion | None]:
    """The regions, each with the number of pairs that share their confidence.

    Args:
        regions: The region of each belief, the number of its pairs, and the table that it was
            fitted to.
    """
    given = list(regions)
    sampled = [(region, pairs) for region, pairs, _ in given if region is not None]
    tables = [table for region, _, table in given if region is not None and region.widths]
    require(
        len(tables) <= 1 or (len(set(tables)) == 1 and None not in tables),
        "bands of several tables would have to share the confidence, and their widths are fixed: "
        "use bands of one table.",
    )
    require(
        len({region.confidence for region, _ in sampled}) <= 1,
        "beliefs with a sampling region must have the same confidence, because they share it.",
    )
    bands = {region.shape == "band" for region, _ in sampled}
    require(
        len(bands) <= 1,
        "bands and other regions cannot share a confidence: use one shape for all beliefs.",
    )
    pairs = sum(pairs for _, pairs in sampled)
    return [None if region is None else region.among(pairs) for region, _, _ in given]


def check_region(
    region: object,
    priors: Mapping[Secret, Prior],
    missing: Mapping[Secret, float],
    missing_counts: Mapping[Secret, int],
) -> None:
    """Refuse a region around laws that were not counted in a sample."""
    if region is None:
        return
    if not isinstance(region, SampleRegion):
        raise InvalidInputError(f"region must be a SampleRegion, got {type(region).__name__}.")
    if region.shape == "band":
        require(
            {secret for secret, _ in region.widths} == set(priors),
            'a region of shape "band" needs a width for every secret.',
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
