"""Laplace noise on values whose laws are those that a sample does not exclude.

Laws on listed values x_1 < … < x_n have densities A·e^{y/b} + B·e^{−y/b} between two neighbours,
and beyond the first and the last both fall alike. So the ratio of two such densities is monotone
between neighbours, and ε* is reached at a listed value: there the noise is a map with entries
e^{−|x−x_k|/b}, and the region is judged as for a recoding (docs/theory/sampling-error.md). About
δ > 0 nothing is claimed but what follows from ε*.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.region import SampleRegion
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.sampled import epsilon_over_region
from pufferfish.noise import LaplaceNoise, Noise, NoNoise
from pufferfish.recoding.regions import region_of_pair
from pufferfish.recoding.sampled import SampledPair

__all__ = ["SampledRatio", "sampled_ratios"]

# What an exponential may be off by, relatively, with room for its argument.
_RELATIVE = 1e-13
# Values up to which laws of a region are judged under noise.
_MOST_LISTED = 500


class SampledRatio:
    """One direction."""

    def __init__(self, pair: SampledPair) -> None:
        """Of a pair of counts, and the map of the noise at the listed values."""
        self._pair = pair

    @cached_property
    def _found(self) -> Enclosure:
        return epsilon_over_region(self._pair)

    def supremum(self) -> Enclosure:
        """The largest log-ratio of any laws of the region."""
        return self._found

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """None is left above ε*; below it nothing is claimed."""
        return Enclosure(0.0, 0.0 if self._found.upper <= epsilon else 1.0)


def sampled_ratios(
    laws: PairOfLaws, region: SampleRegion, noise: Noise
) -> tuple[SampledRatio, SampledRatio]:
    """Both directions of a pair under Laplace noise.

    Raises:
        UnsupportedError: Other noise, missing values, values that are not listed, or laws that may
            be wrong by a share as well.
    """
    if laws.wrong:
        raise UnsupportedError(
            f"belief {laws.belief!r} covers what a sample does not exclude, and laws may be wrong "
            "by a share as well: ask for one of the two."
        )
    if not isinstance(noise, LaplaceNoise | NoNoise):
        raise UnsupportedError(
            "what a sample does not exclude is covered by Laplace noise and by recodings."
        )
    if laws.missing_first or laws.missing_second:
        raise UnsupportedError(
            f"belief {laws.belief!r} says that values may be missing. Noise publishes a hole "
            "there, and how often that happens is a matter of the sample as well: use a recoding "
            '(mechanism="recode"), or leave out or fill rows without a value.'
        )
    if not 0 < len(laws.listed) <= _MOST_LISTED:
        raise UnsupportedError(
            f"a sampling error under noise is judged for columns of up to {_MOST_LISTED} different "
            f"values, and this one has {len(laws.listed):,}: use a recoding with bins (edges=...)."
        )
    first, second = (_rows(law, laws.listed) for law in (laws.first, laws.second))
    most, least = (_map(laws.listed, noise, side) for side in (1, -1))
    forward, backward = (
        SampledRatio(SampledPair(region_of_pair(region, *rows), most, least))
        for rows in ((first, second), (second, first))
    )
    return forward, backward


def _rows(law: object, listed: tuple[float, ...]) -> tuple[int, ...]:
    if not isinstance(law, Discrete) or law.counts is None:
        raise UnsupportedError("only laws that were counted have a sampling error.")
    counts = dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))
    return tuple(counts.get(each, 0) for each in listed)


def _map(listed: tuple[float, ...], noise: LaplaceNoise | NoNoise, side: int) -> FloatArray:
    """e^{−|x−x_k|/b} from one side, for each listed x_k and x; without noise 1 or 0."""
    values = np.array(listed)
    apart = np.abs(values[:, None] - values)
    if isinstance(noise, NoNoise):
        return np.where(apart == 0.0, 1.0, 0.0)
    distance = apart / noise.scale * (1.0 - side * _RELATIVE)
    return np.asarray(np.exp(-distance) * (1.0 + side * _RELATIVE))
