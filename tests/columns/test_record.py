"""The record: an internal edition with everything, a public one with nothing private."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf


@cache
def calibration(provenance: str) -> pf.Calibration:
    laws = {"a": pf.Gaussian(40.125, 3.0625), "b": pf.Gaussian(41.375, 3.0625)}
    belief = pf.Belief(laws, name="curious", provenance=provenance)
    return pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5))


def plan(provenance: str = "private", **fields: Any) -> pf.Plan:
    return pf.Plan(calibration=calibration(provenance), column="x", secret="s", **fields)


ROWS = 400
VALUES = np.random.default_rng(0).normal(40.0, 3.0, ROWS)
TABLE = {"x": VALUES, "s": np.array(["a", "b"] * (ROWS // 2)), "k": np.arange(ROWS)}


def record(provenance: str = "private", **fields: Any) -> pf.Record:
    return pf.release(TABLE, plan(provenance, **fields)).record


PUBLIC = {
    *("pufferfish", "version", "edition", "notice", "headline", "promise", "not_promised", "goal"),
    *(
        "unit",
        "rows_per_person",
        "dependence",
        "one_row",
        "rows_tested",
        "pairs",
        "column",
        "secret",
        "kept",
    ),
    *(
        "reveals",
        "missing",
        "cap",
        "step",
        "order",
        "unprotected_percent",
        "adversaries",
        "beliefs_from",
    ),
    *("beliefs_fitted", "noise", "rounding", "postprocess", "published", "versions", "created"),
}


def test_the_internal_edition_holds_all_that_is_needed_to_check() -> None:
    done = record()
    data = done.to_dict("internal")
    assert set(data) == PUBLIC | {"plan", "certificate", "table"}
    assert pf.Plan.from_dict(data["plan"]) == done.plan
    assert pf.Certificate.from_dict(data["certificate"]) == done.plan.calibration.certificate
    assert data["table"] == {
        "rows": ROWS,
        "missing": 0,
        "unprotected": 0,
        "outside": 0,
        "capped": 0,
        "column_std": pytest.approx(VALUES.std()),
    }
    assert "Keep it" in data["notice"]


def test_the_public_edition_holds_nothing_of_a_private_belief() -> None:
    data = record().to_dict("public")
    assert set(data) == PUBLIC
    assert "May be published" in data["notice"]
    text = json.dumps(data)
    for number in ("40.1", "41.3", "3.06", "curious", f"{VALUES.std():.3g}"):
        assert number not in text


def test_public_beliefs_are_published_and_the_table_is_not() -> None:
    data = record("public").to_dict("public")
    assert set(data) == PUBLIC | {"plan", "certificate"}
    assert data["plan"]["scenario"]["beliefs"][0]["secrets"][0]["prior"]["mean"] == 40.125
    assert f"{VALUES.std():.4g}" not in json.dumps(data)


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_what_was_done_is_said(edition: Any) -> None:
    before = datetime.now(UTC)
    done = record(keep_unprotected=("k",), postprocess=(pf.RoundTo(0.5), pf.Clip(0.0, 90.0)))
    data = done.to_dict(edition)
    assert (data["pufferfish"], data["version"], data["edition"]) == ("record", 1, edition)
    assert data["goal"] == {"epsilon": 0.5, "delta": 0.0}
    assert data["pairs"] == [["a", "b"]]
    assert (data["column"], data["kept"], data["missing"]) == ("x", ["k"], "refuse")
    assert data["order"] == "random"
    noise = done.plan.calibration.noise
    assert isinstance(noise, pf.LaplaceNoise)
    assert data["noise"] == {"kind": "laplace", "scale": noise.scale, "grid": noise.grid}
    assert data["postprocess"] == [{"round_to": 0.5}, {"clip": [0.0, 90.0]}]
    assert data["published"]["rows"] == ROWS
    assert len(data["published"]["sha256"]) == 64
    # It is written in whole seconds.
    created = datetime.fromisoformat(data["created"])
    assert before.replace(microsecond=0) <= created <= datetime.now(UTC)
    assert data["versions"]["numpy"] == np.__version__


def test_the_promise_in_words() -> None:
    words = record().to_dict()["promise"]
    for part in ("one row", "'x'", "'s'", "'a' and 'b'", "ε = 0.5", "1 described adversary,"):
        assert part in words
    assert "Laplace noise of scale" in words
    several = record(
        unit="person", person="k", rows_per_person=3, dependence="independent"
    ).to_dict()
    assert "one person (at most 3 rows, taken to be independent" in several["promise"]
    # Nobody has two rows, so there was nothing to test.
    assert "that was not tested" in several["headline"][0]
    assert several["rows_tested"] is False
    assert several["goal"] == {"epsilon": 1.5, "delta": 0.0}
    assert "ε = 1.5" in several["promise"]


def test_many_pairs_are_not_all_named() -> None:
    laws = {f"s{number:02}": pf.Discrete([float(number)], [1.0]) for number in range(6)}
    chosen = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0)),
        column="x",
        secret="s",
    )
    done = pf.release({"x": [1.0], "s": ["s00"]}, chosen).record.to_dict("public")
    assert len(done["pairs"]) == 15
    assert "and 5 more pairs" in done["promise"]


def test_gaussian_noise_and_none_in_words() -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.1, 1.0)}
    scenario = pf.Scenario(pf.Belief(laws))
    for goal, noise, words in (
        (pf.Guarantee(0.01, 1e-4), "gaussian", "Gaussian noise of std"),
        (pf.Guarantee(1.0, 0.1), "laplace", "No noise was added"),
    ):
        found = pf.calibrate(scenario, goal, noise)  # type: ignore[arg-type]
        chosen = pf.Plan(calibration=found, column="x", secret="s", allow_no_noise=True)
        assert words in pf.release(TABLE, chosen).record.to_dict("public")["promise"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "several rows of one person"),
        ({}, "in none of the pairs"),
        ({}, "far from all that the described adversaries consider possible"),
        ({"keep_unprotected": ("k",)}, "other published columns (k)"),
        ({"keep_order": True}, "order of the rows"),
        ({"missing": "drop"}, "had no value"),
    ],
    ids=str,
)
def test_what_is_not_promised_is_said(fields: dict[str, Any], words: str) -> None:
    texts = record(**fields).to_dict("public")["not_promised"]
    assert any(words in text for text in texts)
    assert len(texts) >= 4
    if fields:
        assert not any(words in text for text in record().to_dict("public")["not_promised"])


def test_for_a_person_its_rows_are_covered() -> None:
    texts = record(unit="person", person="k").to_dict("public")["not_promised"]
    assert not any("several rows of one person" in text for text in texts)


# Files.


@pytest.mark.parametrize("provenance", ["private", "public"])
def test_who_may_read_which_edition(tmp_path: Path, provenance: str) -> None:
    """The internal edition holds statistics of the table, whatever the beliefs are."""
    before = os.umask(0o022)
    try:
        record(provenance).save(tmp_path / "internal.json", "internal")
        record(provenance).save(tmp_path / "public.json", "public")
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE((tmp_path / f"{name}.json").stat().st_mode) for name in ("internal", "public")
    ]
    assert modes == [0o600, 0o644]


def test_a_record_is_written_once_unless_forced(tmp_path: Path) -> None:
    done = record()
    done.save(tmp_path / "r.json", "internal")
    assert json.loads((tmp_path / "r.json").read_text()) == done.to_dict("internal")
    with pytest.raises(pf.OutputExistsError):
        done.save(tmp_path / "r.json", "internal")
    done.save(tmp_path / "r.json", "public", force=True)
    assert json.loads((tmp_path / "r.json").read_text()) == done.to_dict("public")


def wrong_noise() -> pf.Record:
    laws = {"a": pf.Discrete([1, 2, 5], [0.5, 0.3, 0.2]), "b": pf.Discrete([1, 4], [0.4, 0.6])}
    belief = pf.Belief(laws, provenance="public", cap=(0.0, 8.0))
    found = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0), wrong=0.05)
    frame = {"x": np.tile([1.0, 2.0, 4.0, 5.0], 50), "s": np.tile(["a", "b"], 100)}
    return pf.release(frame, pf.Plan(calibration=found, column="x", secret="s", cap=(0, 8))).record


def test_a_record_says_by_how_much_laws_may_be_wrong(tmp_path: Path) -> None:
    done = wrong_noise()
    for edition in ("internal", "public"):
        data = done.to_dict(edition)
        assert data["wrong"] == data["plan"]["wrong"] == data["certificate"]["wrong"] == 0.05
        assert "within 5% of a described one" in data["promise"]
        place = tmp_path / f"{edition}.json"
        place.write_text(json.dumps(data))
        found = pf.verify_record(place)
        assert all(each.verdict is not False for each in found.checks), found.checks
        assert pf.Plan.from_dict(data["plan"]).calibration.certificate.wrong == 0.05


@pytest.mark.parametrize(
    "changed",
    [
        {"plan": 0.04},
        {"certificate": 0.04},
        {"": 0.04},
        {"": 0.06, "plan": 0.06, "certificate": 0.06},
        {"": 0.04, "plan": 0.04, "certificate": 0.04},
        {"cap": 9.0},
    ],
)
def test_a_record_with_another_share_or_range_is_refused(
    changed: dict[str, float], tmp_path: Path
) -> None:
    data = wrong_noise().to_dict("internal")
    for part, share in changed.items():
        if part == "cap":
            data["cap"] = data["plan"]["cap"] = [0.0, share]
            data["plan"]["scenario"]["beliefs"][0]["cap"] = [0.0, share]
        else:
            (data[part] if part else data)["wrong"] = share
    place = tmp_path / "changed.json"
    place.write_text(json.dumps(data))
    assert any(each.verdict is False for each in pf.verify_record(place).checks)


def test_a_plan_for_wrong_laws_needs_the_range_of_its_beliefs() -> None:
    found = wrong_noise().plan.calibration
    for cap in (None, (0.0, 9.0)):
        with pytest.raises(pf.InvalidInputError, match="cap"):
            pf.Plan(calibration=found, column="x", secret="s", cap=cap)
