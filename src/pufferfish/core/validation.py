"""Validation shared by every frozen dataclass: convert, or refuse and say what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator, KeysView, Sequence, ValuesView
from contextlib import contextmanager
from numbers import Real

import numpy as np
import numpy.typing as npt

from pufferfish.core.errors import InvalidInputError, PufferfishError

__all__ = [
    "FloatArray",
    "bounds",
    "check_probabilities",
    "finite",
    "finite_array",
    "nonnegative",
    "positive",
    "probability_below_one",
    "refuse_incomputable",
    "require",
]

FloatArray = npt.NDArray[np.float64]

# Beyond this a square overflows; no real measurement is that large.
_LARGEST = 1e100
# Below this, sums and quotients of probabilities come near the limits of floats.
_SMALLEST_PROBABILITY = 1e-250
# How far the sum of probabilities may be from one before we refuse to renormalise silently.
_SUM_TOLERANCE = 1e-9


def require(condition: bool, message: str) -> None:
    """Raise `InvalidInputError` with `message` unless `condition` holds."""
    if not condition:
        raise InvalidInputError(message)


def finite(name: str, value: object) -> float:
    """`value` as a float; refuses anything but a finite real number of reasonable magnitude."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise InvalidInputError(f"{name} must be a real number, got {value!r}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    require(math.isfinite(number), f"{name} must be finite, got {number}.")
    require(abs(number) <= _LARGEST, f"{name} must be at most {_LARGEST:g}, got {number:g}.")
    return number


def positive(name: str, value: object, *, hint: str = "") -> float:
    """`value` as a float above zero (and not so small that its square is lost)."""
    number = finite(name, value)
    ending = f" {hint}" if hint and number == 0 else ""
    require(number > 0, f"{name} must be greater than 0, got {number:g}.{ending}")
    require(number >= 1 / _LARGEST, f"{name} must be at least {1 / _LARGEST:g}, got {number:g}.")
    return number


def nonnegative(name: str, value: object) -> float:
    """`value` as a float of at least zero."""
    number = finite(name, value)
    require(number >= 0.0, f"{name} must not be negative, got {number:g}.")
    return number


def bounds(name: str, values: object) -> tuple[float, float]:
    """Two numbers, the first the smaller one."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != 2:
        raise InvalidInputError(f"{name} must be two numbers, such as (0, 100), got {values!r}.")
    # Adding 0 turns −0.0 into 0.0.
    low, high = (finite(f"{name}'s bound", each) + 0.0 for each in values)
    require(low < high, f"{name} must have the smaller bound first, got {low:g} and {high:g}.")
    return low, high


def finite_array(name: str, values: object) -> FloatArray:
    """`values` as a new one-dimensional, non-empty, finite float array."""
    if isinstance(values, Iterator | KeysView | ValuesView):
        values = list(values)
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        # NumPy would quietly turn True into 1.0 among other numbers.
        require(
            not any(isinstance(entry, bool | np.bool_) for entry in values),
            f"{name} must be real numbers, not truth values.",
        )
    require(not np.ma.is_masked(values), f"{name} must not contain masked entries.")
    try:
        array = np.array(values)
    except ValueError:  # a ragged list
        array = np.array(None)
    if array.dtype.kind == "O" and array.ndim == 1:
        array = np.array([finite(f"{name}[{i}]", entry) for i, entry in enumerate(array)])
    is_numeric = array.dtype.kind in "iuf" or not array.size
    require(is_numeric, f"{name} must be a list of real numbers.")
    require(array.ndim == 1, f"{name} must be one-dimensional, got shape {array.shape}.")
    require(array.size > 0, f"{name} must not be empty.")
    numbers = array.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise InvalidInputError(f"{name} must be finite; entry {bad[0]} is {numbers[bad[0]]}.")
    require(
        bool(np.all(np.abs(numbers) <= _LARGEST)), f"{name} must be at most {_LARGEST:g} in size."
    )
    return numbers


def probability_below_one(name: str, value: object) -> float:
    """A probability p with 0 ≤ p < 1, not so small that odds leave the range of floats."""
    number = finite(name, value)
    require(0.0 <= number < 1.0, f"{name} must be at least 0 and less than 1, got {number:g}.")
    require(
        number == 0.0 or number >= _SMALLEST_PROBABILITY,
        f"{name} must be 0 or at least {_SMALLEST_PROBABILITY:g}, got {number:g}.",
    )
    return number


def check_probabilities(name: str, values: Sequence[float] | FloatArray) -> FloatArray:
    """Nonnegative numbers that sum to one (to 1e-9), renormalised to do so exactly."""
    array = finite_array(name, values)
    bad = np.flatnonzero(array < 0)
    if bad.size:
        raise InvalidInputError(f"{name} must not be negative; entry {bad[0]} is {array[bad[0]]}.")
    small = np.flatnonzero((array > 0) & (array < _SMALLEST_PROBABILITY))
    if small.size:
        raise InvalidInputError(
            f"{name} must be 0 or at least {_SMALLEST_PROBABILITY:g}; entry {small[0]} is "
            f"{array[small[0]]}, too small to compute with."
        )
    total = math.fsum(array)
    if abs(total - 1.0) > _SUM_TOLERANCE:
        raise InvalidInputError(
            f"{name} must sum to 1, but sum to {total:.12g} (off by {total - 1.0:+.3g}); "
            f"divide them by their sum if that is what you mean."
        )
    # As close as rounding permits: dividing again would only make equal laws unequal.
    return array if abs(total - 1.0) <= 2.0**-51 else array / total


@contextmanager
def refuse_incomputable(name: str) -> Iterator[None]:
    """Refuse input that has the right shape, but makes a computation fail.

    Numbers that somebody else wrote can fail in any formula. The message does not quote them.

    Raises:
        InvalidInputError: Something failed that was not refused on purpose.
    """
    try:
        yield
    except PufferfishError:
        raise
    except (ArithmeticError, KeyError, TypeError, ValueError):
        raise InvalidInputError(f"computing with this {name} failed: check its numbers.") from None
