"""Publish a column with the least noise that keeps the promise, and the record of it.

Example: pufferfish release adult.csv -c education-num -s race --pair Black:White -e 1 -o out.csv
"""

from __future__ import annotations

from errno import EIO
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.atomic import write_text
from pufferfish.cli.adversaries import Adversaries
from pufferfish.cli.goal import Goal
from pufferfish.cli.options import Force, Printing, Publishing, Table, grouped
from pufferfish.cli.planning import planned
from pufferfish.cli.show import Show
from pufferfish.errors import InvalidInputError, PufferfishError
from pufferfish.exact.certificate import noise_to_dict
from pufferfish.narrate import story
from pufferfish.plan import Plan
from pufferfish.record import Record
from pufferfish.release import release_file
from pufferfish.report import report as page_of
from pufferfish.report.columns import count_column
from pufferfish.report.extras import check_extras
from pufferfish.tables import STANDARD_STREAM, FileFormat, format_of

__all__ = ["command", "publish"]


@grouped
def command(
    table: Table,
    adversaries: Adversaries,
    goal: Goal,
    publishing: Publishing,
    printing: Printing,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write; - is standard output (CSV).")
    ],
    plan: Annotated[
        Path | None,
        typer.Option(help="A plan that `pufferfish calibrate` wrote; then nothing else is asked."),
    ] = None,
    output_format: Annotated[
        str | None, typer.Option(help="csv, parquet or arrow, where the name does not tell.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Where to write the internal record; by default beside the output."),
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
    force: Force = False,
) -> None:
    """Plan if need be, release, record, explain."""
    show = printing.show(to_stderr=str(output) == STANDARD_STREAM)
    if printing.json and str(output) == STANDARD_STREAM:
        raise InvalidInputError("--json and --output - both want standard output.")
    publishing.check()
    if str(record) == STANDARD_STREAM:
        raise InvalidInputError("a record needs a file of its own; - is for tables.")
    places = output, *_record_paths(output, record), report
    table.refuse_places(*places, ledger=ledger, force=force)
    if report is not None:
        check_extras()
    target = format_of(output, output_format, option="--output-format")
    if plan is not None:
        _refuse_mixed(table, adversaries, goal, publishing)
        chosen = Plan.load(plan)
    else:
        described = adversaries.described(table, show)
        calibration = goal.calibration(described.scenario, publishing.rows_per_person, show)
        chosen = planned(calibration, described.others, table, adversaries, publishing)
    publish(table, chosen, output, target, record, ledger, report, show, force=force)


def publish(
    table: Table,
    plan: Plan,
    output: Path,
    target_format: FileFormat,
    record: Path | None,
    ledger: Path | None,
    report: Path | None,
    show: Show,
    *,
    force: bool,
) -> None:
    """Release a file, write both editions of its record, report, and say what was done."""
    internal, public = _record_paths(output, record)

    def save(done: Record) -> None:
        if internal is not None:
            done.save(internal, "internal", force=force)
        if public is not None:
            done.save(public, "public", force=force)

    with show.progress("Releasing") as progress:
        done = release_file(
            str(table.file),
            plan,
            str(output),
            source_format=table.file_format,
            target_format=target_format,
            ledger=ledger,
            force=force,
            progress=progress,
            save=save,
        )
    written = f"\nRecords     {internal} (private), {public} (may be published)" if internal else ""
    if report is not None:
        try:
            page = _report(done.record, table, output, target_format)
            write_text(report, page, force=force, private=True)
        except (PufferfishError, OSError, KeyboardInterrupt) as error:
            # Whoever reads only "failed" would release again, with fresh noise.
            raise OSError(
                EIO,
                f"the column was published and recorded; only the report {report} was not written "
                f"({error or 'stopped'}). Make it with: pufferfish report {internal}",
            ) from None
        written += f"\nReport      {report} (private)"
    show.result(
        "" if show.silent else story(done.record) + written,
        {
            "output": str(output),
            "rows": done.record.rows_published,
            "goal": {"epsilon": plan.promise.epsilon, "delta": plan.promise.delta},
            "noise": noise_to_dict(plan.calibration.noise),
            "record": None if internal is None else str(internal),
            "public_record": None if public is None else str(public),
            "report": None if report is None else str(report),
        },
    )


def _report(record: Record, table: Table, output: Path, target_format: FileFormat) -> str:
    """The internal report, with both columns as far as they are files."""
    released, original = (
        None if str(file) == STANDARD_STREAM else count_column(file, record.plan.column, format_)
        for file, format_ in ((output, target_format), (table.file, table.file_format))
    )
    return page_of(record, released=released, original=original)


def _record_paths(output: Path, record: Path | None) -> tuple[Path | None, Path | None]:
    if record is None:
        if str(output) == STANDARD_STREAM:
            return None, None
        record = output.with_name(output.name + ".record.json")
    stem = record.name.removesuffix(".json").removesuffix(".record")
    return record, record.with_name(stem + ".public.json")


def _refuse_mixed(
    table: Table, adversaries: Adversaries, goal: Goal, publishing: Publishing
) -> None:
    """A plan has decided; an option beside it would be ignored, and that would surprise."""
    plain = Table(file=table.file, format=table.format, delimiter=table.delimiter)
    if (table, adversaries, goal, publishing) != (plain, Adversaries(), Goal(), Publishing()):
        raise InvalidInputError(
            "a plan has decided columns, pairs, beliefs, promise and what is kept: leave those "
            "options out, or leave out --plan."
        )
