"""How far the distribution function of a population may be from that of a sample of it.

Let D⁺ be the largest amount by which the distribution function of n independent rows lies above the
true one, D⁻ below, and D the larger of the two. For continuous laws (Birnbaum and Tingey)

    P(D⁺ > d) = d·Σ_{j ≤ n(1−d)} C(n, j)·(d + j/n)^{j−1}·(1 − d − j/n)^{n−j},

and P(D⁻ > d) is the same. So P(D > d) ≤ 2·P(D⁺ > d). The two sides differ by the probability that
both are large, about 2e^{−8nd²}, which is less than 1e-6 at a level of 5%. For a law with atoms, D
is at most the D of the uniform law from which it is made. By Massart's inequality
P(D > d) ≤ 2e^{−2nd²} for every d and law, which costs about 1/(6n) of width. Proofs:
docs/theory/sampling-error.md.
"""

from __future__ import annotations

import math

from scipy.special import smirnovi

from pufferfish.core.validation import require

__all__ = ["band_width"]

# With more rows the exact sum takes long, and at a level of 5% it saves less than 0.2% of the
# width.
_MOST_ROWS = 5_000
# Far above the relative error of either formula; tests compare with exact fractions.
_UP = 1.0 + 1e-9


def band_width(rows: int, error: float) -> float:
    """The half-width of a band around a sample's distribution function, rounded up.

    With probability at least 1 − `error` the distribution function of the population is nowhere
    farther than this from that of the sample.

    Args:
        rows: How many independent rows the sample has.
        error: The probability, between 0 and 1, with which the band may miss; several bands share
            it.
    """
    require(
        isinstance(rows, int) and not isinstance(rows, bool) and rows >= 1,
        f"rows must be a whole number of at least 1, got {rows!r}.",
    )
    require(0.0 < error < 1.0, f"error must be a share between 0 and 1, got {error!r}.")
    if rows <= _MOST_ROWS:
        return min(float(smirnovi(rows, 0.5 * error)) * _UP, 1.0)
    return min(math.sqrt(math.log(2.0 / error) / (2.0 * rows)) * _UP, 1.0)
