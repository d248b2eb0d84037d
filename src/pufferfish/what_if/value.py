"""Somebody who nearly knows the value itself: which of two neighbours is it?

A promise about secrets says nothing about the value itself. Two values x and x' that are at most a
unit apart are published by the laws M(x,·) and M(x',·), and ε is the largest logarithm of their
ratio: unit/scale for Laplace noise, what the floor of a recoding allows, and infinite for one
without a floor that publishes something for only one of them. With several columns all entries of
the row but one are known; of a category, nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Place, key_of, parts_of
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.core.validation import FloatArray, positive
from pufferfish.exact import verify
from pufferfish.insight.guesses import accuracy_upper
from pufferfish.noise import Law, Stratified, as_noise
from pufferfish.recoding.law import Recoding
from pufferfish.what_if.result import Case
from pufferfish.what_if.rows import Rows, because
from pufferfish.what_if.subject import Subject
from pufferfish.words.phrases import list_in_words

__all__ = ["unit_of", "value_case"]

# Pairs of values whose ratios are computed in one step.
_AT_ONCE = 2_000


def unit_of(subject: Subject, rows: Rows, unit: float | None) -> float | None:
    """How closely a value is known: 1, or the smallest step between two values if that is larger.

    None for categories, and for several columns.
    """
    if not subject.numeric:
        return None
    if unit is not None:
        return positive("unit", unit)
    steps = np.diff(_values(subject, rows))
    return max(1.0, float(steps.min(initial=math.inf))) if steps.size else 1.0


def value_case(subject: Subject, rows: Rows, unit: float | None, law: Law | None = None) -> Case:
    """The worst pair of neighbours, judged by the oracle.

    Args:
        subject: What is planned.
        rows: The table.
        unit: How closely a value is known.
        law: The law to judge, if it is not that of the plan.
    """
    law, goal = law or subject.law, subject.goal
    laws = list(law) if isinstance(law, Stratified) else [law]
    if subject.numeric:
        values = _values(subject, rows)
        knows = f"knows {list_in_words(subject.layout.column_names)} to within {unit:g}"
        pairs = [each for one in laws for each in _near(one, values, unit or 1.0, goal)]
    else:
        names = subject.layout.column_names
        knows = (
            f"asks which of two values {names[0]!r} has"
            if len(names) == 1
            else "knows all but one entry of the row"
        )
        pairs = [each for one in laws for each in _alike(one, goal)]
    if not pairs:
        return Case(kind="value", knows=knows, note=because("no two values are that close"))
    epsilon = delta = guess = 0.0
    holds = True
    for one, first, second, extra in pairs:
        scenario = Scenario(Belief({"one": first, "other": second}, name="nearly the value"))
        certificate = verify(scenario, one, goal)
        epsilon = max(epsilon, certificate.epsilon_upper + extra)
        delta = max(delta, certificate.delta_upper)
        guess = max(guess, accuracy_upper(scenario, one))
        holds = holds and certificate.holds is True and (not extra or epsilon <= goal.epsilon)
    return Case(
        kind="value",
        knows=knows,
        epsilon=epsilon,
        delta=None if goal.pure else delta,
        guess=guess,
        before=1.0,
        holds=holds,
        note="a promise about secrets says nothing about the value itself" if not holds else "",
    )


def _values(subject: Subject, rows: Rows) -> FloatArray:
    """The values of the column to which the law is applied."""
    labels = rows.plain.labels_of(rows.plain.column)
    found = np.array(sorted(float(each) for each in labels if each is not None))
    cap = subject.plan.cap
    return found if cap is None else np.unique(np.clip(found, *cap))


def _near(
    law: Law, values: FloatArray, unit: float, goal: Guarantee
) -> Iterator[tuple[Law, Prior, Prior, float]]:
    """Two values at most a unit apart, and what rounding them to a grid may add to ε."""
    if not isinstance(law, Recoding):
        # Noise is the same everywhere except for the grid, so any value serves.
        start, extra = float(values[0]), 0.0
        grid = as_noise(law).grid
        if law.ratio_scale > 0.0 and grid is not None:
            on_grid = all((each / grid).is_integer() for each in (*values.tolist(), unit))
            extra = 0.0 if on_grid else grid / law.ratio_scale
        yield law, _point(start), _point(start + unit), extra
        return
    taken = np.array(law.cells.numbers) if law.listed else values
    chances = law.spread(taken)
    close = [
        (first, second)
        for first in range(taken.size)
        for second in range(first + 1, taken.size)
        if taken[second] - taken[first] <= unit
    ]
    for first, second in _worst(chances, close, goal):
        yield law, _point(taken[first]), _point(taken[second]), 0.0


def _point(value: float) -> Discrete:
    return Discrete([float(value)], counts=[1])


def _alike(law: Law, goal: Guarantee) -> Iterator[tuple[Law, Prior, Prior, float]]:
    """Two combinations that differ in one entry."""
    if not isinstance(law, Recoding):
        return
    values: Sequence[Any] = law.values
    rest: dict[tuple[int, Place], list[int]] = {}
    for place, labels in enumerate(values):
        parts = parts_of(labels)
        for left_out in range(len(parts)):
            others = (*parts[:left_out], *parts[left_out + 1 :])
            rest.setdefault((left_out, key_of(others)), []).append(place)
    close = [
        (first, second)
        for places in rest.values()
        for number, first in enumerate(places)
        for second in places[number + 1 :]
    ]
    for first, second in _worst(law.matrix, close, goal):
        one, other = (Categorical([values[each]], counts=[1]) for each in (first, second))
        yield law, one, other, 0.0


def _worst(
    chances: FloatArray, pairs: Sequence[tuple[int, int]], goal: Guarantee
) -> list[tuple[int, int]]:
    """The pairs of rows with the largest ε, with the largest δ at the goal's ε, and farthest apart.

    They may be three: ε* is the largest log-ratio of an entry, δ is Σ (M(x,·) − e^ε·M(x',·))₊ in
    the worse order, and a guess is as good as the total variation distance.
    """
    if not pairs:
        return []
    places = np.array(pairs)
    ratios, deltas, apart = (np.empty(len(pairs)) for _ in range(3))
    factor = math.exp(goal.epsilon)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(chances)
        for start in range(0, len(pairs), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            one, other = places[part].T
            ratio = np.abs(logs[one] - logs[other])
            ratios[part] = np.nan_to_num(ratio, nan=0.0, posinf=math.inf).max(axis=1)
            first, second = chances[one], chances[other]
            deltas[part] = np.maximum(
                np.maximum(first - factor * second, 0.0).sum(axis=1),
                np.maximum(second - factor * first, 0.0).sum(axis=1),
            )
            apart[part] = np.abs(first - second).sum(axis=1)
    # Each pair once, in this order.
    chosen = dict.fromkeys(int(each.argmax()) for each in (ratios, deltas, apart))
    return [pairs[place] for place in chosen]
