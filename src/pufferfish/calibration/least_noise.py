"""The least noise that keeps a promise, on the private side of a root, with its certificate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import PairOfLaws, Scenario
from pufferfish.calibration.distance import within
from pufferfish.calibration.other_laws import check_wrong
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.calibration.sizes import check_size, family_of, published_law_of
from pufferfish.core.errors import (
    CertificationError,
    InvalidInputError,
    UnreachableGoalError,
    UnsupportedError,
)
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import nonnegative, positive, probability_below_one, require
from pufferfish.exact import Certificate, search, verify
from pufferfish.exact.family import laplace_family, laplace_reserve
from pufferfish.exact.many import GoalAt, is_many, least_size_of_many, none_is_enough
from pufferfish.exact.oracle import certify, check_goal, check_scenario, check_single
from pufferfish.exact.parallel import Progress, Workers, start_workers
from pufferfish.exact.search import HOPELESS, Judge, least_size_of_all
from pufferfish.exact.unreachable import refuse_revealing_holes
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law, Noise, NoNoise, as_noise
from pufferfish.recoding.law import Recoding
from pufferfish.theorems import (
    PAPER_METHODS,
    TAU_FORMS,
    Tau,
    coupling,
    paper_scale,
)
from pufferfish.words.certificates import describe_delta, describe_loss
from pufferfish.words.numbers import percent_down
from pufferfish.words.phrases import larger_size

__all__ = ["Method", "as_published", "at_least", "calibrate_noise", "recertify"]

Method = Literal["exact", "coupling", "thm-1", "remark-1", "thm-2", "cor-2"]


def _coupling_shortfall(laws: PairOfLaws, noise: Noise, goal: Guarantee) -> float:
    """The larger shortfall of coupling and oracle, as rounding may make either one the stricter."""
    proven = coupling.shortfall(laws, noise, goal)
    return proven if proven > 0.0 else max(proven, search.shortfall(laws, noise, goal))


# Methods that search for the smallest size that a judge accepts.
_JUDGES: dict[str, Judge] = {"exact": search.shortfall, "coupling": _coupling_shortfall}
METHODS = (*_JUDGES, *PAPER_METHODS)
NOISES = ("laplace", "gaussian")

# Sizes outside these bounds leave no room for a grid, or for squares.
_SMALLEST_SIZE = 1e-70
_LARGEST_SIZE = 1e95


def calibrate_noise(
    scenario: Scenario,
    goal: Guarantee,
    noise: Literal["laplace", "gaussian"] = "laplace",
    method: Method = "exact",
    tau: Tau = "exact",
    radius: float = 0.0,
    certified_only: bool = True,
    *,
    size: float | None = None,
    rounding: Rounding | None = None,
    workers: int | Workers = 1,
    progress: Progress | None = None,
    wrong: float = 0.0,
) -> Calibration:
    """Noise that keeps `goal` for every pair of `scenario`, with its exact certificate.

    The arguments and errors are those of `choice.calibrate`, which users call.
    """
    check_scenario(scenario)
    check_goal(goal)
    distance = _check_choices(noise, method, tau, radius)
    check_size(method, size, rounding)
    check_wrong(wrong, noise, method, distance, scenario)
    refuse_revealing_holes(scenario, goal)
    if size is not None:
        return _certify_given(scenario, goal, noise, size, distance, workers, progress, wrong)
    if method == "coupling":
        for laws in scenario.laws():
            coupling.refuse_unbounded(laws, goal)
    with start_workers(workers, large=is_many(scenario)) as ready:
        if method in PAPER_METHODS:
            law = _paper_law(method, scenario, goal, tau)
        else:
            judge = partial(_judge_within, judge=_JUDGES[method], distance=distance)
            if method == "exact" and is_many(scenario) and not wrong:
                goal_at = partial(within, goal=goal, distance=distance)
                law = _least_law_of_many(scenario, goal, noise, judge, goal_at, ready, progress)
            else:
                law = _least_law(scenario, goal, noise, judge, ready, progress, wrong)
        if rounding is not None:
            law = published_law_of(law, rounding, scenario, goal)
        certificate = certify(scenario, law, goal, ready, progress, wrong)
        kept = _is_kept(scenario, certificate, distance, ready)
    if not kept and (certified_only or method not in PAPER_METHODS):
        raise CertificationError(_not_kept(method, certificate))
    return _calibration(scenario, certificate, method, tau, distance)


def recertify(
    scenario: Scenario,
    goal: Guarantee,
    noise: Law,
    *,
    method: str = "exact",
    tau: Tau | None = None,
    radius: float = 0.0,
    recode: Recode | None = None,
    wrong: float = 0.0,
    recorded: Certificate | None = None,
    workers: int | Workers = 1,
    progress: Progress | None = None,
) -> Calibration:
    """A calibration with a law that is already chosen, certified again.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        goal: The promise.
        noise: The law; it must keep the promise.
        method: How it was found; "given" if nobody searched for the least.
        tau: The form of τ(δ), for the methods that have one.
        radius: How far in W_∞ the true laws may be from the believed ones.
        recode: The figures of a recoding; it must keep the promise for laws that are as wrong as
            these state.
        wrong: For noise: how far in total variation each law may be from the one believed.
        recorded: The recorded certificate of a recoding; see `verify`.
        workers: Processes to spread many pairs over; see `calibrate`.
        progress: Called with the number of pairs done and of all pairs.

    Raises:
        CertificationError: The law does not keep the promise.
    """
    check_scenario(scenario)
    check_goal(goal)
    noise = check_single(noise)
    require(method in (*METHODS, "given", "recode"), f"method {method!r} is not known.")
    distance = nonnegative("radius", radius)
    if isinstance(noise, Recoding):
        require(
            distance == 0.0,
            "a recoding has no radius: leave it out, and state by how much laws may be wrong "
            "(wrong=).",
        )
        require(
            wrong == 0.0 or recode is None,
            "for a recoding, the share by which laws may be wrong is one of its figures: state it "
            "there.",
        )
        share = wrong if recode is None else recode.wrong
        certificate = verify(scenario, noise, goal, wrong=share, recorded=recorded)
        if certificate.holds is not True:
            raise CertificationError(_not_kept(method, certificate))
        return replace(_calibration(scenario, certificate, method, None, 0.0), recode=recode)
    share = probability_below_one("wrong", wrong)
    check_wrong(share, noise.kind, method, distance, scenario)
    with start_workers(workers, large=is_many(scenario)) as ready:
        certificate = certify(scenario, noise, goal, ready, progress, share)
        if not _is_kept(scenario, certificate, distance, ready):
            raise CertificationError(_not_kept(method, certificate))
    return _calibration(scenario, certificate, method, tau, distance)


def as_published(calibration: Calibration, rounding: Rounding) -> Calibration:
    """The same with a noise whose size may be published, certified again if it differs.

    An uncertified calibration stays as it is: nothing will be published with it.
    """
    if isinstance(calibration.mechanism, Recoding):
        return calibration  # its floor was chosen so that it can be published
    noise = published_law_of(calibration.noise, rounding, calibration.scenario, calibration.goal)
    if noise == calibration.noise or not calibration.certified:
        return calibration
    return recertify(
        calibration.scenario,
        calibration.goal,
        noise,
        method=calibration.method,
        tau=calibration.tau,
        radius=calibration.radius,
        wrong=calibration.certificate.wrong,
    )


def at_least(calibration: Calibration, size: float) -> Calibration:
    """The same promise with noise of at least this size (scale or std); certified again if larger.

    Raises:
        CertificationError: The larger noise does not keep the promise.
    """
    noise, scenario = calibration.noise, calibration.scenario
    if noise.identity or size <= noise.size:
        return calibration
    return recertify(
        scenario,
        calibration.goal,
        family_of(noise.kind, calibration.goal, scenario)(size),
        method=calibration.method,
        tau=calibration.tau,
        radius=calibration.radius,
        wrong=calibration.certificate.wrong,
    )


def _certify_given(
    scenario: Scenario,
    goal: Guarantee,
    noise: str,
    size: float,
    distance: float,
    workers: int | Workers,
    progress: Progress | None,
    wrong: float,
) -> Calibration:
    """A calibration with a size that the curator chose.

    A refusal must not reveal the least size, which depends on private beliefs: it names a rung.
    """
    law = family_of(noise, goal, scenario)(positive("size", size))
    with start_workers(workers, large=is_many(scenario)) as ready:
        certificate = certify(scenario, law, goal, ready, progress, wrong)
        if _is_kept(scenario, certificate, distance, ready):
            return _calibration(scenario, certificate, "given", None, distance)
    enough = calibrate_noise(
        scenario,
        goal,
        "laplace" if noise == "laplace" else "gaussian",
        radius=distance,
        rounding="ladder",
        workers=workers,
        wrong=wrong,
    )
    raise CertificationError(
        larger_size(
            goal,
            size,
            enough.noise.size,
            what="scale" if noise == "laplace" else "std",
            whom="against these beliefs",
        )
    )


def _calibration(
    scenario: Scenario, certificate: Certificate, method: str, tau: Tau | None, radius: float
) -> Calibration:
    has_tau = method in PAPER_METHODS and PAPER_METHODS[method].has_tau
    return Calibration(
        scenario=scenario,
        goal=certificate.goal,
        method=method,
        noise=certificate.noise,
        certificate=certificate,
        tau=tau if has_tau else None,
        radius=radius,
    )


def _check_choices(noise: object, method: object, tau: object, radius: object) -> float:
    """The radius as a number; refuses arguments that are unknown or contradict each other."""
    for name, given, known in (
        ("noise", noise, NOISES),
        ("method", method, METHODS),
        ("tau", tau, TAU_FORMS),
    ):
        if given not in known:
            choices = ", ".join(repr(choice) for choice in known)
            sums = (
                " (for sums: pufferfish sum, pf.calibrate_sum)"
                if str(given).startswith("cor-1")
                else ""
            )
            raise InvalidInputError(f"{name} {given!r} is not known; known: {choices}{sums}.")
    require(
        tau == "exact" or (method in PAPER_METHODS and PAPER_METHODS[str(method)].has_tau),
        f"tau belongs to thm-1 and thm-2, and method {method!r} has none: leave it out.",
    )
    if noise != "laplace" and method != "exact":
        raise UnsupportedError(
            f'{method} is for Laplace noise; for Gaussian noise use method="exact" (--method '
            "exact)."
        )
    distance = nonnegative("radius", radius)
    if distance > 0.0 and (noise != "laplace" or method in PAPER_METHODS):
        raise UnsupportedError(
            "a radius is offered for Laplace noise with method 'exact' or 'coupling'; the paper's "
            "formulas do not cover beliefs that are wrong, and under Gaussian noise no distance "
            "bounds their cost (pf.radius gives its kappa and total variation)."
        )
    return distance


def _paper_law(method: str, scenario: Scenario, goal: Guarantee, tau: Tau) -> Noise:
    """The law of the paper's scale, with a reserve for the grid; no noise if the laws are equal."""
    size = paper_scale(method, scenario, laplace_reserve(goal), tau)
    if size == 0.0:
        return NoNoise()
    if not _SMALLEST_SIZE <= size <= _LARGEST_SIZE:
        raise UnreachableGoalError(
            f"{method} gives a scale of {size:.3g}, outside the sizes that can be computed with "
            f"({_SMALLEST_SIZE:g} to {_LARGEST_SIZE:g}); choose other units for the values."
        )
    return laplace_family(goal)(size)


