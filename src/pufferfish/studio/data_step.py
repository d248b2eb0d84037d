"""The first step: which table, whom to protect, from whom, which columns."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from htmltools import Tag, TagList
from shiny import reactive, render, req
from shiny.types import SilentException

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import PufferfishError
from pufferfish.studio import data_forms
from pufferfish.studio.asking import read_columns
from pufferfish.studio.latest import Latest, present
from pufferfish.studio.question import Question
from pufferfish.studio.session import Page, in_words
from pufferfish.studio.sources import EXAMPLES, Example, Source, source_from_path
from pufferfish.tables.local.detect import FoundColumn, detect

__all__ = ["Data", "data_step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A table and its columns."""

    source: Source
    columns: tuple[FoundColumn, ...]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [each.name for each in self.columns]

    @property
    def categories(self) -> set[str]:
        """The columns that do not hold numbers."""
        return {each.name for each in self.columns if not each.numeric}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The columns that have a role, counted: how many rows each secret has."""

    question: Question
    secrets: dict[Secret, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What the first step found; each part is reactive, and silent until it is known.

    Attributes:
        looked: The table and its columns.
        counted: The columns that matter, counted.
        example: The example, if the table is one.
        reference: The table to fit beliefs to, if one was sent.
        problem: What is wrong with the table, or with the choices made for it.
        tasks: The tasks that take time.
    """

    looked: Callable[[], Looked]
    counted: Callable[[], Counted]
    example: Callable[[], Example | None]
    reference: Callable[[], Source | None]
    problem: Callable[[], str]
    tasks: tuple[Latest[Any, Any], ...]


class _Sent:
    """A file that the page sends: the table, or the reason why it was refused; both reactive."""

    def __init__(self, page: Page, role: str) -> None:
        self.source: reactive.Value[Source | None] = reactive.value(None)
        self.refused: reactive.Value[str] = reactive.value("")

        @reactive.effect
        def _take() -> None:
            sent = page.inputs[role]()
            try:
                self.source.set(page.take(role, sent))
                self.refused.set("")
            except PufferfishError as error:
                self.source.set(None)
                self.refused.set(in_words(error))


def data_step(page: Page) -> Data:
    """Wire the first step of a page."""
    studio = page.studio
    upload, reference = _Sent(page, "upload"), _Sent(page, "reference")

    @reactive.calc
    def chosen() -> Source | PufferfishError | OSError | None:
        kind = page.entry("source")
        if isinstance(kind, str) and kind in studio.examples:
            return studio.examples[kind]
        if kind == "upload":
            return upload.source()
        try:
            return None if studio.given is None else source_from_path(studio.given, studio.na)
        except (PufferfishError, OSError) as error:
            return error

    @reactive.calc
    def source() -> Source:
        found = chosen()
        return present(found if isinstance(found, Source) else None)

    def look(given: Source) -> Looked:
        with page.voice.progress(f"Looking at {given.name}"):
            return Looked(source=given, columns=detect(given.path, given.format))

    looking = Latest(source, look)

    @reactive.calc
    def looked() -> Looked:
        found = looking.value()
        req(found.source == source())
        return found

    @reactive.calc
    def example() -> Example | None:
        return EXAMPLES.get(str(page.entry("source")))

    @reactive.calc
    def named() -> Question | PufferfishError:
        found = looked()
        column, secret = page.entry("column"), page.entry("secret")
        req(column in found.names and secret in found.names and column != secret)
        try:
            return read_columns(found.source, found.names, page.entry, found.categories)
        except PufferfishError as error:
            return error

    @reactive.calc
    def to_count() -> Question:
        found = named()
        return present(found if isinstance(found, Question) else None)

    def count(question: Question) -> Counted:
        return Counted(question=question, secrets=studio.bench.secrets(question, page.voice))

    counting = Latest(to_count, count)

    @reactive.calc
    def counted() -> Counted:
        found = counting.value()
        req(found.question == to_count())
        return found

    @reactive.calc
    def problem() -> str:
        found = chosen()
        if isinstance(found, BaseException):
            return in_words(found)
        if page.entry("source") == "upload" and upload.refused():
            return upload.refused()
        if page.entry("provenance") in ("reference", "public") and reference.refused():
            return reference.refused()
        for task in (looking, counting):
            error = task.error()
            if error is not None:
                return in_words(error)
        with contextlib.suppress(SilentException):
            refused = named()
            if isinstance(refused, PufferfishError):
                return in_words(refused)
        with contextlib.suppress(SilentException):
            return data_forms.missing_in_words(looked().columns, page.entry)
        return ""

    @render.ui
    def protection() -> TagList:
        return data_forms.protection_part(looked().columns, example())

    @render.ui
    def columns() -> TagList:
        return data_forms.columns_part(looked().columns, example())

    @render.ui
    def groups() -> Tag:
        found = counted()
        return data_forms.groups_part(found.question.asked.table.secret or [], found.secrets)

    return Data(
        looked=looked,
        counted=counted,
        example=example,
        reference=reference.source,
        problem=problem,
        tasks=(looking, counting),
    )
