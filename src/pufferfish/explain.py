"""A calibration in plain words: what was done, what is promised, to whom, and what is not."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable

from pufferfish.exact import Certificate, verify
from pufferfish.exact.many import is_many
from pufferfish.guarantee import Guarantee
from pufferfish.mechanisms import words_of
from pufferfish.noise import Noise, NoNoise
from pufferfish.priors import law_in_words
from pufferfish.scenario import RELEASED, Belief, Scenario
from pufferfish.theorems import PAPER_METHODS, ComposableCertificate, Tau

__all__ = ["COLUMNS", "describe_delta", "describe_loss", "explain", "odds_factor", "pairs_in_words"]
__all__ += ["rounded_up"]

# Secrets listed one by one before the rest is only counted.
_MOST_LISTED = 6
# As wide as a terminal usually is.
COLUMNS = 98
# How much smaller the noise is made to show that less would not do.
_LESS = 0.999


def explain(
    scenario: Scenario,
    certificate: Certificate,
    composable: ComposableCertificate | None,
    *,
    method: str,
    tau: Tau | None,
    radius: float,
    another_table: bool = False,
) -> str:
    """The numbered steps from beliefs to certificate, with the numbers in them."""
    goal, noise = certificate.goal, certificate.noise
    steps = [
        _who(scenario, another_table),
        _what(scenario),
        _promise(goal),
        _unprotected(scenario, goal, certificate),
        _noise_in_words(scenario, noise, another_table),
        _why_this_much(scenario, certificate, method, tau, radius),
        _certified(certificate) + _if_wrong(radius),
        _repeats(scenario, noise, composable),
        _not_promised(noise),
    ]
    lines = [_wrapped(number, text) for number, text in enumerate(steps, start=1)]
    if any(not belief.public for belief in scenario.beliefs):
        lines.insert(
            0, "PRIVATE: some beliefs are not public, and this text holds their statistics."
        )
    if certificate.holds is not True:
        kept = "is not kept" if certificate.holds is False else "could not be shown to be kept"
        lines.insert(0, f"NOT CERTIFIED: the promise below {kept}. Do not release with this.")
    return "\n".join(lines)


def _wrapped(number: int, text: str) -> str:
    """A numbered step, folded for a terminal."""
    first, *others = f"{number}. {text}".split("\n")
    folded = textwrap.fill(first, COLUMNS, subsequent_indent="   ")
    return "\n".join([folded, *others])


def _who(scenario: Scenario, another_table: bool) -> str:
    beliefs = scenario.beliefs
    protected = set(scenario.secrets)
    lines = [f"Adversaries considered: {len(beliefs)}. Each believes a law for one row's value:"]
    for belief in beliefs:
        provenance = belief.provenance
        if another_table and provenance == RELEASED:
            provenance = "fitted on another table, or on one that is not known"
        lines.append(f"   - {belief.name!r} (provenance: {provenance})")
        secrets = [secret for secret in belief.priors if secret in protected]
        for secret in secrets[:_MOST_LISTED]:
            hole = belief.missing[secret]
            missing = f", missing with probability {hole:.3g}" if hole else ""
            lines.append(f"     {secret!r}: {law_in_words(belief.priors[secret])}{missing}")
        if len(secrets) > _MOST_LISTED:
            lines.append(f"     and {len(secrets) - _MOST_LISTED} more secrets")
        if belief.cap is not None:
            low, high = belief.cap
            lines.append(f"     all about values moved into [{low:g}, {high:g}] before the noise")
        if belief.radius:
            lines.append(
                f"     or any laws within {belief.radius:.3g} of these (values were binned)"
            )
    return "\n".join(lines)


def _what(scenario: Scenario) -> str:
    pairs = scenario.pairs
    named = ", ".join(f"{first!r} and {second!r}" for first, second in pairs[:_MOST_LISTED])
    more = f", and {len(pairs) - _MOST_LISTED} more" if len(pairs) > _MOST_LISTED else ""
    return f"What must look alike: {named}{more}."


def _promise(goal: Guarantee) -> str:
    odds = rounded_up(math.exp(goal.epsilon) if goal.epsilon < 700 else math.inf, 4)
    if goal.pure:
        return (
            f"The promise, {goal}: seeing one published value changes the odds between the two "
            f"secrets of a pair by a factor of at most {odds}, up or down; always, without "
            "exception (δ = 0)."
        )
    return (
        f"The promise, {goal}: whatever is concluded from one published value, its probability "
        f"under one secret of a pair is at most {odds} times that under the other, plus "
        f"{goal.delta:g}."
    )


def _unprotected(scenario: Scenario, goal: Guarantee, certificate: Certificate) -> str:
    # To every adversary: who decides without noise may be another one than with it.
    bare = verify(Scenario(scenario.beliefs, [certificate.worst.pair]), NoNoise(), goal)
    sees = max(bare.results, key=lambda result: (result.epsilon_upper, result.delta_upper)).belief
    loss = (
        "the odds can move without bound"
        if bare.epsilon_lower == math.inf
        else f"the odds can move by a factor of {math.exp(min(bare.epsilon_lower, 700)):.4g}"
    )
    first, second = certificate.worst.pair
    return (
        f"Without noise, for {first!r} and {second!r}, as {sees!r} sees it: {loss}; δ at "
        f"ε = {goal.epsilon:g} is {bare.delta_upper:.4g} at worst."
    )


def _noise_in_words(scenario: Scenario, noise: Noise, another_table: bool) -> str:
    if noise.identity:
        return (
            "Noise to add: none. The adversaries' own uncertainty already keeps the promise. That "
            "spends all of it, and a smooth belief about values that are really whole numbers "
            "makes such a result empty: do not publish the raw column on this alone, but ask for "
            "a smaller delta, or add a belief that knows the table of values."
        )
    spread = max(
        math.sqrt(belief.priors[secret].variance)
        for belief in scenario.beliefs
        for secret in scenario.secrets
    )
    ratio = noise.error() / spread if spread > 0.0 else math.inf
    words = words_of(noise)
    law = f"{words.proposed(noise, lambda size: rounded_up(size, 6))}{words.grid(noise)}"
    beside = f"; its std is {ratio:.2g} times the largest std believed of the value"
    text = f"Noise to add: {law}{beside if spread > 0.0 else ''}."
    claimed = any(belief.provenance == RELEASED for belief in scenario.beliefs)
    if claimed and not another_table:
        text += (
            " Beliefs were fitted on the column to be released. If this size was found from them, "
            "it depends on the data, and publishing it says a little about them."
        )
    return text


def _why_this_much(
    scenario: Scenario, certificate: Certificate, method: str, tau: Tau | None, radius: float
) -> str:
    noise = certificate.noise
    found = f"How it was found (method {method!r}{'' if tau is None else f', tau {tau!r}'})"
    if method in PAPER_METHODS:
        return (
            f"{found}: the paper's formula, with the grid reserved. What this noise truly gives is "
            "in the certificate below. Method 'exact' finds the least noise."
        )
    if noise.identity:
        return f"{found}: publishing without noise was tried first, and suffices."
    if method == "given":
        return (
            "How it was found: its size was given, by itself or by the accuracy that was wanted, "
            "and certified. Less may do."
        )
    if method == "coupling":
        return (
            f"{found}: the smallest size for which moving each value of one law onto one of the "
            "other, as little as possible, proves the promise. That is more than one release "
            "needs; method 'exact' finds the least noise."
        )
    if radius > 0.0:
        return (
            f"{found}: the smallest size that the exact certificate accepts for every law within "
            f"{radius:g} of the believed ones."
        )
    less = verify(_worst_only(scenario, certificate), noise.ideal(_LESS), certificate.goal)
    if less.holds is True:
        return (
            f"{found}: the smallest size that the exact certificate accepts, rounded up so that "
            "it says less about the beliefs."
        )
    verdict = "breaks the promise" if less.holds is False else "cannot be certified"
    return (
        f"{found}: the smallest size that the exact certificate accepts. "
        f"{100 * (1 - _LESS):.1f}% less {verdict}: {describe_loss(less)}."
    )


def _certified(certificate: Certificate) -> str:
    worst = certificate.worst
    first, second = worst.direction
    status = {True: "kept", False: "BROKEN", None: "NOT DECIDED"}[certificate.holds]
    return (
        f"Certificate: {status}; {describe_loss(certificate)}. The pair that decides is {first!r} "
        f"against {second!r}, as {worst.belief!r} sees it ({pairs_in_words(certificate)})."
    )


def pairs_in_words(certificate: Certificate) -> str:
    """How many pairs there were, and how each of them was dealt with."""
    examined = f"{len(certificate.results)} ordered pairs"
    if not certificate.screened:
        return f"{examined} checked"
    others = 2 * sum(each.pairs for each in certificate.screened)
    return f"{examined} examined one by one, {others:,} more proven by screening"


def describe_loss(certificate: Certificate) -> str:
    """What was found, as far as it decides: the true δ, or with δ = 0 the true ε."""
    if certificate.goal.pure:
        return (
            "the least ε that holds without exception is "
            f"{_between(certificate.epsilon_lower, certificate.epsilon_upper)}"
        )
    return describe_delta(certificate)


def describe_delta(certificate: Certificate) -> str:
    """The true δ at the goal's ε."""
    return (
        f"the true δ at ε = {certificate.goal.epsilon:g} is "
        f"{_between(certificate.delta_lower, certificate.delta_upper)}"
    )


