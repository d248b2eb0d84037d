"""Laws that depend on known values: each adversary is judged by the law of their stratum.

Everybody sees the known columns. A belief is about rows with some known values, so it must name all
of these columns; its adversary sees what the law of that stratum publishes.
"""

from __future__ import annotations

from collections.abc import Iterator

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.core.errors import UnsupportedError
from pufferfish.noise import Law
from pufferfish.noise.stratified import Stratified

__all__ = ["split_strata"]


def split_strata(scenario: Scenario, law: Stratified) -> Iterator[tuple[Scenario, Law]]:
    """The adversaries of each stratum, and its law, in the order of the strata.

    Raises:
        UnsupportedError: A described adversary does not know the columns, or there is no stratum
            with their known values; or a stratum has no adversary.
    """
    found: list[list[Belief]] = [[] for _ in law.strata]
    for belief in scenario.beliefs:
        place = law.place_of(belief.given)
        if place is None:
            knows = given_in_words(belief.given) or "nothing"
            raise UnsupportedError(
                f"the law depends on {', '.join(map(repr, law.columns))}, which everybody sees, "
                f"and belief {belief.name!r} knows {knows}: no law covers that. Describe "
                "adversaries who know these columns (known=..., --known)."
            )
        found[place].append(belief)
    for stratum, beliefs in zip(law.strata, found, strict=True):
        if not beliefs:
            raise UnsupportedError(
                "no adversary is described for one of the strata of known values, so nothing can "
                "be promised there: add beliefs for it (known=..., --known)."
            )
        yield Scenario(beliefs, scenario.pairs), stratum.law
