"""Notebooks are stored without what they showed; the site runs them, and shows what came of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from website.notebooks import NOTEBOOKS, as_drawing, page_files, run_notebook

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
# Where somebody's files are.
OF_A_MACHINE = re.compile(r"/(?:home|root|Users|tmp|work|mnt|opt)/|[A-Z]:\\\\|~/")


def cells_of(path: Path) -> list[Any]:
    return list(nbformat.read(path, as_version=4).cells)


def test_there_are_notebooks() -> None:
    assert len(PATHS) >= 4


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path: Path) -> None:
    """Draws are random: outputs would change with every run, and would say who made them where."""
    text = path.read_text(encoding="utf-8")
    nbformat.validate(json.loads(text))
    assert not OF_A_MACHINE.search(text)
    for cell in cells_of(path):
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None
    assert set(json.loads(text)["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_ends_with_what_is_promised(path: Path) -> None:
    cells = cells_of(path)
    assert cells[0].source.startswith("# ")
    assert cells[-1].source.startswith("## What is promised, and what is not\n")
    assert {"**Promised.**", "**Not promised.**"} <= set(
        re.findall(r"\*\*.*?\*\*", cells[-1].source)
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_cells_are_short(path: Path) -> None:
    for cell in cells_of(path):
        assert len(cell.source.splitlines()) <= 20, cell.source


def written(folder: Path, *sources: str) -> Path:
    """A notebook with these cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    path = folder / "small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_a_cell_that_fails_stops_the_site(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run_notebook(written(tmp_path, "print('before')", "1 / 0"))


def test_a_page_shows_what_cells_showed(tmp_path: Path) -> None:
    """In a folder of its own: what it writes is gone afterwards."""
    notebook = run_notebook(
        written(
            tmp_path,
            "from pathlib import Path\nPath('kept.txt').write_text('x')\nprint(6 * 7)",
            "from IPython.display import HTML\nHTML('<b>bold</b>')",
            "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
        )
    )
    files = page_files("small", notebook)
    page = files.pop("notebooks/small.md")
    assert "```text\n42\n```" in page
    assert '<div class="output" tabindex="0">\n<b>bold</b>\n</div>' in page
    assert "](small-1.svg)" in page
    assert "<svg" in files["notebooks/small-1.svg"]
    assert not Path("kept.txt").exists()


def test_links_lead_to_pages() -> None:
    cell = nbformat.v4.new_markdown_cell(
        "[a](../docs/how-to/sums.md#y), [b](other.ipynb), [c](z.md)"
    )
    page = page_files("small", nbformat.v4.new_notebook(cells=[cell]))["notebooks/small.md"]
    assert "[a](../how-to/sums.md#y), [b](other.md), [c](z.md)" in page


def test_letters_of_a_drawing_stay_readable() -> None:
    assert "min-width: 340px" in as_drawing("x.svg", '<svg viewBox="0 0 400 200">')
