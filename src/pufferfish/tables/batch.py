"""Some rows of a table as arrays, by column: numbers as floats, all else as codes and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.core.validation import FloatArray

__all__ = ["Batch", "Coded", "ColumnType", "IntArray", "Numbers", "join_columns", "labels_of"]
__all__ += ["numbers_of"]

IntArray = npt.NDArray[np.int64]

# How a column is published. "number" and "whole" (64 bits) are read as numbers, all others as
# labels: "text" is published as text, "same" in its old type. In a frame that includes categories
# and their order; in a file categories become their values.
ColumnType = Literal["number", "whole", "text", "same"]


def numbers_of(columns: Mapping[str, ColumnType]) -> tuple[str, ...]:
    """The columns that are read as numbers."""
    return tuple(name for name, kind in columns.items() if kind in ("number", "whole"))


def labels_of(columns: Mapping[str, ColumnType]) -> tuple[str, ...]:
    """The columns that are read as labels."""
    return tuple(name for name, kind in columns.items() if kind in ("text", "same"))


class Numbers(NamedTuple):
    """New numbers, and where one is missing."""

    values: npt.NDArray[Any]
    holes: npt.NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.values.size

    def taken(self, rows: IntArray) -> Numbers:
        """Some rows, in an order of their own."""
        return Numbers(self.values.take(rows), self.holes.take(rows))


class Coded(NamedTuple):
    """Texts, truth values, whole numbers or dates: the index of a label, −1 where one is missing.

    Where the labels are many numbers, an array of them stands for the tuple.

    Null, nan and empty text are missing: a CSV can express a missing entry only as empty text.
    """

    codes: IntArray
    labels: tuple[Any, ...]

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.codes.size

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which rows have no label."""
        return self.codes < 0

    def taken(self, rows: IntArray) -> Coded:
        """Some rows, in an order of their own."""
        return Coded(self.codes.take(rows), self.labels)

    @classmethod
    def nothing(cls, rows: int) -> Coded:
        """A column of this many rows, all without a label."""
        return cls(np.full(rows, -1, dtype=np.int64), ())

    @classmethod
    def of(cls, codes: IntArray, labels: tuple[Any, ...]) -> Coded:
        """A column whose labels may include an empty text, which becomes missing."""
        if "" in labels:
            codes = np.where(codes == labels.index(""), -1, codes)
        return cls(codes, labels)


class Batch(NamedTuple):
    """Some rows.

    Attributes:
        numbers: By name, columns of numbers; nan where one is missing.
        secret: The secret of each row; all are missing where it is not asked for.
        labels: By name, columns of labels.
        counts: How many records each row represents; None: one.
    """

    numbers: Mapping[str, FloatArray]
    secret: Coded
    labels: Mapping[str, Coded] = MappingProxyType({})
    counts: IntArray | None = None

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.secret.rows

    def taken(self, rows: IntArray) -> Batch:
        """Some rows, in an order of their own."""
        return Batch(
            {name: each.take(rows) for name, each in self.numbers.items()},
            self.secret.taken(rows),
            {name: each.taken(rows) for name, each in self.labels.items()},
            None if self.counts is None else self.counts.take(rows),
        )


def join_columns(parts: Sequence[Numbers | Coded]) -> Numbers | Coded:
    """The parts of a column joined; all parts are of one type."""
    numbers = [part for part in parts if isinstance(part, Numbers)]
    if numbers:
        return Numbers(*(np.concatenate(each) for each in zip(*numbers, strict=True)))
    # 1 and True are equal in Python, but different labels.
    index: dict[tuple[type, Any], int] = {}
    codes = [np.zeros(0, dtype=np.int64)]
    for part in (part for part in parts if isinstance(part, Coded)):
        own = [index.setdefault((type(label), label), len(index)) for label in part.labels]
        codes.append(np.array([*own, -1], dtype=np.int64)[part.codes])
    return Coded(np.concatenate(codes), tuple(label for _, label in index))
