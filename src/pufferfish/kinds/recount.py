"""The table behind a plan, as far as the counts in its beliefs tell it.

A belief that was counted in a table holds, for known values z and each secret s, the number of rows
n(v,s,z) with the published values v, and n(v,z), that of all secrets together. What a record says
of its table is compared with their sums:

- Σ_s n(v,s,z) ≤ n(v,z), with equality unless rows have other secrets or none;
- for somebody who knows fewer columns, the counts are sums over the others;
- `fitted_on` is the SHA-256 of all counts, which is computed again where they determine it.

What must then stand in the record is `told`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.scenario import OTHER_ROWS, RELEASED, Belief, Secret, SecretPair
from pufferfish.kinds.fingerprints import (
    HOLE,
    ByPlace,
    Counted,
    Whose,
    counted,
    of_crosstab,
    of_summary,
)
from pufferfish.noise import Stratified
from pufferfish.recoding.law import Recoding

__all__ = ["Recount", "believed_range", "decided", "easiest_pair", "known_shares"]
__all__ += ["recount_of", "told"]


@dataclass(frozen=True, kw_only=True)
class Recount:
    """The counts of a plan's beliefs, compared with each other and added up.

    Attributes:
        beliefs: The beliefs.
        known: The columns that somebody may know.
        others: Whether rows may have secrets that no belief names.
        columns: All columns that the plan reads.
    """

    beliefs: Sequence[Belief]
    known: tuple[str, ...] = ()
    others: bool = False
    columns: frozenset[str] = frozenset()

    @cached_property
    def tables(self) -> dict[str, list[Counted]]:
        """What was counted, by the fingerprint of the table."""
        found: dict[str, list[Counted]] = {}
        for place, belief in enumerate(self.beliefs):
            if belief.of_table and belief.fitted_on and belief.frequencies is not None:
                found.setdefault(belief.fitted_on, []).append(counted(place, belief))
        return found

    def wrong(self) -> Iterator[str]:
        """Counts that no table has, in words."""
        for name, table in self.tables.items():
            ruled = (each.belief for each in table if each.belief.rules or each.belief.labelled)
            if any(not self.columns <= each.rules.keys() for each in ruled):
                yield "a belief that was counted in a table has no rule for one of its columns"
            if _incomplete(each.belief for each in table):
                yield "an adversary is described for some known values, and not for others"
            if any(min(each.others.values(), default=0) < 0 for each in table if each.laws):
                yield "the counts of some secrets exceed those of all rows"
            if _differ(table, self._full(table)):
                yield "the counts of several beliefs are not those of one table"
            if any(name not in each for each in self._fingerprints(table)):
                yield "the counts are not those of the table that the beliefs name"

    def several(self, provenance: str) -> bool:
        """Whether beliefs that claim to be of one table have the counts of several."""
        # Numbers in bins may have been put into bins of other widths.
        tables = [
            each
            for each in self.tables.values()
            if each[0].belief.provenance == provenance and not each[0].belief.radius
        ]
        sums = [+_whole(_knowing(each, {*each[0].belief.given})) for each in tables]
        return any(each != sums[0] for each in sums)

    @cached_property
    def undecided(self) -> tuple[int, ...]:
        """The places of beliefs that no counts decide: models, resamples, assumptions."""
        decided = {
            each.place
            for table in self.tables.values()
            if any(True for _ in self._fingerprints(table))
            for each in table
            if each.laws
        }
        return tuple(place for place in range(len(self.beliefs)) if place not in decided)

    def table(self, provenance: str) -> list[Counted]:
        """What those counted who know every known column; empty where nobody did."""
        for table in self.tables.values():
            if table[0].belief.provenance == provenance:
                return self._full(table)
        return []

    def _full(self, table: Sequence[Counted]) -> list[Counted]:
        return _knowing(table, self.known)

    def _fingerprints(self, table: Sequence[Counted]) -> Iterator[set[str]]:
        """Sets of which the table's fingerprint must be in each; none where nothing decides it."""
        if table[0].belief.rules or table[0].belief.labelled:
            full = [each for each in self._full(table) if each.laws]
            if {given_key(each.belief.given) for each in full} == {
                given_key(each.belief.given) for each in self._full(table)
            }:
                yield from of_crosstab(full, others=self.others)
            return
        yield from (of_summary(each) for each in table if each.laws)


