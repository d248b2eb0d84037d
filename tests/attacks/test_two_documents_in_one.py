"""Refutes that two readers of one record read the same record.

JSON lets an entry stand twice; one reader takes the first, another the last. So a record
could verify with one noise and show another.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.documents.text import document_text
from pufferfish.options.adversaries import save_beliefs
from tests import seams
from tests.attacks.forging import released


def refused(path: Path, load: Any = pf.verify_record) -> None:
    with pytest.raises(pf.InvalidInputError, match="twice"):
        load(path)


@pytest.mark.parametrize(
    "entry", ["goal", "noise", "promise", "published", "plan", "scale", "sha256"]
)
def test_an_entry_of_a_record_that_stands_there_twice(tmp_path: Path, entry: str) -> None:
    document = released(tmp_path).record.to_dict()
    path = tmp_path / "record.json"
    text = document_text(document)
    once, twice = rf'^( +)"{entry}":', rf'\1"{entry}": 1,\n\1"{entry}":'
    forged = re.sub(once, twice, text, count=1, flags=re.MULTILINE)
    assert forged != text
    path.write_text(forged, encoding="utf-8")
    refused(path)
    refused(path, pf.Record.load)


def test_an_entry_of_a_plan_that_stands_there_twice(tmp_path: Path) -> None:
    text = released(tmp_path).record.plan.to_json()
    forged = text.replace('"std":', '"std": 1, "std":', 1)
    (tmp_path / "p.json").write_text(forged, encoding="utf-8")
    refused(tmp_path / "p.json", pf.Plan.load)
    with pytest.raises(pf.InvalidInputError, match="twice"):
        pf.Plan.from_json(forged)


def test_beliefs_certificates_and_ledgers(tmp_path: Path) -> None:
    done = released(tmp_path)
    calibration = done.record.plan.calibration
    save_beliefs(tmp_path / "b.json", calibration.scenario.beliefs, force=False)
    text = (tmp_path / "b.json").read_text(encoding="utf-8")
    (tmp_path / "b.json").write_text(
        text.replace('"std":', '"std": 9, "std":', 1), encoding="utf-8"
    )
    refused(tmp_path / "b.json", seams.found(seams.READ_BELIEFS))
    certificate = calibration.certificate.to_json()
    with pytest.raises(pf.InvalidInputError, match="twice"):
        pf.Certificate.from_json(certificate.replace('"holds":', '"holds": true, "holds":'))
