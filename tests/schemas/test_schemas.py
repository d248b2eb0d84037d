"""The documents that the library writes are those that its schemas describe."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import pufferfish as pf
from pufferfish.options.adversaries import save_beliefs
from pufferfish.schemas import SHAPES


def committed(kind: str) -> str:
    return files("pufferfish").joinpath("schemas", f"{kind}.schema.json").read_text("utf-8")


GENERATE = """
import json
from pufferfish.schemas import SHAPES, schema_text
print(json.dumps({kind: schema_text(kind) for kind in SHAPES}))
"""


def test_what_is_committed_is_what_is_generated() -> None:
    """Where this fails: `make schemas`."""
    # In a process of its own: another test may have registered a law.
    found = subprocess.run([sys.executable, "-c", GENERATE], capture_output=True, check=True)
    assert json.loads(found.stdout) == {kind: committed(kind) for kind in SHAPES}


def test_no_other_schema_is_committed() -> None:
    names = {each.name for each in files("pufferfish").joinpath("schemas").iterdir()}
    assert {each for each in names if each.endswith(".json")} == {
        f"{kind}.schema.json" for kind in SHAPES
    }


def schema(kind: str) -> Any:
    found = json.loads(committed(kind))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def release(provenance: str, **options: Any) -> pf.Release:
    table = pf.datasets.adult_education()
    beliefs = pf.fit_beliefs(
        table,
        "education-num",
        "race",
        families=["gaussian", "mixture-2", "empirical"],
        provenance=provenance,
    )
    scenario = pf.Scenario(beliefs, [("Black", "White")])
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0))
    plan = pf.Plan(calibration=calibration, column="education-num", secret="race", **options)
    return pf.release(table, plan)


@pytest.mark.parametrize(
    "options", [{}, {"postprocess": (pf.RoundTo(1.0), pf.Clip(1.0, 16.0)), "keep_order": True}]
)
@pytest.mark.parametrize("provenance", ["public", "reference sample"])
def test_plans_and_records_conform(provenance: str, options: dict[str, Any]) -> None:
    record = release(provenance, **options).record
    schema("plan").validate(json.loads(record.plan.to_json()))
    for edition in ("internal", "public"):
        schema("record").validate(record.to_dict(edition))


def test_beliefs_conform(tmp_path: Path) -> None:
    save_beliefs(tmp_path / "b.json", [pf.datasets.adult_mixtures()], force=False)
    schema("beliefs").validate(json.loads((tmp_path / "b.json").read_text("utf-8")))


@pytest.mark.parametrize(
    "users", [pf.sums.identical(10, 1.0, 1.0), pf.sums.binary([0.5, 0.2], provenance="public")]
)
def test_plans_and_records_of_sums_conform(users: pf.sums.Users) -> None:
    secret: dict[str, Any] = {"protect": "value", "between": (0.0, 1.0)}
    plan = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0), **secret))
    schema("sum-plan").validate(json.loads(plan.to_json()))
    record = pf.release_sum([1.0] * users.size, plan).record
    for edition in ("internal", "public"):
        schema("sum-record").validate(record.to_dict(edition))
    private = record.to_dict("public") | {"table": record.to_dict("internal")["table"]}
    with pytest.raises(jsonschema.ValidationError):
        schema("sum-record").validate(private)


def test_a_schema_refuses_what_a_public_record_must_not_hold() -> None:
    record = release("reference sample").record
    public = record.to_dict("public") | {"table": record.to_dict("internal")["table"]}
    with pytest.raises(jsonschema.ValidationError):
        schema("record").validate(public)
