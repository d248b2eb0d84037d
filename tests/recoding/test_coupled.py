"""The coupled systems, against one dense system."""

from __future__ import annotations

import numpy as np
import pytest

from pufferfish.recoding.coupled import Coupled


@pytest.mark.parametrize("seed", range(10))
def test_the_solution_is_that_of_one_dense_system(seed: int) -> None:
    source = np.random.default_rng(seed)
    outs, cells, few = 4, 5, 3
    diagonal = source.uniform(0.5, 2.0, (outs, cells))
    rows = source.normal(size=(outs, few, cells))
    # Definite in the directions of k, as rows of a promise are.
    half = source.normal(size=(outs, few, few))
    block = -(half @ half.transpose(0, 2, 1)) - np.eye(few)
    g, h = source.normal(size=(outs, cells)), source.normal(size=(outs, few))
    r = source.normal(size=cells)
    size = cells + few
    whole = np.zeros((outs * size + cells, outs * size + cells))
    right = np.zeros(len(whole))
    for y in range(outs):
        w = slice(y * size, y * size + cells)
        k = slice(y * size + cells, (y + 1) * size)
        whole[w, w], whole[k, k] = np.diag(diagonal[y]), block[y]
        whole[w, k], whole[k, w] = rows[y].T, rows[y]
        whole[w, outs * size :] = whole[outs * size :, w] = np.eye(cells)
        right[w], right[k] = g[y], h[y]
    right[outs * size :] = r
    wanted = np.linalg.solve(whole, right)
    found = Coupled(diagonal, rows, block).solve(g, h, r)
    inner = wanted[: outs * size].reshape(outs, size)
    assert found[0] == pytest.approx(inner[:, :cells], abs=1e-10)
    assert found[1] == pytest.approx(inner[:, cells:], abs=1e-10)
    assert found[2] == pytest.approx(wanted[outs * size :], abs=1e-10)
