"""In a notebook: a table and a small picture for every result; the core knows nothing of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import pufferfish as pf
from pufferfish.report import load_ipython_extension
from pufferfish.report.notebook import to_html
from tests.report.releases import LAWS, Page, calibration, released


def registered() -> dict[type, Any]:
    """What `%load_ext pufferfish.report` teaches a shell."""
    shell = InteractiveShell()
    load_ipython_extension(shell)
    return {
        kind: lambda shown: shell.display_formatter.format(shown)[0]["text/html"]
        for kind in shell.display_formatter.formatters["text/html"].type_printers
    }


def results() -> dict[str, Any]:
    found, done = calibration(), released()
    return {
        "calibration": found,
        "certificate": found.certificate,
        "comparison": pf.compare(found.scenario, pf.Guarantee(0.5, 0.01)),
        "scenario": found.scenario,
        "plan": done.record.plan,
        "record": done.record,
        "recoding": pf.Recoding.from_matrix([0, 1], [[0.75, 0.25], [0.25, 0.75]]),
    }


PICTURED = {"calibration", "certificate", "comparison", "plan", "recoding", "scenario"}


@pytest.mark.parametrize("name", results())
def test_every_result_has_a_table_and_most_a_picture(name: str) -> None:
    shown = results()[name]
    page = Page(registered()[type(shown)](shown))
    assert len(page.named("table")) == 1
    assert len(page.named("figure")) == (1 if name in PICTURED else 0)
    assert "<script" not in page.html
    assert len(page.html) < 60_000


def test_the_numbers_are_those_of_the_result() -> None:
    found = calibration()
    text = Page(to_html(found)).text
    assert isinstance(found.noise, pf.LaplaceNoise)
    assert f"Laplace, scale {found.noise.scale:.5g}" in text
    assert "kept: the least ε that holds without exception is" in text
    assert "'curious' (private), who believes smooth laws" in text
    laws = Page(to_html(found.scenario)).text
    assert "a Gaussian, mean 49.5, std 2" in laws


def test_a_promise_that_is_not_kept_does_not_look_kept() -> None:
    broken = pf.verify(calibration().scenario, pf.LaplaceNoise(0.1), pf.Guarantee(0.5))
    assert "NOT kept" in Page(to_html(broken)).text


def test_public_beliefs_need_no_mark() -> None:
    assert "Private." in Page(to_html(calibration())).text
    assert "Private." not in Page(to_html(calibration(provenance="public"))).text


def test_what_a_user_wrote_is_text() -> None:
    belief = pf.Belief({"<b>": LAWS["a"], "</style>": LAWS["b"]}, name="<script>")
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    for shown in (found, found.scenario, found.certificate):
        page = Page(to_html(shown))
        assert not {tag for tag, _ in page.tags} & {"b", "script"}
        assert "<script>" in page.text


def test_two_results_in_one_notebook_share_no_id() -> None:
    ids = [
        re.findall(r'\bid="([^"]*)"', to_html(each))
        for each in (calibration(), calibration("gaussian", 0.01))
    ]
    assert all(ids)
    assert not set(ids[0]) & set(ids[1])


def test_many_secrets_are_counted_and_not_listed() -> None:
    laws = {f"s{number}": pf.Gaussian(float(number), 1.0) for number in range(40)}
    text = Page(to_html(pf.Scenario(pf.Belief(laws)))).text
    assert "and 34 more secrets" in text
    assert "and 774 more" in text


@pytest.mark.parametrize(
    ("columns", "known", "keep"),
    [(["work"], [], []), (["work", "years"], ["sex"], []), (["years"], ["sex"], ["sex"])],
)
def test_tables_are_shown_as_well(columns: list[str], known: list[str], keep: list[str]) -> None:
    """Categories have no place on an axis, and a law for each known value is no single law."""
    table = {
        "work": ["sales", "farm", "sales", "office"] * 60,
        "years": [9.0, 10.0, 9.0, 13.0, 9.0] * 48,
        "sex": ["f", "m", "m"] * 80,
        "group": ["a", "b"] * 120,
    }
    beliefs = pf.fit_beliefs(
        table, columns=columns, secret="group", known=known, families=["empirical"]
    )
    found = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(1.0), mechanism="recode", wrong=0.05, keep=keep
    )
    page = Page(to_html(found))
    assert len(page.named("figure")) == 1
    assert "kept: the least ε that holds without exception is" in page.text
    for shown in (found.scenario, found.certificate, *found.strata.values()):
        assert len(Page(to_html(shown)).named("table")) == 1


def test_maps_of_one_size_share_no_id() -> None:
    ids = [
        set(re.findall(r'\bid="([^"]*)"', to_html(pf.Recoding.from_matrix([0, 1], matrix))))
        for matrix in ([[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.5], [0.5, 0.5]])
    ]
    assert all(ids)
    assert not ids[0] & ids[1]


def test_a_map_of_categories_has_no_axes() -> None:
    law = pf.Recoding.from_matrix(["x", "y"], [[0.75, 0.25], [0.25, 0.75]])
    page = Page(to_html(law))
    assert len(page.named("table")) == 1
    assert not page.named("figure")
