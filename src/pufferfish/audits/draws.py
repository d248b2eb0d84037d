"""Values drawn as an adversary believes them to be, and what is published for them.

Only the inputs of an audit are drawn here, from a seeded generator, so that a run can be repeated;
the noise comes from the code that is audited.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pufferfish.audits.subject import Subject
from pufferfish.beliefs.priors import Prior
from pufferfish.core.validation import FloatArray

__all__ = ["Generator", "generator", "publish", "values_of"]

Generator = np.random.Generator

# Values per call: enough to hide the cost of a call, few enough for the memory of any machine.
_CHUNK = 2**18


def generator(seed: int) -> Generator:
    """The generator of the inputs of one audit."""
    return np.random.default_rng(seed)


def values_of(prior: Prior, count: int, source: Generator) -> FloatArray:
    """Independent values of a believed law."""
    parts = prior.components()
    cumulated = np.cumsum(parts.weights)
    which = np.searchsorted(cumulated, source.random(count) * cumulated[-1], side="right")
    which = np.minimum(which, parts.weights.size - 1)
    return np.asarray(parts.means[which] + parts.stds[which] * source.standard_normal(count))


def publish(
    subject: Subject, prior: Prior, missing: float, count: int, source: Generator
) -> Iterator[FloatArray]:
    """What is published for `count` values of a law, in parts.

    A missing value is published as missing (NaN), unless the subject takes it as a value.
    """
    for start in range(0, count, _CHUNK):
        size = min(_CHUNK, count - start)
        present = size - int(source.binomial(size, missing)) if missing else size
        results = np.full(size, np.nan)
        if present:
            results[:present] = values_of(prior, present, source)
        taken = size if subject.takes_missing else present
        if taken:
            results[:taken] = subject.publish(results[:taken])
        yield results
