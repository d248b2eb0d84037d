"""Do promises with a sampling error hold for the population: `make sampling-error`, an hour.

Three tables. How often the region of a pair holds the true laws, over samples of six shapes of
laws, next to the radius of χ², which nobody has proven for finite samples. In how many samples of a
known population ε = 1 holds for the population itself, if it was calibrated plainly and with 95%
confidence: recodings and Laplace noise, education-num of two races of UCI Adult as the population.
What the confidence costs on the whole table, by shape of the region.

It measures no time, so it is no benchmark. The tables, and docs/figures/sampling-error.png, which
is drawn from the file that `--keep` writes, stand in docs/theory/sampling-error.md.
"""

import argparse
import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

import pufferfish as pf
from pufferfish import datasets
from pufferfish.beliefs.region import RegionShape, SampleRegion
from pufferfish.recoding.regions import region_of_pair

Array = npt.NDArray[np.float64]

GOAL = pf.Guarantee(1.0)
CONFIDENCE = 0.95
PAIR = ("Black", "Asian-Pac-Islander")
# Education in bands, for small samples: upper ends, and what is published.
BANDS, MIDDLES = (8.0, 9.0, 10.0, 12.0, 13.0), (6.0, 9.0, 10.0, 11.5, 13.0, 14.5)
SAMPLES, DRAWS = 200, 1000
BARE: dict[str, Any] = {"mechanism": "recode", "floor": None, "keep_histogram": False}
REGIONS: tuple[RegionShape, ...] = ("dirichlet", "likelihood", "boxes")
KEPT = ("recoding, plain", "recoding, 95%", "Laplace, plain", "Laplace, 95%")


class Shape(NamedTuple):
    """Two laws on the same public cells, and how many rows of each are drawn."""

    name: str
    first: Array
    second: Array
    rows: tuple[int, int]


def shapes() -> tuple[Shape, ...]:
    """Six kinds of laws, as different as laws of a column are."""
    rng = np.random.default_rng(24)
    many = rng.dirichlet(np.full(119, 0.5), size=2)
    tail = _law(1.0 / np.arange(1, 61) ** 1.3)
    empty = np.concatenate([np.zeros(6), np.arange(1.0, 11.0)])
    return (
        Shape("flat, 16 cells", _law(np.ones(16)), _law(np.ones(16)), (1000, 300)),
        Shape("spiky, 16 cells", _law([150, *[1] * 15]), _law([*[1] * 15, 45]), (1000, 300)),
        Shape("long tail, 60 cells", tail, tail[::-1].copy(), (1000, 300)),
        Shape("6 of 16 cells empty", _law(empty), _law(empty[::-1]), (1000, 300)),
        Shape("two values", _law([3, 7]), _law([1, 99]), (1000, 300)),
        Shape("119 cells", many[0], many[1], (3000, 1000)),
    )


def _law(weights: object) -> Array:
    found = np.asarray(weights, dtype=np.float64)
    return np.asarray(found / found.sum())


def drawn(shape: Shape, draws: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Counts of samples, cell by cell."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        yield (
            rng.multinomial(shape.rows[0], shape.first).astype(np.float64),
            rng.multinomial(shape.rows[1], shape.second).astype(np.float64),
        )


def holds(kind: RegionShape, confidence: float, shape: Shape, counts: tuple[Array, Array]) -> bool:
    """Whether the library's region of a sample has the true laws inside."""
    cells = None if kind == "dirichlet" else len(shape.first)
    region = SampleRegion(confidence=confidence, shape=kind, cells=cells, pairs=1)
    rows = [each.astype(int).tolist() for each in counts]
    # What a region is made of is its own affair; here it is what has to be judged.
    found = cast("Any", region_of_pair(region, *rows))
    laws = shape.first, shape.second
    if kind == "boxes":
        boxes = zip((found.first, found.second), laws, strict=True)
        return all(
            bool(((low[:-1] <= law) & (law <= high[:-1])).all()) for (low, high), law in boxes
        )
    said = sum(
        float(each.against(law[each.seen])) for each, law in zip(found.evidence, laws, strict=True)
    )
    return said <= float(found.radius)


def holds_chi_square(confidence: float, shape: Shape, counts: tuple[Array, Array]) -> bool:
    """The same for 2(n·KL + m·KL') ≤ χ², which is right for endless samples only."""
    said = 0.0
    for law, rows in zip((shape.first, shape.second), counts, strict=True):
        seen = rows > 0.0
        said += float((rows[seen] * np.log(rows[seen] / rows.sum() / law[seen])).sum())
    return 2.0 * said <= chi2.ppf(confidence, 2 * (len(shape.first) - 1))


def coverage(shape: Shape, draws: int, confidence: float, seed: int = 1) -> tuple[float, ...]:
    """In which share of samples each region holds the true laws; χ² last."""
    hits = np.zeros(len(REGIONS) + 1)
    for counts in drawn(shape, draws, seed):
        hits += [
            *(holds(kind, confidence, shape, counts) for kind in REGIONS),
            holds_chi_square(confidence, shape, counts),
        ]
    return tuple((hits / draws).tolist())


