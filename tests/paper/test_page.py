"""The page: whole, alone, and tied to its files."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from examples.paper import Written


class Reader(HTMLParser):
    """Tags, links and ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            if name == "href" and tag == "a":
                self.links.append(str(value))
            if name in ("src", "srcset", "data", "action"):
                self.fetched.append(str(value))


@pytest.fixture(scope="module")
def text(written: Written) -> str:
    return (written.folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    return reader


def test_it_needs_nothing_else(text: str, read: Reader) -> None:
    assert not {"script", "link", "iframe", "object", "img", "form"} & set(read.tags)
    assert not read.fetched
    assert not re.search(r"https?:|url\((?!#)|@import|javascript:", text)
    assert "default-src 'none'" in text
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_every_link_leads_somewhere(written: Written, read: Reader) -> None:
    assert len(set(read.ids)) == len(read.ids)
    inside = {link[1:] for link in read.links if link.startswith("#")}
    assert inside <= set(read.ids)
    files = {link for link in read.links if not link.startswith("#")}
    assert files == set(written.files) - {"index.html"}
    for name in files:
        assert (written.folder / name).is_file()


def test_every_figure_is_found_by_its_number(written: Written, text: str, read: Reader) -> None:
    for number in range(1, 6):
        assert f"<h2>Fig. {number}. " in text
        assert f"fig-{number}" in read.ids
    for figure in (*written.reproduction.figures, written.reproduction.counterexamples):
        for panel in figure.panels:
            assert f"{figure.name}-{panel.letter}-title" in read.ids


def test_every_picture_has_words(written: Written, text: str) -> None:
    panels = [panel for each in written.reproduction.figures for panel in each.panels]
    panels += written.reproduction.counterexamples.panels
    assert text.count('role="img"') == len(panels)
    for figure in written.reproduction.figures:
        labels = [label for label, _ in figure.words]
        assert {"In the paper", "Here", "What to see", "Where they differ"} <= set(labels)


def test_table_counterexamples_and_errata_are_there(written: Written, text: str) -> None:
    assert text.count('<table class="ways">') == 7
    for word in ("1.58161", "1.64873", "1.9387", "CC BY 4.0", "10.24432/C5XW20", "Ni Ding"):
        assert word in text
    errata = text.partition('<section id="errata">')[2].partition("</section>")[0]
    assert errata.count("<li>") == len(written.reproduction.errata) == 7
    assert "a release never has a seed" in text
