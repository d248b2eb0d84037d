"""Who may speak to the studio: the browser that was sent here by this start of it, and nobody else.

The studio listens on this machine only. That alone does not make it private: every page that the
browser shows may send requests to this machine, a name of another site may be made to point here
(DNS rebinding), and other people may work on the same machine. So

- a request must name this server as its host, which a page of another name cannot do;
- a request that a page made must come from the studio's own page;
- the address of the studio holds a token that works once, and gives the browser that used it a
  cookie; without the cookie nothing is served;
- the studio's page may load nothing from elsewhere and send nothing elsewhere, runs only scripts
  of its own, is shown in no frame, and leaves no copy in the browser's cache.

Cookies are sent to every port of a host: a browser that visits another server of 127.0.0.1 shows
the cookie to it, too.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from pufferfish.sampling.entropy import SystemEntropy

__all__ = [
    "ASGIApp",
    "Guard",
    "Message",
    "Receive",
    "Scope",
    "Send",
    "fresh_secret",
    "headers_named",
    "respond",
]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_Refusal = tuple[int, str]

_SECRET_BYTES = 32
# What the page posts, files apart, is a few words.
_MOST_BODY = 1 << 16
_METHODS = ("GET", "HEAD", "POST")
_TEXT = b"text/plain; charset=utf-8"
# A redirect would not do: where another site's page or a file opened the address, the browser
# would follow it without the cookie, which is for requests from the studio's own page only.
_ONWARD = (
    b'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>pufferfish studio</title>'
    b'<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0; url=/"></head>'
    b"<body></body></html>"
)


def fresh_secret() -> str:
    """A name that nobody can guess: 32 random bytes, in letters that an address may hold."""
    return base64.urlsafe_b64encode(SystemEntropy().read(_SECRET_BYTES)).rstrip(b"=").decode()


def headers_named(scope: Scope, name: bytes) -> list[bytes]:
    """All values of a request's header, in their order."""
    return [value for each, value in scope["headers"] if each.lower() == name]


async def respond(
    send: Send, status: int, body: bytes, kind: bytes, *headers: tuple[bytes, bytes]
) -> None:
    """A whole answer at once."""
    length = (b"content-length", str(len(body)).encode())
    start = {"status": status, "headers": [(b"content-type", kind), length, *headers]}
    await send({"type": "http.response.start", **start})
    await send({"type": "http.response.body", "body": body})


