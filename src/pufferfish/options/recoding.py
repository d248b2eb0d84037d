"""How values are mapped to values: the options that only a recoding has."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from pufferfish.calibration.recode import AskedFloor
from pufferfish.core.errors import InvalidInputError

__all__ = ["AUTO", "HowRecoded"]

# Of --wrong: found by looking at the table.
AUTO = "auto"
_LOSSES = ("squared", "absolute", "changed")
# More edges than any recoding takes.
_MOST_EDGES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HowRecoded:
    """What is asked of a map from values to values."""

    floor: Annotated[
        str | None,
        typer.Option(
            metavar="noise|none|NUMBER",
            help="What protects every value from everybody, whatever they believe. noise: as much "
            "as the least noise does. A number κ: values at distance d (in units of the column) "
            "are told apart by a factor of at most e^(κ·d).",
            show_default="noise",
        ),
    ] = None
    wrong: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE|auto",
            help="Keep the promise for every law that is off by at most this, such as 0.03 or 3%. "
            "auto: the least with which it holds in 95% of random splits of the table.",
            show_default="0",
        ),
    ] = None
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="squared|absolute|changed",
            help="What is made as small as possible: the squared or absolute error, or how many "
            "values change.",
            show_default="squared",
        ),
    ] = None
    keep_histogram: Annotated[
        bool,
        typer.Option(
            "--keep-histogram/--any-histogram",
            help="Whether values occur as often as before, on average.",
        ),
    ] = True
    nominal: Annotated[
        bool,
        typer.Option(
            "--nominal",
            help="Allow a weak floor without --wrong, though such a promise does not survive the "
            "next sample.",
        ),
    ] = False
    edges: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C|START:STOP:STEP",
            help="Public edges of bins; the middle of a bin is published. By default up to 400 "
            "values are a list, and more have round edges.",
        ),
    ] = None
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="When the search stops, and keeps the best map that it has.",
            show_default="120",
        ),
    ] = None

    def refuse(self, mechanism: str) -> None:
        """Refuse what does not go with a mechanism.

        Args:
            mechanism: "auto", "laplace", "gaussian" or "recode".
        """
        if mechanism == "recode":
            return
        own = {
            "--floor": self.floor is not None,
            "--wrong": self.wrong is not None,
            "--loss": self.loss is not None,
            "--nominal": self.nominal,
        }
        if mechanism != "auto":
            own |= {
                "--any-histogram": not self.keep_histogram,
                "--edges": self.edges is not None,
                "--time-limit": self.time_limit is not None,
            }
        given = [name for name, said in own.items() if said]
        if not given:
            return
        if mechanism == "auto":
            raise InvalidInputError(
                f"leave out {' and '.join(given)} with --mechanism auto, which compares mechanisms "
                "by their squared error at the same promise and the same floor; or say --mechanism "
                "recode."
            )
        raise InvalidInputError(
            f"{mechanism.title()} noise is added here, and only a recoding has "
            f"{' and '.join(given)}: say --mechanism recode, or leave that out."
        )

    @property
    def settled(self) -> HowRecoded:
        """The same, without a share that has to be found first."""
        return replace(self, wrong=None) if self.wrong == AUTO else self

    @property
    def arguments(self) -> dict[str, Any]:
        """As arguments of `calibrate`, those that were given."""
        found = {
            "floor": None if self.floor is None else (_floor(self.floor),),
            "wrong": None if self.wrong is None else (_share(self.wrong),),
            "loss": None if self.loss is None else (_loss(self.loss),),
            "keep_histogram": None if self.keep_histogram else (False,),
            "nominal": (True,) if self.nominal else None,
            "edges": None if self.edges is None else (_edges(self.edges),),
            "seconds": None if self.time_limit is None else (_seconds(self.time_limit),),
        }
        return {name: value[0] for name, value in found.items() if value is not None}


def _floor(text: str) -> AskedFloor:
    if text == "none":
        return None
    if text == "noise":
        return "noise"
    number = _number(text)
    if number is None or not number > 0.0:
        raise InvalidInputError(
            "--floor must be noise (as much as the least noise protects), none, or a number above "
            f"0 in units of the column, such as 0.5, got {text!r}."
        )
    return number


def _share(text: str) -> float:
    if text == AUTO:
        raise InvalidInputError("--wrong auto is for a recoding with --epsilon.")
    percent = text.endswith("%")
    number = _number(text.removesuffix("%"))
    share = None if number is None else number / 100.0 if percent else number
    if share is None or not 0.0 <= share < 1.0:
        raise InvalidInputError(
            "--wrong must be a share of at least 0 and less than 1, such as 0.03 or 3%, got "
            f"{text!r}."
        )
    return share


def _loss(text: str) -> str:
    if text not in _LOSSES:
        raise InvalidInputError(f"--loss must be squared, absolute or changed, got {text!r}.")
    return text


def _edges(text: str) -> tuple[float, ...]:
    """A,B,C, or all from START to STOP in steps."""
    ranged = ":" in text
    numbers = [_number(each) for each in text.split(":" if ranged else ",")]
    known = [each for each in numbers if each is not None]
    good = len(known) == len(numbers) and (len(known) == 3 or not ranged)
    if good and ranged:
        start, stop, step = known
        count = (stop - start) / step + 1e-9 if step > 0.0 else -1.0
        good = 0.0 <= count < _MOST_EDGES
        known = [start + place * step for place in range(int(count) + 1)] if good else []
    if not good or sorted(set(known)) != known or len(known) >= _MOST_EDGES:
        raise InvalidInputError(
            "--edges must be numbers in rising order with commas between them, such as 0,10,20, or "
            f"START:STOP:STEP, such as 0:100:5, fewer than {_MOST_EDGES:,} in all, got {text!r}."
        )
    return tuple(known)


def _seconds(given: float) -> float:
    if not 0.0 < given < math.inf:
        raise InvalidInputError(f"--time-limit must be a number of seconds above 0, got {given:g}.")
    return given


def _number(text: str) -> float | None:
    """A finite number; None where the text is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
