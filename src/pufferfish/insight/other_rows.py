"""A law is applied to rows for which it was not made.

A combination of categories that the law does not list goes through its public row for unseen ones.
Where a law has none, and for listed numbers, a release refuses such rows: then only the rows that
it accepts are judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pufferfish.beliefs.labels import key_of
from pufferfish.beliefs.priors import Categorical, Discrete
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.noise import Law
from pufferfish.recoding.law import Recoding
from pufferfish.tables.batch import IntArray

__all__ = ["as_met", "counts_of_rows"]


def as_met(scenario: Scenario, law: Law) -> tuple[Scenario, Law]:
    """The scenario and the law to judge, for the rows from which these beliefs were counted.

    Args:
        scenario: Beliefs of tables with counts, about one stratum.
        law: The law of that stratum.

    Raises:
        InvalidInputError: The law accepts none of the rows.
    """
    if not isinstance(law, Recoding) or not law.listed:
        return scenario, law
    if law.unseen is not None:
        return scenario, _with_unseen(law, scenario.beliefs)
    return Scenario([_within(each, law) for each in scenario.beliefs], scenario.pairs), law


def counts_of_rows(law: Categorical | Discrete) -> IntArray:
    """How often each value occurs."""
    if law.counts is None:
        raise InvalidInputError("a table without counts does not say how many rows there are.")
    return law.counts


def _with_unseen(law: Recoding, beliefs: Iterable[Belief]) -> Recoding:
    """The same recoding, with a row of its own for each unseen combination."""
    known = {key_of(each) for each in law.values}
    new = {
        key_of(labels): labels
        for belief in beliefs
        for table in (*belief.priors.values(), belief.frequencies)
        if isinstance(table, Categorical)
        for labels in table.values
        if key_of(labels) not in known
    }
    if not new:
        return law
    table = np.vstack([law.table, *[np.array(law.unseen, dtype=np.int64)] * len(new)])
    values = (*law.values, *new.values())
    return Recoding(values=values, outputs=law.outputs, table=table, labelled=True)


def _within(belief: Belief, law: Recoding) -> Belief:
    """The rows that a law accepts; a release refuses the others."""
    known = {key_of(each) for each in law.values}

    def taken(table: Any) -> Any:
        if not isinstance(table, Categorical | Discrete):
            return table
        pairs = zip(list(table.values), counts_of_rows(table).tolist(), strict=True)
        kept = [(labels, count) for labels, count in pairs if key_of(labels) in known]
        require(bool(kept), "no row has a value that the law accepts.")
        return type(table)([labels for labels, _ in kept], counts=[count for _, count in kept])

    holes: dict[str, Any] = {} if law.takes_missing or law.labelled else {"missing": {}}
    return replace(
        belief,
        priors={secret: taken(prior) for secret, prior in belief.priors.items()},
        frequencies=taken(belief.frequencies),
        **holes,
    )
