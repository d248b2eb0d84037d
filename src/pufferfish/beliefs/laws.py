"""The laws of one pair of secrets under one belief: what the oracle judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pufferfish.beliefs.pairs import SecretPair
from pufferfish.beliefs.priors import Prior
from pufferfish.beliefs.region import SampleRegion
from pufferfish.beliefs.sharing import values_seen

if TYPE_CHECKING:
    from pufferfish.beliefs.scenario import Belief

__all__ = ["PairOfLaws", "laws_of"]


class PairOfLaws(NamedTuple):
    """One pair under one belief: all that the oracle needs."""

    belief: str
    pair: SecretPair
    first: Prior
    second: Prior
    missing_first: float
    missing_second: float
    radius: float = 0.0
    provenance: str = "private"
    # How far in total variation each law may be wrong, within the cap.
    wrong: float = 0.0
    cap: tuple[float, float] | None = None
    # The laws that a sample does not exclude, and the values that were seen.
    region: SampleRegion | None = None
    listed: tuple[float, ...] = ()


def laws_of(belief: Belief, pair: SecretPair, wrong: float = 0.0) -> PairOfLaws:
    """One pair under one belief, whose laws may be wrong by `wrong`."""
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
        wrong,
        belief.cap,
        belief.region,
        () if belief.region is None else tuple(values_seen(belief).tolist()),
    )
