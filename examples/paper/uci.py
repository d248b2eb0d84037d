"""What Figs. 3 and 4 share: a column of two groups, beliefs about it, and releases of it.

Panels (a) to (f) are the paper's. (g) is the plan between components that Theorem 2 rests on, (h)
the noise of each way for each δ, (i) the release for pure ε against the table adversary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

import pufferfish as pf
from examples.paper.experiments import TABLE, Experiment
from examples.paper.figure import FloatArray, Panel, Series, Shape
from examples.paper.published import Curve, Histogram
from examples.paper.table import DELTAS, EPSILON, Row, Table
from pufferfish.noise import as_noise
from pufferfish.words.numbers import at_most, readable

__all__ = ["PAPER_DELTAS", "Drawn", "panels", "scales_in_words"]

# The paper's goals, with the letters of their panels for the first and the second secret.
PAPER_DELTAS = ((0.5, "be"), (0.3, "cf"))
# Illustrations are the same in every run; a release never has a seed.
_SEEDS = {letter: 2024 + place for place, letter in enumerate("bcefi")}
_POINTS = 601
_MIXTURE_INKS = ("first", "second", "third")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Drawn:
    """What is drawn of an experiment.

    Attributes:
        experiment: The data and the adversaries.
        table: The noise that each way takes.
        histograms: The paper's own histograms, by the letter of the panel.
        curves: The paper's own fitted densities, by secret.
        x_range: The range of values and released values.
    """

    experiment: Experiment
    table: Table
    histograms: Mapping[str, Histogram]
    curves: Mapping[str, Curve]
    x_range: tuple[float, float]

    @property
    def edges(self) -> FloatArray:
        """The bins of released values: those of the paper."""
        return self.histograms["b"].edges

    @property
    def points(self) -> FloatArray:
        """The points at which densities are drawn."""
        return np.linspace(*self.x_range, _POINTS)

    def row(self, delta: float, belief: int = 0) -> Row:
        """The table's row for an adversary, by default the one for whom the paper calibrates."""
        name = self.experiment.beliefs[belief].name
        return self.table.row(self.experiment.name, name, delta)


def panels(drawn: Drawn) -> tuple[Panel, ...]:
    """All nine panels, in the order of their letters."""
    found = [_belief_panel(drawn, letter, place) for place, letter in enumerate("ad")]
    found += [
        _release_panel(drawn, letter, place, delta)
        for delta, letters in PAPER_DELTAS
        for place, letter in enumerate(letters)
    ]
    found += [_plan_panel(drawn), _scales_panel(drawn), _pure_panel(drawn)]
    return tuple(sorted(found, key=lambda panel: panel.letter))


def _belief_panel(drawn: Drawn, letter: str, place: int) -> Panel:
    """(a), (d): the column of one secret, and the mixtures that adversaries believe."""
    secret = str(drawn.experiment.pair[place])
    return Panel(
        letter=letter,
        title=f"X | {secret}",
        caption="The values of this secret, and the mixtures that are fitted to them.",
        x_label=drawn.experiment.column,
        y_label="density",
        x_range=drawn.x_range,
        y_range=(0.0, None),
        series=tuple(_draw_beliefs(drawn, letter, secret)),
    )


def _draw_beliefs(drawn: Drawn, letter: str, secret: str) -> Iterator[Series]:
    given = drawn.histograms.get(letter)
    if given is None:
        counted = _histogram(drawn.experiment.values[secret], drawn.edges)
        yield Series("the column itself", counted.edges, counted.density, "level1", "bars")
    else:
        yield Series("the paper's histogram", given.edges, given.density, "level1", "bars")
    x = drawn.points
    for belief, ink in zip(drawn.experiment.beliefs[:-1], _MIXTURE_INKS, strict=False):
        density = np.exp(pf.output_law(belief.priors[secret], pf.NoNoise()).log_density(x))
        yield Series(belief.name, x, density, ink)
    if secret in drawn.curves:
        curve = drawn.curves[secret]
        some = slice(4, None, 8)
        yield Series("points of the paper's curve", curve.x[some], curve.y[some], "ink", "points")


def _release_panel(drawn: Drawn, letter: str, place: int, delta: float) -> Panel:
    """(b), (c), (e), (f): one secret's column with the noise of Theorem 2."""
    secret = str(drawn.experiment.pair[place])
    row, given = drawn.row(delta), drawn.histograms[letter]
    certificate = row.certificate("Theorem 2")
    outline, law = _draw_release(drawn, secret, certificate, pf.NotPrivateEntropy(_SEEDS[letter]))
    return Panel(
        letter=letter,
        title=f"Y | {secret}, (ε, δ) = ({EPSILON:g}, {delta:g})",
        caption=f"With the noise that Theorem 2 asks for, Laplace of scale "
        f"{readable(row.scale('Theorem 2'))}. For an adversary who believes {row.belief}, the true "
        f"δ is then {at_most(certificate.delta_upper, 3)}; without any noise it is "
        f"{at_most(row.bare_upper, 3)}. The line is the law of the table with this noise.",
        x_label=f"released {drawn.experiment.column}",
        y_label="density",
        x_range=drawn.x_range,
        y_range=(0.0, None),
        series=(
            Series("the paper's histogram", given.edges, given.density, "level1", "bars"),
            Series("released here (seeded)", outline.edges, outline.density, "first", "outline"),
            Series("the law of the released value", law.x, law.y, "second"),
        ),
    )


