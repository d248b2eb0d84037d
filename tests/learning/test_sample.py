"""A sample of rows that go by: all of the rare, some of the common, each as likely as another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chi2

from pufferfish.learning.sample import Sample, Sampled

FALSE_ALARM = 1e-6


def sampled(
    secrets: npt.NDArray[np.int64], most: int, *, seed: int = 0, batch: int = 100
) -> Sampled:
    """Rows that can be told apart, looked at some at a time; 2 is a secret nobody wants."""
    sample = Sample(("a", "b"), most=most, seed=seed)
    rows = np.arange(secrets.size)
    for start in range(0, secrets.size, batch):
        part = slice(start, start + batch)

        def columns(chosen: npt.NDArray[np.int64], part: slice = part) -> dict[str, list[Any]]:
            numbers = rows[part][chosen]
            return {"row": numbers.tolist(), "text": [f"row {each}" for each in numbers]}

        # Labels may come in any order, and other ones each time.
        turned = 2 - secrets[part] if start % 200 else secrets[part]
        sample.look(turned, ("c", "b", "a") if start % 200 else ("a", "b", "c"), columns)
    return sample.rows()


SECRETS = np.arange(5000) % 50
SECRETS = np.where(SECRETS == 0, 0, np.where(SECRETS < 40, 1, 2))


def test_rows_stay_whole_and_only_wanted_secrets_are_kept() -> None:
    found = sampled(SECRETS, 1000)
    rows = np.array(found.columns["row"])
    assert np.array_equal(SECRETS[rows], found.secrets)
    assert found.columns["text"] == [f"row {each}" for each in rows]
    assert found.labels == ("a", "b")
    assert np.unique(rows).size == rows.size
    # All of the rare secret, a part of the common one, none of others.
    assert np.bincount(found.secrets).tolist() == [100, 500]


def test_few_rows_are_all_kept() -> None:
    found = sampled(SECRETS[:300], 40_000)
    assert sorted(found.columns["row"]) == np.flatnonzero(SECRETS[:300] < 2).tolist()


def test_nothing_seen_is_nothing_kept() -> None:
    found = Sample(("a",)).rows()
    assert (found.columns, found.secrets.tolist()) == ({}, [])


def test_a_row_without_a_secret_is_not_kept() -> None:
    sample = Sample(("a",))
    sample.look(np.array([-1, 0]), ("a",), lambda chosen: {"row": chosen.tolist()})
    assert sample.rows().columns == {"row": [1]}


def test_of_long_texts_the_beginning_and_a_hash_are_held() -> None:
    sample = Sample(("a",))
    cells = ["x" * 10**6, ["y"] * 10**6, b"z" * 10**6, None, 7]
    sample.look(
        np.zeros(5, dtype=np.int64), ("a",), lambda chosen: {"k": [cells[i] for i in chosen]}
    )
    held = sample.rows().columns["k"]
    assert max(len(str(each)) for each in held) == 200
    assert {None, 7} <= {each for each in held if not isinstance(each, str)}


def test_long_texts_stay_as_equal_as_they_are() -> None:
    begins = "é\ud800" + "x" * 300
    cells = [begins + "a", begins + "b", begins + "a", "x" * 200, "x" * 201]
    sample = Sample(("a",))
    sample.look(
        np.zeros(5, dtype=np.int64),
        ("a",),
        lambda chosen: {"row": chosen.tolist(), "k": [cells[row] for row in chosen]},
    )
    held = sample.rows().columns
    by_row = dict(zip(held["row"], held["k"], strict=True))
    assert by_row[0] == by_row[2]
    assert len({by_row[row] for row in range(5)}) == 4
    assert by_row[3] == cells[3]
    assert all(by_row[row][:150] == cells[row][:150] for row in range(5))


@pytest.mark.parametrize("batch", [37, 100, 3000])
def test_every_row_is_as_likely_and_in_random_order(batch: int) -> None:
    """Chi-square of how often rows of each part of the table are kept; and where they end up."""
    kept, firsts = np.zeros(30), np.zeros(30)
    for seed in range(60):
        rows = np.array(
            sampled(np.ones(3000, dtype=np.int64), 400, seed=seed, batch=batch)[0]["row"]
        )
        assert rows.size == 200
        kept += np.bincount(rows // 100, minlength=30)
        firsts += np.bincount(rows[:100] // 100, minlength=30)
    for counts in (kept, firsts):
        expected = counts.sum() / 30
        assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(FALSE_ALARM, 29)
