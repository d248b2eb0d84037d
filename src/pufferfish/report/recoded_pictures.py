"""The pictures of a recoding, with their words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pufferfish.calibration.result import Recode
from pufferfish.core.numerics import round_up
from pufferfish.insight.error_curve import ErrorPoint
from pufferfish.recoding.law import Recoding
from pufferfish.report import figures, recoded_figures
from pufferfish.report.pictures import Picture
from pufferfish.report.recoded_facts import SecretLoss
from pufferfish.report.style import LEVELS, Key
from pufferfish.words.numbers import at_most, percent, readable

__all__ = ["cost_picture", "error_picture", "map_keys", "map_picture", "secret_pictures"]


def map_picture(law: Recoding, name: str = "map") -> Picture:
    """How often each value is published as each other."""
    notes = (
        "" if law.listed else " Values are in bins, each named by the number that stands for it."
    )
    notes += " A dash is a missing value." if None in (*law.values, *law.outputs) else ""
    # Outputs in increasing order, whatever order they were given in.
    order = sorted(
        range(len(law.outputs)),
        key=lambda place: np.inf if (each := law.coded_outputs[place]) is None else each,
    )
    return Picture(
        name=name,
        svg=recoded_figures.map_figure(
            name,
            law.matrix[:, order],
            law.cells.values,
            [law.coded_outputs[place] for place in order],
        ),
        title="The recoding",
        description=(
            "How likely each true value (vertical axis) is published as each value (horizontal "
            "axis). On the diagonal a value stays as it is; where nothing is drawn, the "
            f"probability is at most one in a million.{notes}"
        ),
        keys=map_keys(),
    )


def map_keys() -> tuple[Key, ...]:
    """The legend: which level stands for which probabilities."""
    steps = zip(LEVELS, (0.0, *recoded_figures.MAP_STEPS), recoded_figures.MAP_STEPS, strict=False)
    return tuple(
        Key(level, f"up to {percent(high)}" if low < 0.5 else "more than 50%", "area")
        for level, low, high in steps
    )


def cost_picture(recode: Recode, name: str = "scale") -> Picture:
    """The error of a value, next to those of noise and of a constant, on one scale."""
    things: list[tuple[str, figures.Mark]] = [
        ("this recoding", figures.Mark(1, recode.rmse, "chosen")),
        (
            "one constant for everybody (the spread of the column)",
            figures.Mark(2, recode.constant_rmse, "column"),
        ),
    ]
    if recode.laplace_rmse is not None:
        things.append(("the least Laplace noise", figures.Mark(3, recode.laplace_rmse, "bound")))
    return Picture(
        name=name,
        svg=figures.noise_marks(name, [mark for _, mark in things], "error of a value"),
        title="How large the error is",
        description="The error of a published value, root mean square, by number.",
        listed=tuple(text for text, _ in things),
    )


def secret_pictures(losses: Iterable[SecretLoss]) -> Iterator[Picture]:
    """For each secret, how often values occur and how often they are published."""
    for number, each in enumerate(losses, start=1):
        if each.bars is None:
            continue
        beyond = (
            f" {percent(each.bars.beyond, 2)} are beyond the picture."
            if each.bars.beyond > 0.0
            else ""
        )
        yield Picture(
            name=f"secret{number}",
            svg=figures.histogram(f"secret{number}", each.bars),
            title=f"Before and after: {each.secret}",
            description=f"{percent(each.unchanged, 2)} of the values stay as they are; the error "
            f"of a value is {readable(each.rmse, 3)}.{beyond}",
            keys=(Key("first", "published, on average"), Key("second", "before (private)")),
        )


def error_picture(
    curve: Sequence[ErrorPoint],
    epsilon: float,
    constant: float,
) -> Picture | None:
    """What other promises would cost; None where there is nothing to compare.

    Args:
        curve: The errors, in rising order of ε.
        epsilon: What is promised.
        constant: The error of publishing one constant for everybody.
    """
    if len(curve) < 2:
        return None
    epsilons = [each.epsilon for each in curve]
    errors = [each.rmse for each in curve]
    top = max([constant, *errors])
    beyond = any(each.laplace_rmse and each.laplace_rmse > 1.25 * top for each in curve)
    noise = " The noise of small ε is beyond the picture." if beyond else ""
    held_out = [each.held_out for each in curve]
    known = any(each is not None for each in held_out)
    other = _held_out_in_words(curve, epsilon) if known else ""
    return Picture(
        name="errors",
        svg=recoded_figures.error_figure(
            "errors",
            epsilons,
            errors,
            [each.laplace_rmse for each in curve],
            constant,
            epsilons.index(epsilon),
            held_out,
        ),
        title="Error against ε",
        description=(
            "The error of a published value (root mean square) for other promises, with all "
            f"other options as they were.{noise}{other}"
        ),
        keys=(
            Key("first", "this kind of recoding, for each ε"),
            Key("third", f"the promise, ε = {at_most(epsilon)}", "diamond"),
            Key("second", "the least Laplace noise"),
            Key("faint", "one constant for everybody"),
            *([Key("fourth", "ε on held-out rows", "bar")] if known else []),
        ),
    )


def _held_out_in_words(curve: Sequence[ErrorPoint], epsilon: float) -> str:
    """What the strokes are, and what the promise itself becomes."""
    found = next(each.held_out for each in curve if each.epsilon == epsilon)
    text = " Next to each promise, at the same height: its ε on held-out rows"
    if found is None:
        return f"{text}."
    size = readable(round_up(found, 3)) if math.isfinite(found) else "no bound"
    return f"{text}: {size} for this one."
