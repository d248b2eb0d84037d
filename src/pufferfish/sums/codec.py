"""Users and secrets as plain data, for documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pufferfish.checks import finite_array, require
from pufferfish.codec import check_entries, reading
from pufferfish.errors import InvalidInputError
from pufferfish.limits import MOST_KINDS, MOST_TABLES, MOST_USER_VALUES
from pufferfish.priors import Discrete
from pufferfish.sums.secret import Protected
from pufferfish.sums.users import Users, finite_users, moments, together

__all__ = ["protected_from_dict", "protected_to_dict", "users_from_dict", "users_to_dict"]


def users_to_dict(users: Users) -> dict[str, Any]:
    """A description of users; numbers keep every digit."""
    _refuse_many(users.kinds, MOST_KINDS if users.laws is None else MOST_TABLES)
    common = {
        "counts": users.counts.tolist(),
        "positions": [users.position(kind) for kind in range(users.kinds)],
        "provenance": users.provenance,
    }
    if users.laws is None:
        return {"means": users.means.tolist(), "stds": users.stds.tolist(), **common}
    laws = [users.laws.law(kind) for kind in range(users.kinds)]
    return {
        "tables": [
            {"values": law.values.tolist(), "probabilities": law.probabilities.tolist()}
            for law in laws
        ],
        **common,
    }


def users_from_dict(data: Mapping[str, Any]) -> Users:
    """The users that `users_to_dict` described."""
    with reading("description of users"):
        known = ("counts", "positions", "provenance", "means", "stds", "tables")
        check_entries("description of users", data, known)
        counts, provenance = data["counts"], data["provenance"]
        _refuse_many(len(counts), MOST_TABLES if "tables" in data else MOST_KINDS)
        if "tables" in data:
            longest = max(len(each["values"]) for each in data["tables"])
            require(
                longest <= MOST_USER_VALUES,
                f"in a document a user's table has at most {MOST_USER_VALUES:,} values.",
            )
            laws = [Discrete(**each) for each in data["tables"]]
            # One by one: kinds that happen to be equal stay kinds of their own.
            require(len(counts) == len(laws), "counts must have one entry per kind.")
            users = together(
                *(finite_users([law], [count]) for law, count in zip(laws, counts, strict=True))
            )
            users = replace(users, provenance=provenance)
        else:
            users = moments(data["means"], data["stds"], counts, provenance=provenance)
        positions = finite_array("positions", data["positions"]).astype(np.int64)
        require(positions.size == users.kinds, "positions must have one entry per kind.")
        return replace(users, positions=positions)


def _refuse_many(kinds: int, most: int) -> None:
    if kinds > most:
        raise InvalidInputError(
            f"a document can hold at most {most:,} different users of this sort, got {kinds:,}. "
            "Group them, or release from Python without saving the plan."
        )


def protected_to_dict(protected: Protected) -> dict[str, Any]:
    """A secret."""
    between = None if protected.between is None else list(protected.between)
    return {"what": protected.what, "between": between}


def protected_from_dict(data: Mapping[str, Any]) -> Protected:
    """The secret that `protected_to_dict` described."""
    with reading("secret of a sum"):
        check_entries("secret of a sum", data, ("what", "between"))
        between = data["between"]
        return Protected(what=data["what"], between=None if between is None else tuple(between))
