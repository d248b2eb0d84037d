"""Columns of any kind as bins: small whole numbers that a tree can split.

Numbers, points in time and texts that spell them are binned by their quantiles, and given again by
what quantiles hide: as categories where values repeat (the code of a place is not a quantity), by
the last digits of whole numbers, by the parts of a point in time. Other texts are categories; long
ones also by how they begin. A column with more categories than a tree can tell apart is given twice
more: in alphabetical order, and by how often a category goes with the one secret, counted on other
rows than the one at hand. Columns of few values are also given together, as one category for each
combination: they may say together what none of them says alone (a parity, for example).

Everything here is learned from the rows of `train` alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray

__all__ = ["BINS", "Feature", "column_numbers", "features"]

IntArray = npt.NDArray[np.int64]

# Bin 0 is for cells that are missing, or did not occur in training.
BINS = 128
_CATEGORIES = 64
# Columns of at most this many values are combined.
_FEW = 32
_FOLDS = 4
# Shares are smoothed as if this many more rows had shown both secrets equally often.
_PRIOR = 10.0
# Values repeat if the number of different ones per row is at most this.
_REPEATED = 0.9
# Last digits: the remainder of a whole number after division by these.
_DIVISORS = (7, 10, 100)
_ALL_DIVISORS = math.lcm(*_DIVISORS)
# A longer text is also given by its beginning.
_BEGINNING = 100
_DAY = 86400
# The day from which NumPy counts, as a day number of datetime.
_EPOCH = date(1970, 1, 1).toordinal()


class Feature(NamedTuple):
    """One column, or what was made from one or several.

    Attributes:
        bins: The bin of each row, below `BINS`.
        ordered: Whether neighbouring bins belong together; if not, they are categories.
    """

    bins: IntArray
    ordered: bool


def features(
    columns: Mapping[str, Sequence[Any]], train: npt.NDArray[np.bool_], target: IntArray
) -> list[Feature]:
    """All features that a learner may use.

    Args:
        columns: Cells by column, all of the same length.
        train: The rows to learn from.
        target: 0 or 1 for each row; only that of the rows of `train` is used.
    """
    found: list[Feature] = []
    few: list[IntArray] = []
    for cells in columns.values():
        numbers, moments = _numbers(cells)
        if numbers is None:
            texts = [None if _missing(each) else str(each) for each in cells]
            codes = _codes(texts)
            found += _of_categories(codes, train, target)
            beginnings = _codes([text and text[:_BEGINNING] for text in texts])
            if beginnings.max(initial=0) < codes.max(initial=0):
                found += _of_categories(beginnings, train, target)
        else:
            codes = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
            found.append(_of_numbers(numbers, train))
            found += _of_repeated(_same(cells), train, target)
            if codes.max(initial=0) >= _CATEGORIES - 1:
                found += _parts(numbers) if moments else _last_digits(cells, numbers)
        if codes.size and codes.max() < _FEW:
            few.append(codes)
    if len(few) > 1:
        found += _of_categories(_together(few), train, target)
    return found


def _of_numbers(numbers: FloatArray, train: npt.NDArray[np.bool_]) -> Feature:
    seen = numbers[train & ~np.isnan(numbers)]
    points = np.unique(seen)
    if points.size > BINS - 1:
        points = np.unique(np.quantile(seen, np.linspace(0.0, 1.0, BINS - 1), method="lower"))
    bins = np.searchsorted(points, numbers, side="left") + 1
    bins = np.minimum(bins, max(points.size, 1))
    return Feature(np.where(np.isnan(numbers), 0, bins), True)


def _of_categories(
    codes: IntArray, train: npt.NDArray[np.bool_], target: IntArray
) -> list[Feature]:
    """Categories by frequency; very many also in order, and by how often the one secret occurs."""
    counts = np.bincount(codes[train], minlength=int(codes.max(initial=0)) + 1)
    rank = np.empty_like(counts)
    rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    bins = np.where((rank < _CATEGORIES - 1) & (counts > 0), rank + 1, 0)
    found = [Feature(bins[codes], False)]
    if np.count_nonzero(counts) >= _CATEGORIES:
        found.append(_of_numbers(codes.astype(np.float64), train))
        found.append(_of_numbers(_rates(codes, train, target), train))
    return found


def _of_repeated(codes: IntArray, train: npt.NDArray[np.bool_], target: IntArray) -> list[Feature]:
    """Values that are also given in order, as categories, unless nearly all are different."""
    kinds = int(codes.max(initial=0)) + 1
    if kinds < 3 or kinds > _REPEATED * codes.size:
        return []
    if kinds < _CATEGORIES:
        return [Feature(codes + 1, False)]
    return [_of_numbers(_rates(codes, train, target), train)]


def _last_digits(cells: Sequence[Any], numbers: FloatArray) -> list[Feature]:
    """The remainders of whole numbers after division; empty if some are not whole."""
    there = ~np.isnan(numbers)
    if not np.array_equal(numbers[there], np.floor(numbers[there])):
        return []
    left = np.zeros(numbers.size)
    try:
        # Exact for whole numbers: those beyond 2^53 are not floats.
        left[there] = [
            int(cell) % _ALL_DIVISORS
            for cell, is_there in zip(cells, there, strict=True)
            if is_there
        ]
    except (ValueError, OverflowError):
        # Texts such as "1.0" or "inf".
        if np.isinf(numbers).any():
            return []
        left[there] = numbers[there] % _ALL_DIVISORS
    return [_part(np.where(there, left % divisor, np.nan)) for divisor in _DIVISORS]


def _parts(seconds: FloatArray) -> list[Feature]:
    """The parts of a point in time that differ between rows: those of its day, and of its time."""
    there = ~np.isnan(seconds)
    days = np.floor_divide(np.where(there, seconds, 0.0), _DAY)
    day = (days.astype(np.int64) - _EPOCH).astype("datetime64[D]")
    month = day.astype("datetime64[M]")
    of_day = seconds % _DAY
    parts: list[npt.NDArray[Any]] = [
        # The weekday, and whether the number of the day is even.
        days % 14,
        (day - month).astype(np.int64),
        month.astype(np.int64) % 12,
        of_day // 3600,
        of_day // 60 % 60,
        of_day // 1 % 60,
    ]
    return [
        _part(np.where(there, part, np.nan)) for part in parts if np.unique(part[there]).size > 1
    ]


def _part(values: FloatArray) -> Feature:
    """Small whole numbers as categories; 0 is for nan."""
    return Feature(np.nan_to_num(values + 1.0, nan=0.0).astype(np.int64), False)


def _rates(codes: IntArray, train: npt.NDArray[np.bool_], target: IntArray) -> FloatArray:
    """How often a category goes with the second secret, on rows other than the one at hand."""
    size = int(codes.max(initial=0)) + 1
    fold = np.where(train, np.cumsum(train) % _FOLDS, _FOLDS)
    rates = np.empty(codes.size)
    for each in range(_FOLDS + 1):
        others, rows = train & (fold != each), fold == each
        seen = np.bincount(codes[others], minlength=size)
        ones = np.bincount(codes[others], weights=target[others], minlength=size)
        share = float(target[others].mean()) if others.any() else 0.5
        rates[rows] = ((ones + _PRIOR * share) / (seen + _PRIOR))[codes[rows]]
    return rates


def _codes(cells: Sequence[str | None]) -> IntArray:
    """Texts as numbers, in alphabetical order; a missing text comes first."""
    texts = sorted({each for each in cells if each is not None})
    number = {text: code for code, text in enumerate([None, *texts])}
    return np.array([number[text] for text in cells], dtype=np.int64)


def _same(cells: Sequence[Any]) -> IntArray:
    """One code for each different cell, exactly as it is written, in order of appearance."""
    number: dict[Any, int] = {}
    return np.array(
        [number.setdefault(None if _missing(each) else each, len(number)) for each in cells],
        dtype=np.int64,
    )


def _together(columns: Sequence[IntArray]) -> IntArray:
    """One code for each combination that occurs."""
    joint = np.zeros(columns[0].size, dtype=np.int64)
    for codes in columns:
        joint = joint * (int(codes.max()) + 1) + codes
        joint = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return joint


def column_numbers(cells: Sequence[Any]) -> FloatArray | None:
    """A column as numbers, nan where a cell is missing; None if some cell is neither."""
    return _numbers(cells)[0]


def _numbers(cells: Sequence[Any]) -> tuple[FloatArray | None, bool]:
    """A column as numbers, and whether they are the seconds of points in time."""
    kinds = Counter(type(each) for each in cells)
    try:
        if set(kinds) <= {float, int, bool, type(None)}:
            return np.array(cells, dtype=np.float64), False
        for reading in (_number, _moment):
            numbers = _read(cells, reading)
            if numbers is not None:
                return numbers, reading is _moment
    except OverflowError:
        pass
    return None, False


def _read(cells: Sequence[Any], reading: Callable[[Any], float]) -> FloatArray | None:
    try:
        return np.array([math.nan if _missing(each) else reading(each) for each in cells])
    except (ValueError, TypeError):
        return None


def _missing(cell: Any) -> bool:
    if isinstance(cell, str):
        return not cell
    return cell is None or (isinstance(cell, Real) and math.isnan(cell))


def _number(cell: Any) -> float:
    if isinstance(cell, str | Real | Decimal):
        return float(cell)
    raise TypeError


def _moment(cell: Any) -> float:
    if isinstance(cell, str):
        cell = datetime.fromisoformat(cell)
    if isinstance(cell, timedelta):
        return cell.total_seconds()
    if isinstance(cell, time):
        return 3600.0 * cell.hour + 60.0 * cell.minute + cell.second
    if isinstance(cell, date):
        # Without a time zone: differences of hours say less than days and years.
        seconds = _moment(cell.time()) if isinstance(cell, datetime) else 0.0
        return 86400.0 * cell.toordinal() + seconds
    raise TypeError
