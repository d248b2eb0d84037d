"""Every picture is a drawing that can stand beside others, in any light, and shows its numbers."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import figures
from pufferfish.report.columns import bars_of, count_column
from pufferfish.report.figures import Mark, Scale
from pufferfish.report.style import INKS, css_variables
from pufferfish.report.views import Curve, View, views
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
    return figures.published_figure(name, curves)


def drawn_ratio(name: str) -> str:
    curve = view().ratio
    assert curve is not None
    return figures.log_ratio(name, curve, view().results, calibration().goal)


CELLS = [(0, 1, 0.2), (0, 2, 0.9), (1, 2, 1.0)]
MARKS = [
    Mark(1, 1.6, "chosen"),
    Mark(2, 2.5, "column"),
    Mark(3, 2.0, "bound"),
    Mark(4, 5.0, "unproven"),
]
PRIORS = np.linspace(0.0, 1.0, 11)
PICTURES: dict[str, Callable[[str], str]] = {
    "losses": lambda name: figures.losses(name, [(0.5, 0.6), (0.0, math.inf)], 0.8, "δ"),
    "believed": lambda name: figures.belief_figure(name, view().believed),
    "tables": lambda name: figures.belief_figure(name, table_view().believed),
    "published": drawn_published,
    "ratio": drawn_ratio,
    "pure": lambda name: drawn_profile(name, 0.0),
    "approximate": lambda name: drawn_profile(name, 0.01),
    "posteriors": lambda name: figures.posteriors(name, PRIORS, PRIORS**2, PRIORS**0.5),
    "histogram": drawn_bars,
    "heat": lambda name: figures.heat_map(name, CELLS, 3, 1.0),
    "many": lambda name: figures.heat_map(
        name, [(i, j, i / 24) for i in range(24) for j in range(i)], 24, 1.0
    ),
    "scales": lambda name: figures.scales(
        name, [Scale(std=1.0, holds=True), Scale(std=2.0, holds=False)]
    ),
    "marks": lambda name: figures.noise_marks(name, MARKS),
    "far apart": lambda name: figures.noise_marks(name, [*MARKS, Mark(7, 85.0, "bound")]),
    "selectable": lambda name: figures.heat_map(
        name, CELLS, 3, 1.0, chosen=(2, 0), selectable=True, labels=['"a" & <b>', "c", "d"]
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
    assert PICTURES[kind]("one") == PICTURES[kind]("one")


def test_drawing_a_page_loads_no_library_that_plots() -> None:
    code = "import sys, pufferfish.report.page\n"
    code += "from tests.report.test_figures import PICTURES\n"
    code += "[draw('one') for draw in PICTURES.values()]\nprint('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


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
    # Of a table: pins have heads.
    assert PICTURES["tables"]("one").count("<circle") == table_view().believed[1].x.size


def test_the_ratio_never_leaves_its_certified_extremes() -> None:
    svg = PICTURES["ratio"]("one")
    (curve,) = path_points(svg, "first")
    extremes = sorted(line[0, 1] for line in path_points(svg, "third"))
    assert len(extremes) == 2
    assert extremes[0] - 0.01 <= curve[:, 1].min()
    assert curve[:, 1].max() <= extremes[1] + 0.01


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_ratio_beyond_the_goal_is_seen_whole(side: float) -> None:
    curve = Curve(PRIORS, side * 3.0 * PRIORS, False)
    svg = figures.log_ratio("one", curve, view().results, pf.Guarantee(1.0))
    (line,) = path_points(svg, "first")
    plot = ET.fromstring(svg).find("clipPath/rect")
    assert plot is not None
    top, height = float(plot.get("y") or 0), float(plot.get("height") or 0)
    assert top <= line[:, 1].min()
    assert line[:, 1].max() <= top + height


def test_a_heat_map_has_a_cell_for_each_order_of_each_pair() -> None:
    root = ET.fromstring(PICTURES["heat"]("one"))
    styles = [cell.get("style") or "" for cell in root.iter("rect")]
    cells = [each for each in styles if "fill: var(--level" in each]
    assert len(cells) == 6
    # The one that uses all of the promise is the darkest, and that of 0.2 is not.
    assert sum("--level5" in each for each in cells) == 4
    assert sum("--level1" in each for each in cells) == 2
    numbers = [text.text for text in root.iter("text")]
    assert numbers.count("0.2") == 2


def bars(svg: str) -> dict[str, ET.Element]:
    """The rectangle of each row by the number at its left."""
    root = ET.fromstring(svg)
    boxes = [each for each in root.iter("rect") if each.get("style")]
    rows = {
        float(text.get("y") or 0): text.text or ""
        for text in root.iter("text")
        if "text-anchor: end" in (text.get("style") or "")
    }
    found = {}
    for box in boxes:
        middle = float(box.get("y") or 0) + 0.5 * float(box.get("height") or 0)
        found[rows[min(rows, key=lambda row: abs(row - middle))]] = box
    assert len(found) == len(boxes) == len(rows)
    return found


def test_a_way_that_does_not_hold_is_hollow() -> None:
    styles = {
        number: each.get("style") or "" for number, each in bars(PICTURES["scales"]("one")).items()
    }
    assert "fill: var(--first)" in styles["1"]
    assert "fill: none" in styles["2"]
    assert "dash" in styles["2"]


def test_marks_are_told_apart_and_as_long_as_they_are_large() -> None:
    found = bars(PICTURES["marks"]("one"))
    assert len({each.get("style") for each in found.values()}) == 4
    lengths = [float(found[str(mark.label_number)].get("width") or 0) for mark in MARKS]
    assert len({each.get("x") for each in found.values()}) == 1
    for mark, length in zip(MARKS, lengths, strict=True):
        # Places in a picture are rounded to 0.01 of some 300.
        assert length / lengths[-1] == pytest.approx(mark.std / MARKS[-1].std, abs=1e-3)
    svg = PICTURES["marks"]("one")
    assert "logarithmic" not in svg
    assert [f">{number}</text>" in svg for number in ("1.6", "2.5", "2", "5")] == [True] * 4


def test_marks_that_are_far_apart_are_on_a_logarithmic_axis_that_says_so() -> None:
    svg = PICTURES["far apart"]("one")
    assert "std of the noise, logarithmic" in svg
    found = bars(svg)
    ends = {
        number: float(each.get("x") or 0) + float(each.get("width") or 0)
        for number, each in found.items()
    }
    # Equal ratios are equally far apart.
    unit = (ends["7"] - ends["1"]) / math.log(85.0 / 1.6)
    assert ends["4"] - ends["2"] == pytest.approx(unit * math.log(5.0 / 2.5), abs=0.05)
    # A length would mean nothing: no bar begins at the axis.
    assert all(float(each.get("width") or 0) <= 6.0 for each in found.values())


@pytest.mark.parametrize("times", [11.9, 12.1])
def test_only_marks_that_are_far_apart_are_logarithmic(times: float) -> None:
    svg = figures.noise_marks("one", [Mark(1, 0.3, "chosen"), Mark(2, 0.3 * times, "bound")])
    assert ("logarithmic" in svg) == (times > 12.0)


def test_cells_that_can_be_chosen_are_buttons() -> None:
    root = ET.fromstring(PICTURES["selectable"]("one"))
    cells = [each for each in root.iter("g") if each.get("data-cell")]
    assert sorted(each.get("data-cell") or "" for each in cells) == sorted(
        2 * ["0,1", "0,2", "1,2"]
    )
    # Each pair once for the keyboard and who cannot see; its mirror image for the mouse alone.
    buttons = [each for each in cells if each.get("tabindex") == "0"]
    assert [each.get("aria-label") for each in buttons] == ['"a" & <b>', "c", "d"]
    assert [each.get("data-cell") for each in buttons] == ["0,1", "0,2", "1,2"]
    assert all(each.get("role") == "button" for each in buttons)
    assert [each.get("aria-pressed") for each in buttons] == ["false", "true", "false"]
    mirrored = [each for each in cells if each not in buttons]
    assert all(each.get("aria-hidden") == "true" for each in mirrored)
    assert not any(each.get("tabindex") or each.get("role") for each in mirrored)
    # Number and colour of a cell are both in what is clicked.
    assert all(len(each.findall("rect")) == len(each.findall("text")) == 1 for each in cells)


def test_the_chosen_pair_is_outlined() -> None:
    def outlined(svg: str) -> set[tuple[str | None, str | None]]:
        return {
            (each.get("x"), each.get("y"))
            for each in ET.fromstring(svg).iter("rect")
            if "stroke: var(--ink)" in (each.get("style") or "")
        }

    chosen = figures.heat_map("one", CELLS, 3, 1.0, chosen=(0, 2))
    root = ET.fromstring(PICTURES["selectable"]("one"))
    images = [each.find("rect") for each in root.iter("g") if each.get("data-cell") == "0,2"]
    expected = {(each.get("x"), each.get("y")) for each in images if each is not None}
    assert outlined(chosen) == outlined(PICTURES["selectable"]("one")) == expected
    assert outlined(PICTURES["heat"]("one")) == set()


def test_cells_without_labels_are_named_by_number() -> None:
    svg = figures.heat_map("one", CELLS, 3, 1.0, selectable=True)
    assert re.findall(r'aria-label="([^"]*)"', svg)[1] == "secrets 1 and 3"


BROKEN = np.array([0.0, math.nan, 1.0, math.inf, 2.0, -math.inf, 3.0])
NOTHING = np.full(7, math.nan)
ONE = np.array([3.0])
UNUSUAL: dict[str, Callable[[str], str]] = {
    "gaps": lambda name: figures.belief_figure(
        name, (Curve(np.arange(7.0), BROKEN, False), Curve(np.arange(7.0), NOTHING, False))
    ),
    "nothing": lambda name: figures.published_figure(
        name, (Curve(NOTHING, NOTHING, False), Curve(NOTHING, NOTHING, True))
    ),
    "one atom": lambda name: figures.belief_figure(
        name, (Curve(ONE, ONE / 3.0, True), Curve(ONE, ONE / 3.0, True))
    ),
    "flat": lambda name: figures.belief_figure(
        name, (Curve(PRIORS, 0.0 * PRIORS, False), Curve(PRIORS, 0.0 * PRIORS, False))
    ),
    "huge": lambda name: figures.belief_figure(
        name, (Curve(1e15 * PRIORS, 1e-12 * PRIORS, False), Curve(1e15 * PRIORS, PRIORS, True))
    ),
    "ratio": lambda name: figures.log_ratio(
        name, Curve(np.arange(7.0), BROKEN, False), view().results, pf.Guarantee(1e-12)
    ),
    "losses": lambda name: figures.losses(
        name, [(math.nan, math.nan), (0.0, math.inf), (-math.inf, 0.0)], 0.0, "ε"
    ),
    "no losses": lambda name: figures.losses(name, [], 1.0, "ε"),
    "posteriors": lambda name: figures.posteriors(name, PRIORS, NOTHING[:1] + PRIORS, PRIORS),
    "cells": lambda name: figures.heat_map(
        name, [(0, 1, math.inf), (0, 2, math.nan), (1, 2, -1e-9)], 3, 0.0
    ),
    "marks": lambda name: figures.noise_marks(
        name,
        [
            Mark(1, 1e-12, "chosen"),
            Mark(2, math.inf, "bound"),
            Mark(3, math.nan, "column"),
            Mark(4, 1e15, "unproven"),
            Mark(5, 0.0, "bound"),
        ],
    ),
    "no noise": lambda name: figures.noise_marks(name, [Mark(1, 0.0, "chosen")]),
    "no marks": lambda name: figures.noise_marks(name, []),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_numbers_that_are_not_finite_or_all_alike_are_drawn(kind: str) -> None:
    svg = UNUSUAL[kind]("one")
    root = ET.fromstring(svg)
    assert not re.search(r"nan|\binf", svg, re.IGNORECASE)
    # All that is drawn is near the picture.
    places = [
        float(number)
        for each in root.iter()
        for key in ("d", "x", "y", "cx", "cy", "width", "height")
        for number in re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", each.get(key) or "")
    ]
    assert all(abs(each) < 3000.0 for each in places)
    # There is something to read, even so.
    assert kind.startswith("no ") or len(list(root.iter("text"))) >= 4


def test_a_line_has_a_gap_where_its_number_is_not_finite() -> None:
    (path,) = [
        each.get("d") or ""
        for each in ET.fromstring(UNUSUAL["gaps"]("one")).iter("path")
        if "var(--first)" in (each.get("style") or "")
    ]
    # Four single points.
    assert path.count("M") == path.count("h") == 4


def test_what_has_no_bound_is_read_as_such() -> None:
    texts = [each.text for each in ET.fromstring(UNUSUAL["cells"]("one")).iter("text")]
    assert texts.count("∞") == texts.count("?") == 2
    # Not known is not little, and less than nothing is not much.
    svg = figures.heat_map("one", [(0, 1, math.nan), (0, 2, -0.3), (1, 2, math.inf)], 3, 1.0)
    assert [svg.count(f"var(--level{level})") for level in (0, 5)] == [2, 4]


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
