"""What adversaries with sampling regions share: the probability of an error, and a list of values.

α is divided equally among the *kinds* of pairs, and within a kind equally among its pairs. A kind
is a set of known columns together with secrets that are connected by pairs; which kinds there are
is known without the rows. The number of pairs of a kind depends on the rows, but only on how many
there are of each secret and known value. Given these numbers it is fixed, the rows of each secret
are still independent draws from its law, and the union bound holds within the kind; then it holds
over the kinds (docs/theory/sampling-error.md).

Under noise a law of a region may have every value that occurs in the table, also one that does not
occur among the rows with the same known values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pufferfish.beliefs.pairs import AllPairs, Secret, SecretPair
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.region import SampleRegion
from pufferfish.core.validation import FloatArray, require

if TYPE_CHECKING:
    from pufferfish.beliefs.scenario import Belief

__all__ = ["share_regions", "values_seen"]


def share_regions(
    beliefs: Sequence[Belief],
    pairs: Sequence[SecretPair],
    pairs_of: Callable[[Belief], Sequence[SecretPair]],
) -> list[SampleRegion | None]:
    """The regions, each with its share of the probability of an error and the values elsewhere.

    Args:
        beliefs: All adversaries.
        pairs: All pairs.
        pairs_of: The pairs that an adversary might tell apart.
    """
    sampled = [each for each in beliefs if each.region is not None]
    _refuse_mixed(sampled)
    connected = _connected(pairs)
    kinds = {each.name: _kinds_of(each, pairs_of(each), connected) for each in sampled}
    total: Counter[object] = sum(kinds.values(), Counter())
    every = np.unique(np.concatenate([np.empty(0), *map(values_seen, sampled)]))
    found: list[SampleRegion | None] = []
    for belief in beliefs:
        if belief.region is None:
            found.append(None)
            continue
        most = max((total[kind] for kind in kinds[belief.name]), default=1)
        own = _values_of(belief)
        elsewhere = tuple(np.setdiff1d(every, own, assume_unique=True).tolist())
        found.append(belief.region.among(max(len(total), 1) * most, elsewhere))
    return found


def values_seen(belief: Belief) -> FloatArray:
    """The values that a law of the region may have under noise, in rising order."""
    region = belief.region
    elsewhere = () if region is None else region.elsewhere
    return np.union1d(_values_of(belief), np.array(elsewhere, dtype=np.float64))


def _values_of(belief: Belief) -> FloatArray:
    """The values of the rows that the belief is about, with any secret."""
    laws = (*belief.priors.values(), belief.frequencies)
    seen = [law.values for law in laws if isinstance(law, Discrete)]
    return np.unique(np.concatenate(seen)) if seen else np.empty(0)


def _kinds_of(
    belief: Belief, pairs: Sequence[SecretPair], connected: Callable[[Secret], object]
) -> Counter[object]:
    """How many pairs of each kind an adversary has."""
    known = frozenset(belief.given)
    if isinstance(pairs, AllPairs):
        return Counter({(known, connected(pairs.secrets[0])): len(pairs)}) if pairs else Counter()
    return Counter((known, connected(pair.first)) for pair in pairs)


def _connected(pairs: Sequence[SecretPair]) -> Callable[[Secret], object]:
    """A name for the secrets that are connected with a secret by pairs."""
    if isinstance(pairs, AllPairs):
        return lambda secret: None
    leader: dict[Secret, Secret] = {}

    def find(secret: Secret) -> Secret:
        while leader.setdefault(secret, secret) != secret:
            leader[secret] = secret = leader[leader[secret]]
        return secret

    for first, second in pairs:
        leader[find(first)] = find(second)
    return find


def _refuse_mixed(sampled: Sequence[Belief]) -> None:
    regions = [each.region for each in sampled if each.region is not None]
    tables = [each.fitted_on for each in sampled if each.region and each.region.widths]
    require(
        len(tables) <= 1 or (len(set(tables)) == 1 and None not in tables),
        "bands of several tables would have to share the confidence, and their widths are fixed: "
        "use bands of one table.",
    )
    require(
        len({region.confidence for region in regions}) <= 1,
        "beliefs with a sampling region must have the same confidence, because they share it.",
    )
    require(
        len({region.shape == "band" for region in regions}) <= 1,
        "bands and other regions cannot share a confidence: use one shape for all beliefs.",
    )
