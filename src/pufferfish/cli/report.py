"""Write the report of a release: one HTML page with words, pictures and numbers.

Example: pufferfish report out.csv.record.json --original adult.csv
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.printing import Force, Printing
from pufferfish.core.atomic import refuse_unusable, write_text
from pufferfish.core.errors import OutputExistsError
from pufferfish.documents.signing import PublicKey
from pufferfish.kinds.record import Edition
from pufferfish.options.groups import flatten_groups
from pufferfish.options.table import Marks
from pufferfish.report import report
from pufferfish.report.sources import edition_for

__all__ = ["command"]


@flatten_groups
def command(
    printing: Printing,
    record: Annotated[
        Path, typer.Argument(help="A record that `pufferfish release` or `sum` wrote.")
    ],
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Write the edition that may be published; the only one for a public record.",
        ),
    ] = False,
    released: Annotated[
        Path | None,
        typer.Option(
            help="The published file; by default the one that the record names. A sum has none."
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option(help="The table before the release, for a picture of the internal edition."),
    ] = None,
    na: Marks = None,
    signer: Annotated[
        Path | None,
        typer.Option(
            metavar="PUBLIC", help="The public key that must have signed the record (KEY.pub)."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page to write; by default next to the record."),
    ] = None,
    force: Force = False,
) -> None:
    """Verify the record, and write the page."""
    edition: Edition = "public" if public else edition_for(record)
    public = edition == "public"
    place = output or record.with_name(
        _stem(record) + (".public.html" if public else ".report.html")
    )
    refuse_unusable(place, force=force)
    for source in (record, released, original):
        if source is not None and place.exists() and source.exists() and place.samefile(source):
            raise OutputExistsError(
                f"{place} is what the report is about; choose another --output."
            )
    named = None if signer is None else PublicKey.load(signer)
    page = report(
        record,
        edition=edition,
        released=released,
        original=original,
        na=na or (),
        signer=named,
    )
    write_text(place, page, force=force, private=not public)
    printing.show().result(
        f"Report      {place} ({'may be published' if public else 'private'})",
        {"report": str(place), "edition": edition, "bytes": len(page.encode())},
    )


def _stem(record: Path) -> str:
    """The published file, if the record is named after it."""
    name = record.name.removesuffix(record.suffix)
    return name.removesuffix(".record").removesuffix(".public")
