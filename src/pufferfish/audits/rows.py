"""Attacks by repetition: the same value in every row, and the same column again and again.

With one value in all rows, rows that are noised alike and independently cannot be told apart. A row
that always stays close to its value was not noised; a stretch of rows, or every second one, that
does so more often than others has less noise; rows or runs whose noise is related share it.
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
# Waves of an even number of rows have a last one that is not exponential: rows are odd by default.
# Normal approximations are trusted to so much more than their own bound.
_MARGIN = 1.15
# Distinct errors next to zero that say how often one value is hit by chance.
_NEIGHBOURS = 1000
_ODD = 0.3819660112501051


class _Said(NamedTuple):
    """What checks are called, and what rows have."""

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
    """Of what replaces values: are all rows drawn alike, and afresh? That some stay says nothing.

    Args:
        subject: What publishes.
        value: What stands in every row.
        likely: Outputs, one of which is published neither nearly always nor rarely.
        rows: Of each run.
        alpha: An alarm is false with at most this probability.
        source: Breaks ties.
    """
    errors = np.stack([subject.publish(np.full(rows, value)) for _ in range(RUNS)]) - value
    holes = np.isnan(errors)
    average = () if holes.any() else (_average(errors),)
    other = np.where(np.isin(errors, likely - value), 0.0, 1.0)
    # A hole is one more thing to be published, farther than all others.
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
    """Publish a column of one value many times, and look at every row and every run."""
    column = np.full(rows, value)
    published = np.stack([subject.noised(column) for _ in range(RUNS)])
    # Holes are taken out with their rows; what is left is as many values of each run.
    whole = ~np.isnan(published).any(axis=0)
    if np.count_nonzero(whole) < 2:
        return _note("not looked at: most rows are published as holes")
    published = published[:, whole]
    if np.ptp(published) == 0.0 and published[0, 0] == subject.noised(np.full(1, other))[0]:
        return _note(f"{published[0, 0]:g} is published, whatever the value")
    errors = published - value
    share = alpha / 4.0

    def elsewhere() -> FloatArray:
        # A value that nobody rounds or clips to.
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
    """Which errors are in the lowest quarter, how large those are, and how often that happens.

    Where results are rounded, these are those that equal the value. How often is known but for
    chance; six standard errors more are granted.
    """
    size = np.abs(errors)
    limit = float(np.quantile(size, 0.25))
    small = size <= limit
    rate = float(small.mean())
    return small, limit, min(rate + 6.0 * math.sqrt(rate * (1.0 - rate) / small.size), 1.0)


def _every_row(errors: FloatArray, elsewhere: Callable[[], FloatArray], alpha: float) -> AuditCheck:
    """In each row the error is small in about as many runs as in all rows together."""
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
    # Results may equal a value because they are clipped or rounded to it: then not at another one.
    if _exact(errors, alpha / 2.0) and (kept := _exact(elsewhere(), alpha / 2.0)):
        return AuditCheck(
            name=_EVERY_ROW,
            passed=False,
            detail=f"{kept:,} of {errors.size:,} published values equal the true one, where chance "
            "explains a few: rows are left out, now here, now there",
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
    """How many errors are exactly 0, if chance does not explain it; else 0."""
    kept = int(np.count_nonzero(errors == 0.0))
    beside = np.unique(np.abs(errors[errors != 0.0]), return_counts=True)[1][:_NEIGHBOURS]
    # What is seen at all is seen once at least, so this errs to more hits by chance.
    expected = 2.0 * float(beside.mean())
    # On a coarse grid 0 is the likeliest error, and nothing follows.
    if expected > 10.0 or float(gammainc(max(kept, 1), expected)) >= alpha:
        return 0
    return kept


def _alike(errors: FloatArray, alpha: float, said: _Said) -> AuditCheck:
    """Small errors as often in every stretch of rows, and in every periodic choice of rows."""
    runs, rows = errors.shape
    small, _, _ = _small(errors)
    often = small.sum(axis=0) - runs * float(small.mean())
    variance = runs * float(small.mean()) * (1.0 - float(small.mean()))
    if variance == 0.0:
        return AuditCheck(name=said.alike, passed=None, detail="not decided: all errors are alike")
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
            f"rows that come again every {rows / wave:.3g}",
            math.sqrt(waves[wave]),
            math.sqrt(limit),
            said,
        )
    return AuditCheck(
        name=said.alike,
        passed=True,
        detail=f"no stretch of {rows:,} rows, and no pattern that comes again, has smaller or "
        "larger errors than the rest",
    )


def _stretches(rows: int) -> Iterator[tuple[int, int]]:
    """Halves, quarters, eighths, ..., down to 16 rows."""
    width = 2 ** max((rows - 1).bit_length() - 1, 0)
    while width >= 16:
        for start in range(0, rows - width + 1, width):
            yield start, start + width
        width //= 2


def _unlike(which: str, found: float, bound: float, said: _Said) -> AuditCheck:
    return AuditCheck(
        name=said.alike,
        passed=False,
        detail=f"{which} have other {said.what} than the rest ({abs(found):.1f} standard errors; "
        f"chance gives at most {bound:.1f})",
    )


def _fresh(errors: FloatArray, alpha: float, source: Generator, said: _Said) -> AuditCheck:
    """Correlations of two runs with themselves and each other, at all distances between rows.

    Of the errors, and of their sizes: noise may be shared but for its sign.
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
    """What somebody learns who sees every run: no fault of a release that happens once."""
    one, many = (float(np.sqrt(np.mean(each**2))) for each in (errors, errors.mean(axis=0)))
    return AuditCheck(
        name=AVERAGE,
        passed=None,
        detail=f"of {errors.shape[0]} runs over the same column is off by {many:.3g}, one run by "
        f"{one:.3g}: publish once, or count repeats in a ledger",
    )
