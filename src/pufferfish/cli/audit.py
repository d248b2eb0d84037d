"""Attack a release as an adversary would: can its promise be broken?

Example: pufferfish audit out.csv.record.json --original adult.csv
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from pufferfish.audit import Command, audit, audit_data
from pufferfish.audit.learners import check_learners
from pufferfish.cli.exits import Exit
from pufferfish.cli.printing import Printing
from pufferfish.codec import is_document, read_document, reading
from pufferfish.errors import InvalidInputError
from pufferfish.options.groups import grouped
from pufferfish.options.table import Marks
from pufferfish.plan import Plan
from pufferfish.record import Record

__all__ = ["command"]


@grouped
def command(
    printing: Printing,
    document: Annotated[
        Path, typer.Argument(help="The internal record of a release, or a plan: what to attack.")
    ],
    run: Annotated[
        str | None,
        typer.Option(
            "--command",
            help="Attack this program instead, with the plan's beliefs and promise. It reads one "
            "number a line and writes one noised number a line.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Published values for each secret of each pair; by default 20 million shared by "
            "all pairs, at least 100,000 each."
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="With which nothing is said against a promise that is kept.")
    ] = 0.999999,
    seed: Annotated[int, typer.Option(help="Of the values that are tried.")] = 0,
    original: Annotated[
        Path | None,
        typer.Option(help="The table: how well do learners predict the secret, before and after?"),
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option(help="The published file, where its rows are in the order of the table."),
    ] = None,
    na: Marks = None,
) -> None:
    """Attack and report."""
    show = printing.show()
    plan = _plan(document)
    if plan is None:
        text = (
            "Not checkable: the beliefs are private and not in this edition of the record. Audit "
            "the internal edition, or the plan."
        )
        show.result(text, {"verdict": None})
        raise typer.Exit(Exit.NOT_CHECKABLE)
    if released is not None and original is None:
        raise InvalidInputError("--released needs --original, the table that was released.")
    if original is not None:
        check_learners()
    subject: Any = plan.mechanism if run is None else Command(_split(run))
    calibration = plan.calibration
    with show.progress("Attacking") as progress:
        found = audit(
            subject,
            calibration.scenario,
            calibration.goal,
            draws=draws,
            confidence=confidence,
            seed=seed,
            progress=progress,
        )
    words, data = [str(found)], found.to_dict()
    if plan.rows_per_person > 1:
        words.insert(
            0,
            f"Attacked are single rows. The promise of {plan.promise} is about "
            f"{plan.rows_per_person:,} rows of a person together: see its certificate (verify).",
        )
    if plan.keep:
        words.insert(
            0,
            f"This is about {plan.column!r} by itself. Nothing is promised to somebody who sees "
            f"{', '.join(map(repr, plan.keep))} as well; with --original, learners see all of it.",
        )
    if original is not None:
        learned = audit_data(
            str(original), plan, released and str(released), seed=seed, na=na or ()
        )
        words.append(str(learned))
        data["data"] = learned.to_dict()
    show.result("\n".join(words), data)
    raise typer.Exit(Exit.NOT_PRIVATE if found.verdict == "violated" else Exit.DONE)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidInputError(f"--command cannot be read: {error}.") from None


def _plan(document: Path) -> Plan | None:
    """What was planned, from a plan or a record; None where a record does not hold it."""
    if any(is_document(document, kind) for kind in ("sum-plan", "sum-record")):
        raise InvalidInputError("audits are about columns; there is none for sums.")
    try:
        data = read_document(document, "record", Record.VERSION)
    except InvalidInputError:
        return Plan.load(document)
    with reading("record"):
        return Plan.from_dict(data["plan"]) if "plan" in data else None
