"""The second step: which pairs, against whom, how alike; and what that means, live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from htmltools import Tag, TagList
from shiny import reactive, render, req
from shiny.types import SilentException

from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import PufferfishError
from pufferfish.options.describing import in_view
from pufferfish.studio import fragments
from pufferfish.studio.asking import read_page
from pufferfish.studio.bench import AnyOutlook
from pufferfish.studio.data_step import Counted, Data
from pufferfish.studio.latest import Latest, present, renew
from pufferfish.studio.looks import wire_looks
from pufferfish.studio.question import Question
from pufferfish.studio.session import Page, in_words

__all__ = ["Answer", "goal_step"]

# Answers of the page, and whether they are chosen.
_FOR_CATEGORIES = (
    *(("kind", "recode", True), ("floor", "none", True)),
    *(("beliefs", "mixture", False), ("beliefs", "empirical", True)),
)
_FOR_NUMBERS = (
    *(("kind", "laplace", True), ("floor", "noise", True)),
    *(("beliefs", "mixture", True), ("beliefs", "empirical", True)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the second step found; reactive, and silent until it is known.

    Attributes:
        question: What is asked now; silent while the answer is slow and not yet requested.
        outlook: The answer to it.
        problem: What is wrong with the question, or the reason why it has no answer.
        task: The task that takes time.
    """

    question: Callable[[], Question]
    outlook: Callable[[], AnyOutlook]
    problem: Callable[[], str]
    task: Latest[Question, AnyOutlook]


def goal_step(page: Page, data: Data) -> Answer:
    """Wire the second step of a page."""

    @reactive.calc
    def asked() -> Question | PufferfishError:
        counted = data.counted()
        req(page.entry("unit"), page.entry("provenance"), page.entry("which"))
        if page.entry("unit") == "person":
            req(page.entry("rows_way"))
        looked = data.looked()
        accuracy = {"value": "within", "mean": "mean_within"}.get(str(page.entry("by")))
        # A number that is not there yet is no mistake.
        req(accuracy is None or page.entry(accuracy) is not None)
        try:
            return read_page(
                counted.question.source,
                data.reference(),
                looked.names,
                page.entry,
                looked.categories,
            )
        except PufferfishError as error:
            return error

    @reactive.calc
    def wanted() -> Question:
        found = asked()
        return present(found if isinstance(found, Question) else None)

    question = _on_demand(page, wanted)

    def answer(given: Question) -> AnyOutlook:
        return page.studio.bench.outlook(given, page.voice)

    answering = Latest(question, answer)

    shown: reactive.Value[AnyOutlook | None] = reactive.value(None)

    @reactive.effect
    async def _settle() -> None:
        # As a value, so that what depends on the outlook waits for the next outlook, and not for
        # its question.
        try:
            found = answering.value()
            same = found.question.counted == data.counted().question.counted
        except SilentException:
            same = False
        # The outlook of another table would name secrets that this one does not have.
        shown.set(found if same else None)
        if not same:
            await page.send("away")

    def outlook() -> AnyOutlook:
        found = shown()
        if found is None:
            raise SilentException
        return found

    @reactive.calc
    def problem() -> str:
        found = asked()
        if isinstance(found, PufferfishError):
            return in_words(found)
        error = answering.error()
        return "" if error is None else in_words(error)

    wire_looks(page, outlook)
    _wire_questions(page, data)
    return Answer(question=question, outlook=outlook, problem=problem, task=answering)


def _on_demand(page: Page, wanted: Callable[[], Question]) -> Callable[[], Question]:
    """What is asked; silent while its answer takes long and was not requested."""
    demanded: reactive.Value[Question | None] = reactive.value(None)

    @reactive.effect
    @reactive.event(page.inputs.find)
    def _demand() -> None:
        demanded.set(wanted())

    @reactive.calc
    def waits() -> bool:
        return wanted().slow and wanted() != demanded()

    @reactive.calc
    def question() -> Question:
        req(not waits())
        return wanted()

    @reactive.effect
    async def _offer() -> None:
        try:
            shown = waits()
        except SilentException:
            shown = False
        await page.send("demand", waits=shown)

    return question


_Views = tuple[tuple[Secret, ...], ...]


def _views(counted: Counted) -> _Views:
    """The secrets, grouped by column where each column is protected by itself."""
    asked = counted.question.asked
    names = asked.table.secret or []
    apart = len(names) > 1 and not asked.roles.secrets_jointly
    return tuple(
        tuple(each for each in counted.secrets if in_view(each, name))
        for name in (names if apart else [""])
    )


def _wire_questions(page: Page, data: Data) -> None:
    """The parts of the second step that depend on the table and its columns.

    Each depends only on what it is about: a part that is made again forgets what was entered.
    """
    secrets: reactive.Value[tuple[str, _Views] | None] = reactive.value(None)
    table: reactive.Value[str | None] = reactive.value(None)
    published: reactive.Value[tuple[str, str] | None] = reactive.value(None)
    others: reactive.Value[tuple[str, tuple[str, ...]] | None] = reactive.value(None)
    labelled: reactive.Value[bool] = reactive.value(False)

    # Before everything else that reacts to new counts: suitable answers are chosen by then.
    @reactive.effect(priority=2)
    def _roles() -> None:
        found = data.counted()
        asked, key = found.question.asked.table, found.question.source.key
        column, names = (asked.column or [""])[0], asked.secret or []
        renew(secrets, (f"{key} {names}", _views(found)))
        renew(published, (key, column))
        free = tuple(each for each in data.looked().names if each not in (column, *names))
        renew(others, (key, free))
        renew(labelled, found.question.labelled)

    @reactive.effect
    def _table() -> None:
        renew(table, data.looked().source.key)

    @reactive.effect(priority=1)
    async def _suit() -> None:
        # Noise is refused for categories, so the page chooses a recoding by itself.
        await page.send("choose", answers=_FOR_CATEGORIES if labelled() else _FOR_NUMBERS)

    @render.ui
    def pairs() -> Tag:
        _, found = present(secrets())
        return fragments.pairs_part(found, data.example())

    # Also while they are folded: entries for another column must not stay.
    always = page.session.output(suspend_when_hidden=False)

    @always
    @render.ui
    def bounds() -> TagList:
        present(published())
        return fragments.bounds_part()

    @always
    @render.ui
    def outside() -> Tag | None:
        return fragments.unprotected_part(present(others())[1])

    @always
    @render.ui
    def habits() -> TagList:
        present(table())
        return fragments.rows_part()
