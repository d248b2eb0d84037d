"""Publish columns with the least change that keeps the promise, and write the record.

Example: pufferfish release adult.csv -c education-num -s race --pair Black:White -e 1 -o out.csv

Several columns, and one that is published as it is: pufferfish release adult.csv -c education-num
-c income -s race --pair Black:White --keep sex -e 1 -o out.csv
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.held_out import Splits, measured, measured_table, settled
from pufferfish.cli.joint import default_wrong
from pufferfish.cli.planned import row_plan_in
from pufferfish.cli.printing import Force, Printing
from pufferfish.cli.publish import Counted, publish, record_paths, save_editions, tell
from pufferfish.cli.stressed import NoStress
from pufferfish.cli.ways import plan_shown, table_plan_shown
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import check_report
from pufferfish.core.validation import require
from pufferfish.insight.held_out import HeldOut
from pufferfish.options.adversaries import Adversaries, Described
from pufferfish.options.describing import DescribedTable, describe, describe_half
from pufferfish.options.goal import Goal
from pufferfish.options.groups import flatten_groups
from pufferfish.options.planning import Asked
from pufferfish.options.publishing import Publishing
from pufferfish.options.recoding import HowRecoded
from pufferfish.options.roles import Roles
from pufferfish.options.signing import Signing
from pufferfish.options.table import Table
from pufferfish.releases import release_with, row_kind
from pufferfish.tables import STANDARD_STREAM, FileFormat, becomes_folder, format_of
from pufferfish.tables.formats import names_file
from pufferfish.tables.halves import Halves
from pufferfish.tables.spark.engine import SparkEngine

__all__ = ["FitOn", "command"]


class FitOn(StrEnum):
    """The rows to which beliefs are fitted."""

    TABLE = "table"
    HALF = "half"


@flatten_groups
def command(
    table: Table,
    roles: Roles,
    adversaries: Adversaries,
    goal: Goal,
    recoding: HowRecoded,
    publishing: Publishing,
    signing: Signing,
    printing: Printing,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="The file to write; - is standard output (CSV). A table of many files becomes a "
            "folder of this name, unless the name is that of a file; on Spark it is always a "
            "folder.",
        ),
    ],
    plan: Annotated[
        Path | None,
        typer.Option(help="A plan that `pufferfish calibrate` wrote, instead of other options."),
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            help="csv, parquet or arrow, if the name does not tell; on Spark parquet or orc."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Where to write the internal record; by default next to the output."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="A file that counts the releases of this column, and refuses one too many."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Also write the internal report, an HTML page with words and pictures."),
    ] = None,
    beliefs_from_plan: Annotated[
        bool,
        typer.Option(
            "--beliefs-from-plan",
            help="Use the plan's beliefs although they were fitted on another table; the record "
            "says so.",
        ),
    ] = False,
    fit_on: Annotated[
        FitOn,
        typer.Option(
            help="Fit beliefs to the table; or to a random half of its rows, which is not "
            "published, and publish the other half."
        ),
    ] = FitOn.TABLE,
    splits: Splits = None,
    no_stress: NoStress = False,
    force: Force = False,
) -> None:
    """Plan if needed, release, record, explain."""
    show = printing.show(to_stderr=output == STANDARD_STREAM)
    if printing.json and output == STANDARD_STREAM:
        raise InvalidInputError(
            "--json and --output - would both write to standard output: give a file to --output."
        )
    asked = Asked(
        table=table,
        roles=roles,
        adversaries=adversaries,
        goal=goal,
        recoding=recoding,
        publishing=publishing,
    )
    asked.check()
    key = signing.key()
    if str(record) == STANDARD_STREAM:
        raise InvalidInputError("--record must name a file: - is for tables.")
    local = None if table.on_spark else _target_format(table, Path(output), output_format)
    _refuse_places(table, output, record, ledger, report, force=force)
    with table.cluster() as session:
        counted: Counted = None
        halves: Halves | None = None
        held_out: HeldOut | str | None = None
        default = ""
        if plan is not None:
            _refuse_mixed(asked)
            if fit_on is FitOn.HALF:
                raise InvalidInputError("--fit-on half makes a new plan: leave out --plan.")
            chosen = row_plan_in(plan)
        else:
            described: Described | DescribedTable
            if fit_on is FitOn.HALF:
                described, halves = describe_half(asked, show)
            else:
                described = describe(asked, show)
            half = None if isinstance(described, DescribedTable) else halves
            asked = settled(asked, described, show, half)
            if isinstance(described, DescribedTable):
                planned = table_plan_shown(asked, described, show)
                held_out = measured_table(asked, described, planned, splits, show)
                chosen = planned
                counted, default = described.counted, default_wrong(asked, described)
            else:
                own = plan_shown(asked, described, show)
                chosen, counted = own, described.counted
                held_out = measured(asked, described, own, splits, show, half)
        if local is not None:
            publish(
                *(table, chosen, Path(output), local, record, ledger, report, show),
                force=force,
                key=key,
                beliefs_from_plan=beliefs_from_plan,
                just_counted=counted,
                halves=halves,
                held_out=held_out,
                default=default,
                test=not no_stress,
            )
            return
        records = record_paths(output, record)
        with show.progress("Releasing on the cluster"):
            read = row_kind(chosen).session.reading(chosen)
            engine = SparkEngine(
                frame=table.read(session, *read),
                output=output,
                kind=output_format or "parquet",
                force=force,
            )
            done = release_with(
                engine,
                chosen,
                ledger=ledger,
                beliefs_from_plan=beliefs_from_plan,
                save=partial(save_editions, records=records, force=force, key=key),
            )
        tested = None if no_stress else "the table is on a cluster"
        tell(show, done.record, output, records, None, held_out, default, tested)


def _refuse_places(
    table: Table,
    output: str,
    record: Path | None,
    ledger: Path | None,
    report: Path | None,
    *,
    force: bool,
) -> None:
    """Refuse places that cannot be written to, before any work."""
    records = record_paths(output, record)
    if table.on_spark:
        if names_file(output):
            raise InvalidInputError(
                f"on Spark the output is a folder, and {output!r} is the name of a file."
            )
        if report is not None:
            raise InvalidInputError(
                "on Spark, make the report afterwards: pufferfish report RECORD."
            )
        # Only the cluster knows whether the folder itself can be written.
        table.refuse_places(*records, ledger=ledger, force=force)
        return
    if report is not None:
        check_report()
    place = Path(output)
    folder = place if becomes_folder(table.file, place) else None
    files = *records, report, *(() if folder else (place,))
    table.refuse_places(*files, folder=folder, ledger=ledger, force=force)


def _target_format(table: Table, output: Path, kind: str | None) -> FileFormat:
    """The format to write: the one given, that of the name, or in a folder that of the table."""
    if not becomes_folder(table.file, output):
        require(
            not output.is_dir(),
            f"--output {str(output)!r} is a folder, and a table in one file is written to a file: "
            "name it, such as --output out.csv.",
        )
        return format_of(output, kind, option="--output-format")
    return table.file_format if kind is None else format_of("part", kind)


def _refuse_mixed(asked: Asked) -> None:
    """Refuse options next to a plan: the plan has decided, and they would be ignored."""
    if asked != Asked(table=replace(asked.table, column=None, secret=None)):
        raise InvalidInputError(
            "a plan has decided columns, pairs, beliefs, promise and what is kept: leave those "
            "options out, or leave out --plan."
        )
