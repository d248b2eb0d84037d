"""The frontier: the error of each mechanism at each ε, and what an adversary gains from it.

A way is a mechanism with its floor and its room for wrong laws. For each ε it has the root mean
square error of a published value, how often the best guess between two secrets is right with the
release (even odds before, the worst pair and adversary), and what ε becomes on held-out rows. The
error of one constant for everybody is the ceiling: with a larger error a column is useful for its
distribution, but hardly for single rows. With δ > 0, δ·N is the number of rows, among N, for which
the promise may fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.losses import column_of
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import share
from pufferfish.core.errors import (
    CertificationError,
    PufferfishError,
    UnreachableGoalError,
    UnsupportedError,
)
from pufferfish.core.validation import require
from pufferfish.exact.unreachable import epsilon_of_holes
from pufferfish.insight.choosing import clipped_figures
from pufferfish.insight.guesses import accuracy_allowed, accuracy_upper, by_heart_at_worst
from pufferfish.insight.halves import Half
from pufferfish.insight.held_out import HeldOut
from pufferfish.insight.strongest import EPSILONS
from pufferfish.noise import NoNoise, law_to_dict
from pufferfish.words.phrases import exposed_rows

__all__ = ["Entry", "Frontier", "Way", "frontier", "with_clipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A mechanism, to be calibrated for several ε.

    Attributes:
        name: Unique, and short.
        calibrated: Calibrates the mechanism to a promise for beliefs.
    """

    name: str
    calibrated: Callable[[Scenario, Guarantee], Calibration]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One way at one ε.

    Attributes:
        way: Its name.
        goal: The promise.
        calibration: The calibration that keeps it; for one row, where the promise is for several of
            a person.
        rmse: The root mean square error of a published value.
        unchanged: The share of values (for tables, of rows) that are published as they are.
        guess: How often the best guess between two secrets is right, at most.
        held_out: The result on held-out rows; None where that was not, or could not be, measured.
        not_judged: Why held-out rows could not judge, where they should have.
    """

    way: str
    goal: Guarantee
    calibration: Calibration
    rmse: float
    unchanged: float
    guess: float
    held_out: HeldOut | None = None
    not_judged: str = ""

    @property
    def survives(self) -> bool:
        """Whether the promise held in more than half of the splits, or was not measured."""
        if self.held_out is None:
            return not self.not_judged
        return self.held_out.share > 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """All ways at all ε.

    Attributes:
        epsilons: What was asked for, in rising order.
        delta: The δ of all promises.
        entries: The results that can be reached, by way and ε.
        constant_rmse: The error of publishing one constant for everybody.
        guess_of_values: How often the best guess is right with the true value, at most.
        by_heart: Whether that is a mere upper bound, because most values occur once.
        rows: How many rows the table has; None where that is not known.
        holes: The ε that missing values alone need with noise, at this δ; 0 where every way reaches
            every ε, or nothing is missing.
    """

    epsilons: tuple[float, ...]
    delta: float
    entries: tuple[Entry, ...]
    constant_rmse: float
    guess_of_values: float
    by_heart: bool = False
    rows: int | None = None
    holes: float = 0.0

    @property
    def ways(self) -> tuple[str, ...]:
        """The names of the ways that reach some ε."""
        return tuple(dict.fromkeys(each.way for each in self.entries))

    def at(self, way: str, epsilon: float) -> Entry | None:
        """The result of a way at an ε; None where it cannot keep the promise."""
        return next(
            (each for each in self.entries if (each.way, each.goal.epsilon) == (way, epsilon)), None
        )

    @property
    def judged(self) -> bool:
        """Whether held-out rows judged anything."""
        return any(each.held_out is not None for each in self.entries)

    def best(self, epsilon: float) -> Entry | None:
        """The least error among results that hold on most held-out splits, where these judged.

        The first of several with the same error; None where a constant errs less than all of them.
        """
        here = [
            each
            for each in self.entries
            if each.goal.epsilon == epsilon and (each.survives or not self.judged)
        ]
        least = min(here, key=lambda each: each.rmse) if here else None
        return None if least is None or least.rmse > self.constant_rmse else least

    @property
    def exposed(self) -> int:
        """The number of rows, δ·N, for which the promises may fail."""
        return exposed_rows(self.delta, self.rows or 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; infinity is the text "inf"."""
        return {
            "delta": self.delta,
            "rows": self.rows,
            "delta_rows": None if self.rows is None else self.exposed,
            "holes_epsilon": self.holes if math.isfinite(self.holes) else "inf",
            "constant_rmse": self.constant_rmse,
            "guess_without_release": 0.5,
            "guess_with_true_value": self.guess_of_values,
            "choices": [
                {
                    "way": each.way,
                    "goal": {"epsilon": each.goal.epsilon, "delta": each.goal.delta},
                    "rmse": each.rmse,
                    "unchanged": each.unchanged,
                    "guess": each.guess,
                    "guess_allowed": accuracy_allowed(each.goal),
                    "noise": _noise_plain(each.calibration),
                    "columns": _columns_plain(each.calibration),
                    "least_error": each is self.best(each.goal.epsilon),
                    **_held_out_plain(each.held_out),
                    "not_judged": each.not_judged or None,
                }
                for each in self.entries
            ],
        }


