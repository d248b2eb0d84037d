"""Priors of categories: how likely each label is, or each tuple of labels of several columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from pufferfish.beliefs.labels import Book, Labels, check_labels, key_of, places_of, width_of
from pufferfish.beliefs.priors.base import Components, Prior
from pufferfish.beliefs.priors.discrete import Discrete
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray, require

__all__ = ["Categorical"]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Categorical(Prior):
    """P(X = values[k]) = probabilities[k], where values are labels, not numbers to compute with.

    The order of the labels stays as given: equal ones are merged, those of probability 0 dropped.
    Labels have no distance, so no noise can be added to them: a recoding protects them.

    Attributes:
        values: Texts, truth values, whole numbers that serve as codes, or None for a missing entry;
            for several columns, tuples of these and of numbers.
        codes: The same law for the places 0, 1, … of these values.
    """

    values: Book
    codes: Discrete

    def __init__(
        self,
        values: Sequence[Any],
        probabilities: Sequence[float] | FloatArray | None = None,
        *,
        counts: Sequence[int] | npt.NDArray[np.integer] | None = None,
    ) -> None:
        """Refuse an empty table, lengths that differ, probabilities that do not sum to one.

        Args:
            values: The labels, or tuples of them.
            probabilities: How likely each is; may be left out where there are counts.
            counts: How often each occurs: whole numbers.
        """
        distinct, places = _distinct(values)
        law = Discrete(places, probabilities, counts=counts)
        if law.values.size < len(distinct):
            distinct = Book(distinct[int(place)] for place in law.values)
            law = Discrete(list(range(len(distinct))), law.probabilities, counts=law.counts)
        object.__setattr__(self, "values", distinct)
        object.__setattr__(self, "codes", law)

    @classmethod
    def from_counts(cls, counts: Mapping[Any, float]) -> Self:
        """The table of how often each label occurs: {label: count}."""
        require(
            isinstance(counts, Mapping),
            "counts must map each category to how often it occurs; for a column write "
            "Categorical.from_counts(collections.Counter(column)).",
        )
        labels = list(counts)
        law = Discrete.from_counts(dict(enumerate(counts.values())))
        there = [labels[int(place)] for place in law.values]
        return cls(there, law.probabilities, counts=law.counts)

    @property
    def probabilities(self) -> FloatArray:
        """How likely each label is."""
        return self.codes.probabilities

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """How often each label occurs, where the law was counted."""
        return self.codes.counts

    @property
    def whole_weights(self) -> tuple[tuple[int, ...], int]:
        """Whole numbers and their sum, for exact work; see `Discrete.whole_weights`."""
        return self.codes.whole_weights

    @property
    def width(self) -> int:
        """The number of columns that each value has a label for."""
        return width_of(self.values)

    def mass(self, label: Any) -> float:
        """P(X = label)."""
        place = places_of(self.values).get(key_of(check_labels("label", [label])[0]))
        return 0.0 if place is None else float(self.probabilities[place])

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[tuple[Labels, ...]]]:
        """Rebuild, so that a copy's arrays cannot be written to either."""
        masses = partial(type(self), probabilities=self.probabilities, counts=self.counts)
        return masses, (self.values,)

    def __eq__(self, other: object) -> bool:
        """The same labels in the same order, with the same probabilities."""
        if not isinstance(other, Categorical):
            return NotImplemented
        return self.values.keys == other.values.keys and self.codes == other.codes

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash((self.values.keys, self.codes))

    def __repr__(self) -> str:
        """Short for a long table."""
        if len(self.values) > 8:
            return f"Categorical({len(self.values)} values)"
        return (
            f"Categorical(values={list(self.values)}, probabilities={self.probabilities.tolist()})"
        )

    @property
    def mean(self) -> float:
        """There is none."""
        _refuse_numbers()

    @property
    def variance(self) -> float:
        """There is none."""
        _refuse_numbers()

    def components(self) -> Components:
        """There are none."""
        _refuse_numbers()

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        """There is none."""
        _refuse_numbers()

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        """There is none."""
        _refuse_numbers()

    def quantile(self, level: npt.ArrayLike) -> FloatArray:
        """There is none."""
        _refuse_numbers()

    def log_mgf(self, t: float) -> float:
        """There is none."""
        _refuse_numbers()

    def shift(self, offset: float) -> Self:
        """There is none."""
        _refuse_numbers()

    def scale(self, factor: float) -> Self:
        """There is none."""
        _refuse_numbers()


def _distinct(values: Sequence[Any]) -> tuple[Book, list[float]]:
    """The different labels, and the place of each among them."""
    labels = check_labels("values", values)
    if len(labels.places) == len(labels):
        return labels, [float(place) for place in range(len(labels))]
    own = {key: float(place) for place, key in enumerate(dict.fromkeys(labels.keys))}
    distinct = Book(labels[labels.places[key]] for key in own)
    return distinct, [own[key] for key in labels.keys]


def _refuse_numbers() -> NoReturn:
    raise UnsupportedError(
        "categories are not numbers, so no noise can be added to them: a recoding protects them "
        '(mechanism="recode", --mechanism recode).'
    )
