"""The report: what it says, and what it must not show unasked."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pufferfish as pf

NOISE = pf.LaplaceNoise(4.0)


def table() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(8)
    secrets = np.repeat(["north", "south"], [137, 211])
    values = np.round(generator.normal(np.where(secrets == "north", 31.0, 48.0), 6.0))
    values[[0, 1, 140]] = math.nan
    return {"pay": values, "place": secrets}


TABLE = table()


def report(family: str = "mixture", **choices: object) -> pf.FitReport:
    return pf.fit_report(TABLE, "pay", "place", family, **choices)


@pytest.mark.parametrize(
    "family", ["mixture", "mixture-2", "gaussian", "empirical", "ubm", "ubm-2"]
)
def test_a_report_holds_the_belief_that_fit_belief_makes(family: str) -> None:
    found = report(family)
    belief = pf.fit_belief(TABLE, "pay", "place", family)
    assert found.belief == belief
    assert (found.column, found.secret, found.family) == ("pay", "place", family)
    assert [group.secret for group in found.groups] == ["north", "south"]
    for group in found.groups:
        mine = TABLE["pay"][TABLE["place"] == group.secret]
        assert group.prior == belief.priors[group.secret]
        assert group.missing == np.isnan(mine).sum()
        assert group.records == mine.size - group.missing
        assert bool(group.scores) == family.startswith("mixture")
    assert bool(found.background) == family.startswith("ubm")


def test_scores_are_all_that_was_compared() -> None:
    for group in report("mixture").groups:
        assert [fit.components for fit in group.scores] == [1, 2, 3, 4, 5]
        assert group.prior == min(group.scores, key=lambda fit: fit.bic).prior
    for group in report("mixture-2").groups:
        assert [fit.components for fit in group.scores] == [1, 2]
        assert group.prior == group.scores[-1].prior


def test_reprs_say_nothing_of_the_data() -> None:
    for found in (report("mixture", noise=NOISE), report("empirical"), report("ubm")):
        texts = [f(each) for each in (found, found.belief, *found.groups) for f in (repr, str)]
        assert texts[0] == f"FitReport({found.family!r} of 'pay' by 'place')"
        assert "GroupFit('north')" in texts
        for text in texts:
            assert not any(character.isdigit() for character in text), text


def test_the_text() -> None:
    text = report("mixture", noise=NOISE).explain()
    assert text.startswith("PRIVATE")
    for part in (
        "'pay'",
        "'place'",
        "fitted on the released column",
        "'north': 135 records, 2 without a value",
        "'south': 210 records, 1 without a value",
        "BIC",
        "converged",
        "KS",
        "W1 at most",
        "total variation",
        "pf.fit_beliefs",
        "depends on the data",
    ):
        assert part in " ".join(text.split())
    assert "total variation" not in report("mixture").explain()


def test_the_text_of_a_public_table() -> None:
    text = report("gaussian", provenance="public").explain()
    assert "PRIVATE" not in text
    assert "provenance: public" in text
    assert "depends on the data" not in " ".join(text.split())


def test_the_text_of_frequencies() -> None:
    text = " ".join(report("empirical").explain().split())
    assert "knows how often each value occurs" in text
    assert "all but one row" in text
    assert "a table of" in text
    # Nothing is fitted, so nothing is off.
    assert "How well it fits" not in text


def test_the_text_of_binned_frequencies() -> None:
    summary = pf.summarise(TABLE, column="pay", secret="place", most_values=20)
    text = " ".join(pf.fit_report(summary, family="empirical").explain().split())
    assert f"moved by at most {summary.radius:g}" in text


def test_the_text_of_a_background() -> None:
    assert "the background that is adapted to each secret" in report("ubm").explain()


def test_lines_fit_a_terminal() -> None:
    advice = report("mixture", noise=NOISE).explain().split("\n\n")[-1]
    assert max(map(len, advice.splitlines())) <= 98


def test_a_report_on_capped_values_says_so() -> None:
    summary = pf.summarise(TABLE, column="pay", secret="place")
    middle = float(np.median(summary.pooled.values))
    said = pf.fit_report(summary, family="empirical", cap=(middle - 1e3, middle)).explain()
    assert f"moved into [{middle - 1e3:g}, {middle:g}]" in said
    assert "moved into" not in pf.fit_report(summary, family="empirical").explain()
