"""Every snippet that a reader may copy runs, and prints what the page says it prints."""

from __future__ import annotations

import math
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from pufferfish.cli.app import app
from tests import seams
from tests.shown import ON_SPARK, blocks, settle, walk
from tests.support import ROOT

DOCUMENTS = [
    *("README.md", "CONTRIBUTING.md", "SECURITY.md"),
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
]
# Commands that a test cannot run are in `sh` blocks: what to type, and not what it prints.
ILLUSTRATIONS = {
    "README.md": "installs the package into an environment",
    "docs/tutorials/first-release.md": "installs the package into an environment",
    "docs/versions.md": "installs the package into an environment",
    "docs/how-to/studio.md": "opens a browser, and runs until Ctrl-C",
    "docs/reference/benchmarks.md": "takes an hour",
}
# On a cluster, by tests/tables/spark/test_page.py; when the site is built, by tests/test_site.py.
RUN_ELSEWHERE = {ON_SPARK, "docs/gallery.md"}
WALKED = [
    page
    for page in DOCUMENTS
    if page not in RUN_ELSEWHERE and {kind for kind, _ in blocks(page)} & {"console", "python"}
]


def test_every_command_is_run_or_listed() -> None:
    """A block of text holds no command, unless it is what a command printed."""
    assert {page for page in DOCUMENTS if "sh" in dict(blocks(page))} == set(ILLUSTRATIONS)
    for page in DOCUMENTS:
        before = ""
        for kind, text in blocks(page):
            assert kind in {"console", "json", "math", "python", "sh", "text"}, (page, kind)
            if kind == "text" and before != "console":
                assert not re.search(r"^(\$ |pufferfish |make )", text, re.MULTILINE), page
            before = kind


def test_what_is_not_run_names_commands_that_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for page in ILLUSTRATIONS:
        shown = "\n".join(text for kind, text in blocks(page) if kind == "sh")
        assert set(re.findall(r"^make ([a-z-]+)", shown, re.MULTILINE)) <= set(targets)
        for name in re.findall(r"^pufferfish ([a-z-]+)", shown, re.MULTILINE):
            assert name in typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", WALKED)
def test_a_page_does_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each in a folder of its own, with the built-in table; no clock decides what is shown."""
    settle(tmp_path, monkeypatch)
    seams.put(monkeypatch, seams.SECONDS_OF_SPLITS, math.inf)
    seams.put(monkeypatch, seams.SECONDS_OF_STRESS, 3600.0)
    walk(page, capfd.readouterr)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_outside_the_site_lead_somewhere(page: str) -> None:
    """Those within the site are checked where it is built (tests/test_site.py)."""
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    for link in links:
        place, _, anchor = link.partition("#")
        if not link.startswith("https://"):
            target = ROOT / (place or page)
            assert target.is_file(), link
            assert not anchor or anchor in anchors_of(target), link


def anchors_of(page: Path) -> set[str]:
    """As a reader of the repository sees them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_pages_that_are_named_exist() -> None:
    """In the changelog, and in docstrings and messages."""
    sources = [
        ROOT / "CHANGELOG.md",
        *(ROOT / "src").rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ]
    named = {
        page
        for source in sources
        for page in re.findall(r"\bdocs/[\w/-]+\.md\b", source.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert not {page for page in named if not (ROOT / page).is_file()}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


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
