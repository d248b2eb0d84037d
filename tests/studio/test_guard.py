"""Only the browser that was sent here is answered, and only from the studio's own page."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from pufferfish.studio.guard import fresh_secret
from tests.studio.running import Running, running

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@pytest.fixture
def server() -> Iterator[Running]:
    with running() as started:
        yield started


def secrets_of(server: Running) -> list[bytes]:
    return [
        each.encode() for each in (server.guard._cookie, server.opening.removeprefix("/?token="))
    ]


def test_secrets_are_long_and_differ() -> None:
    found = {fresh_secret() for _ in range(100)}
    assert len(found) == 100
    assert {len(each) for each in found} == {43}


def test_the_token_opens_once(server: Running) -> None:
    first = server.ask(path=server.opening)
    assert first.status == 200
    assert b'content="0; url=/"' in first.body
    name, *flags = first.headers["set-cookie"].split("; ")
    assert name.startswith(f"pufferfish-{server.port}=")
    assert {each.lower() for each in flags} == {"httponly", "samesite=strict", "path=/"}
    cookie = {"Cookie": name}
    assert server.ask(headers=cookie).body == b"GET / 0"
    again = server.ask(path=server.opening)
    assert again.status == 403
    assert b"run pufferfish studio again" in again.body
    assert "set-cookie" not in again.headers
    # With the cookie an old address leads on to the page, and gives no new cookie.
    onward = server.ask(path=server.opening, headers=cookie)
    assert onward.status == 200
    assert onward.body == first.body
    assert "set-cookie" not in onward.headers


def test_what_does_not_open_does_not_spend(server: Running) -> None:
    opening = server.opening
    token = opening.removeprefix("/?token=")
    encoded = "".join(f"%{ord(each):02X}" for each in token)
    for path in (
        "/",
        "/?token=",
        "/?token=" + token[:-1],
        "/?token=" + token + "=",
        "/?token=" + encoded,
        "/?x=1&token=" + token,
        "/?token=" + token + "&token=" + token,
        "//?token=" + token,
        "/x?token=" + token,
        "/?TOKEN=" + token,
        f"http://{server.host}/?token=" + token,
    ):
        answer = server.ask(path=path)
        assert answer.status == 403, path
        assert token.encode() not in answer.body
        assert "set-cookie" not in answer.headers
    assert server.ask("HEAD", opening).status == 403
    own = {"Origin": f"http://{server.host}"}
    assert server.ask("POST", opening, own, b"").status == 403
    assert server.ask(path=opening, headers={"Origin": "http://evil.example"}).status == 403
    assert server.ask(path=opening, headers={"Host": "evil.example"}).status == 421
    assert server.ask(path=opening).status == 200


def test_of_many_at_once_one_opens(server: Running) -> None:
    count = 12
    start = threading.Barrier(count)

    def open_() -> int:
        start.wait()
        return server.ask(path=server.opening).status

    with ThreadPoolExecutor(count) as pool:
        found = [each.result() for each in [pool.submit(open_) for _ in range(count)]]
    assert sorted(found) == [200] + [403] * (count - 1)


def test_foreign_hosts_are_refused(server: Running) -> None:
    page = server.login()
    cookie = {"Cookie": page["Cookie"]}
    port = server.port
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "localhost",
        f"127.0.0.1:{port + 1}",
        f"127.0.0.1:0{port}",
        f"localhost.:{port}",
        f"LOCALHOST:{port}",
        f"127.1:{port}",
        f"[::1]:{port}",
        f"user@127.0.0.1:{port}",
        f"127.0.0.1:{port}@evil.example",
        f"127.0.0.1:{port}, evil.example",
        f"127.0.0.1:{port}.evil.example",
        "",
    ):
        answer = server.ask(headers={**cookie, "Host": host})
        # An empty or malformed name may be refused by the server itself.
        assert answer.status in (400, 421), host
        assert b"GET /" not in answer.body
    assert server.ask(headers={**cookie, "Host": f"localhost:{port}"}).status == 200


def test_two_hosts_or_none_are_refused(server: Running) -> None:
    cookie = f"Cookie: {server.login()['Cookie']}"
    host = f"Host: {server.host}"
    fine = server.send_raw("GET / HTTP/1.1", host, cookie)
    assert b"GET / 0" in fine
    for lines in (
        [host, host],
        [host, "Host: evil.example"],
        ["Host: evil.example", host],
        [f"Host : {server.host}"],
        [f"X: y\r\n {host}"],
        [],
    ):
        answer = server.send_raw("GET / HTTP/1.1", *lines, cookie)
        assert answer.split(b" ")[1] in (b"400", b"421"), lines
    # The old protocol has no host.
    assert server.send_raw("GET / HTTP/1.0", cookie).split(b" ")[1] == b"421"


def test_foreign_origins_are_refused(server: Running) -> None:
    page = server.login()
    cookie = {"Cookie": page["Cookie"]}
    other = f"http://127.0.0.1:{server.port + 1}"
    for origin in (
        "http://evil.example",
        "null",
        "",
        other,
        f"https://{server.host}",
        f"http://localhost:{server.port}",
        f"http://{server.host}/",
        f"http://{server.host}.evil.example",
        f"HTTP://{server.host}",
    ):
        for method, path in (("GET", "/"), ("POST", "/x"), ("POST", "/upload")):
            answer = server.ask(method, path, {**cookie, "Origin": origin})
            assert answer.status == 403, (origin, method)
    assert server.ask(headers=page).status == 200
    assert server.ask(headers=cookie).status == 200
    assert server.ask("POST", "/x", cookie, b"ab").status == 403
    assert server.ask("POST", "/x", page, b"ab").body == b"POST /x 2"
    own = f"Origin: http://{server.host}"
    twice = server.send_raw(
        "GET / HTTP/1.1", f"Host: {server.host}", f"Cookie: {page['Cookie']}", own, own
    )
    assert twice.startswith(b"HTTP/1.1 403 ")


def test_the_cookie_must_be_there_once_and_exact(server: Running) -> None:
    cookie = server.login()["Cookie"]
    name, _, value = cookie.partition("=")
    for wrong in (
        "",
        name,
        f"{name}=",
        f"{name}={value[:-1]}",
        f"{name}={value}x",
        f"{name}={value.swapcase()}",
        f'{name}="{value}"',
        f"{name.upper()}={value}",
        f"{name} ={value}",
        f"{name}= {value}",
        f"x{name}={value}",
        f"pufferfish-{server.port + 1}={value}",
        f"{cookie}; {cookie}",
        f"{cookie}; {name}=x",
        f"{name}=x; {cookie}",
        f"x={cookie}",
        f"x, {cookie}",
    ):
        assert server.ask(headers={"Cookie": wrong}).status == 403, wrong
    both = [f"Cookie: {cookie}", f"cookie: {name}=x"]
    for lines in (both, both[::-1]):
        answer = server.send_raw("GET / HTTP/1.1", f"Host: {server.host}", *lines)
        assert answer.startswith(b"HTTP/1.1 403 ")
    assert server.ask(headers={"Cookie": f"a=b; {cookie};c=d"}).status == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "X"])
def test_other_methods_are_refused(server: Running, method: str) -> None:
    answer = server.ask(method, "/", server.login())
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"


def test_every_answer_has_the_headers(server: Running) -> None:
    before = server.ask()
    opened = server.ask(path=server.opening)
    page = {
        "Cookie": opened.headers["set-cookie"].partition(";")[0],
        "Origin": f"http://{server.host}",
    }
    answers = {
        403: before,
        421: server.ask(headers={"Host": "evil.example"}),
        405: server.ask("PUT", headers=page),
        404: server.ask("POST", "/session/1/upload/2", page, b"x"),
        413: server.ask("POST", "/x", page, bytes(70_000)),
        500: server.ask(path="/fail", headers=page),
    }
    assert {status: answer.status for status, answer in answers.items()} == {
        status: status for status in answers
    }
    assert b"private" not in answers[500].body
    large = server.ask("POST", "/upload?name=x", {**page, "Content-Length": "9999999"})
    fine = [
        opened,
        server.ask(headers=page),
        server.ask("HEAD", headers=page),
        server.ask("POST", "/upload?name=x", page, b"x"),
    ]
    assert [each.status for each in fine] == [200] * 4
    assert large.status == 413
    for answer in [*answers.values(), large, *fine]:
        assert HEADERS.items() <= answer.headers.items()
        policy = answer.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(policy)
        assert "script-src 'self'" in policy
        assert "server" not in answer.headers
        assert not any(each in answer.body for each in secrets_of(server))


def test_the_headers_replace_those_of_the_app(server: Running) -> None:
    cookie = f"Cookie: {server.login()['Cookie']}"
    answer = server.send_raw("GET / HTTP/1.1", f"Host: {server.host}", cookie).lower()
    assert answer.count(b"\r\ncache-control:") == 1
    assert b"\r\ncache-control: no-store\r\n" in answer
    assert b"\r\nset-cookie:" not in answer


def test_posts_are_small_and_uploads_go_one_way(server: Running) -> None:
    page = server.login()
    assert server.ask("POST", "/x", page, bytes(1 << 16)).body == b"POST /x 65536"
    chunked = {**page, "Transfer-Encoding": "chunked"}
    head = [f"{name}: {value}" for name, value in {"Host": server.host, **chunked}.items()]
    body = b"11000\r\n" + bytes(0x11000) + b"\r\n0\r\n\r\n"
    assert server.send_raw("POST /x HTTP/1.1", *head, body=body).startswith(b"HTTP/1.1 413 ")
    for path in (
        "//upload",
        "/upload/",
        "/upload/../",
        "/x/../upload",
        "/./upload",
        "/session/1/upload/2?w=",
        "/session/1/%75pload/2",
        "/session/1%2Fupload%2F2",
        "/session/1/upload/",
    ):
        answer = server.ask("POST", path, page, b"x,s\n1,a\n")
        assert answer.status == 404, path
    # The same name in other letters is the same place.
    assert json.loads(server.ask("POST", "/%75pload?name=x", page, b"x").body)["size"] == 1
    assert server.ask("GET", "/upload", page).body == b"GET /upload 0"
    for path in ("/upload", "/upload?name=x", "/%75pload"):
        assert server.ask("POST", path, {"Origin": page["Origin"]}, b"x").status == 403


def test_a_huge_header_is_refused(server: Running) -> None:
    page = server.login()
    cookie = f"Cookie: {page['Cookie']}"
    answer = b"HTTP/1.1 400 "
    # The server may hang up before all is sent, and then its answer can be lost.
    with contextlib.suppress(OSError):
        answer = server.send_raw(
            "GET / HTTP/1.1", f"Host: {server.host}", cookie, f"X: {'y' * 200_000}"
        )
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert server.ask(headers=page).status == 200


def socket_to(server: Running, path: str = "/websocket/", **options: Any) -> Any:
    return connect(f"ws://{server.host}{path}", proxy=None, **options)


def test_websockets_need_the_cookie_and_the_origin(server: Running) -> None:
    page = server.login()
    cookie, origin = {"Cookie": page["Cookie"]}, page["Origin"]
    with socket_to(server, additional_headers=cookie, origin=origin) as connection:
        connection.send("quiet")
        assert connection.recv() == "QUIET"
    wrong: list[dict[str, Any]] = [
        {"origin": origin},
        {"additional_headers": cookie},
        {"additional_headers": cookie, "origin": "http://evil.example"},
        {"additional_headers": cookie, "origin": "null"},
        {"additional_headers": cookie, "origin": f"http://localhost:{server.port}"},
        {"additional_headers": {"Cookie": page["Cookie"] + "x"}, "origin": origin},
        {"additional_headers": {**cookie, "Origin": "http://evil.example"}, "origin": origin},
        {"additional_headers": [*cookie.items(), *cookie.items()], "origin": origin},
    ]
    for options in wrong:
        with pytest.raises(InvalidStatus) as refused:
            socket_to(server, **options)
        # Two origins are refused by the server itself.
        assert refused.value.response.status_code in (400, 403), options


def test_websockets_of_other_names_are_refused(server: Running) -> None:
    page = server.login()
    for host in (f"evil.example:{server.port}", f"localhost.:{server.port}"):
        answer = server.send_raw(
            "GET /websocket/ HTTP/1.1",
            f"Host: {host}",
            f"Origin: http://{host}",
            f"Cookie: {page['Cookie']}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        )
        assert answer.startswith(b"HTTP/1.1 403 ")


def test_the_token_does_not_open_a_websocket(server: Running) -> None:
    with pytest.raises(InvalidStatus):
        socket_to(server, server.opening, origin=f"http://{server.host}")
    assert server.ask(path=server.opening).status == 200
