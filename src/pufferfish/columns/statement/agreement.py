"""Whether what a record says was done and counted can be true together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.statement.facts import Facts
from pufferfish.words.numbers import percent_of

__all__ = ["contradictions"]


def contradictions(data: Mapping[str, Any], facts: Facts, plan: ColumnPlan | None) -> list[str]:
    """Entries that cannot be true of one release together, in words.

    Args:
        data: The record, of either edition; its shape was checked.
        facts: What it says to everybody.
        plan: Its plan, where that is known.
    """
    found = [*_of_facts(facts)]
    if plan is not None and facts.order != ("table" if plan.keep_order else "random"):
        found.append("the order of the rows is not that of the plan")
    if "table" in data:
        found += _of_counts(data["table"], data["published"]["rows"], facts)
    return found


def _of_facts(facts: Facts) -> Iterator[str]:
    if facts.reveals is not None and not facts.kept:
        yield "it says what kept columns reveal, and no column is kept"
    if facts.reveals is not None and facts.reveals.pair not in facts.pairs:
        yield "what kept columns reveal is about a pair that is not among the pairs"
    if facts.beliefs_fitted is not None and facts.beliefs_from != "another table":
        yield "it says when beliefs were fitted to another table, and also that they were not"
    if (facts.rows_fitted is None) == (facts.beliefs_from == "other rows"):
        yield "whether beliefs were fitted to other rows, and to how many, contradict each other"
    if facts.unprotected_percent is None:
        yield "it does not say how many rows have no secret that is in a pair"


def _of_counts(table: Mapping[str, int], published: int, facts: Facts) -> Iterator[str]:
    """Counts are of the rows that the mechanism saw: one for each person with `one_row`."""
    rows, missing = table["rows"], table["missing"]
    names = ("rows", "missing", "unprotected", "outside", "capped")
    if min(published, *(table[name] for name in names)) < 0:
        yield "a count is negative"
    if published != rows - (missing if facts.missing == "drop" else 0):
        yield "the rows published are not the rows read minus the rows left out"
    if missing > (0 if facts.missing == "refuse" else rows):
        yield "more rows have no value than is possible"
    if table["unprotected"] > published:
        yield "more rows have no secret that is in a pair than were published"
    if max(table["outside"], table["capped"]) > rows - missing:
        yield "more values are outside, or capped, than there are"
    if table["capped"] and facts.cap is None:
        yield "values were capped, but there is no cap"
    if facts.unprotected_percent != percent_of(table["unprotected"], published):
        yield "the share of rows without a secret that is in a pair is not that of the counts"
