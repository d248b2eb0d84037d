"""What standard learners find in a published table: all of its columns together, before and after.

This is for those who hold the data. Learners see every published column: those that were drawn,
known ones as published, and unprotected ones; where some columns are known but not published,
learners are also tried with these. They are compared with

- what the known columns reveal by themselves, ½·Σ_z max(a, b) with a = P(z|s), b = P(z|t) from the
  counts of the rows, and
- what the promise leaves to somebody who knows them (docs/theory/known-columns.md),

      ½·Σ_z max{a + bδ, b + aδ, (a + b)(e^ε + δ)/(1 + e^ε)},

which no rule exceeds, whatever it is, if the promise is kept for the laws of these rows. A learner
that exceeds it by five standard errors does not do so by chance. Unprotected columns are not part
of z, so with them there is no limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pufferfish.audits.scores import (
    INTERVALS,
    Learned,
    beyond,
    chosen_rows,
    classes_of,
    learn,
    learned_in_words,
    limit_in_words,
    limit_to_dict,
    number_features,
    refuse_shuffled,
    told_apart,
)
from pufferfish.beliefs.known import Given, given_in_words
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.insight.guesses import Success, success_knowing
from pufferfish.joint.counts import TableRowCounts
from pufferfish.joint.origin import are_fitted_to, refuse_unseen
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.rows import TableRules
from pufferfish.kinds.recount import known_shares
from pufferfish.learning.features import column_numbers
from pufferfish.learning.matrix import labels_matrix, matrix
from pufferfish.tables import Counting, Tally
from pufferfish.tables.batch import Batch, Coded, IntArray, Numbers, join_columns
from pufferfish.tables.local.cells import cells_at
from pufferfish.tables.local.counting import every_row, row_count
from pufferfish.words.phrases import list_in_words

__all__ = ["TableAudit", "Tried", "audit_table"]

Column = Numbers | Coded


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What learners achieve that see the published table, and perhaps more.

    Attributes:
        known: Known columns that they see, published or not.
        learned: One entry for each learner.
        alone: What these columns reveal by themselves.
        allowed: What the promise leaves to somebody who knows them.
    """

    known: tuple[str, ...]
    learned: tuple[Learned, ...]
    alone: Success
    allowed: Success


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAudit:
    """What learners achieve on the rows of a table; internal.

    Attributes:
        pair: The two secrets.
        given: What the adversary for whom this pair decides knows.
        rows: How many rows were used.
        aligned: Whether the released rows themselves were used; otherwise a fresh draw.
        columns: The columns under the promise.
        kept: Known columns that are published.
        unprotected: Columns that are published but not covered by the promise.
        tried: The learners that see the published table; then, if there are such columns, those
            that also see known columns that are not published.
        fitted: Whether the beliefs were fitted to these rows; None where that is not known.
        drawn: What is drawn afresh, in words.
    """

    pair: SecretPair
    given: Given
    rows: int
    aligned: bool
    columns: tuple[str, ...]
    kept: tuple[str, ...]
    unprotected: tuple[str, ...]
    tried: tuple[Tried, ...]
    fitted: bool | None
    drawn: str

    @property
    def beyond(self) -> bool:
        """Whether a learner does better than the promise allows anybody, beyond chance.

        False where a column is unprotected: nothing is promised against those who see it.
        """
        return not self.unprotected and any(
            beyond(each.learned, each.allowed) for each in self.tried
        )

    def __str__(self) -> str:
        source = "the released rows" if self.aligned else f"a fresh draw {self.drawn}"
        seen = list_in_words([*self.columns, *self.kept, *self.unprotected])
        decides = f" (the pair that decides, for somebody who knows {given_in_words(self.given)})"
        lines = [
            f"{told_apart(self.pair)}{decides if self.given else ''} from {seen}"
            f"{' together' if ' and ' in seen else ''}, {self.rows:,} rows, {source} {INTERVALS}:"
        ]
        for each in self.tried:
            hidden = [name for name in each.known if name not in self.kept]
            if hidden:
                lines.append(f"Also with {list_in_words(hidden)}, known but not published:")
            lines += learned_in_words(each.learned)
            lines += self._limits(each)
        if self.unprotected:
            are = "is" if len(self.unprotected) == 1 else "are"
            lines.append(
                f"The learners see {list_in_words(self.unprotected)} as well, which {are} "
                "published without protection: the promise is no limit for them."
            )
        if self.fitted is False:
            lines.append("The beliefs of the plan were not fitted to these rows.")
        if self.beyond:
            lines.append(
                "BEYOND THE LIMIT: a learner does better than anybody could if the promise were "
                "kept for these rows. Either the beliefs know less than these data: fit them to "
                "this table. Or rows were not drawn by the recoding of the plan: do not publish "
                "them."
            )
        return "\n".join(lines)

    def _limits(self, tried: Tried) -> list[str]:
        known = list_in_words(tried.known) if tried.known else ""
        if not known:
            return [f"- the promise allows {limit_in_words(tried.allowed)}"]
        alone = "by itself" if len(tried.known) == 1 else "by themselves"
        return [
            f"- {known} {alone}: {limit_in_words(tried.alone)}",
            f"- the promise allows somebody who knows {known} {limit_in_words(tried.allowed)}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        tried = [
            {
                "known": list(each.known),
                "learned": [asdict(learned) for learned in each.learned],
                "alone": limit_to_dict(each.alone),
            }
            # There is no limit for learners that also see unprotected columns.
            | ({} if self.unprotected else {"allowed": limit_to_dict(each.allowed)})
            for each in self.tried
        ]
        return {
            "pair": list(self.pair),
            "given": dict(self.given),
            "rows": self.rows,
            "aligned": self.aligned,
            "columns": list(self.columns),
            "kept": list(self.kept),
            "unprotected": list(self.unprotected),
            "tried": tried,
            "fitted": self.fitted,
            "beyond": self.beyond,
        }


