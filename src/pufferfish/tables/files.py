"""The rows of a file, as far as a summary needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pufferfish.tables.arrow import arrow_batch
from pufferfish.tables.formats import FileFormat
from pufferfish.tables.reading import opened
from pufferfish.tables.tally import Batch

__all__ = ["Progress", "file_batches"]

# Told the share of the work that is done.
Progress = Callable[[float], None]


def file_batches(
    path: str,
    format_: FileFormat,
    column: str,
    secret: str,
    count: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Values and secrets, some rows at a time."""
    wanted = [column, secret, *([] if count is None else [count])]
    with opened(path, format_, wanted, column) as table:
        for part in table.parts:
            yield arrow_batch(part, column, secret, count)
            if progress is not None and table.progress is not None:
                progress(table.progress)
