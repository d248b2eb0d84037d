"""The page in a browser: quiet, alone, readable on a phone, in the dark and on paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.browsers import CLIPPED, under_each_font, without_glyph
from tests.report import recodings
from tests.report.releases import LAWS, TABLE, adult, calibration, released

# The width and the height of a phone and of a desktop's window.
SIZES = [(375, 800), (1280, 900)]


def long_names() -> str:
    """Names without a place to break, and longer than a phone is wide."""
    names = "a" * 90, "b" * 90
    belief = pf.Belief(dict(zip(names, LAWS.values(), strict=True)), name="c" * 90)
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    rows = {"d" * 90: TABLE["x"], "s": [names[number % 2] for number in range(len(TABLE["x"]))]}
    plan = pf.Plan(calibration=found, column="d" * 90, secret="s")
    done = pf.release(rows, plan)
    return report(done.record, released=done.frame["d" * 90], original=TABLE["x"])


def capitals() -> str:
    """Several columns, one of them with categories of the widest letters."""
    source = np.random.default_rng(4)
    secrets = np.where(source.random(1_000) < 0.3, "a", "b")
    jobs = np.array(["MAWWM", "HANDWORKER OR GUARD", "ADMINISTRATION"])
    chosen = jobs[source.binomial(2, np.where(secrets == "a", 0.55, 0.45))]
    table = {"job": chosen, "old": source.binomial(1, 0.4, 1_000), "s": secrets}
    beliefs = pf.fit_beliefs(table, columns=["job", "old"], secret="s", families=("empirical",))
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.5), mechanism="recode", wrong=0.02)
    done = pf.release(table, pf.Plan(calibration=found, columns=["job", "old"], secret="s"))
    return report(done.record, released=done.frame, original=table)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kinds of pages, as files."""
    folder = tmp_path_factory.mktemp("pages")
    ten, one = adult(), released(calibration(delta=0.01))
    recoded, values = recodings.recoded("wrong laws")
    column = "education-num"
    original = pf.datasets.adult_education()[column]
    texts = {
        "internal": report(ten.record, released=ten.frame[column], original=original),
        "public": report(ten.record, edition="public", released=ten.frame[column]),
        "approximate": report(one.record, released=one.frame["x"], original=TABLE["x"]),
        "long names": long_names(),
        "recoded": report(recoded, released=values, original=recodings.VALUES),
        "table": capitals(),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


KINDS = ["internal", "public", "approximate", "long names", "recoded", "table"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_quiet_and_alone(
    browser: Any, pages: dict[str, Path], kind: str, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[kind].as_uri())
    context.close()
    assert said == []
    assert asked == [pages[kind].as_uri()]


@under_each_font
@pytest.mark.parametrize("kind", KINDS)
def test_it_fits(
    browser: Any, pages: dict[str, Path], kind: str, request: pytest.FixtureRequest
) -> None:
    page = browser.new_page()
    page.goto(pages[kind].as_uri())
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        # Text in pictures is not too small to read: at least 8.5 pixels.
        sizes = page.evaluate(
            """[...document.querySelectorAll('figure > svg text')].map(text => {
                const svg = text.ownerSVGElement;
                const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
                return parseFloat(getComputedStyle(text).fontSize) * scale;
            })"""
        )
        # The table of guesses is seen whole, without moving it sideways.
        table = page.evaluate(
            "(each => [each.scrollWidth, each.clientWidth])(document.querySelector('.wide'))"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert table[0] <= table[1]
        assert min(sizes) >= 8.5
        assert page.evaluate(CLIPPED) == []
    font = request.node.callspec.params["browser"]
    assert without_glyph(font, page.evaluate("document.body.textContent")) == set()
    page.close()


def shades(browser: Any, page_file: Path, scheme: str, media: str = "screen") -> tuple[str, str]:
    """The colours of the ground and of a curve."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.emulate_media(media=media, color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    curve = page.evaluate(
        "getComputedStyle(document.querySelector('figure path[style*=\"--first\"]')).stroke"
    )
    context.close()
    return ground, curve


def test_the_same_page_for_light_dark_and_paper(browser: Any, pages: dict[str, Path]) -> None:
    light = shades(browser, pages["internal"], "light")
    dark = shades(browser, pages["internal"], "dark")
    assert light == ("rgb(255, 255, 255)", "rgb(0, 114, 178)")
    assert dark == ("rgb(21, 24, 28)", "rgb(86, 180, 233)")
    # Paper is white, whatever the screen likes.
    assert shades(browser, pages["internal"], "dark", "print") == light


@under_each_font
@pytest.mark.parametrize(("kind", "most"), [("internal", 14), ("public", 6)])
def test_it_prints_on_a_sane_number_of_pages(
    browser: Any, pages: dict[str, Path], kind: str, most: int
) -> None:
    page = browser.new_page()
    page.goto(pages[kind].as_uri())
    printed = page.pdf(format="A4", print_background=True)
    page.close()
    count = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 2 <= count <= most


def test_scripts_would_not_run(browser: Any, pages: dict[str, Path], tmp_path: Path) -> None:
    """The page's own policy, should anything ever get past the escaping."""
    text = pages["public"].read_text(encoding="utf-8")
    broken = text.replace("<main>", "<main><script>document.title = 'run'</script>")
    broken = broken.replace("</main>", "<img src='https://example.org/x.png'></main>")
    assert broken.count("<script>") == 1
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    page = browser.new_page()
    sent: list[str] = []
    page.on("requestfinished", lambda request: sent.append(request.url))
    page.goto((tmp_path / "broken.html").as_uri())
    title = page.title()
    page.close()
    assert title.startswith("Public report")
    assert all(url.startswith("file:") for url in sent)
