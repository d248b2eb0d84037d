"""The studio in a browser: who may look, what is never sent, and what is gone in the end."""

from __future__ import annotations

import csv
import http.client
import json
import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from pufferfish.sampling.entropy import SystemEntropy
from tests import seams
from tests.studio.conftest import Opened, Served, Tab, served
from tests.support import PATIENCE, until

pytestmark = pytest.mark.xdist_group("studio")

# In cells of the table, and never to be seen in the page.
CANARY_VALUE, CANARY_LABEL = 4.7110625, "canary-label-4711"
# A secret is listed on purpose: as text, whatever it looks like.
MARKUP = "<img src=x onerror=document.title='run'>"


def table(path: Path) -> Path:
    """Two hundred rows; the canaries are in one of them."""
    rows: list[list[Any]] = [
        [(7 * number) % 10 + number % 2, ("plain", MARKUP)[number % 2], f"n{number}"]
        for number in range(200)
    ]
    rows[77] = [CANARY_VALUE, "plain", CANARY_LABEL]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["amount", "kind", "note"], *rows])
    return path


# -- who may look -----------------------------------------------------------------------------


def test_the_address_opens_it_once(opened: Opened) -> None:
    with served() as studio:
        refused = "error: Failed to load resource: the server responded with a status of 403"
        for address in (studio.guard.address, f"http://{studio.host}/?token=wrong"):
            tab = opened(studio, known=False, goto=False)
            answer = tab.page.goto(address)
            assert answer.status == 403
            assert "This address was already used, or is incomplete." in tab.text("body")
            assert address.partition("=")[2] not in tab.page.content()
            # The browser may ask for more, and be refused again, while the page is open.
            tab.close()
            assert all(each.startswith(refused) for each in tab.said)
            tab.said.clear()


