"""The attack on one pair: find the event that reveals most, then test it on fresh draws.

By the lemma of Neyman and Pearson the best events are the sets {log p_i/p_j > t}. Where the noise
law is claimed they are known analytically; if the code does not draw the law that it claims, those
of smaller noise, or of ratios learned from the first half of the draws, may reveal more. The first
half of the draws chooses among all these; the second half, which plays no part in the choice, is
the evidence. A recoding publishes finitely many values, and any set of them is an event.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from pufferfish.audits.bounds import (
    Counts,
    delta_lower,
    epsilon_lower,
    probability_lower,
    probability_upper,
)
from pufferfish.audits.cells import Cells
from pufferfish.audits.draws import Generator, publish
from pufferfish.audits.result import Event, PairFinding
from pufferfish.audits.subject import Subject
from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, SecretPair
from pufferfish.core.validation import FloatArray
from pufferfish.noise import Noise
from pufferfish.recoding.law import Recoding

__all__ = ["attack", "both_directions", "scores_of_laws"]

_PILOT = 2**15
# Fractions of the claimed noise whose best events are tried too.
_SMALLER = (1.0, 0.5, 0.2)


def attack(
    subject: Subject,
    laws: PairOfLaws,
    goal: Guarantee,
    draws: int,
    alpha: float,
    source: Generator,
) -> tuple[PairFinding, PairFinding]:
    """Both directions of a pair; each finding is wrong with probability at most α/2."""

    def drawn(count: int) -> tuple[Iterator[FloatArray], Iterator[FloatArray]]:
        return (
            publish(subject, laws.first, laws.missing_first, count, source),
            publish(subject, laws.second, laws.missing_second, count, source),
        )

    if subject.recoding is None:
        pilot = [part for parts in drawn(min(_PILOT, draws)) for part in parts]
        cells = Cells.around(np.concatenate(pilot))
    else:
        cells = Cells.of(subject.recoding)
    half = draws // 2
    chosen_by = tuple(cells.counts(parts) for parts in drawn(half))
    tested_by = tuple(cells.counts(parts) for parts in drawn(draws - half))
    known = scores_of_laws(laws, cells, subject.noise or subject.recoding)
    return both_directions(laws, cells, known, chosen_by, tested_by, goal, alpha)


def scores_of_laws(
    laws: PairOfLaws, cells: Cells, claimed: Noise | Recoding | None
) -> list[FloatArray]:
    """log p_i/p_j of each cell under the claimed law; for noise, also under fractions of it."""
    if isinstance(claimed, Recoding):
        found = iter([cells.recoded_ratios(laws, claimed)])
    else:
        found = (cells.log_ratios(laws, noise) for noise in _candidates(claimed))
    return [each for each in found if each is not None]


def both_directions(
    laws: PairOfLaws,
    cells: Cells,
    known: list[FloatArray],
    chosen_by: tuple[Counts, ...],
    tested_by: tuple[Counts, ...],
    goal: Guarantee,
    alpha: float,
) -> tuple[PairFinding, PairFinding]:
    """What two halves of draws, counted by cells for both secrets, show about a pair.

    Args:
        laws: The pair.
        cells: What was counted.
        known: Further orders of the cells to try, in addition to that of the counts.
        chosen_by: Counts that choose the events.
        tested_by: Counts that test them.
        goal: The promise.
        alpha: Either finding is wrong with probability at most half of this.
    """
    scores = [*known, _learn(chosen_by, 0 if cells.listed else chosen_by[0].size // 50)]
    turned = laws._replace(pair=SecretPair(laws.pair.second, laws.pair.first))
    opposite = [-each for each in scores]
    return (
        _finding(laws, cells, scores, chosen_by, tested_by, goal, alpha / 2.0),
        _finding(turned, cells, opposite, chosen_by[::-1], tested_by[::-1], goal, alpha / 2.0),
    )


def _learn(counts: tuple[Counts, ...], width: int) -> FloatArray:
    """Log-ratios of the counts, each cell together with its neighbours on both sides."""
    window = np.ones(2 * width + 1)
    # Missing values have no neighbours.
    smooth = [
        np.append(np.convolve(each[:-1], window)[width : width + each.size - 1], each[-1])
        for each in counts
    ]
    return np.asarray(np.log((smooth[0] + 0.5) / (smooth[1] + 0.5)))


def _candidates(noise: Noise | None) -> Iterator[Noise]:
    if noise is None or noise.identity:
        return
    for part in _SMALLER:
        yield noise.ideal(part)


def _finding(
    laws: PairOfLaws,
    cells: Cells,
    scores: list[FloatArray],
    chosen_by: tuple[Counts, ...],
    tested_by: tuple[Counts, ...],
    goal: Guarantee,
    alpha: float,
) -> PairFinding:
    """Two events, each tested by two bounds, all four wrong with probability at most α together."""
    share = alpha / 4.0
    for_delta, for_epsilon = _best_events(scores, chosen_by, goal, share)
    draws = int(tested_by[0].sum())

    def tested(event: Counts) -> tuple[Event, FloatArray, FloatArray]:
        first, second = (int(counts[event].sum()) for counts in tested_by)
        found = Event(
            words=cells.in_words(event), hits_first=first, hits_second=second, draws=draws
        )
        return (
            found,
            probability_lower(first, draws, share),
            probability_upper(second, draws, share),
        )

    delta_event, *delta_bounds = tested(for_delta)
    epsilon_event, *epsilon_bounds = tested(for_epsilon)
    return PairFinding(
        belief=laws.belief,
        direction=laws.pair,
        epsilon_lower=float(epsilon_lower(epsilon_bounds[0], epsilon_bounds[1], goal.delta)),
        delta_lower=max(float(delta_lower(delta_bounds[0], delta_bounds[1], goal.epsilon)), 0.0),
        epsilon_event=epsilon_event,
        delta_event=delta_event,
    )


def _best_events(
    scores: list[FloatArray], counts: tuple[Counts, ...], goal: Guarantee, alpha: float
) -> tuple[Counts, Counts]:
    """The cells of the events that promise the largest lower bounds on δ and on ε."""
    draws = int(counts[0].sum())
    best: list[tuple[float, Counts]] = []
    for score in scores:
        order = np.argsort(-score, kind="stable")
        first, second = (np.cumsum(each[order]) / draws for each in counts)
        lower = _wilson(first, draws, alpha, -1.0)
        upper = _wilson(second, draws, alpha, 1.0)
        gains = delta_lower(lower, upper, goal.epsilon), epsilon_lower(lower, upper, goal.delta)
        found = [(float(gain.max()), order[: int(gain.argmax()) + 1]) for gain in gains]
        best = (
            [max(old, new, key=lambda each: each[0]) for old, new in zip(best, found, strict=True)]
            if best
            else found
        )
    return best[0][1], best[1][1]


def _wilson(rates: FloatArray, draws: int, alpha: float, side: float) -> FloatArray:
    """Quick approximations of the Clopper-Pearson bounds: they only choose."""
    z = -float(ndtri(alpha))
    middle = rates + z**2 / (2.0 * draws)
    half = z * np.sqrt(rates * (1.0 - rates) / draws + (z / (2.0 * draws)) ** 2)
    return np.asarray((middle + side * half) / (1.0 + z**2 / draws))
