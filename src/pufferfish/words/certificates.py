"""A certificate in words: whether it holds, what was found, and of how many pairs."""

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

# Whether a promise is kept; aloud where a text has nothing else that warns.
VERDICTS = {True: "kept", False: "NOT kept", None: "not decided"}
VERDICTS_ALOUD = {True: "kept", False: "BROKEN", None: "NOT DECIDED"}
# What a certificate of one release says of more.
REPEATS_REFUSED = "not covered, not even once"
REPEATS_LOOSER = "is not covered by the certificate above. A looser one"
LEAST_EPSILON = "the least ε that holds without exception"


class Enclosed(Protocol):
    """What was found of a promise, as `Certificate` has it."""

    @property
    def goal(self) -> Guarantee:
        """The promise."""

    @property
    def epsilon_lower(self) -> float:
        """No less ε holds without exception."""

    @property
    def epsilon_upper(self) -> float:
        """This ε holds without exception."""

    @property
    def delta_lower(self) -> float:
        """No less δ holds at the goal's ε."""

    @property
    def delta_upper(self) -> float:
        """This δ holds at the goal's ε."""


class Screened(Protocol):
    """Pairs that were proven together."""

    @property
    def pairs(self) -> int:
        """How many."""


class Examined(Protocol):
    """Which pairs were looked at, as `Certificate` has it."""

    @property
    def results(self) -> Sequence[object]:
        """One by one."""

    @property
    def screened(self) -> Sequence[Screened]:
        """Together."""


def measure(goal: Guarantee) -> str:
    """The number that decides about a promise."""
    return "least ε without exception" if goal.pure else f"δ at ε = {goal.epsilon_text}"


def describe_loss(found: Enclosed) -> str:
    """What was found, as far as it decides: the true δ, or with δ = 0 the true ε."""
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
    """How many pairs there were, and how each of them was dealt with."""
    examined = f"{len(found.results)} ordered pairs"
    if not found.screened:
        return f"{examined} checked"
    others = 2 * sum(each.pairs for each in found.screened)
    return f"{examined} examined one by one, {others:,} more proven by screening"
