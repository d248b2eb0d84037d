"""What could be read in two ways, or grow, is refused; everything that is written is read."""

from __future__ import annotations

from typing import Any

import pytest

import pufferfish as pf
from pufferfish.core import limits
from pufferfish.documents import strict
from pufferfish.documents.strict import plain_from_json, refuse_unreadable


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 1}', "'a' occurs twice"),
        ('{"b": [{"a": 1, "a": 2}]}', "'a' occurs twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "range of doubles"),
        ("[" * 80 + "]" * 80, "nested too deeply"),
        ("{" * 9_999, "JSON|deeply"),
    ],
)
def test_what_is_not_plain_is_refused(text: str, message: str) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        plain_from_json(text, "plan")


def test_limits_hold_for_what_is_written_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict, "DOCUMENT_BYTES", 20)
    monkeypatch.setattr(strict, "MOST_VALUES", 10)
    refuse_unreadable("[1]", "plan")
    for text in ("x" * 21, "," * 12):
        with pytest.raises(pf.InvalidInputError, match="more than is read"):
            refuse_unreadable(text, "plan")


def test_patience_ends() -> None:
    limits.still_patient()
    with limits.patience(1e6):
        limits.still_patient()
        with limits.patience(0.0), pytest.raises(pf.UnsupportedError, match="so it was stopped"):
            limits.still_patient()
        limits.still_patient()


def test_a_verifier_without_patience_does_not_claim_anything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    from pufferfish.kinds import verifier as checking
    from tests.attacks.forging import released

    released(tmp_path)
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0.0)
    found = pf.verify_record(tmp_path / "record.json")
    assert found.verdict is None
    assert any("so it was stopped" in check.detail for check in found.checks)
    users = pf.sums.binary([0.5, 0.25])
    plan = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0, 0.01)))
    pf.release_sum([1.0, 0.0], plan).record.save(tmp_path / "sum.json", "internal")
    assert pf.verify_record(tmp_path / "sum.json").verdict is None
