"""The third step: release, save, or run the plan elsewhere."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from urllib.parse import quote

from htmltools import TagList
from shiny import reactive, render
from shiny.types import SilentException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from pufferfish.calibration.slight import publishes_values
from pufferfish.core.errors import BudgetExceededError, InvalidInputError, PufferfishError
from pufferfish.options.script import script
from pufferfish.options.table_script import table_script
from pufferfish.options.words import commands
from pufferfish.releases import row_kind
from pufferfish.studio import fragments
from pufferfish.studio.bench import AnyOutlook, Outlook, settle
from pufferfish.studio.data_step import Data
from pufferfish.studio.goal_step import Answer
from pufferfish.studio.latest import present, renew
from pufferfish.studio.panels import stress_part
from pufferfish.studio.question import Question
from pufferfish.studio.releasing import PLAN, AnyPlan, Released, publish
from pufferfish.studio.session import Page, in_words

__all__ = ["Result"]


class Result:
    """The third step of a page.

    Attributes:
        running: Whether a release is under way; reactive.
        problem: Why there was no release; reactive.
    """

    def __init__(self, page: Page, data: Data, answer: Answer) -> None:
        """Wire it."""
        self.running: reactive.Value[bool] = reactive.value(False)
        self.problem: reactive.Value[str] = reactive.value("")
        self._page, self._data, self._answer = page, data, answer
        self._done: reactive.Value[Released | None] = reactive.value(None)
        self._refused: tuple[Question | None, tuple[bool, bool]] = None, (False, False)
        self._address = page.session.dynamic_route("documents", self._document)
        self._wire()

    def _wire(self) -> None:
        @reactive.effect
        @reactive.event(self._page.inputs.release)
        def _release() -> None:
            try:
                self._begin()
            except (PufferfishError, OSError) as error:
                self.problem.set(in_words(error))

        @reactive.effect
        def _other() -> None:
            # A new question, or a newly ticked box, makes the last refusal obsolete.
            asked, agreed = self._refused
            ticked = any(now and not then for now, then in zip(self._agreed(), agreed, strict=True))
            if ticked or self._answer.question() != asked:
                self.problem.set("")

        doubts: reactive.Value[tuple[bool, str] | None] = reactive.value(None)

        @reactive.effect
        def _doubt() -> None:
            # As a value, so that boxes stay ticked while there is nothing new to agree to.
            found = self._answer.outlook()
            renew(doubts, (publishes_values(found.calibration), self._earlier(found)))

        @render.ui
        def releasing() -> TagList:
            return fragments.releasing_part(*present(doubts()))

        @render.ui
        def released() -> TagList | None:
            done = self._done()
            if done is None:
                return None
            story = row_kind(done.record.plan).story(done.record)
            return fragments.release_part(done, story, stress_part(done.stress), self._address)

        @render.ui
        def elsewhere() -> TagList:
            return self._elsewhere(self._answer.outlook())

    def _elsewhere(self, found: AnyOutlook) -> TagList:
        output = found.question.source.released_name
        links = [(PLAN, "the plan; private, since it holds statistics of the data")]
        example = self._data.example()
        if example is not None:
            links.append((example.name, "the example's table"))
        refused, python, typed = "", "", ""
        try:
            asked, _ = settle(found, agreed=self._agreed()[0])
            typed = commands(asked, output)
            python = (
                script(asked, found.calibration.scenario, output)
                if isinstance(found, Outlook)
                else table_script(asked, found.described, found.plan, output)
            )
        except PufferfishError as error:
            refused = in_words(error)
        return fragments.elsewhere_part(
            typed,
            python,
            [(name, f"{self._address}&name={quote(name)}", what) for name, what in links],
            refused,
        )

    def _agreed(self) -> tuple[bool, bool]:
        """Whether publishing values as they are, and a second release, were agreed to."""
        return bool(self._page.entry("allow_no_noise")), bool(self._page.entry("again"))

    def _plan(self, found: AnyOutlook) -> AnyPlan:
        return settle(found, agreed=self._agreed()[0])[1]

    def _earlier(self, found: AnyOutlook) -> str:
        released = self._page.studio.released()
        return next((released[each] for each in found.released if released.get(each)), "")

    def _note(self, found: AnyOutlook, text: str) -> None:
        """Remember the release of each column; forget it where the text is empty."""
        released = self._page.studio.released
        with reactive.isolate():
            released.set(released() | dict.fromkeys(found.released, text))

    def _begin(self) -> None:
        """Release what is shown, if it is what is asked for and was not released before."""
        studio = self._page.studio
        try:
            found, wanted = self._answer.outlook(), self._answer.question()
        except SilentException:
            found, wanted = None, None
        self._refused = wanted, self._agreed()
        if found is None or found.question != wanted or self.running():
            raise InvalidInputError(
                "the page does not yet show the answer to the current question; release when the "
                "numbers have settled."
            )
        plan = self._plan(found)
        studio.refuse_changed(found.question.source)
        earlier = self._earlier(found)
        if earlier and not self._agreed()[1]:
            raise BudgetExceededError(
                f"this column was already released ({earlier}), and its promise is for one "
                "release. Tick the box if the earlier release was not given to anybody."
            )
        self.problem.set("")
        self.running.set(True)
        # Now, so that no other page begins the same release.
        self._note(found, f"{plan.promise}, at {datetime.now().astimezone():%H:%M}")
        self._task = asyncio.create_task(self._run(found, plan, earlier))

    async def _run(self, found: AnyOutlook, plan: AnyPlan, earlier: str) -> None:
        page, source = self._page, found.question.source
        try:
            done = await asyncio.to_thread(
                publish,
                source,
                plan,
                page.new_folder(),
                ledger=page.studio.ledger,
                voice=page.voice,
                check=partial(page.studio.refuse_changed, source),
            )
        except Exception as error:  # noqa: BLE001 - shown to the user
            words, done = in_words(error), None
        async with reactive.lock():
            if done is None:
                # Nothing was published: the state before holds again.
                self._note(found, earlier)
                self.problem.set(words)
            else:
                self._done.set(done)
                await page.send("released", name=source.released_name)
            self.running.set(False)
            await reactive.flush()

    def _document(self, request: Request) -> Response:
        """A document by its name; no other file can be requested."""
        name = request.query_params.get("name", "")
        try:
            with reactive.isolate():
                return self._response(name)
        except (PufferfishError, SilentException) as error:
            return PlainTextResponse(str(error) or "not there yet", status_code=409)

    def _response(self, name: str) -> Response:
        done, example = self._done(), self._data.example()
        if name == PLAN:
            return _save(name, self._plan(self._answer.outlook()).to_json().encode())
        if example is not None and name == example.name:
            return _save(name, example.csv)
        for each in () if done is None else done.documents:
            if each.path.name == name:
                return FileResponse(each.path, filename=name)
        return PlainTextResponse("there is no such document", status_code=404)


def _save(name: str, content: bytes) -> Response:
    disposition = f"attachment; filename*=utf-8''{quote(name)}"
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": disposition},
    )
