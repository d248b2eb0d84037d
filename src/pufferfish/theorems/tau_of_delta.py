"""τ(δ): the number of stds within which a standard normal stays, except with probability δ.

There are two forms, both from the paper's Appendix A:

    exact    τ = Q⁻¹(δ/2),           Q(t) = P(Z > t)
    lambert  τ = √W₀(2/(πδ²)),       from the tail bound Q(t) ≤ e^{−t²/2}/(t√(2π))

The second is never smaller (docs/theory/thm-1.md). W₀ is Lambert's function, W₀(x)·e^{W₀(x)} = x.
"""

from __future__ import annotations

import math
from typing import Literal

from scipy.special import ndtri, wrightomega

from pufferfish.core.validation import require

__all__ = ["TAU_FORMS", "Tau", "tau"]

Tau = Literal["exact", "lambert"]
TAU_FORMS: tuple[Tau, ...] = ("exact", "lambert")


def tau(delta: float, form: Tau = "exact") -> float:
    """τ(δ) in the given form; infinite at δ = 0."""
    require(0.0 <= delta < 1.0, f"delta must be at least 0 and less than 1, got {delta}.")
    require(form in TAU_FORMS, f"tau {form!r} is not known; known: 'exact', 'lambert'.")
    if delta == 0.0:
        return math.inf
    if form == "exact":
        return -float(ndtri(0.5 * delta))
    # W₀(e^x) = ω(x), Wright's function: 2/(πδ²) itself would overflow for tiny δ.
    return math.sqrt(wrightomega(math.log(2.0 / math.pi) - 2.0 * math.log(delta)))
