"""Columns of any kind as a matrix of numbers, for learners that take only numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray
from pufferfish.learning.features import column_numbers

__all__ = ["labels_matrix", "matrix"]

# The number of categories that get a column each; all others get none.
_MOST = 64


def matrix(columns: Mapping[str, Sequence[Any]], rows: int) -> FloatArray:
    """For each row its numbers, which of them are missing, and the category of each cell.

    Args:
        columns: Cells by column.
        rows: The number of rows.
    """
    made = [part for cells in columns.values() for part in _columns_of(cells)]
    return np.column_stack(made) if made else np.empty((rows, 0))


def _columns_of(cells: Sequence[Any]) -> list[FloatArray]:
    numbers = column_numbers(cells)
    if numbers is not None:
        holes = np.isnan(numbers)
        middle = float(np.median(numbers[~holes])) if not holes.all() else 0.0
        found = [np.where(holes, middle, numbers)]
        return [*found, holes.astype(np.float64)] if holes.any() else found
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(str(each), len(number)) for each in cells], dtype=np.int64)
    return _indicators(codes)


def _indicators(codes: npt.NDArray[np.int64]) -> list[FloatArray]:
    """Whether a cell is in each of the most common categories."""
    common = [code for code, _ in Counter(codes.tolist()).most_common(_MOST)]
    return [(codes == code).astype(np.float64) for code in common]


def labels_matrix(codes: npt.NDArray[np.int64], labels: Sequence[Any]) -> FloatArray:
    """For each row which label it has, and the label's number, or its place in the order.

    Labels that are numbers are categories as well: a recoding does not respect their order.

    Args:
        codes: The place of each row's label, −1 where there is none.
        labels: The labels, in their order.
    """
    numbers = column_numbers(labels)
    order = np.arange(len(labels), dtype=np.float64) if numbers is None else numbers
    middle = 0.0 if not order.size else float(np.median(order))
    placed = np.array([*order.tolist(), middle])[codes]
    return np.column_stack([placed, *_indicators(codes)])
