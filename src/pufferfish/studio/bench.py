"""The work behind a page: the library counts, fits, calibrates and certifies; results are kept.

No formula lives here. A `Question` is what is asked for; its answer, an `Outlook`, holds all that
the page shows. The stages are cached separately, so that moving a slider repeats only the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Secret
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.slight import publishes_values
from pufferfish.columns.plan import ColumnPlan
from pufferfish.exact import PrivacyProfile, privacy_profile
from pufferfish.insight.choosing import Chosen
from pufferfish.insight.guesses import Guess, best_guess
from pufferfish.insight.other_ways import Alternative, alternatives
from pufferfish.joint.plan import TablePlan
from pufferfish.noise import NoNoise
from pufferfish.options.adversaries import Described
from pufferfish.options.describing import DescribedTable
from pufferfish.options.planning import Asked
from pufferfish.options.voice import Voice
from pufferfish.studio.kept import Kept
from pufferfish.studio.question import Question, column_digest
from pufferfish.studio.sources import Source
from pufferfish.studio.table_outlook import (
    TableOutlook,
    count_sources,
    describe_sources,
    table_outlook,
)
from pufferfish.tables import Counting, Counts
from pufferfish.tables.local.engine import FilesEngine

__all__ = ["AnyOutlook", "Bench", "Outlook", "settle"]

_PROFILE_POINTS = 21


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Outlook:
    """What a plan would mean, before anything is drawn.

    Attributes:
        question: What was asked for.
        plan: What is applied, the promise and its certificate.
        released: A key that tells the column and its values from every other.
        records: Rows of the table that have a value.
        column_std: The std of these values.
        guess: The guess that is right most often, before and after.
        profile: δ(ε), for the pair that decides and all adversaries.
        bare: The same without noise.
        others: Local differential privacy, and the paper's bound; none next to a recoding.
        chosen: All ways to the promise, where the least error was asked for.
    """

    question: Question
    plan: ColumnPlan
    released: tuple[str, ...]
    records: int
    column_std: float
    guess: Guess
    profile: PrivacyProfile
    bare: PrivacyProfile
    others: tuple[Alternative, ...]
    chosen: Chosen | None = None

    @property
    def calibration(self) -> Calibration:
        """The mechanism and its certificate, for one row."""
        return self.plan.calibration

    def release_plan(self, *, allow_no_noise: bool) -> ColumnPlan:
        """The plan, if noise is needed or values may be published without it.

        Raises:
            CertificationError: No noise is needed, and publishing the values as they are was not
                allowed.
        """
        return replace(self.plan, allow_no_noise=allow_no_noise)


AnyOutlook = Outlook | TableOutlook


class Bench:
    """Shared by all pages of a studio. Safe to use from several threads."""

    def __init__(self) -> None:
        self._summaries: Kept[Counts] = Kept(8)
        self._described: Kept[Described] = Kept(16)
        self._counts: Kept[Counts] = Kept(8)
        self._tables: Kept[DescribedTable] = Kept(8)
        self._outlooks: Kept[AnyOutlook] = Kept(256)
        self._bare: Kept[PrivacyProfile] = Kept(64)

    def summary(self, question: Question, voice: Voice) -> Counts:
        """How often each value occurs for each secret; read once."""
        return self._summary(question.source, question, voice)

    def described(self, question: Question, voice: Voice) -> Described:
        """The scenario; beliefs are fitted once."""

        def make() -> Described:
            adversaries = question.asked.adversaries
            adversaries.check()
            reference = question.reference
            return adversaries.describe(
                self.summary(question, voice),
                voice,
                reference=None
                if reference is None
                else partial(self._summary, reference, question, voice),
            )

        return self._described.get(question.described, make)

    def secrets(self, question: Question, voice: Voice) -> dict[Secret, int]:
        """How many rows with a value each secret has."""
        if question.of_table:
            return self.counts(question, voice).secrets
        groups = self.summary(question, voice).groups
        return {secret: group.records for secret, group in groups.items()}

    def counts(self, question: Question, voice: Voice) -> Counts:
        """How often each combination occurs, of a table; read once."""
        return self._counts.get(question.counted, lambda: count_sources(question, voice))

    def outlook(self, question: Question, voice: Voice) -> AnyOutlook:
        """The plan and what it would mean."""

        def make() -> AnyOutlook:
            if question.of_table:
                return self._table_outlook(question, voice)
            return self._outlook(question, voice)

        return self._outlooks.get(question.answered, make)

    def _table_outlook(self, question: Question, voice: Voice) -> TableOutlook:
        described = self._tables.get(
            question.described,
            lambda: describe_sources(question, self.counts(question, voice), voice),
        )
        return table_outlook(question, described, voice)

    def forget(self, key: str) -> None:
        """Drop all that was computed from the table with this key."""
        for kept in vars(self).values():
            kept.forget(key)

    def _summary(self, source: Source, question: Question, voice: Voice) -> Counts:
        columns, reduction = question.asked.table.columns, question.asked.reduction

        def make() -> Counts:
            with voice.progress(f"Reading {source.name}") as progress:
                what = Counting.of_column(*columns, one_row=reduction)
                engine = FilesEngine(source=source.path, source_format=source.format)
                return engine.fold(what, progress=progress)

        return self._summaries.get((source.key, *columns, repr(reduction)), make)

    def _outlook(self, question: Question, voice: Voice) -> Outlook:
        summary, described = self.summary(question, voice), self.described(question, voice)
        asked = question.asked
        # Whether the values may be published as they are is asked when they are released.
        looked_at = replace(asked, publishing=replace(asked.publishing, allow_no_noise=True))
        chosen = looked_at.choose(described, voice)
        plan = looked_at.plan(described, voice, chosen)
        calibration, counted = plan.calibration, summary.pooled
        worst = calibration.certificate.worst.pair
        alone = calibration.scenario.only([worst])
        epsilons = _epsilons(calibration.goal.epsilon)
        table = Discrete(counted.values, counted.counts / counted.records)
        return Outlook(
            question=question,
            plan=plan,
            released=(f"{plan.column} {column_digest(counted.values, counted.counts)}",),
            records=counted.records,
            column_std=math.sqrt(table.variance),
            guess=best_guess(calibration, plan.promise),
            profile=privacy_profile(alone, calibration.mechanism, epsilons),
            bare=self._bare.get(
                (*question.described, repr(worst), repr(epsilons)),
                lambda: privacy_profile(alone, NoNoise(), epsilons),
            ),
            # They would be about a single row.
            others=alternatives(calibration) if plan.several_rows.apart else (),
            chosen=chosen,
        )


def settle(found: AnyOutlook, *, agreed: bool) -> tuple[Asked, ColumnPlan | TablePlan]:
    """The options of a release, and the plan that they give: what the page shows, draws and prints.

    Args:
        found: What the page shows.
        agreed: Whether values may be published as they are; ignored where they are not.

    Raises:
        CertificationError: They would be, and may not.
    """
    asked = found.question.asked
    allowed = agreed and publishes_values(found.calibration)
    publishing = replace(asked.publishing, allow_no_noise=allowed)
    return replace(asked, publishing=publishing), found.release_plan(allow_no_noise=allowed)


def _epsilons(epsilon: float) -> tuple[float, ...]:
    """The ε of a profile, up to 1.5 times a power of two: many promises share a cached one."""
    last = 1.5 * 2.0 ** math.ceil(math.log2(epsilon))
    return tuple(last * step / (_PROFILE_POINTS - 1) for step in range(_PROFILE_POINTS))
