"""Checks that a table has enough rows of every secret, for each combination of known values.

Messages say what would help, and never which groups are small: that would point at a few people.
"""

from __future__ import annotations

from collections.abc import Sequence

from pufferfish.beliefs.layout import View
from pufferfish.beliefs.pairs import some_secrets
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.tables import Counts
from pufferfish.words.phrases import list_in_words

__all__ = ["refuse_few", "refuse_half_known", "refuse_many"]


def refuse_half_known(counted: Counts) -> None:
    """Refuse rows that have one of several jointly protected secrets and lack another.

    They have no combination, so no law describes them; and a promise about combinations would not
    cover the secret that they have.
    """
    layout = counted.roles
    if not layout.jointly or layout.missing_secret:
        return
    cells = counted.marginal(layout.secret_names).cells
    require(
        not any(0 < sum(each is None for each in row) < len(row) for row in cells),
        f"some rows have a value of one of {list_in_words(layout.secret_names)} and none of "
        "another, so they have no combination to protect. Make a missing secret a group of its own "
        "(missing_secret=True, --missing-secret), or protect each secret by itself (leave out "
        "jointly=, --secrets-jointly).",
    )


def refuse_many(counted: Counts, min_group: int) -> None:
    """Refuse, before any rows are sorted, a table with too many combinations of known values."""
    names = counted.roles.known_names
    if not names:
        return
    strata = counted.marginal(names).counts.size
    if 2 * strata * max(min_group, 1) > counted.rows:
        raise DataError(
            f"there are {strata:,} combinations of known values ({list_in_words(names)}) among "
            f"{counted.rows:,} rows, so some have fewer than {max(min_group, 1)} rows of each "
            f"secret. {_FEWER}"
        )


def refuse_few(counted: Counts, view: View, strata: Sequence[Counts], min_group: int) -> None:
    """Refuse a table with too few rows of some secret, without saying of which."""
    names = list_in_words(view.columns)
    every, only = strata[0].by_secret, counted.wanted
    wanted = [each for each in every if only is None or view.holds(each)]
    there = [each for each in counted.secrets if view.holds(each)]
    absent = [each for each in wanted if each not in there]
    if absent:
        raise InvalidInputError(
            f"column {names} has no secret {absent[0]!r}; it has {some_secrets(there)}."
        )
    require(
        bool(wanted) or only is None,
        f"none of the secrets to protect is a value of {names}, which is named as a secret: name "
        "two of its values, or leave out the column.",
    )
    if len(wanted) < 2:
        raise DataError(
            f"column {names} has only one value, so there are no two secrets to tell apart. Name "
            "the column that holds the secret, with all of its values."
        )
    enough = [each for each in wanted if every[each].rows >= min_group]
    if len(enough) < len(wanted):
        raise DataError(
            f"some values of {names} have fewer than {min_group} rows, too few to fit a belief to. "
            "Merge small groups (--merge), name the pairs to protect (--pair), or lower the limit "
            f"(--min-group, min_group=). Large enough: {some_secrets(enough) or 'none'}."
        )
    small = [
        stratum
        for stratum in strata[1:]
        if any(
            each not in stratum.by_secret or stratum.by_secret[each].rows < min_group
            for each in wanted
        )
    ]
    if not small:
        return
    rows = sum(each.rows for each in small if len(each.given) == len(counted.roles.known))
    known = list_in_words(counted.roles.known_names)
    raise DataError(
        f"{len(small):,} of {len(strata) - 1:,} combinations of known values ({known}) have fewer "
        f"than {min_group} rows of some secret to protect, or none at all: about "
        f"{max(rows / counted.rows, 0.01):.0%} of the rows. {_FEWER}{_holes(counted)}"
    )


_FEWER = (
    "Merge their values by a public rule (--merge, --bands), so that the merged label is "
    "published; or, instead of keeping the column, publish it jointly with the others (--column), "
    "which promises nothing against those who know it from elsewhere; or name fewer known columns; "
    "or lower the limit (--min-group)."
)


def _holes(counted: Counts) -> str:
    """A sentence on missing entries of known columns; empty where there are none."""
    names = counted.roles.known_names
    holed = [name for name in names if None in counted.labels_of(name)]
    if not holed:
        return ""
    return (
        f" A missing entry of {list_in_words(holed)} counts as a value of its own; "
        f'--merge "{holed[0]}:=LABEL" gives it the label of others.'
    )
