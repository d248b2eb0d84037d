"""The plan of a released sum: everything that was decided, as one versioned document.

A plan holds the description of the users, so it is as private as the description. The certificate
is not read from the document: every user is certified again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.ladder import ROUNDINGS, Rounding, rung_up
from pufferfish.core.validation import require
from pufferfish.documents.shape import read
from pufferfish.documents.types import Name
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.family import laplace_family
from pufferfish.kinds.entries import PlanHead
from pufferfish.kinds.plan import ReleasePlan, plan_to_dict
from pufferfish.noise import LaplaceNoise, LawEntries, NoNoise, as_noise, law_to_dict
from pufferfish.sums.calibration import SumCalibration, SumMethod, certified_sum
from pufferfish.sums.users_document import ProtectedEntries, UsersEntries, users_to_dict

__all__ = ["STATISTICS", "Statistic", "SumLawEntries", "SumPlan", "SumPlanEntries"]

Statistic = Literal["sum", "mean", "count"]
STATISTICS: tuple[Statistic, ...] = ("sum", "mean", "count")


class SumLawEntries(LawEntries):
    """The laws that a sum can have."""

    tags = (LaplaceNoise.kind, NoNoise.kind)


class SumPlanEntries(PlanHead, kw_only=True):
    """A plan in a document."""

    pufferfish: Literal["sum-plan"]
    noise: SumLawEntries
    method: Literal[SumMethod, "given"]
    protected: ProtectedEntries
    statistic: Statistic
    column: Name
    allow_no_noise: bool
    rounding: Rounding
    users: UsersEntries


@dataclass(frozen=True, slots=True, kw_only=True)
class SumPlan(ReleasePlan):
    """What is published of a column, and under which promise.

    Attributes:
        calibration: The noise, certified for every user. Where the users are not public the
            scale, which is published, is rounded up as `rounding` says.
        column: The name of the values.
        statistic: "sum"; "mean", the noised sum divided by the number of *described* users, which
            is thereby published (never by the number of rows, which may be the secret); "count",
            the sum of a column of zeros and ones.
        allow_no_noise: Publish the true sum where the certificate says that it may be.
        rounding: How the scale, where it depends on private users, is rounded up: to a rung of a
            public "ladder"; not at all where it was "given", chosen without knowledge of the users.
            docs/theory/published-size.md
    """

    KIND: ClassVar[str] = "sum-plan"
    SHAPE: ClassVar[Any] = SumPlanEntries

    calibration: SumCalibration = field(repr=False)
    column: str = "value"
    statistic: Statistic = "sum"
    allow_no_noise: bool = False
    rounding: Rounding = "ladder"

    def __post_init__(self) -> None:
        """Refuse a plan that contradicts itself or could not be released."""
        require(
            isinstance(self.calibration, SumCalibration),
            f"calibration must be a SumCalibration, got {type(self.calibration).__name__}.",
        )
        require(
            isinstance(self.column, str) and bool(self.column), "column must be a column's name."
        )
        require(
            self.statistic in STATISTICS,
            f"statistic must be one of {STATISTICS}, got {self.statistic!r}.",
        )
        require(isinstance(self.allow_no_noise, bool), "allow_no_noise must be true or false.")
        require(
            self.rounding in ROUNDINGS,
            f"rounding must be one of {ROUNDINGS}, got {self.rounding!r}.",
        )
        require(
            self.rounding != "given" or self.public or self.calibration.method == "given",
            'rounding="given" says that the scale was chosen without knowledge of the users, but '
            "this one was computed from it. Give the scale (size=... of pf.calibrate_sum), or "
            'leave out rounding="given".',
        )
        if self.statistic == "count":
            self._check_countable()
        if self.rounding != "given" and not self.public:
            calibration = _publishable(self.calibration)
            object.__setattr__(self, "calibration", calibration)
        # Refuses an uncertified law, and no noise where that was not permitted.
        _ = self.mechanism

    def _check_countable(self) -> None:
        laws = self.calibration.users.laws
        ones = laws is not None and bool(((laws.values == 0.0) | (laws.values == 1.0)).all())
        if not ones:
            raise UnsupportedError(
                "a count is a sum of zeros and ones: describe the users as binary (with value 1), "
                "or publish the statistic sum."
            )

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that adds the noise to the sum."""
        return Mechanism.from_calibration(
            self.calibration.calibration, allow_no_noise=self.allow_no_noise
        )

    @property
    def public(self) -> bool:
        """Whether anyone may know the whole plan."""
        return self.calibration.users.public

    @property
    def certificate(self) -> Certificate:
        """The certificate for the users who decide."""
        return self.calibration.calibration.certificate

    @property
    def holds(self) -> bool:
        """Whether the promise is kept for every user."""
        return self.calibration.holds

    @property
    def scenario(self) -> Scenario:
        """The scenario of the certificate: the sum with and without the users who decide."""
        return self.calibration.calibration.scenario

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""
        calibration = self.calibration
        return plan_to_dict(
            self,
            calibration,
            noise=law_to_dict(calibration.noise),
            users=users_to_dict(calibration.users),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The plan that `to_dict` described; its noise is certified again, for every user."""
        entries = read(data, SumPlanEntries, "plan of a sum")
        calibration = certified_sum(
            entries.users.made(),
            entries.protected.made(),
            entries.goal.made(),
            as_noise(entries.noise.made()),
            method=entries.method,
            tau=entries.tau,
        )
        return cls(
            calibration=calibration,
            column=entries.column,
            statistic=entries.statistic,
            allow_no_noise=entries.allow_no_noise,
            rounding=entries.rounding,
        )


def _publishable(calibration: SumCalibration) -> SumCalibration:
    """The same calibration with a scale on the ladder, which reveals little of the users.

    The grid follows from the rung, as for a column.
    """
    noise = calibration.noise
    if noise.identity or not calibration.holds:
        return calibration
    rounded = laplace_family(calibration.calibration.goal)(rung_up(noise.size))
    if rounded.size == noise.size:
        return calibration
    return certified_sum(
        calibration.users,
        calibration.protected,
        calibration.goal,
        rounded,
        method=calibration.method,
        tau=calibration.tau,
    )
