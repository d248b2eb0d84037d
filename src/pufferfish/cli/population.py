"""What a promise for the population costs, compared with the plain promise."""

from __future__ import annotations

from pufferfish.calibration.result import Calibration
from pufferfish.cli.show import Show
from pufferfish.insight.sample_cost import sample_cost

__all__ = ["population_in_words"]


def population_in_words(calibration: Calibration, show: Show) -> str:
    """One paragraph; empty where the promise is for the described laws alone."""
    if not calibration.scenario.sampled or show.quiet or show.json:
        return ""
    with show.progress("Comparing"):
        found = sample_cost(calibration)
    return "" if found is None else str(found)