def _knowing(table: Iterable[Counted], columns: Iterable[str]) -> list[Counted]:
    """What those counted who know exactly these columns."""
    return [each for each in table if {*each.belief.given} == {*columns}]


def _incomplete(beliefs: Iterable[Belief]) -> bool:
    """Whether a kind of adversary lacks known values that occur in the table."""
    occur: dict[frozenset[str], set[Any]] = {}
    described: dict[Any, set[Any]] = {}
    for each in beliefs:
        names, known = frozenset(each.given), given_key(each.given)
        kind = each.name.partition(",")[0], names, frozenset(map(str, each.priors))
        occur.setdefault(names, set()).add(known)
        described.setdefault(kind, set()).add(known)
    return any(found != occur[kind[1]] for kind, found in described.items())


def _differ(table: Sequence[Counted], full: Sequence[Counted]) -> bool:
    """Whether some belief has other counts than those who know more, or as much, add up to."""
    first = {
        (given_key(each.belief.given), whose): (each.belief.given, counts)
        for each in reversed(full)
        for whose, counts in each.parts()
    }
    sums: dict[Any, ByPlace] = {}
    for names in {frozenset(each.belief.given) for each in table}:
        for (_, whose), (given, counts) in first.items():
            key = given_key({name: given[name] for name in names})
            sums.setdefault((key, whose), Counter()).update(counts)
    return any(
        +sums[key, whose] != +counts
        for each in table
        for key in (given_key(each.belief.given),)
        for whose, counts in each.parts()
        if (key, whose) in sums
    )


def known_shares(
    counts: Mapping[Secret, Mapping[Any, int]], pair: SecretPair
) -> list[tuple[Fraction, Fraction]]:
    """P(z|s₁) and P(z|s₂) for each z; empty where one of the secrets does not occur."""
    first, second = (counts.get(secret) for secret in pair)
    if first is None or second is None:
        return []
    rows = sum(first.values()), sum(second.values())
    every = dict.fromkeys([*first, *second])
    return [
        (Fraction(first.get(z, 0), rows[0]), Fraction(second.get(z, 0), rows[1])) for z in every
    ]


def easiest_pair(
    counts: Mapping[Secret, Mapping[Any, int]], pairs: Iterable[SecretPair]
) -> tuple[int, SecretPair] | None:
    """The pair that known columns tell apart best, and how often, in whole percent, rounded up.

    Between two equally likely secrets, the best guess of somebody who knows only z is right in
    ½·Σ_z max(P(z|s₁), P(z|s₂)) of cases. None where no pair has rows of both its secrets.
    """
    best: tuple[Fraction, SecretPair] | None = None
    for pair in pairs:
        shares = known_shares(counts, pair)
        found = sum((max(each) for each in shares), Fraction(0))
        if shares and (best is None or found > best[0]):
            best = found, SecretPair(*pair)
    return best and (max(math.ceil(50 * best[0]), 50), best[1])


def believed_range(beliefs: Sequence[Belief]) -> tuple[float, float]:
    """The range of values that the beliefs consider possible: 8 stds around each component."""
    laws = [prior.components() for belief in beliefs for prior in belief.priors.values()]
    low = min(float((law.means - 8.0 * law.stds).min()) for law in laws)
    high = max(float((law.means + 8.0 * law.stds).max()) for law in laws)
    return low, high


def recount_of(plan: Any) -> Recount:
    """The counts of the beliefs of a plan that publishes rows."""
    layout = getattr(plan, "layout", None)
    return Recount(
        beliefs=plan.scenario.beliefs,
        known=layout.known_names if layout else (),
        others=bool(plan.others),
        columns=frozenset(each.column for each in layout.rules) if layout else frozenset(),
    )


