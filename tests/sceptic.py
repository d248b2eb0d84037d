"""Somebody who does not believe the promise: a learner that sees the whole published file.

Gradient boosting is trained on half of the rows, with all published columns, to tell two secrets
apart, and tried on the other half. What counts is its balanced accuracy: the mean of the shares of
the two groups that it names rightly, which is 1/2 without looking.

**The bound.** Let i and j be the two secrets, z what the adversary knows or sees unprotected,
a(z) = P(z | i) and b(z) = P(z | j), and let the promise be (ε, δ) for the law of the protected
columns y given z. Whatever rule says "i" on a set of rows A has, with α(z) = Q_i(A | z) and
β(z) = Q_j(A | z), a balanced accuracy of

    ½·Σ_z [a(z)·α(z) + b(z)·(1 − β(z))].

A rule that draws lots is a mixture of such sets, and no better. The promise says, for every z,

    α ≤ e^ε·β + δ    and    1 − β ≤ e^ε·(1 − α) + δ,    0 ≤ α, β ≤ 1

(and the same with i and j exchanged, which only bounds the other side). What is summed is linear in
(α, β), and rises with α and falls with β, so it is largest at a corner of the upper left of this
polygon: (δ, 0), (1, 1 − δ), or where the two lines cross, α = 1 − β = (e^ε + δ)/(1 + e^ε). Hence
the balanced accuracy is at most

    ½·Σ_z max{ a + b·δ,  b + a·δ,  (a + b)·(e^ε + δ)/(1 + e^ε) }.

With nothing known there is one z, a = b = 1, and the bound is (e^ε + δ)/(1 + e^ε), for ε = 1 and
δ = 0 it is 73.1%. At ε = 0 it is ½·Σ max(a, b), what z says by itself. For δ = 0 the bound is
reached, by a release that says the truth about i or j with probability e^ε/(1 + e^ε) in every z
with e^{-ε} ≤ a/b ≤ e^ε; so nothing smaller could be said of the promise alone.

**Sampling error.** Rows that are tried are independent of the rule. The measured balanced accuracy
is a sum of independent terms between 0 and 1/(2n_i), or 1/(2n_j), for the n_i and n_j rows tried.
By Hoeffding's inequality it is above its mean by more than

    t = √( ½·ln(1/α)·(1/(4n_i) + 1/(4n_j)) )

with probability at most α. That needs rows drawn independently from the laws that the promise is
about. `drawn_anew` gives such rows: drawn from a table, with replacement. Halves of one fixed table
are slightly dependent, in the learner's disfavour: if a rule's accuracy on the table is the mean of
its accuracies on the halves, it is better on the other half than on the table only if it is worse
on its own, and learners that fit their rows are not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import HistGradientBoostingClassifier

Column = npt.NDArray[Any]
Table = Mapping[str, Column]

FALSE_ALARM = 1e-6
# More labels than this are given to the learner as places in their order.
_MOST_LABELS = 200


@dataclass(frozen=True)
class Attack:
    """How often a learner is right about rows that it has not seen.

    Attributes:
        accuracy: The mean of the shares of both groups that are named rightly.
        tried: How many rows of each group were tried.
    """

    accuracy: float
    tried: tuple[int, int]

    @property
    def margin(self) -> float:
        """By how much chance lifts the accuracy above its mean, at most, but for 1e-6."""
        spread = sum(1.0 / (4.0 * each) for each in self.tried)
        return math.sqrt(0.5 * math.log(1.0 / FALSE_ALARM) * spread)

    def above(self, bound: float) -> bool:
        """Whether the bound is refuted: but for 1e-6, no promise that has it was kept."""
        return self.accuracy > bound + self.margin


def attack(
    published: Mapping[str, Any],
    secrets: Sequence[Hashable] | Column,
    pair: tuple[Hashable, Hashable],
    *,
    seed: int = 0,
) -> Attack:
    """Train on half of the rows with one of two secrets, and try the other half.

    Args:
        published: All columns that somebody sees or knows, in the order of `secrets`.
        secrets: The secret of each row.
        pair: Which two are to be told apart.
        seed: Of the halves and of the learner.
    """
    names = np.asarray(secrets, dtype=object)
    chosen = np.flatnonzero((names == pair[0]) | (names == pair[1]))
    # Each group is split by itself, so that both halves have both.
    source = np.random.default_rng(seed)
    second = (names[chosen] == pair[1]).astype(np.int64)
    train = np.zeros(chosen.size, dtype=bool)
    for group in (0, 1):
        mine = source.permutation(np.flatnonzero(second == group))
        train[mine[: mine.size // 2]] = True
    features, labelled = _features(published)
    features = features[chosen]
    model = HistGradientBoostingClassifier(
        # Large leaves: a learner that fits noise sees less of a secret that is spread over columns.
        min_samples_leaf=50,
        class_weight="balanced",
        categorical_features=labelled,
        early_stopping=False,
        random_state=seed,
    )
    model.fit(features[train], second[train])
    right = model.predict(features[~train]) == second[~train]
    groups = [right[second[~train] == group] for group in (0, 1)]
    return Attack(
        accuracy=float(np.mean([each.mean() for each in groups])),
        tried=(groups[0].size, groups[1].size),
    )


def _features(published: Mapping[str, Any]) -> tuple[npt.NDArray[np.float64], list[bool]]:
    """Numbers as they are, labels as codes; which columns are codes of few labels."""
    found, labelled = [], []
    for each in published.values():
        column = np.asarray(each)
        if column.dtype.kind in "iuf":
            found.append(column.astype(np.float64))
            labelled.append(False)
            continue
        # None, nan and the rest are labels like any other.
        codes: dict[str, int] = {}
        found.append(np.array([codes.setdefault(repr(x), len(codes)) for x in column.tolist()]))
        labelled.append(len(codes) <= _MOST_LABELS)
    return np.column_stack(found).astype(np.float64), labelled


def bound(
    epsilon: float,
    delta: float = 0.0,
    *,
    known: Sequence[Hashable] | None = None,
    secrets: Sequence[Hashable] | Column = (),
    pair: tuple[Hashable, Hashable] | None = None,
) -> float:
    """The largest balanced accuracy that the promise allows: proven above.

    Args:
        epsilon: Of the promise, given `known`.
        delta: Of the promise.
        known: For each row, what the adversary knows or sees unprotected; None: nothing.
        secrets: The secret of each row, where something is known.
        pair: Which two are to be told apart, where something is known.
    """
    best = (1.0 + delta * math.exp(-epsilon)) / (1.0 + math.exp(-epsilon))
    if known is None:
        return min(best, 1.0)
    if pair is None:
        raise ValueError("what is known says something about two secrets: name them")
    laws = []
    for secret in pair:
        counts = Counter(z for z, s in zip(known, secrets, strict=True) if s == secret)
        total = sum(counts.values())
        laws.append({z: n / total for z, n in counts.items()})
    found = 0.0
    for z in {**laws[0], **laws[1]}:
        a, b = (law.get(z, 0.0) for law in laws)
        found += max(a + b * delta, b + a * delta, (a + b) * best)
    return min(found / 2.0, 1.0)


def drawn_anew(table: Table, rows: int, seed: int) -> dict[str, Column]:
    """Rows drawn from a table with replacement: independent, with exactly the table's laws."""
    size = len(next(iter(table.values())))
    chosen = np.random.default_rng(seed).integers(0, size, rows)
    return {name: column[chosen] for name, column in table.items()}


