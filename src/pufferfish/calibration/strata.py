"""Calibrations of strata of known values: look them up, combine them, explain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.labels import Label, Place, check_label, key_of
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.in_words import repeats
from pufferfish.exact.certificate import Certificate
from pufferfish.mechanisms import words_of
from pufferfish.words.explanation import Explanation
from pufferfish.words.phrases import list_in_words
from pufferfish.words.steps import Entry, Step

if TYPE_CHECKING:
    from pufferfish.calibration.result import Calibration

__all__ = ["Strata", "explain_strata", "group_beliefs", "one_law_for_all", "shares_of"]

T = TypeVar("T")
# At most this many strata are listed.
_MOST_TOLD = 12


@dataclass(frozen=True, slots=True, repr=False)
class Strata(Mapping[tuple[Label, ...], T]):
    """A mapping from each combination of known values to its part.

    Attributes:
        columns: The known columns.
        given: The combinations of their values. They are not the keys of a dictionary, because
            Python takes True and 1 for the same key.
        parts: The part of each combination.
    """

    columns: tuple[str, ...]
    given: tuple[tuple[Label, ...], ...]
    parts: tuple[T, ...]

    def __getitem__(self, given: Any) -> T:
        """The part of the given values: a tuple by column, {column: value}, or one value."""
        if isinstance(given, Mapping):
            if {*given} != {*self.columns}:
                raise KeyError(f"strata are by {list_in_words(self.columns)}")
            given = tuple(given[name] for name in self.columns)
        wanted = key_of(
            tuple(map(check_label, given)) if isinstance(given, tuple) else (check_label(given),)
        )
        for values, found in zip(self.given, self.parts, strict=True):
            if key_of(values) == wanted:
                return found
        raise KeyError(
            f"{self!r} has none with these values; list(calibration.strata) lists what it has"
        )

    def __iter__(self) -> Iterator[tuple[Label, ...]]:
        """The combinations of values."""
        return iter(self.given)

    def __len__(self) -> int:
        """The number of combinations."""
        return len(self.given)

    def __repr__(self) -> str:
        """Names the columns; their values may be private."""
        columns = list_in_words(self.columns) if self.columns else "nothing"
        return f"Strata({len(self)} combinations of {columns})"


def one_law_for_all(calibration: Calibration) -> Strata[Calibration]:
    """The strata of a calibration with one law, each certified for its own adversaries."""
    every = calibration.scenario.beliefs
    columns = max((tuple(each.given) for each in every), key=len)
    knowing = [each for each in every if columns and {*each.given} == {*columns}]
    given, found = [], []
    for values, beliefs in group_beliefs(knowing, columns):
        called = {each.name for each in beliefs}
        certificate = replace(
            calibration.certificate,
            results=tuple(
                each for each in calibration.certificate.results if each.belief in called
            ),
            screened=tuple(
                each for each in calibration.certificate.screened if each.belief in called
            ),
        )
        scenario = Scenario(beliefs, calibration.scenario.pairs)
        given.append(values)
        found.append(_before(scenario, calibration, certificate))
    return Strata(columns, tuple(given), tuple(found))


def _before(scenario: Scenario, calibration: Calibration, certificate: Certificate) -> Calibration:
    """The same law for fewer adversaries, without the figures of the whole table."""
    return type(calibration)(
        scenario=scenario,
        goal=calibration.goal,
        method=calibration.method,
        mechanism=calibration.mechanism,
        certificate=certificate,
        tau=calibration.tau,
        radius=calibration.radius,
    )


def group_beliefs(
    beliefs: Sequence[Belief], columns: Sequence[str]
) -> list[tuple[tuple[Label, ...], list[Belief]]]:
    """Beliefs grouped by their known values of some columns, which all of them know."""
    found: dict[Place, tuple[tuple[Label, ...], list[Belief]]] = {}
    for belief in beliefs:
        values = tuple(belief.given[name] for name in columns)
        found.setdefault(key_of(values), (values, []))[1].append(belief)
    return list(found.values())


def shares_of(parts: Sequence[Calibration]) -> list[tuple[float, Calibration]]:
    """The share of the rows that each part describes, as far as they were counted."""
    sizes = [_rows(part) for part in parts]
    total = sum(sizes)
    even = 1.0 / len(parts)
    return [
        (size / total if all(sizes) else even, part)
        for size, part in zip(sizes, parts, strict=True)
    ]


def _rows(part: Calibration) -> int:
    for belief in part.scenario.beliefs:
        table = belief.frequencies
        if table is not None and table.counts is not None:
            return int(table.counts.sum()) + belief.frequencies_missing
    return 0


def explain_strata(calibration: Calibration, *, another_table: bool) -> Explanation:
    """The promise given known values, the law of each stratum, and the worst stratum in full."""
    law, worst = calibration.mechanism, calibration.certificate.worst
    strata = calibration.strata
    parts = [
        Entry(
            f"{given_in_words(dict(zip(strata.columns, values, strict=True)))}: "
            f"{words_of(part.mechanism).noun(part.mechanism)}"
        )
        for values, part in list(strata.items())[:_MOST_TOLD]
    ]
    more = len(strata) - len(parts)
    if more:
        parts.append(Entry(f"and {more:,} more"))
    decisive = next(
        part
        for part in calibration.parts
        if worst.belief in {each.name for each in part.scenario.beliefs}
    )
    inner = decisive.explain(another_table=another_table)
    known = list_in_words(strata.columns)
    head = Step(
        "known",
        (
            f"Everybody sees {known}: the promise holds for somebody who knows it, row by row. "
            f"What {known} reveals about the secret by itself is not bounded. The mechanism is "
            f"{words_of(law).short(law)}:",
        ),
        tuple(parts),
    )
    told = Step(
        "worst stratum",
        (f"The rest describes the rows that decide: {worst.belief}.",),
    )
    again = repeats(calibration.scenario, law, None, calibration.certificate.wrong)
    steps = [
        replace(each, paragraphs=(again,)) if each.title == "repeats" else each
        for each in inner.steps
    ]
    return Explanation([head, told, *steps], inner.notices)
