"""The error of values published by a recoding, and the share that stays as it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pufferfish.beliefs.labels import keys_of, places_of
from pufferfish.core.errors import UnsupportedError
from pufferfish.core.validation import FloatArray
from pufferfish.recoding.exact import WHOLE
from pufferfish.recoding.frequencies import Frequencies, weigh, weigh_labels

if TYPE_CHECKING:
    from pufferfish.recoding.law import Recoding

__all__ = ["largest", "lost", "moved", "rmse", "unchanged"]


def largest(law: Recoding) -> float:
    """The error of the value with the largest error; for categories, how often that one changes."""
    if law.labelled:
        return float(1.0 - _kept(law).min())
    numbers = np.array(law.cells.numbers)
    mean = (law.spread(numbers) * _squares(law, numbers)).sum(axis=1)
    return float(np.sqrt(mean.max(initial=0.0)))


def rmse(law: Recoding, frequencies: Frequencies) -> float:
    """The root mean square error over rows that have a value before and after."""
    _refuse_labels(law)
    numbers, weights, _ = weigh(law.cells, frequencies)
    rows, squares = law.spread(numbers), _squares(law, numbers)
    kept = weights @ (rows * _published(law)).sum(axis=1)
    return math.sqrt(float((weights @ (rows * squares).sum(axis=1)) / kept)) if kept else 0.0


def moved(law: Recoding, frequencies: Frequencies) -> float:
    """The mean distance that a changed value moves, over rows with a value before and after."""
    _refuse_labels(law)
    numbers, weights, _ = weigh(law.cells, frequencies)
    rows, gaps = law.spread(numbers), np.sqrt(_squares(law, numbers))
    changed = weights @ (rows * _published(law) * (gaps > 0.0)).sum(axis=1)
    return float(weights @ (rows * gaps).sum(axis=1) / changed) if changed else 0.0


def lost(law: Recoding, frequencies: Frequencies) -> float:
    """The share of values that are published as missing, which `rmse` does not count."""
    _refuse_labels(law)
    numbers, weights, _ = weigh(law.cells, frequencies)
    holes = weights @ (law.spread(numbers) * (1.0 - _published(law))).sum(axis=1)
    return float(holes / weights.sum()) if weights.sum() else 0.0


def unchanged(law: Recoding, frequencies: Frequencies) -> float:
    """The share of rows that are published as they are, missing ones included."""
    if law.labelled:
        often = weigh_labels(law.values, frequencies)
        return float(often @ _kept(law) / often.sum())
    numbers, weights, missing = weigh(law.cells, frequencies)
    published = np.where(_published(law) > 0.0, _numbers_out(law), math.nan)
    itself = np.array(law.cells.numbers)[law.cells.places(numbers)]
    same = float(weights @ (law.spread(numbers) * (published == itself[:, None])).sum(axis=1))
    if missing and law.takes_missing and None in law.outputs:
        same += missing * float(law.table[-1, law.outputs.index(None)]) / float(WHOLE)
    return same / float(weights.sum() + missing)


def _refuse_labels(law: Recoding) -> None:
    if law.labelled:
        raise UnsupportedError(
            "categories have no distance, so there is no error in its units: use unchanged(...)."
        )


def _kept(law: Recoding) -> FloatArray:
    """The probability of each category that it is published as it is."""
    published = places_of(law.outputs)
    own = [published.get(key) for key in keys_of(law.values)]
    return np.array(
        [0.0 if y is None else law.table[x, y] / float(WHOLE) for x, y in enumerate(own)]
    )


def _published(law: Recoding) -> FloatArray:
    """1 for outputs that are numbers, 0 for a hole."""
    return np.array([0.0 if each is None else 1.0 for each in law.outputs])


def _numbers_out(law: Recoding) -> FloatArray:
    """The outputs; 0 for a hole."""
    return np.array([each or 0.0 for each in law.coded_outputs])


def _squares(law: Recoding, numbers: FloatArray) -> FloatArray:
    return np.asarray((numbers[:, None] - _numbers_out(law)) ** 2 * _published(law))
