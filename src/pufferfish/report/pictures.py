"""The pictures of a page, each with a title, a legend and a description in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Belief, Secret, SecretPair
from pufferfish.calibration.postprocess import Postprocess
from pufferfish.exact import Certificate, PrivacyProfile
from pufferfish.insight.averages import averages_lost
from pufferfish.insight.guesses import posterior_lower, posterior_upper
from pufferfish.insight.other_ways import Alternative
from pufferfish.noise import Law, as_noise
from pufferfish.report import figures
from pufferfish.report.afterwards import Bound, Curve
from pufferfish.report.columns import Bars
from pufferfish.report.style import LEVELS, Key
from pufferfish.report.views import View, worst_by_pair, worst_first
from pufferfish.words.certificates import LEAST_EPSILON, describe_loss, measure, pairs_in_words
from pufferfish.words.numbers import at_most, percent, readable
from pufferfish.words.phrases import pair_in_words, seen_by

__all__ = ["Picture", "heat_picture", "histogram_picture", "posterior_picture", "profile_picture"]
__all__ += ["belief_picture", "heat_secrets", "losses_picture", "noise_picture", "view_pictures"]
__all__ += ["OF_ROWS", "Wording"]

# Secrets in a heat map, those of the worst pairs first.
_MOST_SECRETS = 24
# Ordered pairs in the small picture of a certificate.
_MOST_LOSSES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A drawing and its words.

    Attributes:
        name: Unique in the page.
        svg: The drawing.
        title: What it shows, in few words.
        description: What the picture shows, for those who cannot see it; also the caption.
        keys: The legend.
        listed: The names for which numbers stand in the drawing.
        selectable: Whether parts of the drawing can be chosen.
    """

    name: str
    svg: str
    title: str
    description: str
    keys: tuple[Key, ...] = ()
    listed: tuple[str, ...] = ()
    selectable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What pictures call things.

    Attributes:
        value: What is published.
        unit: Whom or what the promise is for.
        believer: The adversary, in words; None: the name of the belief.
    """

    value: str = "value"
    unit: str = "one row"
    believer: str | None = None


OF_ROWS = Wording()


def view_pictures(
    name: str, view: View, goal: Guarantee, wording: Wording = OF_ROWS
) -> Iterator[Picture]:
    """One pair as one adversary sees it: beliefs, published laws, and the change of the odds."""
    yield belief_picture(f"{name}-believed", view.belief, view.pair, view.believed, wording)
    seen = view.seen
    if seen is None:
        return
    afterwards = "".join(f", then {each.in_words}" for each in view.steps)
    yield Picture(
        name=f"{name}-published",
        svg=figures.published_figure(f"{name}-published", seen.curves),
        title="What is published",
        description=(
            f"The laws of the published {wording.value} ({view.how}{afterwards}), one for each "
            "secret. The more alike they are, the less a value reveals."
        )
        + "".join(_bound_in_words(view, each) for each in seen.bounds),
        keys=(
            Key("first", str(view.pair.first), "bar" if seen.ratio.is_table else "line"),
            Key("second", str(view.pair.second), "pin" if seen.ratio.is_table else "line"),
        ),
    )
    bounded = any(math.isfinite(each.epsilon_upper) for each in view.results)
    forward, backward = (_bound(each.epsilon_upper) for each in view.results)
    simplified = (
        " The certificate also covers missing values and the rounding of the belief, which the "
        "curve leaves out."
        if view.simplified
        else ""
    )
    yield Picture(
        name=f"{name}-ratio",
        svg=figures.log_ratio(f"{name}-ratio", seen.ratio, view.results, goal, seen.bounds),
        title="How the odds change",
        description=f"Certified for all values: {forward} towards {view.pair.first!r}, {backward} "
        f"towards {view.pair.second!r}; the shaded band is ±ε = ±{at_most(goal.epsilon)}."
        + simplified,
        keys=(
            Key(
                "first",
                f"log-odds of {view.pair.first!r} against {view.pair.second!r}",
                "diamond" if seen.ratio.is_table else "line",
            ),
            *([Key("first", "the same at a bound", "diamond")] if seen.bounds else []),
            *([Key("third", "certified extremes")] if bounded else []),
            Key(
                "level1",
                "±ε"
                + (
                    f", the promise for {wording.unit}" if goal.pure else "; the excess counts as δ"
                ),
                "area",
            ),
        ),
    )


def belief_picture(
    name: str,
    belief: Belief,
    pair: SecretPair,
    curves: tuple[Curve, Curve],
    wording: Wording = OF_ROWS,
) -> Picture:
    """The law of the value that one adversary believes in, for both secrets of a pair."""
    tables = [curve.is_table for curve in curves]
    return Picture(
        name=name,
        svg=figures.belief_figure(name, curves),
        title=f"What is believed of the {wording.value}",
        description=f"Before the release, as {wording.believer or repr(belief.name)} believes it, "
        "for each secret.",
        keys=(
            Key("first", str(pair.first), "bar" if tables[0] else "line"),
            Key("second", str(pair.second), "pin" if tables[1] else "line"),
        ),
    )


def losses_picture(name: str, certificate: Certificate) -> Picture:
    """How much of the promise the worst ordered pairs use, by number."""
    goal, shown = certificate.goal, worst_first(certificate)[:_MOST_LOSSES]
    bounds = [
        (max(each.epsilon_lower, 0.0), max(each.epsilon_upper, 0.0))
        if goal.pure
        else (each.delta_lower, each.delta_upper)
        for each in shown
    ]
    what = measure(goal)
    limit = goal.epsilon if goal.pure else goal.delta
    part = f" The worst {len(shown)} of {pairs_in_words(certificate)} are shown."
    return Picture(
        name=name,
        svg=figures.losses(name, bounds, limit, what),
        title="How much of the promise each ordered pair uses",
        description=f"The {what}, enclosed from both sides."
        + (part if len(shown) < len(certificate.results) or certificate.screened else ""),
        keys=(Key("third", f"the promise allows {at_most(limit)}"),),
        listed=tuple(seen_by(each.direction, each.belief) for each in shown),
    )


def _bound_in_words(view: View, bound: Bound) -> str:
    first, second = (readable(100.0 * share, 3) for share in bound.masses)
    return (
        f" All that lay beyond {bound.value:g} is at {bound.value:g}: {first}% for "
        f"{view.pair.first!r}, {second}% for {view.pair.second!r}."
    )


def _bound(epsilon: float) -> str:
    return f"at most {at_most(epsilon, 4)}" if math.isfinite(epsilon) else "no bound"


def profile_picture(
    certificate: Certificate, profile: PrivacyProfile, bare: PrivacyProfile, *, of_all: bool
) -> Picture:
    """δ(ε) as published and without noise; over all pairs, or for the worst one."""
    goal = certificate.goal
    whose = "over all pairs and adversaries" if of_all else "for the pair that decides"
    return Picture(
        name="profile",
        svg=figures.privacy("profile", profile, bare, goal),
        title="The privacy profile δ(ε)",
        description=(
            f"The largest δ(ε) {whose}, enclosed from both sides (the enclosure is mostly thinner "
            f"than the line). Over all pairs, {describe_loss(certificate)}."
        ),
        keys=(
            Key("first", "as published"),
            Key(
                "second", "without noise" if certificate.noise.additive else "the values themselves"
            ),
            Key("third", f"the promise, {goal}", "diamond"),
        ),
    )


def posterior_picture(epsilon: float) -> Picture:
    """How far a probability can move."""
    inside = np.linspace(0.0, 1.0, 101)[1:-1].tolist()
    ends: Any = [
        np.array([0.0, *(bound(prior, epsilon) for prior in inside), 1.0])
        for bound in (posterior_lower, posterior_upper)
    ]
    return Picture(
        name="posterior",
        svg=figures.posteriors("posterior", np.array([0.0, *inside, 1.0]), *ends),
        title="How far a probability can move",
        description=(
            "The probability of one secret against the other, before and after seeing what is "
            "published: the promise keeps it between the two curves."
        ),
        keys=(Key("first", "at most"), Key("second", "at least"), Key("faint", "unchanged")),
    )


def histogram_picture(bars: Bars, noise: Law, steps: Sequence[Postprocess]) -> Picture:
    """The published column, and the original in an internal report."""
    both = bars.original is not None
    beyond = f" {percent(bars.beyond, 2)} of the published values are beyond the picture."
    return Picture(
        name="histogram",
        svg=figures.histogram("histogram", bars),
        title="Published and original values" if both else "The published values",
        description=(_spread_in_words(noise, steps) + (beyond if bars.beyond > 0.0 else "")),
        keys=(
            Key("first", "published"),
            *([Key("second", "original (private)")] if both else []),
        ),
    )


def _spread_in_words(law: Law, steps: Sequence[Postprocess]) -> str:
    """What was done to the values, and whether averages can still be computed."""
    if not law.additive:
        return "Values were kept or replaced by other ones, at random."
    noise = as_noise(law)
    lost = averages_lost(noise, steps)
    done = "No noise was added." if noise.identity else "Noise spreads the values."
    if lost is not None:
        return f"{done} Averages of the published values are not those of the true ones: {lost}."
    return done if noise.identity else f"{done} What it adds is known, so averages are not lost."


def noise_picture(
    noise: Law, column_std: float, others: Sequence[Alternative], name: str = "scale"
) -> Picture:
    """The noise, the column's own spread and the noise of other ways, on one scale."""
    things: list[tuple[str, figures.Mark]] = []

    def add(text: str, std: float, kind: Literal["chosen", "column", "bound", "unproven"]) -> None:
        things.append((text, figures.Mark(len(things) + 1, std, kind)))

    none = " (none is needed)" if noise.identity else ""
    add(f"this noise{none}", noise.error(), "chosen")
    add("the spread of the column itself", column_std, "column")
    for other in others:
        if other.name == "thm-2":
            add(
                f"the paper's Theorem 2, which promises {other.promise} and is false in general",
                other.std,
                "unproven",
            )
        else:
            add("local differential privacy: every value, from everybody", other.std, "bound")
    return Picture(
        name=name,
        svg=figures.noise_marks(name, [mark for _, mark in things]),
        title="How much noise",
        description="Standard deviations, by number.",
        listed=tuple(text for text, _ in things),
    )


