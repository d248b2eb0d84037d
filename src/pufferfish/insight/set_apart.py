"""The rows of a column, split at random: beliefs fitted to one half are judged by the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Belief, Scenario, Secret
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import InvalidInputError
from pufferfish.exact import verify
from pufferfish.fit import fit_belief, refit_belief
from pufferfish.fit.sampled import with_bands
from pufferfish.tables import Counts, Group
from pufferfish.tables.batch import IntArray

__all__ = ["Apart", "ColumnApart", "Split", "Toss", "judge_column", "who_stays"]

# From the number of rows of each kind to the number for which the coin shows heads.
Toss = Callable[[IntArray], IntArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The judgement of one half on what was fitted to the other.

    Attributes:
        epsilon: An upper bound on ε* under the frequencies of the half that was not used; inf where
            something is published under only one secret.
        delta: An upper bound on δ at the goal's ε.
        rmse: The root mean square error of a published value, on held-out rows; for categories and
            several columns the root of their mean loss, in stds of numbers and changed categories.
        holds: Whether the goal is kept there; False also where that could not be decided.
        unchanged: The share of rows that stay as they are, for categories and several columns.
    """

    epsilon: float
    delta: float
    rmse: float
    holds: bool
    unchanged: float | None = None


class Apart(Protocol):
    """Rows that can be split, and adversaries who see one half."""

    @property
    def scenario(self) -> Scenario:
        """What must look alike, to whom."""

    @property
    def stay(self) -> frozenset[str]:
        """The beliefs that are not about these rows."""

    @property
    def counts(self) -> Any:
        """All rows."""

    def drawn(self, toss: Toss) -> tuple[Scenario, Any]:
        """Beliefs that were fitted to one half, and the rows of the other."""

    def judged(self, calibration: Calibration, goal: Guarantee, other: Any) -> Split:
        """What was found, under the frequencies of rows that it did not see."""


def who_stays(scenario: Scenario) -> frozenset[str]:
    """The beliefs that were not fitted on rows of the table."""
    return frozenset(each.name for each in scenario.beliefs if not each.of_table)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnApart:
    """The rows of one column of numbers, and the adversaries who see a half.

    Attributes:
        scenario: What must look alike, to whom.
        counts: All rows, also of secrets in no pair.
        stay: The beliefs that are not about these rows.
    """

    scenario: Scenario
    counts: Counts
    stay: frozenset[str]

    @classmethod
    def of(cls, scenario: Scenario, counts: Counts | None) -> ColumnApart:
        """The halves of these rows, or of those from which an empirical belief was counted."""
        if counts is None:
            return cls(scenario, _counted(scenario), frozenset())
        cap = scenario.beliefs[0].cap
        if cap is not None and counts.cap is None:
            counts = counts.capped(*cap)
        return cls(scenario, counts.whole, who_stays(scenario))

    def drawn(self, toss: Toss) -> tuple[Scenario, Counts]:
        """Beliefs that were fitted to one half, and the rows of the other."""
        fitted, other = _split_counts(self.counts, toss)
        beliefs = [
            each if each.name in self.stay else _refitted(each, fitted)
            for each in self.scenario.beliefs
        ]
        return Scenario(beliefs, self.scenario.pairs), other

    def judged(self, calibration: Calibration, goal: Guarantee, other: Counts) -> Split:
        """What was found, under the frequencies of rows that it did not see."""
        return judge_column(calibration, goal, other)


def _refitted(belief: Belief, half: Counts) -> Belief:
    """The same adversary with these rows; a band has the width for their number."""
    found, region = refit_belief(belief, half), belief.region
    if region is None or region.shape != "band":
        return replace(found, region=region)
    rows = half.only(belief.priors)
    return next(iter(with_bands([found], rows, region.confidence)))


def judge_column(calibration: Calibration, goal: Guarantee, other: Counts) -> Split:
    """What was found, under the frequencies of rows that it did not see."""
    law, scenario = calibration.mechanism, calibration.scenario
    if not law.additive and not law.takes_missing:
        other = other.without_missing()  # a release refuses it
    belief = fit_belief(other.only(scenario.secrets), family="empirical", min_group=1)
    certificate = verify(Scenario(belief, scenario.pairs), law, goal)
    pooled = other.pooled
    frequencies = dict(zip(pooled.values.tolist(), pooled.counts.tolist(), strict=True))
    return Split(
        epsilon=certificate.epsilon_upper,
        delta=certificate.delta_upper,
        rmse=law.error(frequencies),
        holds=certificate.holds is True,
    )


def _split_counts(counts: Counts, toss: Toss) -> tuple[Counts, Counts]:
    """The rows for which a coin shows heads, and the others; both halves list all values."""
    groups: dict[Secret | None, Group] = dict(counts.groups.items())
    if counts.without_secret is not None:
        groups[None] = counts.without_secret
    sides = {secret: _toss_group(group, toss) for secret, group in groups.items()}
    heads, tails = (
        replace(
            Counts.of_groups({secret: each[side] for secret, each in sides.items()}, "", "secret"),
            columns=counts.columns,
            layout=counts.layout,
            bin_width=counts.bin_width,
            cap=counts.cap,
            unseen=counts,
        )
        for side in (0, 1)
    )
    return heads, tails


def _toss_group(group: Group, toss: Toss) -> tuple[Group, Group]:
    counts, missing = toss(group.counts), int(toss(np.array([group.missing]))[0])
    others = _present(group, group.counts - counts, group.missing - missing)
    return _present(group, counts, missing), others


def _present(group: Group, counts: IntArray, missing: int) -> Group:
    some = counts > 0
    return Group(group.values[some], counts[some], missing)


def _counted(scenario: Scenario) -> Counts:
    """The rows from which an empirical belief was counted."""
    for belief in scenario.beliefs:
        groups: dict[Secret | None, Group] = {
            secret: Group(law.values, law.counts, belief.missing_counts.get(secret, 0))
            for secret, law in belief.priors.items()
            if isinstance(law, Discrete) and law.counts is not None
        }
        if len(groups) == len(belief.priors):
            return _with_others(groups, belief)
    raise InvalidInputError(
        'no belief of the scenario knows how many rows there are: add one of family="empirical", '
        "or give the rows with counts=pf.summarise(...)."
    )


def _with_others(groups: dict[Secret | None, Group], belief: Belief) -> Counts:
    """The counts, with the rows of all other secrets in the belief as one more group."""
    more: dict[str, Any] = {"bin_width": 2.0 * belief.radius, "cap": belief.cap}
    counted = Counts.of_groups(groups, "value", "secret", **more)
    table, mine = belief.frequencies, counted.pooled
    if not isinstance(table, Discrete) or table.counts is None:
        return counted
    if not np.isin(mine.values, table.values).all():
        return counted
    rest = table.counts.copy()
    rest[np.searchsorted(table.values, mine.values)] -= mine.counts
    holes = belief.frequencies_missing - mine.missing
    if not (rest.any() or holes) or (rest < 0).any() or holes < 0:
        return counted
    label = "others"
    while label in groups:
        label += "'"
    others = _present(Group(table.values, rest, 0), rest, holes)
    return Counts.of_groups({**groups, label: others}, "value", "secret", **more)
