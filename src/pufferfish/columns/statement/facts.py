"""What everybody may know of a release, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from msgspec import Meta

from pufferfish.beliefs.documents import Pairs, pairs_to_plain
from pufferfish.beliefs.guarantee import GoalEntries, Guarantee
from pufferfish.beliefs.labels import parts_of
from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED, Belief, SecretPair
from pufferfish.calibration.losses import Weighed, in_bins, weighed_by
from pufferfish.calibration.postprocess import Postprocess, StepEntries, steps_to_plain
from pufferfish.calibration.result import Calibration
from pufferfish.columns.plan import ColumnPlan, Dependence, Missing, OneRow, Unit
from pufferfish.core.ladder import Rounding, rung_up
from pufferfish.core.numerics import round_up
from pufferfish.core.validation import bounds
from pufferfish.documents.shape import entries_of, plain, read_part, written
from pufferfish.documents.types import (
    Bounds,
    Count,
    Name,
    NotNegative,
    Numbers,
    Positive,
    Share,
    Time,
)
from pufferfish.kinds.record import Stated
from pufferfish.learning.reveals import Reveals, RevealsEntries
from pufferfish.noise import Law, LawEntries, Stratified, law_to_dict
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.outline import RecodingOutline

__all__ = ["BeliefsFrom", "Facts", "FactsEntries", "Order", "RecodeStated"]
__all__ += ["is_elsewhere", "planned_source", "stated_law", "stated_recode", "stated_to_plain"]

Order = Literal["random", "table"]
BeliefsFrom = Literal["this table", "other rows", "another table", "elsewhere"]
# Sources that a plan for a table cannot tell apart.
_ABOUT_TABLES = ("this table", "another table")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodeStated:
    """What everybody may know of the demands on a recoding.

    Attributes:
        wrong: How far in total variation each law may be from the one believed.
        wrong_of_table: Whether that was chosen by looking at the table.
        loss: What was made as small as possible, as in `Recode`.
        keep_histogram: Whether values occur as often as before, on average.
        rmse: The root mean square error of a published value; None unless every belief is public.
        unchanged: The share of values that stayed as they were; None unless every belief is public.
        edges: The public edges of bins; None: none were given.
        bins: Whether values were put into bins whose edges are not public.
        missing: Whether a missing value is among those that the map takes.
        figures_of: Whose rows the figures are about, and whose frequencies are kept: those of the
            table that was released, unless it says otherwise.
    """

    wrong: Share
    loss: Literal["squared", "absolute", "changed", "steps", "columns", "own"]
    keep_histogram: bool
    rmse: NotNegative | None = None
    unchanged: Annotated[float, Meta(ge=0, le=1)] | None = None
    wrong_of_table: bool = False
    edges: Numbers | None = None
    bins: bool = False
    missing: bool = False
    figures_of: Weighed = "this table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts(Stated):
    """What everybody may know of a release; nothing of a private belief.

    Attributes:
        goal: The promise for one unit.
        unit: What the promise is about: one "row", or one "person".
        rows_per_person: At most this many rows of one person.
        dependence: What is assumed about the rows of one person, as in `Plan`.
        one_row: Which one row represents a person, as in `Plan`.
        rows_tested: Whether a test found nothing against the independence of a person's rows.
        pairs: Which secrets must be indistinguishable.
        column: The protected column.
        secret: The column of the secret.
        kept: Columns that are published as they are.
        reveals: What they and the protected column reveal together; None if nothing is kept.
        missing: What became of rows without a value.
        cap: The bounds to which values were moved before the mechanism.
        step: Every value, before the noise, is a multiple of this; None: not stated.
        order: The order in which rows were published.
        unprotected_percent: Rows whose secret is in no pair, or that have none, in whole percent,
            rounded up; None where no rows were seen yet.
        adversaries: How many are described.
        beliefs_from: Where the beliefs come from: the table that was released, other rows of it
            that were not released, another table, or elsewhere (a reference sample, public
            knowledge).
        beliefs_fitted: When, if they were fitted to another table.
        noise: The law that was applied.
        rounding: How its size was rounded to be published, as in `Plan`; None where every belief is
            public, so that the size says nothing about private data.
        postprocess: What was done to the noised values.
        recode: For a recoding: what it had to keep. It has figures only where every belief is
            public.
        rows_fitted: How many other rows beliefs were fitted to; None where they were not, or where
            nothing was released yet.
        wrong: For noise: how far in total variation each law may be from the one believed, between
            the bounds of the cap.
        wrong_of_table: Whether that was chosen by looking at the table.
    """

    goal: Guarantee
    unit: Unit
    rows_per_person: Count
    dependence: Dependence
    one_row: OneRow | None
    rows_tested: bool
    pairs: Sequence[SecretPair]
    column: Name
    secret: Name
    kept: tuple[Name, ...]
    reveals: Reveals | None
    missing: Missing
    cap: Bounds | None
    step: Positive | None
    order: Order
    unprotected_percent: Annotated[int, Meta(ge=0, le=100)] | None
    adversaries: Count
    beliefs_from: BeliefsFrom
    beliefs_fitted: Time | None
    noise: Law
    rounding: Rounding | None
    postprocess: tuple[Postprocess, ...]
    recode: RecodeStated | None = None
    rows_fitted: Count | None = None
    wrong: Share = 0.0
    wrong_of_table: bool = False
    confidence: Share | None = None

    @classmethod
    def of(
        cls,
        plan: ColumnPlan,
        *,
        order: Order | None = None,
        unprotected_percent: int | None = None,
        beliefs_from: BeliefsFrom | None = None,
        beliefs_fitted: str | None = None,
        reveals: Reveals | None = None,
        rows_tested: bool = False,
        rows_fitted: int | None = None,
    ) -> Self:
        """The facts of a plan and of what was done; before a release, of what is planned."""
        scenario = plan.calibration.scenario
        return cls(
            goal=plan.promise,
            unit=plan.unit,
            rows_per_person=plan.rows_per_person,
            dependence=plan.dependence,
            one_row=plan.one_row,
            rows_tested=rows_tested,
            pairs=scenario.pairs,
            column=plan.column,
            secret=plan.secret,
            kept=plan.keep,
            reveals=reveals,
            missing=plan.missing,
            cap=plan.cap,
            step=plan.step,
            order=order or ("random" if plan.shuffled else "table"),
            unprotected_percent=unprotected_percent,
            adversaries=len(scenario.beliefs),
            beliefs_from=beliefs_from or planned_source(scenario.beliefs),
            beliefs_fitted=beliefs_fitted,
            noise=stated_law(plan.calibration, public=plan.public),
            rounding=None if plan.public else plan.rounding,
            postprocess=plan.postprocess,
            recode=stated_recode(plan.calibration, beliefs_from, public=plan.public),
            rows_fitted=rows_fitted,
            wrong=plan.calibration.wrong_of_noise,
            wrong_of_table=plan.wrong_of_table,
            confidence=scenario.confidence,
        )

    def planned_by(self, plan: ColumnPlan) -> Facts:
        """The facts that a release by this plan states if it did what these facts say."""
        planned = planned_source(plan.calibration.scenario.beliefs)
        about_a_table = self.beliefs_from in _ABOUT_TABLES
        return type(self).of(
            plan,
            order=self.order,
            unprotected_percent=self.unprotected_percent,
            # A plan cannot say whether the table was this one or another.
            beliefs_from=self.beliefs_from
            if about_a_table and planned in _ABOUT_TABLES
            else planned,
            beliefs_fitted=self.beliefs_fitted,
            reveals=self.reveals,
            rows_tested=self.rows_tested and plan.tests_rows,
            rows_fitted=self.rows_fitted if planned == "other rows" else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        document = written(
            FactsEntries,
            self,
            pairs=pairs_to_plain(self.pairs),
            noise=law_to_dict(self.noise),
            postprocess=steps_to_plain(self.postprocess),
            recode=stated_to_plain(self.recode),
        )
        unsaid = ("recode", "rows_fitted", "wrong", "wrong_of_table", "confidence")
        return {name: entry for name, entry in document.items() if entry or name not in unsaid}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The facts in a record of either edition; its other entries are ignored."""
        facts: Self = read_part(data, FactsEntries, "record").made()
        if facts.cap is not None:
            bounds("cap", facts.cap)
        return facts


