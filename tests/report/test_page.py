"""The page: what is in it, what never is, and that nothing of a user's is taken for markup."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import report
from pufferfish.report.parts import PAGES
from tests.report.releases import LAWS, ROWS, TABLE, Page, adult, calibration, released
from tests.support import ROOT

EDITIONS: list[Any] = ["internal", "public"]


def page(done: pf.Release, edition: Any = "internal", column: str = "x", **sources: Any) -> Page:
    return Page(report(done.record, edition=edition, released=done.frame[column], **sources))


@cache
def ten_pairs(edition: Any) -> Page:
    return page(adult(), edition, "education-num")


HEADINGS = [
    "What was promised",
    "What an adversary could guess",
    "What is not covered",
    "Pictures",
    "What users can do with it",
    "Noise saved",
    "How it was done, and how to check it",
]


@pytest.mark.parametrize("edition", EDITIONS)
def test_words_come_first_and_every_section_is_there(edition: Any) -> None:
    text = page(released(), edition).text
    wanted = HEADINGS if edition == "internal" else [h for h in HEADINGS if h != "Noise saved"]
    places = [text.index(heading) for heading in wanted]
    assert places == sorted(places)
    assert ("Noise saved" in text) == (edition == "internal")


@pytest.mark.parametrize("edition", EDITIONS)
def test_nothing_is_loaded_and_nothing_runs(edition: Any) -> None:
    found = page(released(), edition, original=TABLE["x"])
    policy = [each for each in found.named("meta") if "http-equiv" in each]
    assert policy[0]["content"] == ("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    kinds = {tag for tag, _ in found.tags}
    assert not kinds & {"script", "link", "iframe", "object", "embed", "img", "a", "form", "base"}
    for _, attributes in found.tags:
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "xlink:href", "action"):
            value = attributes.get(name)
            assert value is None or value.startswith("#")
    assert "http" not in found.html.replace('http-equiv="Content', "")
    assert "@import" not in found.html
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", found.html)


@pytest.mark.parametrize("edition", EDITIONS)
def test_ids_are_unique_and_pictures_have_words(edition: Any) -> None:
    found = ten_pairs(edition)
    ids = Counter(attributes["id"] for _, attributes in found.tags if "id" in attributes)
    assert max(ids.values()) == 1
    drawings = [each for each in found.named("svg") if each.get("role") == "img"]
    assert len(drawings) == len(found.named("figure")) >= 2
    for drawing in drawings:
        labels = (drawing["aria-labelledby"] or "").split()
        assert len(labels) == 2
        assert all(ids[label] == 1 for label in labels)
    # What has no words is decoration, and says so.
    others = [each for each in found.named("svg") if each.get("role") != "img"]
    assert all(each.get("aria-hidden") == "true" for each in others)
    assert found.named("html")[0]["lang"] == "en"
    assert len(found.named("h1")) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_same_record_gives_the_same_page(edition: Any) -> None:
    done = released()
    one, other = (
        report(done.record, edition=edition, released=done.frame["x"], original=TABLE["x"])
        for _ in range(2)
    )
    assert one == other


def test_the_numbers_of_the_guesses_are_rounded_up() -> None:
    text = page(released()).text
    # 1/(1 + e^−0.5) = 0.62245...; a prior of 25% becomes 0.35467...
    assert "whatever the promise allows 62.3% 62.3% 35.5%" in text
    assert "factor of at most 1.649, up or down" in text
    assert "25% 16.8% 35.5%" in text


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_with_kept_columns_no_limit_is_stated_for_the_file(edition: Any, delta: float) -> None:
    table = {**TABLE, "k": np.arange(ROWS) % 2}
    text = page(released(calibration(delta=delta), table, keep_unprotected=("k",)), edition).text
    first = text.index("With 'x' and 'k' published together, a learner finds whether 's' is")
    assert first < text.index("ε")
    assert "in up to 100% of rows it has not seen" in text[first : first + 200]
    assert "100% is how often, at most, a learner finds the secret" in text
    assert "for this column by itself" in text
    assert "Another learner may find more." in text
    assert "whatever the promise allows" not in text
    assert "may be right, at most, under the promise" not in text
    assert "of guesses from one row are right, at most" not in text
    assert "By the promise alone" not in text
    assert "no bound holds for every single published value" not in text
    assert ("the true value of a row, and no other column" in text) == (edition == "internal")
    # What of it was measured on the data.
    assert ("shares in whole percent" in text) == (edition == "public")


def test_with_delta_no_posterior_is_promised() -> None:
    text = page(released(calibration(delta=0.01)), "public").text
    assert "not bounded" in text
    assert "With δ = 0.01 no bound holds for every single published value" in text
    assert "How far a probability can move" not in text


def test_what_is_not_covered_is_said_in_full() -> None:
    done = released(
        table={**TABLE, "s": np.where(np.arange(ROWS) < 17, "c", TABLE["s"])}, others=("c",)
    )
    internal, public = (page(done, edition).text for edition in EDITIONS)
    for gap in done.record.to_dict("public")["not_promised"]:
        assert gap in internal
        assert gap in public
    assert "17 of the published rows" in internal
    assert "17 of the published rows" not in public


def test_the_internal_edition_says_that_it_is_private() -> None:
    internal, public = (page(released(), edition).text for edition in EDITIONS)
    assert "Holds statistics of private data" in internal
    assert "Holds statistics" not in public
    assert "Public." in public


def test_the_record_can_be_found_again() -> None:
    done = released(postprocess=(pf.RoundTo(0.5),), keep_unprotected=("k",))
    for edition in EDITIONS:
        text = page(done, edition).text
        for part in (done.record.sha256, done.record.created, "rounded to multiples of 0.5"):
            assert part in text
        assert f"numpy {np.__version__}" in text
        assert "kept columns: k" in text
        assert "“The exact certificate”" in text
        noise = done.record.facts.noise
        assert f"Laplace noise of scale {noise.size!r} (std" in text
        assert f", on a grid of {noise.grid!r}" in text
        # A recipient has neither our files nor our code.
        assert "docs/" not in text
        assert "Noise law Laplace noise of" in text


def test_pages_of_the_documentation_are_called_by_their_titles() -> None:
    listed = re.findall(
        r'- "?(.+?)"?: theory/([\w-]+)\.md', (ROOT / "mkdocs.yml").read_text("utf-8")
    )
    assert {page: title for title, page in listed} == PAGES
    assert {place.stem for place in (ROOT / "docs/theory").glob("*.md")} == set(PAGES)


def test_the_methods_and_the_two_famous_bounds_are_beside_the_release() -> None:
    text = ten_pairs("internal").text
    for part in ("this release", "method exact", "local differential privacy", "Theorem 2"):
        assert part in text
    assert "not proven in general" in text
    assert "How much of the promise each pair uses" in text


def test_the_code_for_the_analyst_runs() -> None:
    done = released()
    found = page(done, "public")
    start = found.text.index("import pufferfish as pf")
    raw = "".join(found.words)
    code = raw[raw.index("import pufferfish as pf") : raw.index("pf.denoise.slope(values, outcome")]
    printed: list[Any] = []
    exec(code, {"values": done.frame["x"], "print": printed.append})
    assert start > 0
    noise = done.record.plan.calibration.noise
    assert printed[0] == pf.denoise.mean(done.frame["x"], noise)
    assert len(printed) == 3


HOSTILE = "<script>alert(1)</script>\"'&$x^{ {{7*7}} {% raw %} </style></svg> \u202e 漢字"
OTHER = "_$\\frac{--><img src=x onerror=alert(2)>"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("provenance", ["public", OTHER])
def test_what_a_user_wrote_is_text_and_nothing_else(edition: Any, provenance: str) -> None:
    belief = pf.Belief(
        {HOSTILE: LAWS["a"], OTHER: LAWS["b"]}, name=HOSTILE[::-1], provenance=provenance
    )
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))
    table = {HOSTILE: TABLE["x"], OTHER: np.array([HOSTILE, OTHER] * (ROWS // 2))}
    plan = pf.Plan(calibration=found, column=HOSTILE, secret=OTHER)
    done = pf.release(table, plan)
    # The same values as released, so that the pictures have the same ticks.
    hostile, plain = (
        Page(report(each.record, edition=edition, released=TABLE["x"], original=TABLE["x"]))
        for each in (done, released(calibration(provenance=provenance)))
    )
    # The same elements with the same attributes as for harmless names.
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(each) for _, each in hostile.tags] == [sorted(each) for _, each in plain.tags]
    assert " ".join(HOSTILE.split()) in hostile.text


def test_no_noise_and_odd_columns_have_a_page_too() -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.1, 1.0)}
    bare = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.1))
    for edition in EDITIONS:
        assert "noise added" in page(released(bare, allow_no_noise=True), edition).text
        assert page(released(table={"x": [1.0, 1.0], "s": ["a", "b"]}), edition).text
        rows = released(unit="person", person="k", rows_per_person=3, dependence="independent")
        assert "for all rows of a person" in page(rows, edition).text
        clipped = released(postprocess=(pf.Clip(45.0, 55.0),))
        assert "moved into [45, 55]" in page(clipped, edition).text


def test_without_the_published_column_the_page_says_so() -> None:
    assert "was not at hand" in Page(report(released().record)).text


def test_an_edition_that_is_not_known() -> None:
    edition: Any = "secret"
    with pytest.raises(pf.InvalidInputError, match="internal or public"):
        report(released().record, edition=edition)


def test_a_page_of_ten_pairs_is_small_and_says_what_it_shows() -> None:
    found = ten_pairs("internal")
    assert len(found.html.encode()) < 2_000_000
    assert len(found.named("figure")) <= 20
