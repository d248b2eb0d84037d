"""Adult and other tables, as the library is given them and as the judge is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import pufferfish as pf
from tests.joint_judge import EVERYBODY, Cell, Recode, count, loss_matrix

Table = dict[str, Any]
MARRIED = ("Married-AF-spouse", "Married-civ-spouse", "Married-spouse-absent")


def adult(*races: str) -> Table:
    """The built-in table with a coarser, public "married"; of some races only, if they are named.

    With few races every stratum of three known columns has rows of each.
    """
    table = pf.datasets.adult()
    table["married"] = np.where(np.isin(table["marital-status"], MARRIED), "yes", "no")
    if not races:
        return table
    chosen = np.isin(table["race"], races)
    return {name: column[chosen] for name, column in table.items()}


def rows_of(table: Mapping[str, Any], columns: Sequence[str]) -> list[Cell]:
    """Rows as tuples of labels."""
    return list(zip(*(np.asarray(table[each]).tolist() for each in columns), strict=True))


def fitted(table: Table, columns: Sequence[str], secret: str, known: Sequence[str] = ()) -> Any:
    """The empirical adversaries: who knows nothing, and for each combination who knows it."""
    more = {"known": list(known)} if known else {}
    return pf.fit_beliefs(
        table, columns=list(columns), secret=secret, families=("empirical",), min_group=1, **more
    )


def as_plain(law: Any) -> Recode:
    """The numbers of a recoding, for the judge; its row for values never seen is one more value."""
    values, outputs = ([_cell(each) for each in side] for side in (law.values, law.outputs))
    table = [[int(n) for n in row] for row in law.table]
    if law.unseen is not None:
        values.append(("a value never seen",) * len(values[0]))
        table.append([int(n) for n in law.unseen])
    return Recode(values, outputs, table)


def _cell(value: Any) -> Cell:
    return value if isinstance(value, tuple) else (value,)


class Described:
    """What the linear program of the judge needs of a table: cells, frequencies, laws, losses."""

    def __init__(self, table: Table, columns: Sequence[str], secret: str) -> None:
        self.table, self.columns = table, tuple(columns)
        self.rows, self.secrets = rows_of(table, columns), table[secret].tolist()
        self.cells = sorted(set(self.rows), key=str)
        self.frequencies = self.law_of(Counter(self.rows))

    def law_of(self, counts: Mapping[Cell, int]) -> Any:
        """Probabilities in the order of the cells."""
        found = np.array([counts.get(each, 0) for each in self.cells], dtype=np.float64)
        return found / found.sum()

    def cost(self, weights: Mapping[str, float] | None = None) -> Any:
        """The default loss: squared in stds of numbers, 1 for a changed label."""
        numbers = {
            place: float(np.std(self.table[each]))
            for place, each in enumerate(self.columns)
            if self.table[each].dtype.kind == "i"
        }
        weighed = [(weights or {}).get(each, 1.0) for each in self.columns]
        return loss_matrix(self.cells, self.cells, numbers, weighed)

    def groups(
        self,
        pair: Sequence[str] | None = None,
        known: Sequence[str] = (),
        *,
        everybody: bool = True,
    ) -> list[list[Any]]:
        """The laws that each adversary compares: who knows nothing, and those who know `known`."""
        seen = rows_of(self.table, known) if known else None
        found = []
        for who, laws in count(self.rows, self.secrets, seen).items():
            if who != EVERYBODY or everybody:
                found.append([self.law_of(laws[each]) for each in pair or laws])
        return found
