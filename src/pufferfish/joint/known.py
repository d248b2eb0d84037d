"""What known columns reveal about a secret by themselves, exactly, from the counts of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.pairs import Secret, SecretPair
from pufferfish.kinds.recount import easiest_pair
from pufferfish.learning.reveals import Reveals
from pufferfish.tables import Counts

__all__ = ["counts_by_secret", "known_says"]


# For each secret, how often each combination of known labels occurs.
ByLabels = Mapping[Secret, Mapping[tuple[Label, ...], int]]


def counts_by_secret(crosstab: Counts, layout: Layout, names: Sequence[str]) -> ByLabels:
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


def known_says(crosstab: Counts, layout: Layout, pairs: Iterable[SecretPair]) -> Reveals | None:
    """The pair that known columns tell apart best, in whole percent, rounded up.

    None where no pair has rows of both its secrets.
    """
    best = easiest_pair(counts_by_secret(crosstab, layout, layout.known_names), pairs)
    return None if best is None else Reveals(found_percent=best[0], pair=best[1])