def stated_recode(
    calibration: Calibration, beliefs_from: BeliefsFrom | None, *, public: bool
) -> RecodeStated | None:
    """What may be stated of a recoding: figures that were fitted would reveal something of rows."""
    found = calibration.recode
    if found is None:
        return None
    return RecodeStated(
        wrong=found.wrong,
        wrong_of_table=found.wrong_of_table,
        loss=found.loss,
        keep_histogram=found.keep_histogram,
        rmse=round_up(found.rmse, 2) if public else None,
        unchanged=math.floor(100.0 * found.unchanged) / 100.0 if public else None,
        edges=found.edges,
        bins=found.edges is None and in_bins(calibration.mechanism, calibration.scenario),
        missing=_takes_missing(calibration.mechanism),
        figures_of=weighed_by(calibration.scenario, another_table=beliefs_from == "another table"),
    )


def _takes_missing(law: Law) -> bool:
    """Whether a map takes a missing value, in any column and for any known value."""
    if isinstance(law, Stratified):
        return any(map(_takes_missing, law))
    return isinstance(law, Recoding) and any(None in parts_of(each) for each in law.values)


def stated_to_plain(found: RecodeStated | None) -> dict[str, Any] | None:
    """What is stated of a recoding, for a document; of bins only where there are some."""
    if found is None:
        return None
    document: dict[str, Any] = plain(found)
    unsaid = ("edges", "bins", "missing")
    if found.figures_of == "this table":
        del document["figures_of"]
    return {name: entry for name, entry in document.items() if entry or name not in unsaid}


def stated_law(calibration: Calibration, *, public: bool) -> Law:
    """The law that was applied; only the floor of a recoding that was fitted to private data."""
    law = calibration.mechanism
    if not isinstance(law, Recoding) or public:
        return law
    asked, own = calibration.recode, law.floored and law.distances is not None
    if law.kappa is None or (asked is not None and not asked.floor_of_noise):
        return RecodingOutline(law.kappa, own)
    # A floor that depends on private beliefs is stated as the next lower rung of a public ladder.
    return RecodingOutline(rung_up(law.kappa), own)


FactsEntries = entries_of(
    Facts,
    goal=GoalEntries,
    pairs=Pairs,
    reveals=RevealsEntries | None,
    noise=LawEntries,
    postprocess=tuple[StepEntries, ...],
    recode=entries_of(RecodeStated) | None,
)


def is_elsewhere(source: BeliefsFrom) -> bool:
    """Whether no belief was fitted on rows of the table that is released."""
    return source in ("another table", "elsewhere")


def planned_source(beliefs: Sequence[Belief]) -> BeliefsFrom:
    """Where beliefs come from, by what they say of themselves."""
    said = {each.provenance for each in beliefs}
    if RELEASED in said:
        return "this table"
    return "other rows" if OTHER_ROWS in said else "elsewhere"
