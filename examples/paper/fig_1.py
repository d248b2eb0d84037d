"""Fig. 1: two Gaussian priors with Laplace and with Gaussian noise of the same variance.

The paper does not say which priors it draws. Ours are N(0, 1) and N(1, 1.6²): simple numbers for
which Laplace noise of the paper's scale gives about the supremum that the paper states, 0.2992.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import pufferfish as pf
from examples.paper.figure import Figure, FloatArray, Panel, Series
from pufferfish.words.numbers import at_most, readable

__all__ = ["GAUSSIAN", "LAPLACE", "PRIORS", "Ratios", "figure", "ratios"]

PRIORS = pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.6)
LAPLACE = pf.LaplaceNoise(4.0)
# Gaussian noise of the same variance, as the paper intends.
GAUSSIAN = pf.GaussianNoise(LAPLACE.std)
_SCENARIO = pf.Scenario(pf.Belief({"X": PRIORS[0], "X'": PRIORS[1]}, provenance="public"))
# The curves reach this far on both sides.
_REACH = 20.0
_REACHES = (5.0, 10.0, _REACH, 40.0)
_POINTS = 401


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """|log p_Y/p_Y'| under one noise.

    Attributes:
        supremum: The supremum over all y, enclosed.
        within: Pairs of a range and the maximum on it.
    """

    supremum: pf.Enclosure
    within: tuple[tuple[float, float], ...]


def ratios(noise: pf.Noise) -> Ratios:
    """The supremum on the whole line, and the maxima over ranges that one might plot."""
    return Ratios(
        supremum=pf.pure_epsilon(_SCENARIO, noise),
        within=tuple(
            (reach, float(np.abs(_log_ratio(_line(reach), noise)).max())) for reach in _REACHES
        ),
    )


def figure() -> Figure:
    """The paper's three panels, and the log-ratio itself."""
    laplace, gaussian = ratios(LAPLACE), ratios(GAUSSIAN)
    y = _line(_REACH)
    top = laplace.supremum.upper
    grows = ", ".join(f"{high:.3f} on ±{reach:g}" for reach, high in gaussian.within)
    return Figure(
        name="fig-1",
        number="Fig. 1",
        title="Two Gaussian priors, with Laplace and with Gaussian noise",
        columns=2,
        words=(
            (
                "In the paper",
                "Densities before and after noise, with max |log p_Y/p_Y'| = 0.2992 for Laplace "
                "noise of scale 4 and 0.0156 for Gaussian noise “of the same variance”, G(0, 8). "
                "The priors are not given.",
            ),
            (
                "Here",
                "We chose X ~ N(0, 1) and X' ~ N(1, 1.6²). Laplace noise of scale "
                f"{LAPLACE.scale:g} has variance {LAPLACE.variance:g}; our Gaussian noise has the "
                f"same, so its std is {GAUSSIAN.std:.4g}. Read as a variance or as a std, the 8 "
                "of G(0, 8) is neither.",
            ),
            (
                "What to see",
                f"Under Laplace noise the log-ratio levels off: its supremum over all y is "
                f"{at_most(top, 4)}, certified. Under Gaussian noise it exceeds every bound.",
            ),
            (
                "Where they differ",
                "With Gaussian noise and unequal variances the supremum is infinite; any finite "
                f"number is a maximum over the plotted range. Here it is {grows}.",
            ),
        ),
        panels=(
            _densities("a", "before noise", pf.NoNoise(), 6.0),
            _densities("b", "with Laplace noise", LAPLACE, _REACH),
            _densities("c", "with Gaussian noise", GAUSSIAN, _REACH),
            Panel(
                letter="d",
                title="the log-ratio of (b) and (c)",
                caption="log p_Y/p_Y': bounded for Laplace noise, by the certified supremum "
                f"{at_most(top, 4)}; unbounded for Gaussian noise.",
                x_label="y",
                y_label="log p_Y/p_Y'",
                x_range=(-_REACH, _REACH),
                series=(
                    Series(
                        "within the supremum", y[[0, -1]], np.array([-top, top]), "level1", "band"
                    ),
                    Series("Laplace noise", y, _log_ratio(y, LAPLACE)),
                    Series("Gaussian noise", y, _log_ratio(y, GAUSSIAN), "second"),
                ),
            ),
        ),
    )


def _line(reach: float) -> FloatArray:
    return np.linspace(-reach, reach, _POINTS)


def _log_ratio(y: FloatArray, noise: pf.Noise) -> FloatArray:
    first, second = (pf.output_law(prior, noise).log_density(y) for prior in PRIORS)
    return np.asarray(first - second)


def _densities(letter: str, title: str, noise: pf.Noise, reach: float) -> Panel:
    y = _line(reach)
    law, name = ("x", "X") if isinstance(noise, pf.NoNoise) else ("y", "Y")
    words = "no noise" if name == "X" else f"noise of std {readable(noise.std)}"
    return Panel(
        letter=letter,
        title=title,
        caption=f"The densities of {name} and {name}': {words}.",
        x_label=law,
        y_label="density",
        x_range=(-reach, reach),
        y_range=(0.0, None),
        series=tuple(
            Series(label, y, np.exp(pf.output_law(prior, noise).log_density(y)), ink)
            for label, prior, ink in zip(
                (name, f"{name}'"), PRIORS, ("first", "second"), strict=True
            )
        ),
    )
