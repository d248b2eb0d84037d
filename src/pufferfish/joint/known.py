"""What known columns reveal about a secret by themselves, exactly, from the counts of the table.

Between two equally likely secrets, the best guess of somebody who knows only z is right in
½·Σ_z max(P(z|s₁), P(z|s₂)) of cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.pairs import Secret, SecretPair
from pufferfish.learning.reveals import Reveals
from pufferfish.tables.crosstab import Crosstab

__all__ = ["counts_by_secret", "known_says", "known_shares"]


# For each secret, how often each combination of known labels occurs.
Counts = Mapping[Secret, Mapping[tuple[Label, ...], int]]


def counts_by_secret(crosstab: Crosstab, layout: Layout, names: Sequence[str]) -> Counts:
    """For each secret that rows have, how often each combination of some known columns occurs.

    Where several secrets are protected, each by itself, a row counts for each of its secrets.
    """
    table = crosstab.marginal([*layout.secret_names, *names])
    size = len(layout.secrets)
    counts: dict[Secret, dict[tuple[Label, ...], int]] = {}
    for labels, count in zip(table.cells, table.counts.tolist(), strict=True):
        for view in layout.views:
            secret = view.secret_of(labels[:size], missing=layout.missing_secret)
            if secret is not None:
                own = counts.setdefault(secret, {})
                own[labels[size:]] = own.get(labels[size:], 0) + count
    return counts


def known_shares(counts: Counts, pair: SecretPair) -> list[tuple[Fraction, Fraction]]:
    """P(z|s₁) and P(z|s₂) for each z; empty where one of the secrets does not occur."""
    first, second = (counts.get(secret) for secret in pair)
    if first is None or second is None:
        return []
    rows = sum(first.values()), sum(second.values())
    every = dict.fromkeys([*first, *second])
    return [
        (Fraction(first.get(z, 0), rows[0]), Fraction(second.get(z, 0), rows[1])) for z in every
    ]


def known_says(crosstab: Crosstab, layout: Layout, pairs: Iterable[SecretPair]) -> Reveals | None:
    """The pair that known columns tell apart best, in whole percent, rounded up.

    None where no pair has rows of both its secrets.
    """
    counts = counts_by_secret(crosstab, layout, layout.known_names)
    best: tuple[Fraction, SecretPair] | None = None
    for pair in pairs:
        shares = known_shares(counts, pair)
        found = sum((max(each) for each in shares), Fraction(0))
        if shares and (best is None or found > best[0]):
            best = found, pair
    if best is None:
        return None
    return Reveals(found_percent=max(math.ceil(50 * best[0]), 50), pair=SecretPair(*best[1]))
