"""Check and count a surveyed table by its plan, before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pufferfish.beliefs.scenario import Secret
from pufferfish.columns.counts import ColumnRowCounts
from pufferfish.columns.rows import RowRules
from pufferfish.tables import Batch
from pufferfish.tables.batch import Coded
from pufferfish.tables.engine import SurveyedGroup

__all__ = ["check_groups", "counts_of"]


def check_groups(groups: Sequence[SurveyedGroup], rules: RowRules) -> None:
    """Refuse what the plan does not allow for, before anything is drawn.

    A few rows of each secret that has a problem represent all of them. Every row is checked again
    as it is noised.
    """
    values: list[float] = []
    secrets: list[Secret | None] = []
    for group in groups:
        found = [group.largest]
        found += [np.nan] if group.missing else []
        found += [np.inf] if group.infinite else []
        values += found
        secrets += [group.secret] * len(found)
    labels = [group.secret for group in groups if group.secret is not None]
    numbers = {label: number for number, label in enumerate(labels)}
    codes = [-1 if each is None else numbers[each] for each in secrets]
    secret = Coded.of(np.array(codes, dtype=np.int64), tuple(labels))
    rules.count(Batch({rules.column: np.array(values)}, secret), None)


def counts_of(group: SurveyedGroup, rules: RowRules) -> ColumnRowCounts:
    """What the rows of one secret add to the counts."""
    published = group.rows - (group.missing if rules.missing == "drop" else 0)
    return ColumnRowCounts(
        rows=group.rows,
        missing=group.missing,
        published=published,
        unprotected=0 if group.secret in rules.protected else published,
        outside=group.outside,
        capped=group.capped,
        mean=group.mean,
        squares=group.squares,
    )
