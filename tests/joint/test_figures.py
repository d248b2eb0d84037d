"""Whose rows a recoding's figures are about, against a count of the rows and the map drawn from.

A map keeps frequencies of the rows that it was fitted to. For another table, a reference table and
half of a table it was said that it keeps those of the released rows; likewise the share of values
that stay, and their error.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.cli.app import run
from pufferfish.kinds.verifier import verify_document
from pufferfish.report import report
from tests.joint.tables import as_plain

VALUES = {"job": ("p", "q", "r"), "score": (0, 1, 2)}
SHARES = {
    "here": ((0.8, 0.15, 0.05), (0.6, 0.3, 0.1)),
    "there": ((0.05, 0.2, 0.75), (0.15, 0.4, 0.45)),
}
FROM = {
    "this table": (),
    "other rows": ("--fit-on", "half"),
    "another table": ("--plan", "plan.json", "--beliefs-from-plan"),
    "reference": ("--reference", "here.csv"),
}
USUAL = ("-s", "s", "-e", "0.3", "--mechanism", "recode", "--floor", "none", "--nominal")
USUAL += ("--belief", "empirical")
KEPT = "s occur as often as before, on average."


def write(name: str) -> None:
    """1,000 rows of each secret; the frequencies are exact."""
    laws = SHARES[name]
    rows = [
        (job, score, secret)
        for secret, law in zip(("one", "two"), laws, strict=True)
        for job, score, share in zip(VALUES["job"], VALUES["score"], law, strict=True)
        for _ in range(round(1000 * share))
    ]
    pd.DataFrame(rows, columns=["job", "score", "s"]).to_csv(f"{name}.csv", index=False)


@pytest.fixture(autouse=True)
def _tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in SHARES:
        write(name)


def released(column: str, source: str, capsys: Any, *more: str) -> tuple[str, Any]:
    """What `release` prints of the table "there", and its record."""
    asked = ("-c", column, *USUAL)
    if source == "another table":
        assert run(["calibrate", "here.csv", *asked, "-o", "plan.json"]) == 0
        asked = ()
    capsys.readouterr()
    command = ["release", "there.csv", *asked, *FROM[source], "-o", "out.csv", "--no-stress"]
    assert run([*command, *more]) == 0
    said = re.sub(r"\s+", " ", capsys.readouterr().out)
    document = json.loads(Path("out.csv.record.json").read_text(encoding="utf-8"))
    return said, document


def expected(column: str, document: Any) -> tuple[float, Any, Any]:
    """The share of the published rows that stays, and how often values occur before and after."""
    plan = pf.Plan.from_dict(document["plan"])
    drawn = as_plain(plan.calibration.mechanism)
    table = pd.read_csv("there.csv")[column]
    before = np.array([(table == value).sum() for (value,) in drawn.values]) / len(table)
    matrix = np.array([[n / sum(line) for n in line] for line in drawn.table])
    order = [drawn.outputs.index(value) for value in drawn.values]
    matrix = matrix[:, order]
    return float(before @ np.diag(matrix)), before, before @ matrix


@pytest.mark.parametrize("source", FROM)
@pytest.mark.parametrize("column", VALUES)
def test_frequencies_are_kept_where_it_says_so(column: str, source: str, capsys: Any) -> None:
    said, document = released(column, source, capsys)
    _, before, after = expected(column, document)
    kept = bool(np.abs(before - after).max() < 1e-6)
    # A half has other frequencies only by chance, so it is about the words.
    assert kept == (source == "this table") or source == "other rows"
    pages = [re.sub(r"<[^>]+>|\s+", " ", report(each, stress=False)) for each in editions()]
    for told in (said, document["promise"], public()["promise"], *pages):
        text = re.sub(r"\s+", " ", told)
        assert (KEPT in text) == (source == "this table"), text
        assert ("only as far as" in text) == (source != "this table"), text
    if source == "this table":
        assert "figures_of" not in document["recode"]
    else:
        assert document["recode"]["figures_of"] == source


def editions() -> list[str]:
    return ["out.csv.record.json", "out.csv.public.json"]


def public() -> Any:
    return json.loads(Path("out.csv.public.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", FROM)
@pytest.mark.parametrize("column", VALUES)
def test_shares_and_errors_say_whose_they_are(column: str, source: str, capsys: Any) -> None:
    said, document = released(column, source, capsys)
    stays, *_ = expected(column, document)
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", report("out.csv.record.json", stress=False)))
    if column == "job":
        (share,) = [float(each) for each in re.findall(r"'job' in ([\d.]+)% of rows", said)]
        (tile,) = re.findall(r"([\d.]+% of rows stay as they are[^.]*?) \d", page)
    else:
        (share,) = [float(each) for each in re.findall(r"([\d.]+) of 100 values stay", said)]
        (tile,) = re.findall(
            r"([\d.]+% of the values are published as they are[^.]*?) no floor", page
        )
    if source == "this table":
        assert share == pytest.approx(100 * stays, abs=0.5)
        assert "or the " not in tile
        return
    whose = {
        "other rows": "the rows that the map was fitted to, which are not published",
        "another table": "the other table, which the map was fitted to",
        "reference": "the table from which the described frequencies come",
    }[source]
    if source != "other rows":
        assert abs(share - 100 * stays) > 5
    assert f"for {whose}" in tile
    # Both the share and the error are introduced by their owner.
    assert len(re.findall(f"[Ff]or {whose}: |those of {whose}", said)) >= 2


@pytest.mark.parametrize("source", FROM)
@pytest.mark.parametrize("column", VALUES)
def test_json_says_whose_figures_it_has(column: str, source: str, capsys: Any) -> None:
    asked = ("-c", column, *USUAL)
    if source == "another table":
        assert run(["calibrate", "here.csv", *asked, "-o", "plan.json"]) == 0
        asked = ()
    capsys.readouterr()
    command = ["release", "there.csv", *asked, *FROM[source], "-o", "out.csv", "--no-stress"]
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["figures_of"] == source


def test_a_record_that_says_they_are_of_this_table_is_refused(capsys: Any) -> None:
    released("job", "reference", capsys)
    document = json.loads(Path("out.csv.record.json").read_text(encoding="utf-8"))
    assert verify_document(document).verdict is True
    del document["recode"]["figures_of"]
    assert verify_document(document).verdict is False


def test_frequencies_of_the_table_come_before_those_of_a_reference() -> None:
    """Two adversaries, and the one who knows a reference table is named first."""
    tables = {name: pd.read_csv(f"{name}.csv") for name in SHARES}
    for column in VALUES:
        (far,) = pf.fit_beliefs(
            tables["here"], column, "s", ("empirical",), provenance="reference sample"
        )
        (own,) = pf.fit_beliefs(tables["there"], column, "s", ("empirical",))
        beliefs = [replace(far, name="reference"), own]
        calibration = pf.calibrate(
            pf.Scenario(beliefs), pf.Guarantee(0.3), mechanism="recode", floor=None, nominal=True
        )
        plan = pf.Plan(calibration=calibration, column=column, secret="s")
        record = pf.release(tables["there"], plan).record
        assert KEPT in record.words["promise"]
        drawn = as_plain(plan.calibration.mechanism)
        counts = tables["there"][column].value_counts()
        before = np.array([counts.get(value, 0) for (value,) in drawn.values])
        matrix = np.array([[n / sum(line) for n in line] for line in drawn.table])
        order = [drawn.outputs.index(value) for value in drawn.values]
        assert before @ matrix[:, order] == pytest.approx(before, abs=0.01)