def test_the_address_in_a_browser(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.studio.conftest.spent_cookie", lambda *_: "")
    with served() as studio:
        tab = opened(studio, known=False, goto=False)
        tab.page.goto(studio.guard.address)
        tab.shows("#tile-promise", "ε = 1")
        assert "token" not in tab.page.url


def test_no_other_host_and_no_other_origin(studio: Served) -> None:
    cookie = f"pufferfish-{studio.port}={studio.cookie}"

    def status(**headers: str) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", studio.port)) as connection:
            connection.request("GET", "/", headers={"Cookie": cookie, **headers})
            return connection.getresponse().status

    assert status() == 200
    assert status(Host=f"evil.example:{studio.port}") == 421
    assert status(Origin="http://evil.example") == 403

    def knock(origin: str) -> None:
        address = f"ws://{studio.host}/websocket/"
        with connect(address, origin=origin, additional_headers={"Cookie": cookie}):
            pass

    knock(f"http://{studio.host}")
    with pytest.raises(InvalidStatus):
        knock("http://evil.example")


# -- what is never sent -----------------------------------------------------------------------


def test_nothing_is_drawn_before_the_release(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    real = SystemEntropy.read

    def counted(self: SystemEntropy, count: int) -> bytes:
        drawn.append(count)
        return real(self, count)

    with served() as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        monkeypatch.setattr(SystemEntropy, "read", counted)
        tab.page.fill(".slider[data-input=epsilon] input[type=number]", "0.5")
        tab.shows("#tile-promise", "ε = 0.5")
        tab.choose("which", "all")
        tab.page.wait_for_selector("#picture-heat svg")
        assert drawn == []
        tab.release()
        # At least a word for each of the values.
        assert sum(drawn) > 32_561


def test_no_row_of_the_table_is_sent(opened: Opened, tmp_path: Path) -> None:
    with served() as studio:
        tab = opened(studio)
        tab.give(table(tmp_path / "t.csv"))
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        tab.page.click("#more summary")
        tab.page.check("input[name=unprotected][value=note]")
        tab.page.wait_for_selector("#elsewhere pre >> text=--keep-unprotected note")
        tab.release()
        sent = "\n".join([*tab.frames, tab.page.content()])
        # The rows are in what was asked for, and only there.
        released = tab.save("t-released.csv", tmp_path).read_text(encoding="utf-8")
    assert CANARY_LABEL in released
    assert len(tab.frames) > 20
    assert "plain" in sent
    assert CANARY_LABEL not in sent
    assert "4.711" not in sent
    assert tab.page.title() == "Pufferfish studio"
    assert tab.page.locator("#studio img").count() == 0


# What is right, after it was forged.
USUAL: dict[str, Any] = {
    "beliefs": ["mixture", "empirical"],
    "keep": [],
    "epsilon": 1,
    "delta": 0,
    "kind": "laplace",
    "min_group": 30,
    "low": None,
    "by": "epsilon",
    "pair": ["Black:Asian-Pac-Islander"],
    "rows_per_person": 1,
    "rows_way": "mean",
    "unit": "row",
    "provenance": "released",
    "column": "education-num",
    "secret": "race",
    "source": "adult",
    "look": "",
    "cell": None,
    "which": "some",
}
FORGED: list[tuple[dict[str, Any], str]] = [
    ({"beliefs": ["x.json"]}, "choose adversaries from those that the page lists."),
    ({"keep": ["../../etc/passwd"]}, "choose one of the table's columns."),
    ({"epsilon": "abc"}, "The ε of a promise must be a number."),
    ({"epsilon": None}, "The ε of a promise must be a number."),
    ({"epsilon": -1}, "epsilon must be greater than 0, got -1."),
    ({"epsilon": 1e300}, "epsilon must be at most 1e+100, got 1e+300."),
    ({"delta": 2}, "delta must be at least 0 and less than 1, got 2."),
    ({"kind": "x"}, ""),
    ({"min_group": 1.5}, "min group must be a whole number."),
    ({"low": 1}, "give both bounds, or neither."),
    ({"by": "mean", "mean_within": -1}, ""),
]
# Not of the kind that any control sends, or not one of its answers.
ODD: list[dict[str, Any]] = [
    {"beliefs": 5},
    {"keep": 5},
    {"pair": 5},
    {"pair": [5]},
    {"unit": "zz"},
    {"provenance": "zz"},
    {"which": {"a": 1}},
    {"rows_way": "any", "rows_per_person": {"a": 1}, "unit": "person"},
    {"rows_way": "all", "unit": "person"},
]
# Nothing that is there is meant: nothing happens.
MEANINGLESS: list[dict[str, Any]] = [
    {"column": "../../etc/passwd"},
    {"column": {"a": 1}},
    {"secret": {"a": 1}},
    {"look": "nonsense"},
    {"look": {"a": 1}},
    {"cell": "9,9"},
    {"cell": {"a": 1}},
    {"source": "given"},
    {"source": {"a": 1}},
]


def refused(tab: Tab, forged: dict[str, Any], words: str) -> None:
    """In words, and the page goes on."""
    tab.forge(**forged)
    told = tab.problem()
    assert told.casefold().startswith(words.casefold()), forged
    assert "went wrong" not in told, forged
    assert tab.page.evaluate("Shiny.shinyapp.isConnected()"), forged
    tab.forge(**{name: value for name, value in USUAL.items() if name in forged})
    tab.no_problem()


def test_what_is_forged_is_refused(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    for forged, words in FORGED:
        refused(tab, forged, words)
    tab.forge(source="upload", upload={"key": "x"})
    assert tab.problem().startswith("This file is no longer held")


def test_what_no_control_sends_is_refused(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    for forged in ODD:
        refused(tab, forged, "")


def test_what_is_meaningless_does_nothing(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    for forged in MEANINGLESS:
        tab.forge(**forged)
        # Answered in order: when this is refused, the other was read, and the page goes on.
        usual = {name: value for name, value in USUAL.items() if name in forged}
        refused(tab, {**usual, "epsilon": "abc"}, "The ε of a promise must be a number.")
    tab.forge(epsilon=0.7)
    tab.shows("#tile-promise", "ε = 0.7")


@pytest.mark.parametrize("name", ["epsilon", "min_group", "round"])
def test_numbers_that_are_none(studio: Served, name: str) -> None:
    """What a browser cannot send, but others can: NaN, and more than a float can hold."""
    headers = {"Cookie": f"pufferfish-{studio.port}={studio.cookie}"}
    origin, address = f"http://{studio.host}", f"ws://{studio.host}/websocket/"
    inputs = '"source": "adult", "column": "education-num", "secret": "race", "unit": "row", '
    inputs += '"provenance": "released", "which": "all", "beliefs": ["empirical"], "delta": 0'
    usual = '"epsilon": 1, ' if name != "epsilon" else ""
    for value in ("NaN", "Infinity", "1e400", "-1e400"):
        with connect(address, origin=origin, additional_headers=headers) as socket:
            data = f'{{{usual}"{name}": {value}, {inputs}}}'
            socket.send(f'{{"method": "init", "data": {data}}}')
            told = ""
            while not told:
                message = json.loads(socket.recv(timeout=PATIENCE))
                told = message.get("custom", {}).get("problem", {}).get("text", "")
            assert "went wrong" not in told


def test_only_documents_are_served(opened: Opened, studio: Served) -> None:
    tab = opened(studio)
    tab.shows("#tile-promise", "ε = 1")
    tab.page.wait_for_selector("#elsewhere .files a")
    address = tab.links("#elsewhere")["plan.json"].removesuffix("plan.json")
    ask = "address => fetch(address).then(each => each.status)"
    assert tab.page.evaluate(ask, address + "plan.json") == 200
    for name in ("", "../plan.json", "/etc/passwd", "..%2F..%2Fetc%2Fpasswd", "other.json"):
        assert tab.page.evaluate(ask, address + name) == 404
    refused = "error: Failed to load resource: the server responded with a status of 404"
    assert all(each.startswith(refused) for each in tab.said)
    tab.said.clear()


# -- what is gone in the end ------------------------------------------------------------------


def in_memory() -> list[str]:
    """Tables that this process holds without a name."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{number}"))
        except FileNotFoundError:
            continue
    return [each for each in found if each.startswith("/memfd:pufferfish")]


def kept(studio: Served) -> int:
    """How much is kept of tables that are no examples."""
    examples = {each.key for each in studio.shared.examples.values()}
    return sum(each[0] not in examples for each in seams.kept_keys(studio.shared.bench))


def test_a_closed_page_leaves_nothing(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    others = len(in_memory())
    with served() as studio:
        tab = opened(studio)
        tab.shows("#tile-promise", "ε = 1")
        before = len(in_memory())
        tab.close()
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        tab = opened(studio)
        tab.give(table(tmp_path / "t.csv"))
        tab.answer()
        tab.page.wait_for_selector("#live", state="visible")
        tab.release()
        assert len(in_memory()) == before + 1
        assert kept(studio) >= 4
        assert any(each.name.startswith("t-released") for each in temporary.rglob("*"))
        tab.close()
        until(lambda: len(in_memory()) == before, "the table is still in memory")
        until(
            lambda: not any(each.is_file() for each in temporary.rglob("*")),
            "what was released is still there",
        )
        until(lambda: kept(studio) == 0, "what was computed is still there")
    assert list(temporary.iterdir()) == []
    assert len(in_memory()) == others
