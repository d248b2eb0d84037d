"""Whether an average of the published values is one of the true values."""

from __future__ import annotations

from collections.abc import Sequence

from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo
from pufferfish.noise import Noise
from pufferfish.words.phrases import rounded_to_multiples

__all__ = ["averages_lost", "rounding_step"]


def averages_lost(noise: Noise, steps: Sequence[Postprocess]) -> str | None:
    """Why an average of the published values is not one of the true values; None where it is.

    Clipping moves values by as much as they lay beyond a bound. Rounding to a step r moves a mean
    by r/2 at most. Where b or θ is at least r, it is less than r/100, for the noise spreads evenly
    what is rounded: |E round(Y) − E Y| ≤ (r/π)·Σ_k φ_N(2πk/r)/k.
    """
    for each in steps:
        if isinstance(each, Clip):
            return (
                f"what was beyond {each.low:g} or {each.high:g}, noise included, was moved to "
                "that bound, and how far it lay beyond cannot be seen any more"
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
