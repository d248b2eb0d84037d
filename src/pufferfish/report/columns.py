"""A column that was published, or is to be: counted in one pass, whatever its length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.validation import FloatArray
from pufferfish.tables import Batch, Counting, FileFormat, Group, Tally, format_of
from pufferfish.tables.arrays import column_numbers
from pufferfish.tables.batch import Coded
from pufferfish.tables.local.files import column_parts

__all__ = ["Bars", "CountedColumn", "WrittenAs", "bars_of", "bars_of_laws", "count_column"]

# Values that are kept, for estimates; longer columns are only counted.
_MOST_KEPT = 10_000_000
# The values that a picture shows.
_SHOWN = (0.005, 0.995)
_BINS = 40
# A column of whole numbers, or of another step, has a bar for each value if these are enough.
_MOST_STEPS = 80


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedColumn:
    """How often each value occurs, and the values themselves where they are not too many."""

    group: Group
    values: FloatArray | None

    @property
    def rows(self) -> int:
        """Rows of the column, with a value or without."""
        return self.group.records + self.group.missing


@dataclass(frozen=True, slots=True)
class WrittenAs(PathLike[str]):
    """A file, and its format, which its name need not tell."""

    path: str
    format: FileFormat

    def __fspath__(self) -> str:
        """Where it is."""
        return self.path


def count_column(source: object, column: str, na: Sequence[str] = ()) -> CountedColumn | None:
    """Count a file's path, or an array; what is already counted, or None, stays as it is."""
    if source is None or isinstance(source, CountedColumn):
        return source
    tally = Tally(Counting.of_column(column, "row"))
    kept: list[FloatArray] = []
    count = 0
    for part in _parts(source, column, na):
        tally.add(Batch({column: part}, Coded(np.zeros(part.size, dtype=np.int64), ("row",))))
        count += part.size
        if count <= _MOST_KEPT:
            kept.append(part[~np.isnan(part)])
        else:
            kept.clear()
    values = np.concatenate(kept) if kept and count <= _MOST_KEPT else None
    return CountedColumn(tally.result().numbers, values)


def _parts(source: Any, column: str, na: Sequence[str]) -> Iterator[FloatArray]:
    if not isinstance(source, str | PathLike):
        yield column_numbers(column, source)
        return
    path = fspath(source)
    format_ = source.format if isinstance(source, WrittenAs) else format_of(path, na=na)
    yield from column_parts(path, format_, column)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bars:
    """A histogram: for each bin the share of the rows with a value.

    Attributes:
        edges: One more than there are bins.
        released: The shares in the published column.
        original: The shares in the column before; None where they may not be shown or are not
            known.
        beyond: The share of the published rows outside all bins.
    """

    edges: FloatArray
    released: FloatArray
    original: FloatArray | None
    beyond: float


def bars_of(released: CountedColumn, original: CountedColumn | None) -> Bars | None:
    """Bins for both columns; None where nothing was published or all values are the same."""
    groups = [each.group for each in (released, original) if each is not None]
    if not all(group.records for group in groups):
        return None
    ends = [_quantiles(group, _SHOWN) for group in groups]
    low, high = min(each[0] for each in ends), max(each[1] for each in ends)
    if low == high:
        return None
    edges = _edges(low, high, groups[-1].values)
    shares = [_shares(group, edges) for group in groups]
    return Bars(
        edges=edges,
        released=shares[0],
        original=None if original is None else shares[1],
        beyond=max(1.0 - float(shares[0].sum()), 0.0),
    )


def bars_of_laws(before: Discrete | None, after: Discrete | None) -> Bars | None:
    """The same for two laws of a value: before, where it may be shown, and as published."""
    laws = [law for law in (after, before) if law is not None]
    if after is None:
        return None
    values = np.unique(np.concatenate([law.values for law in laws]))
    if values.size < 2:
        return None
    ends = [law.quantile(_SHOWN) for law in laws]
    low, high = (
        float(pick(each)) for pick, each in zip((min, max), np.transpose(ends), strict=True)
    )
    if low == high:
        low, high = float(values[0]), float(values[-1])
    edges = _edges(low, high, values)
    shares = [np.histogram(law.values, bins=edges, weights=law.probabilities)[0] for law in laws]
    original = None if before is None else shares[1]
    return Bars(edges, shares[0], original, _rest(float(shares[0].sum())))


def _rest(shown: float) -> float:
    """The part that is not shown of a law whose parts sum to 1 up to rounding."""
    return 1.0 - shown if shown < 1.0 - 1e-9 else 0.0


def _quantiles(group: Group, levels: Iterable[float]) -> list[float]:
    ranks = np.cumsum(group.counts) / group.records
    found = np.searchsorted(ranks, list(levels))
    return [float(each) for each in group.values[np.minimum(found, group.values.size - 1)]]


def _edges(low: float, high: float, values: FloatArray) -> FloatArray:
    """Around each of the values where they are few and evenly spaced, else equal bins."""
    step = float(np.diff(values).min(initial=np.inf))
    if (high - low) / step > _MOST_STEPS or not np.isfinite(step):
        return np.linspace(low, high, _BINS + 1)
    first = values[0] + (np.floor((low - values[0]) / step) - 0.5) * step
    count = int(np.ceil((high - first) / step)) + 1
    return np.asarray(first + step * np.arange(count + 1))


def _shares(group: Group, edges: FloatArray) -> FloatArray:
    counts, _ = np.histogram(group.values, bins=edges, weights=group.counts)
    return np.asarray(counts / group.records)