def audit_table(
    original: Any, plan: TablePlan, released: Any = None, *, seed: int = 0, na: Sequence[str] = ()
) -> TableAudit:
    """How well standard learners tell the deciding pair apart; the arguments are `audit_data`'s.

    Rows with another secret than those of the pair, or with none, are left out: the limit is about
    two secrets. Learners see a missing entry of a column, like any other entry.
    """
    if hasattr(original, "sparkSession"):
        raise UnsupportedError(
            "learners work on this machine: give a file, a frame or arrays, such as a sample of "
            "the rows."
        )
    aligned = released is not None
    if aligned:
        refuse_shuffled(plan.shuffled, "rows are")
    worst = plan.certificate.worst
    given = next(each.given for each in plan.scenario.beliefs if each.name == worst.belief)
    table = _rows(original, plan, worst.pair, na, draw=not aligned)
    of_pair = np.flatnonzero(table.classes >= 0)
    chosen = of_pair[chosen_rows(table.classes[of_pair], seed)]
    target = table.classes[chosen]
    free = _free(original, plan, table.places[chosen], na)
    before = [_features(table.truth[name].taken(chosen), plan.numeric) for name in plan.columns]
    if aligned:
        cells = _released_cells(released, plan, table, original, na)
        after = [_cell_features(cells[name], chosen, plan.numeric) for name in plan.columns]
    else:
        after = [_features(table.drawn[name].taken(chosen), plan.numeric) for name in plan.columns]
    others = matrix(free, target.size)
    goal, tried = plan.promise, []
    for known in dict.fromkeys((plan.keep, plan.known)):
        shown = [_features(table.known[name].taken(chosen), numeric=False) for name in known]
        shares = [(float(a), float(b)) for a, b in table.shares(known, worst.pair)]
        tried.append(
            Tried(
                known=known,
                learned=learn(
                    np.column_stack([*before, *shown, others]),
                    np.column_stack([*after, *shown, others]),
                    target,
                    seed,
                ),
                alone=success_knowing(shares, 0.0),
                allowed=success_knowing(shares, goal.epsilon, goal.delta),
            )
        )
    return TableAudit(
        pair=worst.pair,
        given=given,
        rows=target.size,
        aligned=aligned,
        columns=plan.columns,
        kept=plan.keep,
        unprotected=plan.keep_unprotected,
        tried=tuple(tried),
        fitted=table.fitted,
        drawn="by the same recoding"
        if plan.calibration.recode is not None
        else "of the same noise",
    )


class _Rows(NamedTuple):
    """The rows of a table that are published.

    Attributes:
        classes: 0 and 1 for the secrets of the pair, −1 for others.
        places: Where they are in the table, counted from 0.
        truth: The columns under the promise, by their public rules.
        known: The known columns, by their public rules, as they are published if they are.
        drawn: The result of a fresh draw; empty where none was made.
        fitted: Whether the beliefs were fitted to this table.
    """

    classes: IntArray
    places: IntArray
    truth: Mapping[str, Column]
    known: Mapping[str, Coded]
    drawn: Mapping[str, Column]
    fitted: bool | None

    def shares(self, names: Sequence[str], pair: SecretPair) -> list[tuple[Any, Any]]:
        """How likely each combination of known columns is under each secret of the pair."""
        codes = np.stack([self.classes, *(self.known[name].codes for name in names)], axis=1)
        found: dict[Any, Counter[Any]] = {each: Counter() for each in pair}
        rows, counts = np.unique(codes[self.classes >= 0], axis=0, return_counts=True)
        for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
            found[pair[row[0]]][tuple(row[1:])] += count
        return list(known_shares(found, pair))


