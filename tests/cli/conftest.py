"""A curator in an empty folder, who types commands."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pufferfish.cli.app import run
from tests import seams
from tests.cli.tables import rows, write


@dataclass(frozen=True)
class Said:
    """What a command told the shell and the screen."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON object, without NaN and such."""

        def refuse(constant: str) -> None:
            raise ValueError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


Typed = Callable[..., Said]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The curator's folder, with one good table: t.csv."""
    monkeypatch.chdir(tmp_path)
    # What is printed must not depend on how fast the machine is.
    seams.put(monkeypatch, seams.SECONDS_OF_SPLITS, math.inf)
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 3600.0)
    write(tmp_path / "t.csv", rows())
    return tmp_path


@pytest.fixture
def typed(folder: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Typed]:
    """Run a command in this process."""
    del folder
    handler = signal.getsignal(signal.SIGTERM)

    def command(*arguments: object) -> Said:
        capfd.readouterr()
        try:
            code = run([str(each) for each in arguments])
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else 1
        said = capfd.readouterr()
        return Said(int(code), said.out, said.err)

    yield command
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def refused(typed: Typed) -> Typed:
    """Run a command that must fail: in one line, without a traceback and without a cell."""

    def command(*arguments: object) -> Said:
        said = typed(*arguments)
        assert said.out == ""
        assert said.err.startswith("error: ")
        assert said.err.endswith("\n")
        assert said.err.count("\n") == 1
        assert "Traceback" not in said.err
        assert not list(Path().rglob("*.unfinished"))
        return said

    return command


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits in this process try short columns; tests/audits has some that try long ones."""
    seams.put(monkeypatch, seams.ROWS_OF_A_RUN, 501)


@pytest.fixture
def shell() -> Callable[..., subprocess.Popen[bytes]]:
    """Start the command in a process of its own, as a shell does."""

    def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "pufferfish", *(str(each) for each in arguments)]
        # A test runner may have been started in the background, where Ctrl-C is ignored.
        options.setdefault("preexec_fn", _listens)
        return subprocess.Popen(command, env=_environment(), **options)

    return start


def _environment() -> dict[str, str]:
    source = str(Path(__file__).parents[2] / "src")
    path = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": source if path is None else f"{source}{os.pathsep}{path}"}


def _listens() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
