"""Columns of any kind as bins: small whole numbers that a tree can split.

Numbers, moments and texts that spell them are binned by their quantiles. Other texts are
categories. What has more categories than a tree can tell apart is given twice more: in alphabetical
order, and by how often a category goes with the one secret, counted on other rows than the one at
hand. Columns of few values are also given together, as one category for each combination: what
none of them says alone (a parity, for example), they may say together.

All that is learned here, is learned from the rows of `train` alone.
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

from pufferfish.checks import FloatArray

__all__ = ["BINS", "Feature", "column_numbers", "features"]

IntArray = npt.NDArray[np.int64]

# Bin 0 is for what is missing, or was never seen in training.
BINS = 128
_CATEGORIES = 64
# Columns of at most this many values are looked at together.
_FEW = 32
_FOLDS = 4
# A share counts as if this many more rows had shown both secrets alike.
_PRIOR = 10.0


class Feature(NamedTuple):
    """One column, or what was made of one or several.

    Attributes:
        bins: Of each row, below `BINS`.
        ordered: Whether neighbouring bins belong together; if not, they are categories.
    """

    bins: IntArray
    ordered: bool


def features(
    columns: Mapping[str, Sequence[Any]], train: npt.NDArray[np.bool_], target: IntArray
) -> list[Feature]:
    """All that a learner may look at.

    Args:
        columns: Cells by column, all of the same length.
        train: The rows that may be learned from.
        target: 0 or 1 for each row; looked at in the rows of `train` alone.
    """
    found: list[Feature] = []
    few: list[IntArray] = []
    for cells in columns.values():
        numbers = column_numbers(cells)
        if numbers is None:
            codes = _codes([None if _missing(each) else str(each) for each in cells])
            found += _of_categories(codes, train, target)
        else:
            codes = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
            found.append(_of_numbers(numbers, train))
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
    """Categories by their frequency; of very many also their order, and what goes with them."""
    counts = np.bincount(codes[train], minlength=int(codes.max(initial=0)) + 1)
    rank = np.empty_like(counts)
    rank[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    bins = np.where((rank < _CATEGORIES - 1) & (counts > 0), rank + 1, 0)
    found = [Feature(bins[codes], False)]
    if np.count_nonzero(counts) >= _CATEGORIES:
        found.append(_of_numbers(codes.astype(np.float64), train))
        found.append(_of_numbers(_rates(codes, train, target), train))
    return found


def _rates(codes: IntArray, train: npt.NDArray[np.bool_], target: IntArray) -> FloatArray:
    """How often a category goes with the second secret, by rows other than the one at hand."""
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
    """Texts as numbers, in alphabetical order; none at all comes first."""
    texts = sorted({each for each in cells if each is not None})
    number = {text: code for code, text in enumerate([None, *texts])}
    return np.array([number[text] for text in cells], dtype=np.int64)


def _together(columns: Sequence[IntArray]) -> IntArray:
    """One code for each combination that occurs."""
    joint = np.zeros(columns[0].size, dtype=np.int64)
    for codes in columns:
        joint = joint * (int(codes.max()) + 1) + codes
        joint = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    return joint


def column_numbers(cells: Sequence[Any]) -> FloatArray | None:
    """A column as numbers, nan where nothing is; None if some cell is neither."""
    kinds = Counter(type(each) for each in cells)
    try:
        if set(kinds) <= {float, int, bool, type(None)}:
            return np.array(cells, dtype=np.float64)
        for reading in (_number, _moment):
            numbers = _read(cells, reading)
            if numbers is not None:
                return numbers
    except OverflowError:
        return None
    return None


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
        # Without a zone: differences of hours say less than days and years.
        seconds = _moment(cell.time()) if isinstance(cell, datetime) else 0.0
        return 86400.0 * cell.toordinal() + seconds
    raise TypeError
