"""Publish a file under a plan, write both editions of its record, and say what was done."""

from __future__ import annotations

from errno import EIO
from functools import partial
from pathlib import Path
from typing import Any

from pufferfish.cli.figures import figures_of, guess_figures
from pufferfish.cli.held_out import as_data
from pufferfish.cli.joint import table_figures
from pufferfish.cli.population import (
    population_as_data,
    population_cost,
    population_in_words,
)
from pufferfish.cli.show import Show
from pufferfish.cli.stressed import stress_data, stressed
from pufferfish.cli.warned import warnings_of, with_warnings
from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import PufferfishError
from pufferfish.documents.signing import SigningKey
from pufferfish.insight.held_out import HeldOut
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.plan import RowPlan
from pufferfish.kinds.record import Edition, ReleaseRecord
from pufferfish.noise import law_to_dict
from pufferfish.options.table import Table
from pufferfish.releases import release_file, row_kind
from pufferfish.report import report as page_of
from pufferfish.report.columns import WrittenAs
from pufferfish.tables import STANDARD_STREAM, Counts, FileFormat
from pufferfish.tables.halves import Halves
from pufferfish.what_if.quick import stress_in_words
from pufferfish.what_if.result import Stress
from pufferfish.words.steps import Step
from pufferfish.words.terminal import label_lines

__all__ = ["Counted", "Records", "publish", "record_paths", "save_editions", "tell"]

# The counts that the plan was made from: of one column, or of several columns together.
Counted = Counts | None


def publish(
    table: Table,
    plan: RowPlan,
    output: Path,
    target_format: FileFormat,
    record: Path | None,
    ledger: Path | None,
    report: Path | None,
    show: Show,
    *,
    force: bool,
    key: SigningKey | None = None,
    beliefs_from_plan: bool = False,
    just_counted: Counted = None,
    halves: Halves | None = None,
    held_out: HeldOut | str | None = None,
    default: str = "",
    test: bool = True,
) -> None:
    """Release a file, write both editions of its record, report, and say what was done."""
    records = record_paths(str(output), record)
    with show.progress("Releasing") as progress:
        done = release_file(
            table.file,
            plan,
            str(output),
            source_format=table.file_format,
            target_format=target_format,
            ledger=ledger,
            force=force,
            beliefs_from_plan=beliefs_from_plan,
            just_counted=just_counted,
            halves=halves,
            progress=progress,
            save=partial(save_editions, records=records, force=force, key=key),
        )
    wanted = test and (report is not None or show.json or not show.quiet)
    tested = stressed(done.record, table, show) if wanted else None
    if report is not None:
        try:
            page = _report(done.record, table, output, target_format, tested, halves is None)
            write_text(report, page, force=force, private=True)
        except (PufferfishError, OSError, KeyboardInterrupt) as error:
            # A user who reads only "failed" would release again, with fresh noise.
            raise OSError(
                EIO,
                f"the table was published and recorded; only the report {report} was not written "
                f"({error or 'stopped'}). Make it with: pufferfish report {records[0]}",
            ) from None
    tell(show, done.record, str(output), records, report, held_out, default, tested)


# Where the internal and the public edition of a record go; None: nowhere.
Records = tuple[Path | None, Path | None]


def save_editions(
    done: ReleaseRecord[Any, Any], records: Records, force: bool, key: SigningKey | None
) -> None:
    """Write both editions of a record to their places, signed if there is a key."""
    editions: tuple[Edition, Edition] = ("internal", "public")
    for place, edition in zip(records, editions, strict=True):
        if place is not None:
            done.save(place, edition, force=force, sign=key)


def tell(
    show: Show,
    record: ReleaseRecord[Any, Any],
    output: str,
    records: Records,
    report: Path | None,
    held_out: HeldOut | str | None,
    default: str,
    tested: Stress | str | None,
) -> None:
    """Say what was done, what is promised, and where everything is; with --json as data."""
    internal, public = records
    written = f"\nRecords     {internal} (private), {public} (may be published)" if internal else ""
    if report is not None:
        written += f"\nReport      {report} (private)"
    plan, facts = record.plan, record.facts
    warned = warnings_of(plan, held_out)
    story = with_warnings(row_kind(plan).story(record), warned)
    said = [] if held_out is None else [Step("Held out", (str(held_out),))]
    own = isinstance(plan, ColumnPlan | TablePlan)
    paid = population_cost(plan.calibration, show) if own else None
    said += [] if paid is None else [Step("Population", (population_in_words(paid),))]
    said += [Step("Default", (default,))] if default else []
    said += [] if tested is None else [stress_in_words(tested)]
    show.result(
        "" if show.silent else label_lines((*story, *said)) + written,
        {
            "headline": [*record.words.get("headline", []), *warned],
            "output": output,
            "rows": record.published["rows"],
            "goal": {"epsilon": facts.goal.epsilon, "delta": facts.goal.delta},
            "noise": law_to_dict(facts.noise),
            **_figures(record),
            "record": None if internal is None else str(internal),
            "public_record": None if public is None else str(public),
            "report": None if report is None else str(report),
            **as_data(held_out, record.plan),
            **population_as_data(paid),
            "stress": stress_data(tested),
        },
    )


def _figures(record: ReleaseRecord[Any, Any]) -> dict[str, Any]:
    plan = record.plan
    if not isinstance(plan, ColumnPlan | TablePlan):
        return {}
    another = record.facts.beliefs_from == "another table"
    figures = figures_of(plan) if isinstance(plan, ColumnPlan) else table_figures(plan)
    return guess_figures(plan.calibration, plan.promise, another=another) | figures


def _report(
    record: ReleaseRecord[Any, Any],
    table: Table,
    output: Path,
    target_format: FileFormat,
    tested: Stress | str | None,
    whole: bool,
) -> str:
    """The internal report, with those of the two tables that are files."""
    # Where persons became one row each, or half was set apart, the table has other rows.
    given = STANDARD_STREAM if record.plan.reduction or not whole else table.file
    released, original = (
        None if file == STANDARD_STREAM else WrittenAs(file, format_)
        for file, format_ in ((str(output), target_format), (given, table.file_format))
    )
    found = tested if isinstance(tested, Stress) else False
    return page_of(record, released=released, original=original, stress=found)


def record_paths(output: str, record: Path | None) -> Records:
    """Next to the output; in the current folder if the output is an address of other storage."""
    if record is None:
        if output == STANDARD_STREAM:
            return None, None
        place = Path(output.rstrip("/").rpartition("/")[2] if "://" in output else output)
        record = place.with_name(place.name + ".record.json")
    stem = record.name.removesuffix(".json").removesuffix(".record")
    return record, record.with_name(stem + ".public.json")
