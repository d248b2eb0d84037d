"""What every kind of release has in common: a plan, what it states, its record, how it is checked.

A kind is one way to publish: the rows of a column, the sum of one. It gives its plan and its record
(subclasses of `ReleasePlan` and `ReleaseRecord`), and a `Kind`, which says how such a record is
checked. `register` makes it known to the verifier. Nobody above asks which kind it is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from pufferfish.atomic import write_text
from pufferfish.checks import require
from pufferfish.documents.shape import problem, written
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    PUBLIC_NOTICE,
    as_document,
    document_text,
    parse_document,
    plain_document,
    read_document,
)
from pufferfish.documents.upgrades import FROM_VERSION
from pufferfish.errors import CertificationError, InvalidInputError
from pufferfish.exact.certificate import Certificate
from pufferfish.exact.recheck import certificate_gap
from pufferfish.guarantee import Guarantee
from pufferfish.mechanism import Mechanism
from pufferfish.noise import Law
from pufferfish.scenario import Scenario, Secret
from pufferfish.signing import SigningKey, signer_of, unsigned
from pufferfish.tables.one_row import OneRow
from pufferfish.verdict import Check

__all__ = ["TOLERANCE", "Edition", "Kind", "ReleasePlan", "ReleaseRecord", "RowPlan", "Stated"]
__all__ += ["kind_of", "plan_of", "plan_to_dict", "register"]

Edition = Literal["internal", "public"]
# How far bounds that were computed elsewhere may be from ours: other versions, other processors.
TOLERANCE = 1e-6


class ReleasePlan(ABC):
    """What was decided for a release: a versioned document that may hold private statistics.

    Attributes:
        KIND: How documents call it.
        VERSION: The version that is written.
        SHAPE: What stands in the document.
    """

    __slots__ = ()
    KIND: ClassVar[str]
    VERSION: ClassVar[int]
    SHAPE: ClassVar[Any]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for the document."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` described, checked again.

        Raises:
            InvalidInputError: It has not the shape of such a document.
        """

    @property
    @abstractmethod
    def public(self) -> bool:
        """Whether all that the noise was computed from is public."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """What is applied to a value."""

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """Shows that the promise is kept, for those who decide."""

    @property
    def holds(self) -> bool:
        """Whether it is kept for everybody."""
        return self.certificate.holds is True

    @property
    @abstractmethod
    def scenario(self) -> Scenario:
        """What the certificate is about."""

    @property
    def unattacked(self) -> list[str]:
        """What attacks on single published values leave out, in sentences."""
        return []

    def to_public_dict(self) -> dict[str, Any]:
        """The document of a public plan, as it stands in the public edition of a record."""
        return self.to_dict() | {"notice": PUBLIC_NOTICE}

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the document, for its owner alone; YAML where the name says so."""
        place = Path(path)
        write_text(place, document_text(self.to_dict(), place), force=force, private=True)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """What a file holds."""
        return cls.from_dict(read_document(Path(path), cls.KIND, cls.VERSION))

    def to_json(self) -> str:
        """The document as JSON."""
        return document_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        return cls.from_dict(parse_document(text, cls.KIND, cls.VERSION))


def plan_to_dict(plan: ReleasePlan, calibration: object, **given: Any) -> dict[str, Any]:
    """The document of a plan: entries as given, or as the plan or its calibration has them."""
    head = {"pufferfish": plan.KIND, "version": plan.VERSION, "notice": PRIVATE_NOTICE}
    return written(plan.SHAPE, plan, calibration, **head, **given)


class RowPlan(ReleasePlan):
    """What was decided for a release of rows.

    Attributes:
        secret: The column of the secret; it is never published.
        keep: The columns that are published as they are.
        person: The column that says which rows belong to one person; None: the promise is about
            rows.
        rows_per_person: At most so many rows of one person are published.
    """

    __slots__ = ()
    secret: str
    keep: tuple[str, ...]
    person: str | None
    rows_per_person: int

    @property
    @abstractmethod
    def shuffled(self) -> bool:
        """Whether rows are published in random order."""

    @property
    @abstractmethod
    def protected(self) -> frozenset[Secret]:
        """The secrets that occur in a pair."""

    @property
    @abstractmethod
    def reduction(self) -> OneRow | None:
        """How the rows of a person become one before anything else, if they do."""


