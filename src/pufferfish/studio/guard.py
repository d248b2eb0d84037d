"""Who may talk to the studio: only the browser that this start of the studio has opened.

The studio listens on this machine only. That alone does not make it private: every page in the
browser may send requests to this machine, the name of another site may be made to point here (DNS
rebinding), and other people may work on the same machine. So

- a request must name this server as its host, which a page of another name cannot do;
- a request that a page made must come from the studio's own page;
- the address of the studio holds a token that works once, and gives the browser that used it a
  cookie; without the cookie nothing is served;
- the studio's page may load nothing from elsewhere and send nothing elsewhere; it runs only its own
  scripts, is shown in no frame, and leaves no copy in the browser's cache.

Cookies are sent to every port of a host: a browser that visits another server of 127.0.0.1 shows it
the cookie, too.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from pufferfish.sampling.entropy import SystemEntropy

__all__ = ["Guard", "fresh_secret"]

_SECRET_BYTES = 32
# Apart from files, the page posts only a few words.
_MOST_BODY = 1 << 16
_METHODS = ("GET", "HEAD", "POST")
# A redirect would not work: if another site's page or a file opened the address, the browser would
# follow it without the cookie, which is only for requests from the studio's own page.
_ONWARD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>pufferfish studio</title>'
    '<link rel="icon" href="data:,"><meta http-equiv="refresh" content="0; url=/"></head>'
    "<body></body></html>"
)


def fresh_secret() -> str:
    """A name that nobody can guess: 32 random bytes, in letters that an address may hold."""
    return base64.urlsafe_b64encode(SystemEntropy().read(_SECRET_BYTES)).rstrip(b"=").decode()


class Guard:
    """Passes requests from the studio's own page on to an app, and refuses all others."""

    def __init__(
        self, app: ASGIApp, upload: ASGIApp, *, port: int, scripts: Iterable[str] = ()
    ) -> None:
        """Guard an app.

        Args:
            app: The app to guard.
            upload: The app for requests to /upload, whatever their size.
            port: Where the server listens.
            scripts: The scripts that the app writes into its pages; no other such script runs.
        """
        self._app = app
        self._upload = upload
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._name = f"pufferfish-{port}"
        self._cookie = fresh_secret()
        self._opening = f"token={fresh_secret()}"
        self._opened = False
        self._headers = {
            "content-security-policy": _policy(self._hosts, scripts),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-store",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "x-frame-options": "DENY",
        }

    @property
    def address(self) -> str:
        """The address that opens the studio; it works once, for anyone who knows it."""
        return f"http://{self._hosts[0]}/?{self._opening}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            if self._refusal(scope) is None and self._is_known(scope):
                await self._app(scope, receive, send)
            else:
                await WebSocketClose(code=1008)(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to every answer, also to that of an app that fails."""
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                # Each replaces all headers of its name that the app may have sent.
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        try:
            await self._route(scope, receive, send_guarded)
        except Exception:
            if not started:
                failed = PlainTextResponse("The studio failed to answer this request.\n", 500)
                await failed(scope, receive, send_guarded)
            raise

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp
        refusal = self._refusal(scope)
        if refusal is not None:
            answer = refusal
        elif self._is_known(scope):
            answer = self._app
            if scope["method"] == "POST":
                answer = self._post
            elif scope["path"] == "/" and scope["query_string"].startswith(b"token="):
                answer = HTMLResponse(_ONWARD)
        elif self._opens(scope):
            opened = HTMLResponse(_ONWARD)
            opened.set_cookie(self._name, self._cookie, httponly=True, samesite="strict")
            answer = opened
        else:
            answer = _refusing(
                403,
                "This address was already used, or is incomplete. The studio opens once for each "
                "start, in one browser: go back to the page that is open, or end the studio with "
                "Ctrl-C and run pufferfish studio again.",
            )
        await answer(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Why a request from any sender is refused; None where it is not."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        # A websocket has no method.
        method = scope.get("method")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refusing(421, f"The studio answers only at {self._hosts[0]}.")
        if method not in (None, *_METHODS):
            refused = _refusing(405, f"The studio accepts only {', '.join(_METHODS)}.")
            refused.headers["allow"] = ", ".join(_METHODS)
            return refused
        # Browsers name the origin of every websocket and every POST.
        if (origins or method in (None, "POST")) and origins != [f"http://{hosts[0]}"]:
            return _refusing(403, "The studio answers only its own page.")
        return None

    def _is_known(self, scope: Scope) -> bool:
        """Whether the request has exactly this cookie, once.

        Starlette's parser of cookies keeps one of several with the same name, and removes quotes.
        """
        cookies = (
            each.strip(" ").partition("=")
            for header in Headers(scope=scope).getlist("cookie")
            for each in header.split(";")
        )
        given = [value for name, _, value in cookies if name == self._name]
        return len(given) == 1 and _same(given[0].encode(), self._cookie)

    def _opens(self, scope: Scope) -> bool:
        """Whether the request has the unused token, which is spent from now on.

        Nothing is awaited in between, so only one of two simultaneous requests can be the first.
        """
        if self._opened or scope["method"] != "GET" or scope["path"] != "/":
            return False
        self._opened = _same(scope["query_string"], self._opening)
        return self._opened

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == "/upload":
            await self._upload(scope, receive, send)
            return
        # Shiny's own uploads would be written to temporary files.
        if "upload" in path.split("/"):
            await _refusing(404, "Files can be posted only to /upload.")(scope, receive, send)
            return
        body = b""
        try:
            async for part in Request(scope, receive).stream():
                body += part
                if len(body) > _MOST_BODY:
                    words = f"At most {_MOST_BODY} bytes can be posted here."
                    await _refusing(413, words)(scope, receive, send)
                    return
        except ClientDisconnect:
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, receive_again, send)


def _same(given: bytes, secret: str) -> bool:
    """Whether a guess is the secret; a near guess takes as long as any other."""
    return hmac.compare_digest(given, secret.encode())


def _refusing(status: int, words: str) -> Response:
    return PlainTextResponse(f"{words}\n", status)


def _policy(hosts: Iterable[str], scripts: Iterable[str]) -> str:
    """The content policy: the page may do nothing that is not listed.

    Scripts within the page run only if they are known, by their checksums. Styles cannot be listed
    in this way: Shiny's components set the attribute `style`, for which checksums do not work, so
    'unsafe-inline' is needed; a style can load nothing from elsewhere. Not every browser counts a
    websocket to the page's own server as 'self'.
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
        " ".join(["connect-src 'self'", *(f"ws://{each}" for each in hosts)]),
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
    )
    return "; ".join(directives)
