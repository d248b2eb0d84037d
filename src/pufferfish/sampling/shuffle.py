"""Rows in random order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pufferfish.sampling.entropy import Entropy

__all__ = ["permutation"]


def permutation(count: int, entropy: Entropy) -> npt.NDArray[Any]:
    """0, ..., count − 1 in random order: sorted by random keys of 64 bits.

    Given that all keys differ, every order is equally likely. Two of them are equal with a
    probability of at most count²/2^65, and then their rows keep their order among themselves.
    """
    return np.argsort(entropy.words(count, np.uint64), kind="stable")
