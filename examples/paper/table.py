"""For every experiment, adversary and δ: the noise of each way to a promise, and its true δ.

Ways are compared by the std of their noise, each judged by the exact certificate. Local
differential privacy hides any value of the column's range from everybody: it is the least noise
under which the two ends of the range, known for certain, look alike. (Under Laplace noise, values
are harder to hide if they are farther apart, so the ends decide.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pufferfish as pf
from examples.paper.experiments import Experiment
from pufferfish.insight.comparison import tau_in_words
from pufferfish.insight.guesses import accuracy_upper
from pufferfish.noise import as_noise

__all__ = ["DELTAS", "EPSILON", "WAYS", "Entry", "Row", "Table", "compute"]

EPSILON = 1.0
DELTAS = (0.5, 0.3, 0.1, 1e-2, 1e-3, 1e-5, 0.0)
# The name of a way in the table, and in `compare`: a method, and its form of τ.
WAYS = {
    "Theorem 2": ("thm-2", tau_in_words("exact")),
    "Theorem 2, Lambert τ": ("thm-2", tau_in_words("lambert")),
    "repaired coupling": ("coupling", ""),
    "exact": ("exact", ""),
    "exact, Gaussian noise": ("exact, Gaussian", ""),
    "local DP": ("local", ""),
}

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry:
    """The noise of one way, and what it gives.

    Attributes:
        way: Its name.
        certificate: The certificate of its noise; None where the way does not apply.
        accuracy_upper: How often an ideal adversary still guesses right, with even odds before.
        reason: Why the way does not apply.
    """

    way: str
    certificate: pf.Certificate | None = None
    accuracy_upper: float | None = None
    reason: str = ""

    @property
    def noise(self) -> pf.Noise | None:
        """Its noise; None where it does not apply."""
        return None if self.certificate is None else as_noise(self.certificate.noise)

    @property
    def scale(self) -> float | None:
        """The scale of Laplace noise."""
        return self.noise.scale if isinstance(self.noise, pf.LaplaceNoise) else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Row:
    """One experiment, one adversary, one goal.

    Attributes:
        experiment: The data.
        belief: The adversary.
        goal: The promise.
        bare_upper: δ without any noise.
        before_upper: How often an ideal adversary guesses right from the true value.
        entries: One entry for each way.
    """

    experiment: str
    belief: str
    goal: pf.Guarantee
    bare_upper: float
    before_upper: float
    entries: Mapping[str, Entry]

    def certificate(self, way: str) -> pf.Certificate:
        """The certificate of a way that applies.

        Raises:
            UnsupportedError: The way does not apply.
        """
        entry = self.entries[way]
        if entry.certificate is None:
            raise pf.UnsupportedError(entry.reason)
        return entry.certificate

    def scale(self, way: str) -> float:
        """The scale of a way that adds Laplace noise; 0 where no noise is needed."""
        noise = as_noise(self.certificate(way).noise)
        return noise.scale if isinstance(noise, pf.LaplaceNoise) else noise.std


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """All rows."""

    rows: tuple[Row, ...]

    def of(self, experiment: str, belief: str) -> tuple[Row, ...]:
        """The rows of one adversary, from large to small δ."""
        return tuple(
            row for row in self.rows if (row.experiment, row.belief) == (experiment, belief)
        )

    def row(self, experiment: str, belief: str, delta: float) -> Row:
        """One row."""
        return next(row for row in self.of(experiment, belief) if row.goal.delta == delta)


def compute(experiments: tuple[Experiment, ...], progress: Progress = lambda what: None) -> Table:
    """Compute every row; `progress` is told of each."""
    rows = []
    for experiment in experiments:
        for belief in experiment.beliefs:
            scenario = experiment.scenario(belief)
            bare = pf.privacy_profile(scenario, pf.NoNoise(), [EPSILON]).delta_upper[0]
            before = accuracy_upper(scenario, pf.NoNoise())
            for delta in DELTAS:
                goal = pf.Guarantee(EPSILON, delta)
                entries = {each.way: each for each in _entries(scenario, goal, experiment.ends)}
                rows.append(
                    Row(
                        experiment=experiment.name,
                        belief=belief.name,
                        goal=goal,
                        bare_upper=bare,
                        before_upper=before,
                        entries=entries,
                    )
                )
                progress(f"{experiment.name}, {belief.name}, δ = {delta:g}")
    return Table(tuple(rows))


def _entries(
    scenario: pf.Scenario, goal: pf.Guarantee, ends: tuple[float, float]
) -> Iterator[Entry]:
    found = pf.compare(scenario, goal)
    kept = {each.name: each.calibration.certificate for each in found.methods}
    kept["local"] = pf.verify(scenario, _local(ends, goal), goal)
    for way, (method, form) in WAYS.items():
        certificate = kept.get(f"{method}{form}")
        if certificate is not None:
            yield Entry(
                way=way,
                certificate=certificate,
                accuracy_upper=accuracy_upper(scenario, as_noise(certificate.noise)),
            )
        else:  # refused once for both forms of τ
            yield Entry(way=way, reason=dict(found.refused)[method])


def _local(ends: tuple[float, float], goal: pf.Guarantee) -> pf.Noise:
    low, high = (pf.Discrete([end], [1.0]) for end in ends)
    return pf.calibrate(pf.Scenario(pf.Belief({"least": low, "largest": high})), goal).noise
