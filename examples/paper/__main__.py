"""Compute the paper's figures and numbers again, together with what the library adds.

Writes a page with Figs. 1 to 5, the table of methods, the counterexamples to Theorem 2 and
Corollary 2, and the errata; each picture as PNG and SVG, and its numbers as CSV. Takes about a
minute.

Example: python -m examples.paper --out paper
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pufferfish as pf
from examples.paper import paper


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute everything, then write it."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", "-o", type=Path, required=True, help="the folder to write to")
    parser.add_argument(
        "--force", action="store_true", help="replace files of the same names in the folder"
    )
    asked = parser.parse_args(arguments)
    try:
        written = paper(asked.out, force=asked.force, progress=_tell)
    except pf.PufferfishError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    first = written.folder / written.files[0]
    print(f"Wrote {len(written.files)} files to {written.folder}. Open {first} first.")
    for number, words in written.reproduction.headline:
        print(f"  {number} {words}")
    return 0


def _tell(what: str, done: int, total: int) -> None:
    print(f"{done} of {total}: {what}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
