"""What a promise for the population costs, compared with the plain promise."""

from __future__ import annotations

from typing import Any

from pufferfish.calibration.result import Calibration
from pufferfish.cli.show import Show
from pufferfish.insight.sample_cost import SampleCost, sample_cost

__all__ = ["population_as_data", "population_cost", "population_in_words"]


def population_cost(calibration: Calibration, show: Show) -> SampleCost | None:
    """The cost; None where the promise is for the described laws alone, or nobody reads it."""
    if not calibration.scenario.sampled or (show.quiet and not show.json):
        return None
    with show.progress("Comparing"):
        return sample_cost(calibration)


def population_in_words(found: SampleCost | None) -> str:
    """One paragraph; empty where there is nothing to tell."""
    return "" if found is None else str(found)


def population_as_data(found: SampleCost | None) -> dict[str, Any]:
    """The entry for --json; none where there is nothing to tell."""
    return {} if found is None else {"population": found.to_dict()}
