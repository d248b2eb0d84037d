"""Beliefs, pairs of secrets, and scenarios: what must be indistinguishable, and to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from pufferfish.beliefs.counted import check_frequencies, check_missing
from pufferfish.beliefs.known import (
    Given,
    Rules,
    check_columns,
    check_given,
    check_rules,
    given_key,
)
from pufferfish.beliefs.laws import PairOfLaws, laws_of
from pufferfish.beliefs.pairs import (
    AllPairs,
    Secret,
    SecretPair,
    check_secret,
    list_given,
    some_secrets,
)
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.region import SampleRegion, check_region
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.sharing import share_regions
from pufferfish.beliefs.silence import (
    default_pairs,
    knows_both,
    refuse_silence,
    secrets_in,
    secrets_of_all,
)
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

# The origins of beliefs that the library itself states. All but the first count as private.
PUBLIC = "public"
REFERENCE = "reference sample"
RELEASED = "fitted on the released column"
OTHER_ROWS = "fitted on other rows of the table, which are not published"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Belief:
    """One adversary: a law of X for each secret, for one row (the paper's ρ).

    Rows are independent under a belief. An adversary who knows the exact multiset of rows, or that
    several rows share a secret, knows more than a belief can describe, and is not covered.

    Attributes:
        priors: For each secret the law of X that this adversary holds.
        name: The name of this adversary in messages and certificates.
        provenance: Where the belief comes from. Only "public" states that it holds nothing private;
            fits are labelled "reference sample" or "fitted on the released column".
        missing: For each secret the probability that the value is missing and published as a hole;
            0 for secrets that were not named.
        radius: How far, in W_∞ and in the units of X, the true laws may be from `priors` because
            the values of a table were rounded into bins. Certificates cover all laws within it.
        cap: The bounds to which values are moved before noise is added, if the laws describe the
            moved values; None: they describe values as they are. A plan must have the same cap.
        fitted_on: The fingerprint of the counts that the laws were fitted to; equally private.
        fitted_at: When, in UTC.
        missing_counts: For each secret the number of rows without a value, where it is known and
            the prior has counts: together they are exactly the law of a row.
        frequencies: How often each value occurs in the whole table that the laws were fitted to,
            including rows of secrets that the belief says nothing about; None: not known.
        frequencies_missing: How many rows of that table have no value.
        columns: The columns of the categories, in the order of their tuples; empty for a column of
            numbers.
        given: What this adversary also knows of a row, column by column: the laws are those of
            rows that have these values. Empty: nothing.
        rules: For some columns, the public rule by which their entries become labels.
        region: The laws that are not excluded by the sample from which the laws were counted;
            certificates cover all of them. None: the laws are taken as they are.
    """

    priors: Mapping[Secret, Prior]
    name: str
    provenance: str
    missing: Mapping[Secret, float]
    radius: float
    cap: tuple[float, float] | None
    # Left out of comparisons: two fits with the same result are the same belief.
    fitted_on: str | None = field(compare=False)
    fitted_at: str | None = field(compare=False)
    # Left out as well: missing counts follow from the laws, and promises depend on frequencies
    # only where a region has them: on which values occur.
    missing_counts: Mapping[Secret, int] = field(compare=False)
    frequencies: Discrete | Categorical | None = field(compare=False)
    frequencies_missing: int = field(compare=False)
    columns: tuple[str, ...]
    given: Given = field(compare=False)
    rules: Rules = field(compare=False)
    region: SampleRegion | None
    # The key by which `given` is compared.
    _known: frozenset[Any] = field(init=False)

    def __init__(
        self,
        # A mapping is invariant in its keys: with Any, a plain dict[str, Gaussian] is accepted.
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
        frequencies: Discrete | Categorical | None = None,
        frequencies_missing: int = 0,
        columns: Sequence[str] = (),
        given: Mapping[str, Any] | None = None,
        rules: Iterable[Rule] | Mapping[str, Rule] = (),
        region: SampleRegion | None = None,
    ) -> None:
        """Copy and freeze the entries, and refuse those that make no belief."""
        require(
            isinstance(priors, Mapping),
            f"priors must map each secret to a prior, got {type(priors).__name__}.",
        )
        require(bool(priors), "a belief needs a prior for at least one secret.")
        laws = {check_secret(secret): prior for secret, prior in priors.items()}
        for secret, prior in laws.items():
            require(
                isinstance(prior, Prior),
                f"the prior of {secret!r} must be a Gaussian, GaussianMixture, Discrete or "
                f"Categorical, got {type(prior).__name__}.",
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
        require(
            self.radius == 0.0 or not self.labelled, "a radius is for numbers, not for categories."
        )
        object.__setattr__(self, "columns", check_columns(columns, laws.values(), holes.values()))
        table, without = check_frequencies(
            frequencies, frequencies_missing, self.cap, labelled=self.labelled
        )
        object.__setattr__(self, "frequencies", table)
        object.__setattr__(self, "frequencies_missing", without)
        object.__setattr__(self, "given", check_given(given))
        object.__setattr__(self, "_known", given_key(self.given))
        object.__setattr__(self, "rules", check_rules(rules))
        of_rows = not self.labelled and (self.of_table or fitted_on is not None)
        check_region(region, self.priors, self.missing, self.missing_counts, table, of_rows=of_rows)
        object.__setattr__(self, "region", region)

    @staticmethod
    def _checked_cap(laws: Mapping[Secret, Prior], cap: object) -> tuple[float, float]:
        low, high = bounds("cap", cap)
        categories = any(isinstance(law, Categorical) for law in laws.values())
        require(not categories, "a cap is for a column of numbers: leave it out for categories.")
        # Smooth laws have tails beyond any bounds, also as laws of capped values.
        inside = all(_atoms_within(law, low, high) for law in laws.values())
        require(inside, "a table of capped values has some outside the cap: cap them first.")
        return low, high

    def lies_within(self, low: float, high: float) -> bool:
        """Whether the laws stay the same when values are moved to these bounds."""
        return not self.labelled and all(
            not law.components().stds.any() and _atoms_within(law, low, high)
            for law in self.priors.values()
        )

    @property
    def labelled(self) -> bool:
        """Whether the laws are of categories, or tuples of them, and not of numbers."""
        return any(isinstance(law, Categorical) for law in self.priors.values())

    @property
    def public(self) -> bool:
        """Whether the belief may be shown to anyone."""
        return self.provenance == PUBLIC

    @property
    def of_table(self) -> bool:
        """Whether the belief was fitted on rows of the table, released or set apart."""
        return self.provenance in (RELEASED, OTHER_ROWS)

    def __repr__(self) -> str:
        """The name and the secrets; the priors only where they are public."""
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
            columns=self.columns,
            given=dict(self.given),
            rules=tuple(self.rules.values()),
            region=self.region,
        )
        fields = dict(self.priors), self.name, self.provenance, dict(self.missing), self.radius
        return counted, (*fields, self.cap, self.fitted_on, self.fitted_at)


def _by_secret(name: str, given: object, laws: Mapping[Secret, Prior]) -> dict[Secret, Any]:
    """The given number of each secret, checked to have a prior."""
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


@dataclass(frozen=True, slots=True, init=False)
class Scenario:
    """The pairs of secrets that must be indistinguishable, and the adversaries.

    Beliefs may be about different secrets, such as race and sex, each of which is protected. A
    belief about race need not cover sex, as long as some belief with the same known values does.

    Attributes:
        beliefs: The adversaries; the promise holds against each of them (the paper's max over ρ).
        pairs: The secret pairs; by default all pairs of secrets that some belief knows together.
    """

    beliefs: tuple[Belief, ...]
    pairs: Sequence[SecretPair]

    def __init__(
        self,
        beliefs: Iterable[Belief] | Belief,
        pairs: Iterable[tuple[Secret, Secret]] | None = None,
    ) -> None:
        """Remove repeated pairs, and refuse beliefs that lack a secret which they need."""
        given = (beliefs,) if isinstance(beliefs, Belief) else list_given("beliefs", beliefs)
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
        asked = default_pairs(given) if pairs is None else _check_pairs(pairs)
        refuse_silence(given, asked)
        object.__setattr__(self, "beliefs", given)
        every = AllPairs(secrets_of_all(given))
        object.__setattr__(self, "pairs", every if asked == every else asked)
        regions = share_regions(given, self.pairs, self.pairs_of)
        shared = (
            each if region is None else replace(each, region=region)
            for each, region in zip(given, regions, strict=True)
        )
        object.__setattr__(self, "beliefs", tuple(shared))

    @property
    def confidence(self) -> float | None:
        """The confidence of the sampling regions; None unless they cover every pair.

        Each pair that somebody might tell apart needs a region of somebody who knows the same. All
        regions must be of the same rows: those of the table, if any belief is about it.
        """
        sampled = [each for each in self.beliefs if each.region is not None]
        if not self.of_table and len({each.provenance for each in sampled}) > 1:
            return None
        peers = [each for each in sampled if each.of_table or not self.of_table]
        stated = {each.region.confidence for each in peers if each.region is not None}
        covered = all(self._covered(each, peers) for each in self.beliefs)
        return stated.pop() if stated and covered else None

    @property
    def of_table(self) -> bool:
        """Whether any belief was fitted on rows of the table that is released."""
        return any(each.of_table for each in self.beliefs)

    def _covered(self, belief: Belief, sampled: Sequence[Belief]) -> bool:
        """Whether adversaries who know the same have regions for all pairs of this one."""
        peers = [each for each in sampled if each._known == belief._known]
        secrets = set(self.secrets_of(belief))
        return any(each.priors.keys() >= secrets for each in peers) or all(
            any(knows_both(each, pair) for each in peers) for pair in self.pairs_of(belief)
        )

    @property
    def sampled(self) -> bool:
        """Whether some belief has a sampling region."""
        return any(each.region is not None for each in self.beliefs)

    def as_described(self) -> Scenario:
        """The same adversaries without sampling regions: their laws are taken as they are."""
        return Scenario([replace(each, region=None) for each in self.beliefs], pairs=self.pairs)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The secrets that are in any pair."""
        return secrets_in(self.pairs)

    def secrets_of(self, belief: Belief) -> tuple[Secret, ...]:
        """The secrets of pairs for which one adversary has a law."""
        return tuple(secret for secret in self.secrets if secret in belief.priors)

    def pairs_of(self, belief: Belief) -> Sequence[SecretPair]:
        """The pairs that one adversary might tell apart: those with a law for both secrets."""
        if belief.priors.keys() >= set(self.secrets):
            return self.pairs
        own = tuple(pair for pair in self.pairs if knows_both(belief, pair))
        every = AllPairs(secrets_in(own))
        return every if every == own else own

    def only(self, pairs: Iterable[tuple[Secret, Secret]]) -> Scenario:
        """Some of the pairs, and the adversaries who might tell them apart."""
        chosen = _check_pairs(pairs)
        knowing = [each for each in self.beliefs if any(knows_both(each, pair) for pair in chosen)]
        return Scenario(knowing, chosen)

    def laws(self, wrong: float = 0.0) -> Iterator[PairOfLaws]:
        """Each pair under each belief, with priors and probabilities of a missing value.

        Args:
            wrong: How far in total variation each law may be from the one believed.
        """
        return (
            laws_of(belief, pair, wrong)
            for belief in self.beliefs
            for pair in self.pairs_of(belief)
        )


def _check_pairs(given: object) -> Sequence[SecretPair]:
    if isinstance(given, AllPairs):
        return given
    pairs: dict[frozenset[Secret], SecretPair] = {}
    for each in list_given("pairs", given):
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
