"""The noise of other ways to keep a promise, compared with the noise that was chosen.

- **Local differential privacy** protects every value from everybody, whatever is believed: Laplace
  noise of scale (range of the values)/ε. The range is that of the tables among the beliefs.
- **The paper's Theorem 2** (`thm-2`), for the smooth beliefs. It does not hold in general
  (docs/theory/thm-2.md). For δ = 0 it does not cover unequal stds, so it is then asked for δ = 0.3,
  the paper's own choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import PufferfishError
from pufferfish.exact.many import is_many
from pufferfish.noise import Noise
from pufferfish.theorems import PAPER_METHODS, paper_scale

__all__ = ["PAPER_DELTA", "Alternative", "alternatives"]

# The δ for which the paper's formula is asked where it does not cover δ = 0.
PAPER_DELTA = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another way to a promise, with Laplace noise.

    Attributes:
        name: "local" differential privacy, or the paper's "thm-2".
        scale: The scale of the noise that it needs.
        ratio: Its std as a multiple of that of the chosen noise; None where no noise was needed.
        promise: What it promises with this noise.
        holds: Whether the promise is proven in general.
        values: For local differential privacy, the range of values.
    """

    name: Literal["local", "thm-2"]
    scale: float
    ratio: float | None
    promise: Guarantee
    holds: bool
    values: tuple[float, float] | None = None

    @property
    def std(self) -> float:
        """The std of the noise that it needs."""
        return math.sqrt(2.0) * self.scale


def alternatives(calibration: Calibration) -> tuple[Alternative, ...]:
    """The other ways that cover this scenario; none where nothing is added."""
    if not calibration.mechanism.additive:
        return ()
    found = _local(calibration), _paper(calibration)
    return tuple(each for each in found if each is not None)


def _local(calibration: Calibration) -> Alternative | None:
    scenario, goal = calibration.scenario, calibration.goal
    tables = [
        prior
        for belief in scenario.beliefs
        for prior in belief.priors.values()
        if isinstance(prior, Discrete)
    ]
    if not tables:
        return None
    low = min(float(table.values[0]) for table in tables)
    high = max(float(table.values[-1]) for table in tables)
    size = (high - low) / goal.epsilon
    return Alternative(
        name="local",
        scale=size,
        ratio=_ratio(size, calibration.noise),
        promise=Guarantee(goal.epsilon),
        holds=True,
        values=(low, high),
    )


def _paper(calibration: Calibration) -> Alternative | None:
    scenario, goal = calibration.scenario, calibration.goal
    smooth = [
        belief
        for belief in scenario.beliefs
        if not any(isinstance(prior, Discrete) for prior in belief.priors.values())
    ]
    # One linear program for each pair: too slow for a footnote.
    if not smooth or is_many(scenario):
        return None
    asked = Guarantee(goal.epsilon, PAPER_DELTA) if goal.pure else goal
    try:
        size = paper_scale("thm-2", Scenario(smooth, scenario.pairs), asked, "exact")
    except PufferfishError:  # missing values, or laws that the theorem does not cover
        return None
    return Alternative(
        name="thm-2",
        scale=size,
        ratio=_ratio(size, calibration.noise),
        promise=asked,
        holds=PAPER_METHODS["thm-2"].is_true,
    )


def _ratio(scale: float, noise: Noise) -> float | None:
    return None if noise.identity else math.sqrt(2.0) * scale / noise.std
