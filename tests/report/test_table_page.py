"""The page of a released table, in both editions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.core.errors import CertificationError
from pufferfish.report import report
from tests.report.tables import RARE, ROWS, planned, released, table
from tests.report.test_canary import readable
from tests.test_canary import leaks

ASKED: dict[str, dict[str, Any]] = {
    "kept": {},
    "hidden": {"keep": ()},
    "one law": {"one_law": True},
    "nothing known": {"known": (), "keep": ()},
    "one category": {"columns": ("job",)},
    "numbers": {"columns": ("score",)},
    "noise": {"columns": ("score",), "mechanism": None},
    "δ": {"columns": ("score",), "mechanism": None, "goal": (0.5, 0.01)},
    "free": {"keep_histogram": False},
    "unprotected": {"columns": ("score",), "unprotected": ("job",)},
}


def private(plan: Any) -> dict[str, float]:
    """Numbers that nobody outside may see."""
    found: dict[str, float] = {"rows of x": float((table()["s"] == "x").sum())}
    for belief in plan.scenario.beliefs:
        for secret, prior in belief.priors.items():
            for place, share in enumerate(prior.probabilities.tolist()):
                found[f"{belief.name} {secret} {place}"] = share
    for part in plan.calibration.parts or (plan.calibration,):
        if part.recode is not None:
            found |= {"unchanged": part.recode.unchanged, "error": part.recode.rmse}
            found |= {each.column: each.unchanged for each in part.recode.parts}
    return found


def published(done: Any) -> dict[str, Any]:
    """Rows as they might have been published: the same for every run, unlike real ones."""
    rows = {name: table(9)[name] for name in done.frame}
    if done.record.plan.calibration.recode is None:
        rows["score"] = rows["score"] + np.random.default_rng(7).laplace(0.0, 1.0, ROWS)
    return rows


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("with_table", [True, False])
def test_nothing_private_is_in_a_public_report(name: str, with_table: bool) -> None:
    done = released(**ASKED[name])
    sources = {"released": published(done), "original": table()} if with_table else {}
    text = readable(report(done.record, edition="public", **sources))
    assert leaks(text, private(done.record.plan), RARE, "empirical") == []
    for word in ("private)", "each value, before", "Who pays", "Which associations", "stays"):
        assert word not in text


@pytest.mark.parametrize("name", ASKED)
def test_the_same_search_finds_them_in_the_internal_report(name: str) -> None:
    done = released(**ASKED[name])
    text = readable(report(done.record, released=done.frame, original=table()))
    assert "Internal." in text
    assert "empirical" in text
    if done.record.plan.calibration.recode is not None:
        assert leaks(text, private(done.record.plan))
        assert "Who pays: the rows of each secret" in text
    if done.record.plan.known:
        assert "By known value" in text


def test_the_public_report_does_not_depend_on_anything_private() -> None:
    """Two tables with other beliefs and maps; the same promise and published rows."""
    pages = []
    shown = released(known=(), keep=()).frame
    for seed in (4, 5):
        rows = {name: table(seed)[name] for name in ("job", "score", "s")}
        beliefs = pf.fit_beliefs(rows, columns=["job", "score"], secret="s", only=["x", "y"])
        found = pf.calibrate(
            pf.Scenario(beliefs), pf.Guarantee(0.5), mechanism="recode", wrong=0.02
        )
        plan = pf.Plan(calibration=found, columns=["job", "score"], secret="s", others=[RARE])
        record = pf.release(rows, plan).record
        page = report(record, edition="public", released=shown, original=rows)
        pages.append(page.replace(record.sha256, "").replace(record.created, ""))
    assert pages[0] == pages[1]


def test_a_path_of_the_original_is_not_even_read(tmp_path: Path) -> None:
    done = released()
    assert report(done.record, edition="public", original=tmp_path / "not there.csv")


def test_what_must_be_known_comes_first() -> None:
    done = released()
    for edition in ("internal", "public"):
        page = report(done.record, edition=edition, released=done.frame)
        assert page.index("published in every row") < page.index("ε = 0.5")
        assert "What known columns" not in page
        assert readable(page).count("for somebody who knows") >= 1


def test_public_beliefs_are_shown_to_everybody() -> None:
    done = released(public=True)
    text = readable(report(done.record, edition="public", released=done.frame))
    assert "All beliefs in it are public." in text
    assert "Which row becomes which" in text
    assert "before, as believed" in text
    for word in ("private)", "Who pays", "(the secret)"):
        assert word not in text


def test_labels_of_the_table_cannot_break_the_page() -> None:
    done = released()
    page = report(done.record, released=done.frame, original=table())
    assert "<b>pilot" not in page
    assert "&lt;b&gt;pilot" in page


def test_every_picture_has_words() -> None:
    page = report(released().record, released=released().frame, original=table())
    figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    assert len(figures) >= 5
    for each in figures:
        assert re.search(r'<title id="[^"]+">[^<]+</title><desc id="[^"]+">[^<]+</desc>', each)
    names = re.findall(r'id="([^"]+)"', page)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["kept", "noise"])
def test_files_are_found_beside_the_record(name: str, tmp_path: Path) -> None:
    plan = planned(**ASKED[name])
    pd.DataFrame(table()).to_csv(tmp_path / "a.csv", index=False)
    done = pf.release(tmp_path / "a.csv", plan, output=tmp_path / "out.csv")
    done.record.save(tmp_path / "r.json", "internal")
    done.record.save(tmp_path / "p.json", "public")
    page = readable(report(tmp_path / "r.json", original=tmp_path / "a.csv"))
    assert "counted in the published rows" in page
    assert "counted in the published rows" in readable(
        report(tmp_path / "p.json", edition="public")
    )


def test_another_table_is_refused() -> None:
    done = released()
    less = {name: np.asarray(column)[1:] for name, column in done.frame.items()}
    with pytest.raises(CertificationError, match=f"about {ROWS:,} published rows"):
        report(done.record, released=less)
    noised = released(**ASKED["noise"])
    less = {name: np.asarray(column)[1:] for name, column in noised.frame.items()}
    with pytest.raises(CertificationError, match=f"about {ROWS:,} published rows"):
        report(noised.record, released=less)


def test_without_files_the_map_says_what_is_published_on_average() -> None:
    text = readable(report(released().record))
    assert "published, on average" in text
    assert "in the published file" not in text
    assert "were not at hand" in readable(report(released().record, edition="public"))
