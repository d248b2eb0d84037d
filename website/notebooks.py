"""The notebooks as pages: run when the site is built, so a page shows what has just happened."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
# No history is kept, and what matplotlib draws is sharp at every size.
_KERNEL = ["--HistoryManager.enabled=False", "--InlineBackend.figure_formats=svg", "--log-level=40"]
_SECONDS = 600
_LINK = re.compile(r"\]\((?:\.\./docs/([^)]*)|([\w-]+)\.ipynb)\)")


def notebook_files() -> dict[str, str]:
    """Each page with its pictures, and the notebook itself: where they stand, and their text."""
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        notebooks = list(pool.map(run_notebook, paths))
    written = {f"notebooks/{path.name}": path.read_text(encoding="utf-8") for path in paths}
    for path, notebook in zip(paths, notebooks, strict=True):
        written |= page_files(path.stem, notebook)
    return written


def run_notebook(path: Path) -> Any:
    """The notebook with its outputs, run from top to bottom in an empty folder.

    Raises:
        CellExecutionError: A cell fails.
    """
    notebook: Any = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        client = NotebookClient(
            notebook,
            timeout=_SECONDS,
            startup_timeout=_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(work)}},
            extra_arguments=_KERNEL,
        )
        client.execute(env={**os.environ, "IPYTHONDIR": folder})
    return notebook


def page_files(stem: str, notebook: Any) -> dict[str, str]:
    """Text, code and what it showed as Markdown, and the drawings that stand in it.

    Links to documents and to other notebooks become links to their pages.
    """
    parts: list[str] = []
    drawings: dict[str, str] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(_LINK.sub(_to_page, cell.source))
        else:
            parts.append(f"```python\n{cell.source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text")})
            if "text/html" in data:
                parts.append(as_output(data["text/html"]))
            elif "image/svg+xml" in data:
                name = f"{stem}-{len(drawings) + 1}.svg"
                drawings[f"notebooks/{name}"] = data["image/svg+xml"]
                parts.append(as_drawing(name, data["image/svg+xml"]))
            else:
                parts.append(f"```text\n{data['text/plain'].rstrip()}\n```")
        if len(parts) == 1:  # what says what the page is about
            parts.append(f"[Download the notebook]({stem}.ipynb). It was run to make this page.")
    return {f"notebooks/{stem}.md": "\n\n".join(parts) + "\n"} | drawings


def _to_page(link: re.Match[str]) -> str:
    return f"](../{link[1]})" if link[1] else f"]({link[2]}.md)"


def as_output(shown: str) -> str:
    """HTML that Markdown leaves as it is; what is wide scrolls in its box."""
    return f'<div class="output" tabindex="0">\n{shown.strip()}\n</div>'


def as_drawing(name: str, svg: str) -> str:
    """A picture in a file, never so small that its letters cannot be read: it scrolls instead."""
    (points,) = re.findall(r'viewBox="0 0 ([\d.]+) ', svg)
    image = f'![What the code draws]({name}){{ style="min-width: {0.85 * float(points):.0f}px" }}'
    return f'<div class="drawing" tabindex="0" markdown>\n{image}\n</div>'
