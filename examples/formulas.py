"""How often the paper's formulas for mixtures give enough noise: the trials in docs/theory.

Draws 300 pairs of three-component mixtures of each kind, asks `thm-2` and `cor-2` for their scales
at ε = 1, and counts how often the exact certificate confirms them.
"""

from typing import Literal

import numpy as np

import pufferfish as pf

Formula = Literal["thm-2", "cor-2"]

PAIRS = 300
# Each formula at the δ of its trials.
ASKED: list[tuple[Formula, float]] = [("thm-2", 0.1), ("thm-2", 1e-3), ("cor-2", 0.0)]
# Name, std of the means, std of their moves, and the Dirichlet parameter of the weights.
KINDS = [("mild", 2.0, 0.5, 5.0), ("wide", 10.0, 3.0, 1.0)]


def drawn(
    rng: np.random.Generator, spread: float, move: float, shape: float, *, means_only: bool
) -> pf.Scenario:
    """Two mixtures; the second has moved means and, unless `means_only`, other weights and stds."""
    weights = rng.dirichlet(np.full(3, shape))
    means, stds = rng.normal(0.0, spread, 3), rng.uniform(0.8, 1.5, 3)
    first = pf.GaussianMixture(weights, means, stds)
    moved = means + rng.normal(0.0, move, 3)
    if means_only:
        second = pf.GaussianMixture(weights, moved, stds)
    else:
        other = rng.dirichlet(np.full(3, shape))
        second = pf.GaussianMixture(other, moved, stds * rng.uniform(0.9, 1.1, 3))
    return pf.Scenario(pf.Belief({"first": first, "second": second}))


def confirmed(method: Formula, kind: tuple[str, float, float, float], delta: float) -> int:
    """How many of the pairs."""
    rng = np.random.default_rng(20)
    _, spread, move, shape = kind
    goal = pf.Guarantee(1.0, delta)
    count = 0
    for _ in range(PAIRS):
        scenario = drawn(rng, spread, move, shape, means_only=method == "cor-2")
        count += pf.calibrate(scenario, goal, method=method, certified_only=False).certified
    return count


def main() -> None:
    for method, delta in ASKED:
        for kind in KINDS:
            found = confirmed(method, kind, delta)
            print(f"{method}, δ = {delta:g}, {kind[0]}: {found} of {PAIRS}")


if __name__ == "__main__":
    main()
