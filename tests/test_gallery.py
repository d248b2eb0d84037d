"""The gallery: every picture has its words and the whole code that makes it."""

from __future__ import annotations

import re

import pytest
from website.gallery import Piece, figure_of, gallery_files, pieces

from tests.support import ROOT

_, PIECES = pieces((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))


def test_the_gallery_has_many_pictures() -> None:
    assert len({piece.heading for piece in PIECES}) == len(PIECES) >= 10


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.heading)
def test_every_picture_has_words_and_short_code(piece: Piece) -> None:
    """The words say what is seen and what follows."""
    words = piece.text.partition("```")[0]
    assert len(words.split()) >= 20
    assert len(re.findall(r"[.:](?:\s|$)", words)) >= 2
    lines = [line for line in piece.code.splitlines() if line and "import " not in line]
    assert len(lines) <= 10


def section(code: str, heading: str = "A picture") -> str:
    return f"# Gallery\n\n## {heading}\n\nWords.\n\n```python\n{code}\n```\n"


def test_code_has_no_names_of_other_sections() -> None:
    both = section(
        "import math\nimport pufferfish as pf\npf.Scenario(pf.datasets.adult_mixtures())"
    )
    with pytest.raises(NameError):
        gallery_files(both + section("pf.Guarantee(1.0)").removeprefix("# Gallery\n\n"))


def test_code_that_draws_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="does not end with what it draws"):
        gallery_files(section("x = 1"))
    with pytest.raises(KeyError):
        gallery_files(section("1 + 1"))


def test_a_section_has_one_block() -> None:
    with pytest.raises(ValueError, match="unpack"):
        pieces("# Gallery\n\n## No code\n\nWords.\n")


def test_a_picture_of_a_report_is_found_by_its_title() -> None:
    page = "<figure>\n<strong>a &amp; b</strong>\n1</figure><figure><strong>c</strong>2</figure>"
    assert "1</figure>" in figure_of(page, "a & b")
    assert "strong" not in figure_of(page, "c")
    with pytest.raises(ValueError, match="there are"):
        figure_of(page, "d")


def test_the_picture_stands_above_the_code() -> None:
    files = gallery_files(
        section("import matplotlib.pyplot as plt\nfigure, axes = plt.subplots()\nfigure")
    )
    page = files["gallery.md"]
    assert page.index("gallery/1.svg") < page.index("Words.") < page.index("```python")
    assert "<svg" in files["gallery/1.svg"]
