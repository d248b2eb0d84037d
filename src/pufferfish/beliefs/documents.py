"""Beliefs, pairs and scenarios in documents; numbers keep every digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pufferfish.beliefs.priors import Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.beliefs.scenario import AllPairs, Belief, Scenario, Secret, SecretPair
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.limits import MOST_COMPONENTS, MOST_PAIRS, MOST_SCREENED
from pufferfish.documents.shape import Entries, made, plain, written
from pufferfish.documents.text import PRIVATE_NOTICE
from pufferfish.documents.types import (
    Bounds,
    Count,
    Counts,
    Name,
    NotNegative,
    Numbers,
    Positive,
    Share,
    Time,
    Whole,
)

__all__ = ["BeliefEntries", "BeliefsEntries", "Pairs", "ScenarioEntries"]
__all__ += ["belief_to_dict", "pairs_to_plain", "scenario_to_dict"]

# Pairs up to which each is written down.
_MANY_PAIRS = 1_000


class AllPairsEntries(Entries):
    """All pairs of some secrets, where they are very many."""

    all_of: Annotated[tuple[Secret, ...], Meta(min_length=2)]

    def made(self) -> AllPairs:
        """The pairs."""
        pairs = AllPairs(self.all_of)
        _refuse_many_pairs(len(pairs))
        return pairs


Pairs = Annotated[tuple[SecretPair, ...], Meta(min_length=1)] | AllPairsEntries


class GaussianEntries(Entries, tag_field="family", tag="gaussian"):
    """A Gaussian law."""

    MADE = Gaussian

    mean: float
    std: Positive


class MixtureEntries(Entries, tag_field="family", tag="mixture"):
    """A mixture of Gaussians."""

    MADE = GaussianMixture

    weights: Annotated[Numbers, Meta(max_length=MOST_COMPONENTS)]
    means: Numbers
    stds: Numbers


class TableEntries(Entries, tag_field="family", tag="table"):
    """Values with their probabilities, with how often each was counted, or with both."""

    MADE = Discrete

    values: Numbers
    probabilities: Numbers | None = None
    counts: Counts | None = None


class SecretEntries(Entries, kw_only=True):
    """What a belief says of one secret; secrets keep their type, which keys of JSON would not."""

    secret: Secret
    missing: Share = 0.0
    missing_count: Annotated[
        Count | None, Meta(description="Rows without a value; needs a prior with counts.")
    ] = None
    prior: GaussianEntries | MixtureEntries | TableEntries


class FrequencyEntries(Entries, kw_only=True):
    """How often each value occurs in a whole table, and in how many rows there is none."""

    values: Numbers
    counts: Counts
    missing: Whole = 0


class BeliefEntries(Entries, kw_only=True):
    """One adversary."""

    name: Name = "belief"
    provenance: Annotated[
        Name, Meta(description='Only "public" says that the belief holds nothing private.')
    ] = "private"
    radius: NotNegative = 0.0
    cap: Bounds | None = None
    fitted_on: str | None = None
    fitted_at: Time | None = None
    secrets: Annotated[tuple[SecretEntries, ...], Meta(min_length=1)]
    frequencies: FrequencyEntries | None = None

    def made(self) -> Belief:
        """The belief."""
        entries = msgspec.structs.asdict(self)
        if (whole := self.frequencies) is not None:
            entries["frequencies"] = Discrete(whole.values, counts=whole.counts)
            entries["frequencies_missing"] = whole.missing
        said = {each.secret: each for each in entries.pop("secrets")}
        if len(said) < len(self.secrets):
            raise InvalidInputError("a secret occurs twice in a belief.")
        missing = {secret: each.missing for secret, each in said.items()}
        counts = {
            secret: each.missing_count
            for secret, each in said.items()
            if each.missing_count is not None
        }
        priors = {secret: each.prior.made() for secret, each in said.items()}
        return Belief(priors, missing=missing, missing_counts=counts, **entries)


class BeliefsEntries(Entries, kw_only=True):
    """A file of beliefs."""

    pufferfish: Literal["beliefs"]
    version: Literal[2]
    notice: str = PRIVATE_NOTICE
    beliefs: Annotated[tuple[BeliefEntries, ...], Meta(min_length=1)]


class ScenarioEntries(Entries):
    """Beliefs and pairs."""

    beliefs: Annotated[tuple[BeliefEntries, ...], Meta(min_length=1)]
    pairs: Pairs

    def made(self) -> Scenario:
        """The scenario."""
        pairs = made(self.pairs)
        _refuse_many_pairs(len(pairs), len(self.beliefs))
        return Scenario([each.made() for each in self.beliefs], pairs=pairs)


def pairs_to_plain(pairs: Sequence[SecretPair]) -> list[list[Secret]] | dict[str, list[Secret]]:
    """A list of pairs; where they are very many, and all of some secrets, those secrets."""
    if isinstance(pairs, AllPairs) and len(pairs) > _MANY_PAIRS:
        return {"all_of": list(pairs.secrets)}
    return [list(pair) for pair in pairs]


def _refuse_many_pairs(pairs: int, beliefs: int = 1) -> None:
    """Refuse what would take a reader of the document too long, or too much memory."""
    if pairs > MOST_PAIRS or pairs * beliefs > MOST_SCREENED:
        raise InvalidInputError(
            f"a document can ask for at most {MOST_PAIRS:,} pairs of secrets, and for "
            f"{MOST_SCREENED:,} over all beliefs; this one has {pairs:,} pairs and "
            f"{beliefs:,} belief(s)."
        )


def scenario_to_dict(scenario: Scenario) -> dict[str, Any]:
    """Beliefs and pairs."""
    _refuse_many_pairs(len(scenario.pairs), len(scenario.beliefs))
    return {
        "beliefs": [belief_to_dict(belief) for belief in scenario.beliefs],
        "pairs": pairs_to_plain(scenario.pairs),
    }


def belief_to_dict(belief: Belief) -> dict[str, Any]:
    """A belief; what nobody counted is left out."""
    secrets = [_secret_to_dict(belief, secret) for secret in belief.priors]
    document = written(BeliefEntries, belief, secrets=secrets, frequencies=None)
    del document["frequencies"]
    if (table := belief.frequencies) is not None:
        document["frequencies"] = {
            "values": plain(table.values),
            "counts": plain(table.counts),
            "missing": belief.frequencies_missing,
        }
    return document


def _secret_to_dict(belief: Belief, secret: Secret) -> dict[str, Any]:
    # Without a count none are missing.
    holes = {"missing_count": count} if (count := belief.missing_counts.get(secret)) else {}
    prior = _prior_to_dict(belief.priors[secret])
    return {"secret": secret, "missing": belief.missing[secret], **holes, "prior": prior}


def _prior_to_dict(prior: Prior) -> dict[str, Any]:
    for form in (GaussianEntries, MixtureEntries, TableEntries):
        if type(prior) is form.MADE:
            entries = {"family": form.__struct_config__.tag, **plain(prior)}
            return {name: entry for name, entry in entries.items() if entry is not None}
    raise InvalidInputError(f"a {type(prior).__name__} cannot be written down.")
