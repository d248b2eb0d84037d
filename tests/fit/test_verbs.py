"""The verbs that users call: what is one column, what is a table, what does not go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf

SOURCE = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "n": SOURCE.integers(0, 5, 200),
        "c": SOURCE.choice(["x", "y"], 200),
        "k": SOURCE.choice(["p", "q"], 200),
        "s": SOURCE.choice(["a", "b"], 200),
    }
)


def test_one_column_of_numbers_is_what_it_was() -> None:
    plain = pf.fit_beliefs(FRAME, "n", "s")
    assert [each.name for each in plain] == ["mixture", "empirical"]
    assert pf.fit_beliefs(FRAME, columns=["n"], secret="s") == plain
    assert pf.fit_beliefs(FRAME, columns=["n"], secret=["s"]) == plain
    assert pf.fit_belief(FRAME, "n", "s") == plain[0]
    assert pf.fit_belief(FRAME, "n", "s", components=2).name == "mixture-2"
    assert pf.fit_belief(FRAME, columns=["n"], secret="s", name="they").name == "they"


def test_categories_and_tables_are_tables() -> None:
    for given in ({"column": "c"}, {"columns": ["c"]}):
        belief = pf.fit_belief(FRAME, secret="s", **given)
        assert belief.columns == ("c",)
        assert isinstance(belief.priors["a"], pf.Categorical)
        assert belief.priors["a"].width == 1
    both = pf.fit_belief(FRAME, columns=["n", "c"], secret="s")
    assert both.priors["a"].width == 2
    assert pf.fit_belief(FRAME, columns=["n", "c"], secret="s", family="chain").name == "chain"
    codes = pf.fit_beliefs(FRAME, "n", "s", codes=["n"])
    assert isinstance(codes[0].priors["a"], pf.Categorical)
    bins = pf.fit_beliefs(FRAME, "n", "s", edges={"n": [2]})
    assert isinstance(bins[0].priors["a"], pf.Categorical)
    assert bins[0].priors["a"].values == (1.5, 2.5)


def test_only_for_numbers() -> None:
    asked = pf.fit_beliefs(FRAME, "n", "s", ["empirical"], only=["a", "b"])
    assert asked == pf.fit_beliefs(FRAME, "n", "s", ["empirical"])
    with pytest.raises(pf.DataError, match="only one value"):
        pf.fit_beliefs(FRAME, "n", "s", ["empirical"], only=["a"])


def test_some_secrets_of_a_table_or_of_its_counts() -> None:
    table = {"x": [1.0, 2.0, 2.0] * 40, "s": ["a", "b", "c"] * 40}
    (found,) = pf.fit_beliefs(table, "x", "s", ["empirical"], only=["a", "b"])
    counts = pf.summarise(table, column="x", secret="s")
    assert (found,) == pf.fit_beliefs(counts, families=["empirical"], only=["a", "b"])
    # The rest of the table stays known: a release recognises it.
    assert found.fitted_on == counts.only(["a", "b"]).fingerprint
    plan = pf.Plan(
        calibration=pf.calibrate(pf.Scenario(found), pf.Guarantee(1.0)),
        column="x",
        secret="s",
        others=["c"],
    )
    assert pf.release(table, plan).record.rows_published == 120


@pytest.mark.parametrize(
    "asked",
    [
        {"column": "n", "columns": ["c"], "secret": "s"},
        {"secret": "s"},
        {"column": "n"},
        {"columns": ["n"], "secret": 3},
        {"columns": 3, "secret": "s"},
        {"columns": ["n", 3], "secret": "s"},
        {"columns": [], "secret": "s"},
        {"column": "n", "secret": "s", "known": 3},
        {"column": "n", "secret": "s", "families": "mixture"},
        {"column": "c", "secret": "s", "bootstrap": 2},
        {"column": "c", "secret": "s", "cap": (0, 1)},
        {"column": "c", "secret": "s", "components": 2},
        {"column": "c", "secret": "c"},
        {"column": "c", "secret": "s", "known": ["s"]},
        {"column": "c", "secret": "s", "known": ["c"]},
        {"column": "c", "secret": "s", "known": ["nobody"]},
    ],
)
def test_what_does_not_go_together_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(pf.InvalidInputError):
        pf.fit_beliefs(FRAME, **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"known": ["k"]},
        {"codes": ["n"]},
        {"edges": {"n": [2]}},
        {"missing_secret": True},
        {"columns": ["n"]},
    ],
)
def test_a_summary_has_no_rows_to_apply_rules_to(asked: dict[str, Any]) -> None:
    summary = pf.summarise(FRAME, column="n", secret="s")
    with pytest.raises(pf.InvalidInputError):
        pf.fit_beliefs(summary, **asked)


def test_a_cap_holds_for_everybody_who_knows_something() -> None:
    found = pf.fit_beliefs(FRAME, "n", "s", ["empirical"], known=["k"], cap=(1, 3), min_group=5)
    assert len(found) == 3
    assert all(each.cap == (1.0, 3.0) for each in found)
    for each in found:
        there = FRAME if not each.given else FRAME[FRAME["k"] == each.given["k"]]
        law: Any = each.priors["a"]
        mine = there[there["s"] == "a"]["n"].clip(1, 3).value_counts()
        assert dict(zip(law.values.tolist(), law.counts.tolist(), strict=True)) == mine.to_dict()


def test_beliefs_say_what_they_were_fitted_on() -> None:
    found = pf.fit_beliefs(FRAME, columns=["c", "n"], secret="s", known=["k"], min_group=5)
    assert len({each.fitted_on for each in found}) == 1
    assert all(each.provenance == "fitted on the released column" for each in found)
    reference = pf.fit_beliefs(FRAME, columns=["c"], secret="s", provenance="reference sample")
    assert reference[0].fitted_on is None
