"""A fair coin for each row of a table, by its number: tossed once, and looked up again.

Rows are read twice, once to be counted and once to be released, some at a time and by several
threads. The coin of row n is bit n of the keystream of ChaCha20 under a key from the source of
randomness: it can be looked up anywhere in the table, and nobody without the key can tell it from
a coin that was tossed for that row alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from pufferfish.core.validation import require
from pufferfish.sampling.entropy import Entropy, SystemEntropy

__all__ = ["Coins"]

_KEY_BYTES = 32
# The size of one block of the keystream, whose number has 32 bits.
_BLOCK_BYTES = 64
_BLOCK_BITS = 8 * _BLOCK_BYTES
_MOST_BLOCKS = 2**32


class Coins:
    """Which rows show heads; the tosses are lost with the object, which cannot be stored."""

    __slots__ = ("_key",)

    def __init__(self, entropy: Entropy | None = None) -> None:
        """Toss all coins."""
        self._key = (entropy or SystemEntropy()).read(_KEY_BYTES)

    def heads(self, before: int, rows: int) -> npt.NDArray[np.bool_]:
        """Which of some rows show heads.

        Args:
            before: How many rows come before them.
            rows: How many rows there are.
        """
        first = before // _BLOCK_BITS
        blocks = -(-(before + rows) // _BLOCK_BITS) - first
        require(before >= 0 and first + blocks <= _MOST_BLOCKS, "there are too many rows.")
        start = first.to_bytes(4, "little") + bytes(12)
        stream = Cipher(ChaCha20(self._key, start), mode=None).encryptor()
        bits = np.unpackbits(
            np.frombuffer(stream.update(bytes(blocks * _BLOCK_BYTES)), dtype=np.uint8)
        )
        skipped = before - first * _BLOCK_BITS
        return bits[skipped : skipped + rows].astype(bool)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Refuse: anyone with the key knows which rows were set apart."""
        raise TypeError("coins cannot be stored or sent; toss new ones.")

    def __repr__(self) -> str:
        """A text without the outcomes."""
        return "Coins()"
