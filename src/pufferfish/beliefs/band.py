"""How far the distribution function of a population may be from that of a sample of it.

Let D⁺ be the largest amount by which the distribution function of n independent rows lies above the
true one, D⁻ below, and D the larger of the two. For continuous laws (Birnbaum and Tingey)

    P(D⁺ > d) = d·Σ_{j ≤ n(1−d)} C(n, j)·(d + j/n)^{j−1}·(1 − d − j/n)^{n−j},

and P(D⁻ > d) is the same. So P(D > d) ≤ 2·P(D⁺ > d), short of equality by the chance that both are
large: 2e^{−8nd²}, about, which is less than 1e-6 at a level of 5%. For laws with atoms D is at most
what it is for the uniform law from which they are made. By Massart P(D > d) ≤ 2e^{−2nd²} for every
d and law, which costs 1/(6n) of width, about. Proofs: docs/theory/sampling-error.md.
"""

from __future__ import annotations

import math

from scipy.special import smirnovi

from pufferfish.core.validation import require

__all__ = ["band_width"]

# Beyond this the exact sum takes long, and at a level of 5% saves less than 0.2% of the width.
_MOST_ROWS = 5_000
# Far above the relative error of either formula: tests compare with fractions.
_UP = 1.0 + 1e-9


def band_width(rows: int, error: float) -> float:
    """The half-width of a band around a sample's distribution function, rounded up.

    With probability at least 1 − `error` the distribution function of the population is nowhere
    farther than this from that of the sample.

    Args:
        rows: How many independent rows the sample has.
        error: How often the band may miss, between 0 and 1; several bands share it.
    """
    require(
        isinstance(rows, int) and not isinstance(rows, bool) and rows >= 1,
        f"rows must be a whole number of at least 1, got {rows!r}.",
    )
    require(0.0 < error < 1.0, f"error must be a share between 0 and 1, got {error!r}.")
    if rows <= _MOST_ROWS:
        return min(float(smirnovi(rows, 0.5 * error)) * _UP, 1.0)
    return min(math.sqrt(math.log(2.0 / error) / (2.0 * rows)) * _UP, 1.0)