class Stated(ABC):
    """What everybody may know of a release; its words follow from it."""

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
    `SHAPE` says what stands in both (`record_shape`).
    """

    __slots__ = ()
    KIND: ClassVar[str]
    VERSION: ClassVar[int]
    SHAPE: ClassVar[Any]

    plan: PlanT
    versions: dict[str, str]
    created: str

    @property
    @abstractmethod
    def facts(self) -> StatedT:
        """What everybody may know of it."""

    @property
    @abstractmethod
    def words(self) -> dict[str, Any]:
        """All that it says in words, by entry."""

    @property
    @abstractmethod
    def published(self) -> dict[str, Any]:
        """What was published, or where it is."""

    @property
    @abstractmethod
    def counted(self) -> dict[str, Any]:
        """What was seen of the table; internal."""

    @classmethod
    @abstractmethod
    def restored(cls, data: Mapping[str, Any]) -> Self:
        """The record that an internal edition, of the right shape, describes.

        Its plan is certified again.
        """

    @abstractmethod
    def contradictions(self, *, old: bool) -> list[str]:
        """In words, what cannot be true of one release; `old`: it was written in version 1."""

    def to_dict(self, edition: Edition = "internal") -> dict[str, Any]:
        """Plain data for a document."""
        plan, said = self.plan, self.words
        document = {
            # What is not covered stands in the first lines of the file.
            **{name: said[name] for name in ("headline",) if name in said},
            "pufferfish": self.KIND,
            "version": self.VERSION,
            "edition": edition,
            "notice": PUBLIC_NOTICE if edition == "public" else PRIVATE_NOTICE,
            **said,
            **self.facts.to_dict(),
            "published": self.published,
            "versions": self.versions,
            "created": self.created,
        }
        # What anyone may see can be checked by anyone.
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
        """Write one edition, signed if a key is given; the internal one for its owner alone."""
        place, document = Path(path), self.to_dict(edition)
        text = document_text(document if sign is None else sign.signed(document), place)
        # What was seen of the table is in the internal one, even where all beliefs are public.
        write_text(place, text, force=force, private=edition == "internal")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The record that `to_dict("internal")` described; its plan is certified again.

        Counts, checksum, versions and date are taken as they are written.

        Raises:
            CertificationError: The plan does not keep its promise, or the record says something
                else than its plan, or more than any record.
        """
        _refuse_bad_signature(data)
        data, old = unsigned(data), FROM_VERSION in data
        found = problem({name: data[name] for name in data if name != FROM_VERSION}, cls.SHAPE)
        if found is not None:
            error = CertificationError if found.unknown else InvalidInputError
            raise error(f"this record is not of the right shape: {found}.")
        require(
            data["edition"] == "internal",
            "a record can be made again from its internal edition only, which holds the plan.",
        )
        record = cls.restored(data)
        wrong = record.contradictions(old=old)
        if wrong:
            raise CertificationError(f"this record contradicts itself: {'; '.join(wrong)}.")
        again = record.to_dict()
        other = [name for name in again | data if again.get(name) != data.get(name)]
        if old:
            # Words of version 1 were other words.
            unsaid = (*record.words, FROM_VERSION, "notice")
            other = [name for name in other if name not in unsaid]
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
        plain = plain_document(Path(path))
        _refuse_bad_signature(plain)
        return cls.from_dict(as_document(plain, cls.KIND, cls.VERSION))


def _refuse_bad_signature(data: dict[str, Any]) -> None:
    # What was signed is the document before it was upgraded (`load` has looked at that one).
    if FROM_VERSION not in data:
        try:
            signer_of(data)
        except InvalidInputError as error:
            raise CertificationError(str(error)) from None


class Kind(ABC, Generic[PlanT, StatedT]):
    """How a record of this kind is checked, claim by claim.

    Attributes:
        plan: The type of its plans.
        record: The type of its records.
        everybody: For whom the promise must be kept.
        private: Why the promise cannot be checked where the plan is not in the edition.
    """

    plan: ClassVar[type[ReleasePlan]]
    record: ClassVar[type[ReleaseRecord[Any, Any]]]
    everybody: ClassVar[str]
    private: ClassVar[str]

    @abstractmethod
    def facts(self, data: Mapping[str, Any]) -> StatedT:
        """What a record of either edition states."""

    @abstractmethod
    def words(self, facts: StatedT) -> dict[str, Any]:
        """The words that follow from it, by entry."""

    @abstractmethod
    def planned(self, facts: StatedT, plan: PlanT) -> StatedT:
        """What a release by this plan would have stated, had it done what these facts say."""

    @abstractmethod
    def promised(self, facts: StatedT) -> str:
        """What the noise must keep, and for whom."""

    @abstractmethod
    def recomputed(self, plan: PlanT) -> str:
        """What came out when the plan was certified again."""

    @abstractmethod
    def all_public(self, plan: Mapping[str, Any]) -> Check:
        """Whether a plan in a public edition is one that anyone may see."""

    @abstractmethod
    def agreement(self, data: Mapping[str, Any], facts: StatedT, plan: PlanT | None) -> list[str]:
        """In words, what of the things done and counted cannot be true together."""

    @abstractmethod
    def appearance(
        self,
        data: Mapping[str, Any],
        facts: StatedT,
        folder: Path | None,
        released: str | Path | None,
    ) -> tuple[list[Check], list[str]]:
        """What can be checked of what was published, and what was not looked at.

        Args:
            data: The record.
            facts: What it states.
            folder: Where a published file may be; None: it is not looked for.
            released: The published file or folder, where it is elsewhere.
        """


_KINDS: dict[str, Kind[Any, Any]] = {}


def register(kind: Kind[Any, Any]) -> None:
    """Make a kind known, by the names that its plans and records have in documents."""
    _KINDS[kind.plan.KIND] = _KINDS[kind.record.KIND] = kind


def kind_of(name: str) -> Kind[Any, Any]:
    """The kind whose plans or records have this name.

    Raises:
        InvalidInputError: There is none.
    """
    if name not in _KINDS:
        raise InvalidInputError(
            f"this is no record document of pufferfish; it is one of kind {name!r}."
        )
    return _KINDS[name]


def plan_of(plain: dict[str, Any]) -> ReleasePlan:
    """The plan that a document holds, of whatever kind and version, as `plain_document` read it."""
    plan = kind_of(plain["pufferfish"]).plan
    return plan.from_dict(as_document(plain, plan.KIND, plan.VERSION))
