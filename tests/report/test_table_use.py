"""What the page of a table says to those who use it."""

from __future__ import annotations

from typing import Any

import pytest

from pufferfish.report import report
from tests.report.tables import released
from tests.report.test_canary import readable


def page(edition: Any = "internal", **asked: Any) -> str:
    return " ".join(readable(report(released(**asked).record, edition=edition)).split())


def test_kept_frequencies_can_be_used() -> None:
    for edition in ("internal", "public"):
        assert "occurs as often as before, and so does each combination" in page(edition)


def test_frequencies_that_were_not_kept_must_not_be_used() -> None:
    assert "so the frequencies before it can be estimated" in page(keep_histogram=False)
    assert "so its effect cannot be removed" in page("public", keep_histogram=False)


def test_a_sentence_says_which_associations_suffer() -> None:
    text = page()
    assert "Between published columns no association becomes weaker" in text
    weaker = (
        "about the secret is weaker on purpose: the association of one column that loses most is"
    )
    assert weaker in text


def test_one_column_is_told_without_cross_tables() -> None:
    text = page(columns=("job",))
    assert "cross tables" not in text
    assert "in all columns" not in text


@pytest.mark.parametrize("one_law", [True, False])
def test_every_known_value_has_its_bound(one_law: bool) -> None:
    text = page(one_law=one_law)
    by_known = text[text.index("By known value") : text.index("Who pays")]
    assert "sex = f" in by_known
    assert "sex = m" in by_known
    assert by_known.count("x / y") == 2


def test_numbers_are_next_to_their_mean() -> None:
    assert "error of the mean" in page()
    assert "error of the mean" in page(columns=("score",), mechanism=None)
    assert "error of the mean" not in page(columns=("job",))
