"""Many small systems of equations that are coupled by one sum.

For each output y, with a diagonal D, rows V and a symmetric N,

    D·w + Vᵀ·k + α = g,   V·w + N·k = h,   and   Σ_y w = r.

Each y has few rows. So w and then k are eliminated for each y by itself, which leaves one system of
the size of α. This makes the interior point method (`inside`) quick: a step for n cells and n
outputs takes time of order n³, not n⁶.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from pufferfish.core.validation import FloatArray

__all__ = ["Coupled"]

# The common system is solved again for the residual at most this many times.
_REFINEMENTS = 4
_FINE = 1e-15


class Coupled:
    """The systems, factored.

    `numpy.linalg.LinAlgError` is raised if they are singular to within rounding.
    """

    def __init__(
        self,
        diagonal: FloatArray,
        rows: FloatArray,
        block: FloatArray,
        *,
        grounded: FloatArray | None = None,
        common: FloatArray | None = None,
    ) -> None:
        """Eliminate w and k.

        Args:
            diagonal: D, for each y and cell.
            rows: V, for each y, row and cell.
            block: N, for each y. It is overwritten.
            grounded: For the first rows, if they only transfer (all that leaves a cell arrives in
                them), the rest of each sum. Their diagonal then follows from the other entries,
                without cancellation.
            common: A row that all y have and whose sum is given: r is then not free along it.
        """
        self._diagonal = diagonal
        self._scaled = rows / diagonal[:, None, :]
        system = -(self._scaled @ rows.transpose(0, 2, 1))
        if grounded is not None:
            size = grounded.shape[1]
            first = system[:, :size, :size]
            each = np.arange(size)
            first[:, each, each] = 0.0
            first[:, each, each] = grounded - first.sum(axis=2)
        self._system = system + block
        each = np.arange(rows.shape[1])
        sizes = np.abs(self._system[:, each, each])
        scale = 1.0 / np.sqrt(np.where(sizes > 0.0, sizes, np.abs(self._system).max(axis=2)))
        both = scale[:, :, None] * scale[:, None, :]
        self._inverse = np.linalg.inv(self._system * both) * both
        total = np.diag((1.0 / diagonal).sum(axis=0))
        # The sum over y and rows as one product, which is many times as quick as one for each y.
        cells = rows.shape[2]
        total += self._scaled.reshape(-1, cells).T @ (self._inverse @ self._scaled).reshape(
            -1, cells
        )
        if common is not None:
            total += np.outer(common, common) * (
                np.trace(total) / len(total) / float(common @ common)
            )
        total = (total + total.T) / 2.0
        total[np.diag_indices(len(total))] *= 1.0 + 1e-13
        if not np.isfinite(total).all():
            raise np.linalg.LinAlgError("the systems are singular.")
        self._total = cho_factor(total)

    def solve(
        self, g: FloatArray, h: FloatArray, r: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The w and k of each y, and α."""
        alpha = np.zeros(len(r))
        w, k = self._apart(g, h)
        left, size = w.sum(axis=0) - r, np.inf
        for _ in range(_REFINEMENTS):
            further = alpha + cho_solve(self._total, left)
            found = self._apart(g - further, h)
            rest = found[0].sum(axis=0) - r
            now = float(np.abs(rest).max())
            if not now < size:
                break
            (w, k), alpha, left, size = found, further, rest, now
            if size < _FINE:
                break
        return w, k, alpha

    def _apart(self, g: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The w and k of each y for a given α, which is already part of g."""
        wanted = h[:, :, None] - self._scaled @ g[:, :, None]
        k = self._inverse @ wanted
        k += self._inverse @ (wanted - self._system @ k)
        return g / self._diagonal - (k.transpose(0, 2, 1) @ self._scaled)[:, 0], k[:, :, 0]
