"""A signature is right for one document and one key, and for nothing else."""

from __future__ import annotations

import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.documents.signing import canonical_bytes, is_encrypted, signer_of
from pufferfish.documents.text import document_text, plain_document
from pufferfish.report import report
from tests.attacks.forging import edited, released

KEY = pf.SigningKey.generate()
numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**70), 2**70))
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(st.characters(codec="utf-8"))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(data=st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), plain, max_size=5))
def test_a_document_that_was_read_again_has_the_same_bytes(
    data: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    signed = KEY.signed({**data, "pufferfish": "test"})
    (folder / "a.json").write_text(document_text(signed), encoding="utf-8")
    again = plain_document(folder / "a.json")
    assert canonical_bytes(again) == canonical_bytes(signed)
    assert signer_of(again) == KEY.public


def test_the_order_of_entries_does_not_matter_and_everything_else_does() -> None:
    signed = KEY.signed({"a": 1.0, "b": {"c": [1, 2]}})
    assert signer_of(dict(reversed(signed.items()))) == KEY.public
    for change in ({"a": 1}, {"a": 1.0000000000000002}, {"b": {"c": [2, 1]}}, {"d": None}):
        with pytest.raises(pf.InvalidInputError, match="not that of this document"):
            signer_of(signed | change)
    assert signer_of({"a": 1.0}) is None


def test_signing_again_replaces_the_signature() -> None:
    other = pf.SigningKey.generate()
    assert signer_of(other.signed(KEY.signed({"a": 1}))) == other.public


@pytest.mark.parametrize(
    "entry",
    [
        None,
        5,
        {},
        {"algorithm": "RSA"},
        {"algorithm": None},
        {"public_key": "x"},
        {"public_key": 5},
        {"public_key": base64.b64encode(bytes(31)).decode()},
        {"public_key": base64.b64encode(bytes(32)).decode()},
        {"signature": ""},
        {"signature": "===="},
        {"signature": base64.b64encode(bytes(64)).decode()},
        {"extra": 1},
    ],
)
def test_a_signature_that_is_none_is_refused(entry: Any) -> None:
    signed = KEY.signed({"a": 1})
    broken = signed["signature"] | entry if isinstance(entry, dict) and entry else entry
    with pytest.raises(pf.InvalidInputError, match="signature"):
        signer_of(signed | {"signature": broken})


@pytest.mark.parametrize("passphrase", [None, "open sesame ☺"])
def test_a_key_is_kept_in_a_file_for_its_owner_alone(
    tmp_path: Path, passphrase: str | None
) -> None:
    place = tmp_path / "curator.key"
    KEY.save(place, passphrase=passphrase)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert is_encrypted(place) is (passphrase is not None)
    assert pf.SigningKey.load(place, passphrase=passphrase).public == KEY.public
    assert pf.PublicKey.load(tmp_path / "curator.key.pub") == KEY.public
    assert KEY.public.fingerprint.startswith("SHA256:")
    with pytest.raises(pf.OutputExistsError):
        pf.SigningKey.generate().save(place)
    with pytest.raises(pf.InvalidInputError, match="passphrase"):
        pf.SigningKey.load(place, passphrase="wrong")
    if passphrase is not None:
        with pytest.raises(pf.InvalidInputError, match="needs its passphrase"):
            pf.SigningKey.load(place)


def test_nothing_of_the_key_is_shown() -> None:
    assert repr(KEY) == "SigningKey()"


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    secret = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for text in (b"", b"canary", secret, public):
        (tmp_path / "k").write_bytes(text)
        with pytest.raises(pf.InvalidInputError) as caught:
            pf.SigningKey.load(tmp_path / "k")
        assert "canary" not in str(caught.value)
        with pytest.raises(pf.InvalidInputError):
            pf.PublicKey.load(tmp_path / "k")


# Records.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    done = released(tmp_path)
    for edition, name in (("internal", "record.json"), ("public", "public.json")):
        done.record.save(tmp_path / name, edition, force=True, sign=KEY)  # type: ignore[arg-type]
    return tmp_path


@pytest.mark.parametrize("name", ["record.json", "public.json"])
def test_a_signed_record_says_who_says_so(folder: Path, name: str) -> None:
    found = pf.verify_record(folder / name)
    assert found.verdict is not False
    assert found.signed_by == KEY.public.fingerprint
    assert not found.vouched
    assert "a key that you did not name" in found.conclusion
    named = pf.verify_record(folder / name, signer=KEY.public)
    assert named.verdict is found.verdict
    assert named.vouched
    assert "signed by the key that you named" in named.conclusion


@pytest.mark.parametrize("name", ["record.json", "public.json"])
def test_another_key_is_not_the_one_that_was_named(folder: Path, name: str) -> None:
    other = pf.SigningKey.generate().public
    assert pf.verify_record(folder / name, signer=other).verdict is False
    with pytest.raises(pf.CertificationError, match="signed"):
        report(folder / name, edition="public", signer=other)


def test_an_unsigned_record_is_not_the_one_that_was_named(tmp_path: Path) -> None:
    released(tmp_path)
    found = pf.verify_record(tmp_path / "record.json", signer=KEY.public)
    assert found.verdict is False
    assert found.signed_by is None
    assert pf.verify_record(tmp_path / "record.json").verdict is True


def test_a_signed_record_that_was_edited_is_found(folder: Path) -> None:
    """Even where nothing else could be told: the date."""
    edited(folder / "record.json", lambda data: data.update(created="2020-01-01T00:00:00+00:00"))
    found = pf.verify_record(folder / "record.json")
    assert found.verdict is False
    assert found.signed_by is None
    with pytest.raises(pf.CertificationError, match="signature"):
        pf.Record.load(folder / "record.json")


def test_a_signature_cannot_be_moved_to_another_record(folder: Path) -> None:
    stolen = json.loads((folder / "record.json").read_text(encoding="utf-8"))["signature"]
    edited(folder / "public.json", lambda data: data.update(signature=stolen))
    assert pf.verify_record(folder / "public.json").verdict is False


def test_a_signed_record_is_read_again(folder: Path) -> None:
    assert pf.Record.load(folder / "record.json").to_dict()["pufferfish"] == "record"


def test_a_report_shows_who_signed(folder: Path) -> None:
    public = report(folder / "public.json", edition="public")
    assert KEY.public.fingerprint.replace("+", "&#43;") in public.replace("+", "&#43;")
    assert "a key that you did not name" in public
    assert "It is not signed" not in public
    named = report(folder / "public.json", edition="public", signer=KEY.public)
    assert "signed by the key that you named" in named


def test_a_record_of_a_sum_is_signed_too(tmp_path: Path) -> None:
    users = pf.sums.identical(40, 0.5, 0.5)
    plan = pf.SumPlan(calibration=pf.calibrate_sum(users, pf.Guarantee(1.0)))
    record = pf.release_sum([0.0, 1.0] * 20, plan).record
    for edition in ("internal", "public"):
        record.save(tmp_path / f"{edition}.json", edition, sign=KEY)  # type: ignore[arg-type]
        found = pf.verify_record(tmp_path / f"{edition}.json", signer=KEY.public)
        assert found.verdict is not False
        assert found.vouched
    edited(tmp_path / "public.json", lambda data: data["published"].update(value=0.0))
    assert pf.verify_record(tmp_path / "public.json").verdict is False
