"""What must stay hidden about one user: whether they are in the sum, or which value they gave.

Presence of user k is the paper's S_⊥: the sum with them against the sum without. Their value is its
S_a: the sum given that they report a against the sum given a'. In the second case the sum of the
others is the same on both sides, so the two laws are translates of each other, by |a − a'|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, finite, require
from pufferfish.sums.users import Users

__all__ = ["Protect", "Protected"]

Protect = Literal["presence", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protected:
    """The secret of every user.

    Attributes:
        what: "presence" or "value".
        between: For "value": the a and a' that must look alike, the same for every user; None: any
            two values that a user's table has.
    """

    what: Protect = "presence"
    between: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse a description that is not a secret."""
        require(
            self.what in ("presence", "value"),
            f"protect must be 'presence' or 'value', got {self.what!r}.",
        )
        if self.between is None:
            return
        require(
            self.what == "value",
            "two values (between, --between) belong to the secret 'value': protect that, or leave "
            "them out.",
        )
        require(
            isinstance(self.between, list | tuple) and len(self.between) == 2,
            "between must be two values, a and a'.",
        )
        a, b = (finite("a value of between", each) for each in self.between)
        require(a != b, "the two values of between must differ.")
        object.__setattr__(self, "between", (a, b))

    def gaps(self, users: Users) -> FloatArray:
        """The distance of the two sums on average, |μ_k| or |a − a'|, for each kind."""
        if self.what == "presence":
            return np.abs(users.means)
        if self.between is not None:
            return np.full(users.kinds, abs(self.between[0] - self.between[1]))
        if users.laws is None:
            raise UnsupportedError(
                "mean and std do not say which values a user can report: name the two that must "
                "look alike (between=(a, b), --between A:B), or give users as tables."
            )
        return users.laws.highest - users.laws.lowest

    def words(self, apart: float) -> tuple[str, str]:
        """The two secrets of a pair, to follow a user's name; `apart`: how far two values are."""
        if self.what == "presence":
            return "present", "absent"
        if self.between is None:
            return f"a value {apart:g} higher", "a value"
        return f"value {self.between[0]:g}", f"value {self.between[1]:g}"
