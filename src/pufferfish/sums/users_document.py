"""Users and secrets in documents; numbers keep every digit."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, cast

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from pufferfish.beliefs.priors import Discrete
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.limits import MOST_KINDS, MOST_TABLES, MOST_USER_VALUES
from pufferfish.core.validation import require
from pufferfish.documents.shape import Entries, written
from pufferfish.documents.types import Bounds, Count, Name, NotNegative, Numbers
from pufferfish.sums.secret import Protect, Protected
from pufferfish.sums.users import Users, finite_users, moments, together

__all__ = ["ProtectedEntries", "UsersEntries", "users_to_dict"]

_Stds = Annotated[tuple[NotNegative, ...], Meta(min_length=1)]
_Counts = Annotated[tuple[Count, ...], Meta(min_length=1)]
_Values = Annotated[Numbers, Meta(max_length=MOST_USER_VALUES)]


class ProtectedEntries(Entries):
    """A secret."""

    MADE = Protected

    what: Protect
    between: Bounds | None


class UserTable(Entries):
    """What one user may add."""

    MADE = Discrete

    values: _Values
    probabilities: Numbers


class AnyUsers(Entries, kw_only=True):
    """Users by mean and std, or by tables."""

    means: Numbers | UnsetType = UNSET
    stds: _Stds | UnsetType = UNSET
    tables: Annotated[tuple[UserTable, ...], Meta(min_length=1)] | UnsetType = UNSET
    counts: _Counts
    positions: _Counts
    provenance: Name

    def __post_init__(self) -> None:
        """Refuse both mean and std and tables, and neither."""
        tables = self.tables is not UNSET
        if [self.means is UNSET, self.stds is UNSET] != [tables, tables]:
            raise ValueError("must have either means and stds, or tables")

    def made(self) -> Users:
        """The users."""
        counts = self.counts
        _refuse_many(len(counts), MOST_KINDS if self.tables is UNSET else MOST_TABLES)
        if isinstance(self.tables, tuple):
            laws = [each.made() for each in self.tables]
            # One by one, so that kinds that happen to be equal stay separate.
            require(len(counts) == len(laws), "counts must have one entry per kind.")
            users = together(
                *(finite_users([law], [count]) for law, count in zip(laws, counts, strict=True))
            )
            users = replace(users, provenance=self.provenance)
        else:
            # Means and stds are both set if tables are not.
            means, stds = cast(Numbers, self.means), cast(Numbers, self.stds)
            users = moments(means, stds, counts, provenance=self.provenance)
        require(len(self.positions) == users.kinds, "positions must have one entry per kind.")
        return replace(users, positions=np.array(self.positions, dtype=np.int64))


_EITHER = {"oneOf": [{"required": ["means", "stds"]}, {"required": ["tables"]}]}
UsersEntries = Annotated[AnyUsers, Meta(extra_json_schema=_EITHER)]


def users_to_dict(users: Users) -> dict[str, Any]:
    """A description of users."""
    _refuse_many(users.kinds, MOST_KINDS if users.laws is None else MOST_TABLES)
    common = {
        "counts": users.counts.tolist(),
        "positions": [users.position(kind) for kind in range(users.kinds)],
        "provenance": users.provenance,
    }
    if users.laws is None:
        return {"means": users.means.tolist(), "stds": users.stds.tolist(), **common}
    laws = [users.laws.law(kind) for kind in range(users.kinds)]
    return {"tables": [written(UserTable, law) for law in laws], **common}


def _refuse_many(kinds: int, most: int) -> None:
    if kinds > most:
        raise InvalidInputError(
            f"a document can hold at most {most:,} different users with such laws, got {kinds:,}. "
            "Group them, or release from Python without saving the plan."
        )
