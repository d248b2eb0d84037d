"""The studio in a browser: for every reader, with or without eyes, mouse, light and room."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests.browsers import CLIPPED, under_each_font, without_glyph
from tests.studio.conftest import Opened, Served, Tab, served

pytestmark = pytest.mark.xdist_group("studio")

# What a control is called: by its own words, or by those that it points to.
NAMELESS = """() => [...document.querySelectorAll('input, select, button, textarea, summary, a')]
    .filter(each => each.type !== 'hidden')
    .filter(each => {
        const pointed = (each.getAttribute('aria-labelledby') || '').split(' ')
            .map(id => document.getElementById(id)?.textContent || '').join('');
        const labels = [...(each.labels || [])].map(label => label.textContent).join('');
        const own = each.matches('button, a, summary') ? each.textContent : '';
        const told = each.getAttribute('aria-label') || '';
        return !(pointed + labels + own + told).trim();
    }).map(each => each.outerHTML)"""
# Pictures that are neither hidden from who hears the page, nor have a role and a name.
UNTOLD = """() => [...document.querySelectorAll('svg')]
    .filter(each => !each.closest('[aria-hidden=true]'))
    .filter(each => {
        const ids = (each.getAttribute('aria-labelledby') || '').split(' ').filter(Boolean);
        const words = ids.map(id => document.getElementById(id)?.textContent.trim());
        const role = each.getAttribute('role');
        return !(['img', 'group'].includes(role) && words.length && words.every(Boolean));
    }).map(each => each.outerHTML.slice(0, 200))"""
REPEATED = """() => {
    const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
    return ids.filter((each, place) => ids.indexOf(each) !== place);
}"""
# The least contrast of a text and the first ground behind it that is not transparent.
CONTRAST = """selector => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map(each => each / 255)
        .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
        .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
    const ground = each => {
        for (; each; each = each.parentElement) {
            const colour = rgba(getComputedStyle(each).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return [255, 255, 255, 255];
    };
    return [...document.querySelectorAll(selector)]
        .filter(each => each.textContent.trim() && each.checkVisibility())
        .map(each => {
            const pair = [light(rgba(getComputedStyle(each).color)), light(ground(each))];
            return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        }).reduce((least, each) => Math.min(least, each), 99);
}"""
TEXTS = (".tiles span", ".tiles b", ".tiles small", "button", "summary", "legend", "label", "a")


@pytest.fixture(scope="module")
def released() -> Iterator[Served]:
    """A studio in which every part of the page is shown."""
    with served() as studio:
        yield studio


def full(tab: Tab) -> None:
    """All pairs, all folds open, something released."""
    tab.shows("#tile-promise", "ε = 1")
    tab.choose("which", "all")
    tab.page.wait_for_selector("#look")
    tab.page.wait_for_selector("#picture-heat svg")
    tab.page.wait_for_selector("#release")
    if tab.page.locator("#again").count():
        tab.page.check("#again")
    tab.release()
    tab.page.wait_for_selector("#again")
    tab.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


def test_everything_has_a_name(opened: Opened, released: Served) -> None:
    tab = opened(released)
    full(tab)
    page = tab.page
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(UNTOLD) == []
    assert page.locator("figure svg[role]").count() >= 6
    assert page.evaluate(REPEATED) == []
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.title()
    assert page.locator("h1").count() == 1
    # Headings go down one step at a time.
    levels = page.eval_on_selector_all(
        "h1, h2, h3, h4", "all => all.map(each => Number(each.tagName[1]))"
    )
    assert all(after <= before + 1 for before, after in pairwise(levels))
    # What is hidden from who hears the page cannot be reached by the keyboard.
    assert page.locator("[aria-hidden=true] :is(a, button, input, [tabindex='0'])").count() == 0
    assert page.locator("[aria-hidden=true][tabindex='0']").count() == 0
    for place, role in (("#problem", "alert"), ("#said", "status")):
        assert page.get_attribute(place, "role") == role


def test_the_keyboard_reaches_everything(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    tab.choose("which", "all")
    tab.page.wait_for_selector("#picture-heat svg")
    tab.page.wait_for_selector("#release")
    tab.page.focus(".skip")
    seen: list[str] = []
    name = """() => {
        const at = document.activeElement;
        const box = at.closest('.slider');
        return at.id || (at.dataset.cell ? 'cell ' + at.dataset.cell : '')
            || (box ? `${box.dataset.input} ${at.type}` : '') || at.name || at.tagName;
    }"""
    for _ in range(120):
        tab.page.keyboard.press("Tab")
        seen.append(tab.page.evaluate(name))
        if seen[-1] == "release":
            break
    assert seen[-1] == "release"
    wanted = ["source", "column", "secret", "epsilon number", "epsilon range", "delta range"]
    places = [seen.index(each) for each in wanted]
    assert places == sorted(places)
    assert sum(each.startswith("cell ") for each in seen) == 10
    # What is folded or belongs to another answer is passed by.
    assert not {"within", "min_group", "person"} & set(seen)


def test_a_slider_says_where_it_is(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    slider = ".slider[data-input=epsilon] input[type=range]"
    tab.page.focus(slider)
    tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_function(
        "slider => document.querySelector(slider).getAttribute('aria-valuetext').includes('1.1')",
        arg=slider,
    )
    tab.page.wait_for_selector("#said >> text=ε = 1.1", state="attached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_on_a_phone(opened: Opened, released: Served, scheme: str) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
    tab = opened(released, **phone)
    full(tab)
    ground = tab.page.evaluate(
        "getComputedStyle(document.querySelector('.studio')).backgroundColor"
    )
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[scheme]
    contrasts = {each: tab.page.evaluate(CONTRAST, f".studio {each}") for each in TEXTS}
    # WCAG 2.2, level AA.
    assert {each: found for each, found in contrasts.items() if found < 4.5} == {}
    # Everything that is pressed is large enough for a finger: 24 pixels (WCAG 2.2, 2.5.8).
    small = tab.page.eval_on_selector_all(
        "button, select, input[type=range], input[type=number]",
        "all => all.filter(each => each.checkVisibility() && "
        "each.getBoundingClientRect().height < 24).map(each => each.outerHTML)",
    )
    assert small == []


@under_each_font
def test_it_fits(opened: Opened, released: Served, request: pytest.FixtureRequest) -> None:
    tab = opened(released)
    full(tab)
    for width in (390, 1280):
        tab.page.set_viewport_size({"width": width, "height": 844})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.page.evaluate(CLIPPED) == []
    font = request.node.callspec.params["browser"]
    assert without_glyph(font, tab.page.evaluate("document.body.textContent")) == set()
