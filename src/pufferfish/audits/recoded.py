"""Whether values are replaced by the certified recoding.

Each value of the domain is published many times, and how often each output comes is compared with
its row of the table: both tails of the binomial law for each entry, whose levels add up to α. An
error of a few percent of a row is found, even where it reveals no secret.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from pufferfish.audits.bounds import Counts
from pufferfish.audits.cells import Cells
from pufferfish.audits.draws import Generator
from pufferfish.audits.result import AuditCheck
from pufferfish.audits.rows import AVERAGE, check_repeats
from pufferfish.audits.subject import Subject
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.law import Recoding

__all__ = ["check_recoding", "check_table"]

_TABLE = "each value is replaced as the certified map says"
_DIGITS = "the last digits do not tell values apart"
_FEWEST = 1_000
# Rows are compared by outputs whose share of what is published lies between these two.
_SELDOM, _OFTEN = 0.3, 0.9
# Not the place of a category.
_UNSEEN = -1.0
# The error of a probability after noise on a grid, in addition to the factor for the grid.
_ABSOLUTE = 1e-12


def check_recoding(
    subject: Subject, law: Recoding, draws: int, rows: int, alpha: float, source: Generator
) -> Iterator[AuditCheck]:
    """The attacks on a recoding as such.

    Args:
        subject: The code that publishes.
        law: The recoding that it claims to apply.
        draws: The number of draws, shared by the values of the domain.
        rows: The rows of each run of one value.
        alpha: An alarm is false with at most this probability, all together.
        source: Breaks ties.
    """
    yield check_table(subject, law, draws, 0.5 * alpha)
    numbers = np.array(law.cells.numbers)
    chances = law.spread(numbers)
    varied = int(np.argmin((chances**2).sum(axis=1))) if numbers.size else 0
    if numbers.size and chances[varied].max() <= _OFTEN:
        likely = _likely(law, chances[varied])
        found = check_repeats(subject, float(numbers[varied]), likely, rows, 0.5 * alpha, source)
        # The places of categories have no average.
        yield from (each for each in found if not (law.labelled and each.name == AVERAGE))
    yield AuditCheck(
        name=_DIGITS,
        passed=None,
        detail=f"not tested: what is published is one of {len(law.coded_outputs)} listed values",
    )


def check_table(subject: Subject, law: Recoding, draws: int, alpha: float) -> AuditCheck:
    """Compare draws of every value with its row of the table."""
    cells = Cells.of(law)
    each = max(draws // len(law.values), _FEWEST)
    counts = np.stack([_published(subject, cells, value, each) for value in _inputs(law)])
    impossible = int(counts[:, -1].sum())
    if impossible:
        return AuditCheck(
            name=_TABLE,
            passed=False,
            detail=(
                f"{impossible:,} of {counts.sum():,} published values are not outputs of the "
                "recoding"
            ),
        )
    low, high = _chances(law)
    hits = counts[:, _columns(law, cells)]
    logs = np.minimum(binom.logsf(hits - 1, each, high), binom.logcdf(hits, each, low))
    x, y = np.unravel_index(int(np.argmin(logs)), logs.shape)
    return AuditCheck(
        name=_TABLE,
        passed=bool(logs[x, y] >= math.log(alpha / (2.0 * logs.size))),
        detail=(
            f"{len(law.values)} values, {each:,} draws of each; farthest off: "
            f"{_name(law, _inputs(law)[x])} is published as {_name(law, law.coded_outputs[y])} in "
            f"{hits[x, y] / each:.3%} of draws, {0.5 * (low[x, y] + high[x, y]):.3%} by the "
            "recoding"
        ),
    )


def _likely(law: Recoding, chances: FloatArray) -> FloatArray:
    """The likeliest published numbers, just enough that together they are not rare."""
    known = [
        (share, output)
        for share, output in zip(chances.tolist(), law.coded_outputs, strict=True)
        if output is not None
    ]
    chosen: list[float] = []
    total = 0.0
    for share, output in sorted(known, reverse=True):
        if total < _SELDOM:
            chosen.append(output)
            total += share
    return np.array(chosen)


def _inputs(law: Recoding) -> list[float]:
    """All values that it lists; where it accepts others too, one of them at the end."""
    listed = [math.nan if value is None else value for value in law.cells.values]
    return listed if law.unseen is None else [*listed, _UNSEEN]


def _published(subject: Subject, cells: Cells, value: float, draws: int) -> Counts:
    """How often each listed value and a missing one came; unlisted ones are counted at the end."""
    results = subject.publish(np.full(draws, value))
    known = np.isnan(results) | np.isin(results, cells.edges)
    counts = cells.counts([results[known]])
    return np.append(np.delete(counts, -2), np.count_nonzero(~known))


def _columns(law: Recoding, cells: Cells) -> Counts:
    """Where each output of the recoding was counted."""
    numbers = [np.nan if each is None else each for each in law.coded_outputs]
    places = np.searchsorted(cells.edges, numbers)
    return np.where(np.isnan(numbers), cells.edges.size, places)


def _chances(law: Recoding) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds on M(x,y), which is known up to the grid where noise comes first."""
    chances = law.matrix
    if law.unseen is not None:
        chances = np.vstack([chances, np.array(law.unseen, dtype=np.float64) / WHOLE])
    if law.noise is None:
        return chances, chances
    factor = math.exp(2.0 * (law.noise.grid or 0.0) / law.noise.scale)
    low = np.clip(chances / factor - _ABSOLUTE, 0.0, 1.0)
    return low, np.clip(chances * factor + _ABSOLUTE, 0.0, 1.0)


def _name(law: Recoding, value: float | None) -> str:
    """A number, or only the place of a category, whose label may identify a person."""
    if law.labelled and value == _UNSEEN:
        return "an unseen category"
    place = "category no. " if law.labelled else ""
    return "a missing value" if value is None or math.isnan(value) else f"{place}{value:.6g}"
