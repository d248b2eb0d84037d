"""The quick stress test after a release, where the table can be read again."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pufferfish.cli.show import Show
from pufferfish.columns.record import Record
from pufferfish.joint.record import TableRecord
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.options.table import Table
from pufferfish.tables import STANDARD_STREAM
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.what_if.quick import quick_stress
from pufferfish.what_if.result import Stress

__all__ = ["NoStress", "stress_data", "stressed"]

NoStress = Annotated[
    bool,
    typer.Option(
        "--no-stress",
        help="Do not test what the promise becomes for those who know more than was described.",
    ),
]


def stressed(record: ReleaseRecord[Any, Any], table: Table, show: Show) -> Stress | str | None:
    """A quick stress test; a text if there was none; None for a kind of release without one.

    The table is published by now, so nothing that happens here is an error.
    """
    if not isinstance(record, Record | TableRecord):
        return None
    if table.file == STANDARD_STREAM:
        return "standard input cannot be read again"
    if not table.path.is_file():
        return "the table is not a single file"
    engine = FilesEngine(source=table.file, source_format=table.file_format)
    try:
        with show.progress("Testing") as progress:
            return quick_stress(record, engine, progress)
    except KeyboardInterrupt:
        return "it was stopped"


def stress_data(tested: Stress | str | None) -> dict[str, Any] | None:
    """The result of the test for --json."""
    if isinstance(tested, str):
        return {"not_tested": tested}
    return None if tested is None else tested.to_dict()
