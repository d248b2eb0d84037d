"""Plans in files: read from a plan or an internal record, and how one that was written is used."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import typer

from pufferfish.cli.exits import Exit
from pufferfish.cli.show import Show
from pufferfish.documents.text import as_document, naming_file, plain_document
from pufferfish.kinds.kind import kind_of, plan_of
from pufferfish.kinds.plan import ReleasePlan, RowPlan
from pufferfish.options.table import Table
from pufferfish.releases.kind import row_kind

__all__ = ["planned_in", "row_plan_in", "written_in_words"]


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
        record = as_document(plain, kind.record.KIND)
        if "plan" in record:
            return kind.plan.from_dict(record["plan"])
    text = (
        f"Not checkable: the beliefs are private and not in this edition of the record. {do} the "
        "internal edition, or the plan."
    )
    show.result(text, data)
    raise typer.Exit(Exit.NOT_CHECKABLE)


def written_in_words(table: Table, output: Path | None) -> str:
    """The command that releases a table by a plan that was written; empty where none was.

    The table must be read as it was when the plan was made.
    """
    if output is None:
        return ""
    given = [("--format", table.format), ("--delimiter", table.delimiter)]
    given += [("--na", mark) for mark in table.na or ()]
    read = "".join(f" {option} {shlex.quote(text)}" for option, text in given if text is not None)
    return (
        f"\nPlan written to {output}. Release with it: pufferfish release "
        f"{shlex.quote(table.file)}{read} --plan {output} --output OUT"
    )
