"""Secrets, and pairs of secrets that must be indistinguishable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, overload

import numpy as np

from pufferfish.core.errors import InvalidInputError

__all__ = ["AllPairs", "Secret", "SecretPair", "check_secret", "list_given", "some_secrets"]

Secret = str | int | bool


class SecretPair(NamedTuple):
    """Two secrets that must be indistinguishable; their order has no meaning."""

    first: Secret
    second: Secret


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AllPairs(Sequence[SecretPair]):
    """All pairs of some secrets, each made when it is needed: thousands of secrets have millions.

    Equal to the tuple of its pairs, (s_0, s_1), (s_0, s_2), …, (s_1, s_2), …
    """

    secrets: tuple[Secret, ...]

    def __len__(self) -> int:
        """n(n − 1)/2."""
        return len(self.secrets) * (len(self.secrets) - 1) // 2

    @overload
    def __getitem__(self, index: int) -> SecretPair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SecretPair, ...]: ...
    def __getitem__(self, index: int | slice) -> SecretPair | tuple[SecretPair, ...]:
        """One pair by its index, or a slice of them."""
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        number = range(len(self))[index]
        # Counted from the end, the pairs whose first secret has r others after it fill a triangle.
        last = len(self) - 1 - number
        row = (math.isqrt(8 * last + 1) - 1) // 2
        count = len(self.secrets)
        first = count - 2 - row
        second = count - 1 - (last - row * (row + 1) // 2)
        return SecretPair(self.secrets[first], self.secrets[second])

    def __iter__(self) -> Iterator[SecretPair]:
        """In order."""
        return (SecretPair(first, second) for first, second in combinations(self.secrets, 2))

    def __eq__(self, other: object) -> bool:
        """The same pairs in the same order."""
        if isinstance(other, AllPairs):
            return self.secrets == other.secrets
        if not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """As a tuple where that is short."""
        if len(self) <= _MOST_SHOWN:
            return repr(tuple(self))
        return f"AllPairs({len(self.secrets)} secrets, {len(self):,} pairs)"


# `repr` lists at most this many pairs one by one.
_MOST_SHOWN = 45


def check_secret(secret: object) -> Secret:
    """`secret` as a plain str, int or bool."""
    plain = secret.item() if isinstance(secret, np.generic) else secret
    if not isinstance(plain, str | int):
        raise InvalidInputError(f"a secret must be a str, an int or a bool, got {secret!r}.")
    return plain


def some_secrets(secrets: Iterable[Secret], most: int = 20) -> str:
    """A few labels, for a message."""
    labels = [repr(secret) for secret in secrets]
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def list_given(name: str, given: object) -> tuple[Any, ...]:
    """The given list as a tuple; a single belief or pair that is not in a list is refused."""
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise InvalidInputError(
            f"{name} must be a list, got {type(given).__name__}: several beliefs are "
            "[belief_1, belief_2], several pairs are [(secret_1, secret_2), ...]."
        )
    return tuple(given)
