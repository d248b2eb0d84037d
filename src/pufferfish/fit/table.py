"""Beliefs about a table, from counts: the laws of published columns given known ones.

Somebody who knows other columns of a row believes the laws of the rows with these values. A promise
against those who know all known columns implies none against those who know only some of them, or
none. So there is one adversary of each family for every set of known columns and each combination
of their values that occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations

import numpy as np

from pufferfish.beliefs.known import Given, given_in_words
from pufferfish.beliefs.labels import Label, Labels, label_key
from pufferfish.beliefs.layout import Layout, View
from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.scenario import OTHER_ROWS, PUBLIC, RELEASED, Belief
from pufferfish.core.validation import FloatArray, require
from pufferfish.fit.enough import refuse_few, refuse_half_known, refuse_many
from pufferfish.fit.models import MODELS, fit_model
from pufferfish.tables.crosstab import Crosstab
from pufferfish.tables.summary import Group, IntArray, Summary
from pufferfish.words.phrases import list_in_words

__all__ = ["Stratum", "TableCounts", "empirical_belief", "fit_table", "name_of"]
__all__ += ["numbers_of", "numeric_strata", "refuse_small", "strata_given", "summary_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableCounts:
    """A table as counts, and the roles of its columns.

    Private, unless the table is public.

    Attributes:
        crosstab: How often each combination of the labels of all these columns occurs.
        layout: The roles of the columns.
        only: The secrets that are in some pair; None: all.
        unseen: Rows of the table that were set apart and are not in these counts. Only the values
            that a column of numbers has in them are used; publication makes these public.
    """

    crosstab: Crosstab
    layout: Layout
    only: tuple[Secret, ...] | None = None
    unseen: Crosstab | None = None

    @property
    def rows(self) -> int:
        """The number of rows that were counted."""
        return self.crosstab.rows

    @property
    def secrets(self) -> dict[Secret, int]:
        """How often each secret occurs, over all views; rows without a secret are left out."""
        return dict(_secret_counts(self.crosstab, self.layout))

    def __repr__(self) -> str:
        """Names the columns; the counts may be private."""
        return f"TableCounts({self.crosstab!r})"


@dataclass(frozen=True, slots=True, eq=False)
class Stratum:
    """The rows that have some known values.

    Attributes:
        given: These values, by column.
        view: The secret that is considered.
        crosstab: How often each combination of published values and all secrets occurs.
        groups: For each secret, how often each combination of published values occurs.
    """

    given: Given
    view: View
    crosstab: Crosstab
    groups: Mapping[Secret, Crosstab]


def fit_table(
    counted: TableCounts, families: Sequence[str], *, min_group: int, provenance: str = RELEASED
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
    fingerprint = counted.crosstab.fingerprint
    return tuple(
        _belief(counted, stratum, family, provenance, fingerprint)
        for stratum in _strata(counted, min_group)
        for family in families
    )


def numeric_strata(counted: TableCounts, min_group: int) -> Iterator[tuple[Given, View, Summary]]:
    """The counts of one column of numbers by secret, for each set of known values."""
    for stratum in _strata(counted, min_group):
        yield stratum.given, stratum.view, summary_of(counted, stratum)


def summary_of(counted: TableCounts, stratum: Stratum) -> Summary:
    """The counts of one column of numbers in a stratum, by secret."""
    layout = counted.layout
    column, secret = layout.columns[0].column, ", ".join(layout.secret_names)
    groups = {label: numbers_of(table) for label, table in stratum.groups.items()}
    whole = Summary(column, secret, {"": numbers_of(stratum.crosstab.marginal([column]))})
    unseen = _unseen(counted, stratum.given)
    return Summary(column, secret, groups, whole=whole, unseen=unseen)


def strata_given(counted: TableCounts, known: Sequence[str]) -> Iterator[Stratum]:
    """The strata of somebody who knows exactly these columns.

    Nothing is refused: a stratum may have few rows of a secret, or none.
    """
    for given, table in _slices(counted.crosstab, counted.layout, known):
        for view in counted.layout.views:
            yield Stratum(given, view, table, _groups(counted, view, table))


def empirical_belief(counted: TableCounts, stratum: Stratum, provenance: str) -> Belief:
    """The belief of somebody who has counted the categories in the rows of a stratum."""
    return _belief(counted, stratum, "empirical", provenance, "")


def _unseen(counted: TableCounts, given: Given) -> FloatArray | None:
    """The numbers in the rows that were set apart and have these known values."""
    if counted.unseen is None:
        return None
    names = [*counted.layout.column_names, *given]
    cells = counted.unseen.marginal(names).cells
    wanted = [label_key(label) for label in given.values()]
    found = {
        float(number)
        for number, *known in cells
        if number is not None and list(map(label_key, known)) == wanted
    }
    return np.array(sorted(found))


def refuse_small(counted: TableCounts, min_group: int) -> None:
    """Refuse a table with too few rows of a secret, among those with some known values.

    Raises:
        DataError: There are too few; the message says what would help, but not which secret.
    """
    _strata(counted, min_group)


def name_of(family: str, given: Given, view: View) -> str:
    """The name of an adversary: the family, the secret that it is about, and what is known."""
    about = f" about {view.name}" if view.name else ""
    known = f", {known}" if (known := given_in_words(given)) else ""
    return f"{family}{about}{known}"


def _strata(counted: TableCounts, min_group: int) -> list[Stratum]:
    """The stratum of each combination of known values, checked to have enough rows of each secret.

    Each of several secrets that is protected by itself has adversaries of its own: with the laws of
    all secrets in one belief, a race and a sex would make a pair.
    """
    layout = counted.layout
    refuse_half_known(counted)
    refuse_many(counted, min_group)
    names = layout.known_names
    found = [
        stratum
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
        for stratum in strata_given(counted, chosen)
    ]
    for view in layout.views:
        refuse_few(counted, view, [each for each in found if each.view == view], min_group)
    return found


def _slices(
    crosstab: Crosstab, layout: Layout, chosen: Sequence[str]
) -> Iterator[tuple[Given, Crosstab]]:
    """The rows by the values of some known columns."""
    part = crosstab.marginal([*layout.column_names, *layout.secret_names, *chosen])
    if not chosen:
        yield {}, part
        return
    for labels, rows in part.parts(chosen):
        yield dict(zip(chosen, labels, strict=True)), rows


def _groups(counted: TableCounts, view: View, table: Crosstab) -> dict[Secret, Crosstab]:
    """The counts of published values, by secret."""
    layout = counted.layout
    mine = table.marginal([*layout.column_names, *view.columns])
    # Labels of secret columns outside the view do not matter.
    every: list[Label] = [None] * len(layout.secrets)
    found: dict[Secret, Crosstab] = {}
    named: set[Secret] = set()
    for labels in mine.marginal(view.columns).cells:
        for place, label in zip(view.places, labels, strict=True):
            every[place] = label
        secret = view.secret_of(every, missing=layout.missing_secret)
        if secret is None:
            continue
        require(
            secret not in named,
            f"two values of {list_in_words(view.columns)} would have the same name as secrets, "
            "such as 1 and True, 0.5 and the text '0.5', or a missing one and the text "
            "'(missing)': rename one of them (--merge).",
        )
        named.add(secret)
        if counted.only is None or secret in counted.only:
            found[secret] = mine.given(dict(zip(view.columns, labels, strict=True)))
    return dict(sorted(found.items(), key=lambda each: str(each[0])))


def _belief(
    counted: TableCounts, stratum: Stratum, family: str, provenance: str, fingerprint: str
) -> Belief:
    layout = counted.layout
    columns = layout.column_names
    whole = stratum.crosstab.marginal(columns)
    if provenance == RELEASED and counted.unseen is not None:
        provenance = OTHER_ROWS
    here = provenance in (RELEASED, OTHER_ROWS)
    domain = _tuples(whole)
    priors = {
        secret: _law(family, domain, whole, table) for secret, table in stratum.groups.items()
    }
    # A public belief must not reveal more of the table than its laws do.
    public = provenance == PUBLIC and (counted.only is not None or family != "empirical")
    return Belief(
        priors,
        name=name_of(family, stratum.given, stratum.view),
        provenance=provenance,
        fitted_on=fingerprint if here else None,
        fitted_at=datetime.now(UTC).isoformat(timespec="seconds") if here else None,
        frequencies=None if public else Categorical(domain, counts=whole.counts),
        columns=columns,
        given=stratum.given,
        rules=layout.rules,
    )


def _law(family: str, domain: Sequence[Labels], whole: Crosstab, table: Crosstab) -> Categorical:
    counts = _counts_in(whole, table)
    if family == "empirical":
        return Categorical(domain, counts=counts)
    return Categorical(domain, fit_model(family, whole.codes, counts))


def _counts_in(whole: Crosstab, table: Crosstab) -> IntArray:
    """How often each combination of a table occurs in a part of it."""
    found = np.zeros(whole.counts.size, dtype=np.int64)
    places = {tuple(codes): place for place, codes in enumerate(whole.codes.tolist())}
    index = [
        {label_key(label): code for code, label in enumerate(labels)} for labels in whole.labels
    ]
    own = [
        [index[part][label_key(label)] for label in labels]
        for part, labels in enumerate(table.labels)
    ]
    for codes, count in zip(table.codes.tolist(), table.counts.tolist(), strict=True):
        found[places[tuple(own[part][code] for part, code in enumerate(codes))]] = count
    return found


def _tuples(table: Crosstab) -> list[Labels]:
    """The combinations that occur; for one column, its labels."""
    rows = table.cells
    return [row[0] for row in rows] if len(table.columns) == 1 else list(rows)


def numbers_of(table: Crosstab) -> Group:
    """The values, counts and number of missing values of one column of numbers."""
    labels: tuple[Label, ...] = table.labels[0]
    hole = np.array([label is None for label in labels])[table.codes[:, 0]]
    values = np.array([np.nan if each is None else float(each) for each in labels])
    there = table.codes[~hole, 0]
    return Group(values[there], table.counts[~hole], int(table.counts[hole].sum()))


def _secret_counts(crosstab: Crosstab, layout: Layout) -> Iterator[tuple[Secret, int]]:
    found = crosstab.marginal(layout.secret_names)
    counts: dict[Secret, int] = {}
    for labels, count in zip(found.cells, found.counts.tolist(), strict=True):
        for view in layout.views:
            secret = view.secret_of(labels, missing=layout.missing_secret)
            if secret is not None:
                counts[secret] = counts.get(secret, 0) + count
    return iter(sorted(counts.items(), key=lambda each: str(each[0])))
