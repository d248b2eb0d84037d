"""A long table under Gaussian noise, replaced by a short one with a bound on the difference.

There is no recurrence for Gaussian noise. But noise of std θ blurs everything finer: cut the line
into bins of width θ/4 and replace the atoms of a bin by the five nodes of their Gauss quadrature,
which have the same moments of order 0 to 9. Taylor's formula about the centre of the bin leaves a
remainder of order 10, so after the noise the two laws of Y differ in total variation by at most

    η = (1/8)^10/√(10!) + ½ Σ_k |Δ_k|·(1/8)^k/√(k!),

where Δ_k is the difference of the k-th moments that rounding leaves, in units of half a bin, and
∫|φ_θ^{(k)}| ≤ √(k!)/θ^k was used. The first term is 5e-13. Then HS_ε changes by at most
η_P + e^ε·η_Q.
"""

from __future__ import annotations

import math

import numpy as np

from pufferfish.beliefs.priors import Components, Discrete
from pufferfish.core.numerics import UNIT
from pufferfish.core.validation import FloatArray

__all__ = ["compress"]

_NODES = 5
_BINS_PER_STD = 4.0
# Half a bin in stds, and √(k!) for the moments that are matched and the first that is not.
_HALF = 0.5 / _BINS_PER_STD
_ROOT_FACTORIALS = np.sqrt([math.factorial(k) for k in range(2 * _NODES + 1)])


def compress(table: Discrete, std: float) -> tuple[Components, float]:
    """Components of std 0 that replace the table under noise of this std, and η."""
    values, masses = table.values, table.probabilities
    bins = np.floor((values - values[0]) * (_BINS_PER_STD / std))
    starts = np.flatnonzero(np.diff(bins, prepend=-1.0))
    if not np.isfinite(bins[-1]) or values.size <= _NODES * starts.size:
        return table.components(), 0.0
    centres = values[0] + (bins[starts] + 0.5) * (std / _BINS_PER_STD)
    nodes, weights, error = [], [], 0.0
    for centre, atoms, shares in zip(
        centres, np.split(values, starts[1:]), np.split(masses, starts[1:]), strict=True
    ):
        points = (atoms - centre) / (std * _HALF)
        if atoms.size > _NODES:
            own, weight = _gauss(points, shares)
            # A node moved by r moves its law by at most r/(θ√(2π)): here, by its last rounding.
            moved = UNIT * (2.0 + abs(centre) / std) * float(shares.sum())
            error += _difference(points, shares, own, weight) + moved
            nodes.append(centre + own * (std * _HALF))
        else:
            weight = shares
            nodes.append(atoms)
        weights.append(weight)
    means, masses = np.concatenate(nodes), np.concatenate(weights)
    kept = masses > 0  # a weight that underflowed is below every rounding already counted
    return Components(masses[kept], means[kept], np.zeros(int(kept.sum()))), error


def _gauss(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights with the same moments: Lanczos, then eigenvalues of Jacobi's matrix."""
    total = float(weights.sum())
    basis = [np.sqrt(weights / total)]
    diagonal, side = [], []
    for step in range(_NODES):
        vector = points * basis[-1]
        diagonal.append(float(vector @ basis[-1]))
        for _ in range(2):  # twice: one pass leaves too much of the older directions
            for older in basis:
                vector = vector - (vector @ older) * older
        length = float(np.linalg.norm(vector))
        if step == _NODES - 1 or length < 1e-12:
            break
        side.append(length)
        basis.append(vector / length)
    jacobi = np.diag(diagonal) + np.diag(side, 1) + np.diag(side, -1)
    nodes, vectors = np.linalg.eigh(jacobi)
    return nodes, total * vectors[0] ** 2


def _difference(
    points: FloatArray, weights: FloatArray, nodes: FloatArray, node_weights: FloatArray
) -> float:
    """η of one bin: the remainder, and the difference of the moments, rounding included."""
    # Points may reach a little beyond the bin through rounding of its ends.
    reach = max(1.0, float(np.abs(points).max()), float(np.abs(nodes).max()))
    total = float(weights.sum())
    remainder = total * (reach * _HALF) ** (2 * _NODES) / _ROOT_FACTORIALS[-1]
    rounding = 8.0 * UNIT * points.size * total * reach ** (2 * _NODES)
    left = sum(
        (abs(float(weights @ points**k) - float(node_weights @ nodes**k)) + rounding)
        * _HALF**k
        / _ROOT_FACTORIALS[k]
        for k in range(2 * _NODES)
    )
    return float(remainder + 0.5 * left) * (1.0 + 1e-9)
