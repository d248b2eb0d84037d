"""The frequencies of a column's values, in the forms in which users give them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from pufferfish.beliefs.labels import Labels, check_labels, key_of, places_of
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.core.validation import FloatArray, require
from pufferfish.recoding.domain import AnyValue, Cells

__all__ = ["Frequencies", "Occurring", "weigh", "weigh_labels"]


class _Items(Protocol):
    """An object with values and their frequencies, such as a pandas Series of counts."""

    def items(self) -> Any:
        """Pairs of value and frequency."""


# {value: frequency}, a table, or frequencies in the order of the domain.
Frequencies = Mapping[Any, float] | Discrete | Categorical | _Items | Sequence[float] | FloatArray


class Occurring(NamedTuple):
    """The numbers that occur, the frequency of each, and that of a missing value."""

    numbers: FloatArray
    weights: FloatArray
    missing: float


def weigh(cells: Cells, frequencies: Frequencies) -> Occurring:
    """The frequency of each value, checked to have a cell.

    Raises:
        InvalidInputError: A value has no cell, or these are not frequencies.
    """
    require(
        not isinstance(frequencies, Categorical),
        "these are frequencies of categories, and the recoding is of numbers: give those of "
        "numbers.",
    )
    if isinstance(frequencies, Discrete):
        found = Occurring(frequencies.values, frequencies.probabilities, 0.0)
    elif hasattr(frequencies, "items"):
        known = [(math.nan if x is None else float(x), float(n)) for x, n in frequencies.items()]
        found = _split(np.array([x for x, _ in known]), np.array([n for _, n in known]))
    else:
        weights = np.asarray(frequencies, dtype=np.float64)
        numbers = np.array(cells.numbers)
        require(
            weights.shape in {(len(cells.values),), numbers.shape},
            f"frequencies must have one entry for each of the {len(cells.values)} values.",
        )
        found = Occurring(numbers, weights[: numbers.size], float(weights[numbers.size :].sum()))
    shares = np.append(found.weights, found.missing)
    require(
        bool(np.isfinite(shares).all() and (shares >= 0.0).all() and shares.sum() > 0.0),
        "frequencies must not be negative, and not all 0.",
    )
    require(
        bool((cells.places(found.numbers) >= 0).all()),
        "frequencies name a value that the recoding does not take.",
    )
    return found


def weigh_labels(values: Sequence[AnyValue], frequencies: Frequencies) -> FloatArray:
    """The frequency of each category.

    Raises:
        InvalidInputError: Another category occurs, or these are not frequencies.
    """
    weights = np.zeros(len(values))
    if isinstance(frequencies, Categorical) or hasattr(frequencies, "items"):
        places = places_of(values)
        for labels, weight in _labelled_items(frequencies):
            place = places.get(key_of(labels))
            require(place is not None, "frequencies name a category that the recoding lacks.")
            weights[place] += weight
    else:
        given = np.asarray(frequencies, dtype=np.float64)
        require(
            given.shape == weights.shape,
            f"frequencies must have one entry for each of the {weights.size} categories.",
        )
        weights = given
    require(
        bool(np.isfinite(weights).all() and (weights >= 0.0).all() and weights.sum() > 0.0),
        "frequencies must not be negative, and not all 0.",
    )
    return weights


def _labelled_items(frequencies: Any) -> list[tuple[Labels, float]]:
    if isinstance(frequencies, Categorical):
        return list(zip(frequencies.values, frequencies.probabilities.tolist(), strict=True))
    pairs = [(each, float(weight)) for each, weight in frequencies.items()]
    return list(
        zip(
            check_labels("frequencies", [each for each, _ in pairs]),
            [weight for _, weight in pairs],
            strict=True,
        )
    )


def _split(values: FloatArray, weights: FloatArray) -> Occurring:
    missing = np.isnan(values)
    return Occurring(values[~missing], weights[~missing], float(weights[missing].sum()))