class Guard:
    """Lets through to an app what comes from the studio's own page, and refuses all else."""

    def __init__(
        self, app: ASGIApp, upload: ASGIApp, *, port: int, scripts: Iterable[str] = ()
    ) -> None:
        """Guard an app.

        Args:
            app: What is guarded.
            upload: What is posted to /upload goes there, whatever its size.
            port: Where the server listens.
            scripts: The scripts that the app writes into its pages; no other such script runs.
        """
        self._app = app
        self._upload = upload
        self._hosts = (f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode())
        self._name = f"pufferfish-{port}".encode()
        self._cookie = fresh_secret().encode()
        self._opening = f"token={fresh_secret()}".encode()
        self._opened = False
        policy = _policy(self._hosts, scripts)
        self._headers = {
            b"content-security-policy": policy,
            b"x-content-type-options": b"nosniff",
            b"referrer-policy": b"no-referrer",
            b"cache-control": b"no-store",
            b"cross-origin-opener-policy": b"same-origin",
            b"cross-origin-resource-policy": b"same-origin",
            b"x-frame-options": b"DENY",
        }

    @property
    def address(self) -> str:
        """Where the studio is opened; it works once. Whoever knows it can open it."""
        return f"http://{self._hosts[0].decode()}/?{self._opening.decode()}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let through."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            if self._refusal(scope) is None and self._is_known(scope):
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Every answer has the headers, that of an app that fails, too."""
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = [each for each in message["headers"] if each[0].lower() not in self._headers]
                message = {**message, "headers": [*own, *self._headers.items()]}
            await send(message)

        try:
            await self._route(scope, receive, send_guarded)
        except Exception:
            if not started:
                await respond(send_guarded, 500, b"The studio failed at this.\n", _TEXT)
            raise

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send, refusal)
        elif self._is_known(scope):
            if scope["method"] == "POST":
                await self._post(scope, receive, send)
            elif scope["path"] == "/" and scope["query_string"].startswith(b"token="):
                await respond(send, 200, _ONWARD, b"text/html; charset=utf-8")
            else:
                await self._app(scope, receive, send)
        elif self._opens(scope):
            cookie = self._name + b"=" + self._cookie + b"; Path=/; HttpOnly; SameSite=Strict"
            await respond(send, 200, _ONWARD, b"text/html; charset=utf-8", (b"set-cookie", cookie))
        else:
            await _refuse(
                send,
                (
                    403,
                    "This address was used already, or is incomplete. The studio opens once for "
                    "each start, in one browser: go back to the page that is open, or end the "
                    "studio with Ctrl-C and run pufferfish studio again.",
                ),
            )

    def _refusal(self, scope: Scope) -> _Refusal | None:
        """Why a request is refused, whoever sends it."""
        hosts, origins = headers_named(scope, b"host"), headers_named(scope, b"origin")
        # A websocket has no method.
        method = scope.get("method")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, f"The studio answers at {self._hosts[0].decode()} only."
        if method not in (None, *_METHODS):
            return 405, f"The studio knows {', '.join(_METHODS)} only."
        # Browsers name the origin of every websocket and every POST.
        if (origins or method in (None, "POST")) and origins != [b"http://" + hosts[0]]:
            return 403, "The studio answers to its own page only."
        return None

    def _is_known(self, scope: Scope) -> bool:
        """Whether the request has the cookie, once."""
        cookies = (
            each.strip(b" ").partition(b"=")
            for header in headers_named(scope, b"cookie")
            for each in header.split(b";")
        )
        given = [value for name, _, value in cookies if name == self._name]
        return len(given) == 1 and hmac.compare_digest(given[0], self._cookie)

    def _opens(self, scope: Scope) -> bool:
        """Whether the request has the token, for the first time: from now on it is spent.

        Nothing is awaited in between, so that of two requests at once one is the first.
        """
        if self._opened or scope["method"] != "GET" or scope["path"] != "/":
            return False
        self._opened = hmac.compare_digest(scope["query_string"], self._opening)
        return self._opened

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == "/upload":
            await self._upload(scope, receive, send)
            return
        # Shiny's own uploads would be written to temporary files.
        if "upload" in path.split("/"):
            await _refuse(send, (404, "Files are posted to /upload only."))
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > _MOST_BODY:
                await _refuse(send, (413, f"At most {_MOST_BODY} bytes can be posted here."))
                return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, receive_again, send)


async def _refuse(send: Send, refusal: _Refusal) -> None:
    status, words = refusal
    allowed = [(b"allow", ", ".join(_METHODS).encode())] if status == 405 else []
    await respond(send, status, f"{words}\n".encode(), _TEXT, *allowed)


def _policy(hosts: Iterable[bytes], scripts: Iterable[str]) -> bytes:
    """What the page may do: nothing that is not listed.

    Scripts within the page run only if they are known, by their checksums. Styles cannot be
    listed in this way: Shiny's components set the attribute `style`, for which checksums are not
    used, so that 'unsafe-inline' is needed; a style can load nothing from elsewhere. Not every
    browser counts a websocket to the page's own server as 'self'.
    """
    sums = {
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode(): None for each in scripts
    }
    directives = (
        "default-src 'none'",
        " ".join(["script-src 'self'", *(f"'sha256-{each}'" for each in sums)]),
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        " ".join(["connect-src 'self'", *(f"ws://{each.decode()}" for each in hosts)]),
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
    )
    return "; ".join(directives).encode()