def told(plan: Any, recount: Recount, source: str) -> dict[str, Any]:
    """What a record must say, entry by entry, as far as the plan and its counts decide it.

    Args:
        plan: A plan that publishes rows.
        recount: What its beliefs counted.
        source: Where the record says that its beliefs come from.
    """
    numeric = not any(each.labelled for each in plan.scenario.beliefs)
    found: dict[str, Any] = (
        {"table.unseen": 0} if numeric else {"table.outside": 0, "table.capped": 0}
    )
    found |= {"table.capped": 0} if plan.cap is None else {}
    if source == "another table":
        claiming = (each for each in plan.scenario.beliefs if each.provenance == RELEASED)
        found["beliefs_fitted"] = (
            max((each.fitted_at or "" for each in claiming), default="") or None
        )
    if source == "other rows" and (apart := recount.table(OTHER_ROWS)):
        every = _whole(apart).total()
        fitted = any(sum(_rows(each).values()) == every for each in _views(apart))
        return found | ({"rows_fitted": every} if fitted else {})
    table = recount.table(RELEASED) if source == "this table" else []
    if not table:
        return found
    whole = _whole(table)
    found["published.rows"] = every = whole.total()
    if plan.missing != "drop":
        holes = sum(rows for key, rows in whole.items() if HOLE[0] in key)
        found |= {"table.rows": every, "table.missing": holes}
    for view in _views(table):
        covered = sum(rows for secret, rows in _rows(view).items() if secret in plan.protected)
        # Rows of which another secret is protected are only known not to exist.
        if plan.protected <= view.keys() or covered == every:
            found["table.unprotected"] = every - covered
    counts = _by_known(table)
    if plan.protected <= counts.keys() and recount.known:
        best = easiest_pair(counts, plan.scenario.pairs)
        found["known_says"] = best and {"found_percent": best[0], "pair": [*best[1]]}
    if not numeric:
        found["table.unseen"] = _unseen(plan.calibration.mechanism, table)
    elif not {each.place for each in table if each.laws} <= {*recount.undecided}:
        found |= _measured(plan, whole)
    return found


def decided(plan: Any, source: str) -> tuple[Collection[str], Collection[str]]:
    """As `Kind.decided`: what the counts decide, and beliefs that are models or assumptions."""
    recount = recount_of(plan)
    parts = [f"plan.scenario.beliefs[{each}]" for each in recount.undecided]
    if source != "this table":
        parts.append("plan.scenario.beliefs.frequencies")
    return told(plan, recount, source), parts


def _views(table: Iterable[Counted]) -> list[dict[Secret, dict[Any, int]]]:
    """For each secret how often each combination of known values occurs, view by view."""
    views: dict[frozenset[Whose], dict[Secret, dict[Any, int]]] = {}
    for each in table:
        view = views.setdefault(frozenset((type(name), name) for name in each.laws), {})
        for secret, law in each.laws.items():
            view.setdefault(secret, {})[given_key(each.belief.given)] = law.total()
    return list(views.values())


def _rows(view: Mapping[Secret, Mapping[Any, int]]) -> dict[Secret, int]:
    return {secret: sum(counts.values()) for secret, counts in view.items()}


def _unseen(law: Any, table: Iterable[Counted]) -> int:
    """Rows with a combination that the recoding of their known values does not list."""
    found = {}
    for each in table:
        place = law.place_of(each.belief.given) if isinstance(law, Stratified) else None
        own = law if place is None else law.strata[place].law
        listed = {*map(key_of, own.values)} if isinstance(own, Recoding) else {*each.whole}
        rows = sum(count for key, count in each.whole.items() if key not in listed)
        found[given_key(each.belief.given)] = rows
    return sum(found.values())


def _measured(plan: Any, whole: ByPlace) -> dict[str, Any]:
    """What is measured of a column of numbers, where they are counted as they are."""
    beliefs = plan.scenario.beliefs
    if any(each.radius for each in beliefs):
        return {}
    rows = np.array([count for key, count in whole.items() if key != HOLE])
    if not rows.size:
        return {}
    values = np.array([key[0][1] for key in whole if key != HOLE])
    low, high = believed_range(beliefs)
    found = {"table.outside": int(rows[(values < low) | (values > high)].sum())}
    if plan.cap is not None:
        if np.isin(values, plan.cap).any():
            return found  # some of these rows may have been beyond the bounds
        found["table.capped"] = 0
    mean = float(rows @ values) / rows.sum()
    return found | {"table.column_std": float(np.sqrt(rows @ (values - mean) ** 2 / rows.sum()))}


def _by_known(table: Iterable[Counted]) -> dict[Secret, dict[Any, int]]:
    """For each secret of the released table how often each combination of known values occurs."""
    found: dict[Secret, dict[Any, int]] = {}
    for view in _views(table):
        found = view | found
    return found


def _whole(table: Iterable[Counted]) -> ByPlace:
    """How often each combination occurs among all rows; several secrets have the same rows."""
    once = {given_key(each.belief.given): each for each in table}
    return sum((each.whole for each in once.values()), Counter())