class Population(NamedTuple):
    """Values, and how likely they are for each secret of the pair."""

    values: Array
    laws: tuple[Array, Array]

    @classmethod
    def of_adult(cls) -> "Population":
        """Education of the pair."""
        counts = pf.summarise(datasets.adult_education(), column="education-num", secret="race")
        laws = pf.fit_belief(counts, family="empirical", min_group=1).priors
        first, second = (laws[secret] for secret in PAIR)
        if not isinstance(first, pf.Discrete) or not isinstance(second, pf.Discrete):
            raise TypeError("a table of counts was asked for")
        values = np.union1d(first.values, second.values)
        both = tuple(
            np.array(
                [dict(zip(law.values, law.probabilities, strict=True)).get(x, 0.0) for x in values]
            )
            for law in (first, second)
        )
        return cls(values, (both[0], both[1]))

    def in_bands(self) -> "Population":
        """The same in six bands."""
        place = np.searchsorted(BANDS, self.values)
        first, second = (
            np.array([law[place == each].sum() for each in range(len(MIDDLES))])
            for law in self.laws
        )
        return Population(np.array(MIDDLES), (first, second))

    def sample(self, rows: tuple[int, int], number: int) -> pf.Counts:
        """Counts of this number of rows of each secret."""
        rng = np.random.default_rng((*rows, number))
        drawn = [rng.multinomial(each, law) for each, law in zip(rows, self.laws, strict=True)]
        cells = [
            (secret, float(value), int(count))
            for secret, counts in zip(PAIR, drawn, strict=True)
            for value, count in zip(self.values, counts, strict=True)
            if count
        ]
        secrets, values, counts_ = zip(*cells, strict=True)
        return pf.Counts.from_counts(
            secrets, values, counts_, column="education-num", secret="race"
        )

    def epsilon_of_recoding(self, recoding: pf.Recoding) -> float:
        """ε* of the true laws of the values that the recoding takes."""
        places = [self.values.tolist().index(each) for each in recoding.values]
        table = recoding.table.astype(np.float64) / 2.0**62
        return _apart([law[places] / law[places].sum() @ table for law in self.laws])

    def epsilon_of_noise(self, std: float) -> float:
        """ε* of the true laws of all values, under Laplace noise."""
        apart = np.abs(self.values[:, None] - self.values)
        near = np.exp(-apart * math.sqrt(2.0) / std) if std else np.equal(apart, 0.0)
        return _apart([law @ near for law in self.laws])


def designs() -> dict[str, tuple[Population, tuple[int, int]]]:
    """What is sampled, and how many rows of each secret."""
    adult = Population.of_adult()
    return {
        "3,124 and 1,039 rows, 16 values": (adult, (3124, 1039)),
        "600 and 200 rows, 6 bands": (adult.in_bands(), (600, 200)),
    }


def _apart(published: list[Array]) -> float:
    first, second = published
    some = (first > 0.0) | (second > 0.0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(first[some]) - np.log(second[some])).max())


def true_epsilons(population: Population, sample: pf.Counts) -> tuple[float, ...]:
    """What ε = 1, calibrated on a sample, is for the population: in the order of KEPT."""
    of_recoding, of_noise = [], []
    for confidence in (None, CONFIDENCE):
        beliefs = pf.fit_beliefs(sample, families=["empirical"], min_group=1, confidence=confidence)
        scenario = pf.Scenario(beliefs)
        found, figures = _recoded(scenario, nominal=confidence is None)
        of_recoding.append(population.epsilon_of_recoding(found))
        of_noise.append(population.epsilon_of_noise(figures.laplace_rmse))
    return (*of_recoding, *of_noise)


def _recoded(scenario: pf.Scenario, **how: Any) -> tuple[pf.Recoding, Any]:
    """The best recoding, and its figures: its error, and that of the least noise."""
    found = pf.calibrate(scenario, GOAL, **{**BARE, **how})
    if not isinstance(found.mechanism, pf.Recoding) or found.recode is None:
        raise TypeError("a recoding was asked for")
    return found.mechanism, found.recode


def by_shape() -> Iterator[tuple[str, ...]]:
    """What the confidence costs on the whole table: rows of the third table."""
    counts = pf.summarise(datasets.adult_education(), column="education-num", secret="race")
    for name, asked in {
        "no sampling error": {},
        "dirichlet": {"confidence": CONFIDENCE},
        "likelihood, 16 cells": {"confidence": CONFIDENCE, "region": "likelihood", "cells": 16},
        "boxes, 16 cells": {"confidence": CONFIDENCE, "region": "boxes", "cells": 16},
    }.items():
        beliefs = pf.fit_beliefs(counts, families=["empirical"], min_group=1, **cast("Any", asked))
        scenario = pf.Scenario(beliefs, [PAIR])
        line = [name]
        for kept in (False, True):
            figures = _recoded(scenario, keep_histogram=kept, nominal=not asked)[1]
            least = math.sqrt(max(figures.least_loss, 0.0))
            line.append(f"{figures.rmse:.3f} (at least {least:.3f})")
        yield (*line, f"{figures.laplace_rmse:.3f}", f"{figures.constant_rmse:.3f}")


def _show(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sampling_error", description=__doc__
    )
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--keep", type=Path, help="a file for the ε of every sample")
    chosen = parser.parse_args()
    for confidence in (CONFIDENCE, 0.5):
        _show(f"true laws inside, {confidence:.0%}", *REGIONS, "χ², not proven")
        for shape in shapes():
            covered = coverage(shape, chosen.draws, confidence)
            _show(shape.name, *(f"{each:.1%}" for each in covered))
    _show("region", "recoding", "histogram kept", "least Laplace noise", "constant")
    for line in by_shape():
        _show(*line)
    kept: list[tuple[object, ...]] = []
    _show("samples of", *KEPT)
    for name, (population, rows) in designs().items():
        found = [
            true_epsilons(population, population.sample(rows, number))
            for number in range(chosen.samples)
        ]
        kept += [(name, *each) for each in found]
        held = (np.array(found) <= GOAL.epsilon).sum(axis=0)
        _show(name, *(f"{each} of {chosen.samples}" for each in held))
    if chosen.keep is not None:
        with chosen.keep.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("samples of", *KEPT), *kept])


if __name__ == "__main__":
    main()
