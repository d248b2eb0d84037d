"""The noise that a record names is the one that was drawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pufferfish as pf
from pufferfish import denoise
from tests.support import ROOT

FOLDER = ROOT / "tests" / "data" / "v1"


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", ["private.csv", "gaussian.csv", "clipped.csv"])
def test_it_is_the_noise_of_the_plan(name: str) -> None:
    noise = pf.Record.load(FOLDER / f"{name}.record.json").facts.noise
    for edition in ("record", "public"):
        record = document(f"{name}.{edition}.json")
        assert denoise.noise_of(record) == denoise.noise_of(record["noise"]) == noise


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
    record = document("private.csv.public.json")
    with pytest.raises(
        pf.InvalidInputError, match=r"got dict\. From a record: pf\.denoise\.noise_of"
    ):
        denoise.mean([1.0, 2.0], record["noise"])
    with pytest.raises(pf.InvalidInputError, match=r"got float\.$"):
        denoise.mean([1.0, 2.0], 2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[1.0, None, "", 4711.0], ["4711", "2"], [1.0, "4711"]])
def test_texts_are_refused_by_their_place(values: list[Any]) -> None:
    row = [isinstance(each, str) for each in values].index(True)
    with pytest.raises(pf.InvalidInputError, match=f"row {row} is text") as caught:
        denoise.mean(values, pf.LaplaceNoise(1.0))
    assert "None or nan where a value is missing" in str(caught.value)
    assert "4711" not in str(caught.value)
