"""The power of an audit: the probability of detecting noise that is smaller than it should be.

For the smaller noise the probability of each cell is known under both secrets. So audits can be
simulated without drawing a value: their counts are multinomial, and events are chosen and tested
from them just as in a real audit.
"""

from __future__ import annotations

import numpy as np

from pufferfish.audits.cells import Cells
from pufferfish.audits.draws import Generator, values_of
from pufferfish.audits.events import both_directions, scores_of_laws
from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.validation import FloatArray
from pufferfish.mechanisms import drawing_of
from pufferfish.noise import Noise, OutputLaw, output_law

__all__ = ["chance_to_notice", "less_noise"]

_REPEATS = 50
_PILOT = 2**15


def less_noise(noise: Noise, less: float) -> Noise:
    """The same law, too small by a share."""
    return noise.ideal(1.0 - less)


def chance_to_notice(
    pairs: list[PairOfLaws],
    claimed: Noise,
    less: float,
    goal: Guarantee,
    draws: int,
    alpha: float,
    source: Generator,
) -> float:
    """The share of simulated audits that refute the goal by one pair: the one that shows it best.

    Args:
        pairs: What is attacked.
        claimed: The noise that the mechanism says it adds.
        less: How much smaller it really is.
        goal: The promise.
        draws: Published values for each secret.
        alpha: The share of the false alarms for each pair.
        source: The generator of the counts.
    """
    best = 0.0
    for laws in pairs:
        best = max(best, _one_pair(laws, claimed, less, goal, draws, alpha, source))
        if best == 1.0:
            break
    return best


def _one_pair(
    laws: PairOfLaws,
    claimed: Noise,
    less: float,
    goal: Guarantee,
    draws: int,
    alpha: float,
    source: Generator,
) -> float:
    true = less_noise(claimed, less)
    holes = laws.missing_first, laws.missing_second
    priors = laws.first, laws.second
    # It only decides where the cells are.
    pilot = [
        values_of(prior, _PILOT, source) + drawing_of(true).imitate(true, _PILOT, source)
        for prior in priors
    ]
    cells = Cells.around(np.concatenate(pilot))
    masses = [
        np.append((1.0 - hole) * _masses(output_law(prior, true), cells.edges), hole)
        for prior, hole in zip(priors, holes, strict=True)
    ]
    known = scores_of_laws(laws, cells, claimed)
    half = draws // 2
    noticed = 0
    for _ in range(_REPEATS):
        chosen_by, tested_by = (
            tuple(source.multinomial(count, each / each.sum()) for each in masses)
            for count in (half, draws - half)
        )
        found = both_directions(laws, cells, known, chosen_by, tested_by, goal, alpha)
        noticed += any(each.breaks(goal) for each in found)
    return noticed / _REPEATS


def _masses(law: OutputLaw, edges: FloatArray) -> FloatArray:
    """The probability of each cell."""
    below, above = law.cdf(edges), law.survival(edges)
    # Each difference is taken in the tail in which it lies, where no digits are lost.
    inside = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    return np.asarray(np.maximum(np.concatenate([below[:1], inside, above[-1:]]), 0.0))
