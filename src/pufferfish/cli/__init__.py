"""The command line: parse, call, show. No formula lives here."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command that the user typed."""
    try:
        from pufferfish.cli.app import run  # noqa: PLC0415
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] not in ("typer", "rich", "click"):
            raise
        sys.stderr.write("error: the command line needs pip install 'pufferfish-privacy[cli]'.\n")
        sys.exit(2)
    sys.exit(run(sys.argv[1:]))
