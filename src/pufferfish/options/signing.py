"""Options: the key that signs the records."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pufferfish.core.errors import InvalidInputError
from pufferfish.documents.signing import SigningKey, is_encrypted

__all__ = ["PASSPHRASE", "Signing", "ask_passphrase", "load_key"]

# For programs that sign; people are prompted.
PASSPHRASE = "PUFFERFISH_PASSPHRASE"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """The key that signs the records."""

    sign: Annotated[
        Path | None,
        typer.Option(
            metavar="KEY",
            help="Sign both records with this key, which `pufferfish key sign KEY` made.",
        ),
    ] = None

    def key(self) -> SigningKey | None:
        """The key; asks for its passphrase if it has one."""
        return None if self.sign is None else load_key(self.sign)


def load_key(path: Path) -> SigningKey:
    """A signing key; its passphrase is taken from the environment, or asked for."""
    passphrase = ask_passphrase(path) if is_encrypted(path) else None
    return SigningKey.load(path, passphrase=passphrase)


def ask_passphrase(path: Path, *, twice: bool = False) -> str:
    """The passphrase of a key; `twice` for a new one."""
    known = os.environ.get(PASSPHRASE)
    if known is not None:
        return known
    given = typer.prompt(
        f"Passphrase of {path}", hide_input=True, confirmation_prompt=twice, err=True
    )
    if not given:
        raise InvalidInputError("the passphrase is empty: give one.")
    return str(given)
