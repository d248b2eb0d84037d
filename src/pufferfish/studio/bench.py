"""The work of a page: counted, described, calibrated and certified by the library, and kept.

No formula lives here. What is asked for is a `Question`; its answer, an `Outlook`, holds all that
the page shows of it. The stages are kept apart, so that a slider repeats only the last.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import partial

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.result import Calibration
from pufferfish.columns.plan import Plan
from pufferfish.core.errors import UnsupportedError
from pufferfish.exact import PrivacyProfile, privacy_profile
from pufferfish.insight.guesses import Guess, ideal_guess
from pufferfish.insight.other_ways import Alternative, alternatives
from pufferfish.noise import NoNoise
from pufferfish.options.adversaries import Described
from pufferfish.options.planning import Asked
from pufferfish.options.voice import Voice
from pufferfish.studio.kept import Kept
from pufferfish.studio.sources import Source
from pufferfish.tables import Group, Summary
from pufferfish.tables.engine import Counting
from pufferfish.tables.local.summarise import summarise_files

__all__ = ["Bench", "Outlook", "Question"]

_PROFILE_POINTS = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a page asks for.

    Attributes:
        asked: The options, as on the command line; the table by the name that its user gave it.
        source: The table itself.
        reference: The table that beliefs are fitted to, if not the same.
    """

    asked: Asked
    source: Source
    reference: Source | None = None

    @property
    def counted(self) -> tuple[str, ...]:
        """What the counts depend on."""
        return self.source.key, *self.asked.table.columns, repr(self.asked.reduction)

    @property
    def described(self) -> tuple[str, ...]:
        """What the scenario depends on."""
        reference = "" if self.reference is None else self.reference.key
        return *self.counted, reference, repr(self.asked.adversaries)

    @property
    def answered(self) -> tuple[str, ...]:
        """What the plan depends on."""
        asked = self.asked
        return *self.described, repr((asked.goal, asked.recoding, asked.accuracy, asked.publishing))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Outlook:
    """What a plan would mean, before anything is drawn.

    Attributes:
        question: What was asked for.
        plan: The noise, the promise and its certificate.
        column: Tells the column's values from those of every other.
        records: Rows of the table that have a value.
        column_std: Of these values.
        guess: What is guessed before and after, for the pair that decides.
        profile: δ(ε), for that pair and all adversaries.
        bare: The same without noise.
        others: Local differential privacy, and the paper's bound.
    """

    question: Question
    plan: Plan
    column: str
    records: int
    column_std: float
    guess: Guess
    profile: PrivacyProfile
    bare: PrivacyProfile
    others: tuple[Alternative, ...]

    @property
    def calibration(self) -> Calibration:
        """The noise and its certificate, for one row."""
        return self.plan.calibration

    def release_plan(self, *, allow_no_noise: bool) -> Plan:
        """The plan, where values may be published without noise or need not be.

        Raises:
            CertificationError: No noise is needed, and nobody allowed to publish the values.
        """
        return replace(self.plan, allow_no_noise=allow_no_noise)


class Bench:
    """Shared by all pages of a studio. Safe to use from several threads."""

    def __init__(self) -> None:
        self._summaries: Kept[Summary] = Kept(8)
        self._described: Kept[Described] = Kept(16)
        self._outlooks: Kept[Outlook] = Kept(256)
        self._bare: Kept[PrivacyProfile] = Kept(64)

    def summary(self, question: Question, voice: Voice) -> Summary:
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

    def outlook(self, question: Question, voice: Voice) -> Outlook:
        """The plan and what it would mean."""
        return self._outlooks.get(question.answered, lambda: self._outlook(question, voice))

    def forget(self, key: str) -> None:
        """Drop all that was computed of the table with this key."""
        for kept in (self._summaries, self._described, self._outlooks, self._bare):
            kept.forget(key)

    def _summary(self, source: Source, question: Question, voice: Voice) -> Summary:
        columns, reduction = question.asked.table.columns, question.asked.reduction

        def make() -> Summary:
            with voice.progress(f"Reading {source.name}") as progress:
                what = Counting(*columns, one_row=reduction)
                return summarise_files(source.path, source.format, what, progress)

        return self._summaries.get((source.key, *columns, repr(reduction)), make)

    def _outlook(self, question: Question, voice: Voice) -> Outlook:
        summary, described = self.summary(question, voice), self.described(question, voice)
        asked = question.asked
        # Whether the values may be published as they are is asked when they are released.
        looked_at = replace(asked, publishing=replace(asked.publishing, allow_no_noise=True))
        plan = looked_at.plan(described, voice)
        calibration, counted = plan.calibration, summary.pooled
        if not calibration.mechanism.additive:
            raise UnsupportedError(
                "the studio shows noise only: release a recoding with pufferfish release "
                "--mechanism recode."
            )
        worst = calibration.certificate.worst.pair
        alone = Scenario(calibration.scenario.beliefs, [worst])
        epsilons = _epsilons(calibration.goal.epsilon)
        table = Discrete(counted.values, counted.counts / counted.records)
        return Outlook(
            question=question,
            plan=plan,
            column=_digest(counted),
            records=counted.records,
            column_std=math.sqrt(table.variance),
            guess=ideal_guess(calibration.scenario, calibration.noise, plan.promise, worst),
            profile=privacy_profile(alone, calibration.noise, epsilons),
            bare=self._bare.get(
                (*question.described, repr(worst), repr(epsilons)),
                lambda: privacy_profile(alone, NoNoise(), epsilons),
            ),
            # They would be about one row.
            others=alternatives(calibration) if plan.several_rows.apart else (),
        )


def _digest(column: Group) -> str:
    """The same for the same values, whatever file they are in, and in whatever order."""
    found = hashlib.sha256(column.values.tobytes())
    found.update(column.counts.tobytes())
    return found.hexdigest()


def _epsilons(epsilon: float) -> tuple[float, ...]:
    """Up to 1.5 times a power of two: many ε have these in common, and what is kept for them."""
    last = 1.5 * 2.0 ** math.ceil(math.log2(epsilon))
    return tuple(last * step / (_PROFILE_POINTS - 1) for step in range(_PROFILE_POINTS))
