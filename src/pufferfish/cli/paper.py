"""Compute the paper's figures and numbers again, together with what the library adds.

Writes a page with Figs. 1 to 5, the table of methods, the counterexamples to Theorem 2 and
Corollary 2, and the errata; each picture as PNG and SVG, and its numbers as CSV. Takes about a
minute.

Example: pufferfish paper --out paper
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.printing import Force, Printing
from pufferfish.options.groups import flatten_groups
from pufferfish.paper import paper

__all__ = ["command"]


@flatten_groups
def command(
    printing: Printing,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")],
    force: Force = False,
) -> None:
    """Compute everything, then write it."""
    show = printing.show()
    with show.progress("The paper, computed again") as progress:
        written = paper(out, force=force, progress=lambda what, done, total: progress(done / total))
    first = written.folder / written.files[0]
    headline = written.reproduction.headline
    lines = [
        f"Wrote {len(written.files)} files to {written.folder}. Open {first} first.",
        *(f"  {number} {words}" for number, words in headline),
    ]
    show.result(
        "\n".join(lines),
        {
            "folder": str(written.folder),
            "page": str(first),
            "files": list(written.files),
            "headline": [{"number": number, "what": words} for number, words in headline],
        },
    )
