"""Sizes of noise that may be published, from the least size.

What a published size reveals, and to whom: docs/theory/published-size.md.
"""

from __future__ import annotations

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.core.ladder import ROUNDINGS, Rounding, rung_up
from pufferfish.core.validation import require
from pufferfish.exact.family import gaussian_family, laplace_family
from pufferfish.exact.search import NoiseFamily
from pufferfish.noise import Noise

__all__ = ["check_size", "family_of", "published_law_of"]


def family_of(noise: str, goal: Guarantee, scenario: Scenario) -> NoiseFamily:
    """The laws that calibration chooses from, by the kind of noise."""
    return laplace_family(goal) if noise == "laplace" else gaussian_family(goal, scenario)


def published_law_of(law: Noise, rounding: Rounding, scenario: Scenario, goal: Guarantee) -> Noise:
    """The law of the next public size.

    On the ladder the grid follows from the rung: the grid of the least size would reveal on which
    side of a power of two that size was.
    """
    if rounding == "given" or law.identity:
        return law
    rung = rung_up(law.size)
    if rung == law.size:
        return law
    usual = family_of(law.kind, goal, scenario)(rung)
    return law.resized(rung) if usual.grid is None else usual


def check_size(method: str, size: float | None, rounding: object) -> None:
    """Refuse arguments that would be ignored."""
    require(
        rounding is None or rounding in ROUNDINGS,
        f"rounding must be one of {ROUNDINGS}, got {rounding!r}.",
    )
    require(
        size is None or rounding in (None, "given"),
        "give one of size and rounding: a size that was given is not rounded.",
    )
    require(
        size is None or method == "exact",
        f"a given size is certified exactly, and method {method!r} finds a size of its own: leave "
        "out one of them.",
    )
