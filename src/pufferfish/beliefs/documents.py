"""Beliefs, pairs and scenarios in documents; numbers keep every digit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pufferfish.beliefs.labels import Label, Labels
from pufferfish.beliefs.priors import Categorical, Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.beliefs.region import RegionShape, SampleRegion
from pufferfish.beliefs.rules import Rule, Unit
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

__all__ = ["BeliefEntries", "BeliefsEntries", "Pairs", "RuleEntries", "ScenarioEntries"]
__all__ += ["belief_to_dict", "pairs_to_plain", "rule_to_dict", "scenario_to_dict"]

# Up to this many pairs, a document lists each one.
_MANY_PAIRS = 1_000


class AllPairsEntries(Entries):
    """All pairs of some secrets, where there are too many to list."""

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


class CategoryEntries(Entries, tag_field="family", tag="categories"):
    """Categories, or tuples of them for several columns, as `TableEntries` has values."""

    values: Annotated[tuple[Labels, ...], Meta(min_length=1)]
    probabilities: Numbers | None = None
    counts: Counts | None = None

    def made(self) -> Categorical:
        """The law."""
        return Categorical(self.values, self.probabilities, counts=self.counts)


class SecretEntries(Entries, kw_only=True):
    """The law of one secret in a belief; the secret keeps its type, which a JSON key would lose."""

    secret: Secret
    missing: Share = 0.0
    missing_count: Annotated[
        Count | None,
        Meta(description="The number of rows without a value; needs a prior with counts."),
    ] = None
    prior: GaussianEntries | MixtureEntries | TableEntries | CategoryEntries


class RuleEntries(Entries, kw_only=True):
    """A public rule by which the entries of a column become labels."""

    column: Name
    read: Literal["number", "label"]
    edges: Numbers | None = None
    names: tuple[Label, ...] | None = None
    unit: Unit | None = None
    merged: Annotated[
        tuple[tuple[Label, Label], ...],
        Meta(description="Labels, and the label that each becomes."),
    ] = ()
    order: tuple[Label, ...] = ()

    def made(self) -> Rule:
        """The rule."""
        merged = dict(self.merged)
        if len(merged) < len(self.merged):
            raise InvalidInputError("a label is merged twice: name each label once.")
        return Rule(**(msgspec.structs.asdict(self) | {"merged": merged}))


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """A rule as plain data, without the entries that have their default."""
    document = written(RuleEntries, rule, merged=[list(pair) for pair in rule.merged.items()])
    needed = ("column", "read")
    return {name: entry for name, entry in document.items() if name in needed or entry}


class FrequencyEntries(Entries, kw_only=True):
    """How often each value occurs in a whole table, and how many of its rows have none."""

    values: Annotated[tuple[Labels, ...], Meta(min_length=1)]
    counts: Counts
    missing: Whole = 0


class RegionEntries(Entries, kw_only=True):
    """Which laws a sample does not exclude."""

    MADE = SampleRegion

    confidence: Annotated[float, Meta(gt=0, lt=1)]
    shape: RegionShape = "dirichlet"
    cells: Annotated[int, Meta(ge=2)] | None = None
    widths: tuple[tuple[Secret, Annotated[float, Meta(ge=0, le=1)]], ...] = ()
    rows: tuple[tuple[Secret, Annotated[int, Meta(ge=1)]], ...] = ()
    pairs: (
        Annotated[
            int, Meta(ge=1, description="By how much the probability of an error is divided.")
        ]
        | None
    ) = None
    elsewhere: tuple[float, ...] = ()


class BeliefEntries(Entries, kw_only=True):
    """One adversary."""

    name: Name = "belief"
    provenance: Annotated[
        Name, Meta(description='Only "public" states that the belief holds nothing private.')
    ] = "private"
    radius: NotNegative = 0.0
    cap: Bounds | None = None
    fitted_on: str | None = None
    fitted_at: Time | None = None
    secrets: Annotated[tuple[SecretEntries, ...], Meta(min_length=1)]
    frequencies: FrequencyEntries | None = None
    columns: tuple[Name, ...] = ()
    given: Annotated[
        dict[str, Label], Meta(description="What the adversary also knows of a row, by column.")
    ] = msgspec.field(default_factory=dict)
    rules: tuple[RuleEntries, ...] = ()
    region: RegionEntries | None = None

    def made(self) -> Belief:
        """The belief."""
        entries = msgspec.structs.asdict(self)
        if (whole := self.frequencies) is not None:
            entries["frequencies"] = self._whole_table(whole)
            entries["frequencies_missing"] = whole.missing
        entries["rules"] = tuple(each.made() for each in self.rules)
        entries["region"] = None if self.region is None else self.region.made()
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

    def _whole_table(self, whole: FrequencyEntries) -> Discrete | Categorical:
        if any(isinstance(each.prior, CategoryEntries) for each in self.secrets):
            return Categorical(whole.values, counts=whole.counts)
        if not all(isinstance(each, int | float) for each in whole.values):
            raise InvalidInputError(
                "frequencies of a column of numbers hold something that is not a number."
            )
        return Discrete([float(each) for each in whole.values], counts=whole.counts)  # type: ignore[arg-type]  # as was just seen


class BeliefsEntries(Entries, kw_only=True):
    """A file of beliefs."""

    pufferfish: Literal["beliefs"]
    version: Literal[1]
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
    """A list of pairs; where these are very many and all pairs of some secrets, those secrets."""
    if isinstance(pairs, AllPairs) and len(pairs) > _MANY_PAIRS:
        return {"all_of": list(pairs.secrets)}
    return [list(pair) for pair in pairs]


def _refuse_many_pairs(pairs: int, beliefs: int = 1) -> None:
    """Refuse a document that would take its reader too much time or memory."""
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


def _region_to_dict(region: SampleRegion) -> dict[str, Any]:
    document = written(RegionEntries, region)
    return {name: each for name, each in document.items() if each or name != "elsewhere"}


def belief_to_dict(belief: Belief) -> dict[str, Any]:
    """A belief as plain data, without counts where there are none."""
    secrets = [_secret_to_dict(belief, secret) for secret in belief.priors]
    document = written(
        BeliefEntries,
        belief,
        secrets=secrets,
        frequencies=None,
        given=dict(belief.given),
        rules=[rule_to_dict(each) for each in belief.rules.values()],
        region=None if belief.region is None else _region_to_dict(belief.region),
    )
    for name in ("frequencies", "columns", "given", "rules", "region"):
        if not document[name]:
            del document[name]
    if (table := belief.frequencies) is not None:
        document["frequencies"] = {
            "values": plain(table.values),
            "counts": plain(table.counts),
            "missing": belief.frequencies_missing,
        }
    return document


def _secret_to_dict(belief: Belief, secret: Secret) -> dict[str, Any]:
    # Where rows without a value were not counted, none are missing.
    holes = {"missing_count": count} if (count := belief.missing_counts.get(secret)) else {}
    prior = _prior_to_dict(belief.priors[secret])
    return {"secret": secret, "missing": belief.missing[secret], **holes, "prior": prior}


def _prior_to_dict(prior: Prior) -> dict[str, Any]:
    if isinstance(prior, Categorical):
        masses = {"counts": plain(prior.counts)}
        if prior.counts is None:
            masses = {"probabilities": plain(prior.probabilities)}
        return {"family": "categories", "values": plain(prior.values), **masses}
    for form in (GaussianEntries, MixtureEntries, TableEntries):
        if type(prior) is form.MADE:
            entries = {"family": form.__struct_config__.tag, **plain(prior)}
            return {name: entry for name, entry in entries.items() if entry is not None}
    raise InvalidInputError(f"a {type(prior).__name__} cannot be written to a document.")
