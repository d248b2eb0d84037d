"""A studio that runs, a browser that looks at it, and what both must never do."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pufferfish.studio.guard import Guard
from pufferfish.studio.serving import server_of, shiny_scripts
from pufferfish.studio.session import Studio
from pufferfish.studio.uploads import Uploads
from tests.support import PATIENCE

MOST_BYTES = 2_000_000
# What a page may say that is still open when the test ends its server.
OUTLIVED = "error: WebSocket is already in CLOSING or CLOSED state."
# Every redraw is counted, so that one can be waited for.
COUNTING = "window.moves = 0; document.addEventListener('moved', () => { window.moves += 1; });"


@dataclass(frozen=True, kw_only=True)
class Served:
    """A studio that answers, in a thread of this process.

    Attributes:
        port: Where.
        guard: Who may speak to it.
        shared: What its pages share.
        cookie: Of the browser that it knows.
    """

    port: int
    guard: Guard
    shared: Studio
    cookie: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"


@contextlib.contextmanager
def served(
    given: str | None = None, ledger: Path | None = None, most_bytes: int = MOST_BYTES
) -> Iterator[Served]:
    """The studio as `serve` makes it, but in a thread, with its token spent."""
    from pufferfish.studio import app

    answers = threading.Event()
    made: list[Studio] = []

    def noted(*arguments: Any) -> Studio:
        made.append(Studio(*arguments))
        return made[-1]

    uploads = Uploads(most_bytes)
    with contextlib.closing(uploads), socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with mock.patch.object(app, "Studio", noted):
            page = app.studio_app(uploads, given, ledger)
        guard = Guard(page, uploads, port=port, scripts=shiny_scripts())
        server = server_of(guard, answers.set)
        running = asyncio.run_coroutine_threadsafe(server.serve(sockets=[listener]), loop())
        try:
            assert answers.wait(PATIENCE)
            cookie = spent_cookie(guard.address, port)
            yield Served(port=port, guard=guard, shared=made[0], cookie=cookie)
        finally:
            server.should_exit = True
            running.result(PATIENCE)


@cache
def loop() -> asyncio.AbstractEventLoop:
    """Where all studios of this process run: Shiny has one lock for all, and a lock one loop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def spent_cookie(address: str, port: int) -> str:
    """What the token is exchanged for."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", address.partition(str(port))[2])
        header = connection.getresponse().getheader("set-cookie") or ""
    return header.partition(";")[0].partition("=")[2]


@dataclass(kw_only=True)
class Tab:
    """A page of a studio in the browser, and all that it said, asked for and was sent.

    Attributes:
        page: As the browser drives it.
        host: The only one that it may speak to.
        said: Messages and errors of the console.
        asked: Addresses.
        frames: What came and went through websockets.
    """

    page: Any
    host: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list, repr=False)
    frames: list[str] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        page = self.page
        page.set_default_timeout(1000.0 * PATIENCE)
        page.add_init_script(COUNTING)
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", self._socket)

    def _socket(self, socket: Any) -> None:
        self.asked.append(socket.url)
        for event in ("framereceived", "framesent"):
            socket.on(event, lambda frame: self.frames.append(str(frame)))

    def check(self) -> None:
        """It was quiet, and spoke to its own server only."""
        ours = re.compile(rf"(http|ws)://{re.escape(self.host)}/|data:|blob:http://{self.host}")
        assert [each for each in self.said if each != OUTLIVED] == []
        assert [each for each in self.asked if not ours.match(each)] == []

    def open(self, path: str = "/") -> None:
        self.page.goto(f"http://{self.host}{path}")
        self.page.wait_for_function("() => window.Shiny && Shiny.shinyapp.isConnected()")

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def tile(self, name: str) -> str:
        """A number that moves, and the words below it."""
        return f"{self.text(f'#tile-{name}')} | {self.text(f'#note-{name}')}"

    def picture(self, name: str) -> str:
        return str(self.page.inner_html(f"#picture-{name} svg"))

    def shows(self, selector: str, text: str) -> None:
        """Wait until a text is there, exactly, and nothing is at work."""
        self.page.wait_for_function(
            """([selector, text]) => {
                const place = document.querySelector(selector);
                return place && place.textContent === text
                    && !document.getElementById('studio').classList.contains('busy');
            }""",
            arg=[selector, text],
        )

    @contextlib.contextmanager
    def moving(self) -> Iterator[None]:
        """Do something, and wait until it was drawn and nothing is at work."""
        before = self.page.evaluate("window.moves")
        yield
        self.page.wait_for_function(
            """before => window.moves > before
                && !document.getElementById('studio').classList.contains('busy')""",
            arg=before,
        )

    def problem(self) -> str:
        """Wait for a message, and read it."""
        self.page.wait_for_selector("#problem:not([hidden])")
        return self.text("#problem")

    def no_problem(self) -> None:
        self.page.wait_for_selector("#problem", state="hidden")

    def forge(self, **inputs: Any) -> None:
        """Tell the server what no control of the page would."""
        self.page.evaluate(
            "inputs => { for (const [name, value] of Object.entries(inputs)) "
            "Shiny.setInputValue(name, value, {priority: 'event'}); }",
            inputs,
        )

    def choose(self, name: str, value: str) -> None:
        self.page.check(f'input[name="{name}"][value="{value}"]')

    def give(self, path: Path, role: str = "upload") -> None:
        """Choose a file of one's own."""
        if role == "upload":
            self.choose("source", "upload")
        self.page.set_input_files(f'input[data-upload="{role}"]', path)

    def answer(self, unit: str = "row", provenance: str = "released") -> None:
        """What is asked of every file that is no example, when it is asked."""
        self.page.wait_for_function(
            """() => document.querySelector('input[name=unit]')
                && !document.querySelector('input[name=unit]:checked')"""
        )
        self.choose("unit", unit)
        self.choose("provenance", provenance)

    def release(self) -> None:
        self.page.click("#release")
        self.page.wait_for_selector("#released .files")

    def links(self, within: str = "#released") -> dict[str, str]:
        """The documents that are offered: names and addresses."""
        found = self.page.eval_on_selector_all(
            f"{within} .files a", "links => links.map(each => [each.download, each.href])"
        )
        return dict(found)

    def save(self, name: str, folder: Path) -> Path:
        """Download a document."""
        with self.page.expect_download() as waiting:
            self.page.click(f'.files a[download="{name}"]')
        place = folder / waiting.value.suggested_filename
        waiting.value.save_as(place)
        return place

    def close(self) -> None:
        self.page.close()


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """A command that runs in this process hears signals in its own way."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def studio() -> Iterator[Served]:
    """One that all tests of a module share; nothing is released there."""
    with served() as found:
        yield found


Opened = Callable[..., Tab]


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    """Opens pages; in the end every one must have been quiet."""
    contexts, tabs = [], []

    def make(studio: Served, *, known: bool = True, goto: bool = True, **options: Any) -> Tab:
        context = browser.new_context(**options)
        contexts.append(context)
        if known:
            name, origin = f"pufferfish-{studio.port}", f"http://{studio.host}"
            cookie = {"name": name, "value": studio.cookie, "url": origin, "sameSite": "Strict"}
            context.add_cookies([cookie])
        tab = Tab(page=context.new_page(), host=studio.host)
        tabs.append(tab)
        if goto:
            tab.open()
        return tab

    yield make
    for context in contexts:
        context.close()
    for tab in tabs:
        tab.check()
