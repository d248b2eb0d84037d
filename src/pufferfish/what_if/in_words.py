"""A stress test in words: its table, its remarks, and how large an ε is shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.insight.guesses import BY_HEART
from pufferfish.insight.held_out import lost_in_words
from pufferfish.words.numbers import at_most, percent_up, readable
from pufferfish.words.phrases import list_in_words

if TYPE_CHECKING:
    from pufferfish.what_if.result import Case, Stress

__all__ = ["ENDLESS", "VAST"]
__all__ += [
    "bands_in_words",
    "cells_of",
    "heads_of",
    "late_in_words",
    "reach_of",
    "remarks_of",
    "shown",
    "size_in_words",
    "tabulate",
]

# An ε beyond this is shown as infinite: one of two secrets is excluded, up to 1e-13 times the
# probability of the other. It is finite only because a map is rounded to whole numbers.
ENDLESS = 30.0
# Beyond this no digit is shown, and none decides: ε then depends on entries of a map so small that
# they differ between machines.
VAST = 10.0
# Pairs of columns that are shown one by one.
_MOST_PAIRS = 12
# Cases that there was no time for, by name.
_MOST_NAMED = 12


def bands_in_words(found: Stress) -> str:
    """How columns were read that were not read as they are, and which edges are not public."""
    told = "; ".join(f"{name!r} {how}" for name, how in found.bands.items())
    if not found.bands_of_table:
        return f"{told}."
    return (
        f"{told}. The edges for {list_in_words(found.bands_of_table)} were found in the table and "
        "reveal something about it: for --bands, choose public, round ones of your own."
    )


def tabulate(found: Stress) -> list[str]:
    """The cases as lines of a table, with what would answer each."""
    heads = heads_of(found)
    both = [each for each in found.cases if each.kind == "columns" and len(each.columns) > 1]
    left_out = {id(each) for each in both[_MOST_PAIRS:]}
    shown_ = [each for each in found.cases if id(each) not in left_out]
    rows = [heads, *(cells_of(found, each) for each in shown_)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads) - 1)]
    lines = [
        "  ".join(
            [*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[-1]]
        ).rstrip()
        for row in rows
    ]
    if left_out:
        lines.append(
            f"... and {len(left_out):,} more pairs of columns, none worse (--json, .cases)"
        )
    return lines


def reach_of(found: Stress) -> str:
    """For how many cases the promise is not kept, or may not be."""
    broken = sum(each.holds is False for each in found.cases)
    open_ = sum(each.holds is None for each in found.cases)
    untold = f", and for {open_} it cannot be told" if open_ else ""
    if broken:
        return f"the promise is not kept for {broken}{untold}"
    kept = len(found.cases) - open_
    return f"the promise is kept for {kept if open_ else f'all {kept}'} that were tried{untold}"


def late_in_words(found: Stress) -> str:
    """That the time limit cut the search, and what it left out; nothing where it did not."""
    late = [each for each in found.cases if each.late]
    if not late or found.seconds is None:
        return ""
    more = f", and {len(late) - _MOST_NAMED:,} more" if len(late) > _MOST_NAMED else ""
    named = "; ".join(each.knows for each in late[:_MOST_NAMED])
    return (
        f"The time limit of about {readable(found.seconds)} seconds ended the search before "
        f"{len(late):,} of them: somebody who {named}{more}."
    )


def heads_of(found: Stress) -> list[str]:
    """The headings of the table."""
    size = "ε" if found.goal.pure else f"δ at ε = {found.goal.epsilon_text}"
    judged = ("strata judged", "rows not judged")
    return ["somebody who", size, "best guess", "true value", *judged, "kept", "would answer it"]


def cells_of(found: Stress, case: Case) -> list[str]:
    """One row of the table."""
    size = case.epsilon if found.goal.pure else case.delta
    judged = f"{case.strata:,}" if case.kind == "columns" else ""
    if case.spread is not None:
        judged = f"{case.spread.samples} samples"
    return [
        case.knows,
        shown(size),
        "?" if case.guess is None else percent_up(case.guess),
        "" if case.before is None else percent_up(case.before) + "*" * case.by_heart,
        judged,
        percent_up(case.small_share, 2) if case.small else "",
        {True: "yes", False: "no", None: "?"}[case.holds],
        "" if case.answer is None else str(case.answer),
    ]


def shown(size: float | None) -> str:
    """An upper bound as text: ∞ where it is infinite, or practically so."""
    if size is None:
        return "?"
    if size > VAST:
        return "∞" if size > ENDLESS else f"above {VAST:g}"
    return at_most(size, 3)


def size_in_words(goal: Guarantee, case: Case) -> str:
    """What a promise becomes; empty where that cannot be told."""
    if goal.pure:
        size = shown(case.epsilon)
        is_number = not size.startswith("above")
        return "" if case.epsilon is None else f"ε {'= ' if is_number else ''}{size}"
    return "" if case.delta is None else f"δ = {shown(case.delta)} at ε = {goal.epsilon_text}"


def remarks_of(found: Stress) -> list[str]:
    """Remarks that do not fit into the table; one that holds for several cases is made once."""
    said: dict[str, list[str]] = {}
    for case in found.cases:
        parts = []
        if case.spread is not None:
            spread = case.spread
            parts.append(
                f"ε is {shown(spread.median)} in the median, {shown(spread.most)} for 95%, "
                f"{shown(spread.worst)} at worst; kept in {spread.held} of {spread.samples}"
            )
        if case.small and case.kind == "splits" and case.spread is not None:
            parts.append(lost_in_words(case.small, case.small + case.spread.samples))
        if case.small and case.kind == "population":
            parts.append(
                f"in {case.small:,} of {case.strata:,} strata of the resamples a "
                "secret has no row, so a pair could not be judged"
            )
        if case.without is not None:
            parts.append(f"without what is published {percent_up(case.without)}")
        if case.refused_share:
            parts.append(f"a release would refuse {percent_up(case.refused_share, 2)} of the rows")
        if case.note:
            parts.append(case.note)
        if parts:
            said.setdefault("; ".join(parts), []).append(case.knows)
        if case.answer is not None and case.answer.note:
            said.setdefault(case.answer.note, []).append(case.knows)
    lines = []
    for text, whom in said.items():
        more = f" (and {len(whom) - 1:,} more)" if len(whom) > 1 else ""
        lines.append(f"{whom[0]}{more}: {text}.")
    if any(case.by_heart for case in found.cases):
        lines.append(f"*: {BY_HEART}.")
    if found.goal.pure and any(ENDLESS < (case.epsilon or 0.0) < math.inf for case in found.cases):
        lines.append(
            f"∞: also above {ENDLESS:g}, where what is published excludes one of two secrets, "
            "except with a probability of 1 in 10^13."
        )
    return lines
