"""The record of a release: what was done and promised, in an internal and a public edition.

The internal edition holds the plan, with the beliefs, and the certificate: all that is needed to
check every claim again. The public edition holds what an analyst needs, and nothing that is derived
from a belief or from the data unless every belief is public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pufferfish.atomic import write_text
from pufferfish.checks import nonnegative, require
from pufferfish.codec import (
    PRIVATE_NOTICE,
    document_text,
    pairs_to_plain,
    read_document,
    reading,
)
from pufferfish.errors import CertificationError, InvalidInputError
from pufferfish.exact.certificate import Certificate, noise_to_dict
from pufferfish.exact.recheck import certificate_gap
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise
from pufferfish.numerics import readable
from pufferfish.plan import Plan, postprocess_to_dict

__all__ = ["TOLERANCE", "VERSION", "ChecksumOf", "Edition", "Record", "described"]
__all__ += ["noise_in_words", "not_promised"]

VERSION = 1
Edition = Literal["internal", "public"]
ChecksumOf = Literal["file", "folder", "column"]
# How far bounds that were computed elsewhere may be from ours: other versions, other processors.
TOLERANCE = 1e-6
_COUNTS = ("rows", "missing", "unprotected", "outside")


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
        checksum_of: What the checksum is of: a "file", a "folder" (of its manifest), a "column".
        output: The name of the published file or folder, without what it is in; None for a frame.
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
    checksum_of: ChecksumOf
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

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The record that `to_dict("internal")` described; its plan is certified again.

        Counts, checksum, versions and date are taken as they are written.

        Raises:
            CertificationError: The plan does not keep its promise, or the record says something
                else than its plan.
        """
        with reading("record"):
            require(
                data["edition"] == "internal",
                "a record can be made again from its internal edition only, which holds the plan.",
            )
            table, published = data["table"], data["published"]
            counts = [published["rows"], *(each for name, each in table.items() if name in _COUNTS)]
            require(
                all(isinstance(each, int) and each >= 0 for each in counts),
                "the counts of a record must be whole numbers.",
            )
            record = cls(
                plan=Plan.from_dict(data["plan"]),
                rows_read=table["rows"],
                rows_published=published["rows"],
                rows_missing=table["missing"],
                rows_unprotected=table["unprotected"],
                rows_outside=table["outside"],
                column_std=nonnegative("column_std", table["column_std"]),
                sha256=published["sha256"],
                checksum_of=published["checksum_of"],
                output=published["file"],
                versions=data["versions"],
                created=data["created"],
            )
        again = record.to_dict()
        # Bounds that were computed elsewhere may differ in their last digits.
        other = [name for name in again | data if again.get(name) != data.get(name)]
        try:
            certified = Certificate.from_dict(data["certificate"])
            calibration = record.plan.calibration
            gap = certificate_gap(certified, calibration.certificate, calibration.scenario)
        except InvalidInputError:
            gap = math.inf
        if set(other) - {"certificate"} or gap > TOLERANCE:
            raise CertificationError(
                "this record does not say what its plan says; it differs in "
                f"{', '.join(sorted(other))}."
            )
        return record

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The record in a file."""
        return cls.from_dict(read_document(Path(path), "record", VERSION))

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
        "pairs": pairs_to_plain(plan.calibration.scenario.pairs),
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
    more = f"; and {len(pairs) - 10:,} more pairs" if len(pairs) > 10 else ""
    adversaries = len(plan.calibration.scenario.beliefs)
    return (
        f"What the published {plan.column!r} of {unit} says about {plan.secret!r} is bounded, for "
        f"each of these pairs: {named}{more}. The bound is {promise} pufferfish privacy, against "
        f"{adversaries} described adversar{'y' if adversaries == 1 else 'ies'}, for one release. "
        f"{noise_in_words(plan.calibration.noise)}"
    )


def noise_in_words(noise: Noise) -> str:
    """What was added."""
    if isinstance(noise, LaplaceNoise):
        size, std = readable(noise.scale, 6), readable(noise.std)
        return f"Added was Laplace noise of scale {size} (std {std})."
    if isinstance(noise, GaussianNoise):
        return f"Added was Gaussian noise of std {readable(noise.std, 6)}."
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
