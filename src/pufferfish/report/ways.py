"""Ways to a promise, side by side: how much noise each needs, and what it really gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pufferfish.calibration.result import Calibration
from pufferfish.exact import Certificate
from pufferfish.insight.comparison import Comparison, noise_in_words
from pufferfish.insight.other_ways import Alternative
from pufferfish.report import figures
from pufferfish.report.facts import Believed
from pufferfish.report.pictures import Picture
from pufferfish.words.certificates import VERDICTS
from pufferfish.words.numbers import at_most

__all__ = ["Way", "way_of", "ways", "ways_compared", "ways_picture"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to a promise.

    Attributes:
        name: Its name.
        noise: What it adds, in words.
        std: The std of that noise, or the error of a recoding.
        gives: What it gives or promises, in words.
        holds: Whether that is certified, or proven in general.
    """

    name: str
    noise: str
    std: float
    gives: str
    holds: bool


def ways(found: Believed) -> tuple[Way, ...]:
    """This release first, then every method that applies, then the two that people compare with."""
    return (
        way_of("this release", found.calibration, found.calibration.certificate.holds),
        *ways_compared(found.comparison, "" if found.of_all else ", for the pair that decides"),
        *(_alternative(each) for each in found.alternatives),
    )


def ways_compared(comparison: Comparison, whose: str = "") -> Iterator[Way]:
    """The methods that apply."""
    for each in comparison.methods:
        yield way_of(f"method {each.name}{whose}", each.calibration, each.valid)


def ways_picture(listed: tuple[Way, ...], what: str = "std of the noise") -> Picture | None:
    """The picture of the noise of each way, or its error, by number; None for a single way."""
    if len(listed) < 2 or not any(way.std for way in listed):
        return None
    return Picture(
        name="ways",
        svg=figures.scales(
            "ways", [figures.Scale(std=each.std, holds=each.holds) for each in listed], what
        ),
        title="The noise that each method needs"
        if what == "std of the noise"
        else "The error of each method",
        description="By number, as in the table; hollow where the promise is not proven.",
    )


def way_of(name: str, calibration: Calibration, valid: bool | None) -> Way:
    """A calibration as one way to its promise, and whether that is kept."""
    return Way(
        name=name,
        noise=noise_in_words(calibration.mechanism),
        std=calibration.rmse,
        gives=_gives(calibration.certificate, valid),
        holds=valid is True,
    )


def _gives(certificate: Certificate, valid: bool | None) -> str:
    pure = certificate.goal.pure
    found = at_most(certificate.epsilon_upper if pure else certificate.delta_upper, 4)
    return f"{VERDICTS[valid]}: {'least ε' if pure else 'δ'} at most {found}"


def _alternative(other: Alternative) -> Way:
    local = other.name == "local"
    return Way(
        name="local differential privacy: every value, from everybody"
        if local
        else "the paper's Theorem 2 (thm-2), for the smooth beliefs",
        noise=f"Laplace, scale {other.scale:.5g}",
        std=other.std,
        gives=f"promises {other.promise}" + ("" if other.holds else ", not proven in general"),
        holds=other.holds,
    )
