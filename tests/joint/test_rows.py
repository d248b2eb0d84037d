"""Tables are released on every engine: what is published, in which law, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pufferfish as pf
from pufferfish.core.errors import DataError
from tests.joint.engines import KINDS, chances, plain, rejects, released, seen

ROWS = 4_000
SIZES = ("small", "medium", "large")


@cache
def table() -> pa.Table:
    """Columns of every type, a secret "g" that all of them tell something about."""
    source = np.random.default_rng(5)
    group = source.choice(["a", "b", "c"], ROWS, p=[0.5, 0.45, 0.05])
    second = (group == "b").astype(int)
    sex = source.choice(["f", "m"], ROWS)
    size = np.minimum(source.integers(0, 3, ROWS) + second * source.integers(0, 2, ROWS), 2)
    code = source.integers(1, 4, ROWS) + second * source.integers(0, 2, ROWS)
    days = [date(2019 + int(each) % 3, 1 + int(each) % 12, 3) for each in code + size]
    hole = source.random(ROWS) < 0.05
    age = np.round(source.normal(40.0 + 4.0 * second, 9.0)).clip(18, 80)
    return pa.table(
        {
            "note": [f"row {number}" for number in range(ROWS)],
            "size": [SIZES[each] for each in size],
            "flag": [
                None if gone else bool(each % 2)
                for each, gone in zip(code, hole[::-1], strict=True)
            ],
            "day": days,
            "code": pa.array(
                [None if gone else int(x) for x, gone in zip(code, hole, strict=True)], pa.int8()
            ),
            "sex": sex.tolist(),
            "age": age.astype(np.int64),
            "g": group.tolist(),
        }
    )


def planned(
    columns: list[str],
    *,
    given: pa.Table | None = None,
    known: list[str] | None = None,
    goal: float = 0.2,
    dates: dict[str, str] | None = None,
    keep: list[str] | None = None,
    calibrate: dict[str, Any] | None = None,
    fit: dict[str, Any] | None = None,
    **more: Any,
) -> Any:
    """A plan for pairs of "a" and "b", without the rare "c"."""
    fit = {"secret": "g", "only": ["a", "b"], "min_group": 1} | (fit or {})
    beliefs = pf.fit_beliefs(
        table() if given is None else given,
        columns=columns,
        known=known or keep or [],
        dates=dates or {},
        **fit,
    )
    asked: dict[str, Any] = {"mechanism": "recode", "nominal": True} | (calibrate or {})
    cal = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(goal), keep=keep or [], **asked)
    more = {"secret": "g", "others": ["c"]} | more
    return pf.Plan(calibration=cal, columns=columns, known=known or [], keep=keep or [], **more)


@cache
def mixed() -> Any:
    return planned(
        ["size", "code", "day", "flag"],
        dates={"day": "year"},
        keep=["sex"],
        keep_order=True,
        keep_unprotected=["note"],
    )


def laws(plan: Any) -> dict[str, Any]:
    return {sex: part.mechanism for (sex,), part in plan.calibration.strata.items()}


def check(published: dict[str, list[Any]], plan: Any, *, shuffled: bool = False) -> None:
    """All rows are there with what was kept, and each stratum has the law of its map."""
    given = plain(table())
    order = [int(note.removeprefix("row ")) for note in published["note"]]
    assert sorted(order) == list(range(ROWS))
    assert (order != sorted(order)) == shuffled
    assert published["sex"] == [given["sex"][row] for row in order]
    before = [
        (given["size"][row], given["code"][row], given["day"][row].year, given["flag"][row])
        for row in order
    ]
    flags = {"true": True, "false": False, None: None, True: True, False: False}
    after = [
        (size, code, day, flags[flag])
        for size, code, day, flag in zip(
            *(published[name] for name in ("size", "code", "day", "flag")), strict=True
        )
    ]
    for sex, law in laws(plan).items():
        mine = [row for row in range(ROWS) if published["sex"][row] == sex]
        assert not rejects(
            law, seen(law, [before[row] for row in mine], [after[row] for row in mine]), 0.5
        )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(tmp_path: Path, kind: str) -> None:
    """Texts, truth values, dates by year and numbers with holes, together, by strata."""
    plan = mixed()
    if kind == "csv":
        # Truth values of a CSV are texts.
        texts = table().set_column(2, "flag", table().column("flag").cast(pa.string()))
        plan = planned(
            ["size", "code", "day", "flag"],
            given=texts,
            dates={"day": "year"},
            keep=["sex"],
            keep_order=True,
            keep_unprotected=["note"],
        )
        published, record = released(kind, texts, plan, tmp_path)
        published["flag"] = [None if x is None else str(x).lower() for x in published["flag"]]
        given = plain(texts)
        before = [
            (given["size"][n], given["code"][n], given["day"][n].year, given["flag"][n])
            for n in range(ROWS)
        ]
        after = [*zip(*(published[c] for c in ("size", "code", "day", "flag")), strict=True)]
        for sex, law in laws(plan).items():
            mine = [n for n in range(ROWS) if given["sex"][n] == sex]
            assert not rejects(
                law, seen(law, [before[n] for n in mine], [after[n] for n in mine]), 0.5
            )
    else:
        published, record = released(kind, table(), plan, tmp_path)
        check(published, plan)
    counts = plain(table())
    assert list(published) == ["note", "size", "flag", "day", "code", "sex"]
    assert record.rows_read == record.rows_published == ROWS
    assert record.rows_unprotected == counts["g"].count("c")
    assert record.rows_missing == sum(
        None in pair for pair in zip(counts["code"], counts["flag"], strict=True)
    )
    assert record.rows_unseen == 0
    assert record.beliefs_from == "this table"
    assert record.reveals is not None
    assert record.known_says is not None


def test_the_law_of_many_rows() -> None:
    """What is published has the law of the map, and one that is a tenth off is noticed."""
    source = np.random.default_rng(3)
    many = table().take(source.integers(0, ROWS, 200_000))
    plan = planned(["size", "code"], given=many, goal=0.05, keep_order=True)
    law = plan.calibration.mechanism
    done = pf.release(pl.from_arrow(many), plan).frame
    columns = [plain(many.select(["size", "code"])), plain(done.to_arrow())]
    before, after = (list(zip(each["size"], each["code"], strict=True)) for each in columns)
    found = seen(law, before, after)
    assert not rejects(law, found)
    places = {each: place for place, each in enumerate(law.outputs)}
    off = 0.9 * chances(law)
    for row, value in enumerate(law.values):
        off[row, places[value]] += 0.1
    counts = found.sum(axis=1).astype(int)
    assert rejects(law, np.array([*map(source.multinomial, counts, off)]))


@pytest.mark.parametrize("kind", ["pandas", "polars", "parquet", "arrays"])
def test_rows_change_places(tmp_path: Path, kind: str) -> None:
    plan = planned(
        ["size", "code", "day", "flag"],
        dates={"day": "year"},
        keep=["sex"],
        keep_unprotected=["note"],
    )
    published, record = released(kind, table(), plan, tmp_path)
    check(published, plan, shuffled=True)
    assert record.order == "random"


def test_types_and_the_order_of_categories_stay() -> None:
    frame = table().to_pandas()
    frame["size"] = pd.Categorical(
        frame["size"], ["large", "medium", "small", "huge"], ordered=True
    )
    frame["flag"] = frame["flag"].astype("boolean")
    frame["code"] = frame["code"].astype("Int8")
    frame["sex"] = frame["sex"].astype("category")
    plan = planned(["size", "code", "flag"], given=frame, keep=["sex"])
    done = pf.release(frame, plan).frame
    for name in ("size", "code", "flag", "sex"):
        assert done[name].dtype == frame[name].dtype, name
    polars = pl.from_arrow(table()).with_columns(pl.col("size").cast(pl.Enum(SIZES)))
    plan = planned(["size", "code", "flag"], given=polars, keep=["sex"])
    done = pf.release(polars, plan).frame
    for name in ("size", "code", "flag", "sex"):
        assert done[name].dtype == polars[name].dtype, name


@pytest.mark.parametrize("kind", KINDS)
def test_known_columns_by_a_public_rule(tmp_path: Path, kind: str) -> None:
    """Ages by bands, and days by year: the label is published, and nothing finer."""
    plan = planned(
        ["size"],
        keep=["age", "day"],
        dates={"day": "year"},
        fit={"edges": {"age": [40.0]}},
        keep_unprotected=["note"],
        keep_order=True,
    )
    published, _ = released(kind, table(), plan, tmp_path)
    given = plain(table())
    assert published["age"] == ["<40" if each < 40 else ">=40" for each in given["age"]]
    assert published["day"] == [each.year for each in given["day"]]


@pytest.mark.parametrize("kind", ["arrays", "polars", "folder"])
def test_merged_labels_are_published(tmp_path: Path, kind: str) -> None:
    plan = planned(
        ["flag"], keep=["size"], goal=0.02, fit={"merged": {"size": {"large": "medium"}}}
    )
    published, _ = released(kind, table(), plan, tmp_path)
    assert set(published["size"]) == {"small", "medium"}


def test_several_secrets(tmp_path: Path) -> None:
    """Each by itself, and their combinations; rows without one go through."""

    def without(rows: pa.Table, column: str) -> pa.Table:
        entries = [None if n % 50 == 0 else x for n, x in enumerate(plain(rows)[column])]
        return rows.set_column(rows.column_names.index(column), column, pa.array(entries))

    for jointly in (False, True):
        # Who has one secret and lacks another has no combination, and is refused.
        holed = without(without(table(), "g"), "sex") if jointly else without(table(), "g")
        beliefs = pf.fit_beliefs(
            holed, columns=["size", "flag"], secret=["g", "sex"], jointly=jointly, min_group=1
        )
        names = [each for belief in beliefs for each in belief.priors]
        pairs = [
            pair
            for belief in beliefs
            for pair in combinations([each for each in belief.priors if "= c" not in each], 2)
        ]
        assert len(names) == len(set(names)) == (6 if jointly else 5)
        scenario = pf.Scenario(beliefs, pairs=pairs)
        cal = pf.calibrate(scenario, pf.Guarantee(0.02), mechanism="recode", nominal=True)
        plan = pf.Plan(
            calibration=cal,
            columns=["size", "flag"],
            secret=["g", "sex"],
            jointly=jointly,
            others=["g = c, sex = f", "g = c, sex = m"] if jointly else ["g = c"],
        )
        for kind in ("polars", "arrays", "parquet"):
            published, record = released(kind, holed, plan, tmp_path / f"{kind}{jointly}")
            assert [*published] == ["size", "flag"]
            assert record.rows_published == ROWS
            gone = sum(each in (None, "c") for each in plain(holed)["g"])
            # Each by itself: a row without "g" has a sex all the same.
            assert record.rows_unprotected == (gone if jointly else 0)


def unseen(secret: str, rows: int) -> pa.Table:
    """The table with a size that nobody described in the first rows of a secret."""
    sizes, groups = plain(table())["size"], plain(table())["g"]
    for place in [place for place, each in enumerate(groups) if each == secret][:rows]:
        sizes[place] = "huge"
    return table().set_column(1, "size", pa.array(sizes))


@pytest.mark.parametrize("kind", KINDS)
def test_combinations_that_were_never_seen(tmp_path: Path, kind: str) -> None:
    columns = ["size", "code"]
    strict = planned(columns)
    with pytest.raises(
        DataError, match=r"no belief describes this combination of 'size' and 'code'"
    ):
        released(kind, unseen("a", 1), strict, tmp_path / "0", beliefs_from_plan=True)
    covered = planned(
        columns, calibrate={"wrong": 0.01, "nominal": False}, goal=1.0, keep_order=True
    )
    most = plain(table())["g"].count("b") // 100
    published, record = released(
        kind, unseen("b", most), covered, tmp_path / "1", beliefs_from_plan=True
    )
    assert record.rows_unseen == most
    assert record.beliefs_from == "another table"
    assert set(published["size"]) <= set(SIZES)
    # Less than 1% of all rows, and more than 1% of those of one secret: its law is another one.
    said = f"{most + 1:,} of 4,000 rows have values that no belief considers. Among the rows of"
    with pytest.raises(DataError, match=said):
        released(kind, unseen("b", most + 1), covered, tmp_path / "2", beliefs_from_plan=True)
    assert not (tmp_path / "2" / "out.csv").exists()
    assert not (tmp_path / "2" / "out.parquet").exists()
    assert not (tmp_path / "2" / "out").exists()


@pytest.mark.parametrize("keep", [["sex"], []])
def test_known_values_without_a_law(tmp_path: Path, keep: list[str]) -> None:
    plan = planned(["size"], known=["sex"], keep=keep)
    sexes = [*plain(table())["sex"][:-1], "x"]
    other = table().set_column(5, "sex", pa.array(sexes))
    with pytest.raises(DataError, match="'sex', row 4000: nothing is promised for these values"):
        released("polars", other, plan, tmp_path, beliefs_from_plan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_that_nobody_knows(tmp_path: Path, kind: str) -> None:
    groups = [*plain(table())["g"][:-1], "d"]
    other = table().set_column(7, "g", pa.array(groups))
    with pytest.raises(DataError, match="this secret is not in the plan"):
        released(kind, other, planned(["size"]), tmp_path, beliefs_from_plan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_another_table_is_refused(tmp_path: Path, kind: str) -> None:
    """One row more of what is there is enough."""
    more = pa.concat_tables([table(), table().slice(0, 1)])
    with pytest.raises(DataError, match="fitted on another table"):
        released(kind, more, planned(["size", "code"]), tmp_path)
    assert not [*tmp_path.glob("out*")]


@pytest.mark.parametrize("kind", ["arrays", "polars", "csv"])
def test_one_row(tmp_path: Path, kind: str) -> None:
    plan = planned(["size", "code"], keep=["sex"])
    published, record = released(kind, table().slice(0, 1), plan, tmp_path, beliefs_from_plan=True)
    assert record.rows_published == 1
    assert [len(each) for each in published.values()] == [1, 1, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["refuse", "keep", "drop"])
def test_numbers_by_strata(tmp_path: Path, kind: str, missing: str) -> None:
    """Noise of its own for each known value; holes are refused, stay, or are left out."""
    ages = plain(table())["age"]
    holed = [None if number % 10 == 0 else each for number, each in enumerate(ages)]
    given = table().set_column(6, "age", pa.array(holed if missing != "refuse" else ages))
    laws_ = {
        sex: pf.Belief(
            {"a": pf.Gaussian(40.0, 9.0), "b": pf.Gaussian(mean, 9.0)},
            name=sex,
            given={"sex": sex},
            provenance="public",
            missing={"a": 0.1, "b": 0.1} if missing == "keep" else None,
            cap=(20.0, 70.0),
        )
        for sex, mean in (("f", 42.0), ("m", 48.0))
    }
    cal = pf.calibrate(pf.Scenario(list(laws_.values())), pf.Guarantee(0.1), keep=["sex"])
    plan = pf.Plan(
        calibration=cal,
        columns=["age"],
        secret="g",
        keep=["sex"],
        keep_unprotected=["note"],
        others=["c"],
        missing=missing,
        cap=(20.0, 70.0),
        keep_order=True,
    )
    published, record = released(kind, given, plan, tmp_path)
    rows = [int(note.removeprefix("row ")) for note in published["note"]]
    values = plain(given)["age"]
    stay = [n for n in range(ROWS) if missing != "drop" or values[n] is not None]
    assert rows == stay
    assert [each is None for each in published["age"]] == [values[n] is None for n in stay]
    there = [n for n in range(ROWS) if values[n] is not None]
    assert record.rows_missing == ROWS - len(there)
    assert record.rows_capped == sum(not 20 <= values[n] <= 70 for n in there)
    sexes = plain(given)["sex"]
    stds = {}
    for sex in ("f", "m"):
        errors = [
            each - min(max(values[n], 20), 70)
            for n, each in zip(rows, published["age"], strict=True)
            if sexes[n] == sex and each is not None
        ]
        stds[sex] = cal.strata[sex].mechanism.std
        assert abs(np.std(errors) / stds[sex] - 1.0) < 0.1
    assert stds["m"] > 1.5 * stds["f"]


def test_a_hole_that_beliefs_exclude() -> None:
    """Of numbers with holes: beliefs say of one secret that it has none."""
    belief = pf.Belief(
        {"a": pf.Gaussian(40.0, 9.0), "b": pf.Gaussian(42.0, 9.0)},
        name="f",
        given={"sex": "f"},
        missing={"a": 0.0, "b": 0.01},
    )
    other = pf.Belief(
        {"a": pf.Gaussian(40.0, 9.0), "b": pf.Gaussian(42.0, 9.0)},
        name="m",
        given={"sex": "m"},
        missing={"a": 0.01, "b": 0.01},
    )
    cal = pf.calibrate(pf.Scenario([belief, other]), pf.Guarantee(0.1, 0.02), keep=["sex"])
    plan = pf.Plan(
        calibration=cal, columns=["age"], secret="g", keep=["sex"], others=["c"], missing="keep"
    )
    frame = pd.DataFrame({"age": [np.nan, 40.0], "sex": ["f", "m"], "g": ["b", "a"]})
    assert pf.release(frame, plan).record.rows_missing == 1
    frame["g"] = ["a", "b"]
    with pytest.raises(DataError, match="row 1: the value is missing, which the beliefs say"):
        pf.release(frame, plan)


def test_dropped_rows_leave_no_trace() -> None:
    """Categories that only dropped rows have are not in the result."""
    laws_ = {"a": pf.Gaussian(40.0, 9.0), "b": pf.Gaussian(42.0, 9.0)}
    beliefs = [
        pf.Belief(laws_, name=sex, given={"sex": sex}, provenance="public") for sex in ("f", "m")
    ]
    cal = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(0.1), keep=["sex"])
    plan = pf.Plan(
        calibration=cal,
        columns=["age"],
        secret="g",
        keep=["sex"],
        keep_unprotected=["note"],
        missing="drop",
    )
    frame = pd.DataFrame(
        {
            "age": [40.0, np.nan, 41.0],
            "sex": ["f", "m", "f"],
            "note": ["x", "of the dropped row", "y"],
            "g": ["a", "b", "b"],
        },
        index=[7, 8, 9],
    )
    done = pf.release(frame, plan).frame
    assert sorted(done["note"]) == ["x", "y"]
    assert done.index.tolist() == [0, 1]
    arrays = {name: frame[name].to_numpy() for name in frame} | {
        "note": np.array(["x", "of the dropped row", "y"])
    }
    assert pf.release(arrays, plan).frame["note"].dtype == np.dtype("<U1")


@pytest.mark.parametrize("kind", [*KINDS, "objects"])
def test_what_is_one_stratum_is_published_as_one(tmp_path: Path, kind: str) -> None:
    """Nothing and an empty text are one value to the laws; seen apart they would tell secrets."""
    groups, size = plain(table())["g"], plain(table())["size"]
    empty = ["" if group == "a" else None for group in groups]
    ward = ["east" if place % 2 else each for place, each in enumerate(empty)]
    given = pa.table({"size": size, "ward": ward, "g": groups})
    beliefs = pf.fit_beliefs(given, columns=["size"], secret="g", known=["ward"], only=["a", "b"])
    cal = pf.calibrate(
        pf.Scenario(beliefs), pf.Guarantee(0.2), mechanism="recode", wrong=0.02, keep=["ward"]
    )
    plan = pf.Plan(calibration=cal, columns=["size"], secret="g", keep=["ward"], others=["c"])
    if kind == "objects":
        holes = [pd.NA if group == "b" else None for group in groups]
        wards = ["east" if place % 2 else each for place, each in enumerate(holes)]
        frame = pd.DataFrame({"size": size, "ward": wards, "g": groups})
        found = pf.release(frame, plan).frame["ward"].tolist()
    else:
        found = released(kind, given, plan, tmp_path)[0]["ward"]
    assert found.count("east") == ROWS // 2
    assert len({repr(each) for each in found}) == 2


def test_beliefs_that_read_a_column_in_two_ways() -> None:
    rows = table()
    one, other = (
        pf.fit_beliefs(
            rows,
            columns=["size"],
            secret="g",
            only=["a", "b"],
            merged=merged,
            provenance="reference sample",
        )[0]
        for merged in ({}, {"size": {"large": "medium"}})
    )
    both = pf.Scenario([one, replace(other, name="other")])
    cal = pf.calibrate(both, pf.Guarantee(0.2), mechanism="recode", wrong=0.02)
    with pytest.raises(pf.InvalidInputError, match="read column 'size' by different rules"):
        pf.Plan(calibration=cal, columns=["size"], secret="g", others=["c"])


def test_a_plan_that_claims_a_table_must_have_its_counts() -> None:
    """The right name of a table is no proof: laws that look alike would promise anything."""
    (belief,) = pf.fit_beliefs(table(), columns=["size"], secret="g", only=["a", "b"])
    alike = replace(belief, priors=dict.fromkeys("ab", belief.priors["a"]))
    asked: dict[str, Any] = {"mechanism": "recode", "wrong": 0.02}
    for said, refused in ((belief, False), (alike, True)):
        cal = pf.calibrate(pf.Scenario(said), pf.Guarantee(0.2), **asked)
        plan = pf.Plan(
            calibration=cal, columns=["size"], secret="g", others=["c"], allow_no_noise=True
        )
        if refused:
            with pytest.raises(DataError, match="the table has other counts"):
                pf.release(table(), plan)
        else:
            assert pf.release(table(), plan).record.beliefs_from == "this table"


def test_how_many_values_a_hidden_column_has_is_not_said() -> None:
    """A public edition counts adversaries by what they know, and not by its values."""
    fit = {"edges": {"age": [35, 45]}, "secret": "g", "only": ["a", "b"], "min_group": 1}
    plans = [planned(["size"], known=["age"], fit=fit), planned(["size"])]
    assert len(plans[0].scenario.beliefs) > 3
    found = [pf.release(table(), each).record.to_dict("public")["adversaries"] for each in plans]
    assert found == [2, 1]
