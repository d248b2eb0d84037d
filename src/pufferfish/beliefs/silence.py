"""Which pairs of secrets a belief must cover, and which it may leave out.

Where several secrets are protected, each has adversaries of its own: a belief about race need not
cover sex. A belief that covers one secret of a pair and not the other is a mistake, and for each
combination of known values some belief must cover every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from pufferfish.beliefs.known import given_key
from pufferfish.beliefs.pairs import AllPairs, Secret, SecretPair, some_secrets
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require

if TYPE_CHECKING:
    from pufferfish.beliefs.scenario import Belief

__all__ = ["default_pairs", "knows_both", "refuse_silence", "secrets_in", "secrets_of_all"]

# The secrets of a pair that an adversary must know to tell them apart.
_BOTH = 2


def knows_both(belief: Belief, pair: SecretPair) -> bool:
    """Whether a belief has laws for both secrets of a pair."""
    return _knows(belief, pair) == _BOTH


def _knows(belief: Belief, pair: SecretPair) -> int:
    """The number of secrets of a pair that a belief knows."""
    return (pair.first in belief.priors) + (pair.second in belief.priors)


def default_pairs(beliefs: Sequence[Belief]) -> Sequence[SecretPair]:
    """All pairs of secrets that some belief knows together."""
    every = secrets_of_all(beliefs)
    if any(len(belief.priors) == len(every) for belief in beliefs):
        pairs: Sequence[SecretPair] = AllPairs(every)
    else:
        within = (pair for belief in beliefs for pair in AllPairs(tuple(belief.priors)))
        pairs = tuple({frozenset(pair): pair for pair in within}.values())
    require(len(pairs) > 0, "a scenario needs at least two secrets to make a pair.")
    return pairs


def secrets_of_all(beliefs: Sequence[Belief]) -> tuple[Secret, ...]:
    """Every secret that some belief knows."""
    return tuple(dict.fromkeys(each for belief in beliefs for each in belief.priors))


def secrets_in(pairs: Sequence[SecretPair]) -> tuple[Secret, ...]:
    """The secrets of some pairs."""
    if isinstance(pairs, AllPairs):
        return pairs.secrets
    return tuple(dict.fromkeys(secret for pair in pairs for secret in pair))


def refuse_silence(beliefs: Sequence[Belief], pairs: Sequence[SecretPair]) -> None:
    """Refuse beliefs that lack a secret which they need.

    A belief that knows one secret of a pair must know the other. A belief that knows neither is
    about other secrets; then another belief with the same known values must know both.
    """
    secrets = set(secrets_in(pairs))
    groups: dict[frozenset[Any], list[Belief]] = {}
    for belief in beliefs:
        groups.setdefault(given_key(belief.given), []).append(belief)
    for group in groups.values():
        if all(belief.priors.keys() >= secrets for belief in group):
            continue
        for pair in pairs:
            knowing = [_knows(belief, pair) for belief in group]
            partly = [each for each, number in zip(group, knowing, strict=True) if number == 1]
            if partly or _BOTH not in knowing:
                _refuse_silent(partly[0] if partly else group[0], pair)
        for belief in group:
            require(
                any(_knows(belief, pair) for pair in pairs),
                f"belief {belief.name!r} knows no secret of any pair, so it would be ignored: "
                "leave it out, or name pairs of its secrets (--pair, pairs=[...]).",
            )


def _refuse_silent(belief: Belief, pair: SecretPair) -> NoReturn:
    secret = pair.second if pair.first in belief.priors else pair.first
    raise InvalidInputError(
        f"belief {belief.name!r} has no prior for secret {secret!r}, needed for the pair "
        f"({pair.first!r}, {pair.second!r}); it knows {some_secrets(belief.priors)}. Add the "
        "prior, or name the pairs you want (--pair, pairs=[...])."
    )
