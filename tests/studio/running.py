"""A guarded server on a real socket, a page that stands for the studio's, and ways to ask it."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from pufferfish.studio.guard import Guard
from pufferfish.studio.serving import Workers, server_of
from pufferfish.studio.uploads import Uploads
from tests.support import PATIENCE

MOST_BYTES = 2_000_000


async def page(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with what it was asked; fails at /fail."""
    if scope["type"] == "lifespan":
        for what in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{what}.complete"})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"].upper()})
    elif scope["path"] == "/fail":
        raise RuntimeError("private")
    else:
        body = b""
        message: Message = {"more_body": scope["method"] == "POST"}
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        said = f"{scope['method']} {scope['path']} {len(body)}"
        answer = PlainTextResponse(said, headers={"Cache-Control": "public, max-age=9"})
        await answer(scope, receive, send)


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server that answers."""

    port: int
    guard: Guard
    uploads: Uploads

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def opening(self) -> str:
        """The path that opens the studio."""
        return self.guard.address.removeprefix(f"http://{self.host}")

    def ask(
        self,
        method: str = "GET",
        path: str = "/",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """One request; `headers` are added to the host, or replace it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, {"Host": self.host, **(headers or {})})
            got = connection.getresponse()
            fields = {name.lower(): value for name, value in got.getheaders()}
            return Answer(status=got.status, headers=fields, body=got.read())

    def send_raw(self, *lines: str, body: bytes = b"") -> bytes:
        """Exactly these lines; all that is answered until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall("".join(f"{each}\r\n" for each in (*lines, "")).encode() + body)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))

    def login(self) -> dict[str, str]:
        """Spend the token; the headers of the page's own requests."""
        cookie = self.ask(path=self.opening).headers["set-cookie"].partition(";")[0]
        return {"Cookie": cookie, "Origin": f"http://{self.host}"}


@contextlib.contextmanager
def running(app: Any = page, most_bytes: int = MOST_BYTES) -> Iterator[Running]:
    """A server in a thread."""
    uploads = Uploads(most_bytes)
    answers = threading.Event()
    with contextlib.closing(uploads), socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        guard = Guard(app, uploads, port=port)
        server = server_of(guard, answers.set, Workers())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert answers.wait(PATIENCE)
            yield Running(port=port, guard=guard, uploads=uploads)
        finally:
            server.should_exit = True
            thread.join()
