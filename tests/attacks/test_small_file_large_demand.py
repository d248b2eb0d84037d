"""Refutes that a record of a few bytes can be verified in a few megabytes.

12,000 laws in 1.4 MB took 5.7 GB.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from tests.attacks.forging import edited, released
from tests.attacks.hostile import last_peak, verify

MEGABYTE = 2**20


@pytest.mark.parametrize("name", ["record.json", "public.json"])
def test_twelve_thousand_laws(tmp_path: Path, name: str) -> None:
    released(tmp_path, "public")
    secrets = [f"s{number}" for number in range(12_000)]
    laws = [
        {
            "secret": secret,
            "missing": 0.0,
            "prior": {"family": "gaussian", "mean": 0.001 * number, "std": 5.0},
        }
        for number, secret in enumerate(secrets)
    ]

    def many(data: dict[str, Any]) -> None:
        data["pairs"] = {"all_of": secrets}
        data["plan"]["scenario"]["pairs"] = {"all_of": secrets}
        data["plan"]["scenario"]["beliefs"][0]["secrets"] = laws

    path = edited(tmp_path / name, many)
    assert path.stat().st_size < 2 * MEGABYTE
    found = verify(path)
    assert found.returncode in (2, 3)
    assert "pairs" in found.stdout + found.stderr
    assert last_peak() < 400 * MEGABYTE


def test_as_many_secrets_as_the_documentation_promises_can_be_written_and_read() -> None:
    laws: dict[Any, Any] = {f"s{n}": pf.Gaussian(0.001 * (n % 40), 5.0) for n in range(3_000)}
    scenario = pf.Scenario(pf.Belief(laws))
    calibration = pf.calibrate(scenario, pf.Guarantee(1.0, 1e-5))
    given = replace(calibration, method="given")
    plan = pf.Plan(calibration=given, column="x", secret="s", allow_no_noise=True, rounding="given")
    again = pf.Plan.from_json(plan.to_json())
    assert len(again.calibration.scenario.pairs) == 4_498_500


SHAPES: dict[str, str] = {
    "deep lists": "[" * 100_000,
    "deep and closed": "[" * 500 + "]" * 500,
    "deep objects": '{"a":' * 100_000,
    "a long number": '{"pufferfish": "record", "version": ' + "9" * 5_000 + "}",
    "not a number": '{"pufferfish": "record", "version": NaN}',
    "infinity": '{"pufferfish": "record", "version": 1e999}',
    "a list": "[]",
    "nothing": "",
    "many lists": "[" + "[]," * 1_100_000 + "[]]",
    "many numbers": "[" + "1," * 5_100_000 + "1]",
    "a number for a kind": '{"pufferfish": 5}',
    "everything wrong": json.dumps(dict.fromkeys(("goal", "noise", "pairs"), 5)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_that_once_ended_in_a_traceback(tmp_path: Path, name: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(SHAPES[name], encoding="utf-8")
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.verify_record(path)
    assert len(str(caught.value)) < 500


def test_a_document_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # of zeros, and no room on the disk
    found = verify(path)
    assert found.returncode == 2
    assert "larger than 64 MiB" in found.stderr


def values(data: Any, path: tuple[Any, ...] = ()) -> Any:
    """The place of every value of a document."""
    yield path
    if isinstance(data, dict | list):
        for name, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from values(value, (*path, name))


STRANGE: list[Any] = [
    *(None, True, -1, 10**300, 1e308, -1e-308),
    *("", "x" * 1000, "\x1b[31m\ud800", [], {}, [[]], {"": 0}),
]


@pytest.mark.parametrize("name", ["record.json", "public.json"])
@pytest.mark.parametrize("number", range(len(STRANGE)))
def test_any_value_may_be_anything(tmp_path: Path, name: str, number: int) -> None:
    """Whatever one entry is replaced by: a verdict or a message, and never another error."""
    released(tmp_path, "public", postprocess=(pf.RoundTo(0.5), pf.Clip(0.0, 400.0)))
    data = json.loads((tmp_path / name).read_text(encoding="utf-8"))
    (tmp_path / "out.csv").unlink()
    for place in values(data):
        copy = json.loads(json.dumps(data))
        holder = copy
        for step in place[:-1]:
            holder = holder[step]
        if place:
            holder[place[-1]] = STRANGE[number]
        else:
            copy = STRANGE[number]
        (tmp_path / name).write_text(json.dumps(copy), encoding="utf-8")
        said = _said(tmp_path / name)
        assert said != "yes", place
        assert len(said) < 20_000, place
        assert "\x1b" not in said, place


def _said(path: Path) -> str:
    try:
        found = pf.verify_record(path)
    except pf.PufferfishError as error:
        return str(error)
    lines = [f"{check.claim} {check.detail}" for check in found.checks]
    return "yes" if found.verdict is True else "\n".join([*lines, *found.notes, found.conclusion])
