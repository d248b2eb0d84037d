"""Recodings: how long the search for the least loss takes, and a draw next to noise and NumPy's."""

from functools import partial
from typing import Any

import numpy as np

import pufferfish as pf
from benchmarks.held_out import cases
from benchmarks.result import Result
from benchmarks.timing import once, typical

ROWS = 10_000_000
# NumPy draws row by row of the table from the values that have this row; fewer suffice to see it.
PEER_ROWS = 1_000_000
MOST_TIMES_NOISE = 1.5
# Cells, and seconds on two cores, without and with laws that may be wrong.
_DISTINCT = 94
LIMITS = ((16, 0.05, 0.0), (100, 1.0, 0.0), (200, 4.0, 0.0), (100, 10.0, 0.03))


def run() -> list[Result]:
    return [*map(_search, LIMITS), _hours(), *_draws()]


def _scenario(cells: int) -> pf.Scenario:
    """Two groups on a line, with the ragged counts of a real column."""
    rng = np.random.default_rng(cells)
    places = np.arange(cells) / cells
    laws = {}
    for secret, centre in (("a", 0.4), ("b", 0.55)):
        shape = np.exp(-0.5 * ((places - centre) / 0.2) ** 2)
        counts = rng.poisson(20_000 * shape / shape.sum()) + 1
        laws[secret] = pf.Discrete.from_counts(dict(enumerate(counts.tolist())))
    return pf.Scenario(pf.Belief(laws))


def _search(limit: tuple[int, float, float]) -> Result:
    cells, seconds, wrong = limit
    scenario = _scenario(cells)
    options: dict[str, Any] = {"wrong": wrong} if wrong else {"nominal": True}

    def calibrate() -> pf.Calibration:
        return pf.calibrate(scenario, pf.Guarantee(1.0), mechanism="recode", floor=None, **options)

    taken = typical(calibrate, 3) if cells < 50 else once(calibrate)
    return Result(
        what=f"recoding of {cells} values" + (f", laws wrong by {wrong:.0%}" if wrong else ""),
        ours=taken,
        target=f"≤ {1e3 * seconds:g} ms",
        met=taken <= 1e3 * seconds,
    )


def _hours() -> Result:
    """A real column: 94 values, most of the rows at one of them."""
    case = next(each for each in cases() if each.name.startswith("hours"))
    scenario = pf.Scenario(pf.fit_belief(case.counts, family="empirical", min_group=1))
    taken = once(
        lambda: pf.calibrate(
            scenario, pf.Guarantee(1.0), mechanism="recode", floor=None, wrong=0.03
        )
    )
    return Result(
        what=f"… of hours-per-week against sex, {_DISTINCT} values, laws wrong by 3%",
        ours=taken,
        target="≤ 10000 ms",
        met=taken <= 10_000.0,
    )


def _draws() -> list[Result]:
    """Ten million rows of education-num, drawn from the map of the least noise's floor."""
    scenario = pf.Scenario(pf.datasets.adult_tables(), [("Black", "Asian-Pac-Islander")])
    goal = pf.Guarantee(1.0)
    recode = pf.calibrate(scenario, goal, mechanism="recode")
    law, noise = recode.mechanism, pf.calibrate(scenario, goal)
    assert isinstance(law, pf.Recoding)
    column = pf.datasets.adult_education()["education-num"].astype(float)
    values = np.resize(column, ROWS)
    rows = {}
    for name, calibration in (("recode", recode), ("noise", noise)):
        mechanism = pf.Mechanism.from_calibration(calibration)
        rows[name] = 1e6 * typical(partial(mechanism.apply, values), 3) / ROWS
    peer = 1e6 * typical(lambda: _choose(law, values[:PEER_ROWS]), 3) / PEER_ROWS
    return [
        Result(
            what=f"a recoding of 16 values, {ROWS:,} rows, per row, next to our Laplace noise",
            ours=rows["recode"],
            unit="ns",
            peer=rows["noise"],
            target=f"≤ {MOST_TIMES_NOISE:g} × the noise",
            met=rows["recode"] <= MOST_TIMES_NOISE * rows["noise"],
        ),
        Result(
            what="… next to NumPy's Generator.choice",
            ours=rows["recode"],
            unit="ns",
            peer=peer,
            note=f"Peer: Generator.choice for the rows of each value, {PEER_ROWS:,} rows; its "
            "probabilities are floats.",
        ),
    ]


def _choose(law: pf.Recoding, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    generator, matrix = np.random.default_rng(0), law.matrix
    published, outputs = np.empty_like(values), np.array(law.outputs, dtype=float)
    for value, chances in zip(law.values, matrix, strict=True):
        rows = values == value
        drawn = generator.choice(outputs, size=int(rows.sum()), p=chances / chances.sum())
        published[rows] = drawn
    return published
