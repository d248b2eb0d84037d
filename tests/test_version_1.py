"""Documents of version 1, as they were written then, still read and verify."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.options.adversaries import _read_beliefs
from pufferfish.report import report
from tests.attacks.forging import edited

FOLDER = Path(__file__).parent / "data" / "v1"
COLUMNS = ["private", "public", "keep", "person", "gaussian", "clipped"]
OLD_WORDS = "words were not compared"


@pytest.mark.parametrize("name", COLUMNS)
def test_internal_records(name: str) -> None:
    found = pf.verify_record(FOLDER / f"{name}.csv.record.json")
    assert found.verdict is True
    assert any(OLD_WORDS in note for note in found.notes)
    assert "It is not signed" in found.conclusion
    assert pf.Record.load(FOLDER / f"{name}.csv.record.json").plan.column == "height"


@pytest.mark.parametrize("name", COLUMNS)
def test_public_records(name: str) -> None:
    found = pf.verify_record(FOLDER / f"{name}.csv.public.json")
    assert found.verdict is (True if name == "public" else None)
    assert any(OLD_WORDS in note for note in found.notes)
    assert report(FOLDER / f"{name}.csv.public.json", edition="public")


def test_plans_and_beliefs_keep_their_own_rounding() -> None:
    plans = [pf.Plan.load(FOLDER / f"plan.{kind}") for kind in ("json", "yaml")]
    assert plans[0] == plans[1]
    assert plans[0].rounding == "digits"
    assert {belief.name for belief in _read_beliefs(FOLDER / "beliefs.json")}


def test_sums() -> None:
    assert pf.verify_record(FOLDER / "sum.record.json").verdict is True
    assert pf.verify_record(FOLDER / "public-sum.record.json").verdict is True
    assert pf.verify_record(FOLDER / "public-sum.public.json").verdict is True
    assert pf.verify_record(FOLDER / "sum.public.json").verdict is None
    assert pf.SumPlan.load(FOLDER / "sum-plan.json").statistic == "sum"


def test_numbers_of_version_1_are_still_compared(tmp_path: Path) -> None:
    for name in ("private.csv", "private.csv.record.json"):
        shutil.copy(FOLDER / name, tmp_path)
    path = edited(
        tmp_path / "private.csv.record.json", lambda data: data["goal"].update(epsilon=0.5)
    )
    assert pf.verify_record(path).verdict is False


def test_a_record_of_version_1_can_be_signed_as_it_is(tmp_path: Path) -> None:
    from pufferfish.codec import document_text, plain_document

    key, path = pf.SigningKey.generate(), tmp_path / "r.json"
    signed = key.signed(plain_document(FOLDER / "private.csv.record.json"))
    path.write_text(document_text(signed), encoding="utf-8")
    shutil.copy(FOLDER / "private.csv", tmp_path)
    assert pf.verify_record(path, signer=key.public).verdict is True
    assert pf.Record.load(path).plan.column == "height"
