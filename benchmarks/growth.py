"""How time grows with rows, secrets and components: `python -m benchmarks.growth`.

Prints the figures and draws docs/figures/growth.png.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import pufferfish as pf
from benchmarks import machine
from benchmarks.laws import GOAL, PURE, mixture, scenario
from benchmarks.release import release_ms, write_table
from benchmarks.timing import once
from pufferfish.report.drawing import panels_file
from pufferfish.report.style import dashes_for, ink

PICTURE = Path(__file__).parents[1] / "docs" / "figures" / "growth.png"
ROWS = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
SECRETS = (10, 30, 100, 300, 1_000, 3_000)
COMPONENTS = (1, 2, 4, 8, 16, 32, 64)
ATOMS = (100, 1_000, 10_000, 100_000)

# Label: (sizes, seconds).
Curves = dict[str, tuple[tuple[int, ...], list[float]]]


def main() -> None:
    print(machine.describe(), end="\n\n")
    rows, pairs, size = _rows(), _pairs(), _sizes()
    for name, curves in (("rows", rows), ("secrets", pairs), ("size of a law", size)):
        for label, (sizes, seconds) in curves.items():
            listed = ", ".join(
                f"{count:,}: {taken:.3g} s" for count, taken in zip(sizes, seconds, strict=False)
            )
            print(f"{name}, {label}: {listed}")
    draws = [
        _panel("release of a Parquet file", "rows", rows),
        _panel("calibration, all pairs, one process", "secrets", pairs),
        _panel("one certificate", "components or atoms of each law", size),
    ]
    PICTURE.write_bytes(panels_file(draws, "png", columns=3, size=(5.0, 4.2)))


def _rows() -> Curves:
    curves: Curves = {"shuffled": (ROWS, []), "one column kept": (ROWS, [])}
    with tempfile.TemporaryDirectory() as folder:
        for rows in ROWS:
            source = Path(folder) / f"{rows}.parquet"
            write_table(source, rows)
            for label, keep in (("shuffled", ""), ("one column kept", "o")):
                curves[label][1].append(1e-3 * release_ms(source, keep))
            source.unlink()
    return curves


def _pairs() -> Curves:
    generator = np.random.default_rng(7)
    laws: dict[str, Callable[[], Any]] = {
        "Gaussians": lambda: pf.Gaussian(generator.normal(0.0, 3.0), generator.uniform(1.0, 3.0)),
        "mixtures of 3": lambda: mixture(generator, 3),
    }
    curves: Curves = {}
    for label, draw in laws.items():
        for goal in (PURE, GOAL):
            taken = []
            for count in SECRETS:
                many = scenario(*(draw() for _ in range(count)))
                taken.append(1e-3 * once(partial(pf.calibrate, many, goal)))
            curves[f"{label}, δ = {goal.delta:g}"] = (SECRETS, taken)
    return curves


def _sizes() -> Curves:
    generator = np.random.default_rng(8)

    def judged(first: Any, second: Any) -> float:
        pair = scenario(first, second)
        return 1e-3 * min(
            once(lambda: pf.verify(pair, pf.LaplaceNoise(1.0), GOAL)) for _ in range(3)
        )

    mixtures = [judged(mixture(generator, k), mixture(generator, k)) for k in COMPONENTS]
    tables = [judged(_table(generator, k), _table(generator, k)) for k in ATOMS]
    return {"mixtures": (COMPONENTS, mixtures), "tables": (ATOMS, tables)}


def _table(generator: np.random.Generator, atoms: int) -> pf.Discrete:
    values = np.sort(generator.normal(0.0, 3.0, atoms))
    return pf.Discrete(values, generator.dirichlet(np.full(atoms, 5.0)))


def _panel(title: str, label: str, curves: Curves) -> Callable[[Any], None]:
    def draw(axes: Any) -> None:
        inks = ("first", "second", "third", "fourth")
        for shade, (name, (sizes, seconds)) in zip(inks, curves.items(), strict=False):
            style = {"color": ink(shade), "linestyle": dashes_for(shade), "marker": "o"}
            axes.plot(sizes, seconds, label=name, **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        # The style takes text as it is, and so the axes' own powers of ten.
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0e}".replace("e+0", "e"))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_title(title, color=ink("ink"), fontsize="medium", loc="left")
        axes.set_xlabel(label)
        axes.set_ylabel("seconds")
        axes.legend(frameon=False, labelcolor=ink("ink"))

    return draw


if __name__ == "__main__":
    main()
