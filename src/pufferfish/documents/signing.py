"""Ed25519 signatures of documents.

The signature is over the document without its entry "signature", as canonical text: JSON with
sorted names, no spaces, ASCII only, and the shortest digits that give each number back. A document
has the same canonical text however it was laid out. See docs/how-to/signing.md.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from msgspec import Meta

from pufferfish.core.atomic import refuse_unusable, write_text
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.documents.shape import Entries, problem
from pufferfish.documents.types import whole_text

__all__ = ["SIGNATURE", "PublicKey", "SignatureEntries", "SigningKey", "canonical_bytes"]
__all__ += ["is_encrypted", "signer_of", "unsigned"]

SIGNATURE = "signature"
_ALGORITHM = "Ed25519"
# A key file has a few hundred bytes.
_MOST_BYTES = 2**16


class SignatureEntries(Entries):
    """A signature in a document."""

    algorithm: Literal["Ed25519"]
    public_key: Annotated[str, Meta(pattern=whole_text("[A-Za-z0-9+/]{43}="))]
    signature: Annotated[str, Meta(pattern=whole_text("[A-Za-z0-9+/]{86}=="))]


@dataclass(frozen=True, slots=True)
class PublicKey:
    """The key by which anyone can check a signature; 32 bytes."""

    raw: bytes

    def __post_init__(self) -> None:
        """Refuse anything but a key."""
        sane = isinstance(self.raw, bytes) and len(self.raw) == 32
        require(sane, "a public key of Ed25519 has 32 bytes.")

    @property
    def fingerprint(self) -> str:
        """A short name for the key, for people to compare."""
        digest = hashlib.sha256(self.raw).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The key in a PEM file, such as the KEY.pub that `SigningKey.save` writes."""
        try:
            key = load_pem_public_key(_pem(path))
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PublicKey):
            raise InvalidInputError(
                f"{path} is not an Ed25519 public key in PEM. `pufferfish key sign KEY` writes "
                "one to KEY.pub."
            )
        return cls(key.public_bytes(Encoding.Raw, PublicFormat.Raw))

    def pem(self) -> str:
        """The text of a PEM file."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@dataclass(frozen=True, slots=True, eq=False)
class SigningKey:
    """The private key of somebody who signs; keep it as you keep a password."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def generate(cls) -> Self:
        """A new key."""
        return cls(Ed25519PrivateKey.generate())

    @property
    def public(self) -> PublicKey:
        """The key with which others check signatures."""
        return PublicKey(self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def save(
        self, path: str | PathLike[str], *, passphrase: str | None = None, force: bool = False
    ) -> None:
        """Write the key for its owner alone, and the public key next to it, as PATH.pub.

        Args:
            path: Where to write the key, as PEM (PKCS 8).
            passphrase: Encrypts the key; None: only the file's permissions protect it.
            force: Replace files that are there already. A key that is replaced is lost.
        """
        place = Path(path)
        public = place.with_name(place.name + ".pub")
        for each in (place, public):
            refuse_unusable(each, force=force)
        guard: KeySerializationEncryption = NoEncryption()
        if passphrase is not None:
            require(bool(passphrase), "a passphrase must not be empty; give None for none.")
            guard = BestAvailableEncryption(passphrase.encode())
        text = self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, guard).decode()
        write_text(place, text, force=force, private=True)
        write_text(public, self.public.pem(), force=force)

    @classmethod
    def load(cls, path: str | PathLike[str], *, passphrase: str | None = None) -> Self:
        """The key in a file.

        Raises:
            InvalidInputError: The file has no key, or the passphrase is wrong or missing.
        """
        try:
            secret = None if passphrase is None else passphrase.encode()
            key = load_pem_private_key(_pem(path), password=secret)
        except TypeError:
            wanted = "has no passphrase" if passphrase is not None else "needs its passphrase"
            raise InvalidInputError(f"the signing key {path} {wanted}.") from None
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidInputError(
                f"{path} is not an Ed25519 signing key in PEM, or the passphrase is wrong. "
                f"`pufferfish key sign {path}` makes one."
            )
        return cls(key)

    def signed(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The document with this key's signature, in place of any other."""
        plain = unsigned(document)
        entry = {
            "algorithm": _ALGORITHM,
            "public_key": base64.b64encode(self.public.raw).decode(),
            "signature": base64.b64encode(self._key.sign(canonical_bytes(plain))).decode(),
        }
        return {**plain, SIGNATURE: entry}


def is_encrypted(path: str | PathLike[str]) -> bool:
    """Whether a key file asks for a passphrase."""
    return b"ENCRYPTED" in _pem(path)


def unsigned(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without its signature."""
    return {name: entry for name, entry in document.items() if name != SIGNATURE}


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """The bytes that are signed: the same for the same document, however it was saved."""
    text = json.dumps(
        unsigned(document),
        allow_nan=False,
        ensure_ascii=True,
        separators=(",", ":"),
        sort_keys=True,
    )
    return text.encode("ascii")


def signer_of(document: Mapping[str, Any]) -> PublicKey | None:
    """The key that signed a document; None where it is not signed.

    The reader must know whose key that is.

    Raises:
        InvalidInputError: The signature is not that of this document by the key that it names.
    """
    if SIGNATURE not in document:
        return None
    entry = document[SIGNATURE]
    if problem(entry, SignatureEntries) is not None:
        raise InvalidInputError(f"the signature is not one of {_ALGORITHM}.")
    try:
        key, signature = (
            base64.b64decode(entry[name], validate=True) for name in ("public_key", "signature")
        )
        Ed25519PublicKey.from_public_bytes(key).verify(signature, canonical_bytes(document))
    except (InvalidSignature, binascii.Error, TypeError, ValueError):
        raise InvalidInputError(
            "the signature is not that of this document by the key that it names."
        ) from None
    return PublicKey(key)


def _pem(path: str | PathLike[str]) -> bytes:
    with Path(path).open("rb") as file:
        return file.read(_MOST_BYTES)
