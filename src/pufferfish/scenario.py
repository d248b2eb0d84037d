"""What must look alike, and to whom: beliefs, secret pairs, and the scenario they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

from pufferfish.checks import finite, require
from pufferfish.errors import InvalidInputError
from pufferfish.priors import Prior

__all__ = ["Belief", "PairOfLaws", "Scenario", "Secret", "SecretPair"]

Secret = str | int | bool


class SecretPair(NamedTuple):
    """Two secrets that must not be told apart; the order carries no meaning."""

    first: Secret
    second: Secret


def _checked_secret(secret: object) -> Secret:
    if not isinstance(secret, str | int):
        raise InvalidInputError(f"a secret must be a str, an int or a bool, got {secret!r}.")
    return secret


@dataclass(frozen=True, slots=True)
class Belief:
    """One adversary: a law of X for each secret, for one row (the paper's ρ).

    Rows are independent under a belief. One who knows the exact multiset of rows, or that several
    rows share a secret, believes more than this says, and is not covered.

    Attributes:
        priors: For each secret the law of X that this adversary holds.
        name: How messages and certificates call this adversary.
        provenance: Where the belief comes from. Only "public" says that it holds nothing private.
        missing: For each secret the probability that the value is missing and published as a hole;
            secrets not named have 0.
    """

    # A mapping is invariant in its keys: Any, so that a plain dict[str, Gaussian] may be given.
    priors: Mapping[Any, Prior]
    name: str = "belief"
    provenance: str = "private"
    missing: Mapping[Any, float] | None = None

    def __post_init__(self) -> None:
        """Copy, freeze and refuse what is no belief."""
        require(isinstance(self.priors, Mapping), "priors must map each secret to a prior.")
        priors = {_checked_secret(secret): prior for secret, prior in self.priors.items()}
        require(bool(priors), "a belief needs a prior for at least one secret.")
        for secret, prior in priors.items():
            require(
                isinstance(prior, Prior),
                f"the prior of {secret!r} must be a Gaussian, GaussianMixture or Discrete, "
                f"got {type(prior).__name__}.",
            )
        for field in ("name", "provenance"):
            text = getattr(self, field)
            require(isinstance(text, str) and bool(text), f"{field} must be a non-empty text.")
        missing = dict.fromkeys(priors, 0.0)
        holes = {} if self.missing is None else self.missing
        require(isinstance(holes, Mapping), "missing must map secrets to probabilities.")
        for secret, probability in holes.items():
            require(secret in priors, f"missing names {secret!r}, which has no prior.")
            number = finite(f"missing[{secret!r}]", probability)
            require(
                0.0 <= number < 1.0,
                f"missing[{secret!r}] must be at least 0 and less than 1, got {number:g}.",
            )
            missing[secret] = number
        object.__setattr__(self, "priors", MappingProxyType(priors))
        object.__setattr__(self, "missing", MappingProxyType(missing))

    @property
    def public(self) -> bool:
        """Whether the belief may be shown to anyone."""
        return self.provenance == "public"

    def missing_probability(self, secret: Secret) -> float:
        """P(the value is missing | secret)."""
        return (self.missing or {}).get(secret, 0.0)

    def __reduce__(self) -> tuple[type[Belief], tuple[object, ...]]:
        """Rebuild from plain dictionaries (a mapping proxy cannot be pickled)."""
        return Belief, (dict(self.priors), self.name, self.provenance, dict(self.missing or {}))


class PairOfLaws(NamedTuple):
    """One pair under one belief: all that the oracle needs to know."""

    belief: str
    pair: SecretPair
    first: Prior
    second: Prior
    missing_first: float
    missing_second: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """Every pair of secrets that must look alike, to every adversary.

    Attributes:
        beliefs: The adversaries; the promise holds against each of them (the paper's max over ρ).
        pairs: The secret pairs, or None for all pairs of all secrets of the beliefs.
    """

    beliefs: Iterable[Belief]
    pairs: Iterable[tuple[Secret, Secret]] | None = None

    def __post_init__(self) -> None:
        """Make tuples, remove repeated pairs, and refuse a pair that a belief is silent about."""
        given: object = self.beliefs
        given = (given,) if isinstance(given, Belief) else given
        require(isinstance(given, Iterable), f"beliefs must be Belief objects, got {given!r}.")
        beliefs = tuple(given) if isinstance(given, Iterable) else ()
        require(bool(beliefs), "a scenario needs at least one belief.")
        for belief in beliefs:
            require(isinstance(belief, Belief), f"beliefs must be Belief objects, got {belief!r}.")
        names = [belief.name for belief in beliefs]
        repeated = sorted({name for name in names if names.count(name) > 1})
        require(not repeated, f"beliefs must have different names; repeated: {repeated}.")
        pairs = self._checked_pairs(beliefs)
        for belief in beliefs:
            for pair in pairs:
                for secret in pair:
                    require(
                        secret in belief.priors,
                        f"belief {belief.name!r} has no prior for secret {secret!r}, needed for "
                        f"the pair ({pair.first!r}, {pair.second!r}); add the prior, or leave the "
                        "pair out.",
                    )
        object.__setattr__(self, "beliefs", beliefs)
        object.__setattr__(self, "pairs", pairs)

    def _checked_pairs(self, beliefs: tuple[Belief, ...]) -> tuple[SecretPair, ...]:
        if self.pairs is None:
            secrets = list(dict.fromkeys(secret for belief in beliefs for secret in belief.priors))
            require(len(secrets) > 1, "a scenario needs at least two secrets to make a pair.")
            return tuple(SecretPair(a, b) for a, b in combinations(secrets, 2))
        require(
            isinstance(self.pairs, Iterable) and not isinstance(self.pairs, str),
            f"pairs must be a list of pairs of secrets, got {self.pairs!r}.",
        )
        pairs: dict[frozenset[Secret], SecretPair] = {}
        for given in self.pairs:
            try:
                first, second = () if isinstance(given, str) else given
            except (TypeError, ValueError):
                raise InvalidInputError(f"a pair must be two secrets, got {given!r}.") from None
            pair = SecretPair(_checked_secret(first), _checked_secret(second))
            require(pair.first != pair.second, f"a pair must be two different secrets: {pair!r}.")
            pairs.setdefault(frozenset(pair), pair)
        require(bool(pairs), "pairs must not be empty; give None for all pairs.")
        return tuple(pairs.values())

    def laws(self) -> Iterator[PairOfLaws]:
        """Every belief and pair, with its priors and probabilities of a missing value."""
        for belief in self.beliefs:
            for first, second in self.pairs or ():
                yield PairOfLaws(
                    belief.name,
                    SecretPair(first, second),
                    belief.priors[first],
                    belief.priors[second],
                    belief.missing_probability(first),
                    belief.missing_probability(second),
                )
