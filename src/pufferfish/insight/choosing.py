"""The mechanism with the least error among those with the same promise and no weaker floor.

- **Noise**: the least Laplace noise. Its error is its std.
- **Clipped noise**: the same, clipped to bounds. That costs no privacy if they are public. With
  scale b, a = low − x, c = high − x and G(t) = b²·(1 + t/b)·e^{−t/b}, the mean square error at x is

      G(a⁺) − G(c⁺) + G((−c)⁺) − G((−a)⁺) + (a⁺)² + ((−c)⁺)²,

  from E min(N,c)² = ∫ 2t·P(N > t) dt on either side (the grid of the noise is neglected).
- **Remapped noise**: the recoding with the least loss and the floor of the least noise.

All protect every value from everybody as much as the least noise does, and keep the same promise.
Where laws may be wrong, the least noise is the least that keeps the promise for all of them. A
recoding without a floor is then shown as well: it keeps the same promise but protects from nobody
else, so it has to be asked for. Errors are root mean squares over the rows of the whole table.
Where known columns are published in the row, each combination of their values has a law of its own
of the same kind, and the error over all rows is compared: with a kind for each stratum, which is
public, the kind would reveal nothing, but a reader of one column could not say what happened to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.asked import AskedFloor
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.losses import Column, column_of
from pufferfish.calibration.postprocess import Clip, Postprocess
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.strata import shares_of
from pufferfish.core.errors import CertificationError, UnreachableGoalError, UnsupportedError
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import FloatArray
from pufferfish.core.validation import bounds as check_bounds
from pufferfish.exact.parallel import Progress
from pufferfish.mechanisms import words_of
from pufferfish.words.numbers import percent, readable
from pufferfish.words.phrases import without_name
from pufferfish.words.terminal import align, fold

__all__ = ["Chosen", "Way", "WayName", "choose_mechanism", "clipped_figures"]

WayName = Literal["noise", "clipped noise", "remapped noise", "recoding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to the promise.

    Attributes:
        name: "noise", "clipped noise" or "remapped noise"; "recoding" for one without a floor.
        calibration: What is applied to each value, with its certificate.
        postprocess: The steps after it.
        rmse: The root mean square error of a published value.
        unchanged: The share of values that are published as they are.
    """

    name: WayName
    calibration: Calibration = field(repr=False)
    postprocess: tuple[Postprocess, ...] = ()
    rmse: float
    unchanged: float

    @property
    def in_words(self) -> str:
        """The mechanism and the steps after it."""
        law = self.calibration.mechanism
        return ", then ".join(
            [words_of(law).short(law), *(step.in_words for step in self.postprocess)]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """All ways to a promise, and the one with the least error; `print` it for the table.

    Noise clipped to bounds that were found in the data is shown but never taken: a record publishes
    the bounds, and the largest value of a column may be one person's.

    Attributes:
        ways: Those that keep the promise.
        constant_rmse: The error of publishing one constant for everybody.
        bounds_of_data: Whether the bounds of clipped noise are the least and the largest value of
            a private column.
        refused: For the others, the name and the reason.
    """

    ways: tuple[Way, ...]
    constant_rmse: float
    bounds_of_data: bool
    refused: tuple[tuple[WayName, str], ...] = ()

    @property
    def taken(self) -> Way:
        """The way with the smallest error; the simpler one of two with equal errors."""
        publishable = [
            way
            for way in self.ways
            if way.name != "recoding" and not (self.bounds_of_data and way.postprocess)
        ]
        return min(publishable, key=lambda way: way.rmse)

    def __str__(self) -> str:
        """The table, as text."""
        rows = [("way", "what is applied", "error", "unchanged")]
        rows += [
            (
                f"{way.name}, taken" if way is self.taken else way.name,
                way.in_words,
                readable(way.rmse, 4),
                percent(way.unchanged, 2),
            )
            for way in self.ways
        ]
        rows.append(("constant", "one value for everybody", readable(self.constant_rmse, 4), "-"))
        notes = [fold(note) for note in self.notes]
        refused = [
            fold(f"- {name}: {without_name(name, reason)}", others="  ", hyphens=True)
            for name, reason in self.refused
        ]
        return "\n".join([align(rows, "left", ruled=True), *notes, *refused])

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the comparison, in sentences."""
        found = []
        if self.constant_rmse < self.taken.rmse:
            least = min(way.rmse for way in self.ways)
            than = "all of them" if self.constant_rmse < least else "the way taken"
            found.append(
                f"One constant for everybody has a smaller error than {than}: at this promise the "
                "column is useful for its distribution, but hardly for single rows."
            )
        if self.bounds_of_data and self.taken.rmse > min(way.rmse for way in self.ways):
            found.append(
                "The clipped noise is not taken: its bounds are the least and the largest value "
                "of the column, and a record would publish them. Give public ones with --cap "
                "LOW:HIGH (bounds=...)."
            )
        if any(way.name == "recoding" and way.rmse < self.taken.rmse for way in self.ways):
            found.append(
                "The recoding keeps the same promise but has no floor: it protects no value from "
                "adversaries with other beliefs. It is taken only on request (--mechanism recode "
                "--floor none)."
            )
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "ways": [
                {
                    "name": way.name,
                    "applied": way.in_words,
                    "rmse": way.rmse,
                    "unchanged": way.unchanged,
                    "taken": way is self.taken,
                }
                for way in self.ways
            ],
            "constant_rmse": self.constant_rmse,
            "refused": dict(self.refused),
        }


def choose_mechanism(
    scenario: Scenario,
    goal: Guarantee,
    *,
    bounds: tuple[float, float] | None = None,
    keep: Sequence[str] = (),
    wrong: float = 0.0,
    keep_histogram: bool = True,
    edges: Sequence[float] | None = None,
    progress: Progress | None = None,
) -> Chosen:
    """Noise, clipped noise and remapped noise for the same promise, and which has the least error.

    The noise is the one that a plan would use: rounded up to a rung of the public ladder where a
    belief is private.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise.
        bounds: Public bounds of the column. Without them, the least and the largest value of the
            table to which beliefs were fitted.
        keep: Known columns that are published in the row, as in `calibrate`.
        wrong: Each way must keep the promise for every law within this of the believed one, in
            total variation; the beliefs must have a cap.
        keep_histogram: For the recoding, as in `calibrate`.
        edges: The same.
        progress: As in `calibrate`.

    Raises:
        UnreachableGoalError: None of them keeps the promise.
    """
    # The adversary who knows least of a row describes the rows of the whole table.
    widest = Scenario(sorted(scenario.beliefs, key=lambda each: len(each.given)), scenario.pairs)
    column = column_of(widest, None)
    range_, of_data = _bounds(widest, bounds)
    refused: dict[WayName, str] = {}
    ways: list[Way] = []
    last: Exception | None = None
    public = all(belief.public for belief in scenario.beliefs)
    rounding: Rounding | None = None if public else "ladder"
    try:
        found = calibrate(
            scenario, goal, keep=keep, rounding=rounding, wrong=wrong, progress=progress
        )
        ways += _noised(found, range_)
    except _REFUSALS as error:
        refused["noise"], last = str(error), error
    for name, floor in _floors(ways, wrong):
        try:
            mapped = calibrate(
                scenario,
                goal,
                mechanism="recode",
                keep=keep,
                floor=floor,
                wrong=wrong,
                keep_histogram=keep_histogram,
                edges=edges,
                progress=progress,
            )
            ways += _remapped(name, mapped)
        except _REFUSALS as error:
            refused[name], last = str(error), error
    if not any(way.name != "recoding" for way in ways) and last is not None:
        raise last
    return Chosen(
        ways=tuple(ways),
        constant_rmse=column.std,
        bounds_of_data=of_data,
        refused=tuple(refused.items()),
    )


_REFUSALS = CertificationError, UnsupportedError, UnreachableGoalError


def _bounds(
    scenario: Scenario, bounds: tuple[float, float] | None
) -> tuple[tuple[float, float] | None, bool]:
    """The bounds to clip to, if any are known, and whether they were found in the data."""
    if bounds is not None:
        return check_bounds("bounds", bounds), False
    for belief in scenario.beliefs:
        table = belief.frequencies
        if isinstance(table, Discrete) and table.values.size > 1:
            return (float(table.values[0]), float(table.values[-1])), not belief.public
    return None, False


def _noised(found: Calibration, bounds: tuple[float, float] | None) -> Iterator[Way]:
    parts = shares_of(found.parts or (found,))
    unchanged = sum(share for share, part in parts if part.noise.identity)
    yield Way(name="noise", calibration=found, rmse=found.rmse, unchanged=unchanged)
    if bounds is None or found.mechanism.identity:
        return
    # Values lie within the bounds, so without noise they stay as they are.
    clipped = [
        (share, (0.0, 1.0))
        if part.noise.identity
        else (share, clipped_figures(part.noise.size, bounds, column_of(part.scenario, None)))
        for share, part in parts
    ]
    yield Way(
        name="clipped noise",
        calibration=found,
        postprocess=(Clip(*bounds),),
        rmse=math.sqrt(sum(share * error**2 for share, (error, _) in clipped)),
        unchanged=sum(share * stays for share, (_, stays) in clipped),
    )


def _floors(noised: Sequence[Way], wrong: float) -> Iterator[tuple[WayName, AskedFloor]]:
    """The recodings to compare, and the floor of each.

    Where laws may be wrong, the floor is that of the noise that was found for them.
    """
    if noised and noised[0].calibration.mechanism.identity:
        return
    if not wrong:
        yield "remapped noise", "noise"
        return
    if noised:
        yield "remapped noise", 1.0 / noised[0].calibration.noise.size
    yield "recoding", None


def _remapped(name: WayName, found: Calibration) -> Iterator[Way]:
    figures = found.recode
    if figures is not None:
        yield Way(
            name=name,
            calibration=found,
            rmse=figures.rmse,
            unchanged=figures.unchanged,
        )


def clipped_figures(
    scale: float, bounds: tuple[float, float], column: Column
) -> tuple[float, float]:
    """The root mean square error of clipped noised values, and the share that stays as it is.

    Args:
        scale: The scale of the Laplace noise.
        bounds: The bounds.
        column: How often each value occurs.
    """
    (low, high), values = bounds, column.values
    shares = column.histogram / column.histogram.sum()

    def tail(distance: FloatArray) -> FloatArray:
        ratio = distance / scale
        return np.asarray(scale**2 * (1.0 + ratio) * np.exp(-ratio))

    above, below = np.maximum(low - values, 0.0), np.maximum(values - high, 0.0)
    up, down = np.maximum(high - values, 0.0), np.maximum(values - low, 0.0)
    squares = tail(above) - tail(up) + tail(below) - tail(down) + above**2 + below**2
    # Half of the noise moves a value at a bound beyond it, and clipping moves it back.
    stays = 0.5 * float(shares[(values == low) | (values == high)].sum())
    return math.sqrt(max(float(shares @ squares), 0.0)), stays
