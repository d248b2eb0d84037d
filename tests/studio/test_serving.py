"""The server is on this machine only, says nothing, and ends at once with all that it held."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pufferfish.core.errors import InvalidInputError
from pufferfish.studio.serving import serve, shiny_scripts
from pufferfish.studio.uploads import Uploads
from tests.studio.running import page, running
from tests.support import PATIENCE

# As a command of the program does: what terminates it raises, so that it can clean up.
RAISING = """
import signal, sys
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: sys.exit(128 + number))
"""
# A system without files in memory; and signals that end a process without a chance to clean up.
ON_DISK = """
import os
del os.memfd_create
"""
PROGRAM = """
from pufferfish.studio.serving import serve
from {module} import {app} as app_of
serve(app_of, most_bytes=1_000_000, opened=lambda address: print(address, flush=True))
"""


def tiny(uploads: Uploads) -> Any:
    return page


def shiny_page(uploads: Uploads) -> Any:
    """All kinds of components that bring scripts along."""
    from shiny import App, reactive, render, ui

    def server(input: Any, output: Any, session: Any) -> None:
        @render.text
        def text() -> str:
            return f"chosen {input.number()}"

        @render.ui
        def later() -> Any:
            return ui.card(ui.card_header("later"), "inside")

        @reactive.effect
        @reactive.event(input.ask)
        def _() -> None:
            ui.modal_show(ui.modal("a question", easy_close=True))

    return App(
        ui.page_sidebar(
            ui.sidebar(ui.input_numeric("number", "Number", 3), ui.input_action_button("ask", "?")),
            ui.card(ui.output_text("text"), full_screen=True),
            ui.output_ui("later"),
            ui.input_selectize("some", "Some", ["a", "b"], multiple=True),
            ui.input_slider("slide", "Slide", 1, 9, 5),
            ui.tags.script("document.title = 'injected'"),
            ui.head_content(ui.tags.link(rel="icon", href="data:,")),
            title="studio",
        ),
        server,
    )


def busy(uploads: Uploads) -> Any:
    """Works in a thread, far longer than anybody would wait."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            begun = asyncio.Event()
            told = asyncio.get_running_loop().call_soon_threadsafe

            def work() -> None:
                told(begun.set)
                threading.Event().wait(600)

            working = asyncio.create_task(asyncio.to_thread(work))
            await begun.wait()
            await send({"type": "websocket.send", "text": "busy"})
            await working
        else:
            await page(scope, receive, send)

    return app


