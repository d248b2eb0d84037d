"""The plan of a table: columns that are published together, what others know, and the promise.

A plan holds the beliefs, so it is as private as they are. The certificate is not read from the
document: it is computed again, stratum by stratum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, get_args

from pufferfish.beliefs.documents import ScenarioEntries, scenario_to_dict
from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Label, parts_of
from pufferfish.beliefs.layout import Layout
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import Belief, Scenario, Secret, check_secret
from pufferfish.calibration.by_known import publish_any, recertify_any
from pufferfish.calibration.least_noise import Method
from pufferfish.calibration.mechanism import Mechanism, no_noise_in_words
from pufferfish.calibration.postprocess import Postprocess, StepEntries, steps_to_plain
from pufferfish.calibration.recode import check_figures
from pufferfish.calibration.result import Calibration, Recode, recode_to_plain
from pufferfish.calibration.slight import publishes_values
from pufferfish.core.errors import CertificationError
from pufferfish.core.ladder import ROUNDINGS, Rounding
from pufferfish.core.validation import bounds, require
from pufferfish.documents.shape import entries_of, made, read
from pufferfish.documents.types import Bounds, Name, NotNegative, Share
from pufferfish.exact.certificate import Certificate
from pufferfish.joint.checks import check_beliefs, check_numbers, check_roles
from pufferfish.kinds.choosing import Plan
from pufferfish.kinds.entries import PlanHead
from pufferfish.kinds.plan import plan_to_dict
from pufferfish.noise import law_to_dict
from pufferfish.tables.one_row import OneRow
from pufferfish.theorems import Tau
from pufferfish.words.phrases import list_in_words

__all__ = ["TablePlan", "TablePlanEntries", "is_table"]

Missing = Literal["refuse", "keep", "drop"]


class _Head(PlanHead, kw_only=True):
    pufferfish: Literal["table-plan"]
    method: Literal[Method, "given", "recode"] = "exact"
    tau: Tau | None = None
    radius: NotNegative = 0.0
    wrong: Share = 0.0
    recodes: tuple[entries_of(Recode), ...] = ()  # type: ignore[valid-type]  # made of the dataclass


def is_table(given: Mapping[str, Any]) -> bool:
    """Whether the arguments of a plan ask for more than one column of numbers by itself."""
    calibration = given.get("calibration")
    beliefs = calibration.scenario.beliefs if isinstance(calibration, Calibration) else ()
    return (
        any(given.get(name) for name in ("columns", "known", "keep", "jointly", "missing_secret"))
        or not isinstance(given.get("secret", ""), str)
        or any(each.labelled or each.given for each in beliefs)
    )


@dataclass(frozen=True, kw_only=True)
class TablePlan(Plan):
    """What is released of a table, how, and under which promise, given what is known.

    Attributes:
        calibration: What is applied, and its certificate; separately for each combination of the
            values of kept columns, if it was calibrated so.
        columns: The columns that are published together, under the promise.
        secret: The column of the secret, or several of them; never published.
        known: Columns that an adversary may know. The promise holds for somebody who knows them,
            any of them, or none.
        keep: Columns that are published as they are, or by their public rule. Everybody knows
            them, so each is one of `known`; those that are not named there are added to it.
        keep_unprotected: Columns that are published as they are, and that the promise does not
            cover: the release measures what they reveal together with all others, and states it
            first.
        missing: "refuse" missing values; "keep" them: as holes, or, of categories and of several
            columns, as one more category; or, of one column of numbers, "drop" their rows. By
            default numbers are refused, and others kept.
        person: The column that says which rows belong to one person, who may have one row only.
        cap: For one column of numbers: values are moved into these public bounds first.
        rounding: How sizes of noise that depend on private beliefs are rounded up, as in `Plan`.
        postprocess: For one column of numbers with noise: what is done to each noised value.
        keep_order: Publish the rows in their order; otherwise whole rows are shuffled.
        others: Secrets that may occur and are not in the beliefs. Their rows are published too,
            but nothing is promised for them, nor for rows without a secret.
        jointly: Whether the combinations of several secrets are protected, and not each by itself.
        missing_secret: Whether a missing secret is a group of its own.
        allow_no_noise: Publish everything as it is where the certificate permits it.
        wrong_of_table: For noise: whether the share by which laws may be wrong was chosen by
            looking at the table.
    """

    KIND: ClassVar[str] = "table-plan"

    calibration: Calibration = field(repr=False)
    columns: tuple[Name, ...] = ()
    column: str | None = field(default=None, repr=False)
    # One name or several; after validation the first of them, for code that needs one.
    secret: Any = ()
    secret_columns: tuple[Name, ...] = field(init=False, repr=False)
    known: tuple[Name, ...] = ()
    keep: tuple[Name, ...] = ()
    keep_unprotected: tuple[Name, ...] = ()
    # One of `Missing`, after validation.
    missing: Any = None
    person: str | None = None
    cap: Bounds | None = None
    rounding: Rounding = "ladder"
    postprocess: tuple[Postprocess, ...] = ()
    keep_order: bool = False
    others: tuple[Secret, ...] = ()
    jointly: bool = False
    missing_secret: bool = False
    allow_no_noise: bool = False
    wrong_of_table: bool = False

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, or could not be released."""
        require(
            isinstance(self.calibration, Calibration),
            f"calibration must be a Calibration, got {type(self.calibration).__name__}.",
        )
        self._take_names()
        if self.missing is None:
            object.__setattr__(self, "missing", "refuse" if self.numeric else "keep")
        for name, known in (("missing", get_args(Missing)), ("rounding", ROUNDINGS)):
            given = getattr(self, name)
            require(given in known, f"{name} must be one of {known}, got {given!r}.")
        if self.cap is not None:
            object.__setattr__(self, "cap", bounds("cap", self.cap))
        check_roles(self)
        check_beliefs(self)
        check_numbers(self)
        if self.rounding != "given" and not self.public:
            object.__setattr__(self, "calibration", publish_any(self.calibration, self.rounding))
        check_figures(self.calibration)
        # Refuses what cannot be released: an uncertified law, no grid, no noise unasked.
        _ = self.mechanisms

    def _take_names(self) -> None:
        require(
            (self.column is None) != (not self.columns),
            "name what is published: column=..., or columns=[...].",
        )
        columns = (self.column,) if self.column is not None else self.columns
        secrets = (self.secret,) if isinstance(self.secret, str) else self.secret
        given = {"columns": columns, "secret_columns": secrets}
        given |= {name: getattr(self, name) for name in ("known", "keep", "keep_unprotected")}
        for name, names in given.items():
            good = isinstance(names, list | tuple) and all(
                isinstance(each, str) and each for each in names
            )
            require(good, f"{name} must be names of columns.")
            require(len(set(names)) == len(names), f"{name} names a column twice.")
        require(bool(secrets), "name the column of the secret: secret=...")
        every = (*self.known, *(each for each in self.keep if each not in self.known))
        found = given | {"columns": columns, "known": every, "column": None}
        for name, names in found.items():
            object.__setattr__(self, name, None if names is None else tuple(names))
        object.__setattr__(self, "secret", self.secret_columns[0])
        for name in ("others", "postprocess"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "others", tuple(check_secret(each) for each in self.others))
        for name in ("keep_order", "jointly", "missing_secret", "allow_no_noise"):
            flag = getattr(self, name)
            require(isinstance(flag, bool), f"{name} must be true or false, got {flag!r}.")

    @cached_property
    def numeric(self) -> bool:
        """Whether what is published is one column of numbers that are not taken as categories."""
        return not any(each.labelled for each in self.scenario.beliefs)

    @cached_property
    def layout(self) -> Layout:
        """What the columns are for, and the public rules by which they are read."""
        rules = {
            name: rule for belief in self.scenario.beliefs for name, rule in belief.rules.items()
        }

        def label(name: str) -> Rule:
            return rules.get(name) or Rule(column=name, read="label")

        return Layout(
            columns=tuple(
                rules.get(name) or self._by_labels(name, part)
                for part, name in enumerate(self.columns)
            ),
            secrets=tuple(map(label, self.secret_columns)),
            known=tuple(map(label, self.known)),
            jointly=self.jointly,
            missing_secret=self.missing_secret,
        )

    def _by_labels(self, name: str, part: int) -> Rule:
        """The rule of a published column where none was given, from the type of its labels."""
        labels: list[Label] = [
            parts_of(labels)[part]
            for belief in self.scenario.beliefs
            for law in belief.priors.values()
            if isinstance(law, Categorical)
            for labels in law.values
        ]
        number = all(
            each is None or (isinstance(each, int | float) and not isinstance(each, bool))
            for each in labels
        )
        return Rule(column=name, read="number" if number else "label")

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The mechanism of each stratum; one where there are no strata."""
        parts = self.calibration.parts or (self.calibration,)
        # A map of categories may leave some strata as they are, where they reveal nothing.
        bare = [each for each in parts if publishes_values(each)]
        changes = not self.numeric and len(bare) < len(parts)
        if bare and len(bare) < len(parts) and self.numeric and not self.allow_no_noise:
            raise CertificationError(
                f"for {len(bare):,} of {len(parts):,} combinations of what everybody knows "
                f"({list_in_words(self.keep)}), {no_noise_in_words(bare[0].certificate)}"
            )
        return tuple(
            Mechanism.from_calibration(
                part, self.postprocess, allow_no_noise=self.allow_no_noise or changes
            )
            for part in parts
        )

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is applied; where there are strata, each to its own rows."""
        return Mechanism(
            noise=self.calibration.mechanism,
            certificate=self.certificate,
            postprocess=() if self.calibration.parts else self.postprocess,
            allow_no_noise=self.allow_no_noise,
        )

    @property
    def promise(self) -> Guarantee:
        """What is promised for one row."""
        return self.calibration.goal

    @property
    def unit(self) -> Literal["row", "person"]:
        """What the promise is about."""
        return "row" if self.person is None else "person"

    @property
    def rows_per_person(self) -> int:
        """One: what several rows would cost given known columns is not proven."""
        return 1

    @property
    def reduction(self) -> OneRow | None:
        """None: persons with several rows are refused."""
        return None

    @property
    def shuffled(self) -> bool:
        """Whether rows are published in random order."""
        return not self.keep_order

    @property
    def secrets(self) -> frozenset[Secret]:
        """All secrets that may occur."""
        return frozenset(self.others).union(*(each.priors for each in self.scenario.beliefs))

    @property
    def protected(self) -> frozenset[Secret]:
        """The secrets that occur in a pair."""
        return frozenset(self.scenario.secrets)

    @property
    def public(self) -> bool:
        """Whether everything that the mechanism was computed from is public."""
        recode = self.calibration.recode
        own = recode is not None and (recode.weighted or recode.loss == "own")
        return not own and all(belief.public for belief in self.scenario.beliefs)

    @property
    def certificate(self) -> Certificate:
        """Shows that one row keeps the promise, against every described adversary."""
        return self.calibration.certificate

    @property
    def scenario(self) -> Scenario:
        """What must be indistinguishable, to whom."""
        return self.calibration.scenario

    @property
    def claiming(self) -> tuple[Belief, ...]:
        """The beliefs that claim to be fitted to the table."""
        return tuple(each for each in self.scenario.beliefs if each.fitted_on is not None)

    @property
    def unattacked(self) -> list[str]:
        """Columns that the promise does not cover."""
        if not self.keep_unprotected:
            return []
        return [
            f"This is about {list_in_words(self.columns)}. Nothing is promised to somebody who "
            f"sees {list_in_words(self.keep_unprotected)} as well."
        ]

    def to_public_dict(self) -> dict[str, Any]:
        """Plain data without secrets of the table that no belief names."""
        return {**super().to_public_dict(), "others": []}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        calibration = self.calibration
        recodes = [part.recode for part in calibration.parts or (calibration,)]
        document = plan_to_dict(
            self,
            calibration,
            noise=law_to_dict(calibration.mechanism),
            recodes=[recode_to_plain(each) for each in recodes if each is not None],
            postprocess=steps_to_plain(self.postprocess),
            scenario=scenario_to_dict(calibration.scenario),
            secret=list(self.secret_columns),
            wrong=calibration.wrong_of_noise,
        )
        unsaid = ("wrong", "wrong_of_table")
        return {name: entry for name, entry in document.items() if entry or name not in unsaid}

    @classmethod
    def from_dict(cls, data: dict[str, Any], recorded: Certificate | None = None) -> Self:
        """The plan that `to_dict` described; its laws are certified again."""
        entries = read(data, TablePlanEntries, "plan")
        left_out = ("calibration", "column", "secret_columns")
        names = (each.name for each in fields(cls) if each.name not in left_out)
        said = {name: made(getattr(entries, name)) for name in names}
        said["calibration"] = recertify_any(
            entries.scenario.made(),
            entries.goal.made(),
            entries.noise.made(),
            method=entries.method,
            tau=entries.tau,
            radius=entries.radius,
            recodes=made(entries.recodes),
            wrong=entries.wrong,
            recorded=recorded,
        )
        return cls(**said)


TablePlanEntries = TablePlan.SHAPE = entries_of(
    TablePlan,
    _Head,
    calibration=None,
    column=None,
    secret=tuple[Name, ...],
    secret_columns=None,
    missing=Missing | None,
    postprocess=tuple[StepEntries, ...],
    scenario=ScenarioEntries,
)
