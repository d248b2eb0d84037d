"""The rows of a table, split at random: categories, several columns, and known columns.

Beliefs of all families are fitted again to one half. The other half judges by its frequencies,
stratum by stratum, models of thin tables included. A combination that the fitted half does not have
goes through the public row for unseen ones; where a law has none, a release would refuse it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import (
    Label,
    Place,
    key_of,
    label_key,
    natural_order,
    parts_of,
    places_of,
)
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import Belief, Scenario, Secret
from pufferfish.calibration.recode_categories import changes_to
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.exact import verify
from pufferfish.exact.stratified import split_strata
from pufferfish.fit.layout import count_table
from pufferfish.fit.models import MODELS
from pufferfish.fit.verbs import fit_counts
from pufferfish.insight.other_rows import as_met, counts_of_rows
from pufferfish.insight.set_apart import Split, Toss, who_stays
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.tables import Counts
from pufferfish.tables.verbs import to_read

__all__ = ["TableApart", "judge_table"]

# Adversaries differ by what they know, their secrets, and what they fit.
_Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableApart:
    """The rows of a table, and the adversaries who see a half.

    Attributes:
        scenario: What must look alike, to whom.
        counts: All rows, also of secrets in no pair.
        stay: The beliefs that are not about these rows.
    """

    scenario: Scenario
    counts: Counts
    stay: frozenset[str]

    @classmethod
    def of(cls, scenario: Scenario, counts: Any) -> TableApart:
        """The halves of these rows, or of those from which empirical beliefs were counted.

        Args:
            scenario: Beliefs about categories, or about rows of which columns are known.
            counts: The table, counted or not; None: the counts in the beliefs.
        """
        if counts is None:
            return cls(scenario, _counted(scenario), frozenset())
        require(
            not (isinstance(counts, Counts) and counts.of_column),
            "these beliefs are about categories, several columns or known ones, but these counts "
            "are about one column of numbers: give the table itself (counts=frame).",
        )
        if not isinstance(counts, Counts):
            counts = _count_as_believed(scenario, counts)
        return cls(scenario, counts, who_stays(scenario))

    def drawn(self, toss: Toss) -> tuple[Scenario, Counts]:
        """Beliefs that were fitted to one half, and the rows of the other."""
        heads = toss(self.counts.counts)
        other = self.counts.resampled(self.counts.counts - heads)
        fitted = replace(self.counts.resampled(heads), unseen=other)
        again = [each for each in self.scenario.beliefs if each.name not in self.stay]
        found = {
            each.name: replace(one, region=each.region)
            for each, one in zip(again, _refitted(again, fitted), strict=True)
        }
        beliefs = [found.get(each.name, each) for each in self.scenario.beliefs]
        return Scenario(beliefs, self.scenario.pairs), other

    def judged(self, calibration: Calibration, goal: Guarantee, other: Counts) -> Split:
        """What was found, under the frequencies of rows that it did not see: the worst stratum."""
        return judge_table(calibration, goal, other)


def judge_table(calibration: Calibration, goal: Guarantee, other: Counts) -> Split:
    """What was found, under the frequencies of rows that it did not see: the worst stratum."""
    law, scenario = calibration.mechanism, calibration.scenario
    judges = {_key(each, "empirical"): each for each in scenario.beliefs}
    seen = Scenario(_refitted(judges.values(), other, "empirical"), scenario.pairs)
    strata = split_strata(seen, law) if isinstance(law, Stratified) else [(seen, law)]
    found = [_judge(part, one, goal) for part, one in strata]
    rows = [size for size, _ in found]
    splits = [each for _, each in found]
    shares = [each.unchanged for each in splits if each.unchanged is not None]
    squares = [each.rmse**2 for each in splits]
    return Split(
        epsilon=max(each.epsilon for each in splits),
        delta=max(each.delta for each in splits),
        rmse=math.sqrt(float(np.average(squares, weights=rows))),
        holds=all(each.holds for each in splits),
        unchanged=float(np.average(shares, weights=rows)) if shares else None,
    )


def _judge(scenario: Scenario, law: Law, goal: Guarantee) -> tuple[int, Split]:
    """How many rows a stratum has, and what its law becomes under their frequencies."""
    if isinstance(law, Recoding) and law.labelled:
        return _judge_categories(scenario, law, goal)
    widest = min(scenario.beliefs, key=lambda each: len(each.given))
    met, _ = as_met(scenario, law)
    certificate = verify(met, law, goal)
    table = widest.frequencies
    often: dict[Any, float] = {}
    if isinstance(table, Discrete):
        often = dict(zip(table.values.tolist(), counts_of_rows(table).tolist(), strict=True))
        if isinstance(law, Recoding) and law.listed:
            often = {value: count for value, count in often.items() if value in law.values}
    return _rows_of(widest), Split(
        epsilon=certificate.epsilon_upper,
        delta=certificate.delta_upper,
        rmse=law.error(often or None),
        holds=certificate.holds is True,
    )


def _judge_categories(scenario: Scenario, law: Recoding, goal: Guarantee) -> tuple[int, Split]:
    rows = _rows_of(min(scenario.beliefs, key=lambda each: len(each.given)))
    met, own = as_met(scenario, law)
    certificate = verify(met, own, goal)
    unchanged, error = changes_to(met, cast("Recoding", own))
    return rows, Split(
        epsilon=certificate.epsilon_upper,
        delta=certificate.delta_upper,
        rmse=error,
        holds=certificate.holds is True,
        unchanged=unchanged,
    )


def _refitted(
    beliefs: Iterable[Belief], counted: Counts, family: str | None = None
) -> list[Belief]:
    """The same adversaries, as if they had seen these rows; of one family, if it is given."""
    wanted = [(each, family or _family(each)) for each in beliefs]
    fits: dict[str, dict[_Key, Belief]] = {}
    found = []
    for belief, own in wanted:
        if own not in fits:
            # The family of a belief does not depend on how many components were chosen.
            fitted = fit_counts(counted, (own,), min_group=1, cap=belief.cap)
            fits[own] = {_key(each, own): each for each in fitted}
        made = fits[own].get(_key(belief, own))
        if made is None:
            raise DataError(
                f"belief {belief.name!r} cannot be fitted to half of the rows: they have no row "
                "of some secret, or of some known value. Merge small groups (--merge)."
            )
        found.append(
            replace(
                made,
                name=belief.name,
                provenance=belief.provenance,
                fitted_on=belief.fitted_on,
                fitted_at=belief.fitted_at,
                columns=belief.columns,
                rules=belief.rules,
            )
        )
    return found


def _key(belief: Belief, family: str) -> _Key:
    given = frozenset((name, label_key(label)) for name, label in belief.given.items())
    return given, frozenset(map(label_key, belief.priors)), family


def _family(belief: Belief) -> str:
    """The family of a belief: by its counts, or else by its name."""
    if all(_has_counts(each) for each in belief.priors.values()):
        return "empirical"
    said = belief.name.partition(",")[0].partition(" about ")[0]
    if belief.labelled and said not in MODELS:
        raise InvalidInputError(
            f"it is not known how belief {belief.name!r} was fitted, so it cannot be fitted again "
            "to half of the rows: use beliefs as fit_beliefs makes and names them."
        )
    return said


def _has_counts(law: object) -> bool:
    return isinstance(law, Categorical | Discrete) and law.counts is not None


def _rows_of(belief: Belief) -> int:
    table = belief.frequencies
    counted = counts_of_rows(table) if isinstance(table, Categorical | Discrete) else np.ones(1)
    return int(counted.sum()) + belief.frequencies_missing


def _count_as_believed(scenario: Scenario, data: Any) -> Counts:
    """The rows of a table, read as the beliefs were."""
    first = scenario.beliefs[0]
    names = first.columns or tuple(first.rules)[:1]
    known = tuple(dict.fromkeys(name for each in scenario.beliefs for name in each.given))
    secrets = [name for name in first.rules if name not in (*names, *known)]
    require(
        bool(names and secrets) and all(each in first.rules for each in (*names, *known)),
        "the beliefs do not say to which columns of a table they were fitted: use beliefs as "
        "fit_beliefs makes them.",
    )
    engine = to_read(data)
    only = tuple(sorted(scenario.secrets, key=str))
    crosstab: Counts | None = None
    for jointly, missing in product((False, True), repeat=2):
        layout = Layout(
            columns=tuple(first.rules[name] for name in names),
            secrets=tuple(first.rules[name] for name in secrets),
            known=tuple(first.rules[name] for name in known),
            jointly=jointly,
            missing_secret=missing,
        )
        crosstab = crosstab or count_table(engine, layout)
        counted = replace(crosstab, layout=layout, wanted=only)
        if {*only} <= counted.secrets.keys():
            return counted
    raise DataError("the table has no row of some secret that the beliefs are about.")


def _counted(scenario: Scenario) -> Counts:
    """The rows from which the empirical beliefs of those who know most were counted."""
    names = max((tuple(each.given) for each in scenario.beliefs), key=len)
    finest: dict[Any, Belief] = {}
    for belief in scenario.beliefs:
        if {*belief.given} == {*names} and all(map(_has_counts, belief.priors.values())):
            finest.setdefault(key_of(tuple(belief.given[name] for name in names)), belief)
    one = {frozenset(each.priors) for each in scenario.beliefs}
    if not finest or len(one) > 1:
        raise InvalidInputError(
            "no belief of the scenario knows how many rows there are, or several secrets are "
            "protected, each with beliefs of its own: give the table (counts=frame)."
        )
    rows = [
        ((*labels, *(belief.given[name] for name in names)), count)
        for belief in finest.values()
        for labels, count in _cells(belief)
    ]
    first = next(iter(finest.values()))
    layout = _layout(first, len(rows[0][0]) - len(names) - 1, names)
    counted = _crosstab(layout, rows, tuple(sorted(first.priors, key=str)))
    for belief in scenario.beliefs:
        if not belief.given and _has_counts(belief.frequencies):
            require(
                _rows_of(belief) == counted.rows,
                "the beliefs of those who know columns are not about all rows that the others "
                "know of: give the table (counts=frame).",
            )
    return counted


def _cells(belief: Belief) -> Iterator[tuple[tuple[Label, ...], int]]:
    """Labels with a secret, and how often they occur; None for secrets that are not described."""
    mine: Counter[Place] = Counter()
    for secret, law in belief.priors.items():
        for labels, count in _labelled(law, belief.missing_counts.get(secret, 0)):
            mine[key_of(labels)] += count
            yield (*labels, secret), count
    if not _has_counts(belief.frequencies):
        return
    for labels, count in _labelled(belief.frequencies, belief.frequencies_missing):
        rest = count - mine[key_of(labels)]
        require(rest >= 0, f"belief {belief.name!r} has more rows than its table.")
        if rest:
            yield (*labels, None), rest


def _labelled(law: object, missing: int) -> Iterator[tuple[tuple[Label, ...], int]]:
    if isinstance(law, Categorical | Discrete):
        for labels, count in zip(list(law.values), counts_of_rows(law).tolist(), strict=True):
            yield parts_of(labels if isinstance(law, Categorical) else float(labels)), count
    if missing:
        yield (None,), missing


def _layout(belief: Belief, width: int, known: tuple[str, ...]) -> Layout:
    """Names for columns without one; how entries were read no longer matters."""
    read: Any = "label" if belief.labelled else "number"
    names = belief.columns or tuple(f"column {part + 1}" for part in range(width))
    return Layout(
        columns=tuple(Rule(column=name, read=read) for name in names),
        secrets=(Rule(column="'".join(("", *names, *known)), read="label"),),
        known=tuple(Rule(column=name, read="label") for name in known),
    )


def _crosstab(
    layout: Layout, rows: Sequence[tuple[tuple[Label, ...], int]], wanted: tuple[Secret, ...]
) -> Counts:
    columns = tuple(each.column for each in layout.rules)
    labels = tuple(map(natural_order, zip(*(row for row, _ in rows), strict=True)))
    index = [places_of(each) for each in labels]
    codes = [[own[key_of(label)] for own, label in zip(index, row, strict=True)] for row, _ in rows]
    return Counts(
        columns=columns,
        labels=labels,
        codes=np.array(codes, dtype=np.int64),
        counts=np.array([count for _, count in rows], dtype=np.int64),
        layout=layout,
        wanted=wanted,
    ).marginal(columns)