def _rows(
    original: Any, plan: TablePlan, pair: SecretPair, na: Sequence[str], *, draw: bool
) -> _Rows:
    """All rows that are published, and a fresh draw of them, by the same rules as a release.

    Raises:
        DataError: The table has no rows, or rows that the plan does not accept.
    """
    rules = TableRules.of(plan)
    tally, counts, before = (
        Tally(Counting(codings=rules.codings, layout=plan.layout)),
        TableRowCounts(),
        0,
    )
    classes, places, truth, known, drawn = [], [], [], [], []
    names = [each.column for each in rules.codings]
    for batch in every_row(original, tally.what, na):
        coded, cells, where, judged = rules.looked_at(batch, before)
        tally.merge(cells)
        counts += judged.counted(cells.counts, drops=rules.drops)
        stays = np.arange(batch.rows)
        if rules.drops:
            stays = np.flatnonzero(~judged.missing[where])
        labels = dict(zip(names, coded, strict=True))
        # The secrets of a pair belong to one view: in all others no row has them.
        mine = np.maximum.reduce([classes_of(each, pair) for each in judged.secrets])
        classes.append(mine[where][stays])
        places.append(stays + before)
        truth.append({name: _true(name, batch, labels, plan, stays) for name in plan.columns})
        known.append({name: labels[name].taken(stays) for name in plan.known})
        if draw:
            drawn.append(rules.change(batch, before).columns)
        before += batch.rows
    if not before:
        raise DataError("the table has no rows.")
    crosstab = tally.result()
    refuse_unseen(counts, rules.cells, crosstab, plan)
    return _Rows(
        np.concatenate(classes),
        np.concatenate(places),
        _joined(truth, plan.columns),
        _joined(known, plan.known),
        _joined(drawn, plan.columns) if draw else {},
        are_fitted_to(plan, crosstab),
    )


def _true(
    name: str, batch: Batch, labels: Mapping[str, Coded], plan: TablePlan, rows: IntArray
) -> Column:
    """A column in the form that the beliefs are about: by its public rule, or within the cap."""
    if not plan.numeric:
        return labels[name].taken(rows)
    values = batch.numbers[name][rows]
    values = values if plan.cap is None else np.clip(values, *plan.cap)
    return Numbers(values, np.isnan(values))


def _joined(parts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    return {name: join_columns([part[name] for part in parts]) for name in names}


def _features(column: Column, numeric: bool) -> FloatArray:
    """What a learner sees of a column: a number, or the code of its label."""
    if isinstance(column, Coded):
        return labels_matrix(column.codes, column.labels)
    values = np.where(column.holes, np.nan, column.values.astype(np.float64))
    if numeric:
        return number_features(values)
    labels, codes = np.unique(values[~column.holes], return_inverse=True)
    every = np.full(values.size, -1, dtype=np.int64)
    every[~column.holes] = codes
    return labels_matrix(every, labels.tolist())


def _cell_features(cells: Sequence[Any], rows: IntArray, numeric: bool) -> FloatArray:
    """The same, for cells that were read from what was published."""
    mine = [cells[row] for row in rows.tolist()]
    numbers = column_numbers(mine)
    if numbers is not None:
        return _features(Numbers(np.nan_to_num(numbers), np.isnan(numbers)), numeric)
    require(not numeric, "the released column does not hold numbers; give the published file.")
    codes, labels = _coded(mine)
    return labels_matrix(codes, labels)


def _coded(cells: Sequence[Any]) -> tuple[npt.NDArray[np.int64], list[str]]:
    number: dict[str, int] = {}
    codes = [
        -1 if each in (None, "") else number.setdefault(str(each), len(number)) for each in cells
    ]
    return np.array(codes, dtype=np.int64), list(number)


def _released_cells(
    released: Any, plan: TablePlan, table: _Rows, original: Any, na: Sequence[str]
) -> Mapping[str, Sequence[Any]]:
    """The published rows, if they are those of the table in their order."""
    names = [*plan.columns, *plan.keep, *plan.keep_unprotected]
    same = row_count(released, names[0]) == table.classes.size
    cells = cells_at(released, names, (), np.arange(table.classes.size)) if same else {}
    free = _free(original, plan, table.places, na)
    kept: dict[str, Any] = {name: table.known[name].codes for name in plan.keep}
    kept |= {name: _coded(each)[0] for name, each in free.items()}
    require(
        same and all(_agree(own, _coded(cells[name])[0]) for name, own in kept.items()),
        "the released table does not have the rows of the table, or has them in another order: "
        "give the table that was released.",
    )
    return cells


def _free(original: Any, plan: TablePlan, rows: IntArray, na: Sequence[str]) -> Mapping[str, Any]:
    """The unprotected columns of some rows, which are published as they are."""
    names = plan.keep_unprotected
    return cells_at(original, names, (), rows, na) if names else {}


def _agree(first: IntArray, second: IntArray) -> bool:
    """Whether two codings tell the same rows apart, whatever numbers each uses."""
    both = np.unique(np.stack([first, second], axis=1), axis=0)
    return bool(len(both) == np.unique(first).size == np.unique(second).size)
