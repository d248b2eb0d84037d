"""Where Theorem 2 and Corollary 2 fail: two pairs of mixtures, judged in two independent ways.

The formulas average over components what must hold for each. The certificate encloses the true δ of
their scales. Counting draws bounds it from below: for any event E,

    δ ≥ P(E) − e^ε·Q(E),

and E = {log p/q > ε} attains it. The draws are seeded, and share no code with the certificate
except the closed form of the density, by which E is chosen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import pufferfish as pf
from examples.paper.figure import Figure, FloatArray, Panel, Series
from pufferfish.audits.bounds import delta_lower, probability_lower, probability_upper
from pufferfish.audits.draws import Generator, generator, values_of
from pufferfish.calibration.least_noise import Method
from pufferfish.words.certificates import describe_delta
from pufferfish.words.numbers import at_most, readable

__all__ = ["CASES", "Case", "Counted", "Found", "compute", "count_hits", "figure"]

_DRAWS = 400_000
_SEED = 2
# Each bound of a probability is wrong with at most this probability.
_ALPHA = 1e-6
_POINTS = 801


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A pair for which a formula of the paper fails.

    Attributes:
        statement: The formula's name in the paper.
        method: The formula's name in the library.
        first: P.
        second: Q.
        goal: The promise of the formula.
        words: What happens.
        x_range: The range that shows it.
    """

    statement: str
    method: Method
    first: pf.Prior
    second: pf.Prior
    goal: pf.Guarantee
    words: str
    x_range: tuple[float, float]


