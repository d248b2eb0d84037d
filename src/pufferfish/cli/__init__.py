"""The command line: parse, call, show. No formula lives here."""

from __future__ import annotations

import contextlib
import io
import os
import sys

from pufferfish.core.extras import install_in_words

__all__ = ["main"]


def main() -> None:
    """Run the command that the user typed."""
    try:
        from pufferfish.cli.app import run  # noqa: PLC0415
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] not in ("typer", "rich"):
            raise
        sys.stderr.write(f"error: the command line needs typer; {install_in_words('cli')}.\n")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Greek letters must not turn a release that succeeded into an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        # An output that cannot be written was reported already.
        with contextlib.suppress(OSError):
            stream.flush()
    # A reader's thread may still wait for standard input: a normal exit would crash on it.
    os._exit(code)
