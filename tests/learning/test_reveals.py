"""How often the secret is found: what the learner finds, and how sure that is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom, norm
from sklearn.ensemble import RandomForestClassifier

from pufferfish.beliefs.scenario import SecretPair
from pufferfish.learning.features import features
from pufferfish.learning.learner import learned_odds
from pufferfish.learning.reveals import MOST_PAIRS, balanced_upper, measure_leak
from pufferfish.learning.sample import Sampled

ROWS = 10_000
SOURCE = np.random.default_rng(5)
BIT = SOURCE.integers(0, 2, ROWS)
OTHER = SOURCE.integers(0, 2, ROWS)
NOISE = SOURCE.normal(size=ROWS)
PAIR = SecretPair("no", "yes")


def percent(columns: dict[str, Any], secrets: npt.NDArray[np.int64]) -> int:
    listed = {name: np.asarray(cells).tolist() for name, cells in columns.items()}
    found = measure_leak(Sampled(listed, secrets, ("no", "yes")), [PAIR])
    assert found is not None
    assert found.pair == PAIR
    return found.found_percent


def test_nothing_is_found_where_there_is_nothing() -> None:
    columns = {"x": NOISE, "k": OTHER, "name": [f"name {each}" for each in range(ROWS)]}
    assert 50 <= percent(columns, BIT) <= 54


def test_what_a_column_says_alone_is_found_as_far_as_it_can_be() -> None:
    """Two Gaussians d apart are told apart with Φ(d/2), and no better."""
    found = percent({"x": NOISE + 2.0 * BIT}, BIT)
    assert 100 * norm.cdf(1.0) - 1.0 < found < 100 * norm.cdf(1.0) + 3.0


@pytest.mark.parametrize(
    "columns",
    [
        {"x": 20.0 * (BIT ^ OTHER) + 4.0 * NOISE, "k": OTHER},
        {"x": 20.0 * (BIT ^ OTHER) + 4.0 * NOISE, "k": np.array(["f", "m"])[OTHER]},
        {"x": NOISE, "k": OTHER, "l": BIT ^ OTHER},
        {"x": NOISE, "k": OTHER, "l": (NOISE > 0) ^ BIT, "m": OTHER},
        {"x": np.where(BIT == 1, np.nan, NOISE)},
        {"x": NOISE, "day": np.array(["2020-05-01", "2021-03-09"])[BIT]},
    ],
    ids=["xor", "xor of text", "two kept", "bit of the noised", "holes", "days"],
)
def test_what_columns_say_together_is_found(columns: dict[str, Any]) -> None:
    assert percent(columns, BIT) >= 98


def test_what_many_categories_say_is_found() -> None:
    """900 cities, in each of which nine of ten have the same secret."""
    city = SOURCE.integers(0, 900, ROWS)
    usual = SOURCE.integers(0, 2, 900)[city]
    secrets = np.where(SOURCE.random(ROWS) < 0.9, usual, 1 - usual)
    assert 84 <= percent({"x": NOISE, "city": [f"city {each}" for each in city]}, secrets) <= 92


TABLES = {
    "xor": {"x": 20.0 * (BIT ^ OTHER) + 12.0 * NOISE, "k": OTHER},
    "sum": {"x": NOISE + 0.5 * BIT, "k": SOURCE.normal(size=ROWS) + 0.7 * BIT},
    "square": {"x": np.where(BIT == 1, 2.0, 1.0) * NOISE, "k": SOURCE.normal(size=ROWS)},
}


@pytest.mark.parametrize("name", TABLES)
def test_another_learner_finds_about_as_much(name: str) -> None:
    """A forest on the columns themselves."""
    columns, train = TABLES[name], np.arange(ROWS) % 2 == 0
    listed = {each: np.asarray(cells).tolist() for each, cells in columns.items()}
    odds = learned_odds(features(listed, train, BIT), train, BIT)
    ours = float(((odds > 0) == BIT[~train]).mean())
    seen = np.column_stack(list(columns.values()))
    model = RandomForestClassifier(200, min_samples_leaf=20, random_state=0)
    theirs = float((model.fit(seen[train], BIT[train]).predict(seen[~train]) == BIT[~train]).mean())
    # Standard error of each: 0.7%.
    assert abs(ours - theirs) < 0.03


def test_held_out_secrets_are_not_looked_at() -> None:
    train = np.arange(ROWS) % 2 == 0
    columns = {"x": (NOISE + BIT).tolist(), "city": [f"{each}" for each in range(ROWS)]}
    turned = np.where(train, BIT, 1 - BIT)
    one, other = (
        learned_odds(features(columns, train, target), train, target, trees=5)
        for target in (BIT, turned)
    )
    assert np.array_equal(one, other)


@pytest.mark.parametrize("rows", [(5, 5), (20, 300), (2000, 2000)])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.99, 0.7), (0.0, 1.0)])
def test_the_limit_is_below_the_truth_as_seldom_as_stated(
    rows: tuple[int, int], shares: tuple[float, float]
) -> None:
    error, draws = 0.05, 2000
    hits = SOURCE.binomial(rows, shares, (draws, 2))
    limits = np.array([balanced_upper(each.tolist(), rows, error) for each in hits])
    below = np.count_nonzero(limits < np.mean(shares))
    assert binom.sf(below - 1, draws, error) > 1e-6
    # What was seen itself would be below far more often, unless it cannot vary.
    if 0.0 < shares[0] < 1.0:
        seen = (hits / rows).mean(axis=1)
        assert binom.sf(np.count_nonzero(seen < np.mean(shares)) - 1, draws, error) < 1e-6


def test_few_rows_leave_the_figure_high() -> None:
    """Ten rows of each secret rule out very little."""
    few = {"x": NOISE[:20], "k": OTHER[:20]}
    assert percent(few, np.arange(20) % 2) > 75
    assert percent({"x": NOISE[:2]}, np.arange(2)) > 90


def test_pairs_without_rows_are_not_measured() -> None:
    sample = Sampled({"x": NOISE.tolist()}, BIT, ("a", "b", "c"))
    found = measure_leak(sample, [SecretPair("a", "c"), SecretPair("a", "b")])
    assert found is not None
    assert found.pair == ("a", "b")
    assert measure_leak(sample, [SecretPair("a", "c")]) is None
    assert measure_leak(Sampled({}, np.zeros(0, dtype=np.int64), ("a", "b")), [PAIR]) is None


@pytest.mark.parametrize("labels", [3, 8])
def test_the_pair_that_is_told_apart_best_is_reported(labels: int) -> None:
    """The two last secrets stand out; with eight there are more pairs than are measured."""
    secrets = SOURCE.integers(0, labels, ROWS)
    x = NOISE + 6.0 * (secrets == labels - 1) - 6.0 * (secrets == labels - 2)
    names = tuple(f"s{number}" for number in range(labels))
    pairs = [SecretPair(one, other) for i, one in enumerate(names) for other in names[i + 1 :]]
    assert (len(pairs) > MOST_PAIRS) == (labels == 8)
    found = measure_leak(Sampled({"x": x.tolist()}, secrets, names), pairs)
    assert found is not None
    assert set(found.pair) & set(names[-2:])
    assert found.found_percent == 100
