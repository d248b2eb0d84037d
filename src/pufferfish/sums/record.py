"""The record of a released sum, in an internal and a public edition.

The same contract as `pufferfish.record`: the internal edition holds all that is needed to check
every claim again; the public one nothing that is derived from users who are not public.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pufferfish.atomic import write_text
from pufferfish.codec import PRIVATE_NOTICE, document_text
from pufferfish.exact.certificate import noise_to_dict
from pufferfish.noise import NoNoise
from pufferfish.record import Edition
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.secret import Protected
from pufferfish.sums.words import unpromised_sum

__all__ = ["VERSION", "SumRecord", "described_sum"]

VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SumRecord:
    """What one released sum did.

    Attributes:
        plan: What was planned.
        value: The published number.
        rows: Rows that were summed; internal, for presence is a secret.
        outside: Rows beyond all that the description considers possible; internal.
        versions: Of the software.
        created: When, in UTC.
    """

    plan: SumPlan
    value: float
    rows: int
    outside: int
    versions: dict[str, str]
    created: str

    def to_dict(self, edition: Edition = "internal") -> dict[str, Any]:
        """Plain data for a document."""
        plan = self.plan
        document = {
            "pufferfish": "sum-record",
            "version": VERSION,
            "edition": edition,
            "notice": "May be published." if edition == "public" else PRIVATE_NOTICE,
            **described_sum(plan),
            "published": {"value": self.value},
            "versions": self.versions,
            "created": self.created,
        }
        if edition == "public" and not plan.public:
            return document
        inner = plan.to_dict()
        if edition == "public":
            inner |= {"notice": "May be published."}
        document |= {
            "plan": inner,
            "certificate": plan.calibration.calibration.certificate.to_dict(),
        }
        if edition == "internal":
            document["table"] = {"rows": self.rows, "outside": self.outside}
        return document

    def save(self, path: str | Path, edition: Edition, *, force: bool = False) -> None:
        """Write one edition; the internal one for its owner alone."""
        place = Path(path)
        text = document_text(self.to_dict(edition), place)
        write_text(place, text, force=force, private=edition == "internal")

    def __repr__(self) -> str:
        """Shows what was published, and nothing else."""
        return f"SumRecord({self.plan.statistic} of {self.plan.column!r}, {self.value!r})"


def described_sum(plan: SumPlan) -> dict[str, Any]:
    """What a record says of its plan to everybody: nothing of users who are not public."""
    calibration = plan.calibration
    goal, protected = calibration.goal, calibration.protected
    # A mean is a sum divided by the number of described users, which it gives away.
    told = plan.public or plan.statistic == "mean"
    return {
        "promise": _claim(plan),
        "not_promised": unpromised_sum(calibration) + _size_not_promised(plan),
        "goal": {"epsilon": goal.epsilon, "delta": goal.delta},
        "protected": protected.what,
        "between": None if protected.between is None else list(protected.between),
        "statistic": plan.statistic,
        "column": plan.column,
        "noise": noise_to_dict(calibration.noise),
        "rounding": None if plan.public else plan.rounding,
        "users": calibration.users.size if told else None,
    }


def _size_not_promised(plan: SumPlan) -> list[str]:
    """What the published scale says of users who are not public."""
    if plan.public:
        return []
    if plan.rounding == "given":
        return [
            "What it says about the users that noise of this scale, which was chosen without what "
            "is known of them, suffices."
        ]
    to = "a rung of a public ladder" if plan.rounding == "ladder" else "three digits"
    return [
        "What the scale of the noise says about the users. It was computed from what is known of "
        f"them and rounded up to {to}; one user who adds far more than all others decides it."
    ]


def _secret(protected: Protected) -> str:
    if protected.what == "presence":
        return "whether any one user's value is in it"
    if protected.between is None:
        return "which of their described values any one user reported"
    low, high = protected.between
    return f"whether any one user reported {low:g} or {high:g} (nothing else is bounded)"


def _claim(plan: SumPlan) -> str:
    calibration = plan.calibration
    secret = _secret(calibration.protected)
    noise = calibration.noise
    added = (
        "No noise was added."
        if isinstance(noise, NoNoise)
        else f"Added to the sum was Laplace noise of scale {noise.scale:g} (std {noise.std:.4g})."
    )
    divided = (
        f" It was then divided by {calibration.users.size:,}, the number of described users."
        if plan.statistic == "mean"
        else ""
    )
    return (
        f"What the published {plan.statistic} of {plan.column!r} says about {secret} is bounded, "
        f"for every user: {calibration.goal} pufferfish privacy, against one who knows the "
        f"described laws of independent users, for one release. {added}{divided}"
    )
