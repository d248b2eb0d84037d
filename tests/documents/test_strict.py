"""What could be read in two ways, or grow, is refused; everything that is written is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

import pufferfish as pf
from pufferfish.core import limits
from pufferfish.documents import strict
from pufferfish.documents.strict import plain_from_json, plain_from_yaml, refuse_unreadable


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (plain_from_json, '{"a": 1, "a": 1}', "'a' occurs twice"),
        (plain_from_json, '{"b": [{"a": 1, "a": 2}]}', "'a' occurs twice"),
        (plain_from_json, '{"a": NaN}', "NaN"),
        (plain_from_json, '{"a": -Infinity}', "Infinity"),
        (plain_from_json, '{"a": 1e999}', "range of doubles"),
        (plain_from_json, "[" * 80 + "]" * 80, "nested too deeply"),
        (plain_from_json, "{" * 9_999, "JSON|deeply"),
        (plain_from_yaml, "a: 1\na: 1", "'a' occurs twice"),
        (plain_from_yaml, "b:\n- {a: 1, a: 2}", "'a' occurs twice"),
        (plain_from_yaml, "a: &x 1", "anchors"),
        (plain_from_yaml, "a: &x [1]\nb: *x", "anchors"),
        (plain_from_yaml, "a: *x", "anchors"),
        (plain_from_yaml, "a: !!python/object/apply:os.system [x]", "tags"),
        (plain_from_yaml, "a: !!str 1", "tags"),
        (plain_from_yaml, "a: .nan", "NaN"),
        (plain_from_yaml, "a: -.inf", "NaN or an infinite"),
        (plain_from_yaml, "1: a", "not text"),
        (plain_from_yaml, "? [a]\n: b", "not text"),
        (plain_from_yaml, "[" * 80 + "]" * 80, "nested too deeply"),
        (plain_from_yaml, "a: " + "1:" * 300 + "1", "too long"),
        (plain_from_yaml, "a: 1\n---\nb: 1", "one YAML document"),
        (plain_from_yaml, "", "one YAML document"),
        (plain_from_yaml, "a: [", "valid YAML"),
    ],
)
def test_what_is_not_plain_is_refused(
    read: Callable[[str, str], Any], text: str, message: str
) -> None:
    with pytest.raises(pf.InvalidInputError, match=message):
        read(text, "plan")


def test_yaml_means_what_it_usually_means() -> None:
    text = "a: 1\nb: 1.5\nc: yes\nd: ~\ne: 'x'\nf: [1, {g: h}]\ni: 1.0e-05\nj: 0x1f\n"
    assert plain_from_yaml(text, "plan") == yaml.safe_load(text)
    # But for dates, which are texts as they are in JSON, and merged keys, which are names.
    assert plain_from_yaml("a: 2026-01-01", "plan") == {"a": "2026-01-01"}
    assert plain_from_yaml("<<: {a: 1}", "plan") == {"<<": {"a": 1}}


def test_limits_hold_for_what_is_written_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCUMENT_BYTES", "YAML_BYTES", "MOST_VALUES", "YAML_VALUES"):
        monkeypatch.setattr(strict, name, 10)
    for yaml_ in (False, True):
        refuse_unreadable("[1]", "plan", yaml=yaml_)
        for text in ("x" * 11, "1,\n" * 12):
            with pytest.raises(pf.InvalidInputError, match="more than is read"):
                refuse_unreadable(text, "plan", yaml=yaml_)


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
