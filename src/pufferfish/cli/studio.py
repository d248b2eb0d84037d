"""Open a page in the browser: see what a promise means for a column, then release it.

This machine serves the page to itself; no data leaves it. Ctrl-C ends the studio.

Example: pufferfish studio adult.csv
"""

from __future__ import annotations

import sys
import webbrowser
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.printing import Printing
from pufferfish.cli.show import Show
from pufferfish.core.extras import check_report, shiny
from pufferfish.core.validation import require
from pufferfish.options.groups import flatten_groups
from pufferfish.options.table import Marks
from pufferfish.studio.sources import source_from_path
from pufferfish.tables import STANDARD_STREAM

__all__ = ["command"]


@flatten_groups
def command(
    printing: Printing,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="The table to begin with: a file, a folder or a pattern in quotes, of any size; "
            "it is read where it is. Without it: built-in examples, or a file that you give to "
            "the page.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="The port to listen on; 0: any free port.")] = 0,
    max_upload: Annotated[
        int, typer.Option(help="Size of the largest file that the page takes, in megabytes.")
    ] = 200,
    na: Marks = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="A file that counts the releases of a column, and refuses one too many."),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the page, or only print its address."),
    ] = True,
) -> None:
    """Check the options, then serve until the user stops it."""
    shiny()
    check_report()
    require(max_upload >= 1, f"--max-upload must be at least 1 megabyte, got {max_upload}.")
    require(
        browser or not printing.quiet,
        "--quiet and --no-browser together would leave no way to open the page.",
    )
    require(file != STANDARD_STREAM, "the studio reads its table more than once: give a file.")
    if file is not None:
        source_from_path(file, na or ())
    # Shiny takes a second to load, and only this command needs it.
    from pufferfish.studio.app import studio_app  # noqa: PLC0415
    from pufferfish.studio.serving import serve  # noqa: PLC0415

    serve(
        partial(studio_app, given=file, ledger=ledger, na=na or ()),
        port=port,
        most_bytes=max_upload * 1_000_000,
        opened=partial(_open_page, show=printing.show(), browser=browser),
    )


def _open_page(address: str, show: Show, browser: bool) -> None:
    opened = browser and webbrowser.open(address)
    done = "Opened in your browser." if opened else "Open it in your browser."
    show.result(
        f"Studio      {address}\n"
        f"            {done} The address works once, on this machine only.\n"
        "            Ctrl-C ends the studio, and forgets every table it was given.",
        {"address": address},
    )
    # Somebody who reads this from a pipe waits for it, and the studio goes on.
    sys.stdout.flush()
