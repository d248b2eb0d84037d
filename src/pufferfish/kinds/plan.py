"""What was decided for a release, of any kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pufferfish.beliefs.scenario import Scenario, Secret
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.core.atomic import write_text
from pufferfish.documents.shape import written
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    PUBLIC_NOTICE,
    VERSION,
    document_text,
    naming_file,
    parse_document,
    read_document,
)
from pufferfish.exact.certificate import Certificate
from pufferfish.tables.one_row import OneRow

__all__ = ["ReleasePlan", "RowPlan", "plan_to_dict"]


class ReleasePlan(ABC):
    """What was decided for a release: a versioned document that may hold private statistics.

    Attributes:
        KIND: Its name in documents.
        SHAPE: The shape of the document.
    """

    __slots__ = ()
    KIND: ClassVar[str]
    SHAPE: ClassVar[Any]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for the document."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The plan that `to_dict` described, checked again.

        Raises:
            InvalidInputError: The data does not have the shape of such a document.
        """

    @classmethod
    def from_record(cls, data: Mapping[str, Any]) -> Self:
        """The plan in a record, checked again; other entries of the record may save work."""
        return cls.from_dict(data["plan"])

    @property
    @abstractmethod
    def public(self) -> bool:
        """Whether all that the noise was computed from is public."""

    @property
    @abstractmethod
    def mechanism(self) -> Mechanism:
        """The mechanism that is applied to a value."""

    @property
    @abstractmethod
    def certificate(self) -> Certificate:
        """Shows that the promise is kept, for the worst cases."""

    @property
    def holds(self) -> bool:
        """Whether the promise is kept for everybody."""
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
        """The document of a public plan, as in the public edition of a record."""
        return self.to_dict() | {"notice": PUBLIC_NOTICE}

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the document, readable by its owner only."""
        write_text(Path(path), document_text(self.to_dict()), force=force, private=True)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The plan in a file."""
        with naming_file(Path(path)):
            return cls.from_dict(read_document(Path(path), cls.KIND))

    def to_json(self) -> str:
        """The document as JSON."""
        return document_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that `to_json` wrote."""
        return cls.from_dict(parse_document(text, cls.KIND))


def plan_to_dict(plan: ReleasePlan, calibration: object, **given: Any) -> dict[str, Any]:
    """The document of a plan: entries as given, or as the plan or its calibration has them."""
    head = {"pufferfish": plan.KIND, "version": VERSION, "notice": PRIVATE_NOTICE}
    return written(plan.SHAPE, plan, calibration, **head, **given)


class RowPlan(ReleasePlan):
    """What was decided for a release of rows.

    Attributes:
        secret: The column of the secret; it is never published.
        keep: The columns that are published as they are.
        person: The column that says which rows belong to one person; None: the promise is about
            rows.
        rows_per_person: At most this many rows of one person are published.
    """

    __slots__ = ()
    person: str | None

    if TYPE_CHECKING:  # fields of some plans, properties of others

        @property
        def secret(self) -> str:
            """As above."""

        @property
        def keep(self) -> tuple[str, ...]:
            """As above."""

        @property
        def rows_per_person(self) -> int:
            """As above."""

    @property
    @abstractmethod
    def shuffled(self) -> bool:
        """Whether rows are published in random order."""

    @property
    @abstractmethod
    def secrets(self) -> frozenset[Secret]:
        """The secrets that may occur; a row of another one is refused."""

    @property
    @abstractmethod
    def protected(self) -> frozenset[Secret]:
        """The secrets that occur in a pair."""

    @property
    @abstractmethod
    def reduction(self) -> OneRow | None:
        """How the rows of a person become one before anything else, if they do."""
