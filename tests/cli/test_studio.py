"""The command that opens the studio; the page itself is tested in tests/studio."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pufferfish.cli import studio as command
from tests.cli.conftest import Typed
from tests.support import PATIENCE

pytestmark = pytest.mark.xdist_group("studio")

Shell = Callable[..., subprocess.Popen[bytes]]


@contextlib.contextmanager
def started(shell: Shell, *arguments: object) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A studio in a process of its own, and what it said when it was ready."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = shell("studio", *arguments, "--no-browser", "--json", **pipes)
    try:
        assert process.stdout is not None
        yield process, json.loads(b"".join(process.stdout.readline() for _ in range(3)))
    finally:
        process.kill()
        process.communicate()


def get(address: str, path: str, **headers: str) -> tuple[int, str, str]:
    """The status, the cookie and the text of an answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        cookie = str(answer.getheader("set-cookie")).partition(";")[0]
        return answer.status, cookie, answer.read().decode()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_the_file_until_it_is_ended(folder: Path, shell: Shell, ending: int) -> None:
    with started(shell, "t.csv") as (process, said):
        address = said["address"]
        assert address.startswith("http://127.0.0.1:")
        status, cookie, _ = get(address, f"/?{urlsplit(address).query}")
        assert status == 200
        _, _, page = get(address, "/", Cookie=cookie)
        assert "The file that the studio was started with: t.csv" in page
        assert get(address, "/")[0] == 403
        process.send_signal(ending)
        out, err = process.communicate(timeout=PATIENCE)
        assert (out, err) == (b"", b"")
        assert process.returncode == (0 if ending == signal.SIGINT else 128 + ending)
    assert [each.name for each in folder.iterdir()] == ["t.csv"]


def test_it_says_how_to_open_it(folder: Path, shell: Shell) -> None:
    process = shell("studio", "--no-browser", stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline().decode() for _ in range(3)]
    finally:
        process.kill()
        process.communicate()
    assert lines[0].startswith("Studio      http://127.0.0.1:")
    assert "Open it in your browser. The address works once" in lines[1]
    assert "Ctrl-C ends the studio" in lines[2]


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (["-"], "reads its table more than once", 2),
        (["absent.csv"], "absent.csv", 5),
        (["--max-upload", "0"], "--max-upload must be at least 1 megabyte, got 0", 2),
        (["--quiet", "--no-browser"], "no way to open the page", 2),
        (["--port", "80"], "from 1024 to 65535", 2),
        (["t.xyz"], "t.xyz", 2),
    ],
)
def test_what_cannot_be_served_is_refused(
    refused: Typed, arguments: list[str], words: str, code: int
) -> None:
    Path("t.xyz").write_text("x,s\n1,a\n", encoding="utf-8")
    said = refused("studio", *arguments)
    assert words in said.err
    assert said.code == code


def test_a_port_that_is_taken(refused: Typed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("studio", "--port", taken.getsockname()[1])
    assert "is taken, perhaps by another studio" in said.err
    assert said.code == 2


def test_without_the_extra(refused: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shiny", None)
    said = refused("studio")
    assert "pip install '.[studio]'" in said.err


def test_the_options_reach_the_server(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    from pufferfish.studio import serving

    asked: dict[str, Any] = {}

    def serve(app_of: Any, **options: Any) -> None:
        asked.update(options, **app_of.keywords)
        options["opened"]("http://127.0.0.1:1/?token=T")

    opened: list[str] = []
    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(command.webbrowser, "open", lambda each: not opened.append(each))
    said = typed(*("studio", "t.csv", "--port", 5000, "--max-upload", 3, "--ledger", "ledger.json"))
    assert said.code == 0
    assert opened == ["http://127.0.0.1:1/?token=T"]
    assert "Opened in your browser." in said.out
    assert (asked["port"], asked["most_bytes"]) == (5000, 3_000_000)
    assert (asked["given"], asked["ledger"]) == ("t.csv", Path("ledger.json"))
