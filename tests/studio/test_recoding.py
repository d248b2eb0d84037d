"""Recodings in the studio: from the choice of a mechanism to what is released and saved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.cli.exits import Exit
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.recoding.law import Recoding
from tests.studio.conftest import Opened, Served, Tab, served
from tests.studio.test_browser import ADULT_PAIR, EPSILON, column_of

pytestmark = pytest.mark.xdist_group("studio")


def adult(epsilon: float, wrong: float = 0.0) -> pf.Calibration:
    """What the library finds, without anything of the studio."""
    table = pf.summarise(pf.datasets.adult_education(), column="education-num", secret="race")
    beliefs = pf.fit_beliefs(table.only(ADULT_PAIR), families=("mixture", "empirical"))
    scenario = pf.Scenario(beliefs, [ADULT_PAIR])
    return pf.calibrate(scenario, pf.Guarantee(epsilon), mechanism="recode", wrong=wrong)


def shows(tab: Tab, wanted: pf.Calibration) -> None:
    """The figures of a recoding, and only pictures that it has."""
    assert wanted.recode is not None
    assert tab.text("#tile-noise") == f"error {wanted.recode.rmse:.3g}"
    assert tab.text("#tile-within") == f"{100 * wanted.recode.unchanged:.2g}% stay"
    assert tab.text("#tile-certificate") == "kept"
    found = re.search(r"is at most ([\d.e-]+);", tab.text("#note-certificate"))
    assert found is not None
    assert wanted.certificate.epsilon_upper <= float(found[1]) <= wanted.goal.epsilon
    for name in ("believed", "published", "ratio", "map", "profile", "scale"):
        assert tab.page.locator(f"#picture-{name} figure").count() == 1
    assert tab.page.is_hidden("#place-heat")


def opened_with(opened: Opened, studio: Served, kind: str) -> Tab:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    with tab.moving():
        tab.choose("kind", kind)
    return tab


def test_a_recoding_is_shown_released_and_saved(opened: Opened, tmp_path: Path) -> None:
    with served() as studio:
        tab = opened_with(opened, studio, "recode")
        wanted = adult(1.0)
        shows(tab, wanted)
        tab.release()
        base = "adult-released.csv"
        ends = ("", ".public.json", ".public.html", ".record.json", ".report.html")
        assert sorted(tab.links()) == sorted(base + end for end in ends)
        files = {end: tab.save(base + end, tmp_path) for end in ends}
        plan = tab.save("plan.json", tmp_path)
        commands = tab.text("#elsewhere pre >> nth=0")
        script = tab.text("#elsewhere pre >> nth=1")

    released = column_of(files[""])["education-num"]
    assert len(released) == 32_561
    # A recoding publishes values that occur.
    assert set(map(float, released)) <= set(map(float, range(1, 17)))
    command = ["verify", str(files[".record.json"]), "--released", str(files[""])]
    assert run(command) == Exit.DONE
    record = Record.load(files[".record.json"])
    assert isinstance(record.plan.calibration.mechanism, Recoding)
    assert record.plan.calibration.mechanism == wanted.mechanism
    assert ColumnPlan.load(plan).calibration.mechanism == wanted.mechanism
    assert "--mechanism recode" in commands
    assert "mechanism='recode'" in script


def test_a_slow_recoding_waits_until_it_is_asked_for(opened: Opened, studio: Served) -> None:
    tab = opened_with(opened, studio, "recode")
    before = tab.text("#tile-noise")
    tab.page.fill("#wrong", "3")
    tab.page.press("#wrong", "Tab")
    tab.page.wait_for_selector("#demand:not([hidden])")
    moves = tab.page.evaluate("window.moves")
    for _ in range(5):
        tab.page.press(f"{EPSILON} input[type=range]", "ArrowRight")
    tab.page.press(f"{EPSILON} input[type=range]", "Home")
    tab.page.fill(f"{EPSILON} input[type=number]", "0.8")
    # What a slider says last waits a moment for its turn.
    tab.page.wait_for_function("() => Shiny.shinyapp.$inputValues.epsilon === 0.8")
    # Nothing is looked for, and nothing that is out of date can be released.
    tab.page.click("#release")
    assert "not yet show the answer to the current question" in tab.problem()
    assert tab.page.evaluate("window.moves") == moves
    assert tab.text("#tile-noise") == before

    with tab.moving():
        tab.page.focus("#find")
        tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("#demand", state="hidden")
    assert tab.text("#tile-promise") == "ε = 0.8"
    shows(tab, adult(0.8, wrong=0.03))
    assert "within 3% of a described one" in tab.text("#note-certificate")
    with tab.moving():
        tab.choose("kind", "laplace")
    assert tab.page.is_hidden("#demand")
    assert tab.page.is_hidden("#wrong")


def test_a_weak_floor_is_refused_and_the_page_says_where(opened: Opened, studio: Served) -> None:
    tab = opened_with(opened, studio, "recode")
    tab.choose("floor", "none")
    said = tab.problem()
    assert "On this page" in said
    assert "How wrong may the described laws be?" in said
    with tab.moving():
        tab.page.check("#nominal")
    tab.no_problem()
    assert "without a floor" in tab.text("#not-covered")


def test_what_errs_least_is_taken_and_compared(opened: Opened, studio: Served) -> None:
    tab = opened_with(opened, studio, "auto")
    ways = tab.text("#ways")
    assert "remapped noise (taken)" in ways
    assert "clipped noise" in ways
    shows(tab, adult(1.0))
    with tab.moving():
        tab.choose("kind", "laplace")
    assert tab.page.is_hidden("#place-ways")
    assert tab.page.is_hidden("#place-map")


def test_an_accuracy_is_for_noise(opened: Opened, studio: Served) -> None:
    tab = opened_with(opened, studio, "recode")
    tab.choose("by", "value")
    tab.page.fill("#within", "3")
    tab.page.press("#within", "Tab")
    assert "are about noise" in tab.problem()
    tab.choose("by", "epsilon")
    tab.no_problem()
