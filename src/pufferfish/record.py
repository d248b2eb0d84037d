"""The record of a release: what was done and promised, in an internal and a public edition.

The internal edition holds the plan, with the beliefs, and the certificate: all that is needed to
check every claim again. The public edition holds what an analyst needs, and nothing that is derived
from a belief or from the data unless every belief is public.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pufferfish.atomic import write_text
from pufferfish.codec import PRIVATE_NOTICE, document_text
from pufferfish.exact.certificate import noise_to_dict
from pufferfish.noise import GaussianNoise, LaplaceNoise
from pufferfish.plan import Plan, postprocess_to_dict

__all__ = ["VERSION", "Edition", "Record", "described", "not_promised"]

VERSION = 1
Edition = Literal["internal", "public"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Record:
    """What one release did.

    Attributes:
        plan: What was planned.
        rows_read: Rows of the table; internal.
        rows_published: Rows that were published.
        rows_missing: Rows without a value; internal.
        rows_unprotected: Rows whose secret is in no pair; internal.
        rows_outside: Values beyond all that the beliefs consider; internal.
        column_std: The std of the column itself; internal.
        sha256: Checksum of what was published.
        checksum_of: What the checksum is of: "file", or "column".
        output: The name of the published file, without its folder; None for a frame.
        versions: Of the software.
        created: When, in UTC.
    """

    plan: Plan
    rows_read: int
    rows_published: int
    rows_missing: int
    rows_unprotected: int
    rows_outside: int
    column_std: float
    sha256: str
    checksum_of: Literal["file", "column"]
    output: str | None
    versions: dict[str, str]
    created: str

    def to_dict(self, edition: Edition = "internal") -> dict[str, Any]:
        """Plain data for a document."""
        plan = self.plan
        public = {
            "pufferfish": "record",
            "version": VERSION,
            "edition": edition,
            "notice": "May be published." if edition == "public" else PRIVATE_NOTICE,
            **described(plan),
            "published": {
                "rows": self.rows_published,
                "sha256": self.sha256,
                "checksum_of": self.checksum_of,
                "file": self.output,
            },
            "versions": self.versions,
            "created": self.created,
        }
        # Beliefs that anyone may see can be checked by anyone.
        if edition == "public" and not plan.public:
            return public
        document = plan.to_dict()
        if edition == "public":
            # Secrets of the table that no belief names may point at few people.
            document |= {"others": [], "notice": "May be published."}
        public |= {
            "plan": document,
            "certificate": plan.calibration.certificate.to_dict(),
        }
        if edition == "internal":
            public["table"] = {
                "rows": self.rows_read,
                "missing": self.rows_missing,
                "unprotected": self.rows_unprotected,
                "outside": self.rows_outside,
                "column_std": self.column_std,
            }
        return public

    def save(self, path: str | Path, edition: Edition, *, force: bool = False) -> None:
        """Write one edition; the internal one for its owner alone."""
        place = Path(path)
        text = document_text(self.to_dict(edition), place)
        # Counts and spread of the table are in the internal one, even where all beliefs are public.
        write_text(place, text, force=force, private=edition == "internal")

    def __repr__(self) -> str:
        """Names the column; counts of the table may be private."""
        return f"Record({self.plan.column!r}, {self.rows_published} rows published)"


def described(plan: Plan) -> dict[str, Any]:
    """What a record says of its plan to everybody: nothing of a private belief."""
    return {
        "promise": claim(plan),
        "not_promised": not_promised(plan),
        "goal": {"epsilon": plan.promise.epsilon, "delta": plan.promise.delta},
        "unit": plan.unit,
        "pairs": [list(pair) for pair in plan.calibration.scenario.pairs],
        "column": plan.column,
        "kept": list(plan.keep),
        "missing": plan.missing,
        "shuffled": plan.shuffled,
        "noise": noise_to_dict(plan.calibration.noise),
        "postprocess": [postprocess_to_dict(each) for each in plan.postprocess],
    }


def claim(plan: Plan) -> str:
    """The promise in words that hold nothing of a private belief."""
    promise, rows = plan.promise, plan.rows_per_person
    unit = "one row" if plan.unit == "row" else f"one person (at most {rows} rows)"
    pairs = plan.calibration.scenario.pairs
    named = "; ".join(f"{first!r} and {second!r}" for first, second in pairs[:10])
    more = f"; and {len(pairs) - 10} more pairs" if len(pairs) > 10 else ""
    adversaries = len(plan.calibration.scenario.beliefs)
    return (
        f"What the published {plan.column!r} of {unit} says about {plan.secret!r} is bounded, for "
        f"each of these pairs: {named}{more}. The bound is {promise} pufferfish privacy, against "
        f"{adversaries} described adversar{'y' if adversaries == 1 else 'ies'}, for one release. "
        f"{_noise_in_words(plan)}"
    )


def _noise_in_words(plan: Plan) -> str:
    noise = plan.calibration.noise
    if isinstance(noise, LaplaceNoise):
        return f"Added was Laplace noise of scale {noise.scale:g} (std {noise.std:.4g})."
    if isinstance(noise, GaussianNoise):
        return f"Added was Gaussian noise of std {noise.std:g}."
    return "No noise was added."


def not_promised(plan: Plan) -> list[str]:
    """What nobody should read into the promise."""
    text = [
        "Anything to an adversary who knows more than those described: the exact rows, or that "
        "rows are not independent given the secret.",
        "Anything about several releases of the same column, with fresh noise each.",
        "That a given person's row is in the table, or how many rows it has.",
    ]
    if plan.unit == "row":
        text.append("Anything about several rows of one person: each further row costs as much.")
    text += [
        f"Anything about values of {plan.secret!r} that are in none of the pairs.",
        f"Anything about a value of {plan.column!r} far from all that the described adversaries "
        "consider possible, or to somebody who believes something else.",
    ]
    if plan.keep:
        text.append(
            f"What the other published columns ({', '.join(plan.keep)}), or the order of the rows, "
            f"say about {plan.secret!r}."
        )
    elif plan.keep_order:
        text.append(f"What the order of the rows says about {plan.secret!r}.")
    if plan.missing == "drop":
        text.append(
            "Which and how many rows had no value: they were left out before anything else, and "
            "the promise is about the rows that remain."
        )
    return text
