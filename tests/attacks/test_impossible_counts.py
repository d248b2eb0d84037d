"""Refutes "This record is consistent with itself" of records whose counts cannot be true together.

The words are written again to fit, so that nothing but the contradiction gives the forger away.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.columns.statement import Facts, words
from pufferfish.documents.text import read_document
from tests.attacks.forging import edited, released

Change = Callable[[dict[str, Any]], object]


def fitting(change: Change) -> Change:
    """A change, and the words that go with it."""

    def both(data: dict[str, Any]) -> None:
        change(data)
        data.update(words(Facts.from_dict(data)))

    return both


def reveals(percent: int = 70, pair: tuple[str, str] = ("a", "b")) -> dict[str, Any]:
    return {"reveals": {"found_percent": percent, "pair": list(pair)}}


FORGED: dict[str, Change] = {
    "share": lambda data: data["table"].update(unprotected=200),
    "share of none": lambda data: data.update(unprotected_percent=3),
    "no share": lambda data: data.update(unprotected_percent=None),
    "order": lambda data: data.update(order="table"),
    "reveals": lambda data: data.update(reveals()),
    "fitted": lambda data: data.update(beliefs_fitted="2020-01-01"),
    "fewer read": lambda data: data["table"].update(rows=300),
    "more read": lambda data: data["table"].update(rows=500),
    "fewer published": lambda data: data["published"].update(rows=399),
    "missing": lambda data: data["table"].update(missing=3),
    "outside": lambda data: data["table"].update(outside=401),
    "capped": lambda data: data["table"].update(capped=1),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_cannot_be_true_together_is_refused(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    path = tmp_path / "record.json"
    assert pf.verify_record(path).verdict is True
    edited(path, fitting(FORGED[name]))
    found = pf.verify_record(path)
    wrong = [check.claim for check in found.checks if check.verdict is False]
    assert "its statements about what was done and counted agree" in wrong
    with pytest.raises((pf.CertificationError, pf.InvalidInputError)):
        pf.Record.load(path)


def test_what_cannot_be_counted_is_refused(tmp_path: Path) -> None:
    released(tmp_path)
    path = edited(tmp_path / "record.json", fitting(lambda data: data["table"].update(outside=-1)))
    wrong = [check.claim for check in pf.verify_record(path).checks if check.verdict is False]
    assert wrong == ["the record has the right shape"]


@pytest.mark.parametrize("edition", ["record", "public"])
@pytest.mark.parametrize(
    "change", [reveals(49), reveals(70, ("a", "c"))], ids=["worse than guessing", "another pair"]
)
def test_measurements_that_cannot_be(tmp_path: Path, edition: str, change: dict[str, Any]) -> None:
    released(tmp_path, keep_unprotected=("shoe",))
    path = tmp_path / f"{edition}.json"
    assert pf.verify_record(path).verdict is (True if edition == "record" else None)
    facts = Facts.from_dict(read_document(path, "record"))
    assert facts.reveals is not None
    assert facts.reveals.found_percent >= 50
    edited(path, lambda data: data.update(change))
    if change["reveals"]["found_percent"] >= 50:
        edited(path, fitting(lambda data: data))
    assert pf.verify_record(path).verdict is False


@pytest.mark.parametrize("edition", ["record", "public"])
def test_no_column_is_kept_and_something_is_measured(tmp_path: Path, edition: str) -> None:
    released(tmp_path)
    path = edited(tmp_path / f"{edition}.json", fitting(lambda data: data.update(reveals())))
    assert pf.verify_record(path).verdict is False


@pytest.mark.parametrize("one_row", ["first", "mean"])
@pytest.mark.parametrize("missing", ["refuse", "drop"])
def test_true_counts_of_one_row_for_each_person(tmp_path: Path, one_row: Any, missing: Any) -> None:
    hole = [float("nan")] if missing == "drop" else [1.0]
    table = {
        "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, *hole],
        "s": ["a", "a", "b", "b", "c", "a", "a"],
        "p": [1, 1, 2, 2, 3, 4, 5],
    }
    belief = pf.Belief({"a": pf.Gaussian(1.0, 2.0), "b": pf.Gaussian(3.0, 2.0)})
    plan = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0)),
        column="x",
        secret="s",
        unit="person",
        person="p",
        one_row=one_row,
        missing=missing,
        others=("c",),
    )
    done = pf.release(table, plan)
    done.record.save(tmp_path / "record.json", "internal")
    assert done.record.rows_published == (4 if missing == "drop" else 5)
    assert pf.verify_record(tmp_path / "record.json").verdict is True
    assert pf.Record.load(tmp_path / "record.json") == done.record
