"""The studio's server: one process, on this machine, for one browser."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import errno
import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import FrameType
from typing import Any, NoReturn, TypeVar

from starlette.types import ASGIApp

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.extras import shiny, uvicorn
from pufferfish.core.validation import require
from pufferfish.studio.guard import Guard
from pufferfish.studio.uploads import Uploads

__all__ = ["Workers", "serve", "server_of", "shiny_scripts"]

_ENDINGS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Over its websocket the page sends only what was typed and chosen; files come another way.
_MOST_MESSAGE = 1 << 20
# Seconds that work in threads has to end when the studio ends.
_MOST_WAIT = 0.5
_T = TypeVar("_T")
_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\b(?:src|type)=)[^>]*>(.+?)</script>", re.DOTALL)


def serve(
    app_of: Callable[[Uploads], ASGIApp],
    *,
    port: int = 0,
    most_bytes: int,
    opened: Callable[[str], None],
) -> None:
    """Serve the studio until Ctrl-C; then drop all tables.

    Call it in the main thread. Other signals that end the process (SIGTERM, SIGHUP) take their
    usual effect after the server has ended and all tables are gone. Work that the app does in
    threads (`asyncio.to_thread`) has half a second to end after the app was told of the shutdown;
    if it takes longer, the process ends here.

    Args:
        app_of: Makes the app, which finds the uploaded tables in `Uploads`.
        port: Where to listen; 0: at any free port.
        most_bytes: The size of the largest table that the page takes.
        opened: Called with the address once the server answers, in a thread of its own; the address
            opens the studio, once. If it raises, the server ends, and the error is raised here.

    Raises:
        InvalidInputError: The port is taken, or is not one to listen at.
    """
    failures: list[Exception] = []
    signals: list[int] = []
    with contextlib.closing(Uploads(most_bytes)) as uploads, _listening(port) as listener:
        guard = Guard(
            app_of(uploads), uploads, port=listener.getsockname()[1], scripts=shiny_scripts()
        )

        def announce() -> None:
            try:
                opened(guard.address)
            except Exception as error:  # noqa: BLE001 - raised again below
                failures.append(error)
                server.should_exit = True

        workers = Workers()
        server = server_of(guard, threading.Thread(target=announce, daemon=True).start, workers)
        with _noting(signals, server), contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
    if workers.busy:
        _leave(128 + signals[0] if signals else 0)
    for number in signals[:1]:
        signal.raise_signal(number)
    if failures:
        raise failures[0]


@contextlib.contextmanager
def _noting(signals: list[int], server: Any) -> Iterator[None]:
    """Let signals that end the process end the server first, and note them.

    The server handles SIGTERM by itself, and passes it on when it has ended.
    """

    def note(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        server.should_exit = True

    before = {each: signal.signal(each, note) for each in _ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(code: int) -> NoReturn:
    """End the process, whatever its threads do.

    Python's normal exit would abort while threads are inside a C++ library.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def server_of(app: ASGIApp, answers: Callable[[], None], workers: Workers | None = None) -> Any:
    """The server of an app, not yet started: it logs nothing, and trusts no header of a proxy.

    Args:
        app: The app to serve; it must support the ASGI lifespan protocol.
        answers: Called once, when the server answers; must not wait.
        workers: The executor for `asyncio.to_thread`; None: that of the loop.
    """
    waiting = [answers]

    async def answering() -> None:
        if waiting:
            if workers is not None:
                asyncio.get_running_loop().set_default_executor(workers)
            waiting.pop()()

    library = uvicorn()
    return library.Server(
        library.Config(
            app,
            interface="asgi3",
            loop="asyncio",
            http="h11",
            ws="websockets-sansio",
            lifespan="on",
            # Called when the server has started, and then every half minute.
            callback_notify=answering,
            # Its messages would reveal what was asked for.
            log_config=None,
            log_level=logging.CRITICAL + 1,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            ws_max_size=_MOST_MESSAGE,
            # On one machine a lost connection is noticed at once; while the server is busy, a
            # browser that is pinged would seem to answer too late.
            ws_ping_interval=None,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
    )


class Workers(ThreadPoolExecutor):
    """Threads for slow work, which do not keep the process alive when the studio ends.

    Python waits for ordinary threads at exit, and a calibration may take minutes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._running: set[Future[Any]] = set()

    @property
    def busy(self) -> bool:
        """Whether any thread is still working."""
        return bool(self._running)

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Start the work immediately, in a thread of its own."""
        future: Future[_T] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    result = fn(*args, **kwargs)
                except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                    future.set_exception(error)
                else:
                    future.set_result(result)

        self._running.add(future)
        future.add_done_callback(self._running.discard)
        threading.Thread(target=work, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give work that can be stopped a moment to clean up."""
        concurrent.futures.wait(tuple(self._running), timeout=_MOST_WAIT if wait else 0)


def shiny_scripts() -> list[str]:
    """The scripts that the installed version of Shiny writes into a page."""
    ui = shiny("ui")
    page = ui.page_sidebar(ui.sidebar(), ui.card(), ui.modal())
    return _INLINE_SCRIPT.findall(shiny().App(page, None).ui["html"])


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """A socket that only this machine can reach."""
    # Ports below belong to the system, and a browser leaves out the port 80.
    require(
        port == 0 or 1024 <= port <= 65535,
        f"--port must be a number from 1024 to 65535, or 0 for any free port, got {port}.",
    )
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        # A port that was in use a moment ago counts as free.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise InvalidInputError(
                f"port {port} is taken, perhaps by another studio: end that one, give another "
                "--port, or leave --port out to use a free one."
            ) from None
        yield listener
