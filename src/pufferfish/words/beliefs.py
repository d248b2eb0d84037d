"""Adversaries in words: what they believe, and where that comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pufferfish.beliefs.priors import Categorical, Discrete, GaussianMixture, Prior

__all__ = ["ANOTHER_TABLE", "UNKNOWN_TABLE", "adversary", "law_in_words"]

# Where a belief comes from, if not from the table that is released.
ANOTHER_TABLE = "fitted on another table"
UNKNOWN_TABLE = "fitted on an unknown table"


def law_in_words(prior: Prior) -> str:
    """A law's shape, mean and std; for categories, how many there are."""
    if isinstance(prior, Categorical):
        what = "categories" if prior.width == 1 else f"combinations of {prior.width} columns"
        most = float(prior.probabilities.max())
        return f"a table of {len(prior.values)} {what}, the most frequent in {most:.3g} of rows"
    if isinstance(prior, Discrete):
        shape = f"a table of {prior.values.size} values"
    elif isinstance(prior, GaussianMixture) and len(prior.weights) > 1:
        shape = f"a mixture of {len(prior.weights)} Gaussians"
    else:
        shape = "a Gaussian"
    return f"{shape}, mean {prior.mean:.4g}, std {math.sqrt(prior.variance):.4g}"


def adversary(name: str, provenance: str, laws: Iterable[Prior]) -> str:
    """An adversary's name, the belief's provenance, and its kind of knowledge."""
    what = (
        "who knows how often each value occurs for each secret"
        if {type(law) for law in laws} <= {Discrete, Categorical}
        else "who believes smooth laws for each secret"
    )
    return f"{name!r} ({provenance}), {what}"
