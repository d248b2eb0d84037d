"""A pair of laws, each with a band around its distribution function, in both directions."""

from __future__ import annotations

from pufferfish.beliefs.region import SampleRegion, refuse_both
from pufferfish.beliefs.scenario import PairOfLaws
from pufferfish.core.errors import UnsupportedError
from pufferfish.exact.band_laws import Band, BandTables
from pufferfish.exact.capped import capped_table
from pufferfish.exact.wrong_pair import stated_range
from pufferfish.noise import LaplaceNoise, Noise, TableOutput

__all__ = ["band_ratios"]


def band_ratios(
    laws: PairOfLaws, region: SampleRegion, noise: Noise
) -> tuple[BandTables, BandTables]:
    """Both directions of a pair under Laplace noise, for all laws inside two bands.

    Smooth laws become tables in narrow cells: the distance that values move, and the rounding of
    the masses, widen the intervals of the shares. A radius of the belief is left to the caller.

    Args:
        laws: The laws in the centres, on a stated range.
        region: The half-widths of the bands.
        noise: Laplace noise.

    Raises:
        UnsupportedError: The noise is not Laplace noise, no range is stated, values may be missing,
            or laws may also be wrong in total variation.
    """
    if not isinstance(noise, LaplaceNoise):
        raise UnsupportedError(
            'a band around a distribution function (region="band", --region band) needs Laplace '
            'noise: use mechanism="laplace" (--mechanism laplace).'
        )
    cap, widths = stated_range(laws), dict(region.widths)
    half_widths = widths[laws.pair.first], widths[laws.pair.second]
    refuse_both(laws.belief, laws.wrong)
    bands = [
        Band(TableOutput(made.table, noise), half_width, made.error, made.radius)
        for made, half_width in zip(
            (capped_table(law, cap) for law in (laws.first, laws.second)), half_widths, strict=True
        )
    ]
    return BandTables(bands[0], bands[1], cap), BandTables(bands[1], bands[0], cap)
