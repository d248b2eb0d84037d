"""A second bound on log p/q for laws that share component shapes, where slopes bound poorly.

Where one component dominates both laws the log-ratio is flat, but an interval for the slope of log
p minus one for that of log q loses the fact that the two are the same function. Instead, let l be
the component of q that is largest on the cell. Then q ≥ v_l g_l, and with p = Σ_m w_m f_m

    log p/q ≤ log Σ_m exp( sup_cell (log w_m f_m − log v_l g_l) ).

Each difference is a constant where f_m and g_l are the same kernel; monotone, so largest at an end
of the cell, where they have the same std (scores of log-concave kernels fall); and elsewhere lies
between lines with slopes from the two components' scores.
"""

from __future__ import annotations

import numpy as np

from pufferfish.core.numerics import UNIT, log_sum_exp
from pufferfish.core.validation import FloatArray
from pufferfish.exact.bounds import KAPPA_ABSOLUTE, KAPPA_RELATIVE, MixtureBounds
from pufferfish.exact.lines import Interval, between_lines

__all__ = ["SharedShapes"]


class SharedShapes:
    """The bound above for one ordered pair of mixtures; `useful` only where stds agree."""

    def __init__(self, p: MixtureBounds, q: MixtureBounds) -> None:
        """Keep the laws; they are compared cell by cell."""
        self._p, self._q = p, q
        self.useful = not set(p.stds.tolist()).isdisjoint(q.stds.tolist())

    def upper(
        self,
        p_left: FloatArray,
        p_right: FloatArray,
        q_left: FloatArray,
        q_right: FloatArray,
        width: FloatArray,
    ) -> FloatArray:
        """An upper bound on log p/q on each cell, rounding included, from the rows at its ends."""
        q_log_left, q_score_left = self._q.parts(q_left)
        q_log_right, q_score_right = self._q.parts(q_right)
        lead = np.minimum(q_log_left, q_log_right).argmax(axis=0)
        column = np.arange(width.size)
        p_log_left, p_score_left = self._p.parts(p_left)
        p_log_right, p_score_right = self._p.parts(p_right)
        left = p_log_left - q_log_left[lead, column]
        right = p_log_right - q_log_right[lead, column]
        slack = 1e-13 * (np.abs(p_score_left) + np.abs(p_score_right)) + self._p.score_slack
        slack += 1e-13 * (np.abs(q_score_left) + np.abs(q_score_right))[lead, column]
        slack += self._q.score_slack[lead, 0]
        slope = Interval(
            p_score_right - q_score_left[lead, column] - slack,
            p_score_left - q_score_right[lead, column] + slack,
        )
        same_std = self._p.stds[:, None] == self._q.stds[lead]
        same = same_std & (self._p.means[:, None] == self._q.means[lead])
        highest = np.where(
            same_std, np.maximum(left, right), between_lines(left, right, slope, width).upper
        )
        size = np.maximum(self._p.sizes(p_left), self._p.sizes(p_right))
        size += np.maximum(self._q.sizes(q_left), self._q.sizes(q_right))[lead, column]
        highest += KAPPA_ABSOLUTE + KAPPA_RELATIVE * size
        constant = self._p.log_weights - self._q.log_weights[lead, 0]
        highest = np.where(same, constant + KAPPA_ABSOLUTE, highest)
        return np.asarray(log_sum_exp(highest) + KAPPA_ABSOLUTE + UNIT * highest.shape[0])
