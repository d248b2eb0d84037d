"""How much the published columns reveal together: how often a learner finds the secret.

Half of the sampled rows of each secret are used to learn, the others are held out. Between two
equally likely secrets, the share of rows whose secret is found is (r₁ + r₂)/2, where r is the share
of the held-out rows of a secret that are guessed right. The reported number is an upper bound of
it: each r by Clopper and Pearson's limit at the level 1 − 0.05/(2·pairs), so that with a confidence
of 95% no measured pair's share is larger, rounded up to whole percent.

The bound is on the success of this learner. Another learner, or somebody who knows more, may find
more; nobody can bound what all of them find without the law of the kept columns. Rows are assumed
to be independent. The proof is in docs/theory/kept-columns.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
from msgspec import Meta
from scipy.stats import beta

from pufferfish.beliefs.scenario import SecretPair
from pufferfish.core.validation import require
from pufferfish.documents.shape import entries_of
from pufferfish.learning.features import features
from pufferfish.learning.learner import learned_odds
from pufferfish.learning.sample import Sampled

__all__ = [
    "CONFIDENCE",
    "MOST_PAIRS",
    "Reveals",
    "RevealsEntries",
    "balanced_upper",
    "measure_leak",
]

IntArray = npt.NDArray[np.int64]

CONFIDENCE = 0.95
# The number of pairs that are measured in full: if there are more, those that a short trial tells
# apart best.
MOST_PAIRS = 8
_TRIALS = 100
_TRIAL_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveals:
    """What all published columns together reveal, measured on rows that were held out.

    Attributes:
        found_percent: How often a learner finds the secret of a row that it has not seen, between
            two secrets that are equally likely: an upper limit with 95% confidence, in whole
            percent, rounded up; at least 50, as by guessing.
        pair: The two secrets: the measured pair that is told apart best.
    """

    found_percent: Annotated[int, Meta(ge=50, le=100)]
    pair: SecretPair

    def __post_init__(self) -> None:
        """Refuse a number that is not such a percentage."""
        whole = isinstance(self.found_percent, int) and not isinstance(self.found_percent, bool)
        require(
            whole and 50 <= self.found_percent <= 100,
            "found_percent must be from 50, as by guessing, to 100.",
        )


RevealsEntries = entries_of(Reveals)


def measure_leak(sample: Sampled, pairs: Iterable[SecretPair]) -> Reveals | None:
    """The pair that is told apart best, and in what percentage of its rows.

    If there are many pairs, only the `MOST_PAIRS` that a short trial on the rows for learning told
    apart best are measured.

    Args:
        sample: Rows as they are published, in random order.
        pairs: The pairs of the plan.

    Returns:
        None if no pair has rows of both its secrets: there is nothing to tell apart.
    """
    there = {sample.labels[number] for number in np.unique(sample.secrets).tolist()}
    chosen = [pair for pair in pairs if all(label in there for label in pair)]
    if len(chosen) > MOST_PAIRS:
        chosen = _hardest(sample, chosen)
    found = [(_percent(sample, pair, len(chosen)), pair) for pair in chosen]
    if not found:
        return None
    percent, pair = max(found, key=lambda each: each[0])
    # Somebody who finds the secret less often than by guessing may guess.
    return Reveals(found_percent=max(percent, 50), pair=pair)


def _percent(sample: Sampled, pair: SecretPair, pairs: int) -> int:
    """An upper bound for one of several pairs."""
    rows, target, train = _halves(sample, pair)
    counts = [int(np.count_nonzero(target[~train] == each)) for each in (0, 1)]
    right = _right(sample, rows, target, train)
    return math.ceil(100.0 * balanced_upper(right, counts, (1.0 - CONFIDENCE) / pairs))


def balanced_upper(right: Sequence[int], counts: Sequence[int], error: float) -> float:
    """An upper bound of the mean of the shares of two groups; wrong with probability ≤ `error`."""
    each = error / 2.0
    limits = [
        1.0 if hits == rows else float(beta.isf(each, hits + 1, rows - hits))
        for hits, rows in zip(right, counts, strict=True)
    ]
    return sum(limits) / 2.0


def _halves(
    sample: Sampled, pair: SecretPair, most: int | None = None
) -> tuple[IntArray, IntArray, npt.NDArray[np.bool_]]:
    """The rows of a pair, which of its secrets each has, and which of them are used to learn."""
    kept, targets, train = [], [], []
    for number, label in enumerate(pair):
        rows = np.flatnonzero(sample.secrets == sample.labels.index(label))
        rows = rows[: rows.size // 2][:most] if most else rows
        kept.append(rows)
        targets.append(np.full(rows.size, number, dtype=np.int64))
        train.append(np.arange(rows.size) < rows.size // 2)
    order = np.argsort(np.concatenate(kept), kind="stable")
    return (
        np.concatenate(kept)[order],
        np.concatenate(targets)[order],
        np.concatenate(train)[order],
    )


def _right(
    sample: Sampled,
    rows: IntArray,
    target: IntArray,
    train: npt.NDArray[np.bool_],
    **how: int,
) -> list[int]:
    """For each secret, how many held-out rows the learner guesses right."""
    taken = [target[train] == each for each in (0, 1)]
    if not all(each.any() for each in taken):
        # There is nothing to learn from: guess one secret for all rows.
        return [int(np.count_nonzero(target[~train] == 0)), 0]
    numbers = rows.tolist()
    columns = {name: [cells[row] for row in numbers] for name, cells in sample.columns.items()}
    odds = learned_odds(features(columns, train, target), train, target, **how)
    said = odds > 0.0
    held = target[~train]
    return [int(np.count_nonzero((held == each) & (said == bool(each)))) for each in (0, 1)]


def _hardest(sample: Sampled, pairs: Sequence[SecretPair]) -> list[SecretPair]:
    """The pairs that a short trial tells apart best; it sees rows for learning only.

    If there are more pairs than can be tried, those with the most rows are.
    """
    sizes = np.bincount(sample.secrets, minlength=len(sample.labels))
    size = {label: int(sizes[number]) for number, label in enumerate(sample.labels)}
    tried = sorted(pairs, key=lambda pair: -min(size[label] for label in pair))[:_TRIALS]
    shares = []
    for pair in tried:
        rows, target, train = _halves(sample, pair, _TRIAL_ROWS)
        counts = [max(int(np.count_nonzero(target[~train] == each)), 1) for each in (0, 1)]
        right = _right(sample, rows, target, train, trees=8, depth=3)
        shares.append(sum(hits / count for hits, count in zip(right, counts, strict=True)))
    best = np.argsort(-np.array(shares), kind="stable")[:MOST_PAIRS]
    return [tried[number] for number in best.tolist()]
