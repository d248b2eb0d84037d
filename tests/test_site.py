"""The documentation as a site: it builds without a warning, is complete, and stays by itself."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import typer.main
from markdown import markdown
from website.gallery import pieces
from website.maths import Scripts, mathml
from website.notebooks import NOTEBOOKS

import pufferfish as pf
from pufferfish.cli.app import app
from pufferfish.report.style import INKS
from pufferfish.schemas import SHAPES
from tests.browsers import under_each_font
from tests.support import PATIENCE, ROOT

# One process builds the site, and the tests share it.
pytestmark = pytest.mark.xdist_group("site")

# What makes a browser load something. Links to follow are no such thing.
LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(\S+?)["'\s>]"""
    r"""|<link\b[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon|manifest)[^>]*"""
)
PARTS = ["Tutorials", "How-to", "Reference", "Explanation"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        # With --quiet warnings are not counted, and --strict would refuse nothing.
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def pages_of(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_the_site_has_four_parts(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")
    tabs = home[home.index('class="md-tabs"') : home.index("</nav>", home.index('class="md-tabs"'))]
    assert [part for part in PARTS if re.search(rf"^\s*{part}\s*$", tabs, re.MULTILINE)] == PARTS


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert len(pages_of(site)) > 50
    for page in pages_of(site):
        for found in LOADS.finditer(page.read_text(encoding="utf-8")):
            assert "//" not in found[0].replace("</", ""), (page, found[0])
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


class _Links(HTMLParser):
    """What a page refers to, and what can be referred to in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name == "id":
                self.anchors.add(value)
            elif value and name in {"href", "src"}:
                self.links.add(value)


def test_every_link_leads_somewhere(site: Path) -> None:
    """To a file of the site, and to a place in it; addresses of other sites are not asked."""
    pages = {page: _Links(page) for page in pages_of(site) if page.name != "404.html"}
    followed = 0
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), (page, link)
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, (page, link)
                followed += 1
    assert followed > 1000


def test_every_displayed_formula_is_one(site: Path) -> None:
    for source in sorted((ROOT / "docs").rglob("*.md")):
        fences = source.read_text(encoding="utf-8").count("\n```math\n")
        if fences:
            place = source.relative_to(ROOT / "docs").with_suffix("") / "index.html"
            html = (site / place).read_text(encoding="utf-8")
            assert html.count('<math xmlns="http://www.w3.org/1998/Math/MathML"') == fences


def test_every_command_and_option_is_there(site: Path) -> None:
    page = (site / "reference/commands/index.html").read_text(encoding="utf-8")
    commands: dict[str, Any] = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    commands |= {f"key {name}": each for name, each in commands.pop("key").commands.items()}
    assert len(commands) == page.count("<h2 ")
    for name, command in commands.items():
        start = page.index(f'<h2 id="{name.replace(" ", "-")}"')
        section = page[start : page.find("<h2 ", start + 1)]
        options = [option for each in command.params for option in each.opts if option[0] == "-"]
        assert options
        for option in options:
            assert re.search(rf"<code>[^<]*{option}\b", section), (name, option)


def test_every_name_is_there(site: Path) -> None:
    page = (site / "reference/python/index.html").read_text(encoding="utf-8")
    for name in pf.__all__:
        assert re.search(rf'<h3 id="pufferfish\.(\w+\.)*{name}"', page), name


def test_every_schema_is_there(site: Path) -> None:
    shipped = Path(pf.__file__).parent / "schemas"
    for kind in SHAPES:
        name = f"{kind}.schema.json"
        assert (site / "reference/schemas" / name).read_text("utf-8") == (shipped / name).read_text(
            "utf-8"
        )


def test_every_section_of_the_gallery_has_its_picture(site: Path) -> None:
    """Its code made it just now: in the page, or in a file next to it."""
    _, sections = pieces((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    page = (site / "gallery/index.html").read_text(encoding="utf-8")
    shown = page.split("<h2 ")[1:]
    assert len(shown) == len(sections)
    for section in shown:
        drawings = re.findall(r'<img [^>]*src="([^"]*)"', section)
        assert section.count("<figure>") + len(drawings) == 1, section[:80]
        assert all((site / "gallery" / each).resolve().is_file() for each in drawings)
    ids = re.findall(r'\bid="([^"]*)"', page[page.index("<h2 ") :])
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("stem", [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb"))])
def test_every_notebook_is_there_with_what_it_showed(site: Path, stem: str) -> None:
    cells = nbformat.read(NOTEBOOKS / f"{stem}.ipynb", as_version=4).cells
    page = (site / "notebooks" / stem / "index.html").read_text(encoding="utf-8")
    code = sum(cell.cell_type == "code" for cell in cells)
    assert page.count('<div class="language-python highlight">') >= code
    drawings = re.findall(r'<img [^>]*src="([^"]*\.svg)"', page)
    assert drawings
    assert all((site / "notebooks" / stem / each).resolve().is_file() for each in drawings)
    assert '<div class="pufferfish"' in page
    assert (site / "notebooks" / f"{stem}.ipynb").is_file()
    assert "/site-packages/" not in page
    assert "Traceback" not in page


def test_pictures_take_the_colours_that_the_reader_chose(site: Path) -> None:
    sheet = (site / "assets/pictures.css").read_text(encoding="utf-8")
    for scheme, colour in (("default", INKS["ink"][0]), ("slate", INKS["ink"][1])):
        assert f'[data-md-color-scheme="{scheme}"] .pufferfish {{' in sheet
        assert f"--ink: {colour};" in sheet


@pytest.mark.parametrize(
    "latex", [r"\nosuchcommand x", r"a & b", r"\begin{aligned} a &= b \end{aligned}"]
)
def test_what_is_not_understood_is_refused(latex: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        mathml(latex)


def test_limits_stand_below_and_signs_close() -> None:
    assert "<munder>" in mathml(r"\max_k x_k")
    assert 'form="prefix"' in mathml(r"\Phi(-t)")
    assert 'form="prefix"' in mathml(r"\max(s,\, -t)")
    assert 'form="prefix"' not in mathml(r"a - t")
    assert mathml(r"p\log q").count("mspace") == 2
    assert "mspace" not in mathml(r"\sin^2 x")
    assert "mspace" not in mathml(r"y = \max(a)")
    assert 'rspace="0.278em"' in mathml(r"\{ t : t > 0 \}")
    assert mathml(r"y\sup_k\, x").count("mspace") == 2


def test_letters_are_set_as_in_tex() -> None:
    """Roman where it is asked for, upright Greek capitals, primes that are not raised twice."""
    assert "<mtext>E</mtext>" in mathml(r"\mathrm{E}\,X")
    assert '<mi mathvariant="normal">Γ</mi>' in mathml(r"\Gamma(x)")
    assert 'mathvariant="normal"' not in mathml(r"\gamma(x)")
    prime = '<mo lspace="0" rspace="0">′</mo>'
    assert f"<mrow><mi>P</mi>{prime}</mrow><mo" in mathml("P'(x)")
    assert f"<msub><mrow><mi>s</mi>{prime}</mrow><mi>m</mi></msub>" in mathml("s_m'")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("e^ε·q", "e<sup>ε</sup>·q"),
        (r"s\_m²", "s<sub>m</sub>²"),
        ("q^{j + 2^K i}", "q<sup>j + 2<sup>K</sup> i</sup>"),
        (r"M\_{t,z\_t}(x)", "M<sub>t,z<sub>t</sub></sub>(x)"),
        (r"e^{Λ\_1 + Λ\_2}", "e<sup>Λ<sub>1</sub> + Λ<sub>2</sub></sup>"),
        (r"e^{w−2u\*}", "e<sup>w−2u*</sup>"),
        ("`e^x`", "<code>e^x</code>"),
    ],
)
def test_short_formulas_are_raised_and_lowered(text: str, shown: str) -> None:
    assert markdown(text, extensions=[Scripts()]) == f"<p>{shown}</p>"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.slow
@under_each_font
def test_pages_fit_and_ask_nobody(browser: Any, site: Path, address: str) -> None:
    """A page is no wider than the screen; what is wider scrolls in a box of its own."""
    page = browser.new_page()
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    wide = []
    for each in pages_of(site):
        place = each.relative_to(site).as_posix()
        page.goto(f"{address}/{place}")
        # A change of size is there at once.
        page.add_style_tag(content="* { transition: none !important; }")
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append((place, width))
    page.goto(f"{address}/index.html?q=certificate")
    page.wait_for_selector(".md-search-result__item", state="attached", timeout=1000.0 * PATIENCE)
    page.close()
    assert not wide
    assert not failed
    assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]
