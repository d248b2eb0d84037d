"""What the page of a released table says, gathered from its record, its plan, and both tables.

What depends on the beliefs is there where the edition holds the plan: always in the internal one,
in the public one only if every belief is public. The public edition uses no data but what was
published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pufferfish.calibration.categories import units_of
from pufferfish.calibration.losses import column_of
from pufferfish.calibration.recoded_words import whose
from pufferfish.calibration.result import Calibration
from pufferfish.insight.associations import Association, Joint, associations, noised_ratio
from pufferfish.insight.before_after import (
    Kept,
    Rows,
    by_secret,
    expected,
    kept_of,
    rows_of,
    rows_of_table,
    secret_rows,
    true_rows,
)
from pufferfish.insight.guesses import (
    Guess,
    Success,
    best_guess,
    success_allowed,
    success_of,
)
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.joint.words import words
from pufferfish.kinds.verdict import Verification
from pufferfish.kinds.verifier import verify_document
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.report.facts import Posterior, posteriors
from pufferfish.report.sources import Beside, Verified
from pufferfish.report.table_columns import ColumnLook, Tables, looks_of, tables_of

__all__ = ["Compared", "KnownPart", "Planned", "TableReport", "gather_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How two published columns are associated: before; after, on average; and in the file.

    Attributes:
        before: In the table.
        after: As published, on average, computed exactly from the recoding; None where that is not
            known.
        published: As it was published; None where the file is not at hand.
        with_secret: Whether one of the two is a secret, which is not published.
    """

    before: Association
    after: Association | None
    published: Association | None
    with_secret: bool = False

    @property
    def lost(self) -> float:
        """By how much the strength fell."""
        now = self.after or self.published
        return 0.0 if now is None else abs(self.before.strength) - abs(now.strength)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownPart:
    """Rows with the same known values.

    Attributes:
        given: The known values, by column.
        calibration: What was done to them; its certificate is about those who know these values.
        kept: What is left of them; None where noise was added.
        std: The error of publishing their mean, for numbers with noise; else None.
    """

    given: Mapping[str, Any]
    calibration: Calibration
    kept: Kept | None
    std: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Planned:
    """What follows from the beliefs.

    Attributes:
        plan: With the calibration.
        rows: The rows by published known values, each with the law that they go through.
        guess: The guess that is right most often.
        before: How far the best informed adversary gets with the true row, for that guess.
        after: The same, with the published row.
        parts: The rows by known values, where columns are known.
        by_secret: What rows of each secret pay; in the internal edition only.
    """

    plan: TablePlan
    rows: tuple[Rows, ...]
    guess: Guess
    before: Success
    after: Success
    parts: tuple[KnownPart, ...]
    by_secret: Mapping[Any, Kept]

    @property
    def recoded(self) -> bool:
        """Whether all rows are recoded, and none has noise."""
        return all(isinstance(each.law, Recoding) for each in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TableReport:
    """Everything that a page says.

    Attributes:
        document: The record's document, in the edition of the page.
        record: The record; None in a public edition.
        said: The public facts.
        words: What the record says in words.
        found: The result of verifying it.
        allowed: How far the promise lets anybody get.
        posteriors: What it allows for a probability.
        planned: What follows from the beliefs; None where they are private.
        looks: For each published column how often its values occur.
        compared: How every two columns are associated, the most weakened first; internal.
    """

    document: Mapping[str, Any]
    record: TableRecord | None
    said: TableFacts
    words: Mapping[str, Any]
    found: Verification
    allowed: Success
    posteriors: tuple[Posterior, ...]
    planned: Planned | None
    looks: tuple[ColumnLook, ...]
    compared: tuple[Compared, ...]

    @property
    def internal(self) -> bool:
        """Whether statistics of private data may be shown."""
        return self.record is not None

    @property
    def whose(self) -> str:
        """The rows that figures of a recoding are about, if they are not those of this table."""
        return "" if self.said.recode is None else whose(self.said.recode.figures_of)

    @property
    def noised(self) -> bool:
        """Whether noise was added and nothing was recoded."""
        return self.said.recode is None and all(each.additive for each in laws_of(self.said.noise))


def laws_of(law: Law) -> list[Law]:
    """The laws of all strata; a single one where there are no strata."""
    return list(law) if isinstance(law, Stratified) else [law]


def gather_table(verified: Verified, beside: Beside) -> TableReport:
    """Everything that a page says, from a verified record and what was given with it."""
    source = verified.source
    document = verified.document
    record = source if isinstance(source, TableRecord) else None
    said = TableFacts.from_dict(document)
    plan = _plan(record, document)
    planned = None if plan is None else _planned(plan, internal=record is not None)
    tables = tables_of(verified, beside, said, plan)
    before, after = _joints(said, planned, tables, internal=record is not None)
    return TableReport(
        document=document,
        record=record,
        said=said,
        words=words(said),
        found=verified.found or verify_document(dict(document)),
        allowed=success_allowed(said.goal),
        posteriors=posteriors(said.goal),
        planned=planned,
        looks=tuple(looks_of(said, plan, before, after, tables)),
        compared=tuple(
            sorted(
                _compared(said, planned, before, after, tables, internal=record is not None),
                # Losses that differ only by rounding are ordered by strength.
                key=lambda each: (-round(each.lost, 3), -abs(each.before.strength)),
            )
        ),
    )


def _plan(record: TableRecord | None, document: Mapping[str, Any]) -> TablePlan | None:
    if record is not None:
        return record.plan
    return TablePlan.from_dict(dict(document["plan"])) if "plan" in document else None


def _planned(plan: TablePlan, *, internal: bool) -> Planned:
    calibration = plan.calibration
    guess = best_guess(calibration, plan.promise)
    before, after = success_of(calibration, guess)
    units = _units(plan)
    return Planned(
        plan=plan,
        rows=rows_of(calibration, plan.keep),
        guess=guess,
        before=before,
        after=after,
        parts=tuple(_parts(calibration, units)),
        by_secret=by_secret(calibration, units) if internal else {},
    )


def _units(plan: TablePlan) -> tuple[float, ...]:
    """The std of each column of numbers; 0 for others. A single column of numbers is one too."""
    found = units_of(plan.scenario)
    if found is None:
        recode = plan.calibration.recode
        std = 1.0 if recode is None else recode.constant_rmse or 1.0
        return (std if plan.numeric else 0.0,) * len(plan.columns)
    return tuple(found[name] for name in plan.columns)


def _parts(calibration: Calibration, units: Sequence[float]) -> Iterator[KnownPart]:
    strata = calibration.strata
    for values, part in strata.items():
        law, (rows,) = part.mechanism, rows_of(part, ())
        given = dict(zip(strata.columns, values, strict=True))
        if isinstance(law, Recoding):
            kept = kept_of(law, rows.values, rows.often, units, _counted(part))
            yield KnownPart(given=given, calibration=part, kept=kept)
        else:
            std = column_of(part.scenario, None).std
            yield KnownPart(given=given, calibration=part, kept=None, std=std)


def _counted(part: Calibration) -> int | None:
    """How many rows a part is about, if they were counted."""
    fewest = min(part.scenario.beliefs, key=lambda each: len(each.given))
    table = fewest.frequencies
    if table is None or table.counts is None:
        return None
    return int(table.counts.sum()) + fewest.frequencies_missing


def _joints(
    said: TableFacts, planned: Planned | None, tables: Tables, *, internal: bool
) -> tuple[Joint | None, Joint | None]:
    """The law of a row before, and after on average; from the table itself where it is given."""
    if planned is None:
        return None, None
    rows = planned.rows
    if tables.original is not None and internal:
        law = planned.plan.calibration.mechanism
        rows = rows_of_table(said.columns, tables.original, said.kept, law)
    return true_rows(said.columns, said.kept, rows), expected(said.columns, said.kept, rows)


def _compared(
    said: TableFacts,
    planned: Planned | None,
    before: Joint | None,
    after: Joint | None,
    tables: Tables,
    *,
    internal: bool,
) -> Iterator[Compared]:
    """Every two published columns compared; in the internal edition also each with the secret."""
    if planned is None or before is None:
        return
    numbers = [name for name, unit in zip(said.columns, _units(planned.plan), strict=True) if unit]
    if not planned.recoded:
        yield from _noised(said, planned)
        return
    first = _by_pair(before, numbers)
    second, third = _by_pair(after, numbers), _by_pair(tables.released, numbers)
    for pair, found in first.items():
        yield Compared(before=found, after=second.get(pair), published=third.get(pair))
    if internal:
        yield from _with_secrets(said, planned.plan, numbers)


def _with_secrets(said: TableFacts, plan: TablePlan, numbers: Sequence[str]) -> Iterator[Compared]:
    """The associations among the rows whose secret is described."""
    for view in plan.layout.views:
        name = " and ".join(view.columns)
        secrets = [
            each
            for each in plan.secrets
            if not view.name or str(each).startswith(f"{view.name} = ")
        ]
        rows = secret_rows(plan.calibration, name, secrets)
        if not rows or name in said.columns:
            continue
        total = sum(each.share for each in rows)
        shares = [replace(each, share=each.share / total) for each in rows]
        now = _by_pair(expected(said.columns, (name,), shares), numbers)
        for pair, found in _by_pair(true_rows(said.columns, (name,), shares), numbers).items():
            if name in pair:
                yield Compared(before=found, after=now.get(pair), published=None, with_secret=True)


def _by_pair(joint: Joint | None, numbers: Sequence[str]) -> dict[tuple[str, str], Association]:
    if joint is None:
        return {}
    return {(each.first, each.second): each for each in associations(joint, numbers)}


def _noised(said: TableFacts, planned: Planned) -> Iterator[Compared]:
    """The associations of numbers with noise and all kept columns together."""
    if not said.kept or said.postprocess or not planned.plan.numeric:
        return
    groups = []
    for each in planned.rows:
        there = [
            (cast("float", value), weight)
            for (value,), weight in zip(each.values, each.often.tolist(), strict=True)
            if value is not None
        ]
        total = sum(weight for _, weight in there)
        mean = sum(value * weight for value, weight in there) / total
        variance = sum((value - mean) ** 2 * weight for value, weight in there) / total
        groups.append((each.share, mean, variance, each.law.error() ** 2))
    first, second = said.columns[0], " and ".join(said.kept)
    before, after = (
        Association(
            first=first,
            second=second,
            measure="correlation ratio",
            strength=strength,
            information=None,
        )
        for strength in noised_ratio(groups)
    )
    yield Compared(before=before, after=after, published=None)
