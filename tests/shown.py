"""What a page shows is what happens: its snippets and commands, run in order in one folder.

A `python` block runs, and the `text` block after it is what it prints. In a `console` block every
line that begins with `$ ` is a command, and what follows is what it prints, on both streams; or the
`text` block after it, if that begins with `$ ` too. `...` stands for what is left out, or for what
is drawn anew each time. `; echo $?` shows the exit code. A `sh` block is not run: it shows commands
that a test cannot run, and `tests/test_documents.py` lists the pages with their reasons.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pufferfish.cli.app import run
from pufferfish.datasets import adult, csv_text
from tests.support import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The page that needs a Spark session; tests/tables/spark walks it.
ON_SPARK = "docs/how-to/spark.md"
_ECHO = "; echo $?"
# Attacks draw: their words stay, their numbers, their order and folded lines do not.
_DRAWN = "pufferfish audit "


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: what they are, and what stands in them."""
    return _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block, and what is shown below it."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, shown = re.sub(r"\\\n\s*", "", part).partition("\n")
        found.append((line, shown))
    return found


def walk(page: str, read: Callable[[], Any]) -> None:
    """Run a page from top to bottom; `read` gives what our commands printed since it was asked."""
    names: dict[str, Any] = {}
    of_page = [*blocks(page), ("", "")]
    for position, (kind, text) in enumerate(of_page):
        following, below = of_page[(position + 1) % len(of_page)]
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, f"{page}, block {position}", "exec"), names)
            if following == "text":
                agree(printed.getvalue(), below, page)
        elif kind == "console":
            for line, shown in commands(text):
                printed_text = printed_by(line, read)
                if line.startswith(_DRAWN):
                    agree_in_words(printed_text, shown, line)
                else:
                    in_block = shown or following != "text" or not below.startswith("$ ")
                    agree(printed_text, shown if in_block else below, line)


def settle(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Work in this folder as a reader does: our commands are found, and the demo left its table."""
    patch.chdir(folder)
    patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (folder / "pufferfish-demo").mkdir()
    table = csv_text(adult())
    (folder / "pufferfish-demo" / "adult.csv").write_text(table, encoding="utf-8")


def agree(printed: str, shown: str, what: str) -> None:
    """To the letter, but for `...`."""
    pattern = re.escape(_but_for_learners(shown)).replace(re.escape("...\n"), r"(?:.*\n)*?")
    pattern = pattern.replace(re.escape("..."), ".*")
    found = re.fullmatch(pattern, _but_for_learners(printed))
    assert found, f"{what} printed\n{printed}\nand not\n{shown}"


def agree_in_words(printed: str, shown: str, what: str) -> None:
    """But for numbers and the order of items; a line `...` stands for items that are left out."""
    left_out = re.subn(r"^\.\.\.\n", "", shown, flags=re.MULTILINE)
    missed = Counter(_items(left_out[0])) - Counter(_items(printed))
    further = Counter(_items(printed)) - Counter(_items(left_out[0]))
    assert not missed, f"{what} did not print {missed} but {further}"
    assert left_out[1] or not further, f"{what} also printed {further}"


def printed_by(line: str, read: Callable[[], Any]) -> str:
    """Run one command in this process if it is ours, else by the shell."""
    command, echo, _ = line.partition(_ECHO)
    if command.startswith("pufferfish "):
        code = run(shlex.split(command)[1:])
        said = read()
        text = said.out + said.err
    else:
        done = subprocess.run(
            command,
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )
        code, text = done.returncode, done.stdout + done.stderr
    assert echo or code == 0, text
    return text + (f"{code}\n" if echo else "")


def _but_for_learners(text: str) -> str:
    """What a learner finds depends on a fresh draw."""
    return re.sub(
        r"^.*\(a learner\).*$",
        lambda line: re.sub(r"\d+\.\d%", "#%", line[0]),
        text,
        flags=re.MULTILINE,
    )


def _items(text: str) -> list[str]:
    return [
        " ".join(re.sub(r"-?\d[\d,.]*", "#", item).split()).rstrip(".")
        for item in re.split(r"^(?=- |\S)", text, flags=re.MULTILINE)
        if item.strip()
    ]
