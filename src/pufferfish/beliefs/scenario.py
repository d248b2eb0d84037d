"""What must look alike, and to whom: beliefs, secret pairs, and the scenario they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, overload

import numpy as np

from pufferfish.beliefs.counted import check_frequencies, check_missing
from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import bounds, nonnegative, require

__all__ = [
    "OTHER_ROWS",
    "PUBLIC",
    "REFERENCE",
    "RELEASED",
    "AllPairs",
    "Belief",
    "PairOfLaws",
    "Scenario",
    "Secret",
    "SecretPair",
    "check_secret",
    "laws_of",
    "some_secrets",
]

Secret = str | int | bool

# Where a belief comes from, as far as the library has a word for it. Anything but the first counts
# as private.
PUBLIC = "public"
REFERENCE = "reference sample"
RELEASED = "fitted on the released column"
OTHER_ROWS = "fitted on other rows of the table, which are not published"


class SecretPair(NamedTuple):
    """Two secrets that must not be told apart; the order carries no meaning."""

    first: Secret
    second: Secret


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AllPairs(Sequence[SecretPair]):
    """Every pair of some secrets, made when it is asked for: thousands of secrets have millions.

    Equal to the tuple of its pairs, (s_0, s_1), (s_0, s_2), …, (s_1, s_2), …
    """

    secrets: tuple[Secret, ...]

    def __len__(self) -> int:
        """n(n − 1)/2."""
        return len(self.secrets) * (len(self.secrets) - 1) // 2

    @overload
    def __getitem__(self, index: int) -> SecretPair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[SecretPair, ...]: ...
    def __getitem__(self, index: int | slice) -> SecretPair | tuple[SecretPair, ...]:
        """One pair by its number, or some of them."""
        if isinstance(index, slice):
            return tuple(self[each] for each in range(*index.indices(len(self))))
        number = range(len(self))[index]
        # Counted from the end, the pairs whose first secret has r others after it fill a triangle.
        last = len(self) - 1 - number
        row = (math.isqrt(8 * last + 1) - 1) // 2
        count = len(self.secrets)
        first = count - 2 - row
        second = count - 1 - (last - row * (row + 1) // 2)
        return SecretPair(self.secrets[first], self.secrets[second])

    def __iter__(self) -> Iterator[SecretPair]:
        """In order."""
        return (SecretPair(first, second) for first, second in combinations(self.secrets, 2))

    def __eq__(self, other: object) -> bool:
        """The same pairs in the same order."""
        if isinstance(other, AllPairs):
            return self.secrets == other.secrets
        if not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """As a tuple where that is short."""
        if len(self) <= _MOST_SHOWN:
            return repr(tuple(self))
        return f"AllPairs({len(self.secrets)} secrets, {len(self):,} pairs)"


# Pairs that are written out one by one.
_MOST_SHOWN = 45


def check_secret(secret: object) -> Secret:
    """`secret` as a plain str, int or bool."""
    plain = secret.item() if isinstance(secret, np.generic) else secret
    if not isinstance(plain, str | int):
        raise InvalidInputError(f"a secret must be a str, an int or a bool, got {secret!r}.")
    return plain


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Belief:
    """One adversary: a law of X for each secret, for one row (the paper's ρ).

    Rows are independent under a belief. One who knows the exact multiset of rows, or that several
    rows share a secret, believes more than this says, and is not covered.

    Attributes:
        priors: For each secret the law of X that this adversary holds.
        name: How messages and certificates call this adversary.
        provenance: Where the belief comes from. Only "public" says that it holds nothing private;
            "reference sample" and "fitted on the released column" are what fits are labelled with.
        missing: For each secret the probability that the value is missing and published as a hole;
            0 for secrets that were not named.
        radius: How far in W_∞, in the units of X, the laws meant may be from `priors`: what
            rounding the values of a table into bins has cost. Certificates cover all of them.
        cap: The bounds that values are moved to before they are noised, where the laws are about
            the moved values; None: about values as they are. A plan must have the same cap.
        fitted_on: The fingerprint of the counts that the laws were fitted to; as private as they.
        fitted_at: When, in UTC.
        missing_counts: For each secret the rows without a value, where its prior has counts and
            they are known, too: (counts, missing_counts) is then the law of a row, exactly.
        frequencies: How often each value occurs in the whole table that the laws were fitted to,
            also in rows of secrets that the belief says nothing about; None: not known.
        frequencies_missing: How many rows of that table have no value.
    """

    priors: Mapping[Secret, Prior]
    name: str
    provenance: str
    missing: Mapping[Secret, float]
    radius: float
    cap: tuple[float, float] | None
    # Which table and when: two fits with the same result are the same belief.
    fitted_on: str | None = field(compare=False)
    fitted_at: str | None = field(compare=False)
    # What follows from the laws, and what no promise is about.
    missing_counts: Mapping[Secret, int] = field(compare=False)
    frequencies: Discrete | None = field(compare=False)
    frequencies_missing: int = field(compare=False)

    def __init__(
        self,
        # A mapping is invariant in its keys: Any, so that a plain dict[str, Gaussian] may be given.
        priors: Mapping[Any, Prior],
        name: str = "belief",
        provenance: str = "private",
        missing: Mapping[Any, float] | None = None,
        radius: float = 0.0,
        cap: tuple[float, float] | None = None,
        fitted_on: str | None = None,
        fitted_at: str | None = None,
        *,
        missing_counts: Mapping[Any, int] | None = None,
        frequencies: Discrete | None = None,
        frequencies_missing: int = 0,
    ) -> None:
        """Copy, freeze and refuse what is no belief."""
        require(
            isinstance(priors, Mapping),
            f"priors must map each secret to a prior, got {type(priors).__name__}.",
        )
        require(bool(priors), "a belief needs a prior for at least one secret.")
        laws = {check_secret(secret): prior for secret, prior in priors.items()}
        for secret, prior in laws.items():
            require(
                isinstance(prior, Prior),
                f"the prior of {secret!r} must be a Gaussian, GaussianMixture or Discrete, "
                f"got {type(prior).__name__}.",
            )
        for entry, text in (("name", name), ("provenance", provenance)):
            require(
                isinstance(text, str) and bool(text),
                f"{entry} must be a non-empty text, got {type(text).__name__}.",
            )
        require(
            provenance == PUBLIC or provenance.strip().lower() != PUBLIC,
            f'provenance {provenance!r} would count as private; write exactly "public".',
        )
        holes, rows = check_missing(
            laws,
            _by_secret("missing", missing, laws),
            _by_secret("missing_counts", missing_counts, laws),
        )
        object.__setattr__(self, "priors", MappingProxyType(laws))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "provenance", provenance)
        object.__setattr__(self, "missing", MappingProxyType(holes))
        object.__setattr__(self, "radius", nonnegative("radius", radius))
        object.__setattr__(self, "cap", None if cap is None else self._checked_cap(laws, cap))
        for entry, known in (("fitted_on", fitted_on), ("fitted_at", fitted_at)):
            require(known is None or isinstance(known, str), f"{entry} must be a text.")
            object.__setattr__(self, entry, known)
        object.__setattr__(self, "missing_counts", MappingProxyType(rows))
        table, without = check_frequencies(frequencies, frequencies_missing, self.cap)
        object.__setattr__(self, "frequencies", table)
        object.__setattr__(self, "frequencies_missing", without)

    @staticmethod
    def _checked_cap(laws: Mapping[Secret, Prior], cap: object) -> tuple[float, float]:
        low, high = bounds("cap", cap)
        # Smooth laws have tails beyond any bounds: they describe capped values as any others.
        inside = all(_atoms_within(law, low, high) for law in laws.values())
        require(inside, "a table of values that are capped has some outside the cap.")
        return low, high

    def lies_within(self, low: float, high: float) -> bool:
        """Whether moving values to these bounds changes nothing of what is believed."""
        return all(
            not law.components().stds.any() and _atoms_within(law, low, high)
            for law in self.priors.values()
        )

    @property
    def public(self) -> bool:
        """Whether the belief may be shown to anyone."""
        return self.provenance == PUBLIC

    def __repr__(self) -> str:
        """Names the secrets; shows priors only where they are public."""
        secrets = ", ".join(repr(secret) for secret in self.priors)
        laws = f"priors={dict(self.priors)!r}" if self.public else f"secrets: {secrets}"
        return f"Belief({self.name!r}, provenance={self.provenance!r}, {laws})"

    def __hash__(self) -> int:
        """Agrees with `==`."""
        return hash((self.name, self.provenance, frozenset(self.priors.items())))

    def __reduce__(self) -> tuple[Callable[..., Belief], tuple[object, ...]]:
        """Rebuild from plain dictionaries (a mapping proxy cannot be pickled)."""
        counted = partial(
            Belief,
            missing_counts=dict(self.missing_counts),
            frequencies=self.frequencies,
            frequencies_missing=self.frequencies_missing,
        )
        fields = dict(self.priors), self.name, self.provenance, dict(self.missing), self.radius
        return counted, (*fields, self.cap, self.fitted_on, self.fitted_at)


def _by_secret(name: str, given: object, laws: Mapping[Secret, Prior]) -> dict[Secret, Any]:
    """Numbers for some of the secrets that have a prior."""
    numbers = {} if given is None else given
    if not isinstance(numbers, Mapping):
        raise InvalidInputError(f"{name} must map secrets to numbers, got {type(given).__name__}.")
    found = {check_secret(secret): number for secret, number in numbers.items()}
    for secret in found:
        require(secret in laws, f"{name} names {secret!r}, which has no prior.")
    return found


def _atoms_within(law: Prior, low: float, high: float) -> bool:
    components = law.components()
    atoms = components.means[components.stds == 0.0]
    return bool(np.all((atoms >= low) & (atoms <= high)))


class PairOfLaws(NamedTuple):
    """One pair under one belief: all that the oracle needs to know."""

    belief: str
    pair: SecretPair
    first: Prior
    second: Prior
    missing_first: float
    missing_second: float
    radius: float = 0.0
    provenance: str = "private"


@dataclass(frozen=True, slots=True, init=False)
class Scenario:
    """Every pair of secrets that must look alike, to every adversary.

    Attributes:
        beliefs: The adversaries; the promise holds against each of them (the paper's max over ρ).
        pairs: The secret pairs; by default all pairs of all secrets of the beliefs.
    """

    beliefs: tuple[Belief, ...]
    pairs: Sequence[SecretPair]

    def __init__(
        self,
        beliefs: Iterable[Belief] | Belief,
        pairs: Iterable[tuple[Secret, Secret]] | None = None,
    ) -> None:
        """Remove repeated pairs, and refuse a pair that a belief is silent about."""
        given = (beliefs,) if isinstance(beliefs, Belief) else _list_secrets("beliefs", beliefs)
        require(bool(given), "a scenario needs at least one belief.")
        for belief in given:
            require(
                isinstance(belief, Belief),
                f"beliefs must be Belief objects, got {type(belief).__name__}; "
                "write pf.Belief({secret: prior, ...}).",
            )
        names = [belief.name for belief in given]
        repeated = sorted({name for name in names if names.count(name) > 1})
        require(
            not repeated, f"beliefs must have different names (name=...); repeated: {repeated}."
        )
        every = AllPairs(tuple(dict.fromkeys(each for belief in given for each in belief.priors)))
        if pairs is None:
            require(len(every) > 0, "a scenario needs at least two secrets to make a pair.")
        asked = every if pairs is None else _check_pairs(pairs)
        for belief in given:
            _refuse_silence(belief, asked)
        object.__setattr__(self, "beliefs", given)
        object.__setattr__(self, "pairs", every if asked == every else asked)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The secrets that are in any pair."""
        if isinstance(self.pairs, AllPairs):
            return self.pairs.secrets
        return tuple(dict.fromkeys(secret for pair in self.pairs for secret in pair))

    def laws(self) -> Iterator[PairOfLaws]:
        """Every belief and pair, with its priors and probabilities of a missing value."""
        return (laws_of(belief, pair) for belief in self.beliefs for pair in self.pairs)


def laws_of(belief: Belief, pair: SecretPair) -> PairOfLaws:
    """One pair as one adversary sees it."""
    first, second = pair
    return PairOfLaws(
        belief.name,
        pair,
        belief.priors[first],
        belief.priors[second],
        belief.missing[first],
        belief.missing[second],
        belief.radius,
        belief.provenance,
    )


def _list_secrets(name: str, given: object) -> tuple[Any, ...]:
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise InvalidInputError(
            f"{name} must be a list, got {type(given).__name__}: several beliefs are "
            "[belief_1, belief_2], several pairs are [(secret_1, secret_2), ...]."
        )
    return tuple(given)


def _refuse_silence(belief: Belief, pairs: Sequence[SecretPair]) -> None:
    """Refuse a pair that a belief has no laws for."""
    known = belief.priors.keys()
    if isinstance(pairs, AllPairs) and known >= set(pairs.secrets):
        return
    for pair in pairs:
        for secret in pair:
            if secret not in known:
                raise InvalidInputError(
                    f"belief {belief.name!r} has no prior for secret {secret!r}, needed for the "
                    f"pair ({pair.first!r}, {pair.second!r}); it knows {some_secrets(known)}. Add "
                    "the prior, or name the pairs you want with pairs=[...]."
                )


def _check_pairs(given: object) -> Sequence[SecretPair]:
    if isinstance(given, AllPairs):
        return given
    pairs: dict[frozenset[Secret], SecretPair] = {}
    for each in _list_secrets("pairs", given):
        if isinstance(each, str) or not isinstance(each, Iterable) or len(list(each)) != 2:
            raise InvalidInputError(
                f"a pair must be two secrets, got {each!r}; write pairs=[(secret_1, secret_2)]."
            )
        pair = SecretPair(*(check_secret(secret) for secret in each))
        if pair.first == pair.second:
            raise InvalidInputError(f"a pair must be two different secrets: {pair!r}.")
        pairs.setdefault(frozenset(pair), pair)
    require(bool(pairs), "pairs must not be empty; give None for all pairs.")
    return tuple(pairs.values())


def some_secrets(secrets: Iterable[Secret], most: int = 20) -> str:
    """A few labels, for a message."""
    labels = [repr(secret) for secret in secrets]
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
