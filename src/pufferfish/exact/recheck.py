"""Compares a recorded certificate with the one that is computed again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from pufferfish.beliefs.scenario import Belief, Scenario, SecretPair, laws_of
from pufferfish.core.limits import still_patient
from pufferfish.exact.certificate import Certificate, PairResult, Screened
from pufferfish.exact.recoded import certify_recoding
from pufferfish.exact.single import verify_pair
from pufferfish.noise import Stratified, as_noise
from pufferfish.recoding.law import Recoding

__all__ = ["certificate_gap"]

_Key = tuple[str, str, SecretPair, SecretPair]


def certificate_gap(
    recorded: Certificate, computed: Certificate, scenario: Scenario | None = None
) -> float:
    """The largest difference of any bound; inf if the two do not certify the same.

    Args:
        recorded: The recorded certificate.
        computed: The certificate that was computed now.
        scenario: The scenario of both. Which of very many pairs are examined may differ from
            machine to machine; those that only the record has are examined here.
    """
    same = all(
        getattr(recorded, each) == getattr(computed, each)
        for each in ("goal", "noise", "wrong", "confidence")
    )
    if not same or _pairs(recorded) != _pairs(computed):
        return math.inf
    mine, theirs = _by_key(computed.results), _by_key(recorded.results)
    if len(theirs) != len(recorded.results):
        return math.inf
    missing = theirs.keys() - mine.keys()
    if not recorded.screened and (missing or len(mine) != len(theirs)):
        return math.inf
    if missing:
        mine |= _by_key(_examine(missing, computed, scenario))
    if not theirs.keys() <= mine.keys():
        return math.inf
    gaps = [
        *_gaps(recorded.worst, computed.worst),
        *(_gap(*both) for both in zip(_screen(recorded), _screen(computed), strict=True)),
    ]
    for key, result in theirs.items():
        if bool(result.witnesses) != bool(mine[key].witnesses):
            return math.inf
        gaps += _gaps(result, mine[key])
    return max(gaps)


def _pairs(certificate: Certificate) -> Counter[tuple[str, str]]:
    """The number of pairs of each belief, by its name and provenance."""
    counted: Counter[tuple[str, str]] = Counter()
    for result in certificate.results:
        counted[result.belief, result.provenance] += result.direction == result.pair
    for each in certificate.screened:
        counted[each.belief, each.provenance] += each.pairs
    return counted


def _by_key(results: tuple[PairResult, ...] | list[PairResult]) -> dict[_Key, PairResult]:
    return {(each.belief, each.provenance, each.pair, each.direction): each for each in results}


def _examine(
    keys: set[_Key], certificate: Certificate, scenario: Scenario | None
) -> list[PairResult]:
    """The results of some pairs, as far as they are in the scenario."""
    beliefs = {} if scenario is None else {each.name: each for each in scenario.beliefs}
    found: list[PairResult] = []
    for belief, pair in {(key[0], key[2]) for key in keys}:
        still_patient()
        believed = beliefs.get(belief)
        if scenario is None or believed is None:
            continue
        if pair in scenario.pairs_of(believed):
            found += _results(certificate, believed, pair)
    return found


def _results(certificate: Certificate, belief: Belief, pair: SecretPair) -> Sequence[PairResult]:
    law, goal = certificate.noise, certificate.goal
    if isinstance(law, Stratified):
        place = law.place_of(belief.given)
        if place is None:
            return ()
        law = law.strata[place].law
    if isinstance(law, Recoding):
        alone = Scenario([belief], [pair])
        return certify_recoding(alone, law, goal, certificate.wrong).results
    return verify_pair(laws_of(belief, pair, certificate.wrong), as_noise(law), goal)


def _screen(certificate: Certificate) -> Iterator[float]:
    """The bounds of pairs that were not examined, belief by belief."""
    by_name: dict[str, Screened] = {each.belief: each for each in certificate.screened}
    for name in sorted({each.belief for each in certificate.results} | by_name.keys()):
        each = by_name.get(name)
        yield from (0.0, 0.0) if each is None else (each.delta_upper, each.epsilon_upper)
    yield float(len(certificate.screened) - len(by_name))


def _gaps(one: PairResult, other: PairResult) -> Iterator[float]:
    """The differences of bounds; only of the upper bounds where witnesses prove them."""
    names = ["delta_upper", "epsilon_upper"]
    if not one.witnesses and not other.witnesses:
        names += ["delta_lower", "epsilon_lower"]
    return (_gap(getattr(one, name), getattr(other, name)) for name in names)


def _gap(one: float, other: float) -> float:
    return 0.0 if one == other else abs(one - other)