def _draw_release(
    drawn: Drawn, secret: str, certificate: pf.Certificate, entropy: pf.NotPrivateEntropy
) -> tuple[Histogram, Curve]:
    """A release of the secret's column, and the law of the released value."""
    mechanism = pf.Mechanism(noise=certificate.noise, certificate=certificate, entropy=entropy)
    found = _histogram(mechanism.apply(drawn.experiment.values[secret]), drawn.edges)
    law = pf.output_law(drawn.experiment.beliefs[-1].priors[secret], as_noise(certificate.noise))
    return found, Curve(drawn.points, np.exp(law.log_density(drawn.points)))


def _plan_panel(drawn: Drawn) -> Panel:
    experiment = drawn.experiment
    first, second = experiment.pair
    belief = experiment.beliefs[0]
    plan = pf.transport.mixture_plan(belief.priors[first], belief.priors[second])
    arcs = [
        Series(
            f"{plan.weights[m, l]:.4f} from component {m + 1} to {l + 1}",
            np.array([plan.first.means[m], plan.second.means[l]]),
            np.array([1.0, 0.0]),
            width=1.0 + 22.0 * float(plan.weights[m, l]),
            ink="level2",
            listed=False,
        )
        for m, l in zip(*np.nonzero(plan.weights), strict=True)
    ]
    means = [
        Series(
            f"means of {secret}",
            part.means,
            np.full(part.means.size, height),
            ink,
            "points",
            listed=False,
        )
        for secret, part, height, ink in (
            (first, plan.first, 1.0, "first"),
            (second, plan.second, 0.0, "second"),
        )
    ]
    return Panel(
        letter="g",
        title="the plan behind Theorem 2",
        caption="Which component is moved to which, at least cost; a wider line moves more mass. "
        f"Diamonds are the means of the components ({belief.name}).",
        x_label=experiment.column,
        y_label="",
        y_range=(-0.25, 1.25),
        y_ticks=((1.0, _short(first)), (0.0, _short(second))),
        series=(*arcs, *means),
    )


def _scales_panel(drawn: Drawn) -> Panel:
    first = drawn.experiment.beliefs[0].name
    lines = [
        _stds(drawn, way, 0, f"{way}, {first}", ink)
        for way, ink in (
            ("Theorem 2", "second"),
            ("repaired coupling", "third"),
            ("exact, Gaussian noise", "fourth"),
            ("exact", "first"),
        )
    ]
    lines.append(_stds(drawn, "exact", -1, f"exact, {TABLE}", "ink", "points"))
    return Panel(
        letter="h",
        title="noise needed, for each δ",
        caption="The std of the noise that each way takes. Where a line ends before δ = 0, its way "
        "does not apply further on; 0 is no noise at all.",
        x_label="δ",
        y_label="std of the noise",
        y_range=(0.0, None),
        x_ticks=tuple((float(place), f"{delta:g}") for place, delta in enumerate(DELTAS)),
        series=tuple(lines),
    )


def _stds(
    drawn: Drawn, way: str, belief: int, label: str, ink: str, shape: Shape = "line"
) -> Series:
    """The std that a way takes, for each δ to which it applies."""
    found = [
        (float(place), noise.std)
        for place, delta in enumerate(DELTAS)
        if (noise := drawn.row(delta, belief).entries[way].noise) is not None
    ]
    x, y = np.array(found).T
    return Series(label, x, y, ink, shape)


def _pure_panel(drawn: Drawn) -> Panel:
    """Both secrets, with the least noise for pure ε against the table adversary."""
    row, entropy = drawn.row(0.0, -1), pf.NotPrivateEntropy(_SEEDS["i"])
    shown: list[Series] = []
    for secret, ink in zip(drawn.experiment.pair, ("first", "second"), strict=True):
        outline, law = _draw_release(drawn, str(secret), row.certificate("exact"), entropy)
        shown += [
            Series(f"{secret}, released", outline.edges, outline.density, ink, "outline", 1.2),
            Series(f"{secret}, its law", law.x, law.y, ink, width=2.6, listed=False),
        ]
    return Panel(
        letter="i",
        title=f"released with pure ε = {EPSILON:g}",
        caption=f"Both secrets with Laplace noise of scale {readable(row.scale('exact'))}, for "
        "δ = 0 against the adversary who knows the table; for other adversaries see Scales. Smooth "
        "lines are the laws.",
        x_label=f"released {drawn.experiment.column}",
        y_label="density",
        x_range=drawn.x_range,
        y_range=(0.0, None),
        series=tuple(shown),
    )


def scales_in_words(drawn: Drawn) -> str:
    """The scales of Theorem 2 and of pure ε for each mixture belief, and for the table."""
    found = []
    for place, belief in enumerate(drawn.experiment.beliefs[:-1]):
        asked = " and ".join(
            f"{drawn.row(delta, place).scale('Theorem 2'):.4f}" for delta, _ in PAPER_DELTAS
        )
        pure = at_most(drawn.row(0.0, place).scale("exact"), 6)
        found.append(f"{asked}, pure {pure} ({belief.name})")
    goals = " and ".join(f"({EPSILON:g}, {delta:g})" for delta, _ in PAPER_DELTAS)
    table = at_most(drawn.row(0.0, -1).scale("exact"), 6)
    return (
        f"By Theorem 2 for {goals}, and the least for pure ε = {EPSILON:g} (δ = 0): "
        + "; ".join(found)
        + f"; against the table pure ε needs {table}. For other δ see (h) and the table below."
    )


def _histogram(values: FloatArray, edges: FloatArray) -> Histogram:
    density, _ = np.histogram(values, bins=edges, density=True)
    return Histogram(edges, density)


def _short(secret: pf.Secret) -> str:
    """A name that fits next to an axis."""
    return str(secret).replace("-", "-\n", 1)
