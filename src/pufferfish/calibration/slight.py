"""Noise in name only: so small that the values can be read from what is published.

Beliefs that differ in their last digits need some noise, of about the size of those digits: the
means of two fitted laws may be 4·10⁻¹⁷ apart. Such noise hides nothing, and cannot be drawn on its
grid. So it is treated as no noise: the user must allow it, and then the noise is made large enough
to be drawn, which is still far below any detail of the beliefs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.least_noise import at_least
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import CertificationError
from pufferfish.noise import Stratified

__all__ = ["drawable", "publishes_values"]

# Noise below this share of the finest detail counts as none; rounding up its size does not change
# that.
_SLIGHT = 1e-5
# The size that is drawn instead, as a share of the finest detail and of the largest believed value:
# a grid of 2⁻²⁴ of the noise then has room for values up to 2⁶⁰ steps.
_DRAWN, _OF_LARGEST = 2.0**-20, 2.0**-34
# The values of a table may be as close as two doubles; its detail is this share of its std.
_OF_TABLE = 1e-4


def publishes_values(calibration: Calibration) -> bool:
    """Whether the values themselves are published, without noise or with noise in name only."""
    law, scenario = calibration.mechanism, calibration.scenario
    if isinstance(law, Stratified):
        return any(map(publishes_values, calibration.parts))
    if any(belief.labelled for belief in scenario.beliefs):
        return law.identity or law.error() < _SLIGHT
    return law.identity or law.error() < _SLIGHT * _detail(scenario)


def drawable(calibration: Calibration) -> Calibration:
    """The same calibration, where noise in name only is made large enough to be drawn.

    That size follows from the beliefs: a plan rounds it up like any other before it is published.

    Raises:
        CertificationError: The size was given, so it must not be replaced by one that depends on
            the beliefs.
    """
    law = calibration.mechanism
    if law.identity or not law.additive or not publishes_values(calibration):
        return calibration
    scenario = calibration.scenario
    least = max(_DRAWN * _detail(scenario), _OF_LARGEST * _largest(scenario))
    if calibration.method == "given" and calibration.noise.size < least:
        raise CertificationError(
            "the given noise is too small to be drawn for such values. Choose a larger size "
            "without looking at the data, or give none (--scale)."
        )
    return at_least(calibration, least)


def _detail(scenario: Scenario) -> float:
    """The std of the narrowest component, or a share of a table's std; 0 if there is none."""
    return min(_details(scenario), default=0.0)


def _details(scenario: Scenario) -> Iterator[float]:
    for belief in scenario.beliefs:
        for prior in belief.priors.values():
            if not isinstance(prior, Discrete):
                yield float(prior.components().stds.min())
            elif prior.values.size > 1:
                yield _OF_TABLE * math.sqrt(prior.variance)


def _largest(scenario: Scenario) -> float:
    """A bound that hardly any value of the believed laws exceeds."""
    return max(
        float((abs(each.means) + 10.0 * each.stds).max())
        for belief in scenario.beliefs
        for each in (prior.components() for prior in belief.priors.values())
    )
