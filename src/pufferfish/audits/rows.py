"""Attacks by repetition: the same value in every row, and the same column many times.

With one value in all rows, rows that are noised alike and independently cannot be told apart. A row
that always stays close to its value was not noised; a block of rows, or every second one, that does
so more often than others has less noise; rows or runs with related noise share it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, gammainc, ndtri

from pufferfish.audits.draws import Generator
from pufferfish.audits.result import AuditCheck
from pufferfish.audits.subject import Subject
from pufferfish.core.validation import FloatArray
from pufferfish.words.numbers import percent

__all__ = ["AVERAGE", "check_repeats", "check_rows"]

RUNS = 48
_EVERY_ROW = "every row is noised"
AVERAGE = "the average of many runs"
# With an even number of rows the last wave is not exponential: by default the number is odd.
# Normal approximations get this much slack beyond their own bound.
_MARGIN = 1.15
# Distinct errors next to zero that show how often one value is hit by chance.
_NEIGHBOURS = 1000
_ODD = 0.3819660112501051


class _Said(NamedTuple):
    """The names of checks, and what rows have."""

    alike: str
    fresh: str
    what: str


_NOISE = _Said(
    "all rows have the same noise", "every row of every run has noise of its own", "noise"
)
_DRAWS = _Said("all rows are drawn alike", "every row of every run is drawn afresh", "draws")


def check_repeats(
    subject: Subject,
    value: float,
    likely: FloatArray,
    rows: int,
    alpha: float,
    source: Generator,
) -> tuple[AuditCheck, ...]:
    """For a recoding: are all rows drawn alike, and afresh? That some values stay means nothing.

    Args:
        subject: What publishes.
        value: The value in every row.
        likely: A set of outputs that is hit neither nearly always nor rarely.
        rows: The rows of each run.
        alpha: An alarm is false with at most this probability.
        source: Breaks ties.
    """
    errors = np.stack([subject.publish(np.full(rows, value)) for _ in range(RUNS)]) - value
    holes = np.isnan(errors)
    average = () if holes.any() else (_average(errors),)
    other = np.where(np.isin(errors, likely - value), 0.0, 1.0)
    # A missing value is one more output, farther away than all others.
    far = 1.0 + float(np.abs(errors[~holes]).max(initial=0.0))
    errors = np.where(holes, far, errors)
    return (
        _alike(other, 0.5 * alpha, _DRAWS),
        _fresh(errors[:2], 0.5 * alpha, source, _DRAWS),
        *average,
    )


def check_rows(
    subject: Subject, value: float, other: float, rows: int, alpha: float, source: Generator
) -> tuple[AuditCheck, ...]:
    """Publish a column of one value many times, and test every row and every run."""
    column = np.full(rows, value)
    published = np.stack([subject.noised(column) for _ in range(RUNS)])
    # Rows with missing values are left out; every run keeps the same number of values.
    whole = ~np.isnan(published).any(axis=0)
    if np.count_nonzero(whole) < 2:
        return _note("not tested: most rows are published as missing")
    published = published[:, whole]
    if np.ptp(published) == 0.0 and published[0, 0] == subject.noised(np.full(1, other))[0]:
        return _note(f"{published[0, 0]:g} is published, whatever the value")
    errors = published - value
    share = alpha / 4.0

    def elsewhere() -> FloatArray:
        # A value to which nothing is rounded or clipped.
        odd = value + _ODD * (other - value)
        errors = np.stack([subject.noised(np.full(rows, odd)) for _ in range(RUNS)]) - odd
        return np.asarray(errors[:, whole])

    return (
        _every_row(errors, elsewhere, share),
        _alike(errors, share, _NOISE),
        _fresh(errors[:2], share, source, _NOISE),
        _average(errors),
    )


def _note(detail: str) -> tuple[AuditCheck]:
    return (AuditCheck(name=_EVERY_ROW, passed=None, detail=detail),)


def _small(errors: FloatArray) -> tuple[npt.NDArray[np.bool_], float, float]:
    """Which errors are in the lowest quarter, how large they are, and how often they occur.

    Where results are rounded, these are the results that equal the value. Their frequency is known
    up to chance; six standard errors are added.
    """
    size = np.abs(errors)
    limit = float(np.quantile(size, 0.25))
    small = size <= limit
    rate = float(small.mean())
    return small, limit, min(rate + 6.0 * math.sqrt(rate * (1.0 - rate) / small.size), 1.0)


def _every_row(errors: FloatArray, elsewhere: Callable[[], FloatArray], alpha: float) -> AuditCheck:
    """Check that in each row the error is small in about as many runs as in all rows together."""
    runs, rows = errors.shape
    if not errors.any():
        return AuditCheck(name=_EVERY_ROW, passed=False, detail="values are published as they are")
    small, limit, rate = _small(errors)
    often = small.sum(axis=0)
    chance = rows * float(bdtrc(int(often.max()) - 1, runs, rate))
    row = int(often.argmax())
    if chance < alpha / 2.0:
        kept = int((errors[:, row] == 0.0).sum())
        return AuditCheck(
            name=_EVERY_ROW,
            passed=False,
            detail=f"row {row + 1} of {rows:,} is within {limit:.3g} of its value in "
            f"{int(often[row])} of {runs} runs (exactly so in {kept}); other rows in "
            f"{percent(float(small.mean()), 3)}",
        )
    # Results may equal a value because they are clipped or rounded to it, but then not at another
    # one.
    if _exact(errors, alpha / 2.0) and (kept := _exact(elsewhere(), alpha / 2.0)):
        return AuditCheck(
            name=_EVERY_ROW,
            passed=False,
            detail=(
                f"{kept:,} of {errors.size:,} published values equal the true one, although "
                "chance explains only a few: some rows get no noise, and not always the same ones"
            ),
        )
    if rows * rate**runs >= alpha / 2.0:
        return AuditCheck(
            name=_EVERY_ROW,
            passed=None,
            detail="not decided: too many published values equal the true one",
        )
    return AuditCheck(
        name=_EVERY_ROW,
        passed=True,
        detail=f"{rows:,} rows, {runs} runs; no row stays closer to its value than others",
    )


def _exact(errors: FloatArray, alpha: float) -> int:
    """The number of errors that are exactly 0, if chance does not explain it; else 0."""
    kept = int(np.count_nonzero(errors == 0.0))
    beside = np.unique(np.abs(errors[errors != 0.0]), return_counts=True)[1][:_NEIGHBOURS]
    # Whatever is seen is seen at least once, so this overestimates hits by chance.
    expected = 2.0 * float(beside.mean())
    # On a coarse grid 0 is the likeliest error, so nothing follows.
    if expected > 10.0 or float(gammainc(max(kept, 1), expected)) >= alpha:
        return 0
    return kept


def _alike(errors: FloatArray, alpha: float, said: _Said) -> AuditCheck:
    """Check that small errors are as frequent in every block and every periodic set of rows."""
    runs, rows = errors.shape
    small, _, _ = _small(errors)
    often = small.sum(axis=0) - runs * float(small.mean())
    variance = runs * float(small.mean()) * (1.0 - float(small.mean()))
    if variance == 0.0:
        return AuditCheck(name=said.alike, passed=None, detail="not decided: all errors are equal")
    bound = -float(ndtri(alpha / (8.0 * rows))) * _MARGIN
    for start, stop in _stretches(rows):
        excess = float(often[start:stop].sum()) / math.sqrt(variance * (stop - start))
        if abs(excess) > bound:
            return _unlike(f"rows {start + 1} to {stop}", excess, bound, said)
    waves = np.abs(np.fft.rfft(often)) ** 2 / (variance * rows)
    limit = math.log(2.0 * rows / alpha) * _MARGIN
    wave = int(waves[1:].argmax()) + 1 if waves.size > 1 else 0
    if wave and waves[wave] > limit:
        return _unlike(
            f"rows that repeat every {rows / wave:.3g}",
            math.sqrt(waves[wave]),
            math.sqrt(limit),
            said,
        )
    return AuditCheck(
        name=said.alike,
        passed=True,
        detail=(
            f"no block of the {rows:,} rows, and no repeating pattern, has smaller or larger "
            "errors than the rest"
        ),
    )


def _stretches(rows: int) -> Iterator[tuple[int, int]]:
    """The blocks of rows: halves, quarters, eighths, ..., down to 16 rows."""
    width = 2 ** max((rows - 1).bit_length() - 1, 0)
    while width >= 16:
        for start in range(0, rows - width + 1, width):
            yield start, start + width
        width //= 2


def _unlike(which: str, found: float, bound: float, said: _Said) -> AuditCheck:
    return AuditCheck(
        name=said.alike,
        passed=False,
        detail=(
            f"{which} differ from the rest in their {said.what} ({abs(found):.1f} standard "
            f"errors; chance gives at most {bound:.1f})"
        ),
    )


def _fresh(errors: FloatArray, alpha: float, source: Generator, said: _Said) -> AuditCheck:
    """Check the correlations of two runs with themselves and each other, at all distances of rows.

    Both errors and their sizes are tested: noise may be shared except for its sign.
    """
    rows = errors.shape[1]
    if np.ptp(errors, axis=1).max() == 0.0:
        return AuditCheck(
            name=said.fresh,
            passed=False,
            detail=f"all {rows:,} rows of a run have the same published value: differences of "
            "values are published as they are",
        )
    bound = -float(ndtri(alpha / (8.0 * rows))) * _MARGIN / math.sqrt(rows)
    largest = 0.0
    for numbers in (errors, np.abs(errors)):
        first, second = (np.fft.rfft(_normal_scores(each, source)) for each in numbers)
        own = np.fft.irfft(first * np.conj(first), rows) / rows
        own[0] = 0.0  # with itself
        between = np.fft.irfft(first * np.conj(second), rows) / rows
        for related, where in ((own, "of one run"), (between, "of two runs")):
            distance = int(np.abs(related).argmax())
            largest = max(largest, abs(related[distance]))
            if abs(related[distance]) > bound:
                return AuditCheck(
                    name=said.fresh,
                    passed=False,
                    detail=f"rows {distance} apart {where} have related {said.what} (rank "
                    f"correlation {related[distance]:.3f}; chance gives at most {bound:.3f})",
                )
    return AuditCheck(
        name=said.fresh,
        passed=True,
        detail=f"{rows:,} rows at all distances, within a run and between runs: rank correlation "
        f"at most {largest:.3f}, chance gives {bound:.3f}",
    )


def _normal_scores(errors: FloatArray, source: Generator) -> FloatArray:
    """Ranks as normal quantiles, ties broken by chance: bounded, whatever the noise is."""
    order = np.lexsort((source.random(errors.size), errors))
    ranks = np.empty(errors.size)
    ranks[order] = np.arange(errors.size)
    scores = np.asarray(ndtri((ranks + 0.5) / errors.size))
    return scores / math.sqrt(float(np.mean(scores**2)))


def _average(errors: FloatArray) -> AuditCheck:
    """What somebody who sees every run learns: not a fault of a release that happens once."""
    one, many = (float(np.sqrt(np.mean(each**2))) for each in (errors, errors.mean(axis=0)))
    return AuditCheck(
        name=AVERAGE,
        passed=None,
        detail=f"of {errors.shape[0]} runs over the same column is off by {many:.3g}, one run by "
        f"{one:.3g}: publish once, or count repeats in a ledger",
    )
