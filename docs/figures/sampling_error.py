"""Draws sampling-error.png from sampling-error.csv, which `make sampling-error` writes."""

import csv
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

HERE = Path(__file__).parent
# Okabe and Ito's colours, told apart with any kind of colour vision.
PLAIN, COVERED, INK, GREY = "#D55E00", "#0072B2", "#1f1f1f", "#6b6b6b"
KINDS = ("recoding", "Laplace")
LARGEST = 2.0
STYLE = {
    "font.size": 13,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": INK,
}


def main() -> None:
    with (HERE / "sampling-error.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(row["samples of"] for row in rows))
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(
            len(names), 2, figsize=(14, 3.2 * len(names) + 1.6), dpi=100, sharex=True, squeeze=False
        )
        figure.subplots_adjust(left=0.03, right=0.985, top=0.8, bottom=0.1, wspace=0.08, hspace=0.4)
        for axes, name in zip(grid, names, strict=True):
            own = [row for row in rows if row["samples of"] == name]
            for each, kind in zip(axes, KINDS, strict=True):
                _draw(each, f"{kind.capitalize()}: {len(own)} samples of {name}", kind, own)
        for each in grid[-1]:
            each.set_xlabel("ε of the population")
        figure.text(
            0.03,
            0.93,
            "ε = 1 was promised. What is it for the population?",
            fontsize=20,
            fontweight="bold",
        )
        figure.text(
            0.03,
            0.885,
            "Each sample of a known population is calibrated by itself, plainly and with 95% "
            "confidence, and judged by the true laws.",
            color=GREY,
        )
        figure.savefig(HERE / "sampling-error.png", facecolor="white")


def _draw(axes: Axes, title: str, kind: str, rows: list[dict[str, str]]) -> None:
    axes.set_title(title, loc="left", fontsize=14, pad=22)
    edges = np.linspace(0.0, LARGEST, 41)
    for place, (way, colour) in enumerate((("plain", PLAIN), ("95%", COVERED))):
        found = np.array([float(row[f"{kind}, {way}"]) for row in rows])
        axes.hist(np.minimum(found, LARGEST - 1e-9), edges, color=colour, alpha=0.75)
        text = f"{'plain' if way == 'plain' else '95% confidence'}: kept in {(found <= 1).sum()}"
        axes.text(
            1.0 - place,
            1.02,
            text,
            color=colour,
            transform=axes.transAxes,
            ha="left" if place else "right",
            fontweight="bold",
        )
    axes.axvline(1.0, color=INK, lw=1.5)
    axes.set(yticks=[], xlim=(0.0, LARGEST))
    axes.set_xticks([0.0, 0.5, 1.0, 1.5, LARGEST], ["0", "0.5", "1", "1.5", "≥ 2"])


if __name__ == "__main__":
    main()
