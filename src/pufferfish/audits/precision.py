"""The attack on the last digits.

Floating-point numbers are denser near zero. Where noise is drawn and added in floating point, the
last binary digits that a sum can have depend on the value that was noised, so digits far below the
noise's size tell values apart that the noise should hide (Mironov 2012). Noise on a grid has the
same last digits whatever the value. A program may also write the value below the digits that were
noised, in binary or in decimal.

Two fixed inputs are published many times. Published values y are grouped by their binade
2^e ≤ |y| < 2^(e+1), and there by a feature of their last digits: the place of the lowest binary
digit that is set, or the fraction of y·10^j. Within a binade any law whose density is smooth over
such small steps gives each feature the same probability for both inputs. The first half of the
draws finds where it differs, and the second half tests that.

Results that mostly occur several times lie on a coarse grid, and their digits reveal nothing beyond
the place on it: then every value that a belief considers possible must have the same grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pufferfish.audits.bounds import Counts, probability_lower, probability_upper
from pufferfish.audits.result import AuditCheck
from pufferfish.audits.subject import Subject
from pufferfish.core.validation import FloatArray

__all__ = ["check_precision"]

_NAME = "the last digits do not tell values apart"
# Binary digits below 2^-20 of the spread; coarser ones may differ by the law of the noise itself.
_FINE = 20
# Decimal digits from a thousandth of the spread down, as far as a double has them.
_DECIMAL = 1e-3
_LAST_DIGIT = 1e-12
_BINS = 64
# Keeps numbers with few decimal digits away from the edge of a bin.
_OFFSET = 0.00371
# If fewer results than this occur only once, they are on a coarse grid.
_SINGLE = 0.2
_BINADES = 2200
_LOWEST = -1100
_FEATURES = 20
_FEWEST = 30


def check_precision(
    subject: Subject,
    inputs: tuple[tuple[float, float], ...],
    support: FloatArray,
    draws: int,
    alpha: float,
) -> AuditCheck:
    """Try to tell apart the two inputs of each pair by the digits of what is published.

    Args:
        subject: The code that publishes.
        inputs: Pairs of values to tell apart.
        support: Values that a belief considers possible, for results on a coarse grid.
        draws: The number of published values of each input.
        alpha: An alarm is false with at most this probability.
    """
    share = alpha / (2.0 * len(inputs))
    for pair in inputs:
        both = [_present(subject.noised(np.full(draws, value))) for value in pair]
        if any(each.size < _FEWEST or np.ptp(each) == 0.0 for each in both):
            return AuditCheck(
                name=_NAME,
                passed=None,
                detail="not tested: nothing is published, or there is no noise",
            )
        single = [_occurring_once(each) for each in both]
        if any(each.mean() < _SINGLE for each in single):
            if (leak := _other_grid(subject, support, draws)) is not None:
                return leak
            continue
        spread = max(float(np.subtract(*np.quantile(each, [0.75, 0.25]))) for each in both)
        kept = [each[once] for each, once in zip(both, single, strict=True)]
        for number, digits in enumerate(_features(kept, spread)):
            # Half for the binary digits, the rest for all decimal ones.
            part = 0.5 * share if number == 0 else 0.5 * share / _FEATURES
            if (leak := _leak(kept, digits, pair, part)) is not None:
                return leak
    return AuditCheck(
        name=_NAME,
        passed=True,
        detail=f"{len(inputs)} pairs of inputs, {draws:,} published values of each: digits far "
        "below the spread are alike, or follow from a coarser grid",
    )


def _present(results: FloatArray) -> FloatArray:
    return results[~np.isnan(results)]


def _occurring_once(results: FloatArray) -> npt.NDArray[np.bool_]:
    _, place, count = np.unique(results, return_inverse=True, return_counts=True)
    return np.asarray(count[place.reshape(-1)] == 1)


def _other_grid(subject: Subject, support: FloatArray, draws: int) -> AuditCheck | None:
    """Whether neighbouring values share no result, although the noise is wider than their gap."""
    values = np.unique(support)
    for one, other in pairwise(values):
        first, second = (_present(subject.noised(np.full(draws, each))) for each in (one, other))
        near = other - one <= np.subtract(*np.quantile(first, [0.75, 0.25]))
        if near and not np.isin(first, second).any():
            return AuditCheck(
                name=_NAME,
                passed=False,
                detail=(
                    f"none of {draws:,} results for the input {other:.10g} is ever published for "
                    f"{one:.10g}: the noise is on a grid, but the values are not on the same grid"
                ),
            )
    return None


def _features(both: list[FloatArray], spread: float) -> Iterator[list[Counts]]:
    """For both columns, numbers from 0 to 63 that depend on the last digits; 0 is not tested."""
    finest = math.frexp(spread)[1] - _FINE
    yield [_lowest_digit(each, finest) for each in both]
    largest = max(float(np.abs(each).max()) for each in both)
    place = 10.0 ** math.floor(math.log10(_DECIMAL * spread))
    for _ in range(_FEATURES):
        if place < _LAST_DIGIT * largest:
            return
        yield [
            1 + (((each / place + _OFFSET) % 1.0) * (_BINS - 1)).astype(np.int64) for each in both
        ]
        place /= 10.0


def _lowest_digit(results: FloatArray, finest: int) -> Counts:
    """For y = odd·2^k, how far k is below `finest`."""
    mantissa, exponent = np.frexp(results)
    digits = np.abs(mantissa * 2.0**53).astype(np.int64)
    trailing = np.log2(np.maximum(digits & -digits, 1).astype(np.float64)).astype(np.int64)
    return np.asarray(np.clip(finest - (exponent - 53 + trailing), 0, _BINS - 1))


def _leak(
    both: list[FloatArray], digits: list[Counts], pair: tuple[float, float], alpha: float
) -> AuditCheck | None:
    """Find digits that differ in the first half of both columns, and test them with the second."""
    tables = [
        [
            _table(results[half], feature[half])
            for half in (slice(None, results.size // 2), slice(results.size // 2, None))
        ]
        for results, feature in zip(both, digits, strict=True)
    ]
    for one, other in ((0, 1), (1, 0)):
        found = _most_telling(tables[one][0], tables[other][0])
        if found is None:
            continue
        binade, chosen = found
        counts = [tables[each][1][binade] for each in (one, other)]
        hits = [int(each[chosen].sum()) for each in counts]
        totals = [int(each.sum()) for each in counts]
        lower = float(probability_lower(hits[0], max(totals[0], 1), alpha / 2.0))
        upper = float(probability_upper(hits[1], max(totals[1], 1), alpha / 2.0))
        if lower > upper:
            return _caught(pair[one], pair[other], binade // 2 + _LOWEST, hits, totals)
    return None


def _table(results: FloatArray, digits: Counts) -> Counts:
    """Counts by binade and digits."""
    exponent = np.frexp(results)[1]
    # Numbers with a given count of significant digits have finer ones below a power of ten, which
    # may lie within a binade: both sides of it are tested separately.
    decade = np.floor(np.log10(np.maximum(np.abs(results), 1e-300)))
    above = decade > np.floor((exponent - 1) * math.log10(2.0))
    table = np.zeros((2 * _BINADES, _BINS), dtype=np.int64)
    np.add.at(table, (2 * (exponent - _LOWEST) + above, digits), 1)
    return table


def _most_telling(first: Counts, second: Counts) -> tuple[int, Counts] | None:
    """The binade and the digits that the first input has more often, by a crude score."""
    totals = first.sum(axis=1), second.sum(axis=1)
    best: tuple[float, int, Counts] | None = None
    for binade in np.flatnonzero((totals[0] >= _FEWEST) & (totals[1] >= _FEWEST)):
        rates = [
            each[binade] / total[binade]
            for each, total in zip((first, second), totals, strict=True)
        ]
        digits = np.flatnonzero((rates[0] > rates[1]) & (np.arange(_BINS) > 0))
        if not digits.size:
            continue
        one, other = (float(each[digits].sum()) for each in rates)
        middle = 0.5 * (one + other)
        error = math.sqrt(middle * (1.0 - middle) * sum(1.0 / each[binade] for each in totals))
        score = (one - other) / error if error > 0.0 else math.inf
        if best is None or score > best[0]:
            best = score, int(binade), digits
    return None if best is None else best[1:]


def _caught(
    first: float, second: float, exponent: int, hits: list[int], totals: list[int]
) -> AuditCheck:
    return AuditCheck(
        name=_NAME,
        passed=False,
        detail=(
            f"among published values between 2^{exponent - 1} and 2^{exponent} in size, "
            f"{hits[0]:,} of {totals[0]:,} values from the input {first:g} have last digits that "
            f"{hits[1]:,} of {totals[1]:,} from the input {second:g} have: the digits reveal "
            "which input it was, however large the noise is"
        ),
    )
