"""One run of everything, shared by all tests of a process."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from examples.paper import Written, paper
from examples.paper.figure import Figure, Series
from examples.paper.run import Progress

DATA = Path(__file__).parents[1] / "data"
Steps = list[tuple[str, int, int]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process, which computes everything once."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("paper"))


@pytest.fixture(scope="session")
def steps() -> Steps:
    """What the run told about its progress."""
    return []


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory, steps: Steps) -> Written:
    """The whole set, in a folder that was not there."""

    def note(what: str, done: int, total: int) -> None:
        steps.append((what, done, total))

    progress: Progress = note
    return paper(tmp_path_factory.mktemp("paper") / "new" / "folder", progress=progress)


def figure_of(written: Written, name: str) -> Figure:
    """A figure by the name of its files."""
    found = written.reproduction
    return next(each for each in (*found.figures, found.counterexamples) if each.name == name)


def series_of(written: Written, name: str, letter: str) -> dict[str, Series]:
    """What a panel draws, by label."""
    panel = next(each for each in figure_of(written, name).panels if each.letter == letter)
    return {each.label: each for each in panel.series}


def reference(name: str) -> list[dict[str, str]]:
    """Rows of a reference file."""
    with (DATA / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
