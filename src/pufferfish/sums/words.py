"""A calibrated sum in plain words: what is promised, to whom, who decides, and what is not."""

from __future__ import annotations

import math

from pufferfish.exact.certificate import Certificate
from pufferfish.mechanisms import words_of
from pufferfish.sums.calibration import SumCalibration
from pufferfish.sums.limit import LimitCheck
from pufferfish.sums.paper import limit_scale
from pufferfish.sums.users import Users
from pufferfish.words.certificates import (
    REPEATS_LOOSER,
    REPEATS_REFUSED,
    VERDICTS_ALOUD,
    describe_loss,
    measure,
)
from pufferfish.words.explanation import Explanation, notices
from pufferfish.words.numbers import at_most, times
from pufferfish.words.phrases import bounded_probability
from pufferfish.words.steps import Step

__all__ = ["explain_sum", "limit_in_words", "unpromised_sum"]


def explain_sum(calibration: SumCalibration, limit: LimitCheck | None = None) -> Explanation:
    """Numbered steps from the users to the certificate, with their numbers."""
    unpromised = " ".join(unpromised_sum(tables=calibration.users.laws is not None))
    texts = {
        "users": _who(calibration.users),
        "secret": _what(calibration),
        "promise": _promise(calibration),
        "noise": _noise(calibration),
        "method": _decides(calibration),
        "certificate": _certificate_in_words(calibration),
        "central limit": "" if limit is None else limit_in_words(limit),
        "repeats": _repeats(calibration),
        "not promised": f"Not promised: {unpromised}",
    }
    private = "" if calibration.users.public else "the users"
    return Explanation(
        (Step(title, (text,)) for title, text in texts.items() if text),
        notices(calibration.holds, private=private),
    )


def _who(users: Users) -> str:
    alike = "" if users.kinds == users.size else f", in {users.kinds:,} kind(s)"
    known = (
        "only the mean and std of each are known, and the sum is believed to be Gaussian"
        if users.laws is None
        else "each has a table of values, so the law of the sum is known"
    )
    number = f"{users.size:,} independent users" if users.size > 1 else "One user"
    return (
        f"{number}{alike}: {known}. The sum has mean {users.mean:.4g} and "
        f"std {math.sqrt(users.variance):.4g}."
    )


def _what(calibration: SumCalibration) -> str:
    protected = calibration.protected
    if protected.what == "presence":
        return "What must look alike, for each user: the sum with them, and the sum without them."
    values = (
        "any two values that they may report"
        if protected.between is None
        else f"reporting {protected.between[0]:g}, and reporting {protected.between[1]:g}"
    )
    return f"What must look alike, for each user: {values}."


def _promise(calibration: SumCalibration) -> str:
    goal = calibration.goal
    plus = "; always, without exception" if goal.pure else f", plus {goal.delta_text}"
    said = bounded_probability("the published number", "in one case", "in the other", goal.epsilon)
    return (
        f"The promise, {goal}, against somebody who knows all of the above but not what any "
        f"user really added: {said}{plus}."
    )


def _noise(calibration: SumCalibration) -> str:
    noise = calibration.noise
    if noise.identity:
        reason = (
            "nobody adds anything that could be revealed"
            if calibration.goal.pure or calibration.users.variance == 0.0
            else "what the other users add already hides each of them, up to δ"
        )
        caution = (
            ""
            if calibration.goal.pure
            else (
                " That uses all of the uncertainty about the others: somebody who knows some of "
                "their values learns more, and the exact sum can be published only once. Ask for a "
                "smaller δ, or for δ = 0, if that is possible here."
            )
        )
        return f"Noise to add: none; {reason}.{caution}"
    spread = math.sqrt(calibration.users.variance)
    beside = f", {times(noise.error() / spread)} the sum's own" if spread > 0.0 else ""
    law = words_of(noise).propose(noise, lambda size: at_most(size, 6), beside)
    return f"Noise to add: {law}."


def _decides(calibration: SumCalibration) -> str:
    users, kind = calibration.users, calibration.kind
    alike = int(users.counts[kind])
    others = f", one of {alike:,} alike" if alike > 1 else ""
    found = {
        "exact": "the least scale that is certified for every user",
        "gaussian": "the least scale for every user if the sum were Gaussian",
        "given": "given beforehand",
    }.get(calibration.method, f"the paper's {calibration.method}, with the grid reserved")
    if calibration.method == "exact" and not calibration.least:
        found += ", or more (rounded up, or found by a bound)"
    text = (
        f"How it was found: {found}; {calibration.certificates:,} certificate(s) settled all "
        f"{users.size:,} users. The user who decides: {users.name(kind)}{others} (mean "
        f"{users.means[kind]:.4g}, std {users.stds[kind]:.4g})."
    )
    if calibration.protected.what == "presence" and not calibration.goal.pure:
        text += (
            " As more such users join, the paper's scale falls to "
            f"{limit_scale(users, calibration.goal):.4g}."
        )
    return text


def _certificate_in_words(calibration: SumCalibration) -> str:
    certificate: Certificate = calibration.calibration.certificate
    status = VERDICTS_ALOUD[certificate.holds]
    return f"Certificate of the user who decides: {status}; {describe_loss(certificate)}."


def limit_in_words(limit: LimitCheck) -> str:
    """Whether the central limit theorem can be relied on here."""
    what = "the least ε" if limit.goal.pure else measure(limit.goal)
    size = "no noise" if limit.noise.identity else f"scale {at_most(limit.noise.size, 4)}"
    verdict = (
        "so here that belief would have done no harm"
        if limit.holds
        else "so relying on that belief would have BROKEN the promise"
    )
    classic = []
    if limit.kolmogorov is not None:
        distance = at_most(limit.kolmogorov, 3)
        classic.append(f"the cdf of the sum is within {distance} of a Gaussian's")
    if limit.lyapunov is not None:
        classic.append(f"Lyapunov's ratio is {limit.lyapunov:.3g}")
    beside = f" (The usual measures: {', '.join(classic)}.)" if classic else ""
    return (
        "Does the central limit theorem hold here? If the sum were Gaussian, one would add "
        f"{size}. Then {what} for {limit.user} would be {at_most(limit.believed.upper, 3)}; in "
        f"truth it is {at_most(limit.true.upper, 3)}, {verdict}.{beside}"
    )


def _repeats(calibration: SumCalibration) -> str:
    composable = calibration.calibration.composable if calibration.repeatable else None
    if composable is None:
        return f"Publishing the same sum again with fresh noise: {REPEATS_REFUSED}."
    costs = ", ".join(
        f"{count} releases ε = {at_most(cost.epsilon, 4)}"
        for count, cost in ((count, composable.cost(count)) for count in (2, 3))
    )
    return (
        f"Publishing the same sum again with fresh noise {REPEATS_LOOSER}, for every user, adds "
        f"up: {costs}, at the same δ. A ledger keeps count."
    )


def unpromised_sum(*, tables: bool) -> list[str]:
    """What the promise does not cover."""
    texts = [
        "Anything to somebody who knows what some users added, or that users depend on one "
        "another: then less is left to hide the others.",
        "Anything about two or more users together.",
        "Anything about other statistics of the same users.",
    ]
    if tables:
        texts.append("Anything about a user whose table is another than the one described.")
    else:
        texts.append("Anything if the sum is not Gaussian: the belief is taken as given.")
    return texts
