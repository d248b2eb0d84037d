"""Is the noise the one that was certified?

By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart the distribution function of n draws
is nowhere farther than √(log(2/α)/(2n)) from that of their law, except with probability α. This is
not an attack on a secret; it detects wrong noise of any kind, also where no event would reveal it
yet.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.audits.result import AuditCheck
from pufferfish.audits.subject import Subject

__all__ = ["check_law"]

_NAME = "the noise follows the law that was certified"


def check_law(subject: Subject, value: float, draws: int, alpha: float) -> AuditCheck:
    """Compare draws of the noise with its law."""
    noise = subject.noise
    if noise is None or noise.grid is None:
        raise TypeError("only a law on a grid can be compared with what is drawn.")
    centre = np.rint(value / noise.grid) * noise.grid
    drawn = np.sort(subject.noised(np.full(draws, centre)) - centre)
    claimed = noise.cdf(drawn)
    ranks = np.arange(draws + 1) / draws
    # At a point that was drawn, the empirical function jumps from ranks[:-1] to ranks[1:].
    apart = np.maximum(np.abs(ranks[1:] - claimed), np.abs(ranks[:-1] - claimed))
    worst = int(apart.argmax())
    # The law on the grid is this far from the continuous one, at most.
    allowed = math.sqrt(math.log(2.0 / alpha) / (2.0 * draws)) + 2.0 * noise.grid / noise.std
    seen = np.searchsorted(drawn, drawn[worst], side="right") / draws
    return AuditCheck(
        name=_NAME,
        passed=bool(apart[worst] <= allowed),
        detail=f"at most {drawn[worst]:.4g} in {seen:.3%} of {draws:,} draws, "
        f"{claimed[worst]:.3%} by the law; chance moves that by at most "
        f"{allowed:.3%}",
    )
