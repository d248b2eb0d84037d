"""The four families of laws that an adversary may fit, one law for the values of each secret."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from pufferfish.beliefs.priors import Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.beliefs.priors.discrete import TOO_MANY
from pufferfish.beliefs.scenario import Secret
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.mixture import MixtureFit, fit_mixtures, refit
from pufferfish.fit.ubm import adapt
from pufferfish.tables import Counts, Group

__all__ = [
    "FAMILIES",
    "MOST_COMPONENTS",
    "Family",
    "FittedLaws",
    "empirical",
    "fit_laws",
    "narrowest",
    "parse_family",
    "refit_law",
    "refit_laws",
]

FAMILIES = ("gaussian", "mixture", "ubm", "empirical")
# "auto" chooses among 1 to this many components.
MOST_COMPONENTS = 5
# No component is narrower than this fraction of the column's spread.
_LEAST_SHARE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family with its number of components; None: chosen by BIC."""

    kind: str
    components: int | None = None

    @property
    def name(self) -> str:
        """The name of a belief of this family."""
        return self.kind if self.components is None else f"{self.kind}-{self.components}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FittedLaws:
    """A law for each secret, and for mixtures the fits that were compared.

    Attributes:
        priors: The law of each secret.
        scores: For each secret the fits with 1, 2, ... components; empty for other families.
        background: For "ubm" the fits to all secrets together.
    """

    priors: Mapping[Secret, Prior]
    scores: Mapping[Secret, tuple[MixtureFit, ...]]
    background: tuple[MixtureFit, ...] = ()


def parse_family(family: object, components: object = "auto") -> Family:
    """The family that a name means: "mixture" with components=3, or "mixture-3"."""
    choices = ", ".join(repr(each) for each in FAMILIES)
    if not isinstance(family, str):
        raise InvalidInputError(f"family must be one of {choices}, got {type(family).__name__}.")
    kind, _, number = family.partition("-")
    if kind not in FAMILIES or (number and not number.isdigit()):
        raise InvalidInputError(
            f"family {family!r} is not known; known: {choices}, and 'mixture-3' for a mixture of "
            "three components."
        )
    given: object = int(number) if number else components
    if kind not in ("mixture", "ubm"):
        require(
            given == "auto",
            f"the family {kind!r} has no components to choose: leave out components.",
        )
        return Family(kind=kind)
    if given == "auto":
        return Family(kind=kind)
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 1 <= given <= 60:
        raise InvalidInputError(
            "a mixture has 1 to 60 components (mixture-3; in Python components=3, or "
            f'"auto"), got {given!r}.'
        )
    return Family(kind=kind, components=int(given))


def narrowest(summary: Counts) -> float:
    """The least std that a component may have: the std that rounding to the column's steps adds.

    A column with steps of h has an error of std h/√12 in each value; a narrower component would
    only show that one value occurs often. Nor may a component be narrower than a thousandth of the
    column's spread (the smaller of std and IQR/1.349), for tables without a clear resolution: many
    different values and one that is repeated.
    """
    pooled = summary.pooled
    if pooled.values.size < 2 and summary.cap is not None:
        low, high = summary.cap
        raise DataError(
            f"all values of column {summary.column!r} lie on one side of the cap {low:g}:{high:g}, "
            "or at one of its bounds, and so become one value: check the bounds (a point is the "
            "decimal mark)."
        )
    if pooled.values.size < 2:
        raise DataError(
            f"column {summary.column!r} is constant, and no Gaussian describes a constant. Leave "
            'it out of the release, or use family="empirical" (--belief empirical).'
        )
    return max(summary.resolution / math.sqrt(12.0), _LEAST_SHARE * _spread(pooled))


def fit_laws(
    summary: Counts,
    family: Family,
    floor: float,
    relevance: float,
    count: Callable[[int], None] = lambda done: None,
) -> FittedLaws:
    """One law for each secret; `count` is called with the number of mixtures done."""
    most = family.components or MOST_COMPONENTS
    if family.kind == "ubm":
        background = fit_mixtures(summary.pooled, most, floor)
        chosen = _choose(background, family).prior
        return FittedLaws(
            priors=adapt(chosen, summary.groups, relevance), scores={}, background=background
        )
    if family.kind != "mixture":
        return FittedLaws(
            priors={s: _simple(family, group, floor) for s, group in summary.groups.items()},
            scores={},
        )
    scores: dict[Secret, tuple[MixtureFit, ...]] = {}
    for secret, group in summary.groups.items():
        scores[secret] = fit_mixtures(group, most, floor)
        count(len(scores))
    return FittedLaws(
        priors={secret: _choose(found, family).prior for secret, found in scores.items()},
        scores=scores,
    )


def refit_laws(
    laws: FittedLaws, summary: Counts, family: Family, floor: float, relevance: float
) -> Mapping[Secret, Prior]:
    """The same family fitted to other counts; mixtures start from their present components."""
    if family.kind == "ubm":
        start = _choose(laws.background, family).prior
        return adapt(refit(summary.pooled, start, floor), summary.groups, relevance)
    if family.kind != "mixture":
        return {s: _simple(family, group, floor) for s, group in summary.groups.items()}
    return {
        secret: refit(group, _choose(laws.scores[secret], family).prior, floor)
        for secret, group in summary.groups.items()
    }


def refit_law(prior: Prior, group: Group, floor: float) -> Prior:
    """A law of the same family, fitted to other counts."""
    if isinstance(prior, GaussianMixture):
        return refit(group, prior, floor)
    kind = "gaussian" if isinstance(prior, Gaussian) else "empirical"
    return _simple(Family(kind=kind), group, floor)


def _choose(fits: tuple[MixtureFit, ...], family: Family) -> MixtureFit:
    """The fit with the requested number of components, or the one with the smallest BIC."""
    return min(fits, key=lambda fit: fit.bic) if family.components is None else fits[-1]


def empirical(group: Group) -> Discrete:
    """The frequency of each value."""
    counts = group.counts if group.records < TOO_MANY else None
    return Discrete(group.values, group.counts / group.records, counts=counts)


def _simple(family: Family, group: Group, floor: float) -> Prior:
    """The table of frequencies itself, or a Gaussian with its mean and variance."""
    table = empirical(group)
    if family.kind == "empirical":
        return table
    return Gaussian(table.mean, max(math.sqrt(table.variance), floor))


def _spread(group: Group) -> float:
    table = empirical(group)
    std = math.sqrt(table.variance)
    low, high = table.quantile([0.25, 0.75])
    quartiles = float(high - low) / 1.349
    return min(std, quartiles) if quartiles > 0.0 else std
