"""Fig. 5: τ(δ), exactly and by the tail bound with Lambert's W."""

from __future__ import annotations

import numpy as np

import pufferfish as pf
from examples.paper.figure import Figure, Panel, Series

__all__ = ["DELTAS", "figure"]

DELTAS = np.linspace(0.001, 0.999, 499)


def figure() -> Figure:
    """Both forms from 0.001 to 0.999."""
    exact, lambert = (
        np.array([pf.theorems.tau(float(delta), form) for delta in DELTAS])
        for form in ("exact", "lambert")
    )
    return Figure(
        name="fig-5",
        number="Fig. 5",
        title="τ(δ), from 0.001 to 0.999",
        columns=1,
        words=(
            (
                "In the paper",
                "One curve: by its caption the upper bound with Lambert's W on τ*(δ) = Q⁻¹(δ/2), "
                "by which Theorems 1 and 2 multiply the difference of stds.",
            ),
            (
                "Here",
                f"Both forms of the appendix: exact, from {exact[0]:.4f} down to {exact[-1]:.4f}, "
                f"and √W₀(2/(πδ²)), from {lambert[0]:.4f} to {lambert[-1]:.4f}.",
            ),
            (
                "What to see",
                "The Lambert form is never smaller than the exact one. It is close for small δ; "
                "for large δ it does not go to 0, and asks for noise that is not needed.",
            ),
            (
                "Where they differ",
                f"At δ = 0.3 the forms are {pf.theorems.tau(0.3):.5f} and "
                f"{pf.theorems.tau(0.3, 'lambert'):.5f}; Fig. 2 "
                "was drawn with the second, though the text defines τ* by the first.",
            ),
        ),
        panels=(
            Panel(
                letter="a",
                title="the number of stds that count",
                caption="τ exact below, τ by the tail bound above.",
                x_label="δ",
                y_label="τ(δ)",
                x_range=(0.0, 1.0),
                y_range=(0.0, None),
                series=(
                    Series("Q⁻¹(δ/2), exact", DELTAS, exact),
                    Series("√W₀(2/(πδ²)), Lambert", DELTAS, lambert, "second"),
                ),
            ),
        ),
    )
