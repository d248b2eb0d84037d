"""Sign an existing record, after checking that none of its claims is wrong.

Example: pufferfish sign out.csv.public.json --key curator.key
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.printing import Printing
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import CertificationError
from pufferfish.documents.text import document_text, plain_document
from pufferfish.kinds.verifier import verify_record
from pufferfish.options.groups import flatten_groups
from pufferfish.options.signing import load_key

__all__ = ["command"]


@flatten_groups
def command(
    printing: Printing,
    record: Annotated[Path, typer.Argument(help="A record; it is written again, signed.")],
    key: Annotated[Path, typer.Option(help="The key that `pufferfish key sign KEY` made.")],
) -> None:
    """Verify, sign, replace."""
    signer = load_key(key)
    found = verify_record(record, ignore_signature=True)
    wrong = [check for check in found.checks if check.verdict is False]
    if wrong:
        why = "" if wrong[0].other_file else "it makes a claim that does not hold: "
        ending = "" if wrong[0].other_file else "."
        raise CertificationError(
            f"{record} is not signed, because {why}{wrong[0].in_words}{ending}"
        )
    text = document_text(signer.signed(plain_document(record, "record")))
    write_text(record, text, force=True, private=found.edition == "internal")
    printing.show().result(
        f"Signed      {record} by {signer.public.fingerprint}",
        {"record": str(record), "fingerprint": signer.public.fingerprint},
    )
