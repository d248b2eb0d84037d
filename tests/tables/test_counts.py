"""Counts of a column by secret: made elsewhere, of some secrets, and what their text shows."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pufferfish as pf
from pufferfish.tables import Group

SECRETS = ["f", "m", "f", "m", "f", "m"]
VALUES = [31.5, 31.5, 77.25, None, math.nan, 12.0]
COUNTS = [137, 59, 3, 8, 11, 0]


def summary() -> pf.Counts:
    return pf.Counts.from_counts(SECRETS, VALUES, COUNTS, column="pay", secret="sex")


def test_from_counts_is_what_summarise_makes() -> None:
    rows = [
        (secret, value)
        for secret, value, count in zip(SECRETS, VALUES, COUNTS, strict=True)
        for _ in range(count)
    ]
    other = pf.summarise(
        {
            "pay": np.array([math.nan if value is None else value for _, value in rows]),
            "sex": np.array([secret for secret, _ in rows]),
        },
        column="pay",
        secret="sex",
    )
    for secret, group in other.groups.items():
        mine = summary().groups[secret]
        assert mine.values.tolist() == group.values.tolist()
        assert mine.counts.tolist() == group.counts.tolist()
        assert mine.missing == group.missing
    assert summary().groups["f"].missing == 11
    assert summary().groups["m"].missing == 8
    assert summary().groups["m"].values.tolist() == [31.5]


def test_rows_of_one_value_add_up() -> None:
    found = pf.Counts.from_counts(["a", "a", "b", "a"], [2.0, 1, 0.0, 2], [1, 2, 3, 4])
    assert found.groups["a"].values.tolist() == [1.0, 2.0]
    assert found.groups["a"].counts.tolist() == [2, 5]
    assert (found.column, found.secret) == ("value", "secret")


def test_every_kind_of_hole() -> None:
    found = pf.Counts.from_counts(
        ["a"] * 5, [1.0, None, math.nan, np.float32("nan"), pd.NA], [1, 2, 3, 4, 5]
    )
    assert (found.groups["a"].records, found.groups["a"].missing) == (1, 14)


def test_numbers_of_every_kind() -> None:
    """A database returns decimals."""
    found = pf.Counts.from_counts(
        ["a"] * 3, [Decimal("1.5"), np.int64(3), np.float32(0.5)], [1, Decimal(2), np.int32(3)]
    )
    assert found.groups["a"].values.tolist() == [0.5, 1.5, 3.0]
    assert found.groups["a"].counts.tolist() == [3, 1, 2]


def test_large_counts_are_exact() -> None:
    found = pf.Counts.from_counts(["a", "a"], [1, 2], [2**53 - 1, 2**52 + 1])
    assert found.groups["a"].records == 2**53 + 2**52


def test_bins_made_elsewhere() -> None:
    found = pf.Counts.from_counts(["a", "b"], [1.0, 3.0], [40, 50], bin_width=2.0)
    assert found.radius == 1.0
    belief = pf.fit_belief(found, family="empirical")
    assert belief.radius == 1.0
    with pytest.raises(pf.InvalidInputError, match="bin_width"):
        pf.Counts.from_counts(["a"], [1.0], [1], bin_width=-1.0)


def test_the_resolution_is_the_smallest_step() -> None:
    found = pf.Counts.from_counts(["a", "b", "a", "b"], [0.0, 0.25, 10.0, 11.0], [1, 1, 1, 1])
    assert found.resolution == 0.25
    assert pf.Counts.from_counts(["a"], [0.0], [1], bin_width=4.0).resolution >= 4.0


def test_pooled_is_all_secrets_together() -> None:
    pooled = summary().pooled
    assert pooled.values.tolist() == [31.5, 77.25]
    assert pooled.counts.tolist() == [196, 3]
    assert pooled.missing == 19


def test_only_some_secrets() -> None:
    some = summary().only(["m"])
    assert list(some.groups) == ["m"]
    assert (some.column, some.secret) == ("pay", "sex")
    binned = pf.Counts.from_counts(["a", "b"], [1.0, 3.0], [40, 50], bin_width=2.0)
    assert binned.only(["b"]).bin_width == 2.0
    with pytest.raises(pf.InvalidInputError, match="has no secret 'x'; it has 'f', 'm'"):
        summary().only(["m", "x"])


def test_some_secrets_remember_the_whole_table() -> None:
    whole = summary()
    some = whole.only(["m"])
    assert some.whole.fingerprint == whole.fingerprint
    assert some.only(["m"]).whole.fingerprint == whole.fingerprint
    later, earlier = some.capped(40.0, 60.0), whole.capped(40.0, 60.0).only(["m"])
    for capped in (later, earlier):
        assert capped.whole.pooled.values.tolist() == [40.0, 60.0]
        assert capped.whole.pooled.counts.tolist() == [196, 3]
        assert capped.whole.pooled.missing == 19
    without = some.without_missing().whole
    assert without.pooled.missing == 0
    assert some.fingerprint == pf.Counts.from_counts(["m", "m"], [31.5, None], [59, 8]).fingerprint


@pytest.mark.parametrize("bad", ["31337x", 3.1337e150, math.inf, True, b"31337"])
def test_a_value_that_is_none_is_refused_and_not_quoted(bad: object) -> None:
    with pytest.raises(pf.InvalidInputError) as caught:
        pf.Counts.from_counts(["a", "b"], [1.0, bad], [5, 1])
    assert "value" in str(caught.value)
    for quoted in ("1337", "True"):
        assert quoted not in str(caught.value)


@pytest.mark.parametrize("counts", [[1.5, 2], [-3, 2], [math.nan, 2]])
def test_counts_must_be_whole(counts: list[float]) -> None:
    with pytest.raises(pf.InvalidInputError, match="whole numbers of at least 0"):
        pf.Counts.from_counts(["a", "b"], [1.0, 2.0], counts)


def test_columns_must_be_equally_long() -> None:
    with pytest.raises(pf.InvalidInputError, match="one entry per row"):
        pf.Counts.from_counts(["a", "b"], [1.0], [1, 2])


def test_a_summary_cannot_be_written_to() -> None:
    found = summary()
    with pytest.raises(ValueError, match="read-only"):
        found.groups["f"].values[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        found.groups["f"].counts[0] = 0


def test_reprs_say_nothing_of_the_data() -> None:
    found = summary()
    assert repr(found) == "Counts('pay', 'sex')"
    for text in (repr(found), str(found), repr(found.groups["f"]), str(found.groups["f"])):
        for number in ("31.5", "77.25", "137", "140", "11", "148"):
            assert number not in text
    assert isinstance(found.groups["f"], Group)
    binned = pf.Counts.from_counts(["a", "b"], [1.0, 3.0], [40, 50], bin_width=2.0)
    assert "bins of 2" in repr(binned)


def shuffled_table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {"x": rng.integers(0, 40, 5_000).astype(float), "s": rng.choice(["a", "b", "c"], 5_000)}


def test_the_fingerprint_is_that_of_the_counts(tmp_path: Path) -> None:
    table = shuffled_table()
    order = np.random.default_rng(8).permutation(5_000)
    turned = {name: each[order] for name, each in table.items()}
    frame = pl.DataFrame(turned)
    frame.write_parquet(tmp_path / "one.parquet", row_group_size=100)
    for part in range(3):
        frame[part::3].write_parquet(tmp_path / "many" / f"{part}.parquet", mkdir=True)
    frame.write_csv(tmp_path / "one.csv")
    found = {
        pf.summarise(each, column="x", secret="s").fingerprint
        for each in (
            table,
            turned,
            frame,
            frame.lazy(),
            pd.DataFrame(table),
            frame.to_arrow(),
            tmp_path / "one.parquet",
            tmp_path / "one.csv",
            tmp_path / "many",
        )
    }
    counts = frame.group_by("s", "x").len()
    made = pf.Counts.from_counts(counts["s"], counts["x"], counts["len"])
    assert found == {made.fingerprint}


def test_the_fingerprint_changes_with_all_that_a_fit_looks_at() -> None:
    def of(secrets: list[object], values: list[object], counts: list[int], width: float = 0) -> str:
        return pf.Counts.from_counts(secrets, values, counts, bin_width=width).fingerprint

    prints = [
        of(["a", "a", "b"], [1, 2, 2], [5, 6, 7]),
        of(["a", "a", "b"], [1, 2, 2], [5, 6, 8]),
        of(["a", "a", "b"], [1, 3, 2], [5, 6, 7]),
        of(["a", "a", "c"], [1, 2, 2], [5, 6, 7]),
        of(["b", "b", "a"], [1, 2, 2], [5, 6, 7]),
        of(["a", "a", "b"], [1, 2, 2], [5, 6, 7], 1.0),
        of(["a", "a", "b", "b"], [1, 2, 2, None], [5, 6, 7, 1]),
        of(["1", "1", "0"], [1, 2, 2], [5, 6, 7]),
        of([1, 1, 0], [1, 2, 2], [5, 6, 7]),
        of([True, True, False], [1, 2, 2], [5, 6, 7]),
        of(["a", "a"], [1, 2], [5, 6]),
    ]
    assert len(set(prints)) == len(prints)
    assert of(["a", "b", "a"], [2, 2, 1], [6, 7, 5]) == prints[0]


def test_some_secrets_and_no_holes_have_fingerprints_of_their_own() -> None:
    whole = summary()
    prints = {
        whole.fingerprint,
        whole.only(["f"]).fingerprint,
        whole.without_missing().fingerprint,
        whole.capped(0, 50).fingerprint,
    }
    assert len(prints) == 4
    assert whole.only(["m", "f"]).fingerprint == whole.fingerprint
    assert whole.capped(0, 100).fingerprint == whole.fingerprint


def test_capped_counts_are_those_of_capped_rows() -> None:
    table = shuffled_table()
    capped = pf.summarise(table, column="x", secret="s").capped(4.5, 30)
    rows = {"x": np.clip(table["x"], 4.5, 30.0), "s": table["s"]}
    assert capped.fingerprint == pf.summarise(rows, column="x", secret="s").fingerprint
    assert capped.cap == (4.5, 30.0)
    assert capped.only(["a"]).cap == capped.without_missing().cap == (4.5, 30.0)


def test_a_cap_keeps_the_radius_of_bins() -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(0.0, 10.0, 3_000)
    table = {"x": values, "s": np.repeat(["a", "b"], 1_500)}
    for low, high in itertools.product((-7.3, -5.0, -0.1), (0.4, 3.99, 8.0)):
        binned = pf.summarise(table, column="x", secret="s", most_values=20).capped(low, high)
        for number, group in enumerate(binned.groups.values()):
            true = np.sort(np.clip(values[1_500 * number : 1_500 * (number + 1)], low, high))
            stands = np.repeat(group.values, group.counts)
            # Sorted against sorted: the distance W_inf of the two tables.
            assert np.abs(true - stands).max() <= binned.radius
            assert low <= group.values[0] <= group.values[-1] <= high


@pytest.mark.parametrize("cap", [(3, 3), (5, 1), (0, math.inf), (math.nan, 1)])
def test_a_cap_is_two_numbers_in_order(cap: tuple[float, float]) -> None:
    with pytest.raises(pf.InvalidInputError, match="cap"):
        summary().capped(*cap)


def test_counts_are_capped_once() -> None:
    with pytest.raises(pf.InvalidInputError, match="already capped"):
        summary().capped(0, 50).capped(0, 60)
