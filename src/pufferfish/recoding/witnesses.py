"""What laws of a sampling region can be told apart by, for sure: a bound with witnesses.

Let n and m rows be seen of two secrets, p̂ and q̂ their frequencies, and t the radius of the region
n·KL(p̂‖p) + m·KL(q̂‖q) ≤ t. For columns w, v ≥ 0, any λ ≥ max w and any λ' ≥ −min v,

    p·w − q·v ≤ λ + λ' − (n + m)·exp(S/(n + m)),
    S = Σ_x c(x)·log(λ − w(x)) + Σ_x d(x)·log(λ' + v(x)) − n·log n − m·log m − t,

with counts c and d (docs/theory/sampling-error.md). Everything here is a whole number or a
fraction, but logarithms and one exponential, in decimals that are rounded to the private side. So
whatever the witnesses λ and λ' are, the bound holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from pufferfish.core.validation import require

__all__ = ["excess_upper"]

# Digits that are carried; each operation is right to one unit of the last.
_DIGITS = 50
_EXACT = Context(prec=_DIGITS, Emin=-999_999, Emax=999_999)
# What thousands of logarithms may be off by together, for each row that was seen, with much room.
_LOST = Decimal(10) ** -36


def excess_upper(
    counts: tuple[Sequence[int], Sequence[int]],
    columns: tuple[Sequence[Fraction], Sequence[Fraction]],
    witnesses: tuple[Fraction, Fraction],
    radius: float,
) -> Fraction:
    """At least p·w − q·v, for every two laws of the region.

    Args:
        counts: c and d.
        columns: w and v.
        witnesses: λ and λ'.
        radius: t.
    """
    (first, second), (w, v), (above, below) = counts, columns, witnesses
    most = max(w)
    if not most:
        # Nothing is published under the first law.
        return Fraction(0)
    require(above >= most and below >= -min(v), "witnesses must lie beyond all values.")
    rows = sum(first), sum(second)
    parts = [above - each for each in w], [below + each for each in v]
    if any(_meets_zero(each, part) for each, part in zip(counts, parts, strict=True)):
        return above + below
    size = sum(rows)
    whole = [Fraction(each) for each in rows]
    total = _EXACT.add(_weigh(first, parts[0]), _weigh(second, parts[1]))
    total = _EXACT.subtract(_EXACT.subtract(total, _weigh(rows, whole)), Decimal(radius))
    mean = _EXACT.subtract(_EXACT.divide(total, Decimal(size)), _LOST)
    return above + below - size * Fraction(_EXACT.exp(mean)) * (1 - Fraction(_LOST))


def _meets_zero(counts: Sequence[int], parts: Sequence[Fraction]) -> bool:
    """Whether a logarithm that counts is that of 0: e^S is 0 then."""
    return any(count and not part for count, part in zip(counts, parts, strict=True))


def _weigh(counts: Sequence[int], parts: Sequence[Fraction]) -> Decimal:
    """Σ count·log(part), over what was counted."""
    total = Decimal(0)
    for count, part in zip(counts, parts, strict=True):
        if count:
            ratio = _EXACT.divide(Decimal(part.numerator), Decimal(part.denominator))
            total = _EXACT.add(total, _EXACT.multiply(Decimal(count), _EXACT.ln(ratio)))
    return total
