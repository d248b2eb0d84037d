"""`pufferfish paper`: what it says, and what it refuses. What it computes: tests/paper."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pufferfish.cli import paper as command
from pufferfish.paper import Written
from tests.cli.conftest import Typed

HEADLINE = (("1.58161", "suffices"), ("1.9387", "is what the paper's bound takes"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, bool]]:
    """What the command asked for; answered at once."""
    calls: list[tuple[Path, bool]] = []

    def paper(folder: Path, *, force: bool, progress: Any) -> Written:
        progress("a step", 1, 2)
        calls.append((folder, force))
        found: Any = SimpleNamespace(headline=HEADLINE)
        return Written(folder=folder, files=("index.html", "fig-1.png"), reproduction=found)

    monkeypatch.setattr(command, "paper", paper)
    return calls


def test_it_says_what_to_open_first(typed: Typed, asked: list[tuple[Path, bool]]) -> None:
    said = typed("paper", "--out", "out")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "Wrote 2 files to out. Open out/index.html first."
    assert lines[1:] == ["  1.58161 suffices", "  1.9387 is what the paper's bound takes"]
    assert asked == [(Path("out"), False)]


def test_json_and_quiet(typed: Typed, asked: list[tuple[Path, bool]]) -> None:
    said = typed("paper", "-o", "out", "--json", "--force")
    assert said.json == {
        "folder": "out",
        "page": "out/index.html",
        "files": ["index.html", "fig-1.png"],
        "headline": [{"number": number, "what": words} for number, words in HEADLINE],
    }
    assert typed("paper", "-o", "out", "-q").out == ""
    assert asked == [(Path("out"), True), (Path("out"), False)]


def test_a_folder_in_use_is_refused(refused: Typed, folder: Path) -> None:
    before = {each.name for each in folder.iterdir()}
    said = refused("paper", "--out", ".")
    assert said.code == 5
    assert "--force" in said.err
    assert refused("paper", "--out", "t.csv", "--force").code == 5
    assert {each.name for each in folder.iterdir()} == before


def test_the_folder_must_be_named(refused: Typed) -> None:
    assert refused("paper").code == 2


def test_the_extra_is_asked_for(refused: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = refused("paper", "--out", "new")
    assert said.code == 2
    assert "pip install '.[report]'" in said.err
    assert not Path("new").exists()


def test_the_help_has_an_example(typed: Typed) -> None:
    said = typed("paper", "--help").out
    assert "Example: pufferfish paper --out" in said
    assert "--force" in said
