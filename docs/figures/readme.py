"""Draws adult.png, the picture of the README: `python docs/figures/readme.py`."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

import pufferfish as pf

FloatArray = NDArray[np.float64]

FIRST, SECOND = "Black", "Asian-Pac-Islander"
GOAL = pf.Guarantee(epsilon=1.0, delta=0.0)
# Okabe and Ito's colours, told apart with any kind of colour vision. Dashes: before the noise.
COLOURS = {FIRST: "#0072B2", SECOND: "#D55E00"}
INK, GREY, BAND = "#1f1f1f", "#6b6b6b", "#009E73"
BEFORE = {"lw": 1.7, "ls": (0, (4, 2.2))}
AFTER = {"lw": 3.0, "ls": "-"}
SPAN = (-5.0, 25.0)
RATIOS = (-3.4, 2.2)
STYLE = {
    "font.size": 13,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


def main() -> None:
    belief = pf.datasets.adult_mixtures()
    scenario = pf.Scenario([belief], pairs=[(FIRST, SECOND)])
    noise = pf.calibrate(scenario, GOAL, mechanism="laplace").noise
    assert isinstance(noise, pf.LaplaceNoise)
    y = np.linspace(*SPAN, 1501)
    before = _log_densities(belief, pf.NoNoise(), y)
    after = _log_densities(belief, noise, y)
    with plt.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(14, 6), dpi=100)
        figure.subplots_adjust(left=0.05, right=0.985, top=0.76, bottom=0.115, wspace=0.18)
        _draw_densities(left, y, before, after)
        _draw_ratios(right, y, before[FIRST] - before[SECOND], after[FIRST] - after[SECOND])
        figure.text(
            0.05,
            0.93,
            "The least noise that keeps an education level from revealing race",
            fontsize=20,
            fontweight="bold",
        )
        figure.text(
            0.05,
            0.873,
            f"Against these mixtures Laplace noise of scale {noise.scale:.3f} suffices: no "
            f"published value changes the odds by more than a factor e (ε = {GOAL.epsilon:g}, "
            "δ = 0).",
            color=GREY,
        )
        figure.savefig(Path(__file__).with_name("adult.png"), facecolor="white")


def _log_densities(
    belief: pf.Belief, noise: pf.LaplaceNoise | pf.NoNoise, y: FloatArray
) -> dict[str, FloatArray]:
    return {
        secret: pf.output_law(belief.priors[secret], noise).log_density(y) for secret in COLOURS
    }


def _draw_densities(
    axes: Axes, y: FloatArray, before: dict[str, FloatArray], after: dict[str, FloatArray]
) -> None:
    axes.set_title(
        "Mixtures fitted to UCI Adult, before and after the noise", loc="left", fontsize=15, pad=12
    )
    for secret, colour in COLOURS.items():
        axes.plot(y, np.exp(before[secret]), color=colour, **BEFORE)
        axes.plot(y, np.exp(after[secret]), color=colour, **AFTER)
    axes.text(8.3, 0.205, FIRST, color=COLOURS[FIRST], ha="right", fontweight="bold")
    axes.text(15.2, 0.125, SECOND, color=COLOURS[SECOND], fontweight="bold")
    axes.legend(
        handles=[
            Line2D([], [], color=GREY, label="without noise", **BEFORE),
            Line2D([], [], color=GREY, label="published", **AFTER),
        ],
        frameon=False,
        loc="upper right",
        handlelength=2.2,
        borderaxespad=0.0,
    )
    axes.set(xlim=SPAN, ylim=(0.0, None), yticks=[], xlabel="education level")
    axes.set_ylabel("probability density", labelpad=8)
    axes.spines["left"].set_visible(False)


def _draw_ratios(axes: Axes, y: FloatArray, before: FloatArray, after: FloatArray) -> None:
    epsilon = GOAL.epsilon
    axes.set_title("What one value says about the group", loc="left", fontsize=15, pad=12)
    axes.axhspan(-epsilon, epsilon, color=BAND, alpha=0.14, lw=0)
    axes.axhline(0.0, color=GREY, lw=0.8)
    axes.plot(y, before, color=GREY, **BEFORE)
    axes.plot(y, after, color=INK, **AFTER)
    axes.text(24.8, 0.94, "promised: within ±ε", color="#00694d", ha="right", va="top")
    axes.text(24.8, -0.92, "published", ha="right", va="bottom", fontweight="bold")
    axes.text(-2.3, -3.0, "without noise: falls without bound", color=GREY, va="center")
    axes.set(xlim=SPAN, ylim=RATIOS, xlabel="education level")
    axes.set_ylabel(f"log-ratio of the densities,\n{FIRST} to {SECOND}", labelpad=4)
    axes.set_yticks([-3, -2, -epsilon, 0, epsilon, 2], ["−3", "−2", "−ε", "0", "+ε", "2"])


if __name__ == "__main__":
    main()
