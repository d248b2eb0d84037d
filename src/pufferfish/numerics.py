"""Small numerical helpers that several layers share."""

from __future__ import annotations

import numpy as np

from pufferfish.checks import FloatArray

__all__ = ["UNIT", "log_sum_exp"]

# Unit roundoff of a double: the relative error of one rounding.
UNIT = 2.0**-53


def log_sum_exp(x: FloatArray) -> FloatArray:
    """log Σ e^x over the first axis, −∞ where every term is.

    SciPy's general version spends twenty times as long on its checks as small arrays need.
    """
    top = np.maximum(x.max(axis=0), -1e300)
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.exp(x - top).sum(axis=0)))
