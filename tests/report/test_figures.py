"""Every picture is a drawing that can stand beside others, in any light, and shows its numbers."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import figures
from pufferfish.report.columns import bars_of, count_column
from pufferfish.report.figures import Scale
from pufferfish.report.style import INKS, css_variables
from pufferfish.report.views import View, views
from tests.report.releases import LAWS, calibration


@cache
def view() -> View:
    found = calibration()
    return views(found.scenario, found.certificate)[0]


@cache
def table_view() -> View:
    laws = {"a": pf.Discrete([1.0, 2.0], [0.5, 0.5]), "b": pf.Discrete([2.0, 3.0], [0.3, 0.7])}
    found = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    return views(found.scenario, found.certificate)[0]


def drawn_profile(name: str, delta: float) -> str:
    found = calibration(delta=delta)
    epsilons = np.linspace(0.0, 0.75, 7)
    after = pf.privacy_profile(found.scenario, found.noise, epsilons)
    before = pf.privacy_profile(found.scenario, pf.NoNoise(), epsilons)
    return figures.privacy(name, after, before, found.goal)


def drawn_bars(name: str) -> str:
    released, original = (
        count_column(np.random.default_rng(2).normal(0.0, std, 500), "x") for std in (2.0, 1.0)
    )
    assert released is not None
    bars = bars_of(released, original)
    assert bars is not None
    return figures.histogram(name, bars)


def drawn_published(name: str) -> str:
    curves = view().published
    assert curves is not None
    return figures.published(name, curves)


def drawn_ratio(name: str) -> str:
    curve = view().ratio
    assert curve is not None
    return figures.log_ratio(name, curve, view().results, calibration().goal)


PRIORS = np.linspace(0.0, 1.0, 11)
PICTURES: dict[str, Callable[[str], str]] = {
    "losses": lambda name: figures.losses(name, [(0.5, 0.6), (0.0, math.inf)], 0.8, "δ"),
    "believed": lambda name: figures.believed(name, view().believed),
    "tables": lambda name: figures.believed(name, table_view().believed),
    "published": drawn_published,
    "ratio": drawn_ratio,
    "pure": lambda name: drawn_profile(name, 0.0),
    "approximate": lambda name: drawn_profile(name, 0.01),
    "posteriors": lambda name: figures.posteriors(name, PRIORS, PRIORS**2, PRIORS**0.5),
    "histogram": drawn_bars,
    "heat": lambda name: figures.heat_map(name, [(0, 1, 0.2), (0, 2, 0.9), (1, 2, 1.0)], 3, 1.0),
    "many": lambda name: figures.heat_map(
        name, [(i, j, i / 24) for i in range(24) for j in range(i)], 24, 1.0
    ),
    "scales": lambda name: figures.scales(
        name, [Scale(std=1.0, holds=True), Scale(std=2.0, holds=False)]
    ),
}


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_well_formed_and_complete_in_itself(kind: str) -> None:
    svg = PICTURES[kind]("one")
    root = ET.fromstring(svg)
    assert root.tag == "svg"
    # Scales with the page: a view box and no size.
    assert root.get("viewBox")
    assert root.get("width") is None
    assert root.get("height") is None
    for outside in ("http:", "https:", "<style", "<script", "<image", "metadata", "<!--"):
        assert outside not in svg
    # Every colour is a variable of the page, and so is the font.
    assert not re.search(r"#[0-9a-f]{6}\b", svg)
    used = set(re.findall(r"var\(--(\w+)\)", svg))
    assert used <= set(INKS) | {"font"}
    assert "font" in used
    assert "DejaVu" not in svg
    # No formula that was left as its source.
    assert "$" not in svg


@pytest.mark.parametrize("kind", PICTURES)
def test_ids_are_those_of_the_picture_and_all_references_are_met(kind: str) -> None:
    svg = PICTURES[kind]("one")
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(each.startswith("one-") for each in ids)
    references = re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg)
    assert {one or other for one, other in references} <= set(ids)
    other = PICTURES[kind]("two")
    assert not set(ids) & set(re.findall(r'\bid="([^"]*)"', other))


@pytest.mark.parametrize("kind", PICTURES)
def test_the_same_numbers_give_the_same_drawing(kind: str) -> None:
    first = PICTURES[kind]("one")
    # Nor does it depend on what somebody likes their own pictures to look like.
    with mpl.rc_context({"axes.grid": True, "font.size": 30, "xtick.direction": "in"}):
        assert PICTURES[kind]("one") == first
        assert mpl.rcParams["font.size"] == 30


def path_points(svg: str, ink: str) -> list[np.ndarray]:
    """The points of every line that is drawn in an ink."""
    found = []
    for path in ET.fromstring(svg).iter("path"):
        style = path.get("style") or ""
        if f"stroke: var(--{ink})" in style and "fill: none" in style:
            numbers = re.findall(r"-?[\d.]+", path.get("d") or "")
            found.append(np.array([float(each) for each in numbers]).reshape(-1, 2))
    return found


def test_a_density_has_its_peak_where_the_law_has_it() -> None:
    """Read off the drawing: the two peaks are as far apart as the means, in units of the axis."""
    svg = PICTURES["believed"]("one")
    peaks, ends = [], []
    for name in ("first", "second"):
        (line,) = path_points(svg, name)
        peaks.append(line[line[:, 1].argmin(), 0])
        ends.append((line[:, 0].min(), line[:, 0].max()))
    x = view().believed[0].x
    unit = (x[-1] - x[0]) / (ends[0][1] - ends[0][0])
    assert (peaks[1] - peaks[0]) * unit == pytest.approx(LAWS["b"].mean - LAWS["a"].mean, abs=0.1)


def test_the_line_of_the_second_secret_differs_by_more_than_colour() -> None:
    for kind in ("believed", "published"):
        root = ET.fromstring(PICTURES[kind]("one"))
        styles = [path.get("style") or "" for path in root.iter("path")]
        dashed = {
            name: any(f"var(--{name})" in each and "dasharray" in each for each in styles)
            for name in ("first", "second")
        }
        assert dashed == {"first": False, "second": True}
    # Of a table: pins have heads, which are markers.
    assert "<use" in PICTURES["tables"]("one")


def test_the_ratio_never_leaves_its_certified_extremes() -> None:
    svg = PICTURES["ratio"]("one")
    (curve,) = path_points(svg, "first")
    extremes = sorted(line[0, 1] for line in path_points(svg, "third"))
    assert len(extremes) == 2
    assert extremes[0] - 0.01 <= curve[:, 1].min()
    assert curve[:, 1].max() <= extremes[1] + 0.01


def test_a_heat_map_has_a_cell_for_each_order_of_each_pair() -> None:
    root = ET.fromstring(PICTURES["heat"]("one"))
    styles = [path.get("style") or "" for path in root.iter("path")]
    cells = [each for each in styles if "fill: var(--level" in each]
    assert len(cells) == 6
    # The one that uses all of the promise is the darkest, and that of 0.2 is not.
    assert sum("--level5" in each for each in cells) == 4
    assert sum("--level1" in each for each in cells) == 2
    numbers = [text.text for text in root.iter("text")]
    assert numbers.count("0.2") == 2


def test_a_way_that_does_not_hold_is_hollow() -> None:
    root = ET.fromstring(PICTURES["scales"]("one"))
    styles = [path.get("style") or "" for path in root.iter("path")]
    assert sum("fill: var(--first)" in each for each in styles) == 1
    assert any(
        "stroke: var(--faint)" in each and "fill: none" in each and "dash" in each
        for each in styles
    )


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_contrasts_are_those_that_readers_need(dark: bool) -> None:
    """WCAG 2.2: 4.5 for text, 3 for what a picture is made of."""
    paper = INKS["paper"][dark]
    for ground in (paper, INKS["level0"][dark]):
        assert contrast(INKS["ink"][dark], ground) >= 7.0
    for name in ("first", "second", "third", "fourth", "faint"):
        assert contrast(INKS[name][dark], paper) >= 3.0
    # Numbers in the cells of a heat map.
    for step in range(6):
        shade = "paper" if step >= 4 else "ink"
        assert contrast(INKS[shade][dark], INKS[f"level{step}"][dark]) >= 3.0
    assert f"--paper: {paper};" in css_variables(dark=dark)
