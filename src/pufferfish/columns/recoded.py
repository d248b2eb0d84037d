"""Does a published column look as its recoding would leave it? Checked without the data.

Row i is published as y with probability M(xᵢ,y). Where the map is known, so is what it can publish:
any other value is certainly a fault. Where it is also known how often each value x occurs in the
table, c(x), the count of y is a sum of independent variables that are 0 or 1, with mean
Σ_x c(x)·M(x,y). Then two things are tested, with false alarms of `FALSE_ALARM` together:

- **counts**: far from their means by Chernoff's bound, for each y and side: log P(N_y ≥ k) ≤
  min_s Σ_x c(x)·log(1 + M(x,y)(e^s − 1)) − s·k, and the mirrored one below.
- **all too close**: given the other rows, those of one value x are multinomial. So no vector of
  counts is likelier than the mode of that law, and all vectors within d of the means together are
  at most as likely as their number times it. Raw values have exactly the expected counts of a map
  that keeps the histogram, and this test finds them.

Proofs: docs/theory/appearance.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from pufferfish.beliefs.labels import key_of, places_of
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.columns.plan import PlanEntries
from pufferfish.columns.statement import Facts
from pufferfish.core.validation import FloatArray
from pufferfish.documents.shape import read
from pufferfish.recoding.law import Recoding
from pufferfish.releases.published_file import Appearance

__all__ = ["DONE", "FALSE_ALARM", "LIKE", "PlannedMap", "judge_counts", "places_in"]
__all__ += ["planned_map", "recoded_appearance"]

FALSE_ALARM = 1e-6
# Slopes at which Chernoff's bound is tried; it holds at each. From 34 on e^{-s} − 1 would be −1.
_SLOPES = np.geomspace(1e-7, 30.0, 240)
# How many values are tried: the rows of each bound the probability of a vector of counts.
_MOST_ASKED = 8
# Rounding of the std that a record names: it was computed in another order.
_SAME_STD = 1e-6
# Relative and absolute error of a probability after noise on a grid, apart from the grid's factor.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-14
Counts = npt.NDArray[np.int64]

LIKE, DONE = "as this map leaves them", "the map was applied to"


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMap:
    """A map, and what is known of the table that it was applied to.

    Attributes:
        law: The map.
        counts: How often each number occurs in that table; None where that is not known.
        missing: How many rows of it have no value.
        radius: How far the numbers may be from the true ones.
    """

    law: Recoding
    counts: Mapping[float, int] | None = None
    missing: int = 0
    radius: float = 0.0

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return sum((self.counts or {}).values()) + self.missing

    @property
    def expected(self) -> bool:
        """Whether it is known how often each output should occur."""
        law = self.law
        if self.counts is None or (self.radius and law.noise is None):
            return False
        taken = law.cells.places(np.array(list(self.counts), dtype=np.float64)) >= 0
        return bool(taken.all()) and (law.takes_missing or not self.missing)


def planned_map(data: Mapping[str, Any], facts: Facts) -> PlannedMap | None:
    """What a record knows of its map; None where the table of the map is private.

    Args:
        data: The record, of either edition.
        facts: What it states.

    Raises:
        InvalidInputError: Its plan cannot be read.
    """
    if "plan" not in data:
        return PlannedMap(facts.noise) if isinstance(facts.noise, Recoding) else None
    entries = read(dict(data["plan"]), PlanEntries, "plan")
    law = entries.noise.made()
    if not isinstance(law, Recoding):
        return None
    known = None
    if facts.beliefs_from == "this table":
        known = next(_counted(entries.scenario.made().beliefs, data, facts), None)
    if known is None or (table := known.frequencies) is None:
        return PlannedMap(law)
    counted = np.asarray(table.counts).tolist()
    counts = dict(zip(places_in(law, table), counted, strict=True))
    return PlannedMap(law, counts, known.frequencies_missing, known.radius)


def places_in(law: Recoding, table: Discrete | Categorical) -> list[float]:
    """The values of a table as the map takes them: numbers, or places of categories."""
    if isinstance(table, Discrete):
        return list(table.values.tolist())
    places = places_of(law.values)
    return [float(places.get(key_of(each), -1)) for each in table.values]


def _counted(beliefs: Iterable[Belief], data: Mapping[str, Any], facts: Facts) -> Iterator[Belief]:
    """The beliefs that hold the counts of the whole table, as far as the record shows."""
    rows, table = data["published"]["rows"], data["table"]
    for belief in beliefs:
        counted = belief.frequencies
        if belief.provenance != RELEASED or counted is None or counted.counts is None:
            continue
        same = int(counted.counts.sum()) + belief.frequencies_missing == rows
        if isinstance(counted, Categorical):
            if same:
                yield belief
            continue
        std = math.sqrt(counted.variance)
        # A cap moves values before they are counted, and the record's std is from before.
        near = facts.cap is not None or math.isclose(
            std, table["column_std"], rel_tol=_SAME_STD, abs_tol=belief.radius
        )
        if same and near:
            yield belief


def recoded_appearance(parts: Iterable[FloatArray], planned: PlannedMap | None) -> Appearance:
    """Judge a recoded column, some rows at a time; nan where a value is missing."""
    if planned is None:
        rows = sum(part.size for part in parts)
        return Appearance(rows, None, "its table is private", LIKE, DONE)
    outputs = planned.law.coded_outputs
    numbers = np.array([each for each in outputs if each is not None], dtype=np.float64)
    order = np.argsort(numbers)
    found = np.zeros(len(outputs), dtype=np.int64)
    rows = holes = other = 0
    for part in parts:
        values = part[~np.isnan(part)]
        place = np.minimum(np.searchsorted(numbers[order], values), max(numbers.size - 1, 0))
        known = numbers[order][place] == values if numbers.size else np.zeros(values.size, bool)
        found[: numbers.size] += np.bincount(order[place[known]], minlength=numbers.size)
        rows, holes = rows + part.size, holes + part.size - values.size
        other += int(values.size - np.count_nonzero(known))
    if None in outputs:
        found[outputs.index(None)] = holes
    elif holes:
        return Appearance(rows, False, f"{holes:,} are missing, and the map leaves no hole", LIKE)
    if other:
        detail = f"{other:,} are not among the {len(outputs)} that the map can publish"
        return Appearance(rows, False, detail, LIKE)
    return Appearance(rows, *judge_counts(found, rows, planned), LIKE, DONE)


def judge_counts(
    found: Counts, rows: int, planned: PlannedMap, level: float = FALSE_ALARM
) -> tuple[bool | None, str]:
    """Judge the counts of the outputs; a true release fails with probability at most `level`."""
    law = planned.law
    listed = f"each is one of the {len(law.coded_outputs)} that the map can publish"
    if not planned.expected:
        return None, f"{listed}, and how often each should occur is not known"
    if rows != planned.rows:
        return None, f"{listed}, and the counts of the table are of another number of rows"
    counts, low, high = _chances(planned)
    for look in (_far, _too_close):
        if fault := look(found, counts, low, high, level):
            return False, f"{fault}; this happens by chance in at most one release in a million"
    return True, f"{listed}, as often as the table and the map say, up to chance"


def _chances(planned: PlannedMap) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often each value occurs, and M(x,y) from below and from above."""
    law, table = planned.law, planned.counts or {}
    hole = bool(planned.missing) and law.takes_missing
    counts = np.array([*table.values(), *([planned.missing] if hole else [])], dtype=np.float64)
    chances = law.spread(np.array(list(table)), missing=hole)
    if law.noise is None:
        return counts, chances, chances
    grid = law.noise.grid or 0.0
    factor = math.exp((2.0 * grid + planned.radius) / law.noise.scale + _RELATIVE)
    low = np.clip(chances / factor - _ABSOLUTE, 0.0, 1.0)
    return counts, low, np.clip(chances * factor + _ABSOLUTE, 0.0, 1.0)