CASES = (
    Case(
        statement="Theorem 2",
        method="thm-2",
        first=pf.Gaussian(0.0, 1.0),
        second=pf.GaussianMixture([0.95, 0.05], [0.0, 10.0], [1.0, 1.0]),
        goal=pf.Guarantee(1.0, 1e-3),
        words="P is N(0, 1); Q is the same, but one time in twenty N(10, 1). On average 0.5 has to "
        "be hidden, so the formula takes scale 0.5; a value near 10 then reveals Q.",
        x_range=(-8.0, 18.0),
    ),
    Case(
        statement="Corollary 2",
        method="cor-2",
        first=pf.GaussianMixture([0.5, 0.5], [0.0, 100.0], [1.0, 1.0]),
        second=pf.GaussianMixture([0.5, 0.5], [0.001, 110.0], [1.0, 1.0]),
        goal=pf.Guarantee(1.0),
        words="Both are even mixtures of two unit Gaussians. One component moves by 0.001, the "
        "other by 10; the formula takes the average, 5, where 10 has to be hidden half of the "
        "time.",
        x_range=(-40.0, 150.0),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The event {log p/q > ε} in draws of what is published.

    Attributes:
        hits_first: How often it occurs under the secret that it speaks for.
        hits_second: How often it occurs under the other secret.
        draws: The number of draws under each secret.
        delta_lower: The true δ is at least this.
        delta_upper: P(E) − e^ε·Q(E) is at most this.
        alpha: The probability that one of the four bounds of a probability is wrong; both bounds
            above are right except with four times this probability.
    """

    hits_first: int
    hits_second: int
    draws: int
    delta_lower: float
    delta_upper: float
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Found:
    """A case, judged.

    Attributes:
        case: The pair.
        formula: The scale that the paper's formula gives, with its certificate.
        exact: The least scale that keeps the promise.
        counted: The draws with the formula's scale.
    """

    case: Case
    formula: pf.Calibration
    exact: pf.Calibration
    counted: Counted

    @property
    def scales(self) -> tuple[float, float]:
        """The scale of the formula, and the exact one."""
        return _scale(self.formula), _scale(self.exact)


def compute() -> tuple[Found, ...]:
    """Judge both cases."""
    source = generator(_SEED)
    return tuple(_find_failure(case, source) for case in CASES)


def _find_failure(case: Case, source: Generator) -> Found:
    scenario = pf.Scenario(pf.Belief({"P": case.first, "Q": case.second}, provenance="public"))
    formula = pf.calibrate(scenario, case.goal, method=case.method, certified_only=False)
    return Found(
        case=case,
        formula=formula,
        exact=pf.calibrate(scenario, case.goal),
        counted=count_hits(case, _scale(formula), source),
    )


def count_hits(case: Case, scale: float, source: Generator) -> Counted:
    """Count draws under Q and under P; the event speaks for Q, which has mass where P has none."""
    noise = pf.LaplaceNoise(scale)
    laws = pf.output_law(case.second, noise), pf.output_law(case.first, noise)
    hits = []
    for prior in (case.second, case.first):
        y = values_of(prior, _DRAWS, source) + source.laplace(scale=noise.scale, size=_DRAWS)
        ratio = laws[0].log_density(y) - laws[1].log_density(y)
        hits.append(int(np.count_nonzero(ratio > case.goal.epsilon)))
    low, high = (
        [float(bound(count, _DRAWS, _ALPHA)) for count in hits]
        for bound in (probability_lower, probability_upper)
    )
    ends = [
        float(delta_lower(np.array(first), np.array(second), case.goal.epsilon))
        for first, second in ((low[0], high[1]), (high[0], low[1]))
    ]
    return Counted(
        hits_first=hits[0],
        hits_second=hits[1],
        draws=_DRAWS,
        delta_lower=ends[0],
        delta_upper=ends[1],
        alpha=_ALPHA,
    )


def figure(found: tuple[Found, ...]) -> Figure:
    """For each case, the believed laws and the log-ratio of the published values."""
    panels = []
    for each, letters in zip(found, ("ab", "cd"), strict=True):
        panels += [_belief_of(each, letters[0]), _ratio(each, letters[1])]
    return Figure(
        name="counterexamples",
        number="Theorem 2 and Corollary 2",
        title="Two counterexamples",
        columns=2,
        words=(
            *((each.case.statement, f"{each.case.words} {_verdict(each)}") for each in found),
            (
                "What to see",
                "(b), (d): with the formula’s scale the log-ratio exceeds ε near the second "
                "component; with the exact scale it stays inside the band, or leaves it only where "
                "δ permits.",
            ),
        ),
        panels=tuple(panels),
    )


def _verdict(found: Found) -> str:
    certificate, seen, goal = found.formula.certificate, found.counted, found.case.goal
    formula, exact = found.scales
    return (
        f"Promised with scale {readable(formula)}: {goal}. By the certificate "
        f"{describe_delta(certificate)} (odds move by up to e^{certificate.epsilon_lower:.4g}); "
        f"{seen.draws:,} seeded draws of each law show {seen.delta_lower:.4f} to "
        f"{seen.delta_upper:.4f} (wrong with probability at most {4 * seen.alpha:g}). Scale "
        f"{at_most(exact, 4)} does keep the promise."
    )


def _belief_of(found: Found, letter: str) -> Panel:
    x = np.linspace(*found.case.x_range, _POINTS)
    return Panel(
        letter=letter,
        title=f"{found.case.statement}: the believed laws",
        caption="The two laws before noise.",
        x_label="x",
        y_label="density",
        x_range=found.case.x_range,
        y_range=(0.0, None),
        series=tuple(
            Series(name, x, np.exp(pf.output_law(prior, pf.NoNoise()).log_density(x)), ink)
            for name, prior, ink in (
                ("P", found.case.first, "first"),
                ("Q", found.case.second, "second"),
            )
        ),
    )


def _ratio(found: Found, letter: str) -> Panel:
    case = found.case
    y = np.linspace(*case.x_range, _POINTS)
    epsilon = case.goal.epsilon
    formula, exact = found.scales
    return Panel(
        letter=letter,
        title=f"{case.statement}: the log-ratio after noise",
        caption=f"log q/p of the published value. Promised: {case.goal}.",
        x_label="y",
        y_label="log q/p",
        x_range=case.x_range,
        y_range=(-2.6 * epsilon, 3.2 * epsilon),
        series=(
            Series("±ε", y[[0, -1]], np.array([-epsilon, epsilon]), "level1", "band"),
            Series(f"exact scale {at_most(exact, 4)}", y, _log_ratio(case, y, exact)),
            Series(
                f"{case.statement}'s scale {readable(formula)}",
                y,
                _log_ratio(case, y, formula),
                "second",
            ),
        ),
    )


def _log_ratio(case: Case, y: FloatArray, scale: float) -> FloatArray:
    noise = pf.LaplaceNoise(scale)
    first, second = (
        pf.output_law(prior, noise).log_density(y) for prior in (case.first, case.second)
    )
    return np.asarray(second - first)


def _scale(calibration: pf.Calibration) -> float:
    noise = calibration.noise
    return noise.scale if isinstance(noise, pf.LaplaceNoise) else math.nan
