"""The release that a page asks for: the same documents that the command line writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pufferfish.columns.plan import ColumnPlan
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import PufferfishError
from pufferfish.joint.plan import TablePlan
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.options.voice import Voice
from pufferfish.releases import release_file
from pufferfish.report import report
from pufferfish.report.columns import WrittenAs, count_column
from pufferfish.studio.sources import Source
from pufferfish.tables import FileFormat

__all__ = ["PLAN", "AnyPlan", "Document", "Released", "publish"]

# What a plan is saved as.
PLAN = "plan.json"

AnyPlan = ColumnPlan | TablePlan
AnyRecord = ReleaseRecord[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that a release has made.

    Attributes:
        path: Where it waits.
        what: What it is, in words.
        private: Whether it must stay with those who may see the data.
    """

    path: Path
    what: str
    private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release: its record, its documents, and what could not be done."""

    record: AnyRecord
    documents: tuple[Document, ...]
    note: str = ""


def publish(
    source: Source,
    plan: AnyPlan,
    folder: Path,
    *,
    ledger: Path | None,
    voice: Voice,
    check: Callable[[], None],
) -> Released:
    """Draw the noise, once, and write everything into a private folder.

    Args:
        source: The table.
        plan: How it is released.
        folder: Empty, and nobody else's.
        ledger: A file that counts the releases.
        voice: Told how far it is.
        check: Called when all rows were read; what it raises stops the release.
    """
    output = folder / source.released_name
    record = output.with_name(output.name + ".record.json")
    public = output.with_name(output.name + ".public.json")

    def save(done: AnyRecord) -> None:
        check()
        done.save(record, "internal")
        done.save(public, "public")

    with voice.progress("Releasing") as progress:
        done = release_file(
            source.path,
            plan,
            str(output),
            source_format=source.format,
            target_format=FileFormat(kind=source.format.kind),
            ledger=ledger,
            progress=progress,
            save=save,
        ).record
    documents = [
        Document(path=output, what="the released table", private=False),
        Document(path=public, what="its record, the public edition", private=False),
        Document(path=record, what="its record, with the plan: the internal edition", private=True),
    ]
    try:
        documents += _reports(source, done, output, voice)
    except (PufferfishError, OSError) as error:
        # A reader of "failed" alone would release again, with fresh noise.
        note = f"The table was released and recorded; only the reports were not written ({error})."
        return Released(record=done, documents=tuple(documents), note=note)
    return Released(record=done, documents=tuple(documents))


def _reports(source: Source, record: AnyRecord, output: Path, voice: Voice) -> Iterator[Document]:
    """Both editions of the report, next to the released table."""
    plan = record.plan
    with voice.progress("Writing the reports") as progress:
        # Where persons became one row each, the table's own column is another one.
        given = None if plan.reduction else WrittenAs(source.path, source.format)
        released = (
            count_column(output, plan.column)
            if isinstance(plan, ColumnPlan)
            else WrittenAs(str(output), FileFormat(kind=source.format.kind))
        )
        progress(0.3)
        page = report(record, released=released, original=given)
        internal = output.with_name(output.name + ".report.html")
        write_text(internal, page, private=True)
        yield Document(path=internal, what="a report for who may see the data", private=True)
        progress(0.7)
        public = output.with_name(output.name + ".public.html")
        write_text(public, report(record, edition="public", released=released))
        yield Document(path=public, what="a report for everybody", private=False)
