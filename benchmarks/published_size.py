"""What a rung costs, and what it tells: `python -m benchmarks.published_size adult.csv`.

A row is taken out of a table, and put back with every secret and value that occurs: each time the
least scale for pure ε against the empirical adversary is found. An adversary who knows all other
rows sees to which of these the published size belongs. The table is in
docs/theory/published-size.md.
"""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

import pufferfish as pf
from pufferfish.core.numerics import round_up

Cell = tuple[str, float]
Counts = Counter[Cell]

NUMBERS = ("age", "education-num", "capital-gain", "hours-per-week")
SECRETS = ("sex", "race", "income")
EPSILONS = (0.25, 0.5, 1.0, 2.0)
RANDOM_ROWS = 3

R5 = (1.0, 1.6, 2.5, 4.0, 6.3)
R10 = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0)
R20 = (
    *(1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8),
    *(3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0),
)
R40 = tuple(float(f"{10 ** (step / 40):.3g}") for step in range(40))


def on_rung(size: float, mantissas: tuple[float, ...]) -> float:
    """The least mantissa · 10^k that is not below; 0, no noise, is a rung of its own."""
    if size == 0.0:
        return 0.0
    power = math.floor(math.log10(size))
    rungs = (float(f"{each}e{k}") for k in (power - 1, power, power + 1) for each in mantissas)
    return min(rung for rung in rungs if rung >= size)


def power_of_two(size: float) -> float:
    return 2.0 ** math.ceil(math.log2(size)) if size else 0.0


LADDERS: dict[str, Callable[[float], float]] = {
    "three digits": partial(round_up, digits=3),
    "two digits": partial(round_up, digits=2),
    "40 a decade (1.06)": partial(on_rung, mantissas=R40),
    "20 a decade (1.12)": partial(on_rung, mantissas=R20),
    "10 a decade (1.26)": partial(on_rung, mantissas=R10),
    "5 a decade (1.58)": partial(on_rung, mantissas=R5),
    "powers of two": power_of_two,
    "1, 2, 5": partial(on_rung, mantissas=(1.0, 2.0, 5.0)),
    "powers of ten": partial(on_rung, mantissas=(1.0,)),
}


def least(counts: Counts, epsilon: float) -> float:
    """The least scale for pure ε against the empirical adversary; 0 where none is needed."""
    priors: dict[Any, Any] = {}
    for secret in sorted({secret for secret, _ in counts}):
        of = sorted((value, n) for (each, value), n in counts.items() if each == secret and n)
        values, weights = (np.array(each, dtype=float) for each in zip(*of, strict=True))
        priors[secret] = pf.Discrete(values=values, probabilities=weights / weights.sum())
    noise = pf.calibrate(pf.Scenario([pf.Belief(priors)]), pf.Guarantee(epsilon)).noise
    return noise.scale if isinstance(noise, pf.LaplaceNoise) else 0.0


class Told(NamedTuple):
    """One row taken out: its own size, and the size and weight of every alternative."""

    true: float
    same_value: tuple[float, ...]
    sizes: tuple[float, ...]
    weights: tuple[int, ...]


def told(counts: Counts, row: Cell, epsilon: float) -> Told:
    rest = counts - Counter([row])
    sizes = {cell: least(rest + Counter([cell]), epsilon) for cell in counts}
    others = {secret for secret, _ in counts} - {row[0]}
    flipped = [rest + Counter([(each, row[1])]) for each in sorted(others)]
    return Told(
        sizes[row],
        tuple(least(each, epsilon) for each in flipped),
        tuple(sizes.values()),
        tuple(counts[cell] for cell in sizes),
    )


def entropy(weights: Counter[float]) -> float:
    total = weights.total()
    return -sum(n / total * math.log2(n / total) for n in weights.values())


def tables(adult: str) -> Iterator[tuple[str, Counts]]:
    frame = pd.read_csv(adult, skipinitialspace=True)
    for column in NUMBERS:
        for secret in SECRETS:
            pairs = zip(frame[secret], frame[column].astype(float), strict=True)
            yield f"{column} against {secret}", Counter(pairs)
    hungarian = pf.datasets.hungarian_cholesterol()
    pairs = zip(map(str, hungarian["sex"]), map(float, hungarian["chol"]), strict=True)
    yield "cholesterol against sex", Counter(cell for cell in pairs if not math.isnan(cell[1]))


def chosen(counts: Counts, generator: np.random.Generator) -> list[Cell]:
    """The smallest value, the largest, and some rows at random."""
    cells = sorted(counts, key=lambda cell: (cell[1], cell[0]))
    weights = np.array([counts[cell] for cell in cells], dtype=float)
    drawn = generator.choice(len(cells), RANDOM_ROWS, p=weights / weights.sum())
    return [cells[0], cells[-1], *(cells[each] for each in drawn)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adult", help="the UCI Adult training file as CSV, with a header")
    generator = np.random.default_rng(19)
    extra: dict[str, list[float]] = {name: [] for name in LADDERS}
    found: list[Told] = []
    for name, counts in tables(parser.parse_args().adult):
        sizes = [least(counts, epsilon) for epsilon in EPSILONS]
        for ladder, rung in LADDERS.items():
            extra[ladder] += [rung(size) / size - 1.0 for size in sizes if size]
        of_table = [told(counts, row, 1.0) for row in chosen(counts, generator)]
        found += of_table
        spread = [size for each in of_table for size in each.sizes]
        print(f"{name}: {min(spread):.4g} to {max(spread):.4g}", flush=True)
    print("| ladder | extra noise: mean | most | secret moves it | bits | bits, even | rungs |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for ladder, rung in LADDERS.items():
        moved = [rung(size) != rung(each.true) for each in found for size in each.same_value]
        bits, even, most = [], [], 0
        for each in found:
            rungs = [rung(size) for size in each.sizes]
            weighted: Counter[float] = Counter()
            for reached, weight in zip(rungs, each.weights, strict=True):
                weighted[reached] += weight
            bits.append(entropy(weighted))
            even.append(entropy(Counter(rungs)))
            most = max(most, len(set(rungs)))
        print(
            f"| {ladder} | {np.mean(extra[ladder]):.1%} | {max(extra[ladder]):.0%} "
            f"| {np.mean(moved):.1%} | {np.mean(bits):.3f} | {np.mean(even):.3f} | {most} |"
        )


if __name__ == "__main__":
    main()
