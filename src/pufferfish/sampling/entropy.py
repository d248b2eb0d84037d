"""The one door for randomness: a stream cipher keyed by the operating system.

Every release draws from `SystemEntropy`. The keystream of ChaCha20 under a key from the operating
system cannot be told from random bytes, at several gigabytes a second. Each thread of each process
has a stream of its own, and each batch ends with the key of the next one, so that memory that
leaks later does not show earlier noise.
"""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from pufferfish.checks import require

__all__ = ["Entropy", "NotPrivateEntropy", "SystemEntropy"]

_KEY_BYTES = 32
_NONCE = bytes(16)  # a key is used for one batch only
_BATCH = 2**18
# A key from the operating system again after this many batches: 16 GiB of noise.
_BATCHES_PER_SEED = 2**16


class Entropy(ABC):
    """A source of random bytes."""

    __slots__ = ()

    @property
    @abstractmethod
    def private(self) -> bool:
        """Whether noise drawn from this source may protect anyone."""

    @abstractmethod
    def read(self, count: int) -> bytes:
        """The next `count` bytes."""

    def words(self, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """`count` unsigned integers, uniform over all that `dtype` can hold."""
        width = np.dtype(dtype)
        return np.frombuffer(self.read(count * width.itemsize), dtype=width.newbyteorder("<"))


class _Stream:
    """Bytes under a key that is replaced after every batch."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._batch = memoryview(b"")
        self.batches = 0

    def read(self, count: int) -> bytes:
        if count <= len(self._batch):
            taken, self._batch = self._batch[:count], self._batch[count:]
            return bytes(taken)
        parts = [bytes(self._batch)]
        missing = count - len(self._batch)
        while missing > 0:
            self._refill()
            taken, self._batch = self._batch[:missing], self._batch[missing:]
            parts.append(bytes(taken))
            missing -= len(taken)
        return b"".join(parts)

    def _refill(self) -> None:
        keystream = Cipher(ChaCha20(self._key, _NONCE), mode=None).encryptor().update(_ZEROS)
        self._key, self._batch = keystream[:_KEY_BYTES], memoryview(keystream)[_KEY_BYTES:]
        self.batches += 1


_ZEROS = bytes(_KEY_BYTES + _BATCH)


class SystemEntropy(Entropy):
    """Keys from the operating system, one stream for each thread of each process."""

    __slots__ = ("_local",)

    def __init__(self) -> None:
        """No stream is opened yet."""
        self._local = threading.local()

    @property
    def private(self) -> bool:
        """True."""
        return True

    def read(self, count: int) -> bytes:
        """The next `count` bytes of this thread's stream."""
        return self._stream().read(count)

    def _stream(self) -> _Stream:
        local = self._local
        # A forked child has its parent's memory, and must not have its parent's stream.
        if getattr(local, "process", None) != os.getpid() or (
            local.stream.batches >= _BATCHES_PER_SEED
        ):
            local.stream = _Stream(os.urandom(_KEY_BYTES))
            local.process = os.getpid()
        stream: _Stream = local.stream
        return stream

    def __reduce__(self) -> tuple[type[SystemEntropy], tuple[()]]:
        """A copy in another process opens streams of its own."""
        return SystemEntropy, ()


class NotPrivateEntropy(Entropy):
    """The same bytes for the same seed: for tests, and never for a release."""

    __slots__ = ("_lock", "_stream")

    def __init__(self, seed: int) -> None:
        """Open the stream of this seed."""
        require(
            isinstance(seed, int) and not isinstance(seed, bool),
            f"seed must be a whole number, got {type(seed).__name__}.",
        )
        self._stream = _Stream(hashlib.sha256(str(seed).encode()).digest())
        self._lock = threading.Lock()

    @property
    def private(self) -> bool:
        """False: whoever knows the seed knows the noise."""
        return False

    def read(self, count: int) -> bytes:
        """The next `count` bytes."""
        with self._lock:
            return self._stream.read(count)
