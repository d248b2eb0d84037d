"""Refutes that a report of a public record says what its curator said.

A public edition of private beliefs holds no plan, so its words, unit and pairs could be edited, and
`report --public` showed them as official.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.attacks.forging import edited, released


def set_to(name: str, value: Any) -> Any:
    return lambda data: data.update({name: value})


EDITS: dict[str, Any] = {
    "words of the promise": lambda data: data.update(
        promise=data["promise"].replace("ε = 1 ", "ε = 0.01 ")
    ),
    "a soothing headline": set_to("headline", ["Certified: safe in every respect."]),
    "no caveats": set_to("not_promised", []),
    "one caveat less": lambda data: data["not_promised"].pop(),
    "another unit": lambda data: data.update(unit="person", rows_per_person=5),
    "other pairs": set_to("pairs", [["a", "b"], ["a", "c"]]),
    "a stronger promise": lambda data: data["goal"].update(epsilon=0.01),
    "another column": set_to("column", "shoe"),
    "another secret": set_to("secret", "shoe"),
    "less noise": lambda data: data["noise"].update(scale=0.1 * data["noise"]["scale"]),
    "more adversaries": set_to("adversaries", 100),
    "kept columns": set_to("kept", ["shoe"]),
    "the order of the rows": set_to("order", "table"),
    "holes": set_to("missing", "drop"),
    "from elsewhere": set_to("beliefs_from", "another table"),
    "unprotected rows": set_to("unprotected_percent", 40),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_public_edition_is_caught(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    path = tmp_path / "public.json"
    assert pf.verify_record(path).verdict is None
    edited(path, EDITS[name])
    assert pf.verify_record(path).verdict is False
    with pytest.raises(pf.CertificationError):
        report(path, edition="public")


def test_private_beliefs_in_a_public_edition(tmp_path: Path) -> None:
    done = released(tmp_path)
    document = done.record.to_dict("internal")
    parts = {name: document[name] for name in ("plan", "certificate")}
    path = edited(tmp_path / "public.json", lambda data: data.update(parts))
    found = pf.verify_record(path)
    assert found.verdict is False
    assert any("no private belief" in check.claim for check in found.checks)


def test_the_report_of_an_unsigned_public_record_says_so(tmp_path: Path) -> None:
    released(tmp_path)
    assert "It is not signed" in report(tmp_path / "public.json", edition="public")


@pytest.mark.parametrize("provenance", ["private", "public"])
@pytest.mark.parametrize("statistic", ["sum", "mean"])
def test_an_edited_public_record_of_a_sum_is_caught(
    tmp_path: Path, provenance: str, statistic: Any
) -> None:
    users = pf.sums.identical(40, 0.5, 0.5, provenance=provenance)
    calibration = pf.calibrate_sum(users, pf.Guarantee(1.0))
    plan = pf.SumPlan(calibration=calibration, column="coin", statistic=statistic)
    record = pf.release_sum([0.0, 1.0] * 20, plan).record
    edits: list[Any] = [
        lambda data: data.update(promise="Nothing can go wrong."),
        lambda data: data["not_promised"].pop(),
        lambda data: data.update(column="age"),
        lambda data: data["goal"].update(epsilon=0.01),
        lambda data: data["noise"].update(scale=0.5 * data["noise"]["scale"]),
        lambda data: data.update(protected="value"),
        lambda data: data["published"].update(value=20.123456789),
    ]
    for edit in edits:
        path = tmp_path / "public.json"
        record.save(path, "public", force=True)
        assert pf.verify_record(path).verdict is not False
        assert pf.verify_record(edited(path, edit)).verdict is False
