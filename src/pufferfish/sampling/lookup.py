"""Exact draws from a finite law: a table for most draws, more random bytes at its edges.

Let 0 < c_1 < c_2 < … < 1 be the cumulative probabilities of the outcomes and U = 0.u₁u₂u₃… uniform,
with endless binary digits. The outcome is the number of cuts c_j ≤ U. The first digits of U select
a cell of a table. A cell without a cut has one outcome; in a cell with a cut further digits of U
are compared with those of c_j, 64 at a time, until they differ. So every probability is exact: no
threshold is ever rounded.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import UnsupportedError
from pufferfish.sampling.entropy import Entropy

__all__ = ["Cuts", "Lookup", "exponential", "reaches"]

_Words = npt.NDArray[np.uint16]
_Outcomes = npt.NDArray[np.uint16]
# Set in a cell that has a cut; outcomes are below it.
_SPLIT = 2**15
_DIGITS = 64


class Cuts(ABC):
    """Irrational cuts c_1 < c_2 < …, to any number of binary digits."""

    @abstractmethod
    def decimals(self) -> list[Decimal]:
        """All cuts in the current decimal context; correct except for its last twenty digits."""

    def binary(self, bits: int) -> list[int]:
        """⌊c_j·2^bits⌋ for all cuts, with certainty."""
        digits = 40 + math.ceil(bits * math.log10(2.0))
        while True:
            # A separate context: the caller's may trap rounding, which is intended here.
            with localcontext(Context(prec=digits)):
                error = Decimal(10) ** (20 - digits)
                unit = Decimal(2) ** bits
                cuts = self.decimals()
                low = [int((cut - error) * unit) for cut in cuts]
                high = [int((cut + error) * unit) for cut in cuts]
            if low == high:
                return low
            digits *= 2


def exponential(exponent: Fraction) -> Decimal:
    """e to a rational power, in the current decimal context."""
    return (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()


def reaches(cuts: Cuts, index: int, digits: int, bits: int, entropy: Entropy) -> bool:
    """Whether U ≥ c, of which the first `bits` binary digits are `digits`; draws more on a tie."""
    while (edge := cuts.binary(bits)[index]) == digits:
        bits += _DIGITS
        digits = (digits << _DIGITS) | int(entropy.words(1, np.uint64)[0])
    return digits > edge


class Lookup:
    """Exact draws from the law with these cuts."""

    def __init__(self, cuts: Cuts, bits: int) -> None:
        """Make the table of 2^bits cells; refuse cuts so close that two share a cell."""
        self._cuts = cuts
        self._bits = bits
        self._fine = fine = cuts.binary(bits + _DIGITS)
        cells = [cut >> _DIGITS for cut in fine]
        if len(set(cells)) < len(cells):
            raise UnsupportedError("two outcomes of a law are too close for its table.")
        self._edges = np.array([cut & (2**_DIGITS - 1) for cut in fine], dtype=np.uint64)
        # The cell of cut j has outcome j below the cut and j + 1 from it on.
        table = np.searchsorted(np.array(cells), np.arange(2**bits)).astype(np.uint16)
        table[cells] |= _SPLIT
        self._table = table

    def draw(self, words: _Words, entropy: Entropy) -> _Outcomes:
        """One outcome for each word: the first digits of its U, uniform below 2^bits."""
        outcomes = np.take(self._table, words, mode="clip")
        split = np.flatnonzero(outcomes >= _SPLIT)
        if split.size:
            outcomes[split] = self._settle(outcomes[split] - _SPLIT, entropy)
        return outcomes

    def _settle(self, below: _Outcomes, entropy: Entropy) -> _Outcomes:
        """Outcomes in cells with a cut, by the next digits of U."""
        digits = entropy.words(below.size, np.uint64)
        edges = self._edges[below]
        outcomes = below + (digits > edges)
        for place in np.flatnonzero(digits == edges):
            cut = int(below[place])
            outcomes[place] += reaches(
                self._cuts, cut, self._fine[cut], self._bits + _DIGITS, entropy
            )
        return outcomes.astype(np.uint16)
