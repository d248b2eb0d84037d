"""Exact discrete Laplace noise: P(G = n) ∝ e^{−|n|·r}, r = γ/b, in integers throughout.

The magnitude is a geometric variable, P(M = n) ∝ e^{−nr}. Its binary digits are independent, so it
is composed of blocks of digits, each drawn from a table with exact thresholds:

    M = m_0 + 2^8·m_1 + 2^16·m_2 + … + 2^K·h,   P(m_i = j) ∝ e^{−j·2^{8i}·r} for 0 ≤ j < 2^8,

and h, the digits from the K-th on, is geometric itself: P(h ≥ j) = e^{−j·T}, T = 2^K·r. It is drawn
by memorylessness: h = j with its own probability for j < 8, else 8 plus a new draw. Then a fair
sign is drawn, and "minus zero" is drawn again: otherwise zero would be twice as likely as it should
be.
Proof: docs/theory/sampling.md.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import require
from pufferfish.sampling.entropy import Entropy
from pufferfish.sampling.lookup import Cuts, Lookup, exponential

__all__ = ["FINEST_RATE", "Integers", "discrete_laplace"]

Integers = npt.NDArray[np.int64]

# The digits of a block, and up to which value the leading part is drawn at a time.
_BLOCK = 8
_LEAD = 8
# The random digits that select a cell; the last digit of the leading word is the sign.
_WORD_BITS = 16
_LEAD_BITS = 15
_MINUS_ZERO = np.iinfo(np.int64).min
# With finer noise, a double has no digits left for the value to which it is added.
FINEST_RATE = Fraction(1, 2**45)


class _Block(Cuts):
    """c_j = (1 − e^{−jt})/(1 − e^{−2^w t}): w digits of a geometric variable of rate t."""

    def __init__(self, rate: Fraction, width: int) -> None:
        self._rate, self._width = rate, width

    def decimals(self) -> list[Decimal]:
        ratio = exponential(-self._rate)
        whole = 1 - ratio ** (2**self._width)
        powers = [ratio]
        for _ in range(2**self._width - 2):
            powers.append(powers[-1] * ratio)
        return [(1 - power) / whole for power in powers]


class _Lead(Cuts):
    """c_j = 1 − e^{−jT}: a geometric variable up to its eighth value, "eight or more" the last."""

    def __init__(self, rate: Fraction) -> None:
        self._rate = rate

    def decimals(self) -> list[Decimal]:
        ratio = exponential(-self._rate)
        return [1 - ratio**power for power in range(1, _LEAD + 1)]


class _Tables(NamedTuple):
    """One table for each block of digits, lowest first, and one for the leading digits."""

    blocks: tuple[Lookup, ...]
    lead: Lookup
    digits: int


@lru_cache(maxsize=8)
def _tables(rate: Fraction) -> _Tables:
    # T = 2^K·r then lies between 1/2 and 1: "eight or more" is rare, and no two cuts are close.
    digits = (rate.denominator // rate.numerator).bit_length() - 1
    widths = [min(_BLOCK, digits - start) for start in range(0, digits, _BLOCK)]
    blocks = tuple(
        Lookup(_Block(rate * 2 ** (_BLOCK * place), width), _WORD_BITS)
        for place, width in enumerate(widths)
    )
    return _Tables(blocks, Lookup(_Lead(rate * 2**digits), _LEAD_BITS), digits)


def discrete_laplace(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """`count` independent draws of G, P(G = n) ∝ e^{−|n|·rate}.

    Args:
        count: How many; memory is about 50 bytes for each.
        rate: γ/b, exactly; at most 1 and at least `FINEST_RATE`.
        entropy: Where the randomness comes from.
    """
    require(
        FINEST_RATE <= rate <= 1,
        "the grid must be no coarser than the scale and no finer than 2^-45 of it.",
    )
    tables = _tables(rate)
    noise = _with_sign(count, tables, entropy)
    while (again := np.flatnonzero(noise == _MINUS_ZERO)).size:
        noise[again] = _with_sign(again.size, tables, entropy)
    return noise


def _with_sign(count: int, tables: _Tables, entropy: Entropy) -> Integers:
    """Magnitudes with a fair sign; "minus zero" is marked."""
    words = entropy.words(count, np.uint16)
    noise = _draw_lead(words >> np.uint16(1), tables.lead, entropy) << tables.digits
    shift = 0
    for block in tables.blocks:
        outcomes = block.draw(entropy.words(count, np.uint16), entropy)
        noise |= outcomes.astype(np.int64) << shift
        shift += _BLOCK
    negative = (words & 1).astype(np.int64)
    # (n ^ −1) + 1 = −n without a branch, and then zero with the sign set is marked.
    noise = (noise ^ -negative) + negative
    noise[(noise == 0) & (negative == 1)] = _MINUS_ZERO
    return noise


def _draw_lead(words: npt.NDArray[np.uint16], lead: Lookup, entropy: Entropy) -> Integers:
    """The leading digits: at each "eight or more", eight are kept and the rest is drawn again."""
    total = lead.draw(words, entropy).astype(np.int64)
    more = np.flatnonzero(total == _LEAD)
    while more.size:
        drawn = lead.draw(entropy.words(more.size, np.uint16) >> np.uint16(1), entropy)
        total[more] += drawn
        more = more[drawn == _LEAD]
    return total
