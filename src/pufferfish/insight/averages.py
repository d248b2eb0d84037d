"""Whether an average of the published values estimates that of the true values."""

from __future__ import annotations

from collections.abc import Sequence

from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo
from pufferfish.noise import Noise
from pufferfish.words.phrases import rounded_to_multiples

__all__ = ["averages_lost", "rounding_step"]


def averages_lost(noise: Noise, steps: Sequence[Postprocess]) -> str | None:
    """Why an average of the published values does not estimate the true one; None if it does.

    Clipping moves values by the distance that they lay beyond a bound. Rounding to a step r moves a
    mean by at most r/2. Where b or θ is at least r, it moves by less than r/100, because the noise
    makes rounding errors nearly uniform: |E round(Y) − E Y| ≤ (r/π)·Σ_k φ_N(2πk/r)/k.
    """
    for each in steps:
        if isinstance(each, Clip):
            return (
                f"values beyond {each.low:g} or {each.high:g}, noise included, were moved to that "
                "bound, and how far beyond they lay is lost"
            )
    step = rounding_step(steps)
    if step > noise.size:
        return (
            f"values were {rounded_to_multiples(step)}, more than the size of the noise, which "
            f"may move an average by up to {0.5 * step:g}"
        )
    return None


def rounding_step(steps: Sequence[Postprocess]) -> float:
    """The largest step that values were rounded to; 0 where they were not."""
    return max((each.step for each in steps if isinstance(each, RoundTo)), default=0.0)
