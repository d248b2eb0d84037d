"""The command line: parse, call, show. No formula lives here."""

from __future__ import annotations

import contextlib
import io
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command that the user typed."""
    try:
        from pufferfish.cli.app import run  # noqa: PLC0415
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] not in ("typer", "rich"):
            raise
        sys.stderr.write("error: the command line needs pip install 'pufferfish-privacy[cli]'.\n")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Greek letters must not turn a release that succeeded into an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        # What cannot be written was reported already.
        with contextlib.suppress(OSError):
            stream.flush()
    # A thread of a reader may still wait for standard input, and would break the interpreter's end.
    os._exit(code)
