"""The kind of release that publishes rows of a column: how it is made, described and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PUBLIC
from pufferfish.calibration.rows import cost_of_rows
from pufferfish.columns.appearance import column_appearance
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.columns.session import ColumnSession
from pufferfish.columns.statement import Facts, words
from pufferfish.columns.story import story
from pufferfish.core.numerics import round_up
from pufferfish.kinds.agreement import contradictions
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.kinds.recount import decided
from pufferfish.kinds.verdict import Check
from pufferfish.releases import RowKind, RowSession
from pufferfish.releases.published_file import Appearance
from pufferfish.words.certificates import measure, pairs_in_words
from pufferfish.words.numbers import at_most
from pufferfish.words.steps import Step

__all__ = ["ColumnKind"]


class ColumnKind(RowKind[ColumnPlan, Facts]):
    """Rows of a column, with noise."""

    plan: ClassVar[type[ReleasePlan]] = ColumnPlan
    record: ClassVar[type[ReleaseRecord[Any, Any]]] = Record
    session: ClassVar[type[RowSession[Any, Any]]] = ColumnSession
    everybody: ClassVar[str] = "pair and adversary"
    private: ClassVar[str] = "the beliefs are private and not in this edition"

    def facts(self, data: Mapping[str, Any]) -> Facts:
        """What a record of either edition states."""
        return Facts.from_dict(data)

    def words(self, facts: Facts) -> dict[str, Any]:
        """The words that follow from the facts, by entry."""
        return words(facts)

    def facts_by_plan(self, facts: Facts, plan: ColumnPlan) -> Facts:
        """The facts that a release by this plan states if it did what these facts say."""
        return facts.planned_by(plan)

    def promise_in_words(self, facts: Facts) -> str:
        """The promise, with the rows that it is about where a person has several."""
        rows = facts.rows_per_person
        if rows == 1:
            return f"{facts.goal}"
        independent = "independent " if facts.dependence == "independent" else ""
        return f"{facts.goal} for {rows:,} {independent}rows of a person"

    def recompute(self, plan: ColumnPlan) -> str:
        """The certified bound for one row, and what several cost, in words."""
        certificate = plan.certificate
        found = certificate.epsilon_upper if certificate.goal.pure else certificate.delta_upper
        return (
            f"{measure(certificate.goal)} at most {at_most(found, 9)}{_for_one_row(plan)}, "
            f"{pairs_in_words(certificate)}"
        )

    def all_public(self, plan: Mapping[str, Any]) -> Check:
        """Whether every belief is called public."""
        beliefs = plan["scenario"]["beliefs"]
        public = all(belief.get("provenance") == PUBLIC for belief in beliefs)
        return Check(
            claim="this public edition holds no private belief",
            verdict=public,
            detail="every belief in it is called public" if public else "one is not called public",
        )

    def agreement(
        self, data: Mapping[str, Any], facts: Facts, plan: ColumnPlan | None
    ) -> list[str]:
        """Whether counts, order and measurements can be true together."""
        return contradictions(data, facts, plan, facts.kept)

    def decided(self, facts: Facts, plan: ColumnPlan) -> tuple[Collection[str], Collection[str]]:
        """What the counts decide, and the parts of the plan that nothing decides."""
        return decided(plan, facts.beliefs_from)

    def story(self, record: Record) -> tuple[Step, ...]:
        """What happened, part by part."""
        return story(record)

    def looks(self, data: Mapping[str, Any], facts: Facts, released: Path) -> Appearance:
        """Whether the values look as noise leaves them."""
        return column_appearance(data, facts, released)


def _for_one_row(plan: ColumnPlan) -> str:
    """What the numbers of a certificate are about, where a person has several rows."""
    rows, calibration = plan.several_rows, plan.calibration
    if rows.count == 1:
        return ""
    if rows.apart:
        return f" for one row, which has {calibration.goal}"
    cost = cost_of_rows(calibration, rows)
    together = Guarantee(round_up(cost.epsilon, 4), cost.delta)
    return f" for one row, and {rows.count:,} rows cost {together}"