def _least_law(
    scenario: Scenario,
    goal: Guarantee,
    noise: str,
    judge: Judge,
    workers: Workers,
    progress: Progress | None,
    wrong: float,
) -> Noise:
    """The smallest noise that the judge accepts for every pair; no noise if none is needed."""
    pairs = list(scenario.laws(wrong))
    if all(judge(laws, NoNoise(), goal) <= 0.0 for laws in pairs):
        return NoNoise()
    family = family_of(noise, goal, scenario)
    return family(least_size_of_all(pairs, family, goal, judge, workers, progress))


def _least_law_of_many(
    scenario: Scenario,
    goal: Guarantee,
    noise: str,
    judge: Judge,
    goal_at: GoalAt,
    workers: Workers,
    progress: Progress | None,
) -> Noise:
    """`_least_law` for many pairs, without judging each one by itself."""
    if none_is_enough(scenario, goal, judge, goal_at, workers):
        return NoNoise()
    family = family_of(noise, goal, scenario)
    return family(least_size_of_many(scenario, family, goal, judge, goal_at, workers, progress))


def _judge_within(
    laws: PairOfLaws, noise: Noise, goal: Guarantee, judge: Judge, distance: float
) -> float:
    """The judge's answer if the true laws may be this far from the believed ones."""
    inner = within(noise, goal, distance)
    return HOPELESS if inner is None else judge(laws, noise, inner)