def _noise_plain(made: Calibration) -> dict[str, Any] | None:
    return law_to_dict(made.mechanism) if made.mechanism.additive else None


def _columns_plain(made: Calibration) -> dict[str, float]:
    """The share of entries of each column that stay, where there are several columns."""
    parts = () if made.recode is None else made.recode.parts
    return {part.column: part.unchanged for part in parts}


def _held_out_plain(found: HeldOut | None) -> dict[str, Any]:
    if found is None:
        return {"held_out_epsilon": None, "held_out": None}
    epsilon = found.epsilon if math.isfinite(found.epsilon) else "inf"
    held = {"splits": len(found.splits), "held": found.held, "delta": found.delta}
    return {"held_out_epsilon": epsilon, "held_out": held}


def frontier(
    scenario: Scenario,
    ways: Sequence[Way],
    *,
    delta: float = 0.0,
    epsilons: Sequence[float] = EPSILONS,
    rows_of_person: int = 1,
    halves: Sequence[Half] = (),
    rows: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Frontier:
    """The errors of several ways for several ε.

    Args:
        scenario: What must look alike, to whom.
        ways: The mechanisms.
        delta: The δ of all promises.
        epsilons: The ε to try.
        rows_of_person: How many rows of one person a promise is for, independent given the secret.
        halves: Halves of the rows (`split_rows`), to see what each promise becomes on the other
            half.
        rows: How many rows there are.
        progress: Called with the share that is done.

    Raises:
        UnreachableGoalError: No way reaches any of the ε.
    """
    wanted = tuple(sorted(epsilons))
    require(bool(wanted and ways), "a frontier needs at least one ε and one way.")
    found: list[Entry] = []
    refused: PufferfishError | None = None
    unreached = False
    for place, way in enumerate(ways):
        for step, epsilon in enumerate(wanted):
            goal = Guarantee(epsilon, delta)
            one = share(goal, rows_of_person)
            try:
                found.append(_entry(scenario, way, goal, one, halves))
            except (UnreachableGoalError, CertificationError, UnsupportedError) as error:
                refused = error
                unreached |= isinstance(error, UnreachableGoalError)
            if progress is not None:
                progress((place + (step + 1) / len(wanted)) / len(ways))
    if not found and refused is not None:
        raise refused
    guess_of_values = accuracy_upper(scenario, NoNoise())
    return Frontier(
        epsilons=wanted,
        delta=delta,
        entries=tuple(found),
        constant_rmse=_constant(scenario, found),
        guess_of_values=guess_of_values,
        by_heart=by_heart_at_worst(scenario, guess_of_values),
        rows=rows,
        holes=epsilon_of_holes(scenario, delta) if unreached else 0.0,
    )


def _entry(
    scenario: Scenario,
    way: Way,
    goal: Guarantee,
    one: Guarantee,
    halves: Sequence[Half],
) -> Entry:
    made = way.calibrated(scenario, one)
    recode = made.recode
    stays = 1.0 if made.mechanism.identity else 0.0
    judged = _judged(way, one, halves)
    return Entry(
        way=way.name,
        goal=goal,
        calibration=made,
        rmse=made.rmse,
        unchanged=stays if recode is None else recode.unchanged,
        guess=_guess(made),
        held_out=None if isinstance(judged, str) else judged,
        not_judged=judged if isinstance(judged, str) else "",
    )


def _guess(made: Calibration) -> float:
    """How often guesses are right in the worst stratum, for the adversaries as described."""
    parts = made.parts or (made,)
    return max(accuracy_upper(part.scenario.as_described(), part.mechanism) for part in parts)


def _judged(way: Way, goal: Guarantee, halves: Sequence[Half]) -> HeldOut | str | None:
    """The result on held-out rows, or a text that says why a half could not be protected."""
    if not halves:
        return None
    try:
        splits = [half.judged(way.calibrated(half.scenario, goal), goal) for half in halves]
    except PufferfishError as error:
        return str(error).rstrip(".")
    return HeldOut(goal=goal, splits=tuple(splits))


def _constant(scenario: Scenario, found: Sequence[Entry]) -> float:
    recodes = [each.calibration.recode for each in found]
    errors = [each.constant_rmse for each in recodes if each is not None]
    return errors[0] if errors else column_of(scenario, None).std


def with_clipped(
    found: Frontier, noise: str, name: str, scenario: Scenario, bounds: tuple[float, float]
) -> Frontier:
    """The same frontier with the noise of a way clipped to public bounds, which costs no privacy.

    Guesses and the ε on held-out rows are at most those of the noise.

    Args:
        found: What was found.
        noise: The name of the way that adds Laplace noise.
        name: The name of the new way, which follows it.
        scenario: As given to `frontier`.
        bounds: The public bounds.
    """
    column = column_of(scenario, None)
    entries: list[Entry] = []
    for way in found.ways:
        own = [each for each in found.entries if each.way == way]
        entries += own
        for each in own if way == noise else ():
            law = each.calibration.noise
            if law.identity:
                continue
            error, stays = clipped_figures(law.size, bounds, column)
            entries.append(replace(each, way=name, rmse=error, unchanged=stays))
    return replace(found, entries=tuple(entries))
