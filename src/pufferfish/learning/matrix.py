"""Columns of any kind as a matrix of numbers, for learners that take nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pufferfish.core.validation import FloatArray
from pufferfish.learning.features import column_numbers

__all__ = ["matrix"]

# Categories that get a column each; all others share none.
_MOST = 64


def matrix(columns: Mapping[str, Sequence[Any]], rows: int) -> FloatArray:
    """One row for each row: numbers, where one is missing, and which category a cell is in.

    Args:
        columns: Cells by column.
        rows: How many each has.
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
    texts = [str(each) for each in cells]
    common = [text for text, _ in Counter(texts).most_common(_MOST)]
    listed = np.array(texts, dtype=object)
    return [(listed == text).astype(np.float64) for text in common]
