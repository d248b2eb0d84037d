"""What the page is given stays in memory, within limits, and is gone when it is dropped."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pufferfish as pf
from pufferfish.core.errors import InvalidInputError
from pufferfish.releases import release_file
from pufferfish.studio.uploads import Upload, Uploads
from pufferfish.tables import Counting, format_of
from pufferfish.tables.local.counting import fold
from tests.studio.running import MOST_BYTES, Answer, Running, running
from tests.support import PATIENCE, until

INSTEAD = "pufferfish studio FILE"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files would be."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[Running]:
    with running() as started:
        yield started


@pytest.fixture
def elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system without files in memory."""
    monkeypatch.delattr(os, "memfd_create")
    return folder


def in_memory() -> int:
    """How many tables this process holds."""
    found = 0
    for each in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(each).startswith("/memfd:pufferfish")
        except FileNotFoundError:
            continue
    return found


def until_in_memory(count: int) -> None:
    """Wait until this process holds so many tables."""
    until(lambda: in_memory() == count, f"there are {in_memory()}")


def assert_all_room_is_free(uploads: Uploads) -> None:
    held = [uploads.hold("x", bytes(uploads.most_bytes)) for _ in range(4)]
    for each in held:
        uploads.drop(each)


def post(server: Running, page: dict[str, str], data: bytes, name: str = "x.csv") -> Answer:
    return server.ask("POST", f"/upload?name={quote(name, safe='')}", page, data)


def test_it_is_held_until_it_is_dropped(server: Running, folder: Path) -> None:
    data = os.urandom(1_500_000)
    answer = post(server, server.login(), data, "my table.csv")
    content = json.loads(answer.body)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert content["name"] == "my table.csv"
    assert content["size"] == len(data)
    assert set(content) == {"key", "name", "size"}
    upload = server.uploads.claim(content["key"])
    assert upload.key == content["key"]
    assert upload.size == len(data)
    assert Path(upload.path).read_bytes() == Path(upload.path).read_bytes() == data
    assert upload.key not in repr(upload)
    assert in_memory() == 1
    for key in (upload.key, "", "x", content["name"]):
        with pytest.raises(InvalidInputError, match="Choose it again"):
            server.uploads.claim(key)
    server.uploads.drop(upload)
    server.uploads.drop(upload)
    assert in_memory() == 0
    assert not Path(upload.path).exists()
    assert list(folder.iterdir()) == []


def test_too_large_by_its_header(server: Running) -> None:
    page = server.login()
    # Refused before anything is sent: the connection is closed by us, not by the body's end.
    head = {"Host": server.host, **page, "Content-Length": str(3_456_789)}
    answer = server.send_raw(
        "POST /upload?name=x HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())
    )
    assert answer.startswith(b"HTTP/1.1 413 ")
    words = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert "3.5 MB" in words
    assert "2.0 MB" in words
    assert INSTEAD in words
    assert in_memory() == 0
    just = post(server, page, bytes(MOST_BYTES))
    assert just.status == 200
    over = post(server, page, bytes(MOST_BYTES + 1))
    assert over.status == 413
    assert "has 2.1 MB" in json.loads(over.body)["error"]


