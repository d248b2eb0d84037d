"""Plans of rows: `Plan(...)` makes one of the kind that its arguments ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from pufferfish.core.errors import InvalidInputError
from pufferfish.documents.strict import plain_from_json
from pufferfish.documents.text import as_document, naming_file, of_another_kind, plain_document
from pufferfish.exact.certificate import Certificate
from pufferfish.kinds.plan import RowPlan

if TYPE_CHECKING:
    from pufferfish.beliefs.scenario import Scenario, Secret
    from pufferfish.calibration.mechanism import Mechanism
    from pufferfish.tables.one_row import OneRow

__all__ = ["Plan"]

# The classes of plans; the first that takes the arguments is used.
_CHOICES: list[tuple[Callable[[Mapping[str, Any]], bool], type[Plan]]] = []


class Plan(RowPlan):
    """What is released of a table, how, and under which promise.

    `Plan(...)` makes a plan of the kind that its arguments ask for: one column of numbers
    (`columns.plan.ColumnPlan`), or a table (`joint.plan.TablePlan`): categories, several columns
    together, columns that others know. `Plan.load` reads a plan of either kind.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # every kind of plan defines these

        def to_dict(self) -> dict[str, Any]:
            """Plain data for the document."""

        @property
        def public(self) -> bool:
            """Whether everything that it was computed from is public."""

        @property
        def mechanism(self) -> Mechanism:
            """What is applied to a value."""

        @property
        def certificate(self) -> Certificate:
            """Shows that the promise is kept."""

        @property
        def scenario(self) -> Scenario:
            """What the certificate is about."""

        @property
        def shuffled(self) -> bool:
            """Whether rows are published in random order."""

        @property
        def secrets(self) -> frozenset[Secret]:
            """The secrets that may occur."""

        @property
        def protected(self) -> frozenset[Secret]:
            """The secrets that occur in a pair."""

        @property
        def reduction(self) -> OneRow | None:
            """How the rows of a person become one, if they do."""

    def __new__(cls, *args: Any, **given: Any) -> Self:
        """A plan of the kind that the arguments ask for."""
        if cls is not Plan:
            return super().__new__(cls)
        kind = next(kind for takes, kind in _CHOICES if takes(given))
        return cast("Self", super().__new__(kind))

    @staticmethod
    def register(takes: Callable[[Mapping[str, Any]], bool], kind: type[Plan]) -> None:
        """Register a class of plans.

        Args:
            takes: Whether it takes these arguments; asked in the order of registration.
            kind: The class.
        """
        _CHOICES.append((takes, kind))

    @classmethod
    def from_dict(cls, data: dict[str, Any], recorded: Certificate | None = None) -> Self:
        """The plan, of any kind, that `to_dict` described.

        Args:
            data: Plain data.
            recorded: A certificate that was saved with it; its witnesses make a search unnecessary.
        """
        del recorded
        return cls._of_any_kind(data)

    @classmethod
    def from_record(cls, data: Mapping[str, Any]) -> Self:
        """The plan in a record; the witnesses of its certificate are checked, not searched for."""
        try:
            recorded = Certificate.from_dict(data["certificate"])
        except (KeyError, InvalidInputError):
            recorded = None
        return cls.from_dict(data["plan"], recorded)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The plan in a file."""
        if cls is not Plan:
            return super().load(path)
        with naming_file(Path(path)):
            return cls._of_any_kind(plain_document(Path(path), "plan"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that `to_json` wrote."""
        if cls is not Plan:
            return super().from_json(text)
        return cls._of_any_kind(plain_from_json(text, "plan"))

    @classmethod
    def _of_any_kind(cls, plain: dict[str, Any]) -> Self:
        for _, kind in _CHOICES:
            if plain.get("pufferfish") == kind.KIND:
                return cast("Self", kind.from_dict(as_document(plain, kind.KIND)))
        raise of_another_kind(plain.get("pufferfish"), "plan")
