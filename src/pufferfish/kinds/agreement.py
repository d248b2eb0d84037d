"""Whether what a record of rows says was done and counted can be true together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED
from pufferfish.kinds.entries import entry_at
from pufferfish.kinds.recount import believed_range, recount_of, told
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.outline import RecodingOutline
from pufferfish.words.numbers import percent_of

__all__ = ["contradictions"]

# Two sums of the same numbers, in another order.
_SAME = 1e-6
_STD = "table.column_std"


def contradictions(
    data: Mapping[str, Any], facts: Any, plan: Any, unprotected: Sequence[str]
) -> list[str]:
    """Entries that cannot be true of one release together, in words.

    Args:
        data: The record, of either edition; its shape was checked.
        facts: What it says to everybody.
        plan: Its plan; None where it is private.
        unprotected: The columns that are published and that the promise does not cover.
    """
    found = [*_of_facts(facts, unprotected)]
    if plan is None:
        found += _of_private(facts)
    else:
        recount = recount_of(plan)
        found += recount.wrong()
        claimed = {"this table": RELEASED, "other rows": OTHER_ROWS}.get(facts.beliefs_from)
        if claimed is not None and recount.several(claimed):
            found.append("the beliefs are said to be of one table, and have the counts of several")
        said = told(plan, recount, facts.beliefs_from)
        # A std near 0 is the rounding error of the values themselves.
        largest = max(map(abs, believed_range(recount.beliefs))) if _STD in said else 0.0
        found += [
            f"{name} is not what the plan and its counts say"
            for name, value in said.items()
            if not _same(value, entry_at(data, name, value), _SAME**2 * largest)
        ]
        if facts.order != ("table" if plan.keep_order else "random"):
            found.append("the order of the rows is not that of the plan")
    published = data["published"]
    if (published["file"] is not None) == (published["checksum_of"] == "column"):
        found.append("a checksum of a column, and of no file, names no file")
    if "table" in data:
        found += _of_counts(data["table"], published["rows"], facts)
    return list(dict.fromkeys(found))


def _same(one: Any, other: Any, near: float) -> bool:
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=_SAME, abs_tol=near)
    return bool(one == other)


def _of_facts(facts: Any, unprotected: Sequence[str]) -> Iterator[str]:
    if facts.reveals is not None and not unprotected:
        yield "it says what unprotected columns reveal, and no column is unprotected"
    if facts.reveals is not None and facts.reveals.pair not in facts.pairs:
        yield "what columns reveal is about a pair that is not among the pairs"
    if (facts.beliefs_fitted is not None) > (facts.beliefs_from == "another table"):
        yield "it says when beliefs were fitted to another table, and also that they were not"
    if (facts.rows_fitted is None) == (facts.beliefs_from == "other rows"):
        yield "whether beliefs were fitted to other rows, and to how many, contradict each other"
    if facts.unprotected_percent is None:
        yield "it does not say how many rows have no secret that is in a pair"
    laws = tuple(facts.noise) if isinstance(facts.noise, Stratified) else (facts.noise,)
    recoded = [isinstance(each, Recoding | RecodingOutline) for each in laws]
    if facts.recode is not None and not all(recoded):
        yield "it says how values were recoded, and they were not"


def _of_private(facts: Any) -> Iterator[str]:
    """What an edition cannot say whose plan is private: figures that would tell its counts."""
    if facts.rounding is None:
        yield "the plan is private, and yet nothing is said of how a published size was rounded"
    asked = facts.recode
    if asked is not None and not (asked.rmse is None and asked.unchanged is None):
        yield "the plan is private, and yet figures of the map are told"


def _of_counts(table: Mapping[str, int], published: int, facts: Any) -> Iterator[str]:
    """Counts are of the rows that the mechanism saw: one for each person with `one_row`."""
    rows, missing = table["rows"], table["missing"]
    if published != rows - (missing if facts.missing == "drop" else 0):
        yield "the rows published are not the rows read minus the rows left out"
    if missing > (0 if facts.missing == "refuse" else rows):
        yield "more rows have no value than is possible"
    if max(table["unprotected"], table.get("unseen", 0)) > published:
        yield "more rows are not protected, or were not described, than were published"
    if max(table["outside"], table["capped"]) > rows - missing:
        yield "more values are outside, or capped, than there are"
    if table["capped"] and facts.cap is None:
        yield "values were capped, but there is no cap"
    if facts.unprotected_percent != percent_of(table["unprotected"], published):
        yield "the share of rows without a secret that is in a pair is not that of the counts"
