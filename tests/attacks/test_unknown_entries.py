"""Refutes "the record has no entry that such records do not have" for entries deep within one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.attacks.forging import released

CLAIM = {"certified_by": "somebody whom everybody trusts"}


def objects(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every object in a document."""
    if isinstance(data, dict):
        yield path
        for name, each in data.items():
            yield from objects(each, (*path, name))
    elif isinstance(data, list):
        for number, each in enumerate(data):
            yield from objects(each, (*path, number))


def with_claim(data: Any, path: tuple[Any, ...]) -> Any:
    copy = json.loads(json.dumps(data))
    place = copy
    for step in path:
        place = place[step]
    place.update(CLAIM)
    return copy


@pytest.mark.parametrize("provenance", ["public", "private"])
@pytest.mark.parametrize("name", ["record.json", "public.json"])
def test_no_object_of_a_record_takes_another_entry(
    tmp_path: Path, name: str, provenance: str
) -> None:
    released(tmp_path, provenance, postprocess=(pf.RoundTo(1.0), pf.Clip(100.0, 250.0)))
    path = tmp_path / name
    data = json.loads(path.read_text(encoding="utf-8"))
    places = list(objects(data))
    assert len(places) > 5
    for place in places:
        path.write_text(json.dumps(with_claim(data, place)), encoding="utf-8")
        assert pf.verify_record(path).verdict is False, place
        with pytest.raises(pf.CertificationError):
            report(path, edition="public")
        with pytest.raises(pf.CertificationError):
            report(with_claim(data, place), edition="public")


def test_no_object_of_a_plan_takes_another_entry(tmp_path: Path) -> None:
    plan = released(tmp_path, postprocess=(pf.RoundTo(1.0),)).record.plan
    data = json.loads(plan.to_json())
    for place in objects(data):
        with pytest.raises(pf.InvalidInputError):
            pf.Plan.from_json(json.dumps(with_claim(data, place)))


@pytest.mark.parametrize("provenance", ["public", "private"])
def test_no_object_of_a_sum_takes_another_entry(tmp_path: Path, provenance: str) -> None:
    users = pf.sums.binary([0.5, 0.25, 0.5], provenance=provenance)
    plan = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0)))
    record = pf.release_sum([1.0, 0.0, 1.0], plan).record
    for edition in ("internal", "public"):
        path = tmp_path / f"{edition}.json"
        record.save(path, edition)  # type: ignore[arg-type]
        data = json.loads(path.read_text(encoding="utf-8"))
        assert pf.verify_record(path).verdict is not False
        for place in objects(data):
            path.write_text(json.dumps(with_claim(data, place)), encoding="utf-8")
            assert pf.verify_record(path).verdict is False, place
    data = json.loads(plan.to_json())
    for place in objects(data):
        with pytest.raises(pf.InvalidInputError):
            pf.SumPlan.from_json(json.dumps(with_claim(data, place)))


@pytest.mark.parametrize(
    "change",
    [
        {"versions": {"numpy": "certified by everybody"}},
        {"versions": {"Checked by": "1.0"}},
        {"created": "2026, and certified"},
        {"notice": "Certified."},
        {"table": {"rows": 1, "missing": 0, "unprotected": 0, "outside": 0, "column_std": 1.0}},
    ],
)
def test_what_is_free_text_elsewhere_is_none_here(tmp_path: Path, change: dict[str, Any]) -> None:
    released(tmp_path)
    path = tmp_path / "public.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | change), encoding="utf-8")
    found = pf.verify_record(path)
    assert found.verdict is False
    assert "ertified" not in str(found)