@dataclass(frozen=True, kw_only=True)
class Started:
    """A studio in a process of its own."""

    process: subprocess.Popen[str]
    address: str
    folder: Path

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Any:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.headers, answer.read()

    def login(self) -> dict[str, str]:
        headers, _ = self.ask("GET", f"/?{urlsplit(self.address).query}")
        return {
            "Cookie": headers["set-cookie"].partition(";")[0],
            "Origin": f"http://{self.host}",
        }

    def websocket(self, headers: dict[str, str]) -> Any:
        cookie = {"Cookie": headers["Cookie"]}
        address = f"ws://{self.host}/websocket/"
        return connect(
            address, additional_headers=cookie, origin=headers["Origin"], proxy=None, max_size=None
        )

    def end(self, number: signal.Signals) -> tuple[int, str, str]:
        """Send a signal; the exit code, and all that was written after the address."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextlib.contextmanager
def started(folder: Path, app: str = "tiny", before: str = RAISING) -> Iterator[Started]:
    paths = [each or os.getcwd() for each in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM.format(module=__name__, app=app)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": os.pathsep.join(paths)},
    )
    with process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, process.communicate()[1]
            yield Started(process=process, address=address, folder=folder)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_signals_end_it_at_once(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with started(tmp_path) as studio:
        own = studio.login()
        studio.ask("POST", "/upload?name=x", b"a,b\n1,2\n", **own)
        with studio.websocket(own) as open_, studio.websocket(own) as other:
            open_.send("x")
            assert open_.recv() == "X"
            # An upload that has not ended, and a connection that says nothing.
            address = ("127.0.0.1", urlsplit(studio.address).port)
            with socket.create_connection(address) as half, socket.create_connection(address):
                lines = {"Host": studio.host, **own, "Content-Length": "9"}
                head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
                half.sendall(f"POST /upload HTTP/1.1\r\n{head}\r\nabc".encode())
                assert studio.end(number) == (code, "", "")
            with pytest.raises(ConnectionClosed):
                other.recv(timeout=PATIENCE)
    assert list(tmp_path.iterdir()) == []


def test_signals_end_shiny_at_once(tmp_path: Path) -> None:
    with started(tmp_path, "shiny_page") as studio, studio.websocket(studio.login()) as open_:
        open_.send(json.dumps({"method": "init", "data": {"number:shiny.number": 3}}))
        assert "config" in open_.recv(timeout=PATIENCE)
        assert studio.end(signal.SIGTERM) == (143, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_work_does_not_keep_it(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with started(tmp_path, "busy") as studio, studio.websocket(studio.login()) as open_:
        assert open_.recv(timeout=PATIENCE) == "busy"
        assert studio.end(number) == (code, "", "")


def test_threads_give_results_and_errors() -> None:
    results: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            results.append(await asyncio.to_thread(divmod, 7, 2))
            try:
                await asyncio.to_thread(divmod, 7, 0)
            except ZeroDivisionError as error:
                results.append(type(error))
        await page(scope, receive, send)

    with running(app) as studio:
        studio.ask(headers=studio.login())
    assert results == [(3, 1), ZeroDivisionError]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_files_are_removed_before_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path, before=ON_DISK) as studio:
        own = studio.login()
        studio.ask("POST", "/upload?name=x", b"private", **own)
        assert [each.read_bytes() for each in tmp_path.glob("*/*")] == [b"private"]
        assert studio.end(number) == (-number, "", "")
    assert list(tmp_path.iterdir()) == []


def holds_a_table(process: int) -> bool:
    for each in Path(f"/proc/{process}/fd").iterdir():
        # Connections come and go meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(each).startswith("/memfd:pufferfish"):
                return True
    return False


def test_a_killed_studio_leaves_nothing(tmp_path: Path) -> None:
    with started(tmp_path) as studio:
        own = studio.login()
        _, body = studio.ask("POST", "/upload?name=x", b"private" * 1000, **own)
        assert json.loads(body)["size"] == 7000
        assert holds_a_table(studio.process.pid)
        assert list(tmp_path.iterdir()) == []
        assert studio.end(signal.SIGKILL) == (-signal.SIGKILL, "", "")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_said_of_requests(tmp_path: Path) -> None:
    with started(tmp_path) as studio:
        own = studio.login()
        studio.ask("GET", "/private", **own)
        studio.ask("GET", "/fail", **own)
        studio.ask("GET", "/?token=wrong")
        studio.ask("GET", "/", Upgrade="h2c", Connection="Upgrade")
        with socket.create_connection(("127.0.0.1", urlsplit(studio.address).port)) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
        with studio.websocket(own) as open_:
            with contextlib.suppress(ConnectionClosed):
                open_.send("x" * 2_000_000)
            with pytest.raises(ConnectionClosed):
                open_.recv(timeout=PATIENCE)
        assert studio.end(signal.SIGINT) == (0, "", "")


def test_headers_of_proxies_are_not_trusted() -> None:
    seen: list[Any] = []

    async def watching(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            seen.append((scope["scheme"], scope["client"][0]))
        await page(scope, receive, send)

    with running(watching) as studio:
        claims = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
        assert studio.ask(headers={**studio.login(), **claims}).status == 200
    assert seen == [("http", "127.0.0.1")]


def addresses() -> list[str]:
    """Other addresses of this machine; the first is there on every Linux."""
    found = {"127.0.0.2"}
    with contextlib.suppress(OSError):
        found |= {str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)}
    # Sends nothing; the system only chooses the address that it would send from.
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward,
    ):
        outward.connect(("192.0.2.1", 9))
        found.add(outward.getsockname()[0])
    return sorted(found - {"127.0.0.1"})


def test_no_other_address_reaches_it(tmp_path: Path) -> None:
    with started(tmp_path) as studio:
        port = urlsplit(studio.address).port
        assert studio.address.startswith(f"http://127.0.0.1:{port}/?token=")
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        for address in [*addresses(), "::1"]:
            with pytest.raises(OSError):  # noqa: PT011 - which one depends on the network
                socket.create_connection((address, port), timeout=PATIENCE).close()


def refuse(uploads: Uploads) -> Any:
    raise AssertionError("not to be served")


def test_a_taken_port_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInputError, match=f"port {port} is taken.*give another"):
            serve(refuse, port=port, most_bytes=1, opened=print)


@pytest.mark.parametrize("port", [-1, 1, 80, 1023, 65536])
def test_other_ports_are_refused(port: int) -> None:
    with pytest.raises(InvalidInputError, match="from 1024 to 65535"):
        serve(refuse, port=port, most_bytes=1, opened=print)


def test_a_port_can_be_chosen_and_used_again(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for _ in range(2):
        asked: list[str] = []

        def opened(address: str, asked: list[str] = asked) -> None:
            connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
            with contextlib.closing(connection):
                connection.request("GET", f"/?{urlsplit(address).query}")
                asked.append(f"{urlsplit(address).port} {connection.getresponse().status}")
            raise BrokenPipeError

        # The server answers when it says so; and what fails then ends it.
        with pytest.raises(BrokenPipeError):
            serve(tiny, port=port, most_bytes=1, opened=opened)
        assert asked == [f"{port} 200"]


def test_shiny_writes_few_scripts() -> None:
    found = shiny_scripts()
    assert any("Modal" in each for each in found)
    assert any("Sidebar" in each for each in found)
    assert any("Card" in each for each in found)
    assert not any("<" in each for each in found)


def test_shiny_in_a_browser(browser: Any, tmp_path: Path) -> None:
    """The page works under its policy, what is not its own does not run, and a link opens it."""
    (tmp_path / "temporary").mkdir()
    with started(tmp_path / "temporary", "shiny_page") as studio:
        link = tmp_path / "link.html"
        link.write_text(f'<a href="{studio.address}">open</a>')
        context = browser.new_context()
        tab = context.new_page()
        said: list[str] = []
        asked: list[str] = []
        tab.on(
            "console",
            lambda each: said.append(f"{each.text} {each.location}") if each.type == "error" else 0,
        )
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(link.as_uri())
        tab.click("a")
        tab.wait_for_url(f"http://{studio.host}/")
        tab.get_by_text("chosen 3").wait_for()
        tab.fill("#number", "4")
        tab.get_by_text("chosen 4").wait_for()
        tab.get_by_text("later").wait_for()
        tab.click("#ask")
        tab.get_by_text("a question").wait_for()
        assert tab.title() == "studio"
        assert tab.evaluate("document.cookie") == ""
        # The one script that is not Shiny's, and nothing else, was stopped.
        assert len(said) == 1, said
        assert "inline script" in said[0]
        said.clear()
        send = """async size => {
            const answer = await fetch("/upload?name=x.csv", {
                method: "POST", body: new Uint8Array(size)});
            return [answer.status, await answer.json()];
        }"""
        status, content = tab.evaluate(send, 900_000)
        assert (status, content["size"]) == (200, 900_000)
        status, content = tab.evaluate(send, 50_000_000)
        assert status == 413
        assert "50.0 MB" in content["error"]
        outside = """async address => {
            try { await fetch(address, {mode: "no-cors"}); return "sent"; }
            catch (error) { return "stopped"; }
        }"""
        assert tab.evaluate(outside, "http://127.0.0.2:9/") == "stopped"
        assert any("Content Security Policy" in each for each in said)
        # Everything comes from the studio, but for the link we began with.
        own = (link.as_uri(), f"http://{studio.host}/", "data:")
        assert [each for each in asked if not each.startswith((*own, "http://127.0.0.2:9/"))] == []
        # Another browser is not let in, with the address or without.
        other = browser.new_context().new_page()
        for address in (studio.address, f"http://{studio.host}/"):
            assert other.goto(address).status == 403
            assert "run pufferfish studio again" in other.inner_text("body")
        # In the first one the old address leads to the page.
        tab.goto(studio.address)
        tab.wait_for_url(f"http://{studio.host}/")
        assert studio.end(signal.SIGINT)[::2] == (0, "")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_no_other_page_shows_or_reads_it(browser: Any) -> None:
    """Not even one of another port of the same host, which is sent the cookie, too."""
    with running() as studio, running() as other:
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(studio.guard.address)
        tab.wait_for_url(f"http://{studio.host}/")
        hostile = context.new_page()
        hostile.route(f"http://{other.host}/", lambda route: route.fulfill(body="<p>hostile</p>"))
        hostile.goto(f"http://{other.host}/")
        tries = """async host => {
            const found = [];
            for (const mode of ["cors", "no-cors"]) for (const method of ["GET", "POST"]) {
                try {
                    const got = await fetch("http://" + host + "/upload?name=x",
                        {mode, method, credentials: "include"});
                    found.push(await got.text());
                } catch (error) { found.push(""); }
            }
            found.push(await new Promise(done => {
                const socket = new WebSocket("ws://" + host + "/websocket/");
                socket.onopen = () => done("open");
                socket.onerror = () => done("");
            }));
            return found;
        }"""
        assert hostile.evaluate(tries, studio.host) == [""] * 5
        assert studio.uploads._waiting == {}
        framed = hostile.evaluate(
            """async host => {
                const frame = document.createElement("iframe");
                frame.src = "http://" + host + "/";
                const loaded = new Promise(done => { frame.onload = done; });
                document.body.append(frame);
                await loaded;
            }""",
            studio.host,
        )
        assert framed is None
        assert not any("GET /" in frame.content() for frame in hostile.frames[1:])
