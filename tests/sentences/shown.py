"""The sentences that a release shows: on the terminal, in the public record, on both pages."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pufferfish.cli.app import run
from tests.sentences.cases import CASES, Row, read, write

_INLINE = {"b", "strong", "em", "i", "code", "span", "a", "tspan", "sup", "sub", "bdi"}
_LABEL = 12
_LABELS = {"td", "th", "text", "h1", "h2", "h3", "title", "style", "pre"}
_WORD = re.compile(r"[^\W\d_]{2,}")
_END = re.compile(r"(?<=[.])\s+(?=['`A-Z0-9ε(])")


@dataclass
class Text(HTMLParser):
    """The blocks of text on a page."""

    html: str
    blocks: list[str] = field(default_factory=list)
    _said: str = ""
    _hidden: int = 0

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self._end()

    def _end(self) -> None:
        if text := " ".join(self._said.split()):
            self.blocks.append(text)
        self._said = ""

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE:
            self._end()
        self._hidden += tag in _LABELS

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self._end()
        self._hidden -= tag in _LABELS

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._said += data


@dataclass(frozen=True)
class Shown:
    """A release, and what it says."""

    name: str
    rows: list[Row]
    published: list[Row]
    record: dict[str, Any]
    sentences: frozenset[str]


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs and entries of a story on a terminal."""
    said = ""
    for line in text.splitlines():
        label, rest = line[:_LABEL], line[_LABEL:]
        starts = rest[:1] != " " and said.endswith(".")
        if label.strip() or rest.startswith("- ") or starts:
            yield said
            said = ""
        said = f"{said} {rest.removeprefix('- ').strip()}".strip()
    yield said


def _split(block: str) -> Iterator[str]:
    for each in _END.split(block):
        if len(_WORD.findall(each)) > 2:
            yield each


def show(name: str, folder: Path) -> Shown:
    """Make the release in this folder."""
    make, options = CASES[name]
    table, output = folder / f"{name}.csv", folder / f"{name}.out.csv"
    record, page = folder / f"{name}.json", folder / f"{name}.html"
    write(make(), table)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        words = options.replace("LEDGER", str(folder / "ledger")).split()
        end = ["-o", output, "--record", record, "--report", page]
        assert _run("release", table, *words, *end) == 0, printed.getvalue()
        public = folder / f"{name}.public"
        told = printed.getvalue().replace(f"{folder}/", "")
        assert _run("report", f"{public}.json", "--public", "-o", f"{public}.html") == 0
    said = json.loads(Path(f"{public}.json").read_text(encoding="utf-8"))
    blocks = [*_paragraphs(told), *said["headline"], said["promise"], said["notice"]]
    blocks += said["not_promised"]
    for each in (page, Path(f"{public}.html")):
        blocks += Text(each.read_text(encoding="utf-8")).blocks
    return Shown(
        name,
        read(table),
        read(output),
        json.loads(record.read_text(encoding="utf-8")),
        frozenset(each for block in blocks for each in _split(block)),
    )


def _run(*arguments: object) -> int:
    with contextlib.suppress(SystemExit):
        return run(list(map(str, arguments)))
    return 2
