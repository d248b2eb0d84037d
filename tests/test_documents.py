"""Every snippet that a reader may copy runs, and prints what the page says it prints."""

from __future__ import annotations

import contextlib
import io
import math
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pufferfish.cli.app import run
from pufferfish.datasets import adult, csv_text
from tests import seams

ROOT = Path(__file__).parents[1]
PAGES = [
    *("README.md", "docs/index.md", "docs/reference/api.md", "docs/theory/pure-epsilon.md"),
    *(f"docs/how-to/{page}.md" for page in ("audit", "report", "signing", "sums", "tables")),
    *("docs/explanation/paper.md", "docs/explanation/stress.md"),
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(page: str) -> list[tuple[str, str]]:
    return _BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run_and_print_what_is_shown(page: str) -> None:
    names: dict[str, object] = {}
    blocks = _blocks(page)
    assert any(kind == "python" for kind, _ in blocks)
    for position, (kind, text) in enumerate(blocks):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{page}, block {position}", "exec"), names)
        if position + 1 < len(blocks) and blocks[position + 1][0] == "text":
            assert printed.getvalue() == blocks[position + 1][1]


def test_the_commands_print_what_the_readme_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The demo, then every command of the README, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    seams.put(monkeypatch, seams.SECONDS_OF_SPLITS, math.inf)
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 3600.0)
    assert run(["demo"]) == 0
    shown = next(text for kind, text in _blocks("README.md") if kind == "text")
    assert capfd.readouterr().out == shown
    commands = [
        text for kind, text in _blocks("README.md") if kind == "console" and "$ pufferfish" in text
    ]
    assert len(commands) >= 2
    for block in commands:
        for part in block.split("$ pufferfish ")[1:]:
            line, _, expected = part.partition("\n")
            assert run(shlex.split(line)) == 0
            # A checksum is that of random noise.
            printed = re.sub(r"sha256 \w+", "sha256 ...", capfd.readouterr().out)
            if line.startswith("audit"):
                assert _without_numbers(printed) == _without_numbers(expected)
            else:
                assert printed == expected


def test_the_commands_print_what_the_page_for_lawyers_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """To the letter, but for the learner, who sees a fresh draw."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adult.csv").write_text(csv_text(adult()), encoding="utf-8")
    (block,) = [
        text for kind, text in _blocks("docs/explanation/against-whom.md") if kind == "console"
    ]
    commands = [part.partition("\n") for part in block.split("$ pufferfish ")[1:]]
    assert len(commands) == 2
    for line, _, expected in commands:
        assert run(shlex.split(line)) == 0
        assert _but_for_the_learner(capfd.readouterr().out) == _but_for_the_learner(expected)


def _but_for_the_learner(text: str) -> list[str]:
    return [
        re.sub(r"\d+\.\d%", "#%", line) if "(a learner)" in line else line
        for line in text.splitlines()
    ]


def _without_numbers(text: str) -> list[str]:
    """An attack draws: its words stay, its numbers, their order and folded lines do not."""
    return sorted(" ".join(re.sub(r"-?\d[\d,.]*", "#", text).split()).split(" - "))


def _said_of(method: str) -> str:
    """The page about a formula."""
    return (ROOT / f"docs/theory/{method}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("method", "delta"), [("thm-2", 1e-3), ("cor-2", 0.0)])
def test_the_trials_of_the_formulas_are_those_of_the_pages(method: str, delta: float) -> None:
    """Of wide mixtures, where the formulas fail most; `make heavy` makes all trials."""
    example = runpy.run_path(str(ROOT / "examples" / "formulas.py"))
    wide = next(each for each in example["KINDS"] if each[0] == "wide")
    assert re.search(rf"\b{example['confirmed'](method, wide, delta)}\b", _said_of(method))


@pytest.mark.heavy
def test_all_trials_of_the_formulas_are_those_of_the_pages() -> None:
    trials = subprocess.run(
        [sys.executable, ROOT / "examples" / "formulas.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    counts = re.findall(r"(\S+), δ = \S+, \w+: (\d+) of 300", trials.stdout)
    assert len(counts) == 6
    for method, count in counts:
        assert re.search(rf"\b{count}\b", _said_of(method))
