"""Every snippet that a reader may copy runs, and prints what the page says it prints."""

from __future__ import annotations

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
from tests.shown import blocks, walk
from tests.support import ROOT

# Their commands are about files, clusters or hours that a test does not have.
NOT_WALKED = [f"docs/how-to/{page}.md" for page in ("large-tables", "recoding", "spark", "studio")]
PAGES = [
    *("docs/index.md", "docs/reference/api.md", "docs/theory/pure-epsilon.md"),
    *(f"docs/how-to/{page}.md" for page in ("audit", "report", "signing", "sums", "tables")),
    *(f"docs/explanation/{page}.md" for page in ("how-it-works", "paper", "stress")),
]
# Read from top to bottom with the built-in table in its folder: snippets and commands.
WALKED = [
    str(page.relative_to(ROOT))
    for folder in ("tutorials", "how-to")
    for page in sorted((ROOT / "docs" / folder).glob("*.md"))
    if str(page.relative_to(ROOT)) not in {*PAGES, *NOT_WALKED}
]


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run_and_print_what_is_shown(page: str) -> None:
    assert any(kind == "python" for kind, _ in blocks(page))
    walk(page, None)


@pytest.mark.parametrize("page", ["README.md", *WALKED])
def test_a_page_does_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each in a folder of its own; no clock decides what is shown."""
    monkeypatch.chdir(tmp_path)
    seams.put(monkeypatch, seams.SECONDS_OF_SPLITS, math.inf)
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 3600.0)
    (tmp_path / "pufferfish-demo").mkdir()
    table = csv_text(adult())
    (tmp_path / "pufferfish-demo" / "adult.csv").write_text(table, encoding="utf-8")
    assert {kind for kind, _ in blocks(page)} & {"console", "python"}
    walk(page, capfd.readouterr)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_outside_the_site_lead_somewhere(page: str) -> None:
    """Those within the site are checked when it is built."""
    links = re.findall(r"\]\(([^)#\s]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert link.startswith("https://") or (ROOT / link).is_file(), link


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def test_the_commands_print_what_the_page_for_lawyers_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """To the letter, but for the learner, who sees a fresh draw."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adult.csv").write_text(csv_text(adult()), encoding="utf-8")
    (block,) = [
        text for kind, text in blocks("docs/explanation/against-whom.md") if kind == "console"
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
