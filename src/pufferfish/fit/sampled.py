"""Fitted laws together with their sampling regions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pufferfish.beliefs.band import band_width
from pufferfish.beliefs.priors import Categorical, Discrete, Prior
from pufferfish.beliefs.region import RegionShape, SampleRegion
from pufferfish.beliefs.scenario import Belief
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import finite, require
from pufferfish.tables import Counts, Group

__all__ = ["with_bands", "with_sampling_error"]

# More than the error of a computed distribution function.
_LOST = 1e-12


def with_sampling_error(
    beliefs: Iterable[Belief],
    confidence: float,
    shape: RegionShape = "dirichlet",
    cells: int | None = None,
) -> tuple[Belief, ...]:
    """The same adversaries, with sampling regions for the laws that were counted.

    Args:
        beliefs: Beliefs that were fitted to one table.
        confidence: The confidence for all their pairs together.
        shape: The shape of the region.
        cells: The number of public cells into which a value may fall, where the shape needs it.
    """
    if shape == "band":
        raise InvalidInputError(
            'region="band" (--region band) is for one column of numbers without known columns: use '
            'region="dirichlet".'
        )
    region = SampleRegion(confidence=finite("confidence", confidence), shape=shape, cells=cells)
    given = tuple(beliefs)
    for each in given:
        require(
            not (_counted(each) and each.public and each.frequencies is None),
            "a public belief about some of the secrets keeps no values of the other rows, and a "
            "sampling region needs every value that occurs in the table, because noise publishes "
            "values near where they are. Fit all secrets, and name the pairs to protect "
            "(pf.Scenario(beliefs, pairs=[...])) instead of only=; leave out rows without a "
            "secret.",
        )
    found = tuple(replace(each, region=region) if _counted(each) else each for each in given)
    require(
        any(each.region is not None for each in found),
        'a sampling confidence is for laws that were counted: fit the family "empirical" as well '
        '(--belief empirical); or, for smooth laws under noise, use region="band" (--region band).',
    )
    return found


def _counted(belief: Belief) -> bool:
    return all(
        isinstance(law, Discrete | Categorical) and law.counts is not None
        for law in belief.priors.values()
    )


def with_bands(beliefs: Iterable[Belief], summary: Counts, confidence: float) -> tuple[Belief, ...]:
    """The same adversaries, each with a band around its laws that covers the rows' own band.

    The distribution function of the population is within d of that of the rows, and so within d + D
    of the fitted one, where D is the largest distance between the two. Secrets share the
    confidence; all adversaries have the same rows.
    """
    share = finite("confidence", confidence)
    found = []
    for belief in beliefs:
        if belief.cap is None:
            raise InvalidInputError(
                "a band needs public bounds for the values, because mass that the rows do not "
                "exclude may lie anywhere: cap the column (cap=(low, high), --cap LOW:HIGH)."
            )
        error = (1.0 - share) / len(summary.groups) * (1.0 - _LOST)
        widths = [
            (
                secret,
                min(band_width(group.records, error) + _distance(prior, group, belief.cap), 1.0),
            )
            for secret, prior in belief.priors.items()
            for group in (summary.groups[secret],)
        ]
        region = SampleRegion(
            confidence=share,
            shape="band",
            widths=tuple(widths),
            rows=tuple((secret, summary.groups[secret].records) for secret in belief.priors),
        )
        # The band is around the rows as they were binned: each value may be half a bin from there.
        radius = max(belief.radius, summary.radius)
        found.append(replace(belief, region=region, radius=radius))
    return tuple(found)


def _distance(prior: Prior, group: Group, cap: tuple[float, float]) -> float:
    """sup |F̂ − F| after both laws are capped to the range, rounded up."""
    if isinstance(prior, Discrete) and prior.counts is not None:
        return 0.0
    values, counts = np.unique(np.clip(group.values, *cap), return_inverse=True)
    rows = np.bincount(counts, weights=group.counts)
    after = np.cumsum(rows) / rows.sum()
    before = after - rows / rows.sum()
    fitted = np.where(values >= cap[1], 1.0, prior.cdf(values))
    below = np.where(values <= cap[0], 0.0, prior.cdf(values))
    return float(max(np.abs(after - fitted).max(), np.abs(before - below).max())) + _LOST
