"""The columns of a table, found from its first rows, and which of them are likely to be meant.

The rules are those of `summarise`, applied by the same functions, so that `summarise` accepts what
is offered here, as far as the rows that were read show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import pyarrow
from pufferfish.core.validation import require
from pufferfish.tables.arrow import arrow_batch, arrow_numbers
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.pieces import naming, naming_table
from pufferfish.tables.local.reading import as_numbers, open_file
from pufferfish.tables.marks import without_marks
from pufferfish.tables.sources import Source, SourceFile, find_source
from pufferfish.tables.tally import Counting, Tally

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST_LABELS", "FoundColumn", "detect", "protectable", "secretive"]

# More secrets than this are too many to choose pairs from.
MOST_LABELS = 200
# Rows may be wide: at most this many bytes are read, however few rows they hold.
_MOST_BYTES = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundColumn:
    """A column, as far as it was read.

    A name that several columns share refers to none of them: it can be neither protected nor a
    secret, and counts as not complete.

    Attributes:
        name: Its name.
        numeric: Whether it can be protected: numbers, some of which may be missing.
        whole: Whether it is numeric, has numbers, and all of them are whole.
        labels: How many secrets it has; None where there are more than `MOST_LABELS`, or where it
            cannot be the secret: an entry is missing (null or an empty text), or it holds floats or
            dates. In a CSV all secrets are text, so floats are possible, and 1 and 1.0 are two.
        complete: Whether no entry is missing: null, nan, empty, or a mark of the file's format.
        distinct: How many different numbers it has; 0 where it is not numeric.
        unique: Whether it is numeric and no number occurs twice.
    """

    name: str
    numeric: bool = False
    whole: bool = False
    labels: int | None = None
    complete: bool = False
    distinct: int = 0
    unique: bool = False

    @property
    def identifies(self) -> bool:
        """Whether it looks like numbers of rows or persons: whole, and each occurs once."""
        return self.whole and self.unique


def detect(path: str, format_: FileFormat, most_rows: int = 100_000) -> tuple[FoundColumn, ...]:
    """The columns of a table, in its order, found from the beginning of its first file with rows.

    The keys of folders ("key=value") come last, as columns of text; they are known for all files.
    At most `most_rows` rows and about 64 MB are read, so that time and memory do not grow with the
    table.

    Args:
        path: A file, a folder or a pattern.
        format_: Its format.
        most_rows: How many rows to read.

    Raises:
        DataError: A table that cannot be read or has no rows, or a CSV without names of columns,
            recognised by a name that is a number.
    """
    require(most_rows >= 1, f"most_rows must be at least 1, got {most_rows!r}.")
    source = find_source(path)
    names: tuple[str, ...] = ()
    looks: dict[str, _Look] = {}
    for file in source.files:
        with naming(file, many=source.many):
            names, looks, rows = _look_at(file, format_, most_rows)
        if rows:
            break
    shared = Counter([*names, *source.keys])
    with naming_table(path):
        found = [
            looks[name].found() if shared[name] == 1 else FoundColumn(name=name) for name in names
        ]
    keys = [
        _key(source, name, format_.na) if shared[name] == 1 else FoundColumn(name=name)
        for name in source.keys
    ]
    return (*found, *keys)


def protectable(columns: Iterable[FoundColumn]) -> tuple[FoundColumn, ...]:
    """The columns that can be protected, the likeliest first, otherwise in the table's order.

    Columns with no more numbers than the likeliest other column has secrets come after the rest
    (they are classes rather than amounts), and those that look like identifiers come last.
    """
    columns = tuple(columns)
    secrets = secretive(columns)

    def rank(column: FoundColumn) -> int:
        if column.identifies:
            return 2
        others = (each.labels for each in secrets if each.name != column.name)
        return int(column.distinct <= (next(others, None) or 1))

    return tuple(sorted((each for each in columns if each.numeric), key=rank))


def secretive(columns: Iterable[FoundColumn]) -> tuple[FoundColumn, ...]:
    """The columns with at least two secrets, the likeliest first.

    Text and truth values come before whole numbers, these before other numbers (which are text in
    a CSV); within a kind the column with the fewest secrets is first.
    """

    def rank(column: FoundColumn) -> tuple[bool, bool, int]:
        return column.numeric, not column.whole, column.labels or 0

    usable = (each for each in columns if each.labels is not None and each.labels >= 2)
    return tuple(sorted(usable, key=rank))


class _Look:
    """Collects what is found in one column, some rows at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        # Its numbers, as if all rows had the same secret; None: it cannot be protected.
        self._numbers: Tally | None = Tally(Counting.of_column(name, "\0row", most_values=None))
        # Its labels; None: it cannot be the secret, or has too many.
        self._labels: set[Secret] | None = set()
        self._gaps = False

    def add(self, array: pa.Array, *, text: bool) -> None:
        """Add some entries; `text`: those of a CSV, in which numbers are text too."""
        if self._numbers is not None:
            try:
                numbers = as_numbers(self._name, array, 0) if text else array
                values = arrow_numbers(self._name, numbers)
                one = Coded(np.zeros(values.size, dtype=np.int64), (0,))
                self._numbers.add(Batch({self._name: values}, one))
            except InvalidInputError:
                self._numbers = None
        self._add_labels(array)

    def _add_labels(self, array: pa.Array) -> None:
        pa = pyarrow()
        rows = pa.RecordBatch.from_arrays([array], ["secret"])
        try:
            secret = arrow_batch(rows, (), "secret").secret
        except InvalidInputError:
            self._labels = None
            self._gaps |= array.is_null(nan_is_null=True).true_count > 0
            return
        self._gaps |= bool(secret.missing.any())
        present = np.unique(secret.codes)
        if self._gaps or present.size > MOST_LABELS:
            self._labels = None
        elif self._labels is not None:
            both = self._labels | {secret.labels[code] for code in present}
            self._labels = both if len(both) <= MOST_LABELS else None

    def found(self) -> FoundColumn:
        """What was found.

        Raises:
            DataError: There were no rows.
        """
        labels = None if self._labels is None else len(self._labels)
        if self._numbers is None:
            return FoundColumn(name=self._name, labels=labels, complete=not self._gaps)
        numbers = self._numbers.result().numbers
        return FoundColumn(
            name=self._name,
            numeric=True,
            whole=bool(numbers.records and np.all(numbers.values == np.floor(numbers.values))),
            labels=labels,
            complete=numbers.missing == 0,
            distinct=numbers.values.size,
            unique=bool(np.all(numbers.counts == 1)),
        )


def _look_at(
    file: SourceFile, format_: FileFormat, most_rows: int
) -> tuple[tuple[str, ...], dict[str, _Look], int]:
    """All names of a file, what was found for each unique one, and in how many rows."""
    rows = size = 0
    with open_file(file.path, format_, None, ()) as table:
        looks = {name: _Look(name) for name in table.schema.names}
        for part in table.parts:
            some = part.slice(0, most_rows - rows)
            for name, look in looks.items():
                look.add(without_marks(some.column(name), format_.na), text=format_.kind == "csv")
            rows += some.num_rows
            size += some.nbytes
            if rows >= most_rows or size >= _MOST_BYTES:
                break
    return table.names, looks, rows


def _key(source: Source, name: str, na: tuple[str, ...]) -> FoundColumn:
    """A column whose entries are names of folders."""
    values = {dict(file.keys)[name] for file in source.files}
    complete = values.isdisjoint({None, "", *na})
    usable = complete and len(values) <= MOST_LABELS
    return FoundColumn(name=name, labels=len(values) if usable else None, complete=complete)
