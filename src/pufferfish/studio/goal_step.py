"""The second step: which pairs, against whom, how alike; and what that would mean, live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from htmltools import Tag
from shiny import reactive, render, req
from shiny.types import SilentException

from pufferfish.core.errors import PufferfishError
from pufferfish.studio import fragments
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import Outlook, Question
from pufferfish.studio.data_step import Data
from pufferfish.studio.latest import Latest, present
from pufferfish.studio.looks import wire_looks
from pufferfish.studio.session import Page, in_words

__all__ = ["Answer", "goal_step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the second step found; reactive, and silent until it is there.

    Attributes:
        question: What is asked for now.
        outlook: The answer to it.
        problem: What is wrong with the question, or why it has no answer.
        task: What takes time.
    """

    question: Callable[[], Question]
    outlook: Callable[[], Outlook]
    problem: Callable[[], str]
    task: Latest[Question, Outlook]


def goal_step(page: Page, data: Data) -> Answer:
    """Wire the second step of a page."""

    @reactive.calc
    def asked() -> Question | PufferfishError:
        counted = data.counted()
        req(page.entry("unit"), page.entry("provenance"), page.entry("which"))
        if page.entry("unit") == "person":
            req(page.entry("rows_way"))
        columns = [each.name for each in data.looked().columns]
        accuracy = {"value": "within", "mean": "mean_within"}.get(str(page.entry("by")))
        # Nothing is wrong with a number that is not there yet.
        req(accuracy is None or page.entry(accuracy) is not None)
        try:
            return read_page(counted.question.source, data.reference(), columns, page.entry)
        except PufferfishError as error:
            return error

    @reactive.calc
    def question() -> Question:
        found = asked()
        return present(found if isinstance(found, Question) else None)

    def answer(given: Question) -> Outlook:
        return page.studio.bench.outlook(given, page.voice)

    answering = Latest(question, answer)

    shown: reactive.Value[Outlook | None] = reactive.value(None)

    @reactive.effect
    async def _settle() -> None:
        # As a value, so that what depends on the outlook waits for the next one, and not for the
        # question that it answers.
        try:
            found = answering.value()
            same = found.question.counted == data.counted().question.counted
        except SilentException:
            same = False
        # That of another table would name secrets that this one does not have.
        shown.set(found if same else None)
        if not same:
            await page.send("away")

    def outlook() -> Outlook:
        return present(shown())

    @reactive.calc
    def problem() -> str:
        found = asked()
        if isinstance(found, PufferfishError):
            return in_words(found)
        error = answering.error()
        return "" if error is None else in_words(error)

    wire_looks(page, outlook)

    @render.ui
    def pairs() -> Tag:
        return fragments.pairs_part(data.counted().summary, data.example())

    @render.ui
    def more() -> Tag:
        column, secret = data.counted().question.asked.table.columns
        return fragments.more_part(data.looked().columns, column, secret)

    return Answer(question=question, outlook=outlook, problem=problem, task=answering)
