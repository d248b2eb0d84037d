"""The page of a recoded column, in both editions: right words, and none that are about noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import report
from pufferfish.report.notebook import to_html
from tests.report.recodings import CASES, HOLED, VALUES, recoded
from tests.report.releases import Page


def page_of(name: str, edition: str = "internal", provenance: str | None = None) -> Page:
    record, column = recoded(name, provenance)
    original = HOLED if CASES[name][2] else VALUES
    source: Any = record if edition == "internal" else record.to_dict("public")
    given = {"original": original} if edition == "internal" else {}
    return Page(report(source, edition=edition, released=column, **given))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("edition", ["internal", "public"])
def test_every_recoding_has_a_page(name: str, edition: str) -> None:
    page = page_of(name, edition)
    for words in ("noise added to each value", "denoise", "Noise saved", "removed again"):
        assert words not in page.text
    assert "What users can do with it" in page.text
    asked = CASES[name][0]
    kept = asked.get("keep_histogram", True)
    assert ("can be used as they are" in page.text) is kept
    assert ("were not kept" in page.text) is not kept


@pytest.mark.parametrize("name", CASES)
def test_what_is_private_is_in_the_internal_edition_only(name: str) -> None:
    internal, public = page_of(name), page_of(name, "public")
    for words in (
        "The recoding ",
        "Before and after",
        "Who pays",
        "error of a value (root mean square)",
    ):
        assert words in internal.text
    assert "How likely each true value" not in public.text
    assert "Before and after" not in public.text
    assert "Who pays" not in public.text
    assert "of the values are published as they are" not in public.text
    assert "is private, like the recoding" in public.text


def test_a_public_map_is_shown_and_no_private_rows() -> None:
    page = page_of("floor of the noise", "public", "public")
    assert "How likely each true value" in page.text
    assert "Error against ε" in page.text
    assert "Who pays" not in page.text
    assert "Before and after" not in page.text
    # The frequencies that are kept are those of the reference.
    assert "only as far as the two agree" in page.text


def test_what_is_kept_of_bins() -> None:
    kept = "the frequency of each bin is kept"
    assert f"Values lie in bins: {kept}" in page_of("bins").text
    assert f"If values were put into bins, {kept}" in page_of("bins", "public").text
    for name in ("floor of the noise", "noise first", "holes"):
        assert kept not in page_of(name).text


def test_ways_are_compared_by_their_error() -> None:
    page = page_of("floor of the noise")
    for way in ("this release", "method exact", "clipped noise", "one constant for everybody"):
        assert way in page.text
    assert "Ways compared" in page.text


def test_what_protects_a_value_besides() -> None:
    assert "no floor" in page_of("wrong laws", "public").text
    assert "2% is how far each described law may be wrong" in page_of("wrong laws").text
    assert "protects every value from everybody" in page_of("holes", "public").text


@pytest.mark.parametrize("name", CASES)
def test_notebooks_show_recodings(name: str) -> None:
    record, _ = recoded(name)
    plan = record.plan
    for shown in (plan, plan.calibration, plan.certificate, plan.scenario, record):
        assert Page(to_html(shown)).text
    assert "Recoding" in Page(to_html(plan)).text


def test_the_public_page_does_not_depend_on_the_private_table() -> None:
    """Two tables of as many rows, and their maps; the same promise, floor and published column."""
    pages = []
    for chance in (0.3, 0.5):
        source = np.random.default_rng(int(10 * chance))
        secrets = np.repeat(["a", "b"], 300)
        values = source.binomial(5, np.where(secrets == "a", chance, 0.4)).astype(float)
        table = {"x": values, "s": secrets}
        belief = pf.fit_belief(table, column="x", secret="s", family="empirical")
        found = pf.calibrate(
            pf.Scenario(belief), pf.Guarantee(0.5), mechanism="recode", floor=1.0, wrong=0.02
        )
        record = pf.release(table, pf.Plan(calibration=found, column="x", secret="s")).record
        published = np.random.default_rng(7).integers(0, 6, 600).astype(float)
        page = report(record, edition="public", released=published, original=values)
        pages.append(page.replace(record.sha256, "").replace(record.created, ""))
    assert pages[0] == pages[1]


def test_the_same_record_gives_the_same_page() -> None:
    record, column = recoded("floor of the noise")
    again = type(record).from_dict(record.to_dict("internal"))
    assert report(record, released=column) == report(again, released=column)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("edition", ["internal", "public"])
def test_the_recoding_is_in_words(name: str, edition: str) -> None:
    text = page_of(name, edition).text
    assert "Recoding a recoding " in text
    assert "RecodingOutline(" not in text
    assert "Recoding(" not in text
