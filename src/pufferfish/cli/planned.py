"""Read the plan from a document: from a plan, or from the internal record of a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import typer

from pufferfish.cli.exits import Exit
from pufferfish.cli.show import Show
from pufferfish.documents.text import as_document, naming_file, plain_document
from pufferfish.kinds.kind import kind_of, plan_of
from pufferfish.kinds.plan import ReleasePlan, RowPlan
from pufferfish.releases.kind import row_kind

__all__ = ["planned_in", "row_plan_in"]


def row_plan_in(path: Path) -> RowPlan:
    """A plan of any kind that publishes rows."""
    with naming_file(path):
        plan = plan_of(plain_document(path, "plan"))
        row_kind(plan)
    return cast("RowPlan", plan)


def planned_in(document: Path, show: Show, do: str, data: Mapping[str, Any]) -> ReleasePlan:
    """The plan that a plan or a record holds.

    Args:
        document: The file.
        show: Told if the record does not hold its plan.
        do: A verb: what to do with the internal edition instead.
        data: What to print then with --json.

    Raises:
        typer.Exit: The record does not hold its plan.
    """
    plain = plain_document(document)
    with naming_file(document):
        kind = kind_of(plain["pufferfish"], "record")
        if plain["pufferfish"] == kind.plan.KIND:
            return plan_of(plain)
        record = as_document(plain, kind.record.KIND, kind.record.VERSION)
        if "plan" in record:
            return kind.plan.from_dict(record["plan"])
    text = (
        f"Not checkable: the beliefs are private and not in this edition of the record. {do} the "
        "internal edition, or the plan."
    )
    show.result(text, data)
    raise typer.Exit(Exit.NOT_CHECKABLE)
