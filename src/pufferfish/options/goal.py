"""The promise that is wanted, and the noise that keeps it, from options."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from pufferfish.beliefs.guarantee import Guarantee, guess_at_most
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.least_noise import calibrate_noise
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import (
    SeveralRows,
    calibrate_several,
    certify_given,
    least_epsilon_rows,
    share,
    share_of,
)
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import positive, probability_below_one, require
from pufferfish.insight.strongest import (
    least_epsilon,
    noise_for_mean,
    noise_for_value,
    noise_of_size,
)
from pufferfish.options.quoting import read_share
from pufferfish.options.voice import Voice
from pufferfish.words.numbers import at_least, at_most, percent_up

__all__ = ["Accuracy", "Goal", "HowAlike", "Promise"]

_MAPS = ("auto", "recode")
_MECHANISMS = ("laplace", "gaussian", *_MAPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class HowAlike:
    """How alike two secrets must look."""

    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="The promise ε: odds change by at most e^ε."),
    ] = None
    delta: Annotated[
        float, typer.Option("--delta", "-d", help="The promise δ, a probability added on top.")
    ] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise(HowAlike):
    """How alike the secrets of many pairs must look."""

    workers: Annotated[int, typer.Option(help="Number of processes that share many pairs.")] = 1

    def guarantee(self, rows: int = 1) -> Guarantee:
        """The promise for one of several rows of a person, which add up."""
        if self.epsilon is None:
            raise InvalidInputError(
                "a release needs a promise: give --epsilon, for example 1. pufferfish calibrate "
                "without --epsilon prints a table to choose from."
            )
        return share(Guarantee(self.epsilon, self.delta), rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(Promise):
    """How alike the secrets must look, and by which mechanism."""

    guess: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Instead of ε: the best guess between two secrets is right in at most this share "
            "of cases, such as 60%.",
        ),
    ] = None
    mechanism: Annotated[
        str | None,
        typer.Option(
            metavar="laplace|gaussian|recode|auto",
            help="What is applied: laplace or gaussian noise; recode, the random map from values "
            "to values that loses least; auto, whichever of noise, clipped noise and a recoding "
            "with the same floor errs least.",
            show_default="laplace",
        ),
    ] = None
    method: Annotated[
        str,
        typer.Option(help="exact, coupling, or the paper's thm-1, remark-1, thm-2, cor-2."),
    ] = "exact"
    scale: Annotated[
        float | None,
        typer.Option(
            help="This scale (gaussian: this std) instead of the least noise, chosen without the "
            "data. It is checked against --epsilon; without --epsilon the least ε is found."
        ),
    ] = None

    @property
    def promised(self) -> bool:
        """Whether a promise was asked for, by ε or by accuracy."""
        return self.epsilon is not None or self.guess is not None

    def guarantee(self, rows: int = 1) -> Guarantee:
        """The promise for one of several rows of a person, which add up."""
        if self.guess is None:
            # No super() without arguments in a class with slots.
            return Promise.guarantee(self, rows)
        share_right = read_share("--guess", self.guess, "0.6 or 60%")
        require(
            share_right > 0.5,
            "--guess must be above 50%, which a guess without any release reaches, such as 0.6 or "
            f"60%, got {self.guess!r}.",
        )
        alone = guess_at_most(share_right)
        if self.epsilon is not None or self.delta:
            raise InvalidInputError(
                "--guess is a promise of its own, and a plan makes only one: "
                f"{self._instead(share_right)}."
            )
        if rows > 1:
            raise InvalidInputError(
                "--guess is about one row: give --epsilon for several rows of a person, or "
                "--one-row."
            )
        return alone

    def _instead(self, right: float) -> str:
        """The one promise that keeps ε and a guess: (e^ε + δ)/(e^ε + 1) ≤ the share of guesses."""
        if self.epsilon is None:
            return "leave out --delta"
        odds = (right - self.delta) / (1.0 - right)
        most = math.floor(1e4 * math.log(odds)) / 1e4 if odds > 1.0 else 0.0
        if most <= 0.0:
            return (
                f"with δ = {at_most(self.delta)} no ε implies that a guess is right in at most "
                f"{percent_up(right, 6)} of cases. Leave out --guess, or --epsilon and --delta"
            )
        if self.epsilon <= most:
            return f"leave out --guess, which --epsilon {at_most(self.epsilon)} implies"
        return (
            f"give --epsilon {at_least(most)} without --guess, which keeps both (a guess is then "
            f"right in at most {percent_up(right, 6)} of cases); or leave out --epsilon"
        )

    @property
    def kind(self) -> str:
        """What is applied: what --mechanism says, else Laplace noise."""
        return self.mechanism or "laplace"

    @property
    def adds_noise(self) -> bool:
        """Whether the mechanism is noise."""
        return self.kind not in _MAPS

    def check(self) -> None:
        """Refuse numbers that are none, an unknown mechanism, and two promises."""
        if self.epsilon is not None:
            positive("--epsilon", self.epsilon)
        probability_below_one("--delta", self.delta)
        if self.scale is not None:
            positive("--scale", self.scale, hint="Leave it out for the least noise.")
        if self.guess is not None:
            _ = self.guarantee()
        if self.kind not in _MECHANISMS:
            raise InvalidInputError(
                f"--mechanism must be laplace, gaussian, recode or auto, got {self.kind!r}."
            )
        if self.adds_noise:
            return
        if self.method != "exact" or self.scale is not None:
            raise InvalidInputError(
                f"--method and --scale are about noise: leave them out with --mechanism "
                f"{self.mechanism}, which is certified exactly; or give --mechanism laplace."
            )

    @property
    def rounding(self) -> Rounding:
        """How the size of noise is rounded where it depends on private beliefs."""
        return "ladder" if self.scale is None else "given"

    def calibration(
        self, scenario: Scenario, rows: SeveralRows, voice: Voice, wrong: float = 0.0
    ) -> Calibration:
        """The least noise, or the noise that was given: for one row of a person, or for several.

        Args:
            scenario: What must look alike, to whom.
            rows: The rows of a person.
            voice: Told how far it has come.
            wrong: How far in total variation laws may be off.
        """
        kind: Any = self.kind
        public = all(belief.public for belief in scenario.beliefs)
        if self.scale is not None and self.method != "exact":
            raise InvalidInputError(
                "--scale is certified exactly: leave out --method, which finds a scale itself."
            )
        self.check_rows(rows)
        if self.scale is not None and not self.promised:
            law = noise_of_size(kind, self.scale)
            if not rows.apart:
                return least_epsilon_rows(scenario, law, self.delta, rows)
            return least_epsilon(scenario, law, share_of(self.delta, rows.count))
        if not rows.apart:
            if self.scale is not None:
                return certify_given(scenario, self.guarantee(), self.scale, rows)
            rounding = None if public else self.rounding
            return calibrate_several(scenario, self.guarantee(), rows, rounding=rounding)
        goal = self.guarantee(rows.count)
        choices: dict[str, Any] = {"noise": kind, "method": self.method, "size": self.scale}
        if self.scale is None and not public:
            choices["rounding"] = self.rounding
        with voice.progress("Calibrating") as progress:
            return calibrate_noise(
                scenario,
                goal,
                **choices,
                workers=self.workers,
                wrong=wrong,
                progress=lambda done, total: progress(done / total),
            )

    def check_rows(self, rows: SeveralRows) -> None:
        """Refuse mechanisms and methods that do not cover several rows of a person."""
        if not rows.apart and (self.kind != "laplace" or self.method not in ("exact", "coupling")):
            raise InvalidInputError(
                f"{rows.count} rows of one person are certified for Laplace noise, by the distance "
                "of their values: leave out --mechanism and --method; or give --one-row first or "
                "--one-row mean; or --rows-are independent, if they are."
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
            help="Confidence for --accuracy, --mean-within and the table to choose from.",
            show_default="0.95",
        ),
    ] = None

    @property
    def level(self) -> float:
        """The confidence, as given or 95%."""
        return 0.95 if self.confidence is None else self.confidence

    @property
    def given(self) -> bool:
        """Whether an accuracy is given."""
        return self.accuracy is not None or self.mean_within is not None

    def calibration(
        self, scenario: Scenario, goal: Goal, rows: SeveralRows, records: int
    ) -> Calibration:
        """The strongest promise that leaves this accuracy: for one row, or for all together."""
        both = self.accuracy is not None and self.mean_within is not None
        if both or goal.promised or goal.scale is not None or goal.method != "exact":
            raise InvalidInputError(
                "give --epsilon or --scale, or one of --accuracy and --mean-within, which use the "
                "exact method."
            )
        if not goal.adds_noise:
            raise InvalidInputError(
                "--accuracy and --mean-within are about noise: give --epsilon, or leave out "
                "--mechanism."
            )
        kind: Any = goal.kind
        if self.accuracy is not None:
            law = noise_for_value(kind, self.accuracy, self.level)
        else:
            law = noise_for_mean(kind, self.mean_within or 0.0, records, self.level)
        if not rows.apart:
            goal.check_rows(rows)
            return least_epsilon_rows(scenario, law, goal.delta, rows)
        return least_epsilon(scenario, law, share_of(goal.delta, rows.count))