def _is_kept(
    scenario: Scenario, certificate: Certificate, distance: float, workers: Workers
) -> bool:
    """Whether the promise is certified, also for laws at this distance from the believed ones."""
    if certificate.holds is not True or distance == 0.0:
        return certificate.holds is True
    noise = as_noise(certificate.noise)
    inner = within(noise, certificate.goal, distance)
    if inner is None:
        return False
    return certify(scenario, noise, inner, workers, None).holds is True


def _not_kept(method: str, certificate: Certificate) -> str:
    noise, worst = certificate.noise, certificate.worst
    first, second = worst.direction
    found = describe_delta(certificate)
    if certificate.goal.pure:
        found = f"{describe_loss(certificate)}, and {found}"
    verdict = "does not keep" if certificate.holds is False else "cannot be shown to keep"
    if not noise.additive:
        wrong = (
            f", for laws that are wrong by {percent_down(certificate.wrong, 6)}"
            if certificate.wrong
            else ""
        )
        return (
            f"this recoding {verdict} {certificate.goal}{wrong}: {found}, for {first!r} against "
            f"{second!r} as {worst.belief!r} sees it."
        )
    text = (
        f"{method} gives {words_of(noise).name_tried(noise)}, which {verdict} {certificate.goal}: "
        f"{found}, for {first!r} against {second!r} as {worst.belief!r} sees it. "
    )
    if method not in PAPER_METHODS and certificate.holds is False:
        return f"{text}This noise is too small; calibrate finds the least that suffices."
    if method not in PAPER_METHODS or PAPER_METHODS[method].is_true:
        text += "This promise is finer than the exact certificate can resolve in double precision"
        remedy = "choose a larger delta, or delta = 0"
    else:
        text += f"{method} does not hold in general (docs/theory/{method}.md)"
        remedy = "the method coupling for a bound that holds"
    text += f". Use the method exact for the least noise that is certified, or {remedy}."
    if method in PAPER_METHODS:
        text += " In Python, certified_only=False returns this size, marked as not certified."
    return text
