"""Checks of the values of a recoding and of the distances between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import check_labels, places_of
from pufferfish.core.validation import FloatArray, finite, require
from pufferfish.recoding.domain import AnyValue

__all__ = ["MOST_OWN", "check_categories", "check_metric", "check_values", "has_labels", "rank_of"]

# With a metric of the user's own every pair of values is compared.
MOST_OWN = 200


def rank_of(value: AnyValue) -> float:
    """Numbers in their order, a missing value last."""
    return float(value) if isinstance(value, int | float) else math.inf


def has_labels(values: object) -> bool:
    """Whether some values are not numbers but texts, truth values or tuples."""
    given = values if isinstance(values, Sequence | np.ndarray) else ()
    return any(isinstance(each, str | bool | np.bool_ | tuple) for each in given)


def check_categories(name: str, given: Sequence[AnyValue]) -> tuple[AnyValue, ...]:
    """Categories, or tuples of them, checked to be distinct."""
    checked = check_labels(name, given)
    require(len(places_of(checked)) == len(checked), f"{name} must not name a category twice.")
    return checked


def check_values(name: str, given: Sequence[AnyValue]) -> tuple[AnyValue, ...]:
    """Numbers, checked to be distinct, with None for a missing value at the end."""
    require(isinstance(given, Sequence | np.ndarray) and len(given) > 0, f"{name} must be a list.")
    checked = tuple(None if each is None else finite(name, each) + 0.0 for each in given)
    require(len(set(checked)) == len(checked), f"{name} must not name a value twice.")
    require(None not in checked[:-1], f"a missing value (None) must be the last of {name}.")
    return checked


def check_metric(given: npt.ArrayLike, count: int) -> FloatArray:
    """Distances: symmetric, 0 on the diagonal; they may be infinite."""
    distances = np.array(given, dtype=np.float64)
    require(
        count <= MOST_OWN,
        f"distances of your own are for at most {MOST_OWN} values: merge values, or leave the "
        "distances out.",
    )
    require(
        distances.shape == (count, count)
        and not np.isnan(distances).any()
        and bool((distances == distances.T).all() and (distances >= 0.0).all())
        and not np.diagonal(distances).any(),
        f"distances must be a symmetric matrix of {count} by {count}, with 0 on its diagonal.",
    )
    distances.setflags(write=False)
    return distances
