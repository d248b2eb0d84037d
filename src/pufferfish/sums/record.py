"""The record of a released sum, in an internal and a public edition.

The same contract as `pufferfish.record`: the internal edition holds all that is needed to check
every claim again; the public one nothing that is derived from users who are not public, but for the
scale, rounded up, and the number of users where a mean tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pufferfish.atomic import write_text
from pufferfish.codec import PRIVATE_NOTICE, document_text
from pufferfish.guarantee import Guarantee
from pufferfish.ladder import Rounding
from pufferfish.mechanisms import words_of
from pufferfish.noise import Noise, law_to_dict, noise_from_dict
from pufferfish.record import Edition
from pufferfish.signing import SigningKey
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.secret import Protected
from pufferfish.sums.words import unpromised_sum

__all__ = ["VERSION", "SumRecord", "described_sum", "sum_words"]

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

    def save(
        self,
        path: str | Path,
        edition: Edition,
        *,
        force: bool = False,
        sign: SigningKey | None = None,
    ) -> None:
        """Write one edition, signed if a key is given; the internal one for its owner alone."""
        place, document = Path(path), self.to_dict(edition)
        text = document_text(document if sign is None else sign.signed(document), place)
        write_text(place, text, force=force, private=edition == "internal")

    def __repr__(self) -> str:
        """Shows what was published, and nothing else."""
        return f"SumRecord({self.plan.statistic} of {self.plan.column!r}, {self.value!r})"


def described_sum(plan: SumPlan) -> dict[str, Any]:
    """What a record says of its plan to everybody: nothing of users who are not public."""
    facts = _facts(plan)
    return {**sum_words(facts, tables=plan.calibration.users.laws is not None), **facts}


def sum_words(facts: Mapping[str, Any], *, tables: bool) -> dict[str, Any]:
    """All that a record says in words, from what else it says.

    Args:
        facts: The other entries of a record, of either edition.
        tables: Whether every user's table is known, and not only mean and std.
    """
    between = None if facts["between"] is None else tuple(facts["between"])
    protected = Protected(what=facts["protected"], between=between)
    noise = noise_from_dict(facts["noise"])
    return {
        "promise": _claim(facts, protected, noise),
        "not_promised": unpromised_sum(tables=tables) + _size_not_promised(facts["rounding"]),
    }


def _facts(plan: SumPlan) -> dict[str, Any]:
    calibration = plan.calibration
    goal, protected = calibration.goal, calibration.protected
    # A mean is a sum divided by the number of described users, which it gives away.
    told = plan.public or plan.statistic == "mean"
    return {
        "goal": {"epsilon": goal.epsilon, "delta": goal.delta},
        "protected": protected.what,
        "between": None if protected.between is None else list(protected.between),
        "statistic": plan.statistic,
        "column": plan.column,
        "noise": law_to_dict(calibration.noise),
        "rounding": None if plan.public else plan.rounding,
        "users": calibration.users.size if told else None,
    }


def _size_not_promised(rounding: Rounding | None) -> list[str]:
    """What the published scale says of users who are not public; nothing where all of them are."""
    if rounding is None:
        return []
    if rounding == "given":
        return [
            "What it says about the users that noise of this scale, which was chosen without what "
            "is known of them, suffices."
        ]
    to = "a rung of a public ladder" if rounding == "ladder" else "three digits"
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


def _claim(facts: Mapping[str, Any], protected: Protected, noise: Noise) -> str:
    added = "No noise was added."
    if not noise.identity:
        what = words_of(noise).noun(noise, "{:g}".format, "{:.4g}".format)
        added = f"Added to the sum was {what}."
    divided = (
        f" It was then divided by {facts['users']:,}, the number of described users."
        if facts["statistic"] == "mean"
        else ""
    )
    return (
        f"What the published {facts['statistic']} of {facts['column']!r} says about "
        f"{_secret(protected)} is bounded, for every user: {Guarantee(**facts['goal'])} pufferfish "
        "privacy, against one who knows the described laws of independent users, for one release. "
        f"{added}{divided}"
    )