def _between(lower: float, upper: float) -> str:
    """An enclosure with as many digits as it knows, at most nine, each end rounded outwards."""
    if lower == upper:
        return f"{upper:g}"
    for digits in range(3, 10):
        low, high = _rounded(lower, digits, math.floor), _rounded(upper, digits, math.ceil)
        if float(high) - float(low) <= 2.0 * (upper - lower):
            break
    return f"between {low} and {high}"


def odds_factor(epsilon: float) -> str:
    """e^ε in digits, rounded up; as a power where it has too many."""
    return rounded_up(math.exp(epsilon), 4) if epsilon < 700.0 else f"e^{epsilon:g}"


def rounded_up(value: float, digits: int) -> str:
    """`digits` significant digits, never less than the value."""
    return _rounded(value, digits, math.ceil)


def _rounded(value: float, digits: int, to_side: Callable[[float], int]) -> str:
    """`digits` significant digits, rounded to one side."""
    if abs(value) < 1e-290 or not math.isfinite(value):  # no unit to round in
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return f"{to_side(value / unit) * unit:.{digits}g}"


def _if_wrong(radius: float) -> str:
    if radius == 0.0:
        return ""
    return (
        f" It is kept as well if the true laws differ from the believed ones, as long as no value "
        f"has to be moved by more than {radius:g} to make them equal."
    )


