"""Beliefs about a table: who knows what, and from which rows."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pufferfish as pf


def frame(rows: int = 600, seed: int = 3) -> pd.DataFrame:
    source = np.random.default_rng(seed)
    sex = source.choice(["Female", "Male"], rows)
    race = source.choice(["Black", "Other", "White"], rows, p=[0.2, 0.3, 0.5])
    job = np.where(source.random(rows) < 0.3, race, source.choice(["p", "q"], rows))
    return pd.DataFrame(
        {
            "job": job,
            "years": source.integers(1, 4, rows),
            "sex": sex,
            "income": source.choice(["high", "low"], rows),
            "race": race,
        }
    )


FRAME = frame()
TWO: dict[str, Any] = {"columns": ["job", "years"], "secret": "race"}


def rows_of(table: pd.DataFrame, **given: object) -> pd.DataFrame:
    for name, label in given.items():
        table = table[table[name] == label]
    return table


def cells(table: pd.DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(zip(table["job"], table["years"].tolist(), strict=True))


def test_there_is_somebody_for_everything_that_can_be_known() -> None:
    found = pf.fit_beliefs(FRAME, known=["sex", "income"], min_group=5, **TWO)
    known = [dict(each.given) for each in found]
    sexes, incomes = ("Female", "Male"), ("high", "low")
    assert known == [
        {},
        *({"sex": each} for each in sexes),
        *({"income": each} for each in incomes),
        *({"sex": a, "income": b} for a, b in product(sexes, incomes)),
    ]
    assert len({each.name for each in found}) == len(found)
    for each in found:
        there = rows_of(FRAME, **each.given)
        assert each.columns == ("job", "years")
        assert {"job", "years", *each.given} <= {*each.rules}
        whole = each.frequencies
        assert isinstance(whole, pf.Categorical)
        assert dict(zip(whole.values, whole.counts.tolist(), strict=True)) == cells(there)
        for secret, law in each.priors.items():
            mine = cells(there[there["race"] == secret])
            assert isinstance(law, pf.Categorical)
            assert law.counts is not None
            assert dict(zip(law.values, law.counts.tolist(), strict=True)) == mine
    # One promise for all of them can be asked for at once.
    assert len(pf.Scenario(found).pairs) == 3


def test_small_strata_are_refused_and_nobody_is_named() -> None:
    table = pd.concat(
        [FRAME, pd.DataFrame([{**FRAME.iloc[0].to_dict(), "income": "31337", "race": "White"}])]
    )
    with pytest.raises(pf.DataError) as caught:
        pf.fit_beliefs(table, known=["sex", "income"], min_group=5, **TWO)
    message = str(caught.value)
    for part in ("fewer than 5 rows", "--merge", "income", "1%"):
        assert part in message
    for hidden in ("31337", "White", "Female", "Male"):
        assert hidden not in message
    # A public rule helps: the merged label is what is known.
    found = pf.fit_beliefs(
        table, known=["income"], min_group=5, merged={"income": {"31337": "low"}}, **TWO
    )
    assert {each.given.get("income") for each in found} == {None, "high", "low"}


def test_a_secret_that_is_absent_from_a_stratum_is_refused() -> None:
    table = FRAME[~((FRAME["sex"] == "Male") & (FRAME["race"] == "Black"))]
    with pytest.raises(pf.DataError, match="or none at all") as caught:
        pf.fit_beliefs(table, known=["sex"], min_group=1, **TWO)
    assert "Black" not in str(caught.value)
    # Where only other secrets matter, nothing is missing.
    found = pf.fit_beliefs(table, known=["sex"], min_group=1, only=["White", "Other"], **TWO)
    assert all({*each.priors} == {"White", "Other"} for each in found)
    # Frequencies are of all rows, also of secrets in no pair.
    whole = found[0].frequencies
    assert isinstance(whole, pf.Categorical)
    assert whole.counts is not None
    assert whole.counts.sum() == len(table)


def test_only_names_secrets_that_are_there() -> None:
    with pytest.raises(pf.InvalidInputError, match="no secret 'Green'"):
        pf.fit_beliefs(FRAME, only=["White", "Green"], **TWO)
    with pytest.raises(pf.DataError, match="only one value"):
        pf.fit_beliefs(FRAME, only=["White"], **TWO)


def test_several_secrets_each_or_jointly() -> None:
    asked: dict[str, Any] = {"columns": ["job"], "secret": ["race", "sex"], "min_group": 5}
    race, sex = pf.fit_beliefs(FRAME, **asked)
    assert [each.name for each in (race, sex)] == ["empirical about race", "empirical about sex"]
    assert {*race.priors} == {"race = Black", "race = Other", "race = White"}
    assert {*sex.priors} == {"sex = Female", "sex = Male"}
    mine = Counter(FRAME[FRAME["sex"] == "Male"]["job"])
    law = sex.priors["sex = Male"]
    assert isinstance(law, pf.Categorical)
    assert law.counts is not None
    assert dict(zip(law.values, law.counts.tolist(), strict=True)) == mine
    scenario = pf.Scenario([race, sex])
    assert len(scenario.pairs) == 4
    (both,) = pf.fit_beliefs(FRAME, jointly=True, **asked)
    assert len(both.priors) == 6
    assert "race = Black, sex = Male" in both.priors
    (pair,) = pf.fit_beliefs(
        FRAME, **asked | {"only": ["sex = Male", "sex = Female", "race = White", "race = Black"]}
    )[:1]
    assert {*pair.priors} == {"race = Black", "race = White"}


def test_several_secrets_and_what_is_known() -> None:
    found = pf.fit_beliefs(
        FRAME, columns=["job"], secret=["race", "sex"], known=["income"], min_group=5
    )
    assert [(each.name, dict(each.given)) for each in found][2:4] == [
        ("empirical about race, income = high", {"income": "high"}),
        ("empirical about sex, income = high", {"income": "high"}),
    ]
    goal = pf.Guarantee(1.0)
    calibration = pf.calibrate(pf.Scenario(found), goal, mechanism="recode", wrong=0.02)
    assert calibration.certified
    assert len(calibration.strata) == 2
    parts = pf.calibrate(pf.Scenario(found), goal, mechanism="recode", wrong=0.02, keep=["income"])
    assert [len(part.scenario.beliefs) for part in parts.parts] == [2, 2]


def test_rows_without_a_secret_are_counted_and_may_be_a_group() -> None:
    table = FRAME.copy()
    table.loc[:99, "race"] = None
    (silent,) = pf.fit_beliefs(table, **TWO)
    assert {*silent.priors} == {"Black", "Other", "White"}
    assert isinstance(silent.frequencies, pf.Categorical)
    assert silent.frequencies.counts is not None
    assert silent.frequencies.counts.sum() == 600
    (group,) = pf.fit_beliefs(table, missing_secret=True, **TWO)
    law = group.priors["(missing)"]
    assert isinstance(law, pf.Categorical)
    assert law.counts is not None
    assert law.counts.sum() == 100


@pytest.mark.parametrize(
    ("labels", "more"),
    [
        ([True, 1], {}),
        ([0.5, "0.5"], {}),
        ([None, "(missing)"], {"missing_secret": True}),
    ],
)
def test_secrets_that_would_have_one_name_are_refused(
    labels: list[Any], more: dict[str, Any]
) -> None:
    """Else the rows of one would be taken for those of the other."""
    table = {"c": ["x", "y"] * 60, "s": np.array(labels * 60, dtype=object)}
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.fit_beliefs(table, columns=["c"], secret="s", min_group=5, **more)
    assert "0.5'" not in str(caught.value).split("such as")[0]


def test_combinations_that_would_have_one_name_are_refused() -> None:
    a = ["x, b = y", "x"] * 60
    b = ["z", "y, b = z"] * 60
    table = {"c": ["u", "v"] * 60, "a": a, "b": b}
    with pytest.raises(pf.InvalidInputError, match="have the same name"):
        pf.fit_beliefs(table, columns=["c"], secret=["a", "b"], jointly=True, min_group=5)


def test_numbers_by_what_is_known_are_those_of_each_slice() -> None:
    families = ["gaussian", "empirical"]
    found = pf.fit_beliefs(FRAME, "years", "race", families, known=["sex"], min_group=5)
    assert [dict(each.given) for each in found] == [
        *[{}] * 2,
        *[{"sex": "Female"}] * 2,
        *[{"sex": "Male"}] * 2,
    ]
    for place, given in ((0, {}), (2, {"sex": "Female"}), (4, {"sex": "Male"})):
        there = rows_of(FRAME, **given)
        alone = pf.fit_beliefs(there, "years", "race", families, min_group=5)
        for mine, theirs in zip(found[place : place + 2], alone, strict=True):
            assert mine.priors == theirs.priors
            assert mine.missing == theirs.missing
            assert mine.frequencies == theirs.frequencies
            assert mine.columns == ()
    assert len({each.name for each in found}) == 6


def test_missing_numbers_by_what_is_known() -> None:
    table = FRAME.copy()
    table["years"] = table["years"].astype(float)
    table.loc[table.index % 5 == 0, "years"] = np.nan
    found = pf.fit_beliefs(table, "years", "race", ["empirical"], known=["sex"], min_group=5)
    for each in found:
        there = rows_of(table, **each.given)
        for secret, share in each.missing.items():
            mine = there[there["race"] == secret]["years"]
            assert share == pytest.approx(mine.isna().mean())
            assert each.missing_counts[secret] == mine.isna().sum()


def test_labels_of_known_columns_are_told_apart() -> None:
    kinds = np.array([True, 1, "1"] * 60, dtype=object)
    table = {
        "c": [*"xyz"] * 60,
        "k": kinds,
        "s": ["a"] * 90 + ["b"] * 90,
    }
    try:
        found = pf.fit_beliefs(table, columns=["c"], secret="s", known=["k"], min_group=5)
    except pf.InvalidInputError:
        return  # a column of several kinds may be refused, but not confused
    by_label = {repr(each.given["k"]): each for each in found[1:]}
    assert by_label.keys() == {"True", "1", "'1'"}
    for label, cell in (("True", "x"), ("1", "y"), ("'1'", "z")):
        assert by_label[label].priors["a"].mass(cell) == 1.0


def test_a_public_belief_says_no_more_than_its_laws() -> None:
    asked = TWO | {"provenance": "public"}
    assert pf.fit_beliefs(FRAME, **asked)[0].frequencies is not None
    assert pf.fit_beliefs(FRAME, only=["White", "Black"], **asked)[0].frequencies is None
    assert pf.fit_beliefs(FRAME, families=["chain"], **asked)[0].frequencies is None


def test_families_of_numbers_are_refused_for_a_table() -> None:
    with pytest.raises(pf.InvalidInputError, match="'empirical', 'independent' and 'chain'"):
        pf.fit_beliefs(FRAME, families=["mixture"], **TWO)


def test_secrets_to_protect_are_of_every_column_that_is_named() -> None:
    with pytest.raises(
        pf.InvalidInputError, match="none of the secrets to protect is a value of 'race'"
    ):
        pf.fit_beliefs(
            FRAME, columns=["job"], secret=["race", "sex"], only=["sex = Male", "sex = Female"]
        )


def test_numbers_with_several_secrets_are_fitted_secret_by_secret() -> None:
    """Rows of two secrets together would count twice in what is fitted to all."""
    found = pf.fit_beliefs(FRAME, "years", ["race", "sex"], ["ubm-2", "empirical"], min_group=5)
    for place, secret in enumerate(("race", "sex")):
        alone = pf.fit_beliefs(FRAME, "years", secret, ["ubm-2", "empirical"], min_group=5)
        for mine, theirs in zip(found[2 * place : 2 * place + 2], alone, strict=True):
            assert mine.name == f"{theirs.name} about {secret}"
            assert {key.split(" = ")[1]: law for key, law in mine.priors.items()} == theirs.priors


def test_a_row_with_one_of_two_secrets_has_no_combination() -> None:
    """It would be in no law, and what is published might tell the secret that it has."""
    holed = FRAME.assign(sex=[None if place % 3 else each for place, each in enumerate(FRAME.sex)])
    both: dict[str, Any] = {"columns": ["job"], "secret": ["race", "sex"], "min_group": 1}
    with pytest.raises(pf.InvalidInputError, match="'race' and 'sex' and none of another"):
        pf.fit_beliefs(holed, jointly=True, **both)
    (found,) = pf.fit_beliefs(holed, jointly=True, missing_secret=True, **both)
    assert len(found.priors) == 9
    neither = FRAME.assign(race=holed.race.where(holed.sex.notna()), sex=holed.sex)
    assert len(pf.fit_beliefs(neither, jointly=True, **both)[0].priors) == 6
    assert len(pf.fit_beliefs(holed, **both)) == 2
    with pytest.raises(pf.InvalidInputError, match=r"use pf\.fit_beliefs"):
        pf.fit_belief(FRAME, columns=["job"], secret=["race", "sex"])


def test_known_values_that_are_nearly_all_different_are_refused_at_once() -> None:
    named = FRAME.assign(name=[f"n{place}" for place in range(len(FRAME))])
    with pytest.raises(pf.DataError, match="there are 600 combinations of known values"):
        pf.fit_beliefs(named, known=["name"], min_group=1, **TWO)


def test_a_missing_known_entry_is_said_to_be_a_value() -> None:
    holed = FRAME.assign(sex=[None if place < 9 else each for place, each in enumerate(FRAME.sex)])
    with pytest.raises(pf.DataError, match=r'--merge "sex:=LABEL"'):
        pf.fit_beliefs(holed, known=["sex"], min_group=5, **TWO)


def test_a_secret_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(pf.InvalidInputError, match=r"no secret 'Martian'; it has .*'White'"):
        pf.fit_beliefs(FRAME, only=["Black", "Martian"], **TWO)