def _far(found: Counts, counts: FloatArray, low: FloatArray, high: FloatArray, level: float) -> str:
    """The output whose count is farthest from its mean, if chance does not explain it."""
    above, below = np.zeros(found.size), np.zeros(found.size)
    for slope in _SLOPES.tolist():
        # Both start at 0, the bound that always holds.
        up = counts @ np.log1p(high * math.expm1(slope)) - slope * found
        down = counts @ np.log1p(low * math.expm1(-slope)) + slope * found
        above, below = np.minimum(above, up), np.minimum(below, down)
    logs = np.minimum(above, below)
    worst = int(np.argmin(logs))
    if logs[worst] >= math.log(level / (4.0 * found.size)):
        return ""
    mean = 0.5 * float(counts @ (low[:, worst] + high[:, worst]))
    return f"one value occurs {int(found[worst]):,} times, where {mean:,.1f} are expected"


def _too_close(
    found: Counts, counts: FloatArray, low: FloatArray, high: FloatArray, level: float
) -> str:
    """The fault, in words, if all counts are closer to their means than draws would leave them."""
    least, most = counts @ low, counts @ high
    apart = float(np.maximum(np.abs(found - least), np.abs(found - most)).max())
    inside = np.floor(most + apart) - np.ceil(least - apart) + 1.0
    possible = np.log(np.maximum(inside[most > 0.0], 1.0))
    # All counts but one determine that one.
    vectors = float(possible.sum() - possible.max(initial=0.0))
    if vectors + _log_peak(counts, high) >= math.log(level / 2.0):
        return ""
    return (
        f"every value occurs as often as expected, to within {apart:.2g}, as if nothing had "
        "been drawn"
    )


def _log_peak(counts: FloatArray, chances: FloatArray) -> float:
    """An upper bound on the log of the probability of any vector of counts."""
    spread = np.log1p(counts[:, None] * chances * np.maximum(1.0 - chances, 0.0)).sum(axis=1)
    asked = np.argsort(spread)[-_MOST_ASKED:].tolist()
    return min((_log_mode(int(counts[x]), chances[x]) for x in asked), default=0.0)


def _log_mode(rows: int, chances: FloatArray) -> float:
    """The log of the largest probability of a multinomial law.

    At a mode m_y > n·p_y − 1 (Feller). From there each further row is given to the y with the
    largest p_y/(m_y + 1), which is optimal because the log is concave and a sum over y.
    """
    known = chances[chances > 0.0]
    shares = known / known.sum()
    placed = np.maximum(np.ceil(rows * shares * (1.0 - _RELATIVE)) - 1.0, 0.0)
    for _ in range(int(rows - placed.sum())):
        placed[int(np.argmax(shares / (placed + 1.0)))] += 1.0
    ways = gammaln(rows + 1.0) - gammaln(placed + 1.0).sum()
    return min(float(ways + placed @ np.log(known)), 0.0)
