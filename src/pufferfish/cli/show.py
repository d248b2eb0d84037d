"""How a command prints its words, its result and its progress."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

__all__ = ["Show"]


@dataclass(frozen=True, slots=True)
class Show:
    """Where and how a command prints.

    Attributes:
        json: Print only one JSON object, on standard output.
        quiet: Print only errors.
        to_stderr: Print words to standard error, because standard output carries a table.
    """

    json: bool
    quiet: bool
    to_stderr: bool = False

    @property
    def silent(self) -> bool:
        """Whether no words are printed."""
        return self.json or self.quiet

    def say(self, text: str) -> None:
        """Print words for a person."""
        if not self.silent:
            stream = sys.stderr if self.to_stderr else sys.stdout
            stream.write(text + "\n")

    def warn(self, text: str) -> None:
        """Print a note to standard error."""
        if not self.silent:
            sys.stderr.write(f"note: {text}\n")

    def result(self, text: str, data: Mapping[str, Any]) -> None:
        """Print the result of the command: in words, or as JSON."""
        if self.json:
            sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        else:
            self.say(text)

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """Show a progress bar, on a terminal only."""
        if self.silent or not sys.stderr.isatty():
            yield lambda share: None
            return
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bar:
            task = bar.add_task(what, total=1.0)
            yield lambda share: bar.update(task, completed=share)
