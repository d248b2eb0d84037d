"""How the columns of arrays, frames and files would naturally be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import pyarrow
from pufferfish.tables.arrays import is_missing
from pufferfish.tables.coding import ISO_DATE
from pufferfish.tables.engine import ColumnKind
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.local.dtypes import arrow_kind, frame_kind
from pufferfish.tables.local.frames import collect_frame, native
from pufferfish.tables.local.pieces import open_table
from pufferfish.tables.local.reading import as_numbers
from pufferfish.tables.names import check_columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["array_kinds", "file_kinds", "frame_kinds"]


def array_kinds(table: Mapping[str, Any], names: Sequence[str]) -> dict[str, ColumnKind]:
    """How columns of a dict of arrays are read."""
    check_columns(list(table), *names)
    return {name: _array_kind(table[name]) for name in names}


def _array_kind(column: Any) -> ColumnKind:
    array = np.asarray(column) if hasattr(column, "dtype") else np.array([*column], dtype=object)
    if array.dtype.kind in "iuf":
        return ColumnKind("number")
    if array.dtype.kind == "M":
        return ColumnKind("date")
    entries: Iterable[Any] = array if array.dtype.kind == "O" else ()
    kinds = {_entry_kind(each) for each in entries if not is_missing(each)}
    return ColumnKind(kinds.pop() if len(kinds) == 1 else "label")


def frame_kinds(frame: Any, names: Sequence[str]) -> dict[str, ColumnKind]:
    """How columns of a frame are read."""
    given = native(frame)
    check_columns(given.collect_schema().names(), *names)
    table = collect_frame(given.select(*names))
    return {name: frame_kind(table.get_column(name)) for name in names}


def file_kinds(path: str, format_: FileFormat, names: Sequence[str]) -> dict[str, ColumnKind]:
    """How columns of files are read; a CSV is read as far as it takes to find out."""
    with open_table(path, format_, names, (), tuple(names)) as table:
        if format_.kind != "csv":
            first = next(table.pieces).rows
            return {name: arrow_kind(first.column(name)) for name in names}
        looks = {name: _Look(name, key=name in table.source.keys) for name in names}
        for piece in table.pieces:
            for name, look in looks.items():
                look.add(piece.rows.column(name))
            if all(look.decided for look in looks.values()):
                break
        return {name: look.found for name, look in looks.items()}


class _Look:
    """Finds what the texts of a CSV's column may be, some rows at a time."""

    def __init__(self, name: str, *, key: bool) -> None:
        # Every reader takes the key of a folder as text.
        self._name, self._number, self._date, self._some = name, not key, True, False

    def add(self, texts: pa.Array) -> None:
        """See some entries."""
        pa, pc = pyarrow(), pyarrow("compute")
        present = texts.filter(pc.not_equal(pc.utf8_trim_whitespace(texts), ""))
        if not len(present):
            return
        self._some = True
        if self._number:
            try:
                as_numbers(self._name, present, 0)
                self._date = False
            except InvalidInputError:
                self._number = False
        if self._date:
            plain = pc.utf8_trim_whitespace(present.cast(pa.string()))
            dated = pc.match_substring_regex(plain, f"^{ISO_DATE}$")
            self._date = bool(pc.all(dated).as_py())

    @property
    def decided(self) -> bool:
        """Whether further rows change nothing."""
        return self._some and not (self._number or self._date)

    @property
    def found(self) -> ColumnKind:
        """What was seen."""
        if not self._some:
            return ColumnKind("label")
        return ColumnKind("number" if self._number else "date" if self._date else "label")


def _entry_kind(entry: object) -> Literal["number", "label", "date"]:
    if isinstance(entry, bool | np.bool_):
        return "label"
    if isinstance(entry, Real | Decimal):
        return "number"
    return "date" if isinstance(entry, date) else "label"
