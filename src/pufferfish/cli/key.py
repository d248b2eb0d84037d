"""Keys: make one to sign records with, and show which key a file holds.

Example: pufferfish key sign curator.key
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pufferfish.cli.once import OnceCommand
from pufferfish.cli.printing import Force, Printing
from pufferfish.core.errors import InvalidInputError
from pufferfish.documents.signing import PublicKey, SigningKey
from pufferfish.options.groups import flatten_groups
from pufferfish.options.signing import ask_passphrase, load_key

__all__ = ["app"]

app = typer.Typer(help=__doc__, no_args_is_help=True, rich_markup_mode=None)


@app.command("sign", cls=OnceCommand)
@flatten_groups
def sign(
    printing: Printing,
    file: Annotated[
        Path, typer.Argument(help="Where to write the key; its public part goes to FILE.pub.")
    ],
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Encrypt the key with a passphrase.")
    ] = False,
    force: Force = False,
) -> None:
    """Make a key to sign records with.

    Example: pufferfish key sign curator.key
    """
    key = SigningKey.generate()
    key.save(file, passphrase=ask_passphrase(file, twice=True) if passphrase else None, force=force)
    public = f"{file}.pub"
    printing.show().result(
        f"Signing key {file} (private: anyone who has it can sign in your name)\n"
        f"Public key  {public} (publish it, and its fingerprint in a place that people trust)\n"
        f"Fingerprint {key.public.fingerprint}",
        {"key": str(file), "public_key": public, "fingerprint": key.public.fingerprint},
    )


@app.command("show", cls=OnceCommand)
@flatten_groups
def show(
    printing: Printing,
    file: Annotated[Path, typer.Argument(help="A signing key, or a public key.")],
) -> None:
    """Show the fingerprint of a key, and its public part.

    Example: pufferfish key show curator.key.pub
    """
    try:
        key = PublicKey.load(file)
    except InvalidInputError:
        key = load_key(file).public
    printing.show().result(
        f"Fingerprint {key.fingerprint}\n{key.pem().rstrip()}",
        {"fingerprint": key.fingerprint, "public_key": key.pem()},
    )
