"""Documents of earlier versions, as the current version would write them.

Version 2 says more than version 1. What a version 1 document did not say is filled in with what was
true of all of them; words of version 1 are kept, and not compared. A document of version 1 that has
an entry of version 2 is refused, because it is not known who wrote that entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pufferfish.core.errors import InvalidInputError

__all__ = ["FROM_VERSION", "UPGRADES"]

# The entry of an upgraded record that says which version it was written in; never in a file.
FROM_VERSION = "from_version"
# The provenance in version 1 of a belief that was taken to be about the released table.
_RELEASED = "fitted on the released column"


def _with(data: dict[str, Any], new: dict[str, Any], what: str) -> dict[str, Any]:
    """The data with entries that version 1 did not have.

    Raises:
        InvalidInputError: It has one of them, so it is not of version 1.
    """
    added = [name for name in new if name in data]
    if added:
        raise InvalidInputError(
            f"a {what} of version 1 has no entry {added[0]!r}: it was added later."
        )
    return {**data, **new}


def _plan(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a plan: version 1 rounded to three digits, and assumed independent rows."""
    new: dict[str, Any] = {
        "dependence": "independent",
        "one_row": None,
        "cap": None,
        "step": None,
        "rounding": "digits",
    }
    upgraded = _with(data, new, "plan")
    scenario = data.get("scenario")
    if isinstance(scenario, dict) and isinstance(scenario.get("beliefs"), list):
        beliefs = [_belief(each) for each in scenario["beliefs"]]
        upgraded["scenario"] = scenario | {"beliefs": beliefs}
    return upgraded | {"version": 2}


def _belief(data: Any) -> Any:
    """Upgrade a belief: version 1 did not say which table it was fitted to, and had no cap."""
    new = {"cap": None, "fitted_on": None, "fitted_at": None}
    return _with(data, new, "belief") if isinstance(data, dict) else data


def _record(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a record: a public one of version 1 stated what is protected only in words."""
    plan = data.get("plan")
    table, published = data.get("table"), data.get("published")
    upgraded = {name: entry for name, entry in data.items() if name != "shuffled"}
    unprotected = None
    if isinstance(table, dict):
        upgraded["table"] = _with(table, {"capped": 0}, "table of a record")
    if isinstance(table, dict) and isinstance(published, dict):
        part, whole = table.get("unprotected"), published.get("rows")
        if isinstance(part, int) and isinstance(whole, int) and whole > 0:
            unprotected = -(-100 * part // whole)
    new: dict[str, Any] = {
        "headline": [],
        # It stated only in words how many rows of a person there are.
        "rows_per_person": 1 if data.get("unit") == "row" else None,
        "dependence": "independent",
        "one_row": None,
        "rows_tested": False,
        "secret": None,
        "reveals": None,
        "cap": None,
        "step": None,
        "order": "random" if data.get("shuffled") is True else "table",
        "unprotected_percent": unprotected,
        "adversaries": None,
        # Nor did it say which table the beliefs are about.
        "beliefs_from": "another table",
        "beliefs_fitted": None,
        "rounding": "digits",
    }
    if isinstance(plan, dict) and isinstance(plan.get("scenario"), dict):
        beliefs = plan["scenario"].get("beliefs")
        new |= {
            "rows_per_person": plan.get("rows_per_person", 1),
            "secret": plan.get("secret"),
            "adversaries": len(beliefs) if isinstance(beliefs, list) else None,
            "rounding": None if _all_public(beliefs) else "digits",
        }
        claimed = beliefs if isinstance(beliefs, list) else ()
        if not any(
            isinstance(each, dict) and each.get("provenance") == _RELEASED for each in claimed
        ):
            # Otherwise that table was not compared with the released one.
            new["beliefs_from"] = "elsewhere"
        upgraded["plan"] = _plan(plan)
    return _with(upgraded, new, "record") | {"version": 2, FROM_VERSION: 1}


def _all_public(beliefs: Any) -> bool:
    """Whether every belief is public; then no size was rounded."""
    return isinstance(beliefs, list) and all(
        isinstance(each, dict) and each.get("provenance") == "public" for each in beliefs
    )


def _beliefs(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade beliefs, as those of a plan."""
    beliefs = data.get("beliefs")
    listed = [_belief(each) for each in beliefs] if isinstance(beliefs, list) else beliefs
    return {**data, "beliefs": listed, "version": 2}


def _sum_plan(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade the plan of a sum: version 1 rounded to three digits."""
    return _with(data, {"rounding": "digits"}, "sum-plan") | {"version": 2}


def _sum_record(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade the record of a sum, as its plan; without a plan, the users are private."""
    upgraded = _with(data, {"rounding": "digits"}, "sum-record")
    upgraded |= {"version": 2, FROM_VERSION: 1}
    plan = data.get("plan")
    if isinstance(plan, dict):
        users = plan.get("users")
        public = isinstance(users, dict) and users.get("provenance") == "public"
        upgraded |= {"plan": _sum_plan(plan), "rounding": None if public else "digits"}
    return upgraded


# For each (kind, version), the function that makes the next version of such a document.
UPGRADES: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("plan", 1): _plan,
    ("record", 1): _record,
    ("beliefs", 1): _beliefs,
    ("sum-plan", 1): _sum_plan,
    ("sum-record", 1): _sum_record,
}
