"""Checks of the counts that a belief keeps from the table it was fitted to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.priors.discrete import AGREEMENT, TOO_MANY
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import probability_below_one, require

__all__ = ["check_frequencies", "check_missing"]


def check_missing(
    laws: Mapping[Any, Prior], given: Mapping[Any, object], counts: Mapping[Any, object]
) -> tuple[dict[Any, float], dict[Any, int]]:
    """The probability of a missing value, and the rows without a value where known, by secret.

    Args:
        laws: The law of the values for each secret.
        given: Probabilities for some secrets; for all others 0.
        counts: For some secrets k, the rows without a value. With n rows that have one, counted by
            the law, the probability is k/(n + k). If it is given as well it must be the same.
    """
    shares = dict.fromkeys(laws, 0.0)
    for secret, probability in given.items():
        shares[secret] = probability_below_one(f"missing[{secret!r}]", probability)
    # A law that was counted has no missing values unless they are given.
    known = {each: 0 for each, law in laws.items() if not shares[each] and _records(law)}
    for secret, count in counts.items():
        name = f"missing_counts[{secret!r}]"
        holes, others = _whole(name, count), _records(laws[secret])
        require(others > 0, f"{name} needs a prior with counts: pf.Discrete.from_counts(...).")
        require(holes + others < TOO_MANY, f"{name} is too large to compute with.")
        share = holes / (holes + others)
        require(
            secret not in given or math.isclose(shares[secret], share, rel_tol=AGREEMENT),
            f"{name} and missing[{secret!r}] contradict each other.",
        )
        shares[secret], known[secret] = share, holes
    return shares, known


def check_frequencies(
    frequencies: object, missing: object, cap: tuple[float, float] | None, *, labelled: bool
) -> tuple[Discrete | Categorical | None, int]:
    """How often each value occurs in a whole table, and how many of its rows have none."""
    holes = _whole("frequencies_missing", missing)
    require(
        holes == 0 or not labelled,
        "frequencies_missing is for numbers: a missing category is a category.",
    )
    if frequencies is None:
        require(holes == 0, "frequencies_missing needs frequencies.")
        return None, 0
    kind = Categorical if labelled else Discrete
    if not isinstance(frequencies, kind) or frequencies.counts is None:
        raise InvalidInputError(
            f"frequencies must be a table with counts: pf.{kind.__name__}.from_counts("
            "{value: count})."
        )
    if cap is not None and isinstance(frequencies, Discrete):
        inside = np.clip(frequencies.values, *cap) == frequencies.values
        require(
            bool(inside.all()),
            "frequencies of capped values include values outside the cap: count the capped values, "
            "or widen the cap.",
        )
    return frequencies, holes


def _records(law: Prior) -> int:
    """The number of rows from which a table was counted; 0 for other laws."""
    counts = law.counts if isinstance(law, Discrete) else None
    return 0 if counts is None else int(counts.sum())


def _whole(name: str, count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise InvalidInputError(f"{name} must be a whole number of at least 0.")
    return int(count)
