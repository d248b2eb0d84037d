"""Attack a release as an adversary would: can its promise be broken?

Example: pufferfish audit out.csv.record.json --original adult.csv
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from pufferfish.audits import Command, audit, audit_data
from pufferfish.cli.exits import Exit
from pufferfish.cli.planned import planned_in
from pufferfish.cli.printing import Printing
from pufferfish.core.errors import InvalidInputError
from pufferfish.learning.learner import check_learners
from pufferfish.options.groups import flatten_groups
from pufferfish.options.table import Marks

__all__ = ["command"]


@flatten_groups
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
            "number per line and writes one noised number per line.",
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
        float, typer.Option(help="Confidence that a promise that is kept raises no alarm.")
    ] = 0.999999,
    seed: Annotated[int, typer.Option(help="Seed of the values that are tried.")] = 0,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The original table: also measure how well learners predict the secret from it, "
            "and from the published rows."
        ),
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option(help="The published file, if its rows are in the order of the table."),
    ] = None,
    na: Marks = None,
) -> None:
    """Attack and report."""
    show = printing.show()
    plan = planned_in(document, show, "Audit", {"verdict": None})
    if released is not None and original is None:
        raise InvalidInputError("--released needs --original, the table that was released.")
    if original is not None:
        check_learners()
    subject: Any = plan.mechanism if run is None else Command(_split(run))
    with show.progress("Attacking") as progress:
        found = audit(
            subject,
            plan.scenario,
            plan.certificate.goal,
            draws=draws,
            confidence=confidence,
            seed=seed,
            progress=progress,
        )
    broken = found.verdict == "violated"
    words, data = [*plan.unattacked, str(found)], found.to_dict()
    if original is not None:
        learned = audit_data(
            str(original), plan, released and str(released), seed=seed, na=na or ()
        )
        words.append(str(learned))
        data["data"] = learned.to_dict()
        broken = broken or learned.beyond
    show.result("\n".join(words), data)
    raise typer.Exit(Exit.NOT_PRIVATE if broken else Exit.DONE)


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidInputError(f"--command cannot be read: {error}.") from None
