"""The public outline of a recoding whose table is private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.numerics import reciprocal_down
from pufferfish.documents.types import Positive
from pufferfish.noise import LaplaceNoise, Law

__all__ = ["RecodingOutline"]


@dataclass(frozen=True, slots=True)
class RecodingOutline(Law):
    """A recoding without its table: it reveals neither its values nor where they go.

    Attributes:
        floor: κ; None: there is none.
        own: Whether κ is for distances of its own, and not in units of the column.
    """

    floor: Positive | None = None
    own: bool = False

    @property
    def floored(self) -> bool:
        """Whether there is a floor."""
        return self.floor is not None

    @property
    def drawable(self) -> bool:
        """Always False: nobody can draw from it."""
        return False

    @property
    def ratio_scale(self) -> float:
        """1/κ, rounded down; 0 without a floor, or with distances of its own."""
        return 0.0 if self.floor is None or self.own else reciprocal_down(self.floor)

    @property
    def at_floor(self) -> LaplaceNoise | None:
        """Laplace noise of scale 1/κ."""
        return LaplaceNoise(self.ratio_scale) if self.ratio_scale else None

    def output(self, prior: Any) -> NoReturn:
        """Not known."""
        raise _private()

    def error(self, frequencies: Mapping[Any, float] | None = None) -> NoReturn:
        """Not known."""
        raise _private()


def _private() -> UnsupportedError:
    return UnsupportedError(
        "the table of this recoding is private; the internal edition of the record has it."
    )
