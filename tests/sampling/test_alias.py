"""Draws by the alias method: every probability is the weight, to the last unit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2

import pufferfish as pf
from pufferfish.sampling.alias import AliasTables

BITS = 62


def weights(seed: int, rows: int, outcomes: int) -> np.ndarray:
    shares = np.random.default_rng(seed).dirichlet(np.full(outcomes, 0.3), rows)
    found = np.floor(shares * 2.0**BITS).astype(np.int64)
    found[np.arange(rows), found.argmax(axis=1)] += (1 << BITS) - found.sum(axis=1)
    return found


def ties(seed: int, rows: int, outcomes: int) -> np.ndarray:
    """Multiples of an eighth of a slot: slots that are full, and givers left with nothing."""
    generator = np.random.default_rng(seed)
    steps = 8 << max(outcomes - 1, 0).bit_length()
    shares = generator.dirichlet(np.full(outcomes, 0.5), rows)
    drawn = np.stack([generator.multinomial(steps, each) for each in shares])
    return drawn.astype(np.int64) * ((1 << BITS) // steps)


@pytest.mark.parametrize("made", [weights, ties])
@pytest.mark.parametrize(
    ("rows", "outcomes"), [(1, 1), (3, 2), (4, 7), (16, 16), (5, 100), (9, 256)]
)
def test_slots_hold_the_weights(
    made: Callable[[int, int, int], np.ndarray], rows: int, outcomes: int
) -> None:
    """Counted over all 2⁶⁴ words: a slot's words below its edge, and the others."""
    given = made(1, rows, outcomes)
    tables = AliasTables.of(given, BITS)
    shift = tables.slots.bit_length() - 1
    edges, others = tables.edges.reshape(rows, -1), tables.others.reshape(rows, -1)
    for row in range(rows):
        found = [0] * tables.slots
        for slot in range(tables.slots):
            below = int(edges[row, slot]) >> shift
            found[slot] += below
            found[others[row, slot]] += 2**64 // tables.slots - below
        assert [each >> (64 - BITS) for each in found[:outcomes]] == given[row].tolist()
        assert not any(found[outcomes:])


def squared(seen: np.ndarray, shares: np.ndarray) -> float:
    """The p-value of a chi-square test, row by row."""
    expected = seen.sum(axis=1, keepdims=True) * shares
    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), seen.size - len(seen)))


def test_draws_follow_their_row_and_five_percent_are_noticed() -> None:
    shares = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    table = np.floor(shares * 2.0**BITS).astype(np.int64)
    table[:, 0] += (1 << BITS) - table.sum(axis=1)
    rows = np.tile([0, 1], 500_000)
    drawn = AliasTables.of(table, BITS).draw(rows, pf.NotPrivateEntropy(5))
    seen = np.zeros((2, 3))
    np.add.at(seen, (rows, drawn), 1)
    assert squared(seen, shares) > 1e-6
    off = np.array([[0.525, 0.285, 0.19], [0.1, 0.6, 0.3]])
    assert squared(seen, off) < 1e-6


def test_weights_must_add_up() -> None:
    with pytest.raises(pf.InvalidInputError, match="sum"):
        AliasTables.of(np.array([[1, 2]], dtype=np.int64), BITS)
