"""Laws that were counted, together with what their sample does not exclude."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.region import RegionShape, SampleRegion
from pufferfish.beliefs.scenario import Belief
from pufferfish.core.validation import require

__all__ = ["with_sampling_error"]


def with_sampling_error(
    beliefs: Iterable[Belief],
    confidence: float,
    shape: RegionShape = "dirichlet",
    cells: int | None = None,
) -> tuple[Belief, ...]:
    """The same adversaries; those who counted cover what their rows do not exclude.

    Args:
        beliefs: Fitted to one table.
        confidence: Of all their pairs together.
        shape: Which laws the rows do not exclude.
        cells: Into how many public cells a value may fall, where the shape needs it.
    """
    region = SampleRegion(confidence=float(confidence), shape=shape, cells=cells)
    given = tuple(beliefs)
    found = tuple(replace(each, region=region) if _counted(each) else each for each in given)
    require(
        any(each.region is not None for each in found),
        'confidence is about laws that were counted: fit the family "empirical" as well.',
    )
    return found


def _counted(belief: Belief) -> bool:
    return all(
        isinstance(law, Discrete | Categorical) and law.counts is not None
        for law in belief.priors.values()
    )