def test_too_large_while_it_comes(server: Running) -> None:
    page = server.login()
    head = {"Host": server.host, **page, "Transfer-Encoding": "chunked"}
    lines = [f"{name}: {value}" for name, value in head.items()]
    # It never ends by itself.
    chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        start = "".join(f"{each}\r\n" for each in ("POST /upload HTTP/1.1", *lines, ""))
        connection.sendall(start.encode())
        for _ in range(MOST_BYTES // 0x10000 + 1):
            connection.sendall(chunk)
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"more than 2.1 MB" in answer
    assert INSTEAD.encode() in answer
    assert in_memory() == 0
    # The room is given back.
    for _ in range(5):
        assert post(server, page, bytes(MOST_BYTES)).status == 200


def test_a_page_that_goes_away_leaves_nothing(server: Running, folder: Path) -> None:
    page = server.login()
    head = {"Host": server.host, **page, "Content-Length": "1000000"}
    lines = [f"{name}: {value}" for name, value in head.items()]
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        start = "".join(f"{each}\r\n" for each in ("POST /upload HTTP/1.1", *lines, ""))
        connection.sendall(start.encode() + bytes(1000))
        until_in_memory(1)
    until_in_memory(0)
    assert list(folder.iterdir()) == []
    assert_all_room_is_free(server.uploads)


def test_four_wait_and_the_oldest_goes(server: Running) -> None:
    page = server.login()
    keys = [json.loads(post(server, page, b"%d" % number).body)["key"] for number in range(6)]
    assert in_memory() == 4
    for key in keys[:2]:
        with pytest.raises(InvalidInputError, match="newer files"):
            server.uploads.claim(key)
    claimed = [server.uploads.claim(key) for key in keys[2:]]
    assert [Path(each.path).read_bytes() for each in claimed] == [b"2", b"3", b"4", b"5"]
    # Those that were claimed stay.
    for number in range(6):
        post(server, page, b"%d" % number)
    assert in_memory() == 8
    assert Path(claimed[0].path).read_bytes() == b"2"


def test_all_together_are_limited(server: Running) -> None:
    page = server.login()
    full = bytes(MOST_BYTES)
    held = [server.uploads.hold("x", full) for _ in range(3)]
    # One that waits makes room for the next.
    assert [post(server, page, full).status for _ in range(3)] == [200] * 3
    assert in_memory() == 4
    held.append(server.uploads.hold("x", full))
    refused = post(server, page, b"x")
    assert refused.status == 507
    words = json.loads(refused.body)["error"]
    assert "8.0 MB" in words
    assert INSTEAD in words
    with pytest.raises(InvalidInputError, match="all open pages"):
        server.uploads.hold("x", b"x")
    assert in_memory() == 4
    server.uploads.drop(held.pop())
    assert post(server, page, full).status == 200


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ("table.csv", "table.csv"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\a\\b.csv", "b.csv"),
        ("a\x00b\nc\x1b[31m.csv", "abc[31m.csv"),
        ("\u202efdc.\u200bcsv", "fdc.csv"),
        ("tablé 🐡.csv", "tablé 🐡.csv"),
        ("x" * 500 + ".csv", "x" * 196 + ".csv"),
        ("", "table"),
        ("a/", "table"),
        ("%2e%2e%2f", "%2e%2e%2f"),
        ("<b>&amp;", "<b>&amp;"),
    ],
)
def test_names_are_labels(server: Running, given: str, label: str) -> None:
    content = json.loads(post(server, server.login(), b"x", given).body)
    assert content["name"] == label


@pytest.mark.parametrize("query", ["", "?", "?name", "?name=%ff%fe", "?x=y", "?name=a&name=b"])
def test_any_query_is_answered(server: Running, query: str) -> None:
    answer = server.ask("POST", f"/upload{query}", server.login(), b"x")
    assert answer.status == 200


def test_a_dropped_path_is_not_another_table_soon() -> None:
    uploads = Uploads(100)
    old = [uploads.hold("x", b"old") for _ in range(3)]
    for each in old:
        uploads.drop(each)
    fresh = [uploads.hold("x", b"new") for _ in range(50)]
    assert not {each.path for each in old} & {each.path for each in fresh}
    assert not any(Path(each.path).exists() for each in old)
    uploads.close()
    assert in_memory() == 0


def test_one_that_is_being_read_is_read_to_its_end() -> None:
    uploads = Uploads(MOST_BYTES)
    data = os.urandom(1_000_000)
    upload = uploads.hold("x", data)
    with Path(upload.path).open("rb") as file:
        begun = file.read(10)
        uploads.drop(upload)
        assert begun + file.read() == data


def test_after_the_end_nothing_is_taken() -> None:
    uploads = Uploads(100)
    uploads.hold("x", b"x")
    uploads.close()
    uploads.close()
    assert in_memory() == 0
    with pytest.raises(InvalidInputError, match="is ending"):
        uploads.hold("x", b"x")
    assert in_memory() == 0


