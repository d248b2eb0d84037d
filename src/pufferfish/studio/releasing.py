"""The release that a page asks for: the same documents that the command line writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import PufferfishError
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.kinds.record import ReleaseRecord
from pufferfish.options.voice import Voice
from pufferfish.releases import release_file
from pufferfish.report import report
from pufferfish.report.columns import WrittenAs, count_column
from pufferfish.studio.session import in_words
from pufferfish.studio.sources import Source
from pufferfish.tables import FileFormat
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.what_if.quick import quick_stress
from pufferfish.what_if.result import Stress

__all__ = ["PLAN", "AnyPlan", "Document", "Released", "publish"]

# The name under which a plan is saved.
PLAN = "plan.json"

AnyPlan = ColumnPlan | TablePlan
AnyRecord = ReleaseRecord[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file made by a release.

    Attributes:
        path: Where it is.
        what: What it is, in words.
        private: Whether only those who may see the data may have it.
    """

    path: Path
    what: str
    private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A release: its record, its documents, a stress test, and what could not be done.

    Attributes:
        record: The record of the release.
        documents: Everything to save.
        stress: What the promise becomes for adversaries who know more, or why that was not tested.
        note: What could not be done.
    """

    record: AnyRecord
    documents: tuple[Document, ...]
    stress: Stress | str
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
        folder: An empty folder that nobody else uses.
        ledger: A file that counts the releases.
        voice: Is told the progress.
        check: Called when all rows were read; an error that it raises stops the release.
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
    tested = _tested(source, done, voice)
    try:
        documents += _reports(source, done, output, voice, tested)
    except (PufferfishError, OSError) as error:
        # Somebody who read only "failed" would release again, with fresh noise.
        note = f"The table was released and recorded; only the reports were not written ({error})."
        return Released(record=done, documents=tuple(documents), stress=tested, note=note)
    return Released(record=done, documents=tuple(documents), stress=tested)


def _tested(source: Source, record: AnyRecord, voice: Voice) -> Stress | str:
    """A quick stress test: adversaries who know more, and which options would answer them."""
    if not isinstance(record, Record | TableRecord):
        return "this kind of release has no stress test"
    engine = FilesEngine(source=source.path, source_format=source.format)
    try:
        with voice.progress("Testing what others may know") as progress:
            return quick_stress(record, engine, progress, answers=True)
    except Exception as error:  # noqa: BLE001 - a release that is done must not look undone
        return in_words(error).rstrip(".")


def _reports(
    source: Source, record: AnyRecord, output: Path, voice: Voice, tested: Stress | str
) -> Iterator[Document]:
    """Both editions of the report, next to the released table."""
    plan = record.plan
    with voice.progress("Writing the reports") as progress:
        # Where each person became one row, the column of the table differs from the released one.
        given = None if plan.reduction else WrittenAs(source.path, source.format)
        released = (
            count_column(output, plan.column)
            if isinstance(plan, ColumnPlan)
            else WrittenAs(str(output), FileFormat(kind=source.format.kind))
        )
        progress(0.3)
        page = report(record, released=released, original=given, stress=tested)
        internal = output.with_name(output.name + ".report.html")
        write_text(internal, page, private=True)
        yield Document(path=internal, what="a report for those who may see the data", private=True)
        progress(0.7)
        public = output.with_name(output.name + ".public.html")
        write_text(public, report(record, edition="public", released=released))
        yield Document(path=public, what="a report for everybody", private=False)
