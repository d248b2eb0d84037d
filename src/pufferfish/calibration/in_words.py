"""A calibration in plain words: what was done, what is promised, against whom, and what is not."""

from __future__ import annotations

import math

from pufferfish.beliefs.guarantee import Guarantee, guess_promised
from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.scenario import RELEASED, Belief, Scenario, Secret
from pufferfish.exact import Certificate, verify
from pufferfish.exact.many import is_many
from pufferfish.exact.published import hole_epsilon
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law, Noise, NoNoise, Stratified, as_noise
from pufferfish.theorems import PAPER_METHODS, ComposableCertificate, Tau
from pufferfish.theorems.anybody import cost_for_anybody, width_of
from pufferfish.words.beliefs import ANOTHER_TABLE, law_in_words
from pufferfish.words.certificates import (
    REPEATS_LOOSER,
    REPEATS_REFUSED,
    VERDICTS_ALOUD,
    describe_loss,
    pairs_in_words,
)
from pufferfish.words.explanation import Explanation, notices
from pufferfish.words.numbers import at_least, at_most, percent_down, times
from pufferfish.words.phrases import (
    bounded_probability,
    changed_odds,
    guessed_right,
    join_words,
    moved_into,
    name_pairs,
    pair_in_words,
    seen_by,
    wrong_laws,
)
from pufferfish.words.steps import Entry, Step

__all__ = ["certificate_in_words", "explain", "promise_of", "repeats", "who"]

# At most this many secrets are listed; the rest are counted.
_MOST_LISTED = 6
# The noise is made smaller by this factor to show that less does not suffice.
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
) -> Explanation:
    """The numbered steps from beliefs to certificate, with the numbers in them."""
    goal, noise = certificate.goal, as_noise(certificate.noise)
    texts = {
        "pairs": f"What must look alike: {name_pairs(scenario.pairs, _MOST_LISTED, joint=', ')}.",
        "promise": promise_of(goal),
        "without noise": _what_is_unprotected(scenario, goal, certificate),
        "noise": _noise_in_words(scenario, noise, another_table),
        "method": _why_this_much(scenario, certificate, method, tau, radius),
        "certificate": join_words(
            certificate_in_words(certificate) + _if_wrong(radius),
            wrong_laws(
                certificate.wrong,
                certificate.confidence,
                capped=True,
                elsewhere=another_table or not scenario.of_table,
            ),
        ),
        "repeats": repeats(scenario, noise, composable, certificate.wrong),
        "not promised": _not_promised(noise, certificate),
    }
    steps = [Step(title, (text,)) for title, text in texts.items()]
    private = "" if all(belief.public for belief in scenario.beliefs) else "some beliefs"
    return Explanation(
        [who(scenario, another_table), *steps], notices(certificate.holds, private=private)
    )


def who(scenario: Scenario, another_table: bool) -> Step:
    """The adversaries, and what each believes."""
    beliefs = scenario.beliefs
    return Step(
        "adversaries",
        (f"Adversaries considered: {len(beliefs)}. Each believes a law for one row's value:",),
        tuple(_adversaries(belief, set(scenario.secrets), another_table) for belief in beliefs),
    )


def _adversaries(belief: Belief, protected: set[Secret], another_table: bool) -> Entry:
    provenance = belief.provenance
    if another_table and provenance == RELEASED:
        provenance = f"{ANOTHER_TABLE}, or on one that is not known"
    secrets = [secret for secret in belief.priors if secret in protected]
    lines = []
    for secret in secrets[:_MOST_LISTED]:
        hole = belief.missing[secret]
        missing = f", missing with probability {hole:.3g}" if hole else ""
        lines.append(f"{secret!r}: {law_in_words(belief.priors[secret])}{missing}")
    if len(secrets) > _MOST_LISTED:
        lines.append(f"and {len(secrets) - _MOST_LISTED} more secrets")
    if belief.cap is not None:
        lines.append(f"all about values {moved_into(*belief.cap)} before the noise")
    if belief.radius:
        lines.append(
            f"or any laws within {at_least(belief.radius, 3)} of these (values were binned)"
        )
    knows = f", who knows that {known}" if (known := given_in_words(belief.given)) else ""
    return Entry(f"{belief.name!r} (provenance: {provenance}){knows}", tuple(lines))


