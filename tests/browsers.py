"""Chromium for tests: as this machine has it, or as on a machine with one family of fonts.

How wide and how tall a text is depends on the reader's font. What depends on it is tested under
each of three common families that is here: DejaVu has the widest letters, Noto the tallest lines.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from fontTools.ttLib import TTFont
from matplotlib.font_manager import findSystemFonts

__all__ = ["CLIPPED", "FILES", "FONTS", "chromium", "under_each_font", "without_glyph"]

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
# The texts of pictures that are cut off by an edge.
CLIPPED = """[...document.querySelectorAll('figure > svg text')].filter(text => {
    const box = text.ownerSVGElement.getBoundingClientRect();
    const own = text.getBoundingClientRect();
    return own.left < box.left - 1 || own.right > box.right + 1
        || own.top < box.top - 1 || own.bottom > box.bottom + 1;
}).map(text => text.textContent)"""
# Quiet, and also as root.
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
# The names of a family's files: letters, letters of one width, signs.
_NAMES = {
    "DejaVu": r"DejaVuSans(Mono)?(-Bold)?\.ttf",
    "Liberation": r"Liberation(Sans|Mono)-(Regular|Bold)\.ttf",
    "Noto": r"NotoSans(Mono|Math|Symbols2?)?(-Regular|-Bold|\[.*\])\.ttf",
}


def _installed() -> dict[str, list[Path]]:
    """The files of each family that is here; Matplotlib brings DejaVu."""
    brought = Path(matplotlib.get_data_path(), "fonts", "ttf").glob("*.ttf")
    here = {each.name: each for each in (*brought, *map(Path, findSystemFonts()))}
    found = {
        family: [here[each] for each in sorted(here) if re.fullmatch(name, each)]
        for family, name in _NAMES.items()
    }
    return {family: files for family, files in found.items() if files}


FILES = _installed()
# Those that FONTS names must be here.
FONTS = os.environ.get("FONTS", "").split() or sorted(FILES)
under_each_font = pytest.mark.parametrize("browser", FONTS, indirect=True)


def without_glyph(font: str, text: str) -> set[str]:
    """The signs of a text that the family does not have, and shows as boxes."""
    known = {ord("\n"), ord("\t")}.union(*(TTFont(each).getBestCmap() for each in FILES[font]))
    return {each for each in text if ord(each) not in known}


@contextlib.contextmanager
def chromium(font: str | None = None) -> Iterator[Any]:
    """A browser; with `font`, one that has no other."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("needs Chromium")
    with tempfile.TemporaryDirectory() as folder, playwright.sync_playwright() as started:
        chosen = {} if font is None else {"FONTCONFIG_FILE": _only(font, Path(folder))}
        running = started.chromium.launch(
            executable_path=CHROMIUM, args=_ARGUMENTS, env={**os.environ, **chosen}
        )
        if font is not None:
            assert _family(running) == f"{font} Sans"
        yield running
        running.close()


def _only(font: str, folder: Path) -> str:
    """The file that tells fontconfig of this family alone."""
    assert font in FILES, f"the font {font} is not installed"
    for file in FILES[font]:
        (folder / file.name).symlink_to(file)
    mono = "Liberation Mono" if font == "Liberation" else f"{font} Sans Mono"
    told = folder / "fonts.conf"
    told.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">'
        f"<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir>"
        f"<alias><family>monospace</family><prefer><family>{mono}</family></prefer></alias>"
        '<match><edit name="family" mode="append_last">'
        f"<string>{font} Sans</string></edit></match></fontconfig>",
        encoding="utf-8",
    )
    return str(told)


def _family(browser: Any) -> str:
    """The font in which a page's text is set."""
    page = browser.new_page()
    page.set_content('<p style="font-family: system-ui, sans-serif">100% after</p>')
    asked = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        asked.send(f"{domain}.enable")
    root = asked.send("DOM.getDocument")["root"]["nodeId"]
    node = asked.send("DOM.querySelector", {"nodeId": root, "selector": "p"})["nodeId"]
    fonts = asked.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    page.close()
    return "+".join(each["familyName"] for each in fonts)
