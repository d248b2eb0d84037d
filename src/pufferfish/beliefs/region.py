"""Which laws a sample does not exclude: what a promise with a sampling error covers.

Rows of a table are a sample of a population. The region of a pair of secrets holds all laws (p, q)
that their rows do not exclude; the true laws of every pair are in their regions at once, with the
stated confidence, however the sample came out (docs/theory/sampling-error.md). Its shape is one of

    dirichlet     the evidence for laws near (p, q), against (p, q) itself, is at most 1/α,
    likelihood    n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t, t by Agrawal's bound on its moments,
    boxes         each probability lies between its Clopper-Pearson bounds,
    band          each distribution function lies within d of the one that was fitted.

α is what may go wrong, shared by all pairs. The first needs to know nothing else. The second and
third must know into how many cells a value may fall: a number that is public, not one that was
counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.priors import Prior
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

__all__ = ["RegionShape", "SampleRegion", "check_region", "share_confidence"]

RegionShape = Literal["dirichlet", "likelihood", "boxes", "band"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRegion:
    """The laws that a sample does not exclude.

    Attributes:
        confidence: How sure it is that the true laws of all pairs are inside.
        shape: Which laws are inside.
        cells: For "likelihood" and "boxes": into how many public cells a value may fall, "other"
            among them.
        widths: For "band": how far, by secret, a distribution function may be from the fitted one.
        pairs: How many pairs share the confidence, over all beliefs with such a region; None: a
            scenario will say.
    """

    confidence: float
    shape: RegionShape = "dirichlet"
    cells: int | None = None
    widths: tuple[tuple[Secret, float], ...] = ()
    pairs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no region."""
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
                f'a region of shape "{self.shape}" needs the number of cells that a value may fall '
                "into, as it is publicly known: cells=17 for 16 values and one for all others."
            )
        require(counted or self.cells is None, f'a region of shape "{self.shape}" needs no cells.')
        require(bool(self.widths) == (self.shape == "band"), 'widths are those of a "band".')
        require(
            all(isinstance(each, float) and 0.0 <= each <= 1.0 for _, each in self.widths),
            "the widths of a band must be shares.",
        )

    @property
    def error(self) -> float:
        """α of each pair, where the pairs share what may go wrong evenly; rounded down."""
        if self.pairs is None:
            raise InvalidInputError("how many pairs share the confidence is not known yet.")
        return math.nextafter((1.0 - self.confidence) / self.pairs, 0.0) * (1.0 - 2.0**-50)

    def among(self, pairs: int) -> Self:
        """The same for this many pairs; those of a part of a scenario keep theirs."""
        require(
            self.pairs is None or pairs <= self.pairs,
            f"the confidence is shared by {self.pairs} pair(s), and {pairs} are asked for: fit the "
            "beliefs again for all of them.",
        )
        return self if self.pairs is not None else replace(self, pairs=pairs)


def share_confidence(
    regions: Iterable[tuple[SampleRegion | None, int, str | None]],
) -> list[SampleRegion | None]:
    """Regions that know how many pairs share their confidence.

    Args:
        regions: Of each belief, with the number of its pairs, and the table it was fitted to.
    """
    given = list(regions)
    sampled = [(region, pairs) for region, pairs, _ in given if region is not None]
    tables = [table for region, _, table in given if region is not None and region.widths]
    require(
        len(tables) <= 1 or (len(set(tables)) == 1 and None not in tables),
        "bands of several tables would have to share the confidence, and their widths are fixed: "
        "use those of one table.",
    )
    require(
        len({region.confidence for region, _ in sampled}) <= 1,
        "beliefs with a sampling error must have the same confidence: it is shared by them.",
    )
    bands = {region.shape == "band" for region, _ in sampled}
    require(len(bands) <= 1, "bands and other regions do not share a confidence: use one of them.")
    pairs = sum(pairs for _, pairs in sampled)
    return [None if region is None else region.among(pairs) for region, _, _ in given]


def check_region(
    region: object,
    priors: Mapping[Secret, Prior],
    missing: Mapping[Secret, float],
    missing_counts: Mapping[Secret, int],
) -> None:
    """Refuse a region of laws that no sample speaks of."""
    if region is None:
        return
    if not isinstance(region, SampleRegion):
        raise InvalidInputError(f"region must be a SampleRegion, got {type(region).__name__}.")
    if region.shape == "band":
        require(
            {secret for secret, _ in region.widths} == set(priors),
            "a band needs the width of every secret.",
        )
        return
    require(
        all(getattr(law, "counts", None) is not None for law in priors.values()),
        "only laws that were counted have a sampling error: give Discrete or Categorical laws "
        'with counts, such as those of families=["empirical"].',
    )
    require(
        missing_counts.keys() >= {each for each in missing if missing[each]},
        "a region needs the number of rows without a value, too.",
    )
