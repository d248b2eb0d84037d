"""The gallery: the code of each section runs when the site is built, and its picture goes above it.

A `python` block runs with no names but its own, and ends with what it draws: a result as notebooks
show it, the text of a report, or a figure of matplotlib. A report has several pictures; the heading
of the section is the title of the one to show. A `console` block is a command that writes an SVG.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.figure import Figure

from pufferfish.datasets import adult, csv_text
from pufferfish.report.notebook import to_html
from website.notebooks import as_drawing, as_output

_BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(r"<figure>\s*<strong>(.*?)</strong>(.*?)</figure>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """One section: its heading, all that stands below it, and the code in that."""

    heading: str
    text: str
    kind: str
    code: str


def pieces(markdown: str) -> tuple[str, list[Piece]]:
    """The introduction, and the sections, each of which has one block of code."""
    introduction, *sections = re.split(r"^## ", markdown, flags=re.MULTILINE)
    found = []
    for section in sections:
        heading, text = section.split("\n", 1)
        ((kind, code),) = _BLOCK.findall(text)
        found.append(Piece(heading, text, kind, code))
    return introduction, found


def gallery_files(markdown: str) -> dict[str, str]:
    """The page with a picture in every section, and the drawings that are files of their own."""
    introduction, sections = pieces(markdown)
    parts, drawings = [introduction], {}
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        # As `make demo` leaves it.
        table = Path("pufferfish-demo/adult.csv")
        table.parent.mkdir()
        table.write_text(csv_text(adult()), encoding="utf-8")
        for number, piece in enumerate(sections, start=1):
            made = _run_python(piece) if piece.kind == "python" else _run_command(piece.code)
            if isinstance(made, Figure):
                made = _svg(made)
            if made.startswith("<?xml"):
                drawings[f"gallery/{number}.svg"] = made
                picture = as_drawing(f"gallery/{number}.svg", made)
            else:
                picture = as_output(made)
            parts.append(f"## {piece.heading}\n\n{picture}\n{piece.text}")
    return {"gallery.md": "".join(parts)} | drawings


def _run_python(piece: Piece) -> Any:
    """What the last line says: a drawing, or HTML."""
    *lines, last = ast.parse(piece.code).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the code of {piece.heading!r} does not end with what it draws.")
    names: dict[str, Any] = {}
    exec(compile(ast.Module(lines, []), piece.heading, "exec"), names)  # noqa: S102 (our own page)
    value = eval(compile(ast.Expression(last.value), piece.heading, "eval"), names)  # noqa: S307
    if isinstance(value, Figure):
        return value
    return figure_of(value, piece.heading) if isinstance(value, str) else to_html(value)


def figure_of(report: str, title: str) -> str:
    """The first picture of a report that has this title, without it."""
    figures = {html.unescape(name): drawn for name, drawn in reversed(_FIGURE.findall(report))}
    if title not in figures:
        raise ValueError(f"no picture is called {title!r}; there are {list(figures)}.")
    return f'<div class="pufferfish">\n<figure>{figures[title]}</figure>\n</div>'


def _run_command(code: str) -> str:
    """What the command wrote."""
    words = shlex.split(code.removeprefix("$ ").replace("\\\n", " "))
    (name,) = (word for word in words if word.endswith(".svg"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(words, env={**os.environ, "PATH": path}, check=True, capture_output=True)  # noqa: S603
    return Path(name).read_text(encoding="utf-8")


def _svg(figure: Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    return text.getvalue()
