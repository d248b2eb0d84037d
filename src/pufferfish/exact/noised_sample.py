"""Laplace noise on listed values, for all laws of a sampling region.

Under noise, laws on listed values x_1 < … < x_n have densities A·e^{y/b} + B·e^{−y/b} between two
neighbours, and beyond the first and the last value all fall alike. So the ratio of two such
densities is monotone between neighbours, and ε* is reached at a listed value: there the noise is a
map with entries e^{−|x−x_k|/b}, and the region is judged as for a recoding.

For δ the line is cut into cells of width h with no listed value inside, and two ends. With P and Q
the probabilities of a cell, S the largest P − e^ε·Q over the region, and τ = (h/b)·e^{2h/b}·max P,

    ∫_cell (p − e^ε·q)₊ ≤ max(S, τ) if S ≥ −2τ, and 0 otherwise,

because p − e^ε·q has at most one root in a cell; where it has one, its positive and its negative
part are at most τ (docs/theory/sampling-error.md). Cells with |S| near τ are cut further. δ is at
most the sum.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.region import SampleRegion, refuse_both
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.limits import still_patient
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.sampled import epsilon_over_region
from pufferfish.noise import LaplaceNoise, Noise, NoNoise
from pufferfish.recoding.regions import PairRegion, region_of_pair
from pufferfish.recoding.sampled import SampledPair, factor_lower

__all__ = ["SampledRatio", "sampled_ratios"]

# A bound on the relative error of an exponential, with room for that of its argument.
_RELATIVE = 1e-13
# Laws of a region are judged under noise for up to this many values.
_MOST_LISTED = 500
# The largest width of cells at first, in units of b; how often they are cut, and into how many; and
# what may be left undecided, relative to δ and in absolute terms.
_WIDTH, _ROUNDS, _PIECES, _LEFT, _LEAST = 0.25, 12, 4, 1e-3, 1e-12
# The most cells that are cut; if there are more, what is undecided is counted in full.
_MOST_OPEN = 2_000


class SampledRatio:
    """One direction of a pair over its sampling region."""

    def __init__(
        self, region: PairRegion, listed: FloatArray, noise: LaplaceNoise | NoNoise
    ) -> None:
        """Take the region, the listed values of its laws, and the noise."""
        self._region, self._listed, self._noise = region, listed, noise

    @cached_property
    def _epsilon(self) -> Enclosure:
        return epsilon_over_region(self._at_listed)

    @cached_property
    def _at_listed(self) -> SampledPair:
        """The noise at the listed values, as a map."""
        apart = np.abs(self._listed[:, None] - self._listed)
        if isinstance(self._noise, NoNoise):
            same = np.where(apart == 0.0, 1.0, 0.0)
            return SampledPair(self._region, same, same)
        near, scale = apart / self._noise.scale, 1.0 + _RELATIVE
        return SampledPair(
            self._region, np.exp(-near / scale) * scale, np.exp(-near * scale) / scale
        )

    def supremum(self) -> Enclosure:
        """The largest log-ratio of any laws of the region."""
        return self._epsilon

    def hockey_stick(self, epsilon: float) -> Enclosure:
        """The sum of the bounds of all cells; nothing is claimed from below."""
        if self._epsilon.upper <= epsilon:
            return Enclosure(0.0, 0.0)
        factor = factor_lower(epsilon)
        if isinstance(self._noise, NoNoise):
            pair = self._at_listed
            found = pair.excess(factor, pair.witnesses(factor))
            return Enclosure(0.0, min(math.fsum(np.maximum(found, 0.0)), 1.0))
        ends = self._of_ends(self._noise.scale)
        certain = math.fsum(np.maximum(ends.excess(factor, ends.witnesses(factor)), 0.0))
        starts, widths = self._cells(self._noise.scale)
        for _ in range(_ROUNDS):
            still_patient()
            found, root = self._excess(starts, widths, factor, self._noise.scale)
            open_ = (found < root) & (found >= -2.0 * root)
            certain += math.fsum(np.maximum(found[~open_ & (found > 0.0)], 0.0))
            left = math.fsum(root[open_])
            starts, widths = starts[open_], widths[open_]
            if left <= max(_LEFT * (certain + left), _LEAST) or not 0 < len(starts) <= _MOST_OPEN:
                break
            starts, widths = _cut(starts, widths)
        return Enclosure(0.0, min((certain + left) * (1.0 + 1e-12), 1.0))

    def _cells(self, scale: float) -> tuple[FloatArray, FloatArray]:
        """The starts and widths of cells between the first and the last listed value."""
        gaps = np.diff(self._listed)
        pieces = np.maximum(np.ceil(gaps / (_WIDTH * scale)), 1.0).astype(np.int64)
        widths = np.repeat(gaps / pieces, pieces)
        number = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        return np.repeat(self._listed[:-1], pieces) + number * widths, widths

    def _of_ends(self, scale: float) -> SampledPair:
        """Beyond the first and the last listed value: ½e^{−distance/b}."""
        ends = np.array([self._listed[0], self._listed[-1]])
        near = 0.5 * np.exp(-np.abs(ends[:, None] - self._listed) / scale)
        return SampledPair(
            self._region, near * (1.0 + 4.0 * _RELATIVE), near * (1.0 - 4.0 * _RELATIVE)
        )

    def _excess(
        self, starts: FloatArray, widths: FloatArray, factor: float, scale: float
    ) -> tuple[FloatArray, FloatArray]:
        """S and τ of cells."""
        # A listed value below the cell is nearest to its start, one above it to its end.
        below = self._listed[None, :] <= (starts + 0.5 * widths)[:, None]
        first = np.abs(starts[:, None] - self._listed)
        last = np.abs((starts + widths)[:, None] - self._listed)
        near = np.where(below, first, last) / scale
        likely = -0.5 * np.exp(-near) * np.expm1(-widths / scale)[:, None]
        # The start of a cell is rounded, which matters relative to its width.
        lost = _RELATIVE + 8.0 * UNIT * np.abs(self._listed).max() / scale
        lost = lost * (1.0 + scale / widths[:, None])
        pair = SampledPair(self._region, likely * (1.0 + lost), likely * (1.0 - lost))
        found = pair.excess(factor, pair.witnesses(factor))
        alone = pair.excess(0.0, pair.witnesses(0.0))
        relative = widths / scale
        return found, relative * np.exp(2.0 * relative) * alone * (1.0 + 1e-12)


def _cut(starts: FloatArray, widths: FloatArray) -> tuple[FloatArray, FloatArray]:
    parts = np.repeat(widths / _PIECES, _PIECES)
    return np.repeat(starts, _PIECES) + np.tile(np.arange(_PIECES), len(starts)) * parts, parts


def sampled_ratios(
    laws: PairOfLaws, region: SampleRegion, noise: Noise
) -> tuple[SampledRatio, SampledRatio]:
    """Both directions of a pair under Laplace noise.

    Raises:
        UnsupportedError: The noise is not Laplace noise, values may be missing, are not listed or
            not known exactly, or laws may be wrong by a share as well.
    """
    refuse_both(laws.belief, laws.wrong)
    if not isinstance(noise, LaplaceNoise | NoNoise):
        raise UnsupportedError(
            "a sampling region (confidence=, --sampling-confidence) is covered by Laplace noise "
            "and by recodings: use one of them."
        )
    if laws.missing_first or laws.missing_second:
        raise UnsupportedError(
            f"belief {laws.belief!r} states that values may be missing. Noise publishes a hole "
            "there, and how often that happens also depends on the sample: use a recoding "
            '(mechanism="recode", --mechanism recode), or leave out or fill rows without a value.'
        )
    if laws.radius:
        raise UnsupportedError(
            f"belief {laws.belief!r} was fitted to a table whose values were put into narrow bins, "
            "and a sampling region is about values as they were counted: use a recoding with "
            "public bins (edges=..., --edges)."
        )
    if not 0 < len(laws.listed) <= _MOST_LISTED:
        raise UnsupportedError(
            f"under noise, a sampling region is judged for columns of up to {_MOST_LISTED} "
            "different values, and this one has more: use a recoding with public bins and no floor "
            '(mechanism="recode", edges=..., floor=None; --mechanism recode --edges ... --floor '
            'none), or region="band" with public bounds (--region band --cap LOW:HIGH).'
        )
    rows = [_rows(law, laws.listed) for law in (laws.first, laws.second)]
    listed = np.array(laws.listed)
    forward, backward = (
        SampledRatio(region_of_pair(region, *both), listed, noise) for both in (rows, rows[::-1])
    )
    return forward, backward


def _rows(law: object, listed: tuple[float, ...]) -> tuple[int, ...]:
    if not isinstance(law, Discrete) or law.counts is None:
        raise UnsupportedError(
            "only laws that were counted have a sampling region: give Discrete laws with counts."
        )
    counts = dict(zip(law.values.tolist(), law.counts.tolist(), strict=True))
    return tuple(counts.get(each, 0) for each in listed)
