"""The studio as an ASGI app: the page, and what Shiny runs for each open page."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from shiny import App, Inputs, Outputs, Session, reactive
from shiny.types import SilentException
from starlette.types import ASGIApp

from pufferfish.studio.data_step import data_step
from pufferfish.studio.goal_step import goal_step
from pufferfish.studio.page import page as layout
from pufferfish.studio.result_step import Result
from pufferfish.studio.session import Page, Studio
from pufferfish.studio.uploads import Uploads

__all__ = ["studio_app"]


def studio_app(
    uploads: Uploads,
    given: str | None = None,
    ledger: Path | None = None,
    na: Sequence[str] = (),
) -> ASGIApp:
    """The app.

    Args:
        uploads: Holds the tables that pages send.
        given: The file that the studio was started with.
        ledger: A file that counts the releases.
        na: Texts in tables that stand for a missing entry.
    """
    studio = Studio(uploads, given, ledger, na)

    def server(input: Inputs, output: Outputs, session: Session) -> None:
        page = Page(studio, input, session)
        data = data_step(page)
        answer = goal_step(page, data)
        result = Result(page, data, answer)

        @reactive.effect
        async def _problems() -> None:
            found = [result.problem(), data.problem()]
            with contextlib.suppress(SilentException):
                found.append(answer.problem())
            await page.send("problem", text=next(filter(None, found), ""))

        @reactive.effect
        async def _busy() -> None:
            running = [task.running for task in (*data.tasks, answer.task)]
            await page.send("busy", busy=any(each() for each in (*running, result.running)))

    app = App(
        layout(given, uploads.most_bytes, uploads.refusal),
        server,
        static_assets={"/assets": Path(__file__).parent / "assets"},
    )
    # The message of an unexpected error may name what is in a table.
    app.sanitize_errors = True
    return app
