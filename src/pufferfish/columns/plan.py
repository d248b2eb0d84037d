"""The plan of a release: everything that was decided, as one versioned document.

`calibrate` writes it, `release` reads it. A plan holds the beliefs, so it is as private as they
are. The certificate is not read from the document: it is computed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from pufferfish.beliefs.documents import ScenarioEntries, scenario_to_dict
from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario, Secret, check_secret
from pufferfish.calibration.least_noise import Method, as_published, recertify
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.calibration.postprocess import Postprocess, StepEntries, steps_to_plain
from pufferfish.calibration.recode import check_figures
from pufferfish.calibration.result import Calibration, Recode, recode_to_plain
from pufferfish.calibration.rows import SeveralRows, check_rows
from pufferfish.calibration.slight import drawable
from pufferfish.core.ladder import ROUNDINGS, Rounding
from pufferfish.core.numerics import float_upper, off_step
from pufferfish.core.validation import bounds, positive, require
from pufferfish.documents.shape import entries_of, made, read
from pufferfish.documents.types import Bounds, Count, Name, NotNegative, Positive, Share
from pufferfish.exact.certificate import Certificate
from pufferfish.kinds.choosing import Plan
from pufferfish.kinds.entries import PlanHead
from pufferfish.kinds.plan import plan_to_dict
from pufferfish.noise import law_to_dict
from pufferfish.tables.one_row import OneRow as Reduction
from pufferfish.tables.seen import WhichPairs
from pufferfish.theorems import DEPENDENCES, Dependence, Tau
from pufferfish.theorems.anybody import width_of
from pufferfish.words.numbers import at_most

__all__ = ["DEPENDENCES", "ColumnPlan", "Dependence", "Missing", "OneRow", "PlanEntries", "Unit"]

Unit = Literal["row", "person"]
Missing = Literal["refuse", "keep", "drop"]
OneRow = Literal["first", "mean"]
_MOST_ROWS = 1_000_000
_CHOICES: dict[str, tuple[str | None, ...]] = {
    "missing": get_args(Missing),
    "unit": get_args(Unit),
    "dependence": DEPENDENCES,
    "one_row": (None, *get_args(OneRow)),
    "rounding": ROUNDINGS,
}


class _Head(PlanHead, kw_only=True):
    pufferfish: Literal["plan"]
    method: Literal[Method, "given", "recode"] = "exact"
    tau: Tau | None = None
    radius: NotNegative = 0.0
    wrong: Share = 0.0
    recode: entries_of(Recode) | None = None  # type: ignore[valid-type]  # made of the dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan(Plan):
    """What is released, how, and under which promise.

    Attributes:
        calibration: The noise and its certificate, for one row. Where a belief is not public, the
            noise's size, which is published, is rounded up as `rounding` says.
        column: The numeric column to protect.
        secret: The column of the secret; it is never published.
        keep_unprotected: Other columns to publish as they are. The promise is about `column` by
            itself; the release measures what they reveal together, and states it first.
        missing: "refuse" a table with missing values; "keep" them as holes, which the beliefs must
            allow for; "drop" their rows, so that their number is not protected.
        unit: What the promise is about: one "row", or one "person" with several.
        person: For the unit "person": the column that says which rows belong together.
        rows_per_person: At most this many rows of one person are published.
        dependence: What is assumed about several rows of one person, given the secret. "any":
            nothing. "equal": they repeat one value. In both cases the calibration's noise must
            keep its goal for all of them together (`pf.calibrate_rows`). "independent", as stated
            by the curator and tested at the release: each row keeps the calibration's goal, and
            together they keep (k·ε, k·δ).
        one_row: Publish one row for each person, made before anything else: its "first" row, or
            the "mean" of its values. The beliefs must be fitted to that table.
        cap: Values are moved into these public bounds before the mechanism; the beliefs describe
            the moved ones. A bound chosen by looking at the data reveals something about it.
        step: Every value is a multiple of this, as everybody may know: 1 for whole numbers. It is
            published, so that recipients can use it; a release refuses a table with other values.
        rounding: How the size of the noise, where it depends on private beliefs, is rounded up: to
            a rung of a public "ladder"; not at all where it was "given", chosen without the data.
            docs/theory/published-size.md
        postprocess: What is done to each noised value.
        keep_order: Publish the rows in their order; otherwise whole rows are shuffled. Order can
            reveal the secret.
        others: Secrets that may occur and are not in the beliefs. Their rows are noised too, but
            nothing is promised for them.
        allow_no_noise: Publish the values themselves where the certificate permits it.
        wrong_of_table: For noise: whether the share by which laws may be wrong was chosen by
            looking at the table.
    """

    KIND: ClassVar[str] = "plan"

    calibration: Calibration = field(repr=False)
    column: Name
    secret: Name
    keep_unprotected: tuple[Name, ...] = ()
    missing: Missing = "refuse"
    unit: Unit = "row"
    person: str | None = None
    rows_per_person: Count = 1
    dependence: Dependence = "any"
    one_row: OneRow | None = None
    cap: Bounds | None = None
    step: Positive | None = None
    rounding: Rounding = "ladder"
    postprocess: tuple[Postprocess, ...] = ()
    keep_order: bool = False
    others: tuple[Secret, ...] = ()
    allow_no_noise: bool = False
    wrong_of_table: bool = False

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, or could not be released."""
        require(
            isinstance(self.calibration, Calibration),
            f"calibration must be a Calibration, got {type(self.calibration).__name__}.",
        )
        for name in ("keep_unprotected", "postprocess", "others"):
            given = getattr(self, name)
            require(isinstance(given, list | tuple), f"{name} must be a list.")
            object.__setattr__(self, name, tuple(given))
        for name in ("keep_order", "allow_no_noise", "wrong_of_table"):
            # A text such as "false" would count as true.
            given = getattr(self, name)
            require(isinstance(given, bool), f"{name} must be true or false, got {given!r}.")
        object.__setattr__(self, "others", tuple(check_secret(each) for each in self.others))
        for name in (self.column, self.secret, *self.keep):
            require(isinstance(name, str) and bool(name), f"{name!r} is not a column's name.")
        require(self.column != self.secret, "column and secret must differ.")
        require(
            self.secret not in self.keep,
            f"the secret column {self.secret!r} cannot be kept: it is what must not be revealed.",
        )
        require(
            len(set(self.keep)) == len(self.keep),
            f"name each kept column once, got {', '.join(map(repr, self.keep))}.",
        )
        require(self.column not in self.keep, f"{self.column!r} is protected: do not keep it too.")
        for name, known in _CHOICES.items():
            given = getattr(self, name)
            require(given in known, f"{name} must be one of {known}, got {given!r}.")
        self._check_cap()
        self._check_step()
        self._check_unit()
        holes = any(
            belief.missing[secret]
            for belief in self.calibration.scenario.beliefs
            for secret in belief.priors
        )
        require(
            self.missing == "keep" or not holes,
            f"the beliefs allow for missing values, so with missing={self.missing!r} they describe "
            'another table: keep rows without a value (--missing keep, missing="keep"), or fit '
            "the beliefs to the rows that have one (pf.summarise(...).without_missing()).",
        )
        require(
            self.rounding != "given" or self.public or self.calibration.method == "given",
            'rounding="given" says that the size was chosen without the data, and the size of this '
            "calibration was computed from beliefs that are not public. Give the size "
            '(size=... of pf.calibrate, --scale), or leave out rounding="given".',
        )
        if self.allow_no_noise:
            object.__setattr__(self, "calibration", drawable(self.calibration))
        if self.rounding != "given" and not self.public:
            calibration = as_published(self.calibration, self.rounding)
            object.__setattr__(self, "calibration", calibration)
        check_figures(self.calibration)
        check_rows(self.calibration, self.several_rows)
        # Refuses what cannot be released: an uncertified law, no grid, no noise unasked.
        _ = self.mechanism

    def _check_step(self) -> None:
        if self.step is None:
            return
        object.__setattr__(self, "step", positive("step", self.step))
        require(
            self.one_row != "mean",
            "a mean of values is not a multiple of their step: leave out step (--step).",
        )
        require(
            self.cap is None or not off_step(np.array(self.cap), self.step).any(),
            "the bounds of a cap must be multiples of the step, as the capped values are.",
        )

    def _check_cap(self) -> None:
        """The beliefs must be about what is noised: the capped values."""
        if self.cap is not None:
            object.__setattr__(self, "cap", bounds("cap", self.cap))
        for belief in self.calibration.scenario.beliefs:
            require(
                belief.cap in (None, self.cap),
                f"belief {belief.name!r} is about values that are capped, and the plan has "
                f"{'no cap' if self.cap is None else 'another cap'}: give both the same "
                "(cap=..., --cap LOW:HIGH).",
            )
            require(
                self.cap is None or belief.cap == self.cap or belief.lies_within(*self.cap),
                f"belief {belief.name!r} considers values outside the cap, and no such value "
                "reaches the mechanism: it describes the column before the cap. Fit it to the "
                "capped column (cap=... of fit_beliefs, --cap LOW:HIGH), or, if it is about the "
                "capped one, say so (cap=... of Belief).",
            )

    def _check_unit(self) -> None:
        require(
            (self.person is not None) == (self.unit == "person"),
            'unit="person" and the column that names the person (person=...) need each other.',
        )
        rows = self.rows_per_person
        require(
            isinstance(rows, int) and not isinstance(rows, bool) and 1 <= rows <= _MOST_ROWS,
            f"rows_per_person must be a whole number from 1 to {_MOST_ROWS}.",
        )
        require(
            self.person is None or (isinstance(self.person, str) and bool(self.person)),
            "person must be the name of a column.",
        )
        require(rows == 1 or self.unit == "person", 'rows_per_person needs unit="person".')
        require(self.person not in (self.column, self.secret), "person needs a column of its own.")
        self._check_rows()

    def _check_rows(self) -> None:
        """Refuse contradictions in what is stated about several rows of a person."""
        rows = self.rows_per_person
        if self.dependence == "independent":
            total = self.calibration.goal.delta * rows
            require(total < 1.0, f"{rows} rows of one person would cost δ = {at_most(total)} ≥ 1.")
        if self.one_row is None:
            return
        require(
            self.person is not None and rows == 1,
            'one_row needs unit="person", and publishes one row of each (rows_per_person=1).',
        )
        require(
            not self.keep_order,
            "one row for each person has no place in the order of the table; leave out keep_order.",
        )
        require(
            self.one_row == "first" or not self.keep,
            "kept columns do not go with the mean of a person's rows: no row of the table has that "
            'value, so no other column belongs to it. Keep none, or use one_row="first".',
        )

    @property
    def keep(self) -> tuple[str, ...]:
        """The columns that are published as they are."""
        return self.keep_unprotected

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is applied to each value."""
        return Mechanism.from_calibration(
            self.calibration, self.postprocess, allow_no_noise=self.allow_no_noise
        )

    @property
    def promise(self) -> Guarantee:
        """What is promised for one unit.

        The calibration's goal; (k·ε, k·δ), rounded up, for k independent rows of a person.
        """
        goal, rows = self.calibration.goal, self.rows_per_person
        if self.dependence != "independent":
            return goal
        total = (float_upper(rows * Fraction(each)) for each in (goal.epsilon, goal.delta))
        return Guarantee(*total)

    @property
    def several_rows(self) -> SeveralRows:
        """The rows of one person, and what is assumed about them."""
        return SeveralRows(self.rows_per_person, self.dependence, width_of(self.cap))

    @property
    def reduction(self) -> Reduction | None:
        """How the rows of a person become one before anything else, if they do."""
        if self.person is None or self.one_row is None:
            return None
        return Reduction(
            person=self.person,
            column=self.column,
            secret=self.secret,
            way=self.one_row,
            keep=self.keep,
        )

    @property
    def tests_rows(self) -> bool:
        """Whether the release tests that the rows of a person are independent."""
        return self.rows_per_person > 1 and self.dependence == "independent"

    @property
    def tested_rows(self) -> WhichPairs:
        """Which rows of a person that test is about: those that are published, holes included."""
        if not self.tests_rows:
            return "none"
        return "present" if self.missing == "drop" else "all"

    @property
    def shuffled(self) -> bool:
        """Whether rows are published in random order."""
        return not self.keep_order

    @property
    def secrets(self) -> frozenset[Secret]:
        """All values that the secret column may have."""
        beliefs = self.calibration.scenario.beliefs
        return frozenset(self.others).union(*(belief.priors for belief in beliefs))

    @property
    def protected(self) -> frozenset[Secret]:
        """The secrets that occur in a pair."""
        return frozenset(self.calibration.scenario.secrets)

    @property
    def public(self) -> bool:
        """Whether every belief is public; `others` may still name secrets of a private table.

        For a recoding also whether nothing else was given to find it: weights, or a loss given by
        the user, are not known to be public.
        """
        recode = self.calibration.recode
        own = recode is not None and (recode.weighted or recode.loss == "own")
        return not own and all(belief.public for belief in self.calibration.scenario.beliefs)

    @property
    def certificate(self) -> Certificate:
        """Shows that one row keeps the calibration's goal."""
        return self.calibration.certificate

    @property
    def scenario(self) -> Scenario:
        """What must be indistinguishable, to whom."""
        return self.calibration.scenario

    @property
    def unattacked(self) -> list[str]:
        """Other rows of a person, and other columns."""
        said = []
        if self.keep:
            said.append(
                f"This is about {self.column!r} by itself. Nothing is promised to somebody who "
                f"sees {', '.join(map(repr, self.keep))} as well; with --original, learners see "
                "all of it."
            )
        if self.rows_per_person > 1:
            said.append(
                f"The attacks look at single rows. The promise of {self.promise} is about "
                f"{self.rows_per_person:,} rows of a person together: see its certificate "
                "(verify)."
            )
        return said

    def to_public_dict(self) -> dict[str, Any]:
        """Plain data without secrets that no belief names: they may point at few people."""
        return {**super(ColumnPlan, self).to_public_dict(), "others": []}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        calibration = self.calibration
        document = plan_to_dict(
            self,
            calibration,
            noise=law_to_dict(calibration.mechanism),
            recode=recode_to_plain(calibration.recode),
            postprocess=steps_to_plain(self.postprocess),
            keep=list(self.keep),
            scenario=scenario_to_dict(calibration.scenario),
            wrong=calibration.wrong_of_noise,
        )
        unsaid = ("recode", "wrong", "wrong_of_table")
        return {name: entry for name, entry in document.items() if entry or name not in unsaid}

    @classmethod
    def from_dict(cls, data: dict[str, Any], recorded: Certificate | None = None) -> Self:
        """The plan that `to_dict` described; its noise is certified again."""
        entries = read(data, PlanEntries, "plan")
        known = {"calibration", "keep_unprotected"}
        names = (each.name for each in fields(cls) if each.name not in known)
        said = {name: made(getattr(entries, name)) for name in names}
        said["keep_unprotected"] = entries.keep
        said["calibration"] = recertify(
            entries.scenario.made(),
            entries.goal.made(),
            entries.noise.made(),
            method=entries.method,
            tau=entries.tau,
            radius=entries.radius,
            recode=made(entries.recode),
            wrong=entries.wrong,
            recorded=recorded,
        )
        return cls(**said)


# Documents call it `keep`: that name is older than known columns, which are kept and protected.
PlanEntries = ColumnPlan.SHAPE = entries_of(
    ColumnPlan,
    _Head,
    called={"keep_unprotected": "keep"},
    calibration=None,
    postprocess=tuple[StepEntries, ...],
    scenario=ScenarioEntries,
)
