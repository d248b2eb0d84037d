"""The promise that is wanted: from options to noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import typer

from pufferfish.calibrate import Calibration, calibrate
from pufferfish.choose import least_epsilon, noise_for_mean, noise_for_value, noise_of_size
from pufferfish.errors import InvalidInputError
from pufferfish.guarantee import Guarantee
from pufferfish.ladder import Rounding
from pufferfish.options.voice import Voice
from pufferfish.scenario import Scenario

__all__ = ["Accuracy", "Goal", "HowAlike", "Promise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HowAlike:
    """How alike two secrets must look."""

    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="How alike: odds change by at most e^ε."),
    ] = None
    delta: Annotated[
        float, typer.Option("--delta", "-d", help="A probability that may be added on top.")
    ] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise(HowAlike):
    """How alike the secrets of many pairs must look."""

    workers: Annotated[int, typer.Option(help="Processes to spread many pairs over.")] = 1

    def guarantee(self, rows: int = 1) -> Guarantee:
        """The promise for one of so many rows of a person, which add up."""
        if self.epsilon is None:
            raise InvalidInputError(
                "say how alike the secrets must look: --epsilon 1, for example. pufferfish "
                "calibrate without it prints a table to choose from."
            )
        whole = Guarantee(self.epsilon, self.delta)
        return Guarantee(_share(whole.epsilon, rows), _share(whole.delta, rows))


def _share(total: float, rows: int) -> float:
    """The largest float of which so many are not more than the total."""
    each = total / rows
    return each if rows * Fraction(each) <= total else math.nextafter(each, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(Promise):
    """How alike the secrets must look, and by which noise."""

    noise: Annotated[str, typer.Option(help="laplace or gaussian.")] = "laplace"
    method: Annotated[
        str,
        typer.Option(help="exact, coupling, or the paper's thm-1, remark-1, thm-2, cor-2."),
    ] = "exact"
    scale: Annotated[
        float | None,
        typer.Option(
            help="Not the least noise, but this scale (gaussian: this std), chosen without the "
            "data. It is checked against --epsilon; without, the least ε is found."
        ),
    ] = None

    @property
    def rounding(self) -> Rounding:
        """How a size that depends on private beliefs is published."""
        return "ladder" if self.scale is None else "given"

    def calibration(self, scenario: Scenario, rows_per_person: int, voice: Voice) -> Calibration:
        """The least noise for one row, or the noise that was given."""
        kind: Any = self.noise
        if self.scale is not None and self.method != "exact":
            raise InvalidInputError(
                "--scale is certified exactly: leave out --method, which finds a scale of its own."
            )
        if self.scale is not None and self.epsilon is None:
            law = noise_of_size(kind, self.scale)
            return least_epsilon(scenario, law, _share(self.delta, rows_per_person))
        goal = self.guarantee(rows_per_person)
        choices: dict[str, Any] = {"noise": kind, "method": self.method, "size": self.scale}
        if self.scale is None and not all(belief.public for belief in scenario.beliefs):
            choices["rounding"] = self.rounding
        with voice.progress("Calibrating") as progress:
            return calibrate(
                scenario,
                goal,
                **choices,
                workers=self.workers,
                progress=lambda done, total: progress(done / total),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The accuracy that is wanted, from which ε follows."""

    accuracy: Annotated[
        float | None,
        typer.Option(help="Instead of ε: each value within ± this, with --confidence."),
    ] = None
    mean_within: Annotated[
        float | None,
        typer.Option(help="Instead of ε: the column's mean within ± this, with --confidence."),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option(
            help="Of --accuracy, --mean-within and the table to choose from.", show_default="0.95"
        ),
    ] = None

    @property
    def level(self) -> float:
        """The confidence, as given or 95%."""
        return 0.95 if self.confidence is None else self.confidence

    @property
    def given(self) -> bool:
        """Whether one was asked for."""
        return self.accuracy is not None or self.mean_within is not None

    def calibration(
        self, scenario: Scenario, goal: Goal, rows_per_person: int, records: int
    ) -> Calibration:
        """The strongest promise for one row that leaves this accuracy."""
        both = self.accuracy is not None and self.mean_within is not None
        if both or goal.epsilon is not None or goal.scale is not None or goal.method != "exact":
            raise InvalidInputError(
                "give --epsilon or --scale, or one of --accuracy and --mean-within, which use the "
                "exact method."
            )
        kind: Any = goal.noise
        if self.accuracy is not None:
            law = noise_for_value(kind, self.accuracy, self.level)
        else:
            law = noise_for_mean(kind, self.mean_within or 0.0, records, self.level)
        return least_epsilon(scenario, law, goal.delta / rows_per_person)
