"""The record of a release: what was done and promised, in an internal and a public edition.

The internal edition holds the plan, with the beliefs, and the certificate: all that is needed to
check every claim again. The public edition holds what an analyst needs. Unless every belief is
public, it depends on the data only by what is published, the number of rows, shares in whole
percent, and the size of the noise, rounded up (docs/theory/published-size.md).
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
    plain_document,
    read_document,
    reading,
)
from pufferfish.errors import CertificationError, InvalidInputError
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.recheck import certificate_gap
from pufferfish.plan import Plan
from pufferfish.schema import refuse_misshapen
from pufferfish.signing import SigningKey, signer_of, unsigned
from pufferfish.statement import WORDS, BeliefsFrom, Facts, Order, Reveals, contradictions, words
from pufferfish.upgrades import FROM_VERSION
from pufferfish.words.numbers import percent_of

__all__ = ["TOLERANCE", "VERSION", "ChecksumOf", "Edition", "Record"]

VERSION = 2
Edition = Literal["internal", "public"]
ChecksumOf = Literal["file", "folder", "column"]
# How far bounds that were computed elsewhere may be from ours: other versions, other processors.
TOLERANCE = 1e-6
_COUNTS = ("rows", "missing", "unprotected", "outside", "capped")


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
        rows_capped: Values that were moved to a bound of the plan's cap; internal.
        column_std: The std of the column itself, before any cap; internal.
        sha256: Checksum of what was published.
        checksum_of: What the checksum is of: a "file", a "folder" (of its manifest), a "column".
        output: The name of the published file or folder, without what it is in; None for a frame.
        order: The order in which the rows were published.
        beliefs_from: Where the beliefs come from, as far as that was checked.
        beliefs_fitted: When they were fitted, if to another table.
        rows_tested: Whether a test found nothing against the independence of a person's rows.
        reveals: What the protected column and the kept ones reveal together; None if none is kept.
        versions: Of the software.
        created: When, in UTC.
    """

    plan: Plan
    rows_read: int
    rows_published: int
    rows_missing: int
    rows_unprotected: int
    rows_outside: int
    rows_capped: int = 0
    column_std: float
    sha256: str
    checksum_of: ChecksumOf
    output: str | None
    order: Order
    beliefs_from: BeliefsFrom
    beliefs_fitted: str | None = None
    reveals: Reveals | None = None
    rows_tested: bool = False
    versions: dict[str, str]
    created: str

    @property
    def facts(self) -> Facts:
        """What everybody may know of it."""
        return Facts.of(
            self.plan,
            order=self.order,
            unprotected_percent=percent_of(self.rows_unprotected, self.rows_published),
            beliefs_from=self.beliefs_from,
            beliefs_fitted=self.beliefs_fitted,
            reveals=self.reveals,
            rows_tested=self.rows_tested,
        )

    def to_dict(self, edition: Edition = "internal") -> dict[str, Any]:
        """Plain data for a document."""
        plan, facts = self.plan, self.facts
        said = words(facts)
        public = {
            # What is not covered stands in the first lines of the file.
            "headline": said["headline"],
            "pufferfish": "record",
            "version": VERSION,
            "edition": edition,
            "notice": "May be published." if edition == "public" else PRIVATE_NOTICE,
            **said,
            **facts.to_dict(),
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
                "capped": self.rows_capped,
                "column_std": self.column_std,
            }
        return public

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
        _refuse_bad_signature(data)
        data = unsigned(data)
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
            said = Facts.from_dict(data)
            record = cls(
                plan=Plan.from_dict(data["plan"]),
                rows_read=table["rows"],
                rows_published=published["rows"],
                rows_missing=table["missing"],
                rows_unprotected=table["unprotected"],
                rows_outside=table["outside"],
                rows_capped=table["capped"],
                column_std=nonnegative("column_std", table["column_std"]),
                sha256=published["sha256"],
                checksum_of=published["checksum_of"],
                output=published["file"],
                order=said.order,
                beliefs_from=said.beliefs_from,
                beliefs_fitted=said.beliefs_fitted,
                reveals=said.reveals,
                rows_tested=said.rows_tested,
                versions=data["versions"],
                created=data["created"],
            )
        again = record.to_dict()
        # Bounds that were computed elsewhere may differ in their last digits; words of version 1
        # were other words.
        other = [name for name in again | data if again.get(name) != data.get(name)]
        if FROM_VERSION in data:
            other = [name for name in other if name not in (*WORDS, FROM_VERSION, "notice")]
        try:
            certified = Certificate.from_dict(data["certificate"])
            calibration = record.plan.calibration
            gap = certificate_gap(certified, calibration.certificate, calibration.scenario)
        except InvalidInputError:
            gap = math.inf
        wrong = contradictions(data, said, record.plan, old=FROM_VERSION in data)
        if wrong:
            raise CertificationError(f"this record contradicts itself: {'; '.join(wrong)}.")
        if set(other) - {"certificate"} or gap > TOLERANCE:
            raise CertificationError(
                "this record does not say what its plan says; it differs in "
                f"{', '.join(sorted(other))}."
            )
        return record

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The record in a file."""
        _refuse_bad_signature(plain_document(Path(path)))
        data = read_document(Path(path), "record", VERSION)
        refuse_misshapen({name: data[name] for name in data if name != FROM_VERSION}, "record")
        return cls.from_dict(data)

    def __repr__(self) -> str:
        """Names the column; counts of the table may be private."""
        return f"Record({self.plan.column!r}, {self.rows_published} rows published)"


def _refuse_bad_signature(data: dict[str, Any]) -> None:
    # What was signed is the document before it was upgraded (`load` has looked at that one).
    if FROM_VERSION not in data:
        try:
            signer_of(data)
        except InvalidInputError as error:
            raise CertificationError(str(error)) from None
