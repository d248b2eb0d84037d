"""The one source of randomness: a stream cipher with a fresh key from the system for every read.

The keystream of ChaCha20 under a key from the operating system cannot be told from random bytes.
Each read takes a fresh key, makes the requested number of bytes, and forgets both: there is no
state that a fork, a thread, a signal handler, a copy or a snapshot of the machine could share, and
nothing is left from which noise that was drawn could be computed. Reads are large (whole columns of
words for thousands of values), so a key for each costs little.
"""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from pufferfish.core.validation import require

__all__ = ["Entropy", "NotPrivateEntropy", "SystemEntropy"]

_KEY_BYTES = 32
_NONCE = bytes(16)  # a key is used for one stream only


class Entropy(ABC):
    """A source of random bytes."""

    __slots__ = ()

    @abstractmethod
    def read(self, count: int) -> bytes:
        """The next `count` bytes."""

    def words(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """`count` unsigned integers, uniform over all that `dtype` can hold."""
        width = np.dtype(dtype)
        return np.frombuffer(self.read(count * width.itemsize), dtype=width.newbyteorder("<"))

    def __repr__(self) -> str:
        """The kind of source, without any of its bytes."""
        return f"{type(self).__name__}()"


def _keystream(key: bytes) -> CipherContext:
    return Cipher(ChaCha20(key, _NONCE), mode=None).encryptor()


class SystemEntropy(Entropy):
    """A key from the operating system for every read; nothing is kept."""

    __slots__ = ()

    def read(self, count: int) -> bytes:
        """`count` fresh bytes."""
        return _keystream(os.urandom(_KEY_BYTES)).update(bytes(count))

    def __eq__(self, other: object) -> bool:
        """All such sources are equal."""
        return type(other) is SystemEntropy

    def __hash__(self) -> int:
        """A hash that agrees with `==`."""
        return hash(SystemEntropy)


class NotPrivateEntropy(Entropy):
    """The same bytes for the same seed: for tests, and never for a release."""

    __slots__ = ("_lock", "_seed", "_stream")

    def __init__(self, seed: int) -> None:
        """Open the stream of this seed."""
        require(
            isinstance(seed, int) and not isinstance(seed, bool),
            f"seed must be a whole number, got {type(seed).__name__}.",
        )
        self._seed = seed
        self._stream = _keystream(hashlib.sha256(str(seed).encode()).digest())
        self._lock = threading.Lock()

    def read(self, count: int) -> bytes:
        """The next `count` bytes of the stream."""
        with self._lock:
            return self._stream.update(bytes(count))

    def __reduce__(self) -> tuple[type[NotPrivateEntropy], tuple[int]]:
        """A copy starts again from the seed."""
        return NotPrivateEntropy, (self._seed,)
