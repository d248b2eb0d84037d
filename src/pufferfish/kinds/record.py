"""What a release states and did, for any kind: its record, in two editions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import CertificationError, InvalidInputError
from pufferfish.core.validation import refuse_incomputable, require
from pufferfish.documents.shape import problem
from pufferfish.documents.signing import SigningKey, signer_of, unsigned
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    PUBLIC_NOTICE,
    VERSION,
    as_document,
    document_text,
    naming_file,
    plain_document,
)
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.recheck import certificate_gap
from pufferfish.kinds.plan import ReleasePlan
from pufferfish.noise import Law

__all__ = ["TOLERANCE", "Edition", "PlanT", "ReleaseRecord", "Stated", "StatedT"]

Edition = Literal["internal", "public"]
# How far bounds may be from those that other versions or processors computed.
TOLERANCE = 1e-6


class Stated(ABC):
    """What everybody may know of a release; the record's words follow from it."""

    __slots__ = ()
    goal: Guarantee
    noise: Law

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for a document."""


PlanT = TypeVar("PlanT", bound=ReleasePlan)
StatedT = TypeVar("StatedT", bound=Stated)


class ReleaseRecord(ABC, Generic[PlanT, StatedT]):
    """What one release did, in two editions.

    The internal edition holds the plan and the certificate: all that is needed to check every claim
    again. The public edition holds what an analyst needs, and the plan only if that is public.
    `SHAPE` describes both (`record_shape`). `UNDECIDED` has the entries that no plan decides, each
    with the entry without which it says nothing: `verify` names them, unless the counts decide
    them.
    """

    __slots__ = ()
    KIND: ClassVar[str]
    SHAPE: ClassVar[Any]
    UNDECIDED: ClassVar[Mapping[str, str]] = MappingProxyType({})

    plan: PlanT
    versions: dict[str, str]
    created: str

    @property
    @abstractmethod
    def facts(self) -> StatedT:
        """What everybody may know of the release."""

    @property
    @abstractmethod
    def words(self) -> dict[str, Any]:
        """All that the record says in words, by entry."""

    @property
    @abstractmethod
    def published(self) -> dict[str, Any]:
        """What was published, or where it is."""

    @property
    @abstractmethod
    def counted(self) -> dict[str, Any]:
        """What was counted in the table; internal."""

    @classmethod
    @abstractmethod
    def restore(cls, data: Mapping[str, Any]) -> Self:
        """The record that an internal edition, of the right shape, describes.

        Its plan is certified again.
        """

    @abstractmethod
    def contradictions(self) -> list[str]:
        """Entries that cannot be true of one release together, in words."""

    def to_dict(self, edition: Edition = "internal") -> dict[str, Any]:
        """Plain data for a document."""
        plan, said = self.plan, self.words
        document = {
            # What is not covered comes in the first lines of the file.
            **{name: said[name] for name in ("headline",) if name in said},
            "pufferfish": self.KIND,
            "version": VERSION,
            "edition": edition,
            "notice": PUBLIC_NOTICE if edition == "public" else PRIVATE_NOTICE,
            **said,
            **self.facts.to_dict(),
            "published": self.published,
            "versions": self.versions,
            "created": self.created,
        }
        # A public plan and certificate are in both editions, so that anyone can check them.
        if edition == "public" and not plan.public:
            return document
        document |= {
            "plan": plan.to_public_dict() if edition == "public" else plan.to_dict(),
            "certificate": plan.certificate.to_dict(),
        }
        if edition == "internal":
            document["table"] = self.counted
        return document

    def save(
        self,
        path: str | Path,
        edition: Edition,
        *,
        force: bool = False,
        sign: SigningKey | None = None,
    ) -> None:
        """Write one edition, signed if a key is given; only the owner may read the internal one."""
        document = self.to_dict(edition)
        text = document_text(document if sign is None else sign.signed(document))
        # The internal edition has counts of the table, even where all beliefs are public.
        write_text(Path(path), text, force=force, private=edition == "internal")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The record that `to_dict("internal")` described; its plan is certified again.

        Counts, checksum, versions and date are taken as they are written.

        Raises:
            CertificationError: The plan does not keep its promise, or the record contradicts its
                plan, or has entries that no record has.
        """
        _refuse_bad_signature(data)
        data = unsigned(data)
        found = problem(data, cls.SHAPE)
        if found is not None:
            error = CertificationError if found.unknown else InvalidInputError
            raise error(f"this record is not of the right shape: {found}.")
        require(
            data["edition"] == "internal",
            "only the internal edition of a record, which holds the plan, can be loaded.",
        )
        with refuse_incomputable("record"):
            record = cls.restore(data)
        wrong = record.contradictions()
        if wrong:
            raise CertificationError(f"this record contradicts itself: {'; '.join(wrong)}.")
        again = record.to_dict()
        other = [name for name in again | data if again.get(name) != data.get(name)]
        # Bounds that were computed elsewhere may differ in their last digits.
        if set(other) - {"certificate"} or record._gap(data) > TOLERANCE:
            raise CertificationError(
                "this record does not say what its plan says; it differs in "
                f"{', '.join(sorted(other))}."
            )
        return record

    def _gap(self, data: Mapping[str, Any]) -> float:
        try:
            recorded = Certificate.from_dict(data["certificate"])
        except InvalidInputError:
            return math.inf
        return certificate_gap(recorded, self.plan.certificate, self.plan.scenario)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The record in a file."""
        plain = plain_document(Path(path), "record")
        with naming_file(Path(path)):
            return cls.from_dict(as_document(plain, cls.KIND))


def _refuse_bad_signature(data: dict[str, Any]) -> None:
    try:
        signer_of(data)
    except InvalidInputError as error:
        raise CertificationError(str(error)) from None
