"""Beliefs about a table, from counts: the laws of published columns given known ones.

Somebody who knows other columns of a row believes the laws of the rows with these values. A promise
against those who know all known columns implies none against those who know only some of them, or
none. So there is one adversary of each family for every set of known columns and each combination
of their values that occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations

from pufferfish.beliefs.known import Given, given_in_words
from pufferfish.beliefs.labels import Book
from pufferfish.beliefs.layout import View
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.scenario import OTHER_ROWS, PUBLIC, RELEASED, Belief
from pufferfish.core.validation import require
from pufferfish.fit.enough import refuse_few, refuse_half_known, refuse_many
from pufferfish.fit.models import MODELS, fit_model
from pufferfish.tables import Counts
from pufferfish.tables.batch import IntArray
from pufferfish.words.phrases import list_in_words

__all__ = ["empirical_belief", "fit_table", "name_of", "strata_with_enough"]


def fit_table(
    counted: Counts, families: Sequence[str], *, min_group: int, provenance: str = RELEASED
) -> tuple[Belief, ...]:
    """One adversary of each family for each combination of values that somebody may know.

    Args:
        counted: The table.
        families: "empirical", "independent", "chain".
        min_group: A secret with fewer rows, among those with some known values, is refused.
        provenance: Where the beliefs come from.

    Raises:
        DataError: There are too few rows of a secret; the message says what would help, but not
            which secret.
    """
    for family in families:
        require(
            family in MODELS,
            "categories, and several columns together, are described by "
            f"{list_in_words(MODELS)}, got {family!r}.",
        )
    return tuple(
        belief
        for stratum in strata_with_enough(counted, min_group)
        for belief in _beliefs(stratum, families, provenance, counted.whole.fingerprint)
    )


def empirical_belief(stratum: Counts, provenance: str) -> Belief:
    """The belief of somebody who has counted the categories in the rows of a stratum."""
    return _beliefs(stratum, ("empirical",), provenance, "")[0]


def name_of(family: str, given: Given, view: View) -> str:
    """The name of an adversary: the family, the secret that it is about, and what is known."""
    about = f" about {view.name}" if view.name else ""
    known = f", {known}" if (known := given_in_words(given)) else ""
    return f"{family}{about}{known}"


def strata_with_enough(counted: Counts, min_group: int) -> list[Counts]:
    """The stratum of each combination of known values, checked to have enough rows of each secret.

    Each of several secrets that is protected by itself has adversaries of its own: with the laws of
    all secrets in one belief, a race and a sex would make a pair.

    Raises:
        DataError: There are too few; the message says what would help, but not which secret.
    """
    layout = counted.roles
    refuse_half_known(counted)
    refuse_many(counted, min_group)
    names = layout.known_names
    found = [
        stratum
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
        for stratum in counted.strata(chosen)
    ]
    for view in layout.views:
        refuse_few(counted, view, [each for each in found if each.view == view], min_group)
    return found


def _beliefs(
    stratum: Counts, families: Sequence[str], provenance: str, fingerprint: str
) -> list[Belief]:
    layout = stratum.roles
    if provenance == RELEASED and stratum.unseen is not None:
        provenance = OTHER_ROWS
    here = provenance in (RELEASED, OTHER_ROWS)
    whole, by_secret = stratum.laws_by_secret
    cells = whole.cells
    domain = Book(row[0] for row in cells) if len(whole.columns) == 1 else Book(cells)
    return [
        Belief(
            {secret: _law(family, domain, whole, counts) for secret, counts in by_secret.items()},
            name=name_of(family, stratum.given, stratum.about),
            provenance=provenance,
            fitted_on=fingerprint if here else None,
            fitted_at=datetime.now(UTC).isoformat(timespec="seconds") if here else None,
            # A public belief must not reveal more of the table than its laws do.
            frequencies=None
            if provenance == PUBLIC and (stratum.wanted is not None or family != "empirical")
            else Categorical(domain, counts=whole.counts),
            columns=layout.column_names,
            given=stratum.given,
            rules=layout.rules,
        )
        for family in families
    ]


def _law(family: str, domain: Book, whole: Counts, counts: IntArray) -> Categorical:
    if family == "empirical":
        return Categorical(domain, counts=counts)
    return Categorical(domain, fit_model(family, whole.codes, counts))
