"""The numbers in the paper's own source, from which Figs. 2, 3 and 4 are drawn.

From the source of Ni Ding, "Approximation of Pufferfish Privacy for Gaussian Priors". It does not
hold the priors of Fig. 1, the histograms and fits of Fig. 4(a),(d), nor the curve of Fig. 5.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from examples.paper.figure import FloatArray

__all__ = ["Curve", "Histogram", "histograms", "mixture_curves", "scale_points"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve:
    """y at x."""

    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Histogram:
    """A density that is constant on each bin; `edges` has one entry more."""

    edges: FloatArray
    density: FloatArray

    @property
    def variance(self) -> float:
        """The variance of the data: of the midpoints, less width²/12 (Sheppard's correction)."""
        widths = np.diff(self.edges)
        masses = self.density * widths / np.sum(self.density * widths)
        middles = self.edges[:-1] + 0.5 * widths
        spread = masses @ (middles - masses @ middles) ** 2
        return float(spread - masses @ widths**2 / 12.0)


def scale_points() -> dict[float, Curve]:
    """Fig. 2: for each variance, the scale against the number of users."""
    points: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for variance, users, scale in _rows("fig2_identical_users.csv"):
        points[float(variance)].append((float(users), float(scale)))
    return {variance: Curve(*np.array(each).T) for variance, each in points.items()}


def mixture_curves() -> dict[str, Curve]:
    """Fig. 3(a),(d): for each secret, the fitted density at 200 points."""
    x, black, asian = np.array(_rows("fig3_mixture_density.csv"), dtype=np.float64).T
    return {"Black": Curve(x, black), "Asian-Pac-Islander": Curve(x, asian)}


def histograms(figure: int) -> dict[str, Histogram]:
    """Fig. 3 or 4: the histogram of each panel that the source holds, by the panel's letter."""
    bins: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for number, panel, _, left, right, density in _rows("fig3_fig4_histograms.csv"):
        if int(number) == figure:
            bins[panel].append((float(left), float(right), float(density)))
    found = {}
    for panel, each in bins.items():
        left, right, density = np.array(each).T
        found[panel] = Histogram(np.append(left, right[-1]), density)
    return found


def _rows(name: str) -> list[list[str]]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()))[1:]
