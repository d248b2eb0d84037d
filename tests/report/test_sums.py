"""The picture of scale against the number of users."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pufferfish as pf
from pufferfish.report.style import INKS, ink
from pufferfish.report.sums import draw_scale_curves
from pufferfish.sums import scale_curve

GOAL = pf.Guarantee(1.0, 0.3)


def test_a_picture_that_stands_alone_has_colours_of_its_own() -> None:
    curves = scale_curve([1, 2, 5, 100], 1.0, [1.0, 4.0], GOAL)
    text = draw_scale_curves(curves, "svg").decode()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert INKS["first"][0] in text
    assert INKS["second"][0] in text
    assert ink("first") not in text  # the placeholder of a page
    for label in ("std 1, exact", "std 2, the paper's bound", "number of users, all alike"):
        assert label in text
    # On a logarithmic axis the numbers are written out.
    assert "mathdefault" not in text
    assert re.search(r">\s*100\s*<", text)


def test_without_delta_there_is_no_curve_of_the_papers() -> None:
    curves = scale_curve([1, 2], 1.0, [1.0], pf.Guarantee(1.0))
    assert "paper" not in draw_scale_curves(curves, "svg").decode()


def test_the_same_curves_give_the_same_picture() -> None:
    curves = scale_curve([1, 2, 3], 1.0, [1.0], GOAL)
    assert draw_scale_curves(curves, "svg") == draw_scale_curves(curves, "svg")
    assert draw_scale_curves(curves, "png") == draw_scale_curves(curves, "png")