@pytest.mark.parametrize("most", [0, -1])
def test_a_limit_is_needed(most: int) -> None:
    with pytest.raises(InvalidInputError, match="most_bytes"):
        Uploads(most)


def test_a_full_memory_is_said(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    page = server.login()

    def full(name: str) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "memfd_create", full)
        answer = post(server, page, b"x")
    assert answer.status == 507
    assert INSTEAD in json.loads(answer.body)["error"]
    assert post(server, page, b"x").status == 200


def test_many_threads(folder: Path) -> None:
    uploads = Uploads(1000)

    def work(number: int) -> bool:
        data = b"%d" % number
        upload = uploads.hold("x", data)
        same = Path(upload.path).read_bytes() == data
        uploads.drop(upload)
        return same

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))
    assert in_memory() == 0
    assert_all_room_is_free(uploads)


def test_elsewhere_files_are_private_and_removed(elsewhere: Path) -> None:
    uploads = Uploads(100)
    held = [uploads.hold("name.csv", b"one"), uploads.hold("name.csv", b"two")]
    (place,) = elsewhere.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert [stat.S_IMODE(each.stat().st_mode) for each in place.iterdir()] == [0o600] * 2
    assert [Path(each.path).read_bytes() for each in held] == [b"one", b"two"]
    assert "name" not in held[0].path
    uploads.drop(held[0])
    assert [each.read_bytes() for each in place.iterdir()] == [b"two"]
    uploads.close()
    assert list(elsewhere.iterdir()) == []


def test_elsewhere_refused_ones_are_removed(elsewhere: Path) -> None:
    with running() as server:
        page = server.login()
        assert post(server, page, bytes(MOST_BYTES + 1)).status == 413
        kept = json.loads(post(server, page, b"x").body)
        assert Path(server.uploads.claim(kept["key"]).path).read_bytes() == b"x"
    assert list(elsewhere.iterdir()) == []


def table_of(kind: str, tmp_path: Path) -> bytes:
    rows = 60_000
    table = pa.table({"x": [float(row % 7) for row in range(rows)], "s": ["a", "b"] * (rows // 2)})
    if kind == "csv":
        pairs = zip(table["x"].to_pylist(), table["s"].to_pylist(), strict=True)
        return ("x,s\n" + "".join(f"{x},{s}\n" for x, s in pairs)).encode()
    pq.write_table(table, tmp_path / "made.parquet")
    return (tmp_path / "made.parquet").read_bytes()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_are_read_from_it_at_the_same_time(kind: str, tmp_path: Path) -> None:
    uploads = Uploads(10_000_000)
    upload = uploads.hold(f"x.{kind}", table_of(kind, tmp_path))
    format_ = format_of(f"x.{kind}")
    laws = {"a": pf.Discrete([0.0], [1.0]), "b": pf.Discrete([1.0], [1.0])}
    found = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=found, column="x", secret="s")
    target = "csv" if kind == "csv" else "parquet"

    def summary(_: int) -> dict[object, list[int]]:
        seen = fold(upload.path, Counting.of_column("x", "s"), format_=format_)
        return {label: group.counts.tolist() for label, group in seen.groups.items()}

    def release(number: int) -> int:
        done = release_file(
            source=upload.path,
            plan=plan,
            target=str(tmp_path / f"{number}.{target}"),
            source_format=format_,
        )
        return done.record.rows_published

    alone = summary(0)
    assert sum(map(sum, alone.values())) == 60_000
    with contextlib.closing(uploads), ThreadPoolExecutor(4) as pool:
        summaries = [pool.submit(summary, number) for number in range(4)]
        releases = [pool.submit(release, number) for number in range(4)]
        assert [each.result() for each in summaries] == [alone] * 4
        assert [each.result() for each in releases] == [60_000] * 4


def test_an_upload_shows_nothing_of_its_content() -> None:
    upload = Upload(key="secret-key", name="x.csv", path="/proc/self/fd/9", size=3)
    assert repr(upload) == "Upload(name='x.csv', path='/proc/self/fd/9', size=3)"
