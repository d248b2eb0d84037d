"""Check the claims of a record again, without the data, as far as its edition permits.

Example: pufferfish verify out.csv.record.json --released out.csv
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.exits import Exit
from pufferfish.cli.printing import Printing
from pufferfish.documents.signing import PublicKey
from pufferfish.kinds.verifier import verify_record
from pufferfish.options.groups import flatten_groups

__all__ = ["command"]

_WORDS = {True: "yes", False: "NO", None: "not checkable"}
_CODES = {True: Exit.DONE, False: Exit.NOT_PRIVATE, None: Exit.NOT_CHECKABLE}


@flatten_groups
def command(
    printing: Printing,
    record: Annotated[Path, typer.Argument(help="A record that `pufferfish release` wrote.")],
    released: Annotated[
        Path | None, typer.Option(help="The published file, if it is not next to the record.")
    ] = None,
    signer: Annotated[
        Path | None,
        typer.Option(metavar="PUBLIC", help="The public key that must have signed it (KEY.pub)."),
    ] = None,
) -> None:
    """Verify and report."""
    named = None if signer is None else PublicKey.load(signer)
    found = verify_record(record, released, signer=named)
    said = [
        (check.verdict, f"{_WORDS[check.verdict].ljust(14)} {check.in_words}")
        for check in found.checks
    ]
    # First the claims that are wrong, then what the promise does not cover, then what holds.
    lines = [line for verdict, line in said if verdict is False]
    lines += [f"{'beware'.ljust(14)} {text}" for text in found.headline]
    lines += [line for verdict, line in said if verdict is not False]
    lines += [f"{'note'.ljust(14)} {note}" for note in found.notes]
    printing.show().result(
        "\n".join([*lines, found.conclusion]),
        {
            "verdict": found.verdict,
            "edition": found.edition,
            "checks": [
                {"claim": each.claim, "verdict": each.verdict, "detail": each.detail}
                for each in found.checks
            ],
            "headline": list(found.headline),
            "notes": list(found.notes),
            "unchecked": list(found.unchecked),
            "signed_by": found.signed_by,
            "vouched": found.vouched,
            "conclusion": found.conclusion,
        },
    )
    raise typer.Exit(_CODES[found.verdict])
