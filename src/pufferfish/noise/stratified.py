"""A law for each combination of the values that everybody knows of a row.

If a column z is published in the same row, everybody knows it, and the promise has to be about rows
with the same z. Each z may then have a law of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pufferfish.beliefs.known import Given
from pufferfish.beliefs.labels import Label, Place, check_label, key_of
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import require
from pufferfish.noise.base import Law
from pufferfish.noise.laws import Noise

__all__ = ["Stratified", "Stratum"]


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """The law for rows with these known values, in the order of the columns."""

    given: tuple[Label, ...]
    law: Law

    def __eq__(self, other: object) -> bool:
        """Whether it is the same law for the same rows; True and 1 are different values."""
        if not isinstance(other, Stratum):
            return NotImplemented
        return key_of(self.given) == key_of(other.given) and self.law == other.law

    def __hash__(self) -> int:
        """A hash that agrees with `==`."""
        return hash((key_of(self.given), self.law))


@dataclass(frozen=True, kw_only=True)
class Stratified(Law):
    """One law for each combination of the values of some columns, which are published.

    Attributes:
        columns: The columns that everybody knows.
        strata: The laws; none of them covers a row with other values.
    """

    columns: tuple[str, ...]
    strata: tuple[Stratum, ...]

    def __post_init__(self) -> None:
        """Refuse strata that do not say which law a row gets."""
        require(
            len(self.columns) > 0 and len(set(self.columns)) == len(self.columns),
            "laws by known values need the known columns, each once.",
        )
        strata = tuple(
            Stratum(tuple(check_label(each) for each in one.given), one.law) for one in self.strata
        )
        object.__setattr__(self, "strata", strata)
        require(bool(strata), "laws by known values need at least one stratum.")
        require(
            all(len(each.given) == len(self.columns) for each in strata)
            and len(self._places) == len(strata),
            "every stratum needs a value of each known column, and no two strata the same values.",
        )
        require(
            not any(isinstance(each.law, Stratified) for each in strata),
            "the law of a stratum cannot depend on known values itself.",
        )

    @cached_property
    def _places(self) -> dict[Place, int]:
        return {key_of(each.given): place for place, each in enumerate(self.strata)}

    def __iter__(self) -> Iterator[Law]:
        """The laws."""
        return (each.law for each in self.strata)

    def place_of(self, given: Given) -> int | None:
        """The stratum to which known values belong; None if there is none."""
        if not all(name in given for name in self.columns):
            return None
        return self._places.get(key_of(tuple(given[name] for name in self.columns)))

    @property
    def identity(self) -> bool:
        """Whether values are published as they are in every stratum."""
        return all(law.identity for law in self)

    @property
    def whole(self) -> bool:
        """Whether whole numbers come out of all of them."""
        return all(law.whole for law in self)

    @property
    def takes_missing(self) -> bool:
        """Whether all of them take a missing value."""
        return all(law.takes_missing for law in self)

    @property
    def drawable(self) -> bool:
        """Whether all of them can be drawn exactly."""
        return all(law.drawable for law in self)

    @property
    def ratio_scale(self) -> float:
        """The scale of the law that bounds least."""
        return min(law.ratio_scale for law in self)

    @property
    def at_floor(self) -> Noise | None:
        """The floor that protects least, over the laws of all strata."""
        floors = [law.at_floor for law in self]
        known = [each for each in floors if each is not None]
        return min(known, key=lambda each: each.size) if len(known) == len(floors) else None

    @property
    def floored(self) -> bool:
        """Whether every law protects values from everybody."""
        return all(law.floored for law in self)

    def output(self, prior: Any) -> Any:
        """Refused: the law depends on the known values."""
        raise UnsupportedError("the published value depends on known columns: ask each stratum.")

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        """The error of the stratum with the largest one."""
        return max(law.error(frequencies) for law in self)
