"""Keys and signatures on the command line."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pufferfish.options.signing import PASSPHRASE
from tests.cli.conftest import Typed

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
RELEASE = ("release", "t.csv", *COLUMNS, "-e", "1", "-o", "out.csv")


@pytest.fixture
def key(typed: Typed) -> str:
    said = typed("key", "sign", "curator.key", "--json")
    assert (said.code, said.err) == (0, "")
    return str(said.json["fingerprint"])


def test_a_key_is_made_shown_and_not_replaced(typed: Typed, key: str) -> None:
    assert stat.S_IMODE(Path("curator.key").stat().st_mode) == 0o600
    for name in ("curator.key", "curator.key.pub"):
        said = typed("key", "show", name)
        assert said.code == 0
        assert key in said.out
        assert "PRIVATE" not in said.out
    again = typed("key", "sign", "curator.key")
    assert again.code == 5
    assert typed("key", "show", "curator.key").out.count(key) == 1
    assert typed("key", "show", "t.csv").code == 2


def test_help_has_examples(typed: Typed) -> None:
    assert "Example: pufferfish key sign" in typed("key", "-h").out
    assert "Example: pufferfish sign" in typed("sign", "-h").out


def test_a_release_is_signed_and_verified(typed: Typed, key: str) -> None:
    assert typed(*RELEASE, "--sign", "curator.key").code == 0
    said = typed("verify", "out.csv.record.json", "--signer", "curator.key.pub")
    assert said.code == 0
    assert f"It is signed by the key that you named ({key})." in said.out
    plain = typed("verify", "out.csv.record.json")
    assert plain.code == 0
    assert "a key that you did not name" in plain.out
    public = typed("verify", "out.csv.public.json", "--signer", "curator.key.pub")
    assert public.code == 6
    typed("key", "sign", "other.key")
    other = typed("verify", "out.csv.public.json", "--signer", "other.key.pub")
    assert other.code == 3
    assert other.out.startswith("NO ")
    page = typed("report", "out.csv.public.json", "--public", "--signer", "curator.key.pub")
    assert page.code == 0
    assert "signed by the key that you named" in Path("out.csv.public.html").read_text("utf-8")
    refused = typed(
        "report", "out.csv.public.json", "--public", "--signer", "other.key.pub", "--force"
    )
    assert refused.code == 3


def test_a_record_is_signed_later(typed: Typed, key: str) -> None:
    typed(*RELEASE)
    said = typed("verify", "out.csv.record.json", "--signer", "curator.key.pub")
    assert said.code == 3
    assert "it is not signed" in said.out
    for name in ("out.csv.record.json", "out.csv.public.json"):
        mode = Path(name).stat().st_mode
        done = typed("sign", name, "--key", "curator.key")
        assert (done.code, done.err) == (0, "")
        assert key in done.out
        assert Path(name).stat().st_mode == mode
    assert typed("verify", "out.csv.record.json", "--signer", "curator.key.pub").code == 0
    # Once more, with another key: a new signature in place of the old one.
    typed("key", "sign", "new.key")
    assert typed("sign", "out.csv.record.json", "--key", "new.key").code == 0
    assert typed("verify", "out.csv.record.json", "--signer", "new.key.pub").code == 0


def test_what_is_not_true_is_not_signed(typed: Typed, key: str) -> None:
    del key
    typed(*RELEASE)
    record = Path("out.csv.record.json")
    data = json.loads(record.read_text("utf-8"))
    record.write_text(json.dumps(data | {"promise": "All is well."}), encoding="utf-8")
    before = record.read_bytes()
    said = typed("sign", "out.csv.record.json", "--key", "curator.key")
    assert said.code == 3
    assert record.read_bytes() == before


def test_a_passphrase(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSPHRASE, "open sesame")
    assert typed("key", "sign", "k", "--passphrase").code == 0
    assert "ENCRYPTED" in Path("k").read_text("utf-8")
    assert typed(*RELEASE, "--sign", "k").code == 0
    assert typed("verify", "out.csv.record.json", "--signer", "k.pub").code == 0
    monkeypatch.setenv(PASSPHRASE, "wrong")
    said = typed(*RELEASE, "--sign", "k", "--force")
    assert said.code == 2
    assert "passphrase" in said.err


def test_a_key_that_is_none_is_refused_before_any_work(typed: Typed) -> None:
    said = typed(*RELEASE, "--sign", "t.csv")
    assert said.code == 2
    assert not Path("out.csv").exists()
    assert typed(*RELEASE, "--sign", "none.key").code == 5


def test_a_sum_is_signed(typed: Typed, key: str) -> None:
    del key
    Path("coins.csv").write_text("value\n" + "1\n0\n" * 20, encoding="utf-8")
    described = ("sum", "--identical", "40,0.5,0.5", "-e", "1")
    assert typed(*described, "--data", "coins.csv", "--sign", "curator.key").code == 0
    record = "coins.csv.sum.record.json"
    assert typed("verify", record, "--signer", "curator.key.pub").code == 0
    assert typed(*described, "--sign", "curator.key").code == 2
