"""The published law, from that of X + N: with holes where values are missing, and the grid.

The published value is Y = X + N, or a hole with probability m_s. With holes

    HS = (m_i − e^ε m_j)_+ + (1 − m_i)·HS_{ε'}(P_i‖P_j),   ε' = ε − log((1 − m_i)/(1 − m_j)),

and the log-ratios are log m_i/m_j at the hole and log((1−m_i)/(1−m_j)) + log p_i/p_j elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pufferfish.beliefs.priors import Components
from pufferfish.core.numerics import UNIT
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.grid import grid_delta, grid_epsilon, grid_shift
from pufferfish.noise import Noise

__all__ = ["delta_of_published", "epsilon_of_published", "hole_epsilon"]


def delta_of_published(
    noise: Noise,
    m: float,
    other: float,
    epsilon: float,
    hockey_stick: Callable[[float], Enclosure],
) -> Enclosure:
    """δ at ε of what is published, from HS of the continuous laws of X + N.

    Args:
        noise: The law of N, grid included.
        m: P(missing | s_i).
        other: P(missing | s_j).
        epsilon: The ε at which δ is computed.
        hockey_stick: Encloses HS_ε(P_i‖P_j) of X + N for any real ε.
    """
    shift = grid_shift(noise)
    inner = math.nextafter(epsilon - shift, -math.inf) if shift else epsilon
    if m == other == 0.0:
        return grid_delta(noise, inner, hockey_stick(inner))
    inner -= _log_odds(1.0 - m, 1.0 - other)
    # ε' is rounded: HS falls in it, and by no more than e to the change, less one.
    error = 8.0 * UNIT * (1.0 + abs(inner))
    found = hockey_stick(inner - error)
    # HS is at most one, so an error of one already claims nothing; a larger one could overflow.
    lost = math.expm1(min(2.0 * error, 1.0))
    found = Enclosure(max(found.lower - lost, 0.0), found.upper)
    kept = grid_delta(noise, inner, found)
    hole = Enclosure(_hole(m, other, epsilon, 8.0 * UNIT), _hole(m, other, epsilon, -8.0 * UNIT))
    return Enclosure(
        hole.lower + (1.0 - m) * kept.lower * (1.0 - 4.0 * UNIT),
        min(hole.upper + (1.0 - m) * kept.upper * (1.0 + 4.0 * UNIT), 1.0),
    )


def epsilon_of_published(
    noise: Noise, m: float, other: float, supremum: Enclosure, *laws: Components
) -> Enclosure:
    """sup of the log-ratio of what is published, from that of the continuous laws of X + N."""
    value = grid_epsilon(noise, supremum, *laws)
    if m == other == 0.0:
        return value
    shift, hole = _log_odds(1.0 - m, 1.0 - other), _log_odds(m, other)
    lower, upper = value.lower + shift, value.upper + shift
    error = _odds_error(shift)
    return Enclosure(
        max(lower - error - _odds_error(lower), hole - _odds_error(hole)),
        max(upper + error + _odds_error(upper), hole + _odds_error(hole)),
    )


def hole_epsilon(m: float, other: float) -> float:
    """An upper bound on what the hole alone reveals: max(|log m_i/m_j|, |log (1−m_i)/(1−m_j)|)."""
    if m == other:
        return 0.0
    return max(
        abs(odds) + _odds_error(odds)
        for odds in (_log_odds(m, other), _log_odds(1.0 - m, 1.0 - other))
    )


def _hole(m: float, other: float, epsilon: float, error: float) -> float:
    """(m − e^ε·other)_+, with ε moved by a relative error."""
    if m == 0.0:
        return 0.0
    odds = _log_odds(other, m)
    size = abs(odds) if math.isfinite(odds) else 0.0
    exponent = min(epsilon + odds + error * (1.0 + abs(epsilon) + size), 700.0)
    return max(-m * math.expm1(exponent) * (1.0 - error), 0.0)


def _log_odds(m: float, other: float) -> float:
    """log(m/other); −∞ also for 0/0, where there is nothing to distinguish."""
    if m == 0.0:
        return -math.inf
    if other == 0.0:
        return math.inf
    return math.log(m / other)


def _odds_error(log_odds: float) -> float:
    """More than the rounding of 1 − m, of a quotient, of its logarithm or of a sum with it."""
    return 8.0 * UNIT * (1.0 + abs(log_odds)) if math.isfinite(log_odds) else 0.0
