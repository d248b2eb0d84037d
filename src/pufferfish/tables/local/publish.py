"""Publish changed arrays, frames and files; a file or a folder is complete or not there.

A table of one file becomes one file. A table of several files becomes a folder, or one file where
the target's name is that of a file.

Whole rows are shuffled, with the columns that are kept, and go to numbered files of equal size, so
that a row's place reveals nothing. The key of a folder ("key=value") that is kept becomes a column
of these files.

Rows that keep their places also keep their files: the folder has the same names and each file the
same rows. So the names of files and folders are published, like the rows' order, and the key of a
folder must be a column that is kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pufferfish.tables.arrays import new_array
from pufferfish.tables.arrow import BATCH
from pufferfish.tables.batch import Coded, IntArray, Numbers
from pufferfish.tables.change import Change
from pufferfish.tables.engine import Staged
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat
from pufferfish.tables.local.folder import writing_folder
from pufferfish.tables.local.frames import (
    reorder,
    without_metadata,
    without_unused_categories,
)
from pufferfish.tables.local.persons import PersonCounter
from pufferfish.tables.local.pool import in_order
from pufferfish.tables.local.transform import ChangedArrays, ChangedFiles, ChangedFrame
from pufferfish.tables.local.writing import Output, writing

__all__ = ["publish_arrays", "publish_files", "publish_frame"]


def publish_arrays(changed: ChangedArrays, how: Change) -> Staged:
    """A dict of arrays, its rows in their order or in random order."""
    how.finish(changed.persons)
    order, columns = _reorder(changed.columns, how)
    if order is not None:
        kept = {name: each[order] for name, each in changed.kept.items()}
        changed = changed._replace(kept=kept, columns=columns)
    return _hold(changed.arrays, columns)


def publish_frame(changed: ChangedFrame, how: Change) -> Staged:
    """A frame, its rows in their order or in random order; lazy where a lazy one was given."""
    how.finish(changed.persons)
    order, columns = _reorder(changed.columns, how)
    result = changed.frame if order is None else reorder(changed.frame, order)
    # After the shuffle: a dictionary may list its entries in the order of first occurrence.
    same = [name for name, kind in how.columns.items() if kind == "same" and name not in how.known]
    table = without_metadata(without_unused_categories(result, same).to_native())
    return _hold(table.lazy() if changed.lazy else table, columns)


_New = Mapping[str, Numbers | Coded]


def _reorder(columns: _New, how: Change) -> tuple[IntArray | None, _New]:
    """The order of the rows, and the new columns in that order; None: as they are."""
    if how.order is None:
        return None, columns
    order = how.order(next(iter(columns.values())).rows)
    return order, {name: each.taken(order) for name, each in columns.items()}


def _hold(table: Any, columns: _New) -> Staged:
    """A result in memory; the checksum is that of its changed columns, one after the other."""
    digest = hashlib.sha256()
    for column in columns.values():
        array = new_array(column) if isinstance(column, Numbers) else _ranks(column, digest.update)
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data)
    return Staged(sha256=digest.hexdigest(), checksum_of="column", name=None, table=lambda: table)


def _ranks(column: Coded, tell: Callable[[bytes], None]) -> IntArray:
    """Codes that depend only on labels that occur: `tell` is called with these, sorted."""
    present = np.unique(column.codes[~column.missing]).tolist()
    names = sorted((str(column.labels[code]), code) for code in present)
    tell(json.dumps([name for name, _ in names]).encode())
    ranks = np.full(len(column.labels) + 1, -1, dtype=np.int64)
    ranks[[code for _, code in names]] = np.arange(len(names))
    return ranks[column.codes]


@contextmanager
def publish_files(
    changed: ChangedFiles,
    how: Change,
    target: str,
    target_format: FileFormat,
    *,
    folder: bool,
    force: bool = False,
) -> Iterator[Staged]:
    """One file or a folder, which takes its place if the block raises no error.

    Args:
        changed: What to write.
        how: What was done.
        target: Where to write; "-" is standard output.
        target_format: The format to write.
        folder: Whether this is a folder.
        force: Replace what is there already.
    """
    place = None if target == STANDARD_STREAM else Path(target)
    persons = PersonCounter(None if place is None else place.parent)
    shuffle = changed.shuffle
    output: AbstractContextManager[Output] = (writing_folder if folder else writing)(
        target, target_format, changed.schema, force=force
    )
    with output as writer:
        for part in changed.parts:
            how.account(part.seen.changed)
            if part.seen.persons is not None:
                persons.add(part.seen.persons)
            how.show(part.seen.secrets, part.columns)
            if shuffle is None:
                writer.write(part.rows, changed.names.get(part.file))
            else:
                shuffle.take(part.dealt)
        how.finish(persons.found())
        if shuffle is not None:
            with closing(in_order(shuffle.parts(BATCH), lambda part: part())) as shuffled:
                for rows in shuffled:
                    writer.write(rows, None)
        writer.close()
        yield Staged(
            sha256=writer.sha256,
            checksum_of="folder" if folder else "file",
            name=None if place is None else place.name,
            table=lambda: target,
        )