def xor_table(rows: int, seed: int) -> dict[str, Column]:
    """Score, sex, diagnosis: any two are independent, and any two give away the third.

    The score is about 50 where the bits of sex and diagnosis agree, and about 70 where they do not.
    The secret is the diagnosis; the score says nothing about it, nor does sex, but both together
    give it away in more than 99% of rows.
    """
    source = np.random.default_rng(seed)
    ill, male = source.integers(0, 2, rows), source.integers(0, 2, rows)
    return {
        "score": _score(ill ^ male, source),
        "sex": np.array(["f", "m"])[male],
        "diagnosis": np.array(["healthy", "ill"])[ill],
    }


def parity_table(rows: int, seed: int) -> dict[str, Column]:
    """Score, sex, diagnosis and "carrier", the secret: the parity of sex, diagnosis and high score.

    No two of the three say anything about the secret; all three give it away.
    """
    source = np.random.default_rng(seed)
    ill, male, high = (source.integers(0, 2, rows) for _ in range(3))
    return {
        "score": _score(high, source),
        "sex": np.array(["f", "m"])[male],
        "diagnosis": np.array(["healthy", "ill"])[ill],
        "carrier": np.array(["no", "yes"])[ill ^ male ^ high],
    }


def _score(high: Column, source: np.random.Generator) -> npt.NDArray[np.int64]:
    """About 50, or about 70; whole numbers, with 60 between nearly all of them."""
    return np.round(50.0 + 20.0 * high + source.normal(0.0, 3.5, high.size)).astype(np.int64)