def promise_of(goal: Guarantee) -> str:
    """What is promised, in words."""
    if goal.pure:
        said = changed_odds("seeing one published value", "the two secrets of a pair", goal.epsilon)
        return f"The promise, {goal}: {said}; always, without exception (δ = 0)."
    guess = guess_promised(goal)
    if guess is not None:
        return f"The promise, {goal}: {guessed_right('the two secrets of a pair', guess)}."
    said = bounded_probability(
        "one published value", "under one secret of a pair", "under the other", goal.epsilon
    )
    return f"The promise, {goal}: {said}, plus {goal.delta_text}."


def _what_is_unprotected(scenario: Scenario, goal: Guarantee, certificate: Certificate) -> str:
    # For all adversaries: the one that decides without noise may differ from the one with noise.
    # For the described laws: what a sampling region adds is not known without noise.
    described = scenario.as_described().only([certificate.worst.pair])
    bare = verify(described, NoNoise(), goal)
    sees = max(bare.results, key=lambda result: (result.epsilon_upper, result.delta_upper)).belief
    loss = (
        "the odds can move without bound"
        if bare.epsilon_lower == math.inf
        else "the odds can move by a factor of "
        f"{at_least(math.exp(min(bare.epsilon_lower, 700)), 4)}"
    )
    return (
        f"Without noise, for {pair_in_words(certificate.worst.pair)}, as {sees!r} sees it: {loss}; "
        f"δ at ε = {goal.epsilon_text} is {at_most(bare.delta_upper, 4)} at worst."
    )


def _noise_in_words(scenario: Scenario, noise: Noise, another_table: bool) -> str:
    if noise.identity:
        return (
            "Noise to add: none. The adversaries' own uncertainty already keeps the promise. It "
            "rests on that alone, and means nothing if a smooth belief describes values that are "
            "really whole numbers. Do not publish the raw column for this reason alone: choose a "
            "smaller delta, or add a belief that knows the table of values."
        )
    spread = max(
        math.sqrt(belief.priors[secret].variance)
        for belief in scenario.beliefs
        for secret in scenario.secrets_of(belief)
    )
    ratio = noise.error() / spread if spread > 0.0 else math.inf
    words = words_of(noise)
    law = f"{words.propose(noise, lambda size: at_most(size, 6))}{words.grid(noise)}"
    beside = f"; its std is {times(ratio)} the largest std that a belief gives the value"
    text = f"Noise to add: {law}{beside if spread > 0.0 else ''}."
    claimed = any(belief.provenance == RELEASED for belief in scenario.beliefs)
    if claimed and not another_table:
        text += (
            " Beliefs were fitted on the column to be released. If this size was found from them, "
            "it depends on the data, and publishing it reveals a little about them."
        )
    return text


def _why_this_much(
    scenario: Scenario, certificate: Certificate, method: str, tau: Tau | None, radius: float
) -> str:
    noise = as_noise(certificate.noise)
    found = f"How it was found (method {method!r}{'' if tau is None else f', tau {tau!r}'})"
    if method in PAPER_METHODS:
        return (
            f"{found}: the paper's formula, with a reserve for the grid. The certificate below "
            "states what this noise really gives. Method 'exact' finds the least noise."
        )
    if noise.identity:
        return f"{found}: publishing without noise was tried first, and it suffices."
    if method == "given":
        return (
            "How it was found: its size was given, directly or through an accuracy, and certified. "
            "Less noise may suffice."
        )
    if method == "coupling":
        return (
            f"{found}: the smallest size for which a coupling, which moves the values of one law "
            "onto those of the other by as little as possible, proves the promise. That is more "
            "than one release needs; method 'exact' finds the least noise."
        )
    if radius > 0.0:
        return (
            f"{found}: the smallest size that the exact certificate accepts for every law within "
            f"{at_least(radius)} of the believed ones."
        )
    less = verify(
        _worst_only(scenario, certificate),
        noise.ideal(_LESS),
        certificate.goal,
        wrong=certificate.wrong,
    )
    if less.holds is True:
        return (
            f"{found}: the smallest size that the exact certificate accepts, rounded up so that it "
            "reveals less about the beliefs."
        )
    verdict = "breaks the promise" if less.holds is False else "cannot be certified"
    return (
        f"{found}: the smallest size that the exact certificate accepts. "
        f"{100 * (1 - _LESS):.1f}% less {verdict}: {describe_loss(less)}."
    )


def certificate_in_words(certificate: Certificate) -> str:
    """What was certified, and the pair that decides."""
    worst = certificate.worst
    return (
        f"Certificate: {VERDICTS_ALOUD[certificate.holds]}; {describe_loss(certificate)}. The pair "
        f"that decides is {seen_by(worst.direction, worst.belief)} "
        f"({pairs_in_words(certificate)})."
    )


