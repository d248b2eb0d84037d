"""Random halves of a table: beliefs fitted to one, and the rows of the other to judge by.

The generators are seeded, so that a measurement can be repeated. They protect nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import DataError
from pufferfish.core.validation import nonnegative, require
from pufferfish.insight.set_apart import Apart, ColumnApart, Split
from pufferfish.insight.tables_apart import TableApart
from pufferfish.tables import Counts

__all__ = ["Half", "apart_of", "drawn", "halves_of", "how_many", "split_rows"]


def apart_of(scenario: Scenario, counts: Any) -> Apart:
    """What sets rows apart: for one numeric column its summary, for others the table's counts."""
    table = any(each.labelled or each.given for each in scenario.beliefs)
    if isinstance(counts, Counts):
        table |= not counts.of_column
    kind = TableApart if table else ColumnApart
    return kind.of(scenario, counts)


def how_many(splits: int) -> int:
    """The number of splits asked for; refuses what is not a whole number above 0."""
    whole = int(nonnegative("splits", splits))
    require(whole == splits and whole > 0, f"splits must be a whole number above 0, got {splits}.")
    return whole


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """Beliefs fitted to one half of the rows, and the rows of the other half.

    Attributes:
        scenario: What must look alike to somebody who saw this half.
    """

    scenario: Scenario
    _apart: Apart
    _other: Any

    def judged(self, calibration: Calibration, goal: Guarantee) -> Split:
        """The judgement on a calibration for this half, under the frequencies of the other."""
        return self._apart.judged(calibration, goal, self._other)


def split_rows(scenario: Scenario, counts: Counts, splits: int, seed: int = 0) -> tuple[Half, ...]:
    """Halves for several mechanisms, so that beliefs are fitted only once to each half.

    Args:
        scenario: What must look alike, to whom.
        counts: The rows.
        splits: The number of splits; where no row was used for fitting, all rows judge once.
        seed: The seed of the splits.
    """
    return tuple(islice(halves_of(apart_of(scenario, counts), seed), how_many(splits)))


def halves_of(apart: Apart, seed: int) -> Iterator[Half]:
    """An endless sequence of halves; all rows where none was used for fitting."""
    for half in drawn(apart, seed):
        if isinstance(half, DataError):
            raise half
        yield half


def drawn(apart: Apart, seed: int) -> Iterator[Half | DataError]:
    """The same; for a half to which beliefs cannot be fitted, the reason."""
    if len(apart.stay) == len(apart.scenario.beliefs):
        yield Half(apart.scenario, apart, apart.counts)
        return
    generator = np.random.default_rng(seed)
    while True:
        try:
            scenario, other = apart.drawn(lambda counts: generator.binomial(counts, 0.5))
        except DataError as error:
            yield error
        else:
            yield Half(scenario, apart, other)
