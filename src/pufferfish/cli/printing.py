"""Options that say how a command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from pufferfish.cli.show import Show

__all__ = ["Force", "Printing"]

Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Printing:
    """How a command prints."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, no words.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")] = False

    def show(self, *, to_stderr: bool = False) -> Show:
        """Where to print."""
        return Show(self.json, self.quiet, to_stderr)
