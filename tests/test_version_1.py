"""Documents of version 1, as they were written then, still read and verify."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.columns.statement import Facts, headline, promise, words
from pufferfish.documents.text import read_document
from pufferfish.documents.upgrades import FROM_VERSION
from pufferfish.kinds.verifier import verify_document
from pufferfish.report import report
from tests import seams
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


UNKNOWN_TABLE = "It is not known which table the described adversaries were fitted on"
UNKNOWN_ROWS = (
    "How many rows of a person there are, and whether they are independent, is not said "
    "(version 1)."
)


def facts_of(name: str) -> Facts:
    return Facts.from_dict(read_document(FOLDER / name, "record", 2))


def test_a_public_record_does_not_say_how_many_rows_a_person_has() -> None:
    facts = facts_of("person.csv.public.json")
    assert facts.rows_per_person is None
    assert headline(facts)[0] == UNKNOWN_ROWS
    assert headline(facts)[1].startswith(UNKNOWN_TABLE)
    assert "one person (number of rows not stated)" in promise(facts)
    page = report(FOLDER / "person.csv.public.json", edition="public")
    assert UNKNOWN_ROWS in page
    assert UNKNOWN_TABLE in page
    assert "(one row)" not in page
    assert "the number of rows that a person has is not stated" in page


def test_a_public_record_about_rows_does_not_say_which_table() -> None:
    facts = facts_of("private.csv.public.json")
    assert facts.rows_per_person == 1
    assert [each.startswith(UNKNOWN_TABLE) for each in headline(facts)] == [True]


def test_an_internal_record_says_that_nobody_tested_the_rows() -> None:
    facts = facts_of("person.csv.record.json")
    assert facts.rows_per_person == 2
    assert "taken to be independent given 'team'" in headline(facts)[0]
    assert "that was not tested" in headline(facts)[0]


@pytest.mark.parametrize("name", ["rows_per_person", "secret", "adversaries"])
def test_only_version_1_may_leave_it_unsaid(name: str) -> None:
    data = read_document(FOLDER / "private.csv.public.json", "record", 2)
    del data[FROM_VERSION]
    facts = replace(
        Facts.from_dict(data),
        rows_per_person=1,
        secret="team",
        adversaries=2,
        unprotected_percent=0,
    )
    plain = data | facts.to_dict() | words(facts)
    assert verify_document(plain).verdict is None
    unsaid = replace(facts, **{name: None})
    assert verify_document(data | unsaid.to_dict() | words(unsaid)).verdict is False


def test_plans_and_beliefs_keep_their_own_rounding() -> None:
    plans = [pf.Plan.load(FOLDER / f"plan.{kind}") for kind in ("json", "yaml")]
    assert plans[0] == plans[1]
    assert plans[0].rounding == "digits"
    assert {belief.name for belief in seams.found(seams.READ_BELIEFS)(FOLDER / "beliefs.json")}


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


def test_the_conclusion_says_first_that_words_were_not_compared() -> None:
    for name in ("private.csv.record.json", "person.csv.public.json", "sum.record.json"):
        first = pf.verify_record(FOLDER / name).conclusion.splitlines()[0]
        assert "Only numbers were compared" in first


ADDED = {
    "headline": ["All is well."],
    "reveals": None,
    "adversaries": 9,
    "rounding": "given",
    "order": "random",
    "rows_tested": True,
}


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("edition", ["record", "public"])
def test_entries_of_version_2_are_refused(tmp_path: Path, edition: str, name: str) -> None:
    path = Path(shutil.copy(FOLDER / f"private.csv.{edition}.json", tmp_path))
    edited(path, lambda data: data.update({name: ADDED[name]}))
    with pytest.raises(pf.InvalidInputError, match=name):
        pf.verify_record(path)
    with pytest.raises(pf.InvalidInputError, match=name):
        report(path, edition="public")


@pytest.mark.parametrize(
    ("file", "add"),
    [
        ("private.csv.record.json", lambda data: data["plan"].update(cap=[0, 1])),
        ("private.csv.record.json", lambda data: data["table"].update(capped=3)),
        (
            "private.csv.record.json",
            lambda data: data["plan"]["scenario"]["beliefs"][0].update(fitted_on="0" * 64),
        ),
        ("sum.record.json", lambda data: data.update(rounding="given")),
        ("sum.record.json", lambda data: data["plan"].update(rounding="given")),
    ],
)
def test_so_are_those_further_inside(
    tmp_path: Path, file: str, add: Callable[[dict[str, Any]], None]
) -> None:
    path = edited(Path(shutil.copy(FOLDER / file, tmp_path)), add)
    with pytest.raises(pf.InvalidInputError, match="of version 1 has no entry"):
        pf.verify_record(path)


def test_plans_with_entries_of_version_2_are_refused(tmp_path: Path) -> None:
    path = edited(
        Path(shutil.copy(FOLDER / "plan.json", tmp_path)),
        lambda data: data.update(rounding="given"),
    )
    with pytest.raises(pf.InvalidInputError, match="rounding"):
        pf.Plan.load(path)


def test_a_record_of_version_1_can_be_signed_as_it_is(tmp_path: Path) -> None:
    from pufferfish.documents.text import document_text, plain_document

    key, path = pf.SigningKey.generate(), tmp_path / "r.json"
    signed = key.signed(plain_document(FOLDER / "private.csv.record.json"))
    path.write_text(document_text(signed), encoding="utf-8")
    shutil.copy(FOLDER / "private.csv", tmp_path)
    assert pf.verify_record(path, signer=key.public).verdict is True
    assert pf.Record.load(path).plan.column == "height"
