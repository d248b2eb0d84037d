"""Does a published column look as its noise would leave it? Checked without the data.

Y = X + N, N a symmetric unimodal law on a grid γ, and X is anything at all. Four things follow for
*every* X, and each is tested so that a true release fails all of them together with probability at
most `FALSE_ALARM`:

- **grid**: every value is a multiple of γ (or of the step that it was rounded to) and within the
  bounds that it was clipped to. No chance is involved.
- **digits**: P(Y is a multiple of 2^m·γ) ≤ 2^−m + 2·max P(N = n). Raw whole numbers on a grid of
  2^−25 are all such multiples for m = 25. Binomial tail.
- **repeats**: P(k given rows are equal) ≤ (max P(N = n))^(k−1); over all choices of k rows.
- **spread**: |E e^{itY}| ≤ |E e^{itN}|, which finds noise that is too small on values that are
  spaced; and Σ(Y − Ȳ)² is stochastically at least that of N alone (Anderson's inequality).

The tests allow for what rounding and clipping hide, and say so. Passing proves nothing: a column of
widely spread values looks the same with noise and without. Proofs: docs/theory/appearance.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo
from pufferfish.columns.recoded import planned_map, recoded_appearance
from pufferfish.columns.statement import Facts
from pufferfish.core.errors import DataError
from pufferfish.core.limits import ROWS_PER_BYTE, SPARE_ROWS
from pufferfish.core.validation import FloatArray
from pufferfish.noise import Law, Noise, as_noise
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.outline import RecodingOutline
from pufferfish.releases.published_file import Appearance
from pufferfish.tables import format_of
from pufferfish.tables.local.files import column_names, column_parts
from pufferfish.tables.sources import data_files

__all__ = ["FALSE_ALARM", "MOST_LOOKED_AT", "appearance", "column_appearance"]

FALSE_ALARM = 1e-6
# How many values are tested in full; the grid is checked for all of them.
MOST_LOOKED_AT = 1_000_000
# Tests share the false alarms equally; there are fewer tests than this.
_TESTS = 100
_LEVEL = FALSE_ALARM / _TESTS
# Farther from 0 than this many steps of the grid, a double has too few digits for every step.
_EXACT_STEPS = 2.0**53
_MOST_DIGITS = 52
# A grid up to this share of the noise's size changes the moments by less than the tests allow for.
_FINE = 1.0 / 16.0
# Frequencies, in units of one over the size of the noise, and spacings that raw values often have.
_FREQUENCIES = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0)
_SPACINGS = (1.0, 2.0, 5.0)


def column_appearance(data: Mapping[str, Any], facts: Facts, released: Path) -> Appearance:
    """Judge the values of a published column by all that its record says."""
    place, format_ = str(released), format_of(released)
    names = {*column_names(place, format_, facts.column)}
    other = names ^ {facts.column, *facts.kept}
    if other:
        raise DataError(f"its columns are not those that the record names ({len(other)} differ).")
    most = _most_rows(data["published"], released)
    parts = _bound_size(column_parts(place, format_, facts.column), most)
    if isinstance(facts.noise, Recoding | RecodingOutline):
        return recoded_appearance(parts, planned_map(data, facts))
    return appearance(parts, facts.noise, facts.postprocess)


def _most_rows(published: Mapping[str, Any], released: Path) -> int:
    """The most rows that the file may have: one row more shows that there are too many."""
    files = data_files(released) if released.is_dir() else [released]
    size = sum(each.stat().st_size for each in files)
    return min(int(published["rows"]), ROWS_PER_BYTE * size + SPARE_ROWS)


def _bound_size(parts: Iterator[FloatArray], most: int) -> Iterator[FloatArray]:
    rows = 0
    for part in parts:
        yield part
        rows += part.size
        if rows > most:
            return


def appearance(parts: Iterable[FloatArray], law: Law, steps: tuple[Postprocess, ...]) -> Appearance:
    """Judge a column with noise, some rows at a time; nan where a value is missing."""
    if not law.additive:
        rows = sum(part.size for part in parts)
        detail = "a map publishes values like any others"
        return Appearance(rows, None, detail, whether="values were recoded in")
    noise = as_noise(law)
    shape = _Shape.of(noise, steps)
    kept: list[FloatArray] = []
    rows = held = 0
    wrong = ""
    for part in parts:
        values = part[~np.isnan(part)]
        rows += part.size
        wrong = wrong or shape.wrong(values)
        if held < MOST_LOOKED_AT:
            kept.append(values[: MOST_LOOKED_AT - held])
            held += kept[-1].size
    if wrong:
        return Appearance(rows, False, wrong)
    if noise.identity:
        return Appearance(rows, None, "no noise is claimed")
    return Appearance(rows, *_judge(np.concatenate([*kept, np.empty(0)]), noise, shape))


class _Shape(NamedTuple):
    """Where values can lie after rounding and clipping.

    Attributes:
        step: They are multiples of this; None where any number is possible.
        low: At least this.
        high: At most this.
        ends: Further values that are not multiples: the bounds of clipping.
        rounded: How far rounding can have moved a value.
        clips: Whether values may have been clipped.
    """

    step: float | None
    low: float = -math.inf
    high: float = math.inf
    ends: tuple[float, ...] = ()
    rounded: float = 0.0
    clips: bool = False

    @classmethod
    def of(cls, noise: Noise, steps: tuple[Postprocess, ...]) -> _Shape:
        shape = cls(noise.grid)
        for each in steps:
            shape = shape.clipped(each) if isinstance(each, Clip) else shape.rounding(each)
        return shape

    def clipped(self, by: Clip) -> _Shape:
        low, high = (min(max(end, by.low), by.high) for end in (self.low, self.high))
        ends = tuple({min(max(end, by.low), by.high) for end in (*self.ends, low, high)})
        return self._replace(low=low, high=high, ends=ends, clips=True)

    def rounding(self, by: RoundTo) -> _Shape:
        low, high = (_round(np.array([end]), by.step)[0] for end in (self.low, self.high))
        ends = tuple({float(low), float(high)} - {math.inf, -math.inf}) if self.clips else ()
        return self._replace(
            step=by.step, low=low, high=high, ends=ends, rounded=self.rounded + by.step / 2.0
        )

    def wrong(self, values: FloatArray) -> str:
        """What is impossible about some values, in words; empty if nothing is."""
        if not np.isfinite(values).all():
            return "some values are infinite"
        if (values < self.low).any() or (values > self.high).any():
            return f"some values are outside {self.low:g} to {self.high:g}"
        if self.step is not None:
            off = (_round(values, self.step) != values) & ~np.isin(values, self.ends)
            if off.any():
                return f"{int(off.sum()):,} values are not multiples of {self.step:.6g}"
        return ""

    def free(self, values: FloatArray) -> FloatArray:
        """The values that cannot have been moved by clipping."""
        return values[~np.isin(values, self.ends)] if self.clips else values


def _round(values: FloatArray, step: float) -> FloatArray:
    return np.asarray(np.rint(values / step) * step + 0.0)


def _judge(values: FloatArray, noise: Noise, shape: _Shape) -> tuple[bool | None, str]:
    count = values.size
    free = shape.free(values)
    for found in _faults(free, count, noise, shape):
        return False, f"{found}; this happens by chance in at most one release in a million"
    # From here on: can these values still show the noise?
    if free.size < 0.5 * count or not count:
        return None, "most values were moved to the bounds that they were clipped to"
    if shape.rounded > 0.0:
        return None, (
            f"they were rounded to steps of {shape.step:.6g}, and values without noise may have "
            "such steps too"
        )
    distinct = np.unique(free).size
    return True, f"on the grid, {distinct:,} different among {free.size:,} values, wide enough"


def _faults(free: FloatArray, count: int, noise: Noise, shape: _Shape) -> Iterator[str]:
    """What such noise leaves only by a rare chance; `free` are those of `count` not clipped.

    A test of the free ones counts all rows, because the noise decides which of them are free.
    """
    yield from _digits(free, count, noise, shape)
    yield from _repeats(free, count, noise, shape)
    yield from _characteristic(free, count, noise, shape)
    yield from _variance(free, count, noise, shape)


def _digits(free: FloatArray, count: int, noise: Noise, shape: _Shape) -> Iterator[str]:
    """Multiples of 2^m·γ, for every m."""
    grid = noise.grid
    if grid is None or shape.rounded > 0.0 or not count:
        return
    steps = free[np.abs(free) < _EXACT_STEPS * grid] / grid
    whole = steps.astype(np.int64)
    lowest = np.where(whole == 0, 2**_MOST_DIGITS, whole & -whole)
    digits = np.arange(1, _MOST_DIGITS + 1)
    multiples = np.array([(lowest >= 2**m).sum() for m in digits])
    chance = np.minimum(2.0**-digits + 2.0 * _peak(noise, 0.0), 1.0)
    rare = binom.logsf(multiples - 1, count, chance) < math.log(_LEVEL)
    if rare.any():
        # Show the coarsest multiples that most values are.
        shown = int(np.argmax(rare * multiples * digits))
        share = multiples[shown] / count
        yield f"{share:.0%} of the values are multiples of {grid * 2.0 ** digits[shown]:.6g}"


def _repeats(free: FloatArray, count: int, noise: Noise, shape: _Shape) -> Iterator[str]:
    """The same value k times: C(count, k)·peak^(k−1), over all choices of k rows."""
    near = free if noise.grid is None else free[np.abs(free) < _EXACT_STEPS * noise.grid]
    if not near.size:
        return
    k = int(np.unique(near, return_counts=True)[1].max())
    choices = gammaln(count + 1) - gammaln(k + 1) - gammaln(count - k + 1)
    if choices + (k - 1) * math.log(_peak(noise, 2.0 * shape.rounded)) < math.log(_LEVEL):
        yield f"one value occurs {k:,} times"


def _characteristic(free: FloatArray, count: int, noise: Noise, shape: _Shape) -> Iterator[str]:
    """|mean of e^{itY}| against that of the noise; Hoeffding for both parts of it."""
    if not _is_fine(noise) or not free.size:
        return
    chance = math.sqrt(4.0 * math.log(4.0 / _LEVEL) / count)
    moved = (count - free.size) / count
    off = shape.rounded + _lost_digits(free)
    for t in _frequencies(noise.size):
        most = noise.modulus(t) + t * off + chance + moved
        if most < 1.0 and abs(np.exp(1j * t * free).sum()) / count > most:
            yield "they lie closer together, or are more evenly spaced, than such noise leaves them"


def _variance(free: FloatArray, count: int, noise: Noise, shape: _Shape) -> Iterator[str]:
    """Σ(Y − Ȳ)² against the least that the noise alone leaves, except by a rare chance."""
    if not _is_fine(noise) or free.size < count or count < 2:
        return
    log = math.log(2.0 / _LEVEL)
    second, fourth = noise.unit.moments
    # A grid of 1/16 changes the moments by less than 1%.
    least = 0.99 * second * count - math.sqrt(2.0 * 1.01 * fourth * count * log) - 8.0 * log
    grid = noise.grid or 0.0
    norm = math.sqrt(float(((free - free.mean()) ** 2).sum()))
    norm += math.sqrt(count) * (grid / 2.0 + shape.rounded + _lost_digits(free))
    if least > 0.0 and norm**2 < least * noise.size**2:
        yield (
            f"their std is {norm / math.sqrt(count):.4g}, less than that of the noise alone "
            f"({noise.std:.4g})"
        )


def _lost_digits(values: FloatArray) -> float:
    """How far a sum may be from the double to which it was rounded."""
    return 0.5 * float(np.spacing(np.abs(values).max(initial=0.0)))


def _is_fine(noise: Noise) -> bool:
    return noise.grid is None or noise.grid <= _FINE * noise.size


def _peak(noise: Noise, width: float) -> float:
    """An upper bound on P(N lies in a given interval of this width), ends included."""
    grid = noise.grid or 0.0
    return min(max((width + grid) / noise.peak_width, 1e-300), 1.0)


def _frequencies(size: float) -> Iterator[float]:
    """Frequencies of the noise itself, and of usual spacings that such noise should blur."""
    yield from (each / size for each in _FREQUENCIES)
    decade = math.floor(math.log10(2.0 * math.pi * size))
    for power in range(decade, decade - 3, -1):
        for each in _SPACINGS:
            spacing = each * 10.0**power
            if spacing <= 2.0 * math.pi * size:
                yield 2.0 * math.pi / spacing