def _if_wrong(radius: float) -> str:
    if radius == 0.0:
        return ""
    return (
        " It also holds if the true laws differ from the believed ones, as long as no value has to "
        f"be moved by more than {at_least(radius)} to make them equal."
    )


def repeats(
    scenario: Scenario,
    law: Law,
    composable: ComposableCertificate | None,
    wrong: float = 0.0,
) -> str:
    """The cost of a second release, if laws may be wrong by `wrong`."""
    if is_many(scenario):
        return (
            "Repeated releases: the certificate covers one. The cost of more is not computed here, "
            "because there are too many pairs; in Python, `calibration.composable` computes it, "
            "which may take long."
        )
    if composable is None:
        each = cost_for_anybody(scenario, [law], _width(scenario))
        if math.isfinite(each):
            one, two = (_round_guarantee(Guarantee(max(n * each, 1e-100))) for n in (1, 2))
            return (
                f"Releasing the same value again, {_drawn_again(law)}, is not covered by the "
                "certificate above. A looser bound, which holds whatever anybody believes, adds "
                f"up: one release {one}, two releases {two}. A ledger counts it (--ledger)."
            )
        if isinstance(law, Stratified):
            reason = "what is known of a row may change between two releases"
        elif law.ratio_scale > 0.0 and (wrong or scenario.sampled):
            reason = "a bound that adds up is known only for the described laws"
        elif law.ratio_scale > 0.0 and _holes_tell(scenario):
            reason = "what a missing value says by itself has no bound that adds up"
        elif law.ratio_scale > 0.0:
            reason = "no bound is known for the distance between two values of a pair"
        elif law.additive:
            reason = "only the cost of Laplace noise is known to add up"
        else:
            reason = "without a floor nothing is known about the cost of two draws together"
        return (
            f"Releasing the same value again, {_drawn_again(law)}: {REPEATS_REFUSED}. The "
            f"certificate spends the adversaries' own uncertainty, and {reason}."
        )
    once, twice = composable.cost(1), composable.cost(2)
    return (
        f"Releasing the same value again, {_drawn_again(law)}, {REPEATS_LOOSER}, which adds up, "
        f"says: one release {_round_guarantee(once)}, two releases {_round_guarantee(twice)}."
    )


def _width(scenario: Scenario) -> float:
    """How far apart two values can be: the beliefs are about values within the same bounds."""
    caps = {belief.cap for belief in scenario.beliefs}
    return width_of(caps.pop() if len(caps) == 1 else None)


def _holes_tell(scenario: Scenario) -> bool:
    """Whether a missing value rules out one secret of a pair."""
    return any(
        math.isinf(hole_epsilon(each.missing_first, each.missing_second))
        for each in scenario.laws()
    )


def _drawn_again(law: Law) -> str:
    return "with fresh noise" if law.additive else "drawn afresh"


def _round_guarantee(goal: Guarantee) -> str:
    """The promise as text, with ε rounded up."""
    return str(Guarantee(float(at_most(goal.epsilon, 4)), goal.delta))


def _not_promised(noise: Noise, certificate: Certificate) -> str:
    far = (
        f"anything if a belief is wrong by more than {percent_down(certificate.wrong, 6)}"
        if certificate.wrong
        else "anything about a population of which the rows are not an independent sample, or "
        "about a value that no row has (with a band: a value beyond the cap)"
        if certificate.confidence is not None
        else "anything if a belief is wrong by more than pf.radius states, which is almost nothing "
        "for the least noise (calibrate(radius=...) makes room for more); anything about a "
        "value far from all that the beliefs expect"
    )
    text = (
        "Not promised: anything against an adversary who knows more than the beliefs above (the "
        "exact rows, that rows are not independent, that several rows share a secret); anything "
        f"about other columns; {far}."
    )
    if not noise.drawable:
        text += (
            " The law above is the ideal, continuous one: no grid is proven to keep this promise, "
            "so it cannot be drawn safely in floating point."
        )
    return text


def _worst_only(scenario: Scenario, certificate: Certificate) -> Scenario:
    """The belief and pair that decide, as a scenario of their own."""
    worst = certificate.worst
    belief: Belief = next(each for each in scenario.beliefs if each.name == worst.belief)
    return Scenario([belief], pairs=[worst.pair])
