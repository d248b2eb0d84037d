"""The counts of one belief, and the fingerprint of the table that they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.labels import Label, Place, key_of
from pufferfish.beliefs.layout import NO_SECRET
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import OTHER_ROWS, Belief, Secret
from pufferfish.tables import Counts, Group

__all__ = ["HOLE", "ByPlace", "Counted", "Whose", "counted", "of_crosstab", "of_summary"]

# How often each combination of published values occurs, by its key.
ByPlace = Counter[Place]
# A secret with its type, because True and 1 are two; None for all rows.
Whose = tuple[type, Secret | None]
HOLE, _ALL = key_of(None), (type(None), None)


class Counted(NamedTuple):
    """What one belief counted.

    Attributes:
        place: The place of the belief in its scenario.
        belief: The belief.
        whole: n(v,z); numbers that are missing are counted as holes.
        laws: n(v,s,z) by secret; empty where the laws are models.
    """

    place: int
    belief: Belief
    whole: ByPlace
    laws: Mapping[Secret, ByPlace]

    @property
    def others(self) -> ByPlace:
        """Rows of other secrets, or of none; negative where the counts contradict each other."""
        rest = Counter(self.whole)
        for law in self.laws.values():
            rest.subtract(law)
        return rest

    def parts(self) -> Iterator[tuple[Whose, ByPlace]]:
        """The counts that add up over known values."""
        yield from (((type(secret), secret), law) for secret, law in self.laws.items())
        # Where rows were set apart, each value that only they have counts as one more row.
        if self.belief.provenance != OTHER_ROWS:
            yield _ALL, self.whole


def counted(place: int, belief: Belief) -> Counted:
    """What a belief counted that keeps the frequencies of its table."""
    holes, laws = belief.missing_counts, belief.priors
    known = all(
        isinstance(law, Discrete | Categorical) and law.counts is not None for law in laws.values()
    )
    return Counted(
        place,
        belief,
        _count(belief.frequencies, belief.frequencies_missing),
        {each: _count(law, holes.get(each, 0)) for each, law in laws.items()} if known else {},
    )


def _count(law: Any, missing: int) -> ByPlace:
    values = law.values.tolist() if isinstance(law, Discrete) else law.values
    counts = Counter(dict(zip(map(key_of, values), np.asarray(law.counts).tolist(), strict=True)))
    counts.update({HOLE: missing} if missing else {})
    return counts


def of_summary(one: Counted) -> set[str]:
    """The fingerprints of a column of numbers; other rows may have no secret."""
    belief = one.belief
    groups: dict[Secret | None, Group] = {
        secret: _group(law, belief.missing_counts.get(secret, 0))
        for secret, law in belief.priors.items()
    }
    rest = sorted((key[0][1], rows) for key, rows in (+one.others).items() if key != HOLE)
    values, counts = zip(*rest, strict=True) if rest else ((), ())
    nobody = Group(np.array(values), np.array(counts, dtype=np.int64), one.others[HOLE])
    return {
        Counts.of_groups(each, "value", "secret", bin_width=2.0 * belief.radius).fingerprint
        for each in (groups, {**groups, None: nobody})
    }


def _group(law: Any, missing: int) -> Group:
    there = law.counts > 0
    return Group(law.values[there], law.counts[there], missing)


def of_crosstab(full: Sequence[Counted], *, others: bool) -> Iterator[set[str]]:
    """The fingerprint of combinations; none where not every label of a row is known."""
    rules = full[0].belief.rules if full else {}
    width = len(full[0].belief.columns) or 1 if full else 0
    names = [*rules]
    known = [name for name in names if full and name in full[0].belief.given]
    if len(names) - width - len(known) != 1 or full[0].belief.cap is not None:
        return  # several secrets, which are counted one by one, or values that were moved
    cells: Counter[tuple[Any, ...]] = Counter()
    shown: dict[Any, Label] = {}
    for each in {given_key(each.belief.given): each for each in reversed(full)}.values():
        given = tuple(each.belief.given[name] for name in known)
        rest = +each.others
        if rest and others:
            return
        for secret, law in [*each.laws.items(), (None, rest)]:
            if _ambiguous(secret):
                return
            label = None if secret == NO_SECRET else secret
            for key, rows in law.items():
                cell = (*key, *key_of((label, *given)))
                cells[cell] += rows
                for part, plain in zip(cell[width:], (label, *given), strict=True):
                    shown[part] = plain
    yield {_fingerprint(names, +cells, shown, 2.0 * full[0].belief.radius)}


def _ambiguous(secret: Secret | None) -> bool:
    """Whether a secret may have been a number that is not whole."""
    try:
        return isinstance(secret, str) and repr(float(secret)) == secret
    except ValueError:
        return False


def _fingerprint(
    names: Sequence[str],
    cells: Mapping[tuple[Any, ...], int],
    shown: Mapping[Any, Label],
    bin_width: float,
) -> str:
    labels, codes = [], []
    for column in zip(*cells, strict=True):
        distinct = [*dict.fromkeys(column)]
        place = {key: number for number, key in enumerate(distinct)}
        plain = [shown.get(key, None if key == HOLE[0] else key[1]) for key in distinct]
        numbers = [each for each in plain if isinstance(each, float)]
        if all(each.is_integer() for each in numbers):
            plain = [int(each) if isinstance(each, float) else each for each in plain]
        labels.append(tuple(plain))
        codes.append([place[key] for key in column])
    return Counts(
        columns=tuple(names),
        labels=tuple(labels),
        codes=np.array(codes).T,
        counts=np.array([*cells.values()], dtype=np.int64),
        bin_width=bin_width,
    ).fingerprint
