"""Exact discrete Gaussian noise: P(G = n) ∝ e^{−n²/(2s²)}, s = θ/γ.

It is drawn by rejection from discrete Laplace noise Y of rate 1/t, t = ⌊s⌋ + 1: Y is kept with
probability

    exp( −(|Y| − s²/t)²/(2s²) ),

about three times in four (Canonne, Kamath and Steinke, 2020). Whether a uniform U lies below that
is decided in floating point where its error cannot matter, and otherwise, about once in 2^39 draws,
in exact arithmetic with as many digits of U as necessary. So the law is exact. Proof:
docs/theory/sampling.md.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import require
from pufferfish.sampling.entropy import Entropy
from pufferfish.sampling.laplace import FINEST_RATE, Integers, discrete_laplace
from pufferfish.sampling.lookup import Cuts, exponential, reaches

__all__ = ["discrete_gaussian"]

# The relative distance of U and the probability from which floating point decides: 8,192 roundings,
# where its error is below 200.
_DOUBT = 2.0**-40
_UNIT = 2.0**-53
_DIGITS = 64


class _Acceptance(Cuts):
    """e^{−x} for a rational x > 0."""

    def __init__(self, exponent: Fraction) -> None:
        self._exponent = exponent

    def decimals(self) -> list[Decimal]:
        return [exponential(-self._exponent)]


def discrete_gaussian(count: int, std: Fraction, entropy: Entropy) -> Integers:
    """`count` independent draws of G, P(G = n) ∝ e^{−n²/(2·std²)}.

    Args:
        count: How many; memory is about 100 bytes for each.
        std: θ/γ, exactly; at least 1.
        entropy: Where the randomness comes from.
    """
    require(
        1 <= std < 1 / FINEST_RATE,
        "the grid must be no coarser than the std and no finer than 2^-45 of it.",
    )
    kept: list[Integers] = []
    missing = count
    while missing > 0:
        # A few more than needed, so that a second round is rare.
        proposals = discrete_laplace(int(1.4 * missing) + 32, Fraction(1, int(std) + 1), entropy)
        accepted = proposals[_accept(proposals, std, entropy)][:missing]
        kept.append(accepted)
        missing -= accepted.size
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)


def _accept(proposals: Integers, std: Fraction, entropy: Entropy) -> npt.NDArray[np.bool_]:
    centre = std**2 / (int(std) + 1)
    away = np.abs(proposals).astype(np.float64) - float(centre)
    probability = np.exp(-0.5 * (away / float(std)) ** 2)
    digits = entropy.words(proposals.size, np.uint64)
    uniform = (digits >> np.uint64(11)).astype(np.float64) * _UNIT
    below = uniform + _UNIT <= probability * (1.0 - _DOUBT)
    above = uniform > probability * (1.0 + _DOUBT)
    for place in np.flatnonzero(~(below | above)):
        exponent = (abs(int(proposals[place])) - centre) ** 2 / (2 * std**2)
        # A certain acceptance is not an irrational number, and needs no comparison.
        below[place] = exponent == 0 or not reaches(
            _Acceptance(exponent), 0, int(digits[place]), _DIGITS, entropy
        )
    return below
