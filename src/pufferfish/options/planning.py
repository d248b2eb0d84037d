"""All options together, and the plan that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import SeveralRows
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import require
from pufferfish.insight.choosing import Chosen, choose_mechanism
from pufferfish.options.adversaries import Adversaries, Described
from pufferfish.options.goal import Accuracy, Goal
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.roles import Roles
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.tables.halves import Halves
from pufferfish.tables.one_row import OneRow
from pufferfish.theorems.anybody import width_of

__all__ = ["Asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The release that is asked for: one group of options for each question.

    Attributes:
        table: Which table, which columns.
        roles: What others know, and public rules for columns (tables only).
        adversaries: Which secrets must look alike, to whom.
        goal: How alike, by which mechanism.
        recoding: How a recoding maps values to values.
        accuracy: How accurate, if ε is to follow from that.
        publishing: What else is published, and how.
        wrong_of_table: Whether `wrong` was chosen by looking at the table.
    """

    table: Table
    roles: Roles = field(default_factory=Roles)
    adversaries: Adversaries = field(default_factory=Adversaries)
    goal: Goal = field(default_factory=Goal)
    recoding: HowRecoded = field(default_factory=HowRecoded)
    accuracy: Accuracy = field(default_factory=Accuracy)
    publishing: Publishing = field(default_factory=Publishing)
    wrong_of_table: bool = False

    @property
    def joint(self) -> bool:
        """Whether the options ask for more than one column of numbers by itself."""
        return (
            len(self.table.column or ()) > 1
            or len(self.table.secret or ()) > 1
            or self.roles != Roles()
            or bool(self.publishing.keep)
            or self.recoding.of_columns
        )

    @property
    def counting(self) -> Asked:
        """The options on which the counts of a table depend, and no others."""
        return Asked(
            table=self.table,
            roles=self.roles,
            recoding=HowRecoded(edges=self.recoding.edges),
            publishing=Publishing(keep=self.publishing.keep),
        )

    @property
    def describing(self) -> Asked:
        """The options on which a scenario depends, given the counts, and no others."""
        found = self.counting
        never = replace(found.recoding, never=self.recoding.never)
        return replace(found, adversaries=self.adversaries, recoding=never)

    def check(self) -> None:
        """Refuse options that do not go together, before any work.

        Whether a column holds numbers is not known yet: options that only tables refuse are
        refused later.
        """
        self.publishing.check()
        self.goal.check()
        if self.goal.mechanism is not None or not self.table.column:
            self.recoding.refuse(self.goal.kind, self.adversaries.bounds)
        _ = self.recoding.settled.arguments
        require(
            self.recoding.holds_in is None or not self.recoding.nominal,
            "--nominal takes the laws to be exactly those of the table, but "
            "--held-out finds by how much they may be wrong: give one of them.",
        )
        self.goal.check_rows(self.publishing.rows)
        if not self.goal.adds_noise and self.publishing.postprocess:
            more = (
                " Noise is clipped where that helps; --cap LOW:HIGH names public bounds for it."
                if self.goal.kind == "auto"
                else " A recoding publishes its own values."
            )
            raise InvalidInputError(
                "--round and --clip are about noise: leave them out with --mechanism "
                f"{self.goal.kind}.{more}"
            )

    def choose(self, described: Described, voice: Voice) -> Chosen | None:
        """With --mechanism auto: the ways to keep the promise, and which of them errs least."""
        if self.goal.kind != "auto":
            return None
        return self.ways(described.scenario, self.goal.guarantee(self.rows.count), voice)

    def ways(self, scenario: Scenario, goal: Guarantee, voice: Voice) -> Chosen:
        """The ways to keep one promise, within the public bounds of a cap, if there is one."""
        public = self.adversaries.bounds
        with voice.progress("Comparing"):
            return choose_mechanism(
                scenario,
                goal,
                bounds=public,
                keep=self.publishing.kept,
                **self.recoding.arguments,
            )

    def plan(self, described: Described, voice: Voice, chosen: Chosen | None = None) -> ColumnPlan:
        """The plan: what is applied to a scenario's values, and the rest as asked for.

        Args:
            described: The scenario.
            voice: Told how far it has come.
            chosen: The result of `choose`, if it was called already.
        """
        self.refuse_for_column()
        column, secret = self.table.columns
        publishing = self.publishing
        found = chosen or self.choose(described, voice)
        one_row: Any = publishing.one_row
        return ColumnPlan(
            calibration=self.calibration(described, voice, found),
            column=column,
            secret=secret,
            keep_unprotected=tuple(publishing.keep_unprotected or ()),
            missing=self.adversaries.missing_of(numbers=True),
            unit="row" if publishing.person is None else "person",
            person=publishing.person,
            rows_per_person=publishing.rows_per_person,
            dependence=publishing.rows.dependence,
            one_row=one_row,
            cap=self.adversaries.bounds,
            step=publishing.step,
            postprocess=publishing.postprocess if found is None else found.taken.postprocess,
            keep_order=publishing.keep_order,
            others=described.others,
            allow_no_noise=publishing.allow_no_noise,
            wrong_of_table=self.wrong_of_table and self.goal.adds_noise,
            rounding=self.rounding,
        )

    @property
    def rounding(self) -> Rounding:
        """How sizes are rounded. Noise asked for by its size or accuracy is not rounded: ε is."""
        return "given" if self.accuracy.given else self.goal.rounding

    def described(self, voice: Voice, halves: Halves | None = None) -> Described:
        """The scenario from the counts of the released table, or of half of it.

        Args:
            voice: Told of the work.
            halves: How the table was split, if beliefs are fitted to one half.
        """
        self.refuse_for_column()
        if halves is None:
            return self.adversaries.described(self.table, voice, self.reduction)
        self.adversaries.check()
        fitted = self.adversaries.describe(halves.fitted, voice)
        return replace(fitted, counted=halves.rest)

    def refuse_for_column(self) -> None:
        """Refuse options that one column of numbers by itself cannot have.

        Among them `wrong` where noise is asked for in a way that does not cover wrong laws: for a
        table of several ε, an accuracy or several rows of a person, noise is found from the
        described laws alone.
        """
        self.recoding.refuse(self.goal.kind, self.adversaries.bounds)
        finds = self.recoding.holds_in is not None
        if self.goal.kind == "recode" or not (self.recoding.share or finds):
            return
        option = "--held-out" if finds else "--wrong"
        require(
            self.goal.epsilon is not None and not self.accuracy.given and self.rows.apart,
            f"{option} with noise needs --epsilon, and one row for each person or rows that are "
            "independent (--rows-are independent).",
        )
        self.refuse_given_noise()

    def refuse_given_noise(self) -> None:
        """Refuse to find `wrong` where the noise is given, or comes from another method."""
        require(
            self.recoding.holds_in is None
            or (self.goal.scale is None and self.goal.method == "exact"),
            "--held-out finds the noise with which the promise holds for other rows: leave out "
            "--scale and --method.",
        )

    def halves(self, voice: Voice) -> Halves:
        """The table, split at random."""
        self.refuse_half()
        return self.table.halves(voice)

    def refuse_half(self) -> None:
        """Refuse options that do not go with a random split of the table."""
        require(
            self.adversaries.reference is None and self.publishing.person is None,
            "--fit-on half splits the table row by row and fits to one half: leave out "
            "--reference and --person.",
        )
        self.table.refuse_half()

    @property
    def reduction(self) -> OneRow | None:
        """How the rows of a person become one row before anything else, if they do."""
        if self.publishing.one_row is None:
            return None
        return self.publishing.reduction(*self.table.columns)

    @property
    def rows(self) -> SeveralRows:
        """The rows of a person, within the bounds of --cap."""
        return replace(self.publishing.rows, width=width_of(self.adversaries.bounds))

    def calibration(
        self, described: Described, voice: Voice, chosen: Chosen | None = None
    ) -> Calibration:
        """The least noise, the strongest promise, a recoding, or what errs least.

        Args:
            described: The scenario.
            voice: Told how far it has come.
            chosen: The result of `choose`, if it was called already.
        """
        scenario, rows = described.scenario, self.rows
        found = chosen or self.choose(described, voice)
        if found is not None:
            return found.taken.calibration
        if self.accuracy.given:
            return self.accuracy.calibration(scenario, self.goal, rows, described.records)
        if self.goal.kind != "recode":
            return self.goal.calibration(scenario, rows, voice, self.recoding.share)
        with voice.progress("Calibrating"):
            mapped = calibrate(
                scenario,
                self.goal.guarantee(rows.count),
                mechanism="recode",
                **self.recoding.arguments,
            )
        return self.marked(mapped)

    def marked(self, found: Calibration) -> Calibration:
        """The same options, marked if `wrong` was chosen by looking at the table."""
        if found.recode is None or not self.wrong_of_table:
            return found
        return replace(
            found,
            recode=replace(found.recode, wrong_of_table=True),
            parts=tuple(self.marked(part) for part in found.parts),
        )
