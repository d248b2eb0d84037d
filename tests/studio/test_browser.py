"""The studio in a browser."""
from __future__ import annotations
from typing import Any
import pytest
from tests.studio.conftest import Opened, Served, served

pytestmark = pytest.mark.xdist_group("studio")

def test_a(studio: Served, opened: Opened, tmp_path) -> None:
    tab = opened(studio)
    tab.page.wait_for_selector("#tile-noise:not(:empty)")
    for n in ("promise","noise","within","guess","worst","certificate"): print(n, tab.tile(n))
    with tab.moving():
        tab.page.focus(".slider[data-input=epsilon] input[type=range]")
        tab.page.keyboard.press("ArrowLeft")
    tab.shows("#tile-promise", "ε = 0.92")
    print(tab.tile("noise"))
    print(tab.links("#elsewhere"))
    tab.release()
    print(tab.links())
    for n in tab.links(): print(tab.save(n, tmp_path))
    print(tab.text("#elsewhere"))
