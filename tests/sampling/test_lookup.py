"""Finite laws, drawn exactly: every threshold to its last digit."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, Rounded, localcontext

import mpmath
import numpy as np
import pytest

import pufferfish as pf
from pufferfish.sampling import Entropy
from pufferfish.sampling.lookup import Cuts, Lookup


class Scripted(Entropy):
    """Gives the 64-bit words it was told to, then fails."""

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    def read(self, count: int) -> bytes:
        taken = [self._words.pop(0) for _ in range(count // 8)]
        return b"".join(word.to_bytes(8, "little") for word in taken)

    @property
    def left(self) -> int:
        return len(self._words)


class Exponentials(Cuts):
    """1 − e^{−0.3}, 1 − e^{−0.6}, 1 − e^{−0.9}."""

    def decimals(self) -> list[Decimal]:
        return [1 - (Decimal(-3 * power) / 10).exp() for power in (1, 2, 3)]


def binary(power: int, bits: int) -> int:
    """⌊(1 − e^{−0.3·power})·2^bits⌋, in mpmath."""
    with mpmath.workprec(bits + 60):
        return int(mpmath.floor((1 - mpmath.exp(mpmath.mpf(-3 * power) / 10)) * 2**bits))


@pytest.mark.parametrize("bits", [1, 16, 80, 400])
def test_cuts_have_their_binary_digits(bits: int) -> None:
    assert Exponentials().binary(bits) == [binary(power, bits) for power in (1, 2, 3)]


@pytest.mark.parametrize("bits", [8, 16, 80])
def test_digits_that_the_precision_does_not_settle_are_computed_to_more(bits: int) -> None:
    """A cut so near to a multiple of 2^-bits that the first attempt cannot tell the side."""

    class Near(Cuts):
        def decimals(self) -> list[Decimal]:
            third = Decimal(3) / Decimal(2) ** bits
            return [third - Decimal(10) ** -200, third + Decimal(10) ** -200]

    assert Near().binary(bits) == [2, 3]


def test_the_decimal_context_of_the_caller_does_not_matter() -> None:
    with localcontext(Context(prec=3, traps=[Inexact, Rounded])):
        assert Exponentials().binary(80) == [binary(power, 80) for power in (1, 2, 3)]


def words(*given: int) -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
    return np.array(given, dtype=np.uint16)


def test_cells_without_a_cut_need_no_more_digits() -> None:
    lookup = Lookup(Exponentials(), 8)
    cells = [binary(power, 8) for power in (1, 2, 3)]
    plain = [word for word in range(256) if word not in cells]
    outcomes = lookup.draw(words(*plain), Scripted())
    expected = [sum(cell < word for cell in cells) for word in plain]
    assert outcomes.tolist() == expected


@pytest.mark.parametrize("power", [1, 2, 3])
def test_in_a_cell_with_a_cut_the_next_digits_decide(power: int) -> None:
    lookup = Lookup(Exponentials(), 8)
    cell = words(binary(power, 8))
    edge = binary(power, 72) % 2**64
    assert lookup.draw(cell, Scripted(edge - 1)).tolist() == [power - 1]
    assert lookup.draw(cell, Scripted(edge + 1)).tolist() == [power]
    assert lookup.draw(cell, Scripted(0)).tolist() == [power - 1]
    assert lookup.draw(cell, Scripted(2**64 - 1)).tolist() == [power]


@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_tie_draws_more_digits(power: int) -> None:
    lookup = Lookup(Exponentials(), 8)
    cell = words(binary(power, 8))
    first, second, third = (binary(power, 8 + 64 * more) % 2**64 for more in (1, 2, 3))
    for last, expected in ((second - 1, power - 1), (second + 1, power)):
        source = Scripted(first, last)
        assert lookup.draw(cell, source).tolist() == [expected]
        assert source.left == 0
    source = Scripted(first, second, third + 1)
    assert lookup.draw(cell, source).tolist() == [power]
    assert source.left == 0


def test_only_ties_draw_more() -> None:
    """Two cells with a cut, one of them a tie: three words, in this order."""
    lookup = Lookup(Exponentials(), 8)
    edge = binary(2, 72) % 2**64
    source = Scripted(edge, 0, 2**64 - 1)
    given = words(binary(2, 8), 0, binary(1, 8))
    # The cells take a word each; the tie of the first then takes the third word.
    assert lookup.draw(given, source).tolist() == [2, 0, 0]
    assert source.left == 0


def test_cuts_too_close_for_the_table_are_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="too close"):
        Lookup(Exponentials(), 2)
