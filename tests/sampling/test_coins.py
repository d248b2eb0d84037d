"""Coins that are found again by the number of a row."""

import itertools
import pickle

import numpy as np
import pytest

from pufferfish.sampling import NotPrivateEntropy
from pufferfish.sampling.coins import Coins

ROWS = 100_000


@pytest.fixture(scope="module")
def coins() -> Coins:
    return Coins(NotPrivateEntropy(1))


def test_a_row_has_one_coin_however_the_table_is_cut(coins):
    whole = coins.heads(0, ROWS)
    cuts = [0, 1, 511, 512, 513, 70_000, 70_000, ROWS]
    parts = [coins.heads(a, b - a) for a, b in itertools.pairwise(cuts)]
    assert np.array_equal(np.concatenate(parts), whole)


def test_coins_are_fair_and_have_no_memory(coins):
    """Each count is within 5 std of what fair coins show: one false alarm in a million seeds."""
    heads = coins.heads(0, ROWS)
    for seen in (heads, heads[1:] ^ heads[:-1], heads[512:] ^ heads[:-512]):
        assert abs(np.count_nonzero(seen) - seen.size / 2) < 5 * np.sqrt(seen.size) / 2


def test_each_table_gets_coins_of_its_own():
    assert not np.array_equal(Coins().heads(0, 1000), Coins().heads(0, 1000))


def test_rows_far_into_a_table(coins):
    far = 2**41 - 600
    assert np.array_equal(coins.heads(far, 600)[300:], coins.heads(far + 300, 300))
    with pytest.raises(ValueError, match="too many rows"):
        coins.heads(2**41, 1)


def test_coins_cannot_be_stored(coins):
    with pytest.raises(TypeError, match="cannot be stored"):
        pickle.dumps(coins)
    assert repr(coins) == "Coins()"
