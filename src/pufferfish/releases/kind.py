"""Kinds of release that publish rows: how they are released, described, and checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.kinds.kind import Kind, kind_of
from pufferfish.kinds.plan import ReleasePlan, RowPlan
from pufferfish.kinds.record import Stated
from pufferfish.kinds.verdict import CHECKSUM, Check
from pufferfish.releases.published_file import Appearance, beside, look_at, show_name
from pufferfish.releases.session import RowSession
from pufferfish.words.steps import Step

__all__ = ["RowKind", "row_kind"]

PlanT = TypeVar("PlanT", bound=RowPlan)
StatedT = TypeVar("StatedT", bound=Stated)


class RowKind(Kind[PlanT, StatedT]):
    """A kind that publishes rows, in a file, a folder or a frame.

    Its records describe what was published with the entries of `Record.published`.

    Attributes:
        session: How one release is made.
    """

    session: ClassVar[type[RowSession[Any, Any]]]

    @abstractmethod
    def story(self, record: Any) -> tuple[Step, ...]:
        """What happened, part by part, for the curator's terminal."""

    def looks(self, data: Mapping[str, Any], facts: StatedT, released: Path) -> Appearance | None:
        """How the published values look; None: there is no test for them."""
        return None

    def appearance(
        self,
        data: Mapping[str, Any],
        facts: StatedT,
        folder: Path | None,
        released: str | Path | None,
    ) -> tuple[list[Check], list[str]]:
        """Checks of the published file, if it is there."""
        published, look = data["published"], partial(self.looks, data, facts)
        name = published["file"]
        if released is not None:
            return look_at(published, Path(released), look)
        if folder is None:
            return [], []
        if name is None:
            if published["checksum_of"] == "column":
                return [], ["A frame was released, not a file: there is nothing here to check."]
            away = "the record does not say where it is; name it with --released"
            return [
                Check(
                    claim=f"the file {CHECKSUM}",
                    verdict=None,
                    detail=away,
                )
            ], []
        claim = f"{show_name(name)} {CHECKSUM}"
        try:
            place = beside(folder, name)
        except InvalidInputError as error:
            return [Check(claim=claim, verdict=False, detail=str(error))], []
        if place.exists():
            return look_at(published, place, look)
        away = "it is not in the folder of the record; name it with --released"
        return [Check(claim=claim, verdict=None, detail=away)], []


def row_kind(plan: ReleasePlan) -> RowKind[Any, Any]:
    """The kind of a plan that publishes rows.

    Raises:
        InvalidInputError: It is not a plan, or publishes something else.
    """
    require(isinstance(plan, ReleasePlan), f"plan must be a Plan, got {type(plan).__name__}.")
    kind = kind_of(plan.KIND, "plan")
    if not isinstance(kind, RowKind):
        raise InvalidInputError(f"a {plan.KIND} does not publish rows of a table.")
    return kind
