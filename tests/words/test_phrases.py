"""Phrases that several texts share."""

from __future__ import annotations

from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.words.phrases import (
    list_in_words,
    meaning,
    name_pairs,
    pairs_in_words,
    rows_tested,
    seen_by,
    unit_in_words,
    wrong_laws,
)

SOURCE = Path(pf.__file__).parent


def test_lists_end_with_and() -> None:
    assert list_in_words(["a"]) == "'a'"
    assert list_in_words(["a", "b"]) == "'a' and 'b'"
    assert list_in_words(["a", "b", "c"]) == "'a', 'b' and 'c'"


def test_some_pairs_are_named_and_the_others_counted() -> None:
    pairs = [("a", "b"), (1, 2), ("c", "d")]
    assert name_pairs(pairs, 3) == "'a' and 'b'; 1 and 2; 'c' and 'd'"
    assert name_pairs(pairs, 1, joint=", ") == "'a' and 'b', and 2 more"
    assert seen_by(("a", 1), "x") == "'a' against 1, as 'x' sees it"


def test_the_secrets_of_few_pairs_are_named() -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs_in_words(pairs[:1]) == "'a' and 'b'"
    assert pairs_in_words(pairs) == "each of 3 pairs of secrets ('a', 'b' and 'c')"
    many = pf.Belief({f"g{n}": pf.Gaussian(n, 1.0) for n in range(9)})
    assert pairs_in_words(pf.Scenario(many).pairs) == "each of 36 pairs of secrets"


def test_what_a_promise_means() -> None:
    assert "a factor of at most 2.719, up or down" in meaning(pf.Guarantee(1.0), "x")
    assert meaning(pf.Guarantee(1.0, 0.1), "x").endswith("of x, plus 0.1")


def test_units() -> None:
    assert unit_in_words("row", 1, "any", None) == "one row"
    assert "1,000 rows, however" in unit_in_words("person", 1000, "any", None)
    assert rows_tested(0.05, None) == "the release runs a test at level 5%"
    assert rows_tested(0.05, False) == "that was not tested"


def test_a_region_of_other_rows_is_not_of_the_population_of_the_table() -> None:
    here, elsewhere = wrong_laws(0.0, 0.95), wrong_laws(0.0, 0.95, elsewhere=True)
    assert "95% confidence, for the population from which the rows come" in here
    assert "nothing is said about the population from which this table comes" in elsewhere
    assert "the population from which the rows come" not in elsewhere
    assert "occurs in those rows" in wrong_laws(0.0, 0.95, capped=True, elsewhere=True)
    assert wrong_laws(0.0, elsewhere=True) == ""


@pytest.mark.parametrize(
    "piece",
    ["textwrap", "rounded to multiples of {", "moved into [{", "times the column's", "1000.0 * "],
)
def test_there_is_one_home(piece: str) -> None:
    """What is folded, rounded or phrased in `words` is nowhere written again."""
    others = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if piece in path.read_text(encoding="utf-8")
    ]
    assert [name for name in others if not name.startswith("words/")] == []
