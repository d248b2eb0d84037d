"""Maps that need no search: a constant for everybody, and values that are kept or redrawn.

A value that is kept with probability p and otherwise redrawn from r has M = p·S + (1−p)·1·rᵀ, where
S keeps what may be kept. By how much S breaks the promise for y says how much of r(y) it needs, so
the largest p follows in closed form (`table.repair`). Where any r will do, the best one is the
least that each y needs: with c(y) the loss of y as a constant and w = (1−p)/p·r, the loss is

    (loss of S + Σ_y w(y)·c(y)) / (1 + Σ_y w(y)),

and whatever else is added to w draws it towards a loss that is no less than that of the best
constant. So the better of the two loses no more than with any other r.
"""

from __future__ import annotations

import contextlib

import numpy as np

from pufferfish.core.errors import CertificationError
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.table import Duty, repair, round_table

__all__ = ["trivial"]

# Frequencies that differ by less than this share are the same: rounding.
_SAME = 1e-9


def trivial(
    cost: FloatArray,
    duty: Duty,
    kernel: FloatArray | None,
    histogram: tuple[FloatArray, FloatArray] | None,
) -> list[IntegerTable]:
    """The best constant, and values that are kept or redrawn if a table can hold such a map.

    Args:
        cost: c(x,y)·π(x).
        duty: The duty that they keep.
        kernel: K, which comes before what is kept; None: the value itself is kept.
        histogram: The frequencies of cells, and the required ones of outputs; None: none is
            required.
    """
    given, wanted = (None, None) if histogram is None else histogram
    silent = np.eye(cost.shape[1])[cost.sum(axis=0).argmin()] if wanted is None else wanted
    seen = cost
    if kernel is not None:
        seen, given = kernel.T @ cost, None if given is None else given @ kernel
    if given is None or wanted is None:
        shown = np.eye(cost.shape[1])[seen.argmin(axis=1)]
        idle = np.ptp(seen, axis=1) == 0.0
    else:
        shown, idle = _moved(given, wanted), given == 0.0
    # What no row has may as well be redrawn.
    shown[idle] = silent
    kept = shown if kernel is None else kernel @ shown
    found = [round_table(np.tile(silent, (len(cost), 1)))]
    # With δ > 0 any r serves the promise; but a floor needs its own.
    chosen = silent if wanted is not None or not (duty.goal.pure or duty.floor) else None
    with contextlib.suppress(CertificationError):
        found.append(repair(kept, duty, chosen))
    return found


def _moved(given: FloatArray, wanted: FloatArray) -> FloatArray:
    """The map in rising order from one distribution to another; nothing moves if they agree."""
    if given.shape == wanted.shape and np.allclose(given, wanted, rtol=_SAME, atol=0.0):
        return np.eye(len(given))
    before, after = np.cumsum(given), np.cumsum(wanted)
    before, after = before / before[-1], after / after[-1]
    ends = np.minimum(before[:, None], after)
    starts = np.maximum((before - given)[:, None], after - wanted)
    both = np.clip(ends - starts, 0.0, None)
    total = both.sum(axis=1, keepdims=True)
    return np.asarray(both / np.where(total > 0.0, total, 1.0))
