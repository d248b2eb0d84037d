"""A release in plain words, for the curator: what was done, promised, to whom, and what was not.

Holds statistics of the beliefs: for the terminal of those who may see the data.
"""

from __future__ import annotations

import math
import textwrap

from pufferfish.adversary import ideal_guess
from pufferfish.choose import half_width
from pufferfish.errors import PufferfishError
from pufferfish.explain import COLUMNS
from pufferfish.guarantee import Guarantee
from pufferfish.mechanism import Clip
from pufferfish.noise import LaplaceNoise, NoNoise
from pufferfish.plan import Plan
from pufferfish.priors import Discrete
from pufferfish.record import Record, not_promised
from pufferfish.scenario import Belief, Scenario
from pufferfish.theorems import paper_scale

__all__ = ["story"]

_LABEL = 12
# Where the paper's formula has nothing to say of δ = 0, what it asks for this δ.
_PAPER_DELTA = 0.3


def story(record: Record) -> str:
    """What happened, in labelled paragraphs."""
    plan = record.plan
    parts = [
        ("Published", _published(record)),
        ("Promise", _promise(plan)),
        ("To whom", _to_whom(plan)),
        ("Noise", _noise(record)),
        ("Beside it", _beside(plan)),
        ("Guessing", _guessing(plan)),
        *(("Not covered" if index == 0 else "", text) for index, text in enumerate(_gaps(record))),
    ]
    return "\n".join(_paragraph(label, text) for label, text in parts if text)


def _paragraph(label: str, text: str) -> str:
    return textwrap.fill(
        text,
        COLUMNS,
        break_on_hyphens=False,
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * (_LABEL + 2 if text.startswith("- ") else _LABEL),
    )


def _published(record: Record) -> str:
    plan = record.plan
    place = f" in {record.output}" if record.output else ""
    order = "in random order" if plan.shuffled else "in the order of the table"
    kept = f", beside {', '.join(plan.keep)} as they were" if plan.keep else ""
    dropped = (
        f"; {record.rows_missing:,} rows without a value were left out"
        if plan.missing == "drop"
        else ""
    )
    return (
        f"{record.rows_published:,} rows of {plan.column!r}{place}, {order}{kept}; {plan.secret!r} "
        f"is not published{dropped}."
    )


def _promise(plan: Plan) -> str:
    promise, pairs = plan.promise, plan.calibration.scenario.pairs
    first, second = pairs[0]
    pair = (
        f"{first!r} and {second!r}" if len(pairs) == 1 else f"each of {len(pairs)} pairs of secrets"
    )
    unit = "one row" if plan.unit == "row" else f"one person (up to {plan.rows_per_person} rows)"
    factor = math.exp(min(promise.epsilon, 700.0))
    if promise.pure:
        meaning = (
            f"what is published changes the odds between {pair} by a factor of at most "
            f"{factor:.4g}, up or down"
        )
    else:
        meaning = (
            "whatever is concluded from what is published is at most "
            f"{factor:.4g} times as probable under one as under the other of {pair}, plus "
            f"{promise.delta:g}"
        )
    return f"{promise} for {unit}: {meaning}. Certified exactly, for one release."


def _to_whom(plan: Plan) -> str:
    return "; ".join(_adversary(belief) for belief in plan.calibration.scenario.beliefs) + "."


def _adversary(belief: Belief) -> str:
    kinds = {type(prior) for prior in belief.priors.values()}
    what = (
        "who knows how often each value occurs for each secret"
        if kinds == {Discrete}
        else ("who believes smooth laws for each secret")
    )
    return f"{belief.name!r} ({belief.provenance}), {what}"


def _noise(record: Record) -> str:
    plan = record.plan
    noise = plan.calibration.noise
    if isinstance(noise, NoNoise):
        return "none: the values are published as they are."
    size = f"Laplace, scale {noise.scale:g}" if isinstance(noise, LaplaceNoise) else "Gaussian"
    ratio = noise.std / record.column_std if record.column_std else math.inf
    text = (
        f"{size}, std {noise.std:.4g}: {ratio:.2g} times the column's own std of "
        f"{record.column_std:.4g}. 95% of the noised values are within ±"
        f"{half_width(noise, 0.95):.3g} of the true ones"
    )
    if not any(isinstance(each, Clip) for each in plan.postprocess):
        mean = 1.96 * noise.std / math.sqrt(record.rows_published)
        text += f"; with the same confidence their mean is within ±{mean:.2g} of the true mean"
    for each in plan.postprocess:
        if isinstance(each, Clip):
            text += f", then moved into [{each.low:g}, {each.high:g}], which biases means"
        else:
            text += f", then rounded to multiples of {each.step:g}"
    return f"{text}."


def _beside(plan: Plan) -> str:
    """What other ways to keep a promise would have taken."""
    noise, goal = plan.calibration.noise, plan.calibration.goal
    if not isinstance(noise, LaplaceNoise):
        return ""
    texts = []
    tables = [
        prior
        for belief in plan.calibration.scenario.beliefs
        for prior in belief.priors.values()
        if isinstance(prior, Discrete)
    ]
    if tables:
        low = min(float(table.values[0]) for table in tables)
        high = max(float(table.values[-1]) for table in tables)
        local = (high - low) / goal.epsilon
        texts.append(
            "local differential privacy, which protects every value from everybody, would need "
            f"scale {local:.4g} on the range {low:g} to {high:g} ({local / noise.scale:.2g} times "
            "as much)"
        )
    texts += _paper(plan.calibration.scenario, goal, noise.scale)
    return "; ".join(texts) + "." if texts else ""


def _paper(scenario: Scenario, goal: Guarantee, scale: float) -> list[str]:
    """What the paper's Theorem 2 asks for the smooth beliefs, where it says anything."""
    smooth = [
        belief
        for belief in scenario.beliefs
        if not any(isinstance(prior, Discrete) for prior in belief.priors.values())
    ]
    if not smooth:
        return []
    asked = Guarantee(goal.epsilon, _PAPER_DELTA) if goal.pure else goal
    try:
        size = paper_scale("thm-2", Scenario(smooth, scenario.pairs), asked, "exact")
    except PufferfishError:  # holes, or laws that the theorem does not cover
        return []
    instead = f" and promise only δ = {_PAPER_DELTA:g}" if goal.pure else ""
    return [
        f"the formula this method comes from (Theorem 2) would add scale {size:.4g} for the smooth "
        f"beliefs ({size / scale:.2g} times as much){instead}, and does not hold in general"
    ]


def _guessing(plan: Plan) -> str:
    calibration = plan.calibration
    worst = calibration.certificate.worst.pair
    guess = ideal_guess(calibration.scenario, calibration.noise, calibration.goal, worst)
    return (
        f"between {worst.first!r} and {worst.second!r}, each as likely as the other, the best "
        f"informed adversary is right in {100 * guess.before_upper:.1f}% of cases from the true "
        f"value of a row, {100 * guess.after_upper:.1f}% from the published one; the promise "
        f"allows {100 * guess.allowed:.1f}%."
    )


def _gaps(record: Record) -> list[str]:
    texts = [f"- {text}" for text in not_promised(record.plan)]
    if record.rows_outside:
        texts.append(
            f"- {record.rows_outside:,} values are outside all that the beliefs consider possible: "
            "describe the column as it is, or cap it before the release."
        )
    if record.rows_unprotected:
        texts.append(
            f"- {record.rows_unprotected:,} of the published rows have a secret that is in no "
            "pair: noised like the others, but nothing is promised for them."
        )
    return texts
