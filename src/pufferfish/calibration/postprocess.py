"""Post-processing of noised values: public functions, which cost no privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from pufferfish.core.validation import FloatArray, finite, positive, require
from pufferfish.documents.shape import Entries
from pufferfish.documents.types import Bounds, Positive
from pufferfish.words.phrases import moved_into, rounded_to_multiples

__all__ = ["Clip", "Postprocess", "RoundTo", "StepEntries", "process", "steps_to_plain"]


@dataclass(frozen=True, slots=True)
class RoundTo:
    """Round to the nearest multiple of a step; with a whole step the result is whole numbers."""

    step: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a step that is not a positive number."""
        object.__setattr__(self, "step", positive("step", self.step))

    @property
    def in_words(self) -> str:
        """The step in words."""
        return rounded_to_multiples(self.step)


@dataclass(frozen=True, slots=True)
class Clip:
    """Move values outside [low, high] to the nearest end. The bounds must be public knowledge."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse bounds that are not in order."""
        low, high = finite("low", self.low), finite("high", self.high)
        require(low < high, f"low must be less than high, got {low:g} and {high:g}.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def in_words(self) -> str:
        """The step in words."""
        return moved_into(self.low, self.high)


Postprocess = RoundTo | Clip


class AnyStep(Entries):
    """A step: rounding, or clipping."""

    round_to: Positive | UnsetType = UNSET
    clip: Bounds | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Refuse both, and neither."""
        if (self.round_to is UNSET) == (self.clip is UNSET):
            raise ValueError('must be {"round_to": step} or {"clip": [low, high]}')

    def made(self) -> Postprocess:
        """The step."""
        return Clip(*self.clip) if self.clip is not UNSET else RoundTo(cast(float, self.round_to))


_EITHER = {"oneOf": [{"required": ["round_to"]}, {"required": ["clip"]}]}
StepEntries = Annotated[AnyStep, Meta(extra_json_schema=_EITHER)]


def steps_to_plain(steps: Sequence[Postprocess]) -> list[dict[str, Any]]:
    """Each as {"round_to": step}, or {"clip": [low, high]}."""
    return [
        {"round_to": each.step} if isinstance(each, RoundTo) else {"clip": [each.low, each.high]}
        for each in steps
    ]


def process(values: FloatArray, steps: Sequence[Postprocess]) -> FloatArray:
    """Noised values after the given steps, in the given order."""
    for each in steps:
        values = _process(values, each)
    return values


def _process(values: FloatArray, each: Postprocess) -> FloatArray:
    if isinstance(each, Clip):
        return np.clip(values, each.low, each.high)
    # Adding 0 turns −0.0, which would show the sign of what was rounded away, into 0.0.
    return np.asarray(np.rint(values / each.step) * each.step + 0.0)
