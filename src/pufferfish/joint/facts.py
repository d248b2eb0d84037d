"""What everybody may know of a released table, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from msgspec import Meta

from pufferfish.beliefs.documents import Pairs, RuleEntries, pairs_to_plain, rule_to_dict
from pufferfish.beliefs.guarantee import GoalEntries, Guarantee
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import Belief, SecretPair
from pufferfish.calibration.postprocess import Postprocess, StepEntries, steps_to_plain
from pufferfish.columns.statement.facts import (
    BeliefsFrom,
    Order,
    RecodeStated,
    planned_source,
    stated_law,
    stated_recode,
    stated_to_plain,
)
from pufferfish.core.ladder import Rounding
from pufferfish.documents.shape import entries_of, read_part, written
from pufferfish.documents.types import Bounds, Count, Name, Share, Time
from pufferfish.joint.plan import Missing, TablePlan
from pufferfish.kinds.record import Stated
from pufferfish.learning.reveals import Reveals, RevealsEntries
from pufferfish.noise import Law, LawEntries, Stratified, Stratum, law_to_dict

__all__ = ["TableFacts", "TableFactsEntries"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts(Stated):
    """What everybody may know of a release; nothing of a private belief.

    Attributes:
        goal: The promise for one row.
        unit: What the promise is about: one "row", or one "person", who has one row.
        pairs: Which secrets must be indistinguishable.
        columns: The columns that are published together, under the promise.
        secret: The columns of the secrets.
        known: Columns that the described adversaries may know.
        kept: Those of them that are published.
        unprotected: Columns that are published as they are, and that the promise does not cover.
        rules: The public rules by which published and known columns were read.
        known_says: How often somebody finds the secret from the known columns alone; None where
            nothing is known.
        reveals: How often a learner finds it from all that is published; None unless a column is
            published without protection.
        missing: What became of rows without a number; "keep" for categories.
        cap: The bounds to which numbers were moved first.
        order: The order in which rows were published.
        unprotected_percent: Rows whose secret is in no pair, or that have none, in whole percent,
            rounded up; None where no rows were seen yet.
        adversaries: How many are described.
        beliefs_from: Where the beliefs come from.
        beliefs_fitted: When, if they were fitted to another table.
        noise: The law that was applied, or one for each value of what is known.
        rounding: How published sizes of noise were rounded; None where every belief is public.
        postprocess: What was done to noised values.
        recode: For a recoding: what it had to keep. It has figures only where every belief is
            public.
        jointly: Whether the combinations of several secrets are protected.
        rows_fitted: How many other rows beliefs were fitted to; None where they were not, or where
            nothing was done yet.
        wrong: For noise: how far in total variation each law may be from the one believed, between
            the bounds of the cap.
        wrong_of_table: Whether that was chosen by looking at the table.
        confidence: The confidence with which the promise covers the population from which the rows
            were sampled; None: the promise is about the described laws.
    """

    goal: Guarantee
    unit: Literal["row", "person"]
    pairs: Sequence[SecretPair]
    columns: Annotated[tuple[Name, ...], Meta(min_length=1)]
    secret: Annotated[tuple[Name, ...], Meta(min_length=1)]
    known: tuple[Name, ...]
    kept: tuple[Name, ...]
    unprotected: tuple[Name, ...]
    rules: tuple[Rule, ...]
    known_says: Reveals | None
    reveals: Reveals | None
    missing: Missing
    cap: Bounds | None
    order: Order
    unprotected_percent: Annotated[int, Meta(ge=0, le=100)] | None
    adversaries: Count
    beliefs_from: BeliefsFrom
    beliefs_fitted: Time | None
    noise: Law
    rounding: Rounding | None
    postprocess: tuple[Postprocess, ...]
    recode: RecodeStated | None = None
    jointly: bool = False
    rows_fitted: Count | None = None
    wrong: Share = 0.0
    wrong_of_table: bool = False
    confidence: Share | None = None

    @classmethod
    def of(
        cls,
        plan: TablePlan,
        *,
        order: Order | None = None,
        unprotected_percent: int | None = None,
        beliefs_from: BeliefsFrom | None = None,
        beliefs_fitted: str | None = None,
        rows_fitted: int | None = None,
        known_says: Reveals | None = None,
        reveals: Reveals | None = None,
    ) -> Self:
        """The facts of a plan and of what was done; before a release, of what is planned."""
        scenario = plan.scenario
        return cls(
            goal=plan.promise,
            unit=plan.unit,
            pairs=scenario.pairs,
            columns=plan.columns,
            secret=plan.secret_columns,
            known=plan.known,
            kept=plan.keep,
            unprotected=plan.keep_unprotected,
            rules=tuple(
                each
                for each in (*plan.layout.columns, *plan.layout.known)
                if each.edges or each.unit or each.merged
            ),
            known_says=known_says,
            reveals=reveals,
            missing=plan.missing,
            cap=plan.cap,
            order=order or ("random" if plan.shuffled else "table"),
            unprotected_percent=unprotected_percent,
            adversaries=_kinds_of_adversaries(scenario.beliefs),
            beliefs_from=beliefs_from or planned_source(scenario.beliefs),
            beliefs_fitted=beliefs_fitted,
            noise=_stated_laws(plan),
            rounding=None if plan.public else plan.rounding,
            postprocess=plan.postprocess,
            recode=stated_recode(plan.calibration, beliefs_from, public=plan.public),
            jointly=plan.jointly,
            rows_fitted=rows_fitted,
            wrong=plan.calibration.wrong_of_noise,
            wrong_of_table=plan.wrong_of_table,
            confidence=scenario.confidence,
        )

    def planned_by(self, plan: TablePlan) -> TableFacts:
        """The facts that a release by this plan states if it did what these facts say."""
        planned = planned_source(plan.scenario.beliefs)
        tables = ("this table", "another table")
        same = self.beliefs_from in tables and planned in tables
        return type(self).of(
            plan,
            order=self.order,
            unprotected_percent=self.unprotected_percent,
            beliefs_from=self.beliefs_from if same else planned,
            beliefs_fitted=self.beliefs_fitted,
            rows_fitted=self.rows_fitted if planned == "other rows" else None,
            known_says=self.known_says,
            reveals=self.reveals,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        document = written(
            TableFactsEntries,
            self,
            pairs=pairs_to_plain(self.pairs),
            rules=[rule_to_dict(each) for each in self.rules],
            noise=law_to_dict(self.noise),
            postprocess=steps_to_plain(self.postprocess),
            recode=stated_to_plain(self.recode),
        )
        unsaid = ("rows_fitted", "wrong", "wrong_of_table", "confidence")
        return {name: entry for name, entry in document.items() if entry or name not in unsaid}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The facts in a record of either edition; its other entries are ignored."""
        facts: Self = read_part(data, TableFactsEntries, "record").made()
        return facts


def _kinds_of_adversaries(beliefs: Sequence[Belief]) -> int:
    """How many kinds of adversaries there are, by what they fit and which columns they know.

    Counting beliefs would reveal how many values an unpublished column has.
    """
    return len({(each.name.partition(",")[0], tuple(each.given)) for each in beliefs})


def _stated_laws(plan: TablePlan) -> Law:
    """The law that was applied; only the floors of recodings fitted to private data."""
    law = plan.calibration.mechanism
    if not isinstance(law, Stratified):
        return stated_law(plan.calibration, public=plan.public)
    parts = zip(law.strata, plan.calibration.parts, strict=True)
    return Stratified(
        columns=law.columns,
        strata=tuple(
            Stratum(each.given, stated_law(part, public=plan.public)) for each, part in parts
        ),
    )


TableFactsEntries = entries_of(
    TableFacts,
    goal=GoalEntries,
    pairs=Pairs,
    rules=tuple[RuleEntries, ...],
    known_says=RevealsEntries | None,
    reveals=RevealsEntries | None,
    noise=LawEntries,
    postprocess=tuple[StepEntries, ...],
    recode=entries_of(RecodeStated) | None,
)
