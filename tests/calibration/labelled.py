"""Small random tables of labels, and the independent judge's view of what was calibrated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.noise import Stratified
from tests.joint_judge import Judged, Recode, judge_laws

CELLS: list[Any] = [("a", 1), ("a", True), ("b", 1), ("b", None), ("c", 0.5)]
Table = dict[Any, dict[str, list[int]]]


@st.composite
def tables(draw: st.DrawFn, strata: int = 2, secrets: int = 3, cells: int = 5) -> Table:
    """{known label: {secret: how often each cell}}; every stratum has all secrets."""
    size = draw(st.integers(2, cells))
    counts = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    who = ["s", "t", "u"][: draw(st.integers(2, secrets))]
    known: list[Any] = [True, 1, "1"][: draw(st.integers(1, strata))]
    return {repr(z): {secret: draw(counts) for secret in who} for z in known}


def label_of(written: str) -> Any:
    return {"True": True, "1": 1, "'1'": "1"}[written]


def added(table: Table) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for laws in table.values():
        for secret, counts in laws.items():
            before = found.get(secret, [0] * len(counts))
            found[secret] = [a + b for a, b in zip(before, counts, strict=True)]
    return found


def belief(laws: dict[str, list[int]], cells: Sequence[Any], **given: Any) -> pf.Belief:
    size = len(next(iter(laws.values())))
    whole = [sum(counts) for counts in zip(*laws.values(), strict=True)]
    listed = list(cells)[:size]
    return pf.Belief(
        {secret: pf.Categorical(listed, counts=counts) for secret, counts in laws.items()},
        name=f"empirical {given}",
        columns=["c", "d"],
        given=given,
        frequencies=pf.Categorical(listed, counts=whole),
    )


def scenario(table: Table, cells: Sequence[Any] = CELLS, *, everybody: bool = True) -> pf.Scenario:
    beliefs = [belief(laws, cells, z=label_of(z)) for z, laws in table.items()]
    return pf.Scenario([belief(added(table), cells), *beliefs] if everybody else beliefs)


def plain(law: Any) -> Recode:
    """The judge compares with ==, which takes True for 1."""
    written = [[tuple(map(repr, cell)) for cell in each] for each in (law.values, law.outputs)]
    return Recode(*written, law.table.tolist())


def judged(
    found: pf.Calibration, table: Table, *, wrong: float, cells: Sequence[Any] = CELLS
) -> list[Judged]:
    """Everybody who may look: by known label, and who knows nothing, unless it is published."""
    law, goal = found.mechanism, found.goal
    by_label: dict[str, Any] = dict(table)
    if isinstance(law, Stratified):
        laws = {repr(each.given[0]): plain(each.law) for each in law.strata}
        assert laws.keys() == table.keys()
    else:
        by_label["everybody"] = added(table)
        laws = dict.fromkeys(by_label, plain(law))
    return [
        judge_laws(
            {
                secret: Counter(
                    {tuple(map(repr, cell)): n for cell, n in zip(cells, counts, strict=False) if n}
                )
                for secret, counts in groups.items()
            },
            laws[who],
            goal.epsilon,
            wrong=Fraction(wrong),
        )
        for who, groups in by_label.items()
    ]
