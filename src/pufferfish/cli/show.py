"""What a command prints, and how far it has come."""

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
    """Where a command speaks.

    Attributes:
        json: Only one JSON object on standard output.
        quiet: Nothing but results and errors.
        to_stderr: Words go to standard error: standard output carries a table.
    """

    json: bool
    quiet: bool
    to_stderr: bool = False

    @property
    def silent(self) -> bool:
        """Whether words are not wanted."""
        return self.json or self.quiet

    def say(self, text: str) -> None:
        """Words for a person."""
        if not self.silent:
            stream = sys.stderr if self.to_stderr else sys.stdout
            stream.write(text + "\n")

    def warn(self, text: str) -> None:
        """What a person should know before it takes long."""
        if not self.silent:
            sys.stderr.write(f"note: {text}\n")

    def result(self, text: str, data: Mapping[str, Any]) -> None:
        """What the command is for: words, or the same as JSON."""
        if self.json:
            sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        else:
            self.say(text)

    @contextlib.contextmanager
    def progress(self, what: str) -> Iterator[Callable[[float], None]]:
        """A bar on a terminal; nothing elsewhere."""
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
