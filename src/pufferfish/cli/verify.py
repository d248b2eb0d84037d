"""Check every claim of a record again, without the data.

Example: pufferfish verify out.csv.record.json --released out.csv
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.checking import verify_record
from pufferfish.cli.exits import Exit
from pufferfish.cli.printing import Printing
from pufferfish.options.groups import grouped

__all__ = ["command"]

_WORDS = {True: "yes", False: "NO", None: "not checkable"}
_CODES = {True: Exit.DONE, False: Exit.NOT_PRIVATE, None: Exit.NOT_CHECKABLE}


@grouped
def command(
    printing: Printing,
    record: Annotated[Path, typer.Argument(help="A record that `pufferfish release` wrote.")],
    released: Annotated[
        Path | None, typer.Option(help="The published file, to compare its checksum.")
    ] = None,
) -> None:
    """Verify and report."""
    found = verify_record(record, released)
    lines = [
        f"{_WORDS[check.verdict].ljust(14)} {check.claim} ({check.detail})"
        for check in found.checks
    ]
    verdict = {
        True: "Every claim of this record holds. Dates, versions and counts of the table are only "
        "stated: nobody can check them without the data.",
        False: "This record makes a claim that does NOT hold.",
        None: f"Not all can be checked from the {found.edition} edition; nothing is wrong in the "
        "rest.",
    }[found.verdict]
    printing.show().result(
        "\n".join([*lines, verdict]),
        {
            "verdict": found.verdict,
            "edition": found.edition,
            "checks": [asdict(check) for check in found.checks],
        },
    )
    raise typer.Exit(_CODES[found.verdict])
