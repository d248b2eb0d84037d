"""Draws adult.png, the picture of the README: `python docs/figures/readme.py`."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

import pufferfish as pf

FIRST, SECOND = "Black", "Asian-Pac-Islander"
GOAL = pf.Guarantee(epsilon=1.0, delta=0.0)
# Okabe and Ito's colours, told apart with any kind of colour vision; line styles say the same.
COLOURS = {FIRST: "#0072B2", SECOND: "#D55E00"}
INK, FAINT, BAND = "#222222", "#7a7a7a", "#009E73"
DASHES = (0, (4, 2.5))
SPAN = (-1.0, 20.0)
HIGHEST_RATIO = 3.0


def main() -> None:
    belief = pf.datasets.adult_mixtures()
    scenario = pf.Scenario([belief], pairs=[(FIRST, SECOND)])
    noise = pf.calibrate(scenario, GOAL, noise="laplace").noise
    y = np.linspace(*SPAN, 1401)
    before = {secret: _log_density(belief, secret, pf.NoNoise(), y) for secret in COLOURS}
    after = {secret: _log_density(belief, secret, noise, y) for secret in COLOURS}

    plt.rcParams.update(
        {
            "font.family": "DejaVu Sans",
            "font.size": 12,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": FAINT,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5.6), dpi=100)
    _densities(left, y, before, after)
    _ratios(right, y, before[FIRST] - before[SECOND], after[FIRST] - after[SECOND])
    assert isinstance(noise, pf.LaplaceNoise)
    figure.suptitle(
        "Just enough noise that a published education level does not give away race",
        x=0.045,
        y=0.975,
        ha="left",
        fontsize=18,
        fontweight="bold",
    )
    figure.text(
        0.045,
        0.875,
        f"UCI Adult, Laplace noise of scale {noise.scale:.3f}, calibrated exactly for "
        f"ε = {GOAL.epsilon:g} and δ = 0",
        fontsize=13,
        color="#555555",
    )
    figure.subplots_adjust(left=0.045, right=0.985, top=0.76, bottom=0.125, wspace=0.13)
    figure.savefig(Path(__file__).with_name("adult.png"), facecolor="white")


def _log_density(
    belief: pf.Belief, secret: str, noise: pf.LaplaceNoise | pf.NoNoise, y: NDArray[np.float64]
) -> NDArray[np.float64]:
    return pf.output_law(belief.priors[secret], noise).log_density(y)


def _densities(
    axes: Axes,
    y: NDArray[np.float64],
    before: dict[str, NDArray[np.float64]],
    after: dict[str, NDArray[np.float64]],
) -> None:
    axes.set_title("What is seen of each group", loc="left", fontsize=14, pad=10)
    for secret, colour in COLOURS.items():
        axes.plot(y, np.exp(before[secret]), color=colour, lw=1.6, ls=DASHES)
        axes.plot(y, np.exp(after[secret]), color=colour, lw=2.8, label=secret)
    axes.set(xlim=SPAN, ylim=(0, None), xlabel="education level", yticks=[])
    axes.spines["left"].set_visible(False)
    axes.set_ylabel("probability density")
    axes.legend(frameon=False, loc="upper left", handlelength=1.4, borderaxespad=0.2)


def _ratios(
    axes: Axes, y: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64]
) -> None:
    epsilon = GOAL.epsilon
    axes.set_title("What one value says about race", loc="left", fontsize=14, pad=10)
    axes.axhspan(-epsilon, epsilon, color=BAND, alpha=0.13, lw=0)
    axes.axhline(0.0, color=FAINT, lw=0.8)
    axes.plot(y, before, color=FAINT, lw=1.8, ls=DASHES)
    axes.plot(y, after, color=INK, lw=2.8)
    axes.set(xlim=SPAN, ylim=(-HIGHEST_RATIO, HIGHEST_RATIO), xlabel="published value")
    axes.set_yticks([-2, -epsilon, 0, epsilon, 2], ["−2", "−ε = −1", "0", "ε = 1", "2"])


if __name__ == "__main__":
    main()
