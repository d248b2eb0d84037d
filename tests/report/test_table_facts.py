"""What a page of a table is made from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report.sources import Beside, verify_source
from pufferfish.report.table_facts import TableReport, gather_table
from tests.report.tables import RARE, planned, released, table


def gathered(*, edition: Any = "internal", files: bool = False, **asked: Any) -> TableReport:
    done = released(**asked)
    beside = Beside(released=done.frame, original=table()) if files else Beside()
    return gather_table(verify_source(done.record, edition, beside), beside)


@pytest.mark.parametrize("files", [True, False])
def test_what_is_kept_of_the_frequencies_is_kept_of_associations(files: bool) -> None:
    """The map keeps how often each combination occurs, for each known value."""
    facts = gathered(files=files)
    between = [each for each in facts.compared if not each.with_secret]
    assert len(between) == 3
    for each in between:
        assert each.after is not None
        assert each.after.strength == pytest.approx(each.before.strength, abs=1e-6)
        assert (each.published is not None) is files


def test_what_columns_say_about_the_secret_is_what_suffers() -> None:
    facts = gathered()
    first = facts.compared[0]
    assert first.with_secret
    assert {first.before.first, first.before.second} >= {"s"}
    assert first.lost == max(each.lost for each in facts.compared) > 0.02


def test_associations_are_those_of_the_table() -> None:
    facts = gathered(files=True)
    (found,) = [
        each.before
        for each in facts.compared
        if {each.before.first, each.before.second} == {"score", "sex"}
    ]
    rows = table()
    score, women = rows["score"].astype(float), rows["sex"] == "f"
    # With two groups the correlation ratio is the correlation with one of them.
    assert found.strength == pytest.approx(abs(np.corrcoef(score, women)[0, 1]))


def test_noise_weakens_what_numbers_and_known_columns_share() -> None:
    facts = gathered(columns=("score",), mechanism=None)
    (found,) = facts.compared
    rows = table()
    before = abs(np.corrcoef(rows["score"], rows["sex"] == "f")[0, 1])
    assert found.before.strength == pytest.approx(before)
    assert found.after is not None
    assert found.after.strength < found.before.strength
    assert facts.noised
    assert all(each.kept is None and each.std for each in facts.planned.parts)  # type: ignore[union-attr]


def test_strata_have_their_own_bounds_and_losses() -> None:
    facts = gathered()
    assert facts.planned is not None
    parts = facts.planned.parts
    assert [dict(each.given) for each in parts] == [{"sex": "f"}, {"sex": "m"}]
    sex = table()["sex"]
    for each, part in zip(parts, planned().calibration.parts, strict=True):
        assert each.kept is not None
        assert part.recode is not None
        assert each.kept.rows == int((sex == each.given["sex"]).sum())
        assert each.kept.unchanged == pytest.approx(part.recode.unchanged)
        for mine, theirs in zip(each.kept.columns, part.recode.parts, strict=True):
            assert mine.unchanged == pytest.approx(theirs.unchanged)
            assert mine.mode_share == pytest.approx(theirs.mode_share)
            assert mine.rmse == (None if theirs.rmse is None else pytest.approx(theirs.rmse))
        assert each.kept.rmse == pytest.approx(part.recode.rmse, rel=1e-6)


def test_the_public_edition_has_none_of_it() -> None:
    facts = gathered(edition="public", files=True)
    assert facts.planned is None
    assert facts.compared == ()
    assert all(share.before is None for look in facts.looks for share in look.shares)
    assert all(look.bars is None or look.bars.original is None for look in facts.looks)


def test_several_secrets_are_told_apart() -> None:
    rows = {name: column[table()["s"] != RARE] for name, column in table().items()}
    beliefs = pf.fit_beliefs(rows, columns=["job"], secret=["s", "sex"])
    pairs = [("s = x", "s = y"), ("sex = f", "sex = m")]
    found = pf.calibrate(
        pf.Scenario(beliefs, pairs), pf.Guarantee(0.3), mechanism="recode", wrong=0.02
    )
    plan = pf.Plan(calibration=found, columns=["job"], secret=["s", "sex"])
    record = pf.release(rows, plan).record
    facts = gather_table(verify_source(record, "internal", Beside()), Beside())
    assert {each.before.second for each in facts.compared} == {"s", "sex"}
    assert facts.planned is not None
    assert "sex = f" in facts.planned.by_secret
