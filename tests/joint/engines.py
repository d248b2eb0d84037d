"""A small table as every kind of frame and file, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from scipy.stats import chi2

import pufferfish as pf

Rows = dict[str, list[Any]]
# (give, published): from a table of Arrow's and a folder to what is released, and back to rows.
Kind = tuple[Callable[[pa.Table, Path], Any], Callable[[Any], pa.Table]]


def _csv(table: pa.Table, folder: Path) -> Path:
    pc.write_csv(table, folder / "t.csv")
    return folder / "t.csv"


def _parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet", row_group_size=700)
    return folder / "t.parquet"


def _folder(table: pa.Table, folder: Path) -> Path:
    (folder / "t").mkdir()
    for number, start in enumerate(range(0, table.num_rows, 900)):
        pq.write_table(table.slice(start, 900), folder / "t" / f"{number}.parquet")
    return folder / "t"


def read_csv(path: Path) -> pa.Table:
    empty = pc.ConvertOptions(
        strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
    )
    return pc.read_csv(path, convert_options=empty)


KINDS: dict[str, Kind] = {
    "arrays": (
        lambda table, _: {
            name: np.array(table.column(name).to_pylist(), dtype=object)
            for name in table.column_names
        },
        lambda arrays: pa.table({name: each.tolist() for name, each in arrays.items()}),
    ),
    "pandas": (
        lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
        lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    ),
    "polars": (lambda table, _: pl.from_arrow(table), lambda frame: frame.to_arrow()),
    "lazy": (
        lambda table, _: pl.from_arrow(table).lazy(),
        lambda frame: frame.collect().to_arrow(),
    ),
    "arrow": (lambda table, _: table, lambda table: table),
    "csv": (_csv, read_csv),
    "parquet": (_parquet, pq.read_table),
    "folder": (_folder, pq.read_table),
}
FILES = {"csv": "out.csv", "parquet": "out.parquet", "folder": "out"}


def plain(table: pa.Table) -> Rows:
    """Rows as plain values; a float that is whole is a whole number."""
    return {
        name: [_plain(each) for each in table.column(name).to_pylist()]
        for name in table.column_names
    }


def _plain(entry: Any) -> Any:
    if isinstance(entry, float):
        return None if np.isnan(entry) else int(entry) if entry.is_integer() else entry
    return entry


def released(
    kind: str, table: pa.Table, plan: pf.Plan, folder: Path, **more: Any
) -> tuple[Rows, Any]:
    """What is published of a table of some kind, and its record, which is verified."""
    give, take = KINDS[kind]
    folder.mkdir(exist_ok=True)
    output = folder / FILES[kind] if kind in FILES else None
    given = give(table, folder)
    done = pf.release(given, plan, output, **more)
    if output is None:
        assert type(done.frame) is type(given)
    for edition in ("internal", "public"):
        place = folder / f"{edition}.json"
        done.record.save(place, edition)
        found = pf.verify_record(place)
        assert found.verdict is not False, found
        assert all(each.verdict is not False for each in found.checks), found
    assert type(done.record).load(folder / "internal.json") == done.record
    return plain(take(done.frame if output is None else output)), done.record


def seen(law: Any, given: list[Any], published: list[Any]) -> Any:
    """How often each value of a map became each output; unseen values are the last."""
    values = {each: place for place, each in enumerate(law.values)}
    outputs = {each: place for place, each in enumerate(law.outputs)}
    found = np.zeros((len(values) + (law.unseen is not None), len(outputs)))
    for before, after in zip(given, published, strict=True):
        found[values.get(before, len(values)), outputs[after]] += 1
    return found


def chances(law: Any) -> Any:
    """The probabilities of a map; those of unseen values are the last."""
    rows = [*np.asarray(law.table).tolist(), *([law.unseen] if law.unseen is not None else [])]
    return np.array([[int(each) / 2.0**62 for each in row] for row in rows])


def rejects(law: Any, found: Any, share: float = 1.0) -> bool:
    """A χ² test of a map, with a false-alarm rate of 1e-6 · `share`; rare cells are pooled.

    Args:
        law: The recoding.
        found: What was seen, as from `seen`.
        share: Of the false alarms.
    """
    expected = found.sum(axis=1, keepdims=True) * chances(law)
    if (found[expected == 0.0] > 0).any():
        return True
    statistic, freedom = 0.0, 0
    for row, planned in zip(found, expected, strict=True):
        often = planned >= 5.0
        cells = [*zip(row[often], planned[often], strict=True)]
        rest = planned[~often].sum()
        if rest >= 5.0:
            cells.append((row[~often].sum(), rest))
        if len(cells) > 1:
            statistic += sum((one - two) ** 2 / two for one, two in cells)
            # Where rare cells were left out, the others do not add up to the row.
            freedom += len(cells) - (rest >= 5.0 or rest == 0.0)
    return bool(statistic > chi2.isf(1e-6 * share, max(freedom, 1)))
