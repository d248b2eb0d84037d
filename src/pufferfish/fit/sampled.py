"""Laws that were counted, together with what their sample does not exclude."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.region import SampleRegion
from pufferfish.beliefs.scenario import Belief
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

__all__ = ["with_sampling_error"]


def with_sampling_error(
    beliefs: Iterable[Belief], confidence: float, cells: int | None
) -> tuple[Belief, ...]:
    """The same adversaries; those who counted cover what their rows do not exclude.

    Args:
        beliefs: Fitted to one table.
        confidence: Of all their pairs together.
        cells: Into how many public cells a value may fall; None: the values of the table, and one.
    """
    share = float(confidence)
    given = tuple(beliefs)
    found = tuple(
        replace(each, region=SampleRegion(confidence=share, cells=_cells(each, cells)))
        if _counted(each)
        else each
        for each in given
    )
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


def _cells(belief: Belief, cells: int | None) -> int:
    # One cell is for values that no row has; rows without a value have one of theirs.
    least = len(_values(belief)) + bool(belief.frequencies_missing or any(belief.missing.values()))
    if cells is None:
        return least + 1
    if cells < least:
        raise InvalidInputError(
            f"the table has {least} different values, and cells={cells} allows for fewer."
        )
    return cells


def _values(belief: Belief) -> set[object]:
    laws = (*belief.priors.values(), belief.frequencies)
    return {
        value
        for law in laws
        if isinstance(law, Discrete | Categorical)
        for value in (law.values.tolist() if isinstance(law, Discrete) else map(repr, law.values))
    }
