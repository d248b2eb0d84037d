"""Axes that can be read, and drawings that cannot break the page they stand in."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from hypothesis import assume, given
from hypothesis import strategies as st

from pufferfish.report.canvas import Canvas, paint, text_at, text_width
from pufferfish.report.ticks import Axis, Tick, linear_axis, log_axis, number
from tests.browsers import FILES, FONTS

SIZES = st.floats(-12.0, 15.0).map(lambda power: 10.0**power)
NUMBERS = st.one_of(st.just(0.0), SIZES, SIZES.map(lambda each: -each))


def parsed(label: str) -> float:
    """What a reader takes a label for."""
    assert "-" not in label
    text = label.replace("−", "-").replace(",", "")
    return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)


def check(axis: Axis) -> None:
    values = [each.value for each in axis.ticks]
    assert 3 <= len(values) <= 9
    assert all(axis.low <= each <= axis.high for each in values)
    assert all(one < two for one, two in pairwise(values))
    labels = [each.label for each in axis.ticks]
    assert len(set(labels)) == len(labels)
    step = min(two - one for one, two in pairwise(values))
    assert all(abs(parsed(each.label) - each.value) < 0.5 * step for each in axis.ticks)


@given(NUMBERS, NUMBERS)
def test_ticks_of_any_range_can_be_read(one: float, other: float) -> None:
    low, high = sorted((one, other))
    axis = linear_axis(low, high)
    assert axis.low <= low <= high <= axis.high
    check(axis)


@given(NUMBERS, st.floats(-9.0, 0.0))
def test_ticks_of_a_narrow_range_can_be_read(middle: float, power: float) -> None:
    width = abs(middle) * 10.0**power
    check(linear_axis(middle - width, middle + width))


@given(SIZES, st.integers(1, 1000))
def test_labels_of_neighbouring_floats_are_not_endless(low: float, steps: int) -> None:
    axis = linear_axis(low, low + steps * math.ulp(low))
    check(axis)
    assert max(len(each.label) for each in axis.ticks) <= 16


@given(NUMBERS, NUMBERS)
def test_ticks_are_multiples_of_1_2_or_5(one: float, other: float) -> None:
    low, high = sorted((one, other))
    # Else multiples of the step cannot be told from their neighbours among floats.
    assume(high - low > 1e-6 * max(abs(low), abs(high)))
    ticks = [each.value for each in linear_axis(low, high).ticks]
    step = (ticks[-1] - ticks[0]) / (len(ticks) - 1)
    mantissa = float(f"{step:.3e}".partition("e")[0])
    assert mantissa in (1.0, 2.0, 5.0)
    assert all(abs(each / step - round(each / step)) < 1e-3 for each in ticks)


@given(SIZES, st.floats(0.01, 20.0))
def test_ticks_of_a_logarithmic_axis_can_be_read(low: float, decades: float) -> None:
    axis = log_axis(low, low * 10.0**decades)
    check(axis)
    # Where there are decades, they are what is marked.
    if decades >= 4.0:
        assert all(each.label.strip("0.,").startswith("1") for each in axis.ticks)


@given(SIZES.filter(lambda each: each < 1e6))
def test_percentages_can_be_read(high: float) -> None:
    axis = linear_axis(0.0, high, percent=True)
    assert all(each.label.endswith("%") or each.value == 0.0 for each in axis.ticks)
    step = axis.ticks[1].value - axis.ticks[0].value
    assert all(abs(parsed(each.label) - each.value) < 0.5 * step for each in axis.ticks)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, "0 0.2 0.4 0.6 0.8 1.0"),
        # 3 * 0.1 is not the float 0.3.
        (0.0, 0.3, "0 0.05 0.10 0.15 0.20 0.25 0.30"),
        (-1.0, 1.0, "−1.0 −0.5 0 0.5 1.0"),
        (0.0, 3e4, "0 5,000 10,000 15,000 20,000 25,000 30,000"),
        (0.0, 5e-12, "0 1e−12 2e−12 3e−12 4e−12 5e−12"),
        (0.0, 1e15, "0 2e14 4e14 6e14 8e14 1e15"),
        (2000.0, 2012.0, "2000 2002 2004 2006 2008 2010 2012"),
        (0.0, 0.0, "0 0.2 0.4 0.6 0.8 1.0"),
        (math.nan, math.nan, "0 0.2 0.4 0.6 0.8 1.0"),
        (4.0, 4.0, "2.0 2.5 3.0 3.5 4.0 4.5 5.0 5.5 6.0"),
    ],
)
def test_labels(low: float, high: float, labels: str) -> None:
    assert " ".join(each.label for each in linear_axis(low, high).ticks) == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1e-5, 0.2, "1e−5 0.0001 0.001 0.01 0.1"),
        (0.7, 60.0, "1 2 5 10 20 50"),
        (3.0, 4.0, "3.0 3.2 3.4 3.6 3.8 4.0"),
        (1e-20, 1.0, "1e−18 1e−15 1e−12 1e−9 1e−6 0.001 1"),
    ],
)
def test_logarithmic_labels(low: float, high: float, labels: str) -> None:
    assert " ".join(each.label for each in log_axis(low, high).ticks) == labels


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2e-12, "2e−12"),
        (1e15, "1e15"),
        (-0.5, "−0.5"),
        (1234.5, "1,230"),
        (0.0, "0"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "?"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("font", FONTS)
def test_no_letter_is_wider_than_the_room_for_it(font: str) -> None:
    """Letters of Latin, Greek and Cyrillic scripts, and the signs of our own labels."""
    plain = re.compile(r"\w+Sans(-Regular|\[.*\])?")
    regular = TTFont(next(each for each in FILES[font] if plain.fullmatch(each.stem)))
    names, widths = regular.getBestCmap(), regular["hmtx"]
    letters = [*map(chr, [*range(0x20, 0x7F), *range(0xA1, 0x180), *range(0x386, 0x450)]), *"−∞…–"]
    # A font may lack some of them; another one steps in.
    here = [each for each in letters if ord(each) in names]
    assert len(here) > 400
    size = regular["head"].unitsPerEm
    wide = {each: widths[names[ord(each)]][0] / size for each in here}
    assert {each: found for each, found in wide.items() if found > text_width(each, 1.0)} == {}


UNIT = linear_axis(0.0, 1.0)


def paths(canvas: Canvas) -> list[str]:
    """Of what is drawn between the axes."""
    inside = ET.fromstring(canvas.svg()).find("g")
    assert inside is not None
    return [each.get("d") or "" for each in inside.iter("path")]


def test_a_line_is_where_its_numbers_are() -> None:
    canvas = Canvas("one", UNIT, UNIT)
    canvas.line([0.0, 0.5, 1.0], [0.0, 1.0, 0.25], "first")
    (path,) = paths(canvas)
    numbers = np.array(re.findall(r"[\d.]+", path), dtype=float).reshape(-1, 2)
    width, height = canvas.right - canvas.left, canvas.bottom - canvas.top
    expected = [
        (canvas.left, canvas.bottom),
        (canvas.left + 0.5 * width, canvas.top),
        (canvas.right, canvas.bottom - 0.25 * height),
    ]
    # Rounded to 0.01.
    np.testing.assert_allclose(numbers, expected, atol=0.006)


def test_a_logarithmic_line_is_straight_for_powers_and_has_gaps_below_zero() -> None:
    canvas = Canvas("one", UNIT, log_axis(1e-4, 1.0))
    canvas.line([0.0, 0.25, 0.5, 0.75, 1.0], [1e-4, 1e-3, 1e-2, 1e-1, 1.0], "first")
    canvas.line([0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 0.1, 0.0, 0.1, -1.0], "second")
    straight, broken = paths(canvas)
    numbers = np.array(re.findall(r"[\d.]+", straight), dtype=float).reshape(-1, 2)
    np.testing.assert_allclose(np.diff(numbers, 2, axis=0), 0.0, atol=0.03)
    assert broken.count("M") == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_bands_and_boxes_leave_out_what_is_not_finite(bad: float) -> None:
    canvas = Canvas("one", UNIT, UNIT)
    x, low = np.linspace(0.0, 1.0, 7), np.zeros(7)
    high = np.array([0.5, 0.5, 0.5, bad, 0.5, 0.5, 0.5])
    canvas.band(x, low, high, "first")
    canvas.box((0.0, bad), (0.0, 1.0), paint(fill="first"))
    canvas.diamond(bad, 0.0, "third")
    (path,) = paths(canvas)
    assert path.count("M") == path.count("Z") == 2
    assert not re.search(r"nan|\binf", canvas.svg())
    # The only other rectangle is that of the clip.
    assert canvas.svg().count("<rect") == 1
    assert "--third" not in canvas.svg()


def test_what_is_far_away_stays_near_and_is_cut_off() -> None:
    canvas = Canvas("one", UNIT, UNIT)
    canvas.line([0.0, 0.5, 1.0], [0.5, 1e300, -1e300], "first")
    (path,) = paths(canvas)
    assert all(abs(float(each)) < 3000.0 for each in re.findall(r"-?[\d.]+", path))
    root = ET.fromstring(canvas.svg())
    inside, clip = root.find("g"), root.find("clipPath")
    assert inside is not None
    assert clip is not None
    assert inside.get("clip-path") == f"url(#{clip.get('id')})"


def test_a_mark_on_an_edge_is_whole() -> None:
    canvas = Canvas("one", UNIT, UNIT)
    canvas.diamond(1.0, 0.0, "third")
    assert paths(canvas) == []
    assert "var(--third)" in canvas.svg()


HOSTILE = "<script>alert(1)</script>\"'&]]>"


def test_text_is_escaped() -> None:
    labelled = Axis(low=0.0, high=1.0, ticks=(Tick(0.5, HOSTILE),), label=HOSTILE)
    canvas = Canvas(HOSTILE, labelled, labelled)
    canvas.above(text_at(0.0, 0.0, HOSTILE))
    root = ET.fromstring(canvas.svg())
    assert [each.text for each in root.iter("text")] == 5 * [HOSTILE]
    assert "<script" not in canvas.svg()


@st.composite
def labelled_axes(draw: Any) -> Axis:
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    return linear_axis(low, high, draw(st.sampled_from(["", "value"])))


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """From where to where texts reach that stand upright."""
    found = []
    for each in ET.fromstring(svg).iter("text"):
        if each.get("transform"):
            continue
        style, width = each.get("style") or "", text_width(each.text or "")
        x, y = float(each.get("x") or 0), float(each.get("y") or 0)
        left = x - width if "anchor: end" in style else x - 0.5 * width
        # Of a font's size, some three quarters are above the line and the rest below.
        found.append((left, left + width, y - 7.5, y + 2.5))
    return found


@given(labelled_axes(), labelled_axes())
def test_labels_are_neither_cut_off_nor_over_each_other(x: Axis, y: Axis) -> None:
    svg = Canvas("one", x, y).svg()
    view = ET.fromstring(svg).get("viewBox") or ""
    width, height = (float(each) for each in view.split()[2:])
    found = boxes(svg)
    # Both axes have at least two labels to read.
    assert len(found) >= 4
    for left, right, top, bottom in found:
        # Places are rounded to 0.01.
        assert left >= -0.01
        assert right <= width + 0.01
        assert top >= 0.0 or math.isclose(top, 0.0, abs_tol=0.01)
        assert bottom <= height + 0.01
    for index, one in enumerate(found):
        for other in found[index + 1 :]:
            apart = max(one[0], other[0]) >= min(one[1], other[1]) - 0.01
            assert apart or max(one[2], other[2]) >= min(one[3], other[3]) - 0.01


def test_two_pictures_share_no_id() -> None:
    ids = [
        re.findall(r'\bid="([^"]*)"', Canvas(name, UNIT, UNIT).svg()) for name in ("a", "a-plot")
    ]
    assert all(ids)
    assert not set(ids[0]) & set(ids[1])


def test_words_can_be_put_into_the_first_tag() -> None:
    """As a page does, which gives each drawing its title."""
    svg = Canvas("one", UNIT, UNIT).svg().replace(">", ' role="img"><title>t</title>', 1)
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root[0].text == "t"
