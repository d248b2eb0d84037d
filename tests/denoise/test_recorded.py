"""The noise that a record names is the one that was drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pufferfish as pf
from pufferfish import denoise


def record(kind: Any = "laplace", **fields: Any) -> Any:
    """The record of a release with this noise."""
    laws = {"a": pf.Gaussian(170.0, 7.0), "b": pf.Gaussian(172.0, 8.0)}
    found = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(0.5, 1e-4), kind)
    plan = pf.Plan(calibration=found, column="x", secret="s", **fields)
    return pf.release({"x": [168.0, 175.0], "s": ["a", "b"]}, plan).record


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("steps", [(), (pf.RoundTo(1.0), pf.Clip(100.0, 250.0))])
def test_it_is_the_noise_of_the_plan(kind: Any, steps: Any) -> None:
    done = record(kind, postprocess=steps)
    noise = done.plan.calibration.noise
    assert noise.kind == kind
    for edition in ("internal", "public"):
        record_ = json.loads(json.dumps(done.to_dict(edition)))
        assert denoise.noise_of(record_) == denoise.noise_of(record_["noise"]) == noise


def test_what_has_no_noise_to_correct_for_is_refused() -> None:
    with pytest.raises(pf.UnsupportedError, match="recoded"):
        denoise.noise_of({"noise": {"kind": "recoding-outline", "floor": None}})
    law = {"kind": "laplace", "scale": 2.0, "grid": None}
    both = {"kind": "by-known", "columns": ["k"], "given": [["a"], ["b"]], "laws": [law, law]}
    with pytest.raises(pf.UnsupportedError, match="within each group"):
        denoise.noise_of({"noise": both})
    assert denoise.noise_of(both["laws"][0]) == pf.LaplaceNoise(2.0)  # type: ignore[arg-type]
    for bad in ({}, {"noise": "laplace"}, {"plan": {}}):
        with pytest.raises(pf.InvalidInputError, match="no record of a noised column"):
            denoise.noise_of(bad)
    with pytest.raises(pf.InvalidInputError, match=r"json\.loads"):
        denoise.noise_of("years.csv.public.json")  # type: ignore[arg-type]


def test_a_document_in_place_of_noise_says_what_to_do() -> None:
    document = record().to_dict("public")
    with pytest.raises(
        pf.InvalidInputError, match=r"got dict\. From a record: pf\.denoise\.noise_of"
    ):
        denoise.mean([1.0, 2.0], document["noise"])
    with pytest.raises(pf.InvalidInputError, match=r"got float\.$"):
        denoise.mean([1.0, 2.0], 2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[1.0, None, "", 4711.0], ["4711", "2"], [1.0, "4711"]])
def test_texts_are_refused_by_their_place(values: list[Any]) -> None:
    row = [isinstance(each, str) for each in values].index(True)
    with pytest.raises(pf.InvalidInputError, match=f"row {row} is text") as caught:
        denoise.mean(values, pf.LaplaceNoise(1.0))
    assert "None or nan where a value is missing" in str(caught.value)
    assert "4711" not in str(caught.value)
