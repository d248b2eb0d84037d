"""How often the values of a published column occur."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf
from pufferfish.insight.associations import Joint
from pufferfish.report.sources import Beside, verify_source
from pufferfish.report.table_columns import Tables, label_in_words, looks_of, tables_of
from tests.report.tables import planned, released, table


@pytest.mark.parametrize(
    ("label", "text"),
    [(None, "(missing)"), (True, "True"), (1.0, "1"), (2.5, "2.5"), (7, "7"), ("a", "a")],
)
def test_labels_are_shown_as_people_write_them(label: object, text: str) -> None:
    assert label_in_words(label) == text  # type: ignore[arg-type]


def test_both_tables_are_counted() -> None:
    done, plan = released(), planned()
    beside = Beside(released=done.frame, original=table())
    tables = tables_of(
        verify_source(done.record, "internal", beside), beside, done.record.facts, plan
    )
    assert tables.original is not None
    assert tables.released is not None
    job = dict(tables.original.marginal("job"))
    assert job["nurse"] == pytest.approx(np.mean(table()["job"] == "nurse"))
    sexes_before = dict(tables.original.marginal("sex"))
    assert dict(tables.released.marginal("sex")) == pytest.approx(sexes_before)
    looks = list(looks_of(done.record.facts, plan, tables.original, None, tables))
    assert [each.column for each in looks] == ["job", "score", "sex"]
    jobs, scores, sexes = looks
    assert {each.label: each.before for each in jobs.shares} == pytest.approx(job)
    shares = [each.after for each in jobs.shares]
    assert shares == sorted(shares, reverse=True)
    assert scores.bars is not None
    assert scores.bars.original is not None
    # What is known is published as it is: there is no before.
    assert sexes.known
    assert all(each.before is None for each in sexes.shares)


def test_the_public_edition_does_not_count_the_original() -> None:
    done = released()
    beside = Beside(released=done.frame, original=table())
    found = tables_of(verify_source(done.record, "public", beside), beside, done.record.facts, None)
    assert found.original is None
    assert found.released is not None


def test_a_number_and_its_text_are_one_label() -> None:
    """In a CSV codes are text, and beliefs that were fitted to a frame have numbers."""
    plan, said = planned(known=(), keep=()), released(known=(), keep=()).record.facts
    before = Joint.of(("job", "score"), [(1, 1), (2, 2)], np.array([3.0, 1.0]))
    after = Joint.of(("job", "score"), [("1", 1), ("2", 2)], np.array([1.0, 1.0]))
    first = next(looks_of(said, plan, before, after, Tables()))
    assert [(each.label, each.before, each.after) for each in first.shares] == [
        ("1", 0.75, 0.5),
        ("2", 0.25, 0.5),
    ]


def test_missing_numbers_are_told_apart_from_the_histogram() -> None:
    plan, said = planned(known=(), keep=()), released(known=(), keep=()).record.facts
    after = Joint.of(("job", "score"), [("a", 1), ("a", 2), ("b", None)], np.array([1.0, 1, 2]))
    _, score = looks_of(said, plan, None, after, Tables())
    assert score.bars is not None
    assert score.bars.released.sum() == pytest.approx(1.0)
    assert score.missing == (None, 0.5)


def test_numbers_of_a_csv_are_numbers(tmp_path: Path) -> None:
    plan = planned()
    done = pf.release(table(), plan)
    pd.DataFrame(done.frame).to_csv(tmp_path / "out.csv", index=False)
    for edition, known in (("internal", plan), ("public", None)):
        # A file of the same rows, which nobody checks against the checksum of a frame.
        beside = Beside(released=tmp_path / "out.csv")
        verified = verify_source(done.record, edition, Beside())
        found = tables_of(verified, beside, done.record.facts, known)
        _, score, _ = looks_of(done.record.facts, known, None, None, found)
        assert score.bars is not None
