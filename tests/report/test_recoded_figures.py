"""The drawings of a map."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from pufferfish.report.recoded_figures import error_figure, map_figure

BOX = re.compile(r"M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H")


def boxes(svg: str, level: int) -> list[tuple[float, ...]]:
    """Of one level of the heat map."""
    found = [
        each.get("d") or ""
        for each in ET.fromstring(svg).iter("path")
        if f"var(--level{level})" in (each.get("style") or "")
    ]
    return [tuple(map(float, box)) for path in found for box in BOX.findall(path)]


def test_each_cell_has_the_level_of_its_probability() -> None:
    chances = np.array([[0.6, 0.4, 0.0], [0.1, 0.895, 0.005], [1e-9, 0.0005, 0.9995]])
    svg = map_figure("map", chances, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    counted = [len(boxes(svg, level)) for level in range(6)]
    assert counted == [1, 1, 0, 1, 1, 3]
    # The true value 1 is at the bottom, the published value 1 at the left.
    ((left, down, *_),) = [box for box in boxes(svg, 5) if box == min(boxes(svg, 5))]
    assert all(left <= box[0] and down >= box[1] for box in boxes(svg, 5))


def test_neighbours_of_one_level_are_one_box() -> None:
    svg = map_figure("map", np.full((4, 4), 0.25), [1.0, 2.0, 3.0, None], [1.0, 2.0, 3.0, None])
    assert len(boxes(svg, 4)) == 4
    assert ">–<" in svg


@pytest.mark.parametrize("count", [1, 2, 16, 119, 400])
def test_a_map_of_any_size_is_drawn_and_stays_small(count: int) -> None:
    values = np.linspace(0.0, 99_999.0, count).tolist()
    svg = map_figure("map", np.eye(count), values, values)
    assert len(boxes(svg, 5)) == count
    assert len(svg) < 60_000


def test_errors_beyond_the_picture_and_unknown_ones() -> None:
    svg = error_figure(
        "errors", [0.5, 1.0, 2.0], [3.0, 2.0, 0.0], [1e6, None, 1.0], 2.5, 1, [0.6, None, np.inf]
    )
    ET.fromstring(svg)
    assert "NaN" not in svg
    assert "nan" not in svg
    # One held-out ε is known and on the axis.
    assert svg.count("var(--fourth)") == 1
