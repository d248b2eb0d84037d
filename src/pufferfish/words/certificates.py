"""A certificate in words: whether it holds, what was found, and for how many pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.words.numbers import between

__all__ = [
    "LEAST_EPSILON",
    "REPEATS_LOOSER",
    "REPEATS_REFUSED",
    "VERDICTS",
    "VERDICTS_ALOUD",
    "describe_delta",
    "describe_loss",
    "measure",
    "pairs_in_words",
]

# Whether a promise is kept; in capitals where the text has no other warning.
VERDICTS = {True: "kept", False: "NOT kept", None: "not decided"}
VERDICTS_ALOUD = {True: "kept", False: "BROKEN", None: "NOT DECIDED"}
# What a certificate of one release says about several.
REPEATS_REFUSED = "not covered, not even once"
REPEATS_LOOSER = "is not covered by the certificate above. A looser one"
LEAST_EPSILON = "the least ε that holds without exception"


class Enclosed(Protocol):
    """The bounds found for a promise, as in `Certificate`."""

    @property
    def goal(self) -> Guarantee:
        """The promise."""

    @property
    def epsilon_lower(self) -> float:
        """No smaller ε holds without exception."""

    @property
    def epsilon_upper(self) -> float:
        """This ε holds without exception."""

    @property
    def delta_lower(self) -> float:
        """No smaller δ holds at the goal's ε."""

    @property
    def delta_upper(self) -> float:
        """This δ holds at the goal's ε."""


class Screened(Protocol):
    """Pairs that were proven together."""

    @property
    def pairs(self) -> int:
        """How many pairs there are."""


class Examined(Protocol):
    """The pairs that were examined, as in `Certificate`."""

    @property
    def results(self) -> Sequence[object]:
        """The pairs that were examined one by one."""

    @property
    def screened(self) -> Sequence[Screened]:
        """Together."""


def measure(goal: Guarantee) -> str:
    """The name of the number that decides whether a promise is kept."""
    return "least ε without exception" if goal.pure else f"δ at ε = {goal.epsilon_text}"


def describe_loss(found: Enclosed) -> str:
    """The number that decides: the true δ, or with δ = 0 the true ε."""
    if found.goal.pure:
        return f"{LEAST_EPSILON} is {between(found.epsilon_lower, found.epsilon_upper)}"
    return describe_delta(found)


def describe_delta(found: Enclosed) -> str:
    """The true δ at the goal's ε."""
    return (
        f"the true δ at ε = {found.goal.epsilon_text} is "
        f"{between(found.delta_lower, found.delta_upper)}"
    )


def pairs_in_words(found: Examined) -> str:
    """How many pairs there were, and how each was proven."""
    examined = f"{len(found.results)} ordered pairs"
    if not found.screened:
        return f"{examined} checked"
    others = 2 * sum(each.pairs for each in found.screened)
    return f"{examined} examined one by one, {others:,} more proven by screening"
