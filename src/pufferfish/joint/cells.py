"""What a plan says about combinations of labels: which law covers them, and what is refused.

A batch of rows, a partition of a cluster and a whole table have few different combinations of the
labels that a plan reads. Everything is decided for these, in the same way everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.scenario import Belief, Secret
from pufferfish.core.errors import DataError
from pufferfish.joint.book import Listed
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.plan import TablePlan
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.tables.batch import Coded, IntArray
from pufferfish.tables.combined import SomeCells, rows_by_cell
from pufferfish.words.phrases import list_in_words

__all__ = ["CellRules", "Judged"]

Chosen = npt.NDArray[np.bool_]


class Judged(NamedTuple):
    """What holds for each of some combinations.

    Attributes:
        strata: Which law is applied.
        places: The place in the domain of a recoding; negative: it is not described. 0 for numbers.
        missing: Whether an entry of a protected column is missing.
        unprotected: Whether none of its secrets is in a pair.
        problems: What is refused: which combinations, the column, and why.
        secrets: For each secret that is protected, the secret of each combination.
    """

    strata: IntArray
    places: IntArray
    missing: Chosen
    unprotected: Chosen
    problems: tuple[tuple[Chosen, str, str], ...]
    secrets: tuple[Coded, ...]

    def refuse(self, where: IntArray, before: int | None) -> None:
        """Refuse rows with a combination that the plan does not allow for.

        Args:
            where: The combination of each row.
            before: How many rows come before them; None: unknown.
        """
        for bad, column, problem in self.problems:
            if bad.any():
                row = int(np.flatnonzero(bad[where])[0]) + 1
                place = "a row" if before is None else f"row {before + row}"
                raise DataError(f"column {column!r}, {place}: {problem}.")

    def counted(self, counts: IntArray, *, drops: bool) -> TableRowCounts:
        """The counts of all rows that have these combinations.

        Args:
            counts: How often each occurs.
            drops: Whether rows without a value are left out.
        """
        stays = np.where(self.missing, 0, counts) if drops else counts
        return TableRowCounts(
            rows=int(counts.sum()),
            missing=int(counts[self.missing].sum()),
            published=int(stays.sum()),
            unprotected=int(stays[self.unprotected].sum()),
            unseen=int(counts[self.places < 0].sum()),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellRules:
    """What a plan says about combinations; they have the columns of its layout, in this order.

    Attributes:
        layout: What the columns are for.
        strata: Known columns that decide which law is applied, and their values; None: one law.
        described: The known columns, and their values that some adversary knows; None: there are
            none.
        domains: For each stratum the domain of its recoding; none for numbers.
        open: For each stratum, whether its recoding takes what is not described.
        secrets: The secrets that may occur.
        protected: Those that occur in a pair.
        complete: For each stratum the secrets for which beliefs say that no number is missing.
        holes: Whether a category may be missing.
    """

    layout: Layout
    strata: tuple[tuple[str, ...], Listed] | None
    described: tuple[tuple[str, ...], Listed] | None
    domains: tuple[Listed, ...]
    open: tuple[bool, ...]
    secrets: frozenset[Secret]
    protected: frozenset[Secret]
    complete: tuple[frozenset[Secret], ...]
    holes: bool

    @classmethod
    def of(cls, plan: TablePlan, domains: tuple[Listed, ...]) -> Self:
        """The rules of a plan; the domains are those of its recodings."""
        law = plan.calibration.mechanism
        laws = tuple(law) if isinstance(law, Stratified) else (law,)
        strata = None
        if isinstance(law, Stratified):
            strata = law.columns, Listed.of([each.given for each in law.strata])
        parts = plan.calibration.parts or (plan.calibration,)
        return cls(
            layout=plan.layout,
            strata=strata,
            described=_described(plan),
            domains=domains,
            open=tuple(isinstance(each, Recoding) and each.unseen is not None for each in laws),
            secrets=plan.secrets,
            protected=plan.protected,
            complete=tuple(
                _complete(part.scenario.beliefs)
                if plan.numeric and plan.missing == "keep"
                else frozenset()
                for part in parts
            ),
            # Numbers that are missing are refused with the other numbers that cannot be noised.
            holes=plan.numeric or plan.missing != "refuse",
        )

    def judge(self, cells: SomeCells) -> Judged:
        """What holds for each of some combinations."""
        columns = dict(zip((each.column for each in self.layout.rules), cells.columns, strict=True))
        published = [columns[name] for name in self.layout.column_names]
        missing = np.logical_or.reduce([each.missing for each in published])
        secrets = self.secrets_of(columns)
        protected = [
            np.array([*(each in self.protected for each in own.labels), False])[own.codes]
            for own in secrets
        ]
        unprotected = ~np.logical_or.reduce(protected)
        strata = np.zeros(missing.size, dtype=np.int64)
        problems = [*self._unknown(secrets)]
        for known in (self.described, self.strata):
            if known is not None:
                names, listed = known
                found = listed.place([columns[name] for name in names])
                problems.append((found < 0, names[0], _undescribed_known(names)))
                strata = found if known is self.strata else strata
        if not self.holes:
            names = self.layout.column_names
            problems += [
                (each.missing, name, _REFUSED) for name, each in zip(names, published, strict=True)
            ]
        places = self._places(published, strata)
        closed = np.array([not each for each in self.open])[strata]
        name = self.layout.column_names[0]
        problems.append(((places < 0) & closed, name, self._undescribed))
        problems.append((missing & self._complete(secrets, strata), name, _NEVER_MISSING))
        return Judged(strata, places, missing, unprotected, tuple(problems), secrets)

    def unseen_share(self, cells: SomeCells) -> Fraction:
        """The largest share of undescribed combinations that a group of rows has.

        A promise for laws that may be wrong by η is about each law separately: the law for one
        secret, given all known columns. If each of these has at most η of undescribed mass, so has
        each mixture of them, which is the belief of somebody who knows less. A small share of all
        rows may be a large share of a small group.
        """
        judged = self.judge(cells)
        undescribed = judged.places < 0
        columns = dict(zip((each.column for each in self.layout.rules), cells.columns, strict=True))
        known = [columns[name] for name in self.layout.known_names]
        worst = Fraction(0)
        for own in judged.secrets:
            secret = np.array([*(each in self.protected for each in own.labels), False])
            some = np.flatnonzero(secret[own.codes])
            if some.size == 0:
                continue
            _, group = rows_by_cell([each.taken(some) for each in (own, *known)])
            rows = np.bincount(group, cells.counts[some]).astype(np.int64)
            unseen = np.bincount(group, (cells.counts * undescribed)[some]).astype(np.int64)
            shares = map(Fraction, unseen.tolist(), rows.tolist())
            worst = max(worst, *shares)
        return worst

    def secrets_of(self, columns: Mapping[str, Coded]) -> tuple[Coded, ...]:
        """Each protected secret of each row, from the labels of the secret columns."""
        mine = [columns[name] for name in self.layout.secret_names]
        found = []
        for view in self.layout.views:
            some, which = rows_by_cell([mine[place] for place in view.places])
            labels: list[Any] = [None] * len(mine)
            index: dict[tuple[type, Secret], int] = {}
            codes = []
            for row in zip(*(_labels(each) for each in some.columns), strict=True):
                for place, label in zip(view.places, row, strict=True):
                    labels[place] = label
                secret = view.secret_of(labels, missing=self.layout.missing_secret)
                codes.append(
                    -1 if secret is None else index.setdefault((type(secret), secret), len(index))
                )
            own = np.array(codes, dtype=np.int64)[which]
            found.append(Coded(own, tuple(secret for _, secret in index)))
        return tuple(found)

    def _unknown(self, secrets: Sequence[Coded]) -> list[tuple[Chosen, str, str]]:
        problem = (
            "this secret is not in the plan, which promises nothing for it. Make a plan from a "
            "table that has it, in a column of the same type (text and numbers are different)"
        )
        return [
            (
                np.array([*(each not in self.secrets for each in own.labels), False])[own.codes],
                view.columns[0],
                problem,
            )
            for view, own in zip(self.layout.views, secrets, strict=True)
        ]

    def _places(self, published: Sequence[Coded], strata: IntArray) -> IntArray:
        places = np.zeros(strata.size, dtype=np.int64)
        for number, domain in enumerate(self.domains):
            own = np.flatnonzero(strata == number)
            places[own] = domain.place([each.taken(own) for each in published])
        return places

    def _complete(self, secrets: Sequence[Coded], strata: IntArray) -> Chosen:
        found = np.zeros(strata.size, dtype=bool)
        for number, complete in enumerate(self.complete):
            for own in secrets if complete else ():
                has = np.array([*(each in complete for each in own.labels), False])[own.codes]
                found |= has & (strata == number)
        return found

    @property
    def _undescribed(self) -> str:
        names = self.layout.column_names
        what = "category" if len(names) == 1 else f"combination of {list_in_words(names)}"
        return (
            f"no belief describes this {what}. Fit the beliefs to a table that has it, or say that "
            "laws may be wrong (wrong=0.05, --wrong 5%), which covers a few such rows"
        )


_REFUSED = (
    'the value is missing, and the plan refuses that. missing="keep" (--missing keep) makes a '
    "missing entry one more category"
)
_NEVER_MISSING = (
    "the value is missing, which the beliefs say cannot happen. Fit them to a table with such holes"
)


def _undescribed_known(names: Sequence[str]) -> str:
    return (
        f"nothing is promised for these values of {list_in_words(names)}, because no described "
        "adversary knows them. Make a plan from a table that has them, or merge rare values by a "
        "public rule"
    )


def _described(plan: TablePlan) -> tuple[tuple[str, ...], Listed] | None:
    """All that somebody who knows every known column may know; None: nothing is known."""
    if not plan.known:
        return None
    values = {
        key_of(given): given
        for each in plan.scenario.beliefs
        if {*each.given} == {*plan.known}
        for given in [tuple(each.given[name] for name in plan.known)]
    }
    return plan.known, Listed.of(list(values.values()))


def _complete(beliefs: Sequence[Belief]) -> frozenset[Secret]:
    """The secrets for which some belief says that no value is missing."""
    return frozenset(
        secret for belief in beliefs for secret in belief.priors if not belief.missing[secret]
    )


def _labels(column: Coded) -> list[Any]:
    return [column.labels[code] if code >= 0 else None for code in column.codes.tolist()]