def heat_secrets(certificate: Certificate) -> tuple[Secret, ...]:
    """The secrets of a heat map, in its order: those of the worst pairs first."""
    results = worst_by_pair(certificate)
    secrets = dict.fromkeys(each for worst in results for each in worst.pair)
    return tuple(secrets)[:_MOST_SECRETS]


def heat_picture(
    certificate: Certificate, chosen: SecretPair | None = None, *, selectable: bool = False
) -> Picture:
    """How much of the promise each pair uses, and which pair is chosen, if any."""
    goal, results = certificate.goal, worst_by_pair(certificate)
    shown = {secret: index for index, secret in enumerate(heat_secrets(certificate))}
    listed = [worst for worst in results if set(worst.pair) <= set(shown)]
    cells = [
        (
            shown[worst.pair.first],
            shown[worst.pair.second],
            worst.epsilon_upper if goal.pure else worst.delta_upper,
        )
        for worst in listed
    ]
    limit = goal.epsilon if goal.pure else goal.delta
    what = LEAST_EPSILON if goal.pure else measure(goal)
    part = f" {len(cells)} of {len(results)} pairs are shown." if len(cells) < len(results) else ""
    count = len(LEVELS)
    return Picture(
        name="pairs",
        svg=figures.heat_map(
            "pairs",
            cells,
            len(shown),
            limit,
            chosen=None
            if chosen is None
            else (shown.get(chosen.first, -1), shown.get(chosen.second, -1)),
            selectable=selectable,
            labels=[pair_in_words(worst.pair) for worst in listed],
        ),
        title="How much of the promise each pair uses",
        description=(
            f"For each pair {what}, for the adversary who sees most; the promise allows "
            f"{at_most(limit)}.{part}"
        ),
        keys=tuple(
            Key(level, f"up to {(index + 1) / count:.0%}", "area")
            for index, level in enumerate(LEVELS)
        ),
        listed=tuple(str(secret) for secret in shown),
        selectable=selectable,
    )
