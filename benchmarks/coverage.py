"""How often the 95% intervals of `denoise` hold the truth: `make coverage`, some minutes.

Rows are drawn from a column of UCI Adult, as many as it has, released with the noise that ε = 1
needs against sex, and estimated; again and again. Truths are those of the column. Not among the
benchmarks, as it measures no time. The table stands in docs/theory/denoise.md.
"""

import argparse
import csv
import functools
import math
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import pufferfish as pf
from pufferfish import denoise

DATA = Path(__file__).parents[1] / "tests" / "data" / "adult_by_sex.csv"
RELEASES = 200
LEAST = 0.93
LEVELS = (0.25, 0.5, 0.75)
SUPPORTS: tuple[denoise.SupportLike, ...] = (1.0, None, "smooth")

Array = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A column, the edges asked for, and where it is capped before the noise."""

    name: str
    column: str
    edges: tuple[float, ...]
    cap: float = math.inf


CASES = (
    Case("hours-per-week", "hours-per-week", (-math.inf, 19, 29, 39, 49, 59, 69, math.inf)),
    Case("education-num", "education-num", (-math.inf, 4, 8, 9, 10, 12, 13, math.inf)),
    Case("capital-gain", "capital-gain", (-math.inf, 0, 5000, 10000, 20000, 50000, math.inf)),
    Case(
        "capital-gain, capped at 15,024",
        "capital-gain",
        (-math.inf, 0, 1000, 5000, 7500, 10000, math.inf),
        15024,
    ),
    Case("age", "age", (-math.inf, 19, 24, 29, 39, 49, 59, 69, 79, math.inf)),
)


class Tally(NamedTuple):
    """Hits of each interval, lengths, and how often a warning was given."""

    hits: Array
    lengths: Array
    warned: int
    seconds: float


@functools.cache
def adult(column: str) -> tuple[Array, npt.NDArray[np.str_]]:
    """A column of Adult and the sex of each row."""
    with DATA.open(encoding="utf-8") as file:
        cells = [row for row in csv.DictReader(file) if row["column"] == column]
    counts = [int(cell["count"]) for cell in cells]
    values = np.repeat([float(cell["value"]) for cell in cells], counts)
    return values, np.repeat([cell["sex"] for cell in cells], counts)


@functools.cache
def calibration(column: str, cap: float) -> pf.Calibration:
    """The noise that ε = 1 needs against sex."""
    values, secrets = adult(column)
    table = {column: np.minimum(values, cap), "sex": secrets}
    return pf.calibrate(pf.Scenario(pf.fit_beliefs(table, column, "sex")), pf.Guarantee(1.0))


def released(case: Case, releases: int, seed: int) -> Iterator[Array]:
    """Rows drawn from the column and noised."""
    values = np.minimum(adult(case.column)[0], case.cap)
    rng = np.random.default_rng(seed)
    mechanism = pf.Mechanism.from_calibration(
        calibration(case.column, case.cap), entropy=pf.NotPrivateEntropy(seed)
    )
    for _ in range(releases):
        yield mechanism.apply(rng.choice(values, values.size))


def truths(case: Case) -> Array:
    """Shares of the bins, mean, quartiles."""
    values = np.minimum(adult(case.column)[0], case.cap)
    pairs = zip(case.edges[:-1], case.edges[1:], strict=True)
    shares = [float(np.mean((values > low) & (values <= high))) for low, high in pairs]
    quartiles = np.quantile(values, LEVELS, method="inverted_cdf").tolist()
    return np.array([*shares, float(values.mean()), *quartiles])


def measure(case: Case, support: denoise.SupportLike, releases: int, seed: int = 1) -> Tally:
    """Every interval of every release."""
    truth, noise = truths(case), calibration(case.column, case.cap).noise
    hits, lengths, warned = np.zeros(truth.size), np.zeros(truth.size), 0
    begin = time.perf_counter()
    for values in released(case, releases, seed):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", pf.CoverageWarning)
            found = (
                *denoise.histogram(values, noise, case.edges, support=support).estimates,
                denoise.mean(values, noise),
                *denoise.quantiles(values, noise, LEVELS, support=support).estimates,
            )
        warned += bool(caught)
        lower, upper = np.array([e.lower for e in found]), np.array([e.upper for e in found])
        hits += (lower <= truth) & (truth <= upper)
        lengths += upper - lower
    each = (time.perf_counter() - begin) / releases
    return Tally(hits / releases, lengths / releases, warned, each)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--releases", type=int, default=RELEASES)
    releases = parser.parse_args().releases
    missed = False
    for case in CASES:
        noise = calibration(case.column, case.cap).noise
        print(f"{case.name}: {noise}, {releases} releases")
        print("  truth    ", _line(truths(case), 4))
        for support in SUPPORTS:
            tally = measure(case, support, releases)
            missed |= tally.warned == 0 and bool(np.any(tally.hits < LEAST))
            print(f"  support={support!r}: {tally.warned} warned, {tally.seconds:.2f} s each")
            print("    covered", _line(tally.hits, 3))
            print("    length ", _line(tally.lengths, 3), flush=True)
    if missed:
        raise SystemExit(f"coverage below {LEAST} without a warning")


def _line(numbers: Array, digits: int) -> str:
    """Bins | mean | quartiles."""
    texts = [f"{number:.{digits}g}" for number in numbers]
    return "  ".join([*texts[:-4], "|", texts[-4], "|", *texts[-3:]])


if __name__ == "__main__":
    main()
