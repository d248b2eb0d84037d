"""Labels, the names of categories, and tuples of them for several columns.

A label is a text, a truth value, a number, or None where the entry is missing. True and 1 are two
labels; 13 and 13.0 are one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

__all__ = ["Book", "Label", "Labels", "Place", "check_label", "check_labels", "key_of", "keys_of"]
__all__ += ["label_key", "natural_order", "parts_of", "places_of", "width_of"]

Label = str | int | float | bool | None
# One label, or one for each of several columns.
Labels = Label | tuple[Label, ...]
# The key by which labels are compared.
Place = tuple[Any, ...]


class Book(tuple[Labels, ...]):
    """A list of labels, or of tuples of equal length, that was checked, with the key of each.

    Keys are found once: laws on the same domain share their book.
    """

    @cached_property
    def keys(self) -> tuple[Place, ...]:
        """The key of each, by which they are compared."""
        return tuple(map(key_of, self))

    @cached_property
    def places(self) -> Mapping[Place, int]:
        """The place of each; the first one if it occurs twice."""
        return MappingProxyType({key: place for place, key in reversed([*enumerate(self.keys)])})

    def __reduce__(self) -> tuple[type[Book], tuple[tuple[Labels, ...]]]:
        """Without the keys, which are found again."""
        return Book, (tuple(self),)


def check_label(given: object) -> Label:
    """One label as plain Python."""
    plain = given.item() if isinstance(given, np.generic) else given
    if plain is None or isinstance(plain, str | int):
        return plain
    if isinstance(plain, float):
        require(
            not math.isinf(plain), "a category must be finite; write None or nan for a missing one."
        )
        return None if math.isnan(plain) else plain + 0.0
    raise InvalidInputError(
        "a category must be a text, a truth value, a number, or None for a missing one, got "
        f"{type(given).__name__}."
    )


def check_labels(name: str, given: object) -> Book:
    """A list of labels, or of tuples of equal length.

    Args:
        name: The name of the list in messages.
        given: The list.
    """
    if isinstance(given, Book) and given:
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInputError(f"{name} must be a list of categories.")
    found = Book(
        tuple(check_label(part) for part in each) if isinstance(each, tuple) else check_label(each)
        for each in given
    )
    require(bool(found), f"{name} must not be empty.")
    require(
        len({len(each) if isinstance(each, tuple) else None for each in found}) == 1,
        f"{name} must all be single categories, or all tuples of the same length.",
    )
    return found


def parts_of(labels: Labels) -> tuple[Label, ...]:
    """The label of each column, as a tuple; a single label makes a tuple of one."""
    return labels if isinstance(labels, tuple) else (labels,)


def width_of(values: Sequence[Labels]) -> int:
    """The number of columns that labels have parts for."""
    return len(parts_of(values[0]))


def key_of(labels: Labels) -> Place:
    """The key of a label or tuple: True and 1, which are equal to Python, differ."""
    return tuple(map(label_key, parts_of(labels)))


def keys_of(values: Iterable[Labels]) -> tuple[Place, ...]:
    """The key of each label or tuple in a list."""
    return values.keys if isinstance(values, Book) else tuple(map(key_of, values))


def places_of(values: Iterable[Labels]) -> Mapping[Place, int]:
    """The place of each label in a list; the first one if it occurs twice."""
    return (values if isinstance(values, Book) else Book(values)).places


def label_key(label: Label) -> tuple[int, Any]:
    """A key that tells labels apart and sorts them: numbers, truth values, texts, and None last.

    1 and True are two labels; 1 and 1.0 are one.
    """
    if label is None:
        return 3, 0
    if isinstance(label, str):
        return 2, label
    return (1, label) if isinstance(label, bool) else (0, label)


def natural_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """The distinct labels, sorted: numbers, truth values, texts by the alphabet, missing last."""
    distinct = {label_key(each): each for each in labels}
    return tuple(distinct[key] for key in sorted(distinct))
