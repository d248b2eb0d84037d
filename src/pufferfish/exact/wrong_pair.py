"""A pair of laws that may be wrong, in both directions: as tables on the stated range."""

from __future__ import annotations

import math

from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.exact.capped import capped_table
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.radius import delta_within, epsilon_within, inner_epsilon
from pufferfish.exact.wrong_laws import WrongTables
from pufferfish.noise import LaplaceNoise, TableOutput

__all__ = ["WrongRatio", "stated_range", "wrong_ratios"]

_UP = 1.0 + 2.0**-50


class WrongRatio:
    """One direction; values of smooth laws were moved by up to `radius` to make them tables."""

    def __init__(self, tables: WrongTables, noise: LaplaceNoise, radius: float) -> None:
        """Of tables, and how far values were moved."""
        self._tables, self._noise, self._radius = tables, noise, radius

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """The largest HS_ε; nothing is claimed from below of a law that was moved."""
        if self._radius == 0.0:
            return self._tables.hockey_stick(epsilon)
        inner = inner_epsilon(self._radius, self._noise, epsilon)
        found = Enclosure(0.0, self._tables.hockey_stick(inner).upper)
        return delta_within(self._radius, self._noise, epsilon, found, found)

    def supremum(self) -> Enclosure:
        """The largest log-ratio; a move of both laws takes away as much as it may add."""
        found = self._tables.supremum()
        lost = 2.0 * self._radius / self._noise.scale * _UP
        lower = math.nextafter(found.lower - lost, -math.inf) if lost else found.lower
        return epsilon_within(self._radius, self._noise, Enclosure(lower, found.upper))


def wrong_ratios(laws: PairOfLaws, noise: LaplaceNoise) -> tuple[WrongRatio, WrongRatio]:
    """Both directions of a pair under Laplace noise."""
    cap = stated_range(laws)
    first, second = capped_table(laws.first, cap), capped_table(laws.second, cap)
    radius, error = max(first.radius, second.radius), max(first.error, second.error)
    wrong = math.nextafter(laws.wrong + error, 1.0) if error else laws.wrong
    if wrong >= 1.0:
        raise UnsupportedError("laws that may be wrong by nearly 1 say nothing.")
    p, q = TableOutput(first.table, noise), TableOutput(second.table, noise)
    return (
        WrongRatio(WrongTables(p, q, cap, wrong), noise, radius),
        WrongRatio(WrongTables(q, p, cap, wrong), noise, radius),
    )


def stated_range(laws: PairOfLaws) -> tuple[float, float]:
    """The public range of a pair whose laws may be wrong.

    Raises:
        UnsupportedError: None is stated, or values may be missing.
    """
    if laws.cap is None:
        raise UnsupportedError(
            f"belief {laws.belief!r} does not say between which public bounds values lie, and on "
            "an unbounded line no noise covers laws that may be wrong: a small share of values "
            "could lie anywhere. Cap the column (--cap LOW:HIGH; cap=(low, high) of fit_beliefs or "
            "Belief, and of the plan)."
        )
    if laws.missing_first or laws.missing_second:
        raise UnsupportedError(
            f"belief {laws.belief!r} says that values may be missing. Noise publishes a hole "
            "there, and how often that happens may be wrong as well, which no noise hides: use a "
            'recoding (--mechanism recode, mechanism="recode"), or leave out or fill rows without '
            "a value."
        )
    return laws.cap
