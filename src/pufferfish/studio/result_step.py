"""The third step: release, save, or run the plan elsewhere."""

from __future__ import annotations

import asyncio
from datetime import datetime
from urllib.parse import quote

from htmltools import TagList
from shiny import reactive, render
from shiny.types import SilentException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from pufferfish.errors import BudgetExceededError, InvalidInputError, PufferfishError
from pufferfish.narrate import story
from pufferfish.noise import NoNoise
from pufferfish.options.script import script
from pufferfish.options.words import commands
from pufferfish.plan import Plan
from pufferfish.studio import fragments
from pufferfish.studio.bench import Outlook
from pufferfish.studio.data_step import Data
from pufferfish.studio.goal_step import Answer
from pufferfish.studio.releasing import PLAN, Released, publish
from pufferfish.studio.session import Page, in_words

__all__ = ["Result"]


class Result:
    """The third step of a page.

    Attributes:
        running: Whether a release is under way; reactive.
        problem: Why there was none; reactive.
    """

    def __init__(self, page: Page, data: Data, answer: Answer) -> None:
        """Wire it."""
        self.running: reactive.Value[bool] = reactive.value(False)
        self.problem: reactive.Value[str] = reactive.value("")
        self._page, self._data, self._answer = page, data, answer
        self._done: reactive.Value[Released | None] = reactive.value(None)
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
        @reactive.event(self._answer.question)
        def _other() -> None:
            self.problem.set("")

        @reactive.calc
        def doubts() -> tuple[bool, str]:
            """Whether no noise is needed, and what was released before."""
            found = self._answer.outlook()
            self._done()
            return isinstance(found.calibration.noise, NoNoise), self._earlier(found)

        @render.ui
        def releasing() -> TagList:
            return fragments.releasing_part(*doubts())

        @render.ui
        def released() -> TagList | None:
            done = self._done()
            if done is None:
                return None
            return fragments.released_part(done, story(done.record), self._address)

        @render.ui
        def elsewhere() -> TagList:
            found = self._answer.outlook()
            asked, output = found.question.asked, found.question.source.released_name
            links = [(PLAN, "the plan; private, for it holds statistics of the data")]
            example = self._data.example()
            if example is not None:
                links.append((example.name, "the example's table"))
            return fragments.elsewhere_part(
                commands(asked, output),
                script(asked, found.calibration.scenario, output),
                [(name, f"{self._address}&name={quote(name)}", what) for name, what in links],
            )

    def _earlier(self, found: Outlook) -> str:
        return self._page.studio.released.get(_column_of(found), "")

    def _begin(self) -> None:
        """Release what is shown, if it is what is asked for and was not released before."""
        try:
            found, wanted = self._answer.outlook(), self._answer.question()
        except SilentException:
            found, wanted = None, None
        if found is None or found.question != wanted or self.running():
            raise InvalidInputError(
                "what is shown is not yet what is asked for; release when the numbers have settled."
            )
        earlier = self._earlier(found)
        if earlier and not self._page.entry("again"):
            raise BudgetExceededError(
                f"this column was released already ({earlier}), and its promise is for one "
                "release. Tick the box if the earlier one was not given to anybody."
            )
        plan = found.release_plan
        self._page.studio.refuse_changed(found.question.source)
        self.problem.set("")
        self.running.set(True)
        self._task = asyncio.create_task(self._run(found, plan))

    async def _run(self, found: Outlook, plan: Plan) -> None:
        page = self._page
        try:
            done = await asyncio.to_thread(
                publish,
                found.question.source,
                plan,
                page.new_folder(),
                ledger=page.studio.ledger,
                voice=page.voice,
            )
        except Exception as error:  # noqa: BLE001 - shown to the user
            words, done = in_words(error), None
        async with reactive.lock():
            if done is None:
                self.problem.set(words)
            else:
                when = f"{datetime.now().astimezone():%H:%M}"
                page.studio.released[_column_of(found)] = f"{plan.promise}, at {when}"
                self._done.set(done)
            self.running.set(False)
            await reactive.flush()

    def _document(self, request: Request) -> Response:
        """A document by its name; no other file can be asked for."""
        name = request.query_params.get("name", "")
        try:
            with reactive.isolate():
                return self._response(name)
        except (PufferfishError, SilentException) as error:
            return PlainTextResponse(str(error) or "not there yet", status_code=409)

    def _response(self, name: str) -> Response:
        done, example = self._done(), self._data.example()
        if name == PLAN:
            text = self._answer.outlook().release_plan.to_json()
            return _saved(name, text.encode())
        if example is not None and name == example.name:
            return _saved(name, example.csv)
        for each in () if done is None else done.documents:
            if each.path.name == name:
                return FileResponse(each.path, filename=name)
        return PlainTextResponse("there is no such document", status_code=404)


def _saved(name: str, content: bytes) -> Response:
    disposition = f"attachment; filename*=utf-8''{quote(name)}"
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": disposition},
    )


def _column_of(found: Outlook) -> tuple[str, str]:
    """What can be released once: a column of a table."""
    return found.question.source.name, found.plan.column