def _repeats(scenario: Scenario, noise: Noise, composable: ComposableCertificate | None) -> str:
    if is_many(scenario):
        return (
            "Repeated releases: the certificate is for one. What more would cost is not worked out "
            "here, for so many pairs; `calibration.composable` does it, in its own time."
        )
    if composable is None:
        reason = (
            "no bound is known on how far apart the two values of a pair can be"
            if noise.ratio_scale > 0.0
            else "only the costs of Laplace noise are known to add up"
        )
        return (
            "Releasing the same value again, with fresh noise: not covered, not even once. The "
            f"certificate spends the adversaries' own uncertainty, and {reason}."
        )
    once, twice = composable.cost(1), composable.cost(2)
    return (
        "Releasing the same value again, with fresh noise, is not covered by the certificate "
        "above. A looser one, which adds up, says: one release "
        f"{_rounded_guarantee(once)}, two releases {_rounded_guarantee(twice)}."
    )


def _rounded_guarantee(goal: Guarantee) -> str:
    """As text, ε rounded up."""
    return str(Guarantee(float(rounded_up(goal.epsilon, 4)), goal.delta))


def _not_promised(noise: Noise) -> str:
    text = (
        "Not promised: anything to an adversary who knows more than the beliefs above (the exact "
        "rows, that rows are not independent, that several rows share a secret); anything about "
        "other columns; anything if a belief is wrong by more than pf.radius says, which is next "
        "to nothing for the least noise (calibrate(radius=...) makes room); anything about a value "
        "far from all that the beliefs allow."
    )
    if not noise.drawable:
        text += (
            " The law above is the ideal, continuous one: no grid is proven for this promise, so "
            "it cannot be sampled safely in floating point."
        )
    return text


def _worst_only(scenario: Scenario, certificate: Certificate) -> Scenario:
    """The belief and pair that decide, as a scenario of their own."""
    worst = certificate.worst
    belief: Belief = next(each for each in scenario.beliefs if each.name == worst.belief)
    return Scenario([belief], pairs=[worst.pair])
