"""Rows in random order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.sampling.entropy import Entropy

__all__ = ["permutation"]

# Rows are dealt into so many heaps, a power of two, when there are more than some.
_HEAPS = 1024
_MANY = 1 << 17


def permutation(count: int, entropy: Entropy) -> npt.NDArray[Any]:
    """0, ..., count − 1 in random order: sorted by random keys of 64 bits.

    Given that all keys differ, every order is equally likely; two are equal with a probability of
    at most count²/2^65. Many rows are first dealt into heaps at random, and each heap is sorted by
    its own keys: the same as sorting by (heap, key), but without leaving the processor's cache.
    """
    if count <= _MANY:
        return np.argsort(entropy.words(count, np.uint64))
    heap = entropy.words(count, np.uint16) % np.uint16(_HEAPS)
    order = np.argsort(heap, kind="stable")  # linear, for keys of 16 bits
    ends = np.cumsum(np.bincount(heap, minlength=_HEAPS))
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        part = order[start:end]
        order[start:end] = part[np.argsort(entropy.words(part.size, np.uint64))]
    return order
