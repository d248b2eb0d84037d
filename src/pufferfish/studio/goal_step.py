"""The second step: which pairs, against whom, how alike; and what that would mean, live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from htmltools import Tag
from shiny import reactive, render, req, ui
from shiny.types import SilentException

from pufferfish.errors import PufferfishError
from pufferfish.exact import Certificate, PairResult
from pufferfish.report.pictures import heat_secrets
from pufferfish.report.views import worst_first
from pufferfish.studio import fragments
from pufferfish.studio.asking import asked_for
from pufferfish.studio.bench import Outlook, Question
from pufferfish.studio.controls import choices
from pufferfish.studio.data_step import Data
from pufferfish.studio.latest import Latest
from pufferfish.studio.panels import moved
from pufferfish.studio.session import Page, in_words

__all__ = ["Answer", "goal_step"]

# Pairs that can be chosen from a list.
_MOST_LISTED = 200


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
        columns = [each.name for each in data.looked().columns]
        try:
            return asked_for(counted.question.source, data.reference(), columns, page.entry)
        except PufferfishError as error:
            return error

    @reactive.calc
    def question() -> Question:
        found = asked()
        req(isinstance(found, Question))
        return found  # type: ignore[return-value]

    def answer(given: Question) -> Outlook:
        return page.studio.bench.outlook(given, page.voice)

    answering = Latest(question, answer)

    shown: reactive.Value[Outlook | None] = reactive.value(None)

    @reactive.effect
    async def _settle() -> None:
        # A value that is set to what it is disturbs nobody, so that what depends on the outlook
        # waits for the next one, and not for the question that it answers.
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
        found = shown()
        req(found is not None)
        return found  # type: ignore[return-value]

    @reactive.calc
    def problem() -> str:
        found = asked()
        if isinstance(found, PufferfishError):
            return in_words(found)
        error = answering.error()
        return "" if error is None else in_words(error)

    listed: reactive.Value[tuple[str, ...]] = reactive.value(())

    @reactive.effect
    def _list() -> None:
        # Which there are, not in which order: the list stays as it is while a slider moves.
        listed.set(tuple(sorted(_looks(outlook().calibration.certificate))[:_MOST_LISTED]))

    @reactive.effect
    async def _move() -> None:
        found = outlook()
        chosen = _looks(found.calibration.certificate).get(page.entry("look") or "")
        await page.send("moved", **moved(found, chosen))

    @reactive.effect
    def _choose() -> None:
        cell = page.entry("cell")
        with reactive.isolate():
            look = _look_of(cell, outlook().calibration.certificate)
        if look is not None:
            ui.update_select("look", selected=look, session=page.session)

    @render.ui
    def chooser() -> Tag | None:
        looks = listed()
        if len(looks) < 2:
            return None
        return choices(
            "look", "Look at", {"": "the worst pair"} | {each: each for each in looks}, ""
        )

    @render.ui
    def pairs() -> Tag:
        return fragments.pairs_part(data.counted().summary, data.example())

    @render.ui
    def more() -> Tag:
        column, secret = data.counted().question.asked.table.columns
        return fragments.more_part(data.looked().columns, column, secret)

    return Answer(question=question, outlook=outlook, problem=problem, task=answering)


def _looks(certificate: Certificate) -> dict[str, PairResult]:
    """Each pair as each adversary sees it, by its name in the list."""
    found: dict[str, PairResult] = {}
    for result in worst_first(certificate):
        first, second = result.pair
        found.setdefault(f"{first} and {second}, as '{result.belief}' sees them", result)
    return found


def _look_of(cell: object, certificate: Certificate) -> str | None:
    """The name of the pair in a cell of the heat map, as who sees most of it sees it."""
    secrets = heat_secrets(certificate)
    try:
        row, column = (secrets[int(each)] for each in str(cell).split(","))
    except (ValueError, IndexError):
        return None
    wanted = {row, column}
    return next(
        (name for name, each in _looks(certificate).items() if set(each.pair) == wanted), None
    )
