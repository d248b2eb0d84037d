"""Every method on one scenario, side by side, each judged by the exact certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.least_noise import METHODS, calibrate_noise
from pufferfish.calibration.result import Calibration
from pufferfish.core.errors import CertificationError, UnreachableGoalError, UnsupportedError
from pufferfish.core.validation import require
from pufferfish.exact.many import is_many
from pufferfish.exact.oracle import check_goal, check_scenario, verify
from pufferfish.exact.parallel import Progress
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law, law_to_dict
from pufferfish.recoding.bins import MOST_LISTED
from pufferfish.recoding.law import Recoding
from pufferfish.theorems import PAPER_METHODS, TAU_FORMS, Tau
from pufferfish.words.certificates import VERDICTS
from pufferfish.words.numbers import at_most
from pufferfish.words.phrases import without_name
from pufferfish.words.terminal import align, fold

__all__ = ["Asked", "ComparedMethod", "Comparison", "Found", "compare", "noise_in_words"]
__all__ += ["side_by_side", "tau_in_words"]


class Found(NamedTuple):
    """The noise of a method.

    Attributes:
        calibration: The noise, with the certificate of those who decide.
        repeatable: Whether the certificate can be charged for repeated releases.
        for_all: False if the promise was found broken for somebody else.
    """

    calibration: Calibration
    repeatable: bool = True
    for_all: bool = True


class Asked(NamedTuple):
    """A method, its form where it has several, and how its noise is found."""

    method: str
    form: str
    find: Callable[[], Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMethod:
    """One method's noise, and what it really gives.

    Attributes:
        name: The method, with its noise or τ where there are several.
        calibration: The noise it chose, with the exact certificate.
        against_exact: Its error (the std of noise) as a multiple of that of exact Laplace noise;
            None where that needs no noise at all.
        repeatable: Whether its certificate can be charged for repeated releases.
        for_all: False if the promise is broken for somebody whom the certificate is not about.
    """

    name: str
    calibration: Calibration = field(repr=False)
    against_exact: float | None
    repeatable: bool = True
    for_all: bool = True

    @property
    def valid(self) -> bool | None:
        """Whether the promise is kept; None where that is undecided."""
        holds = self.calibration.certificate.holds
        return False if holds and not self.for_all else holds

    @property
    def delta_upper(self) -> float:
        """The true δ at the goal's ε, or a little more."""
        return self.calibration.certificate.delta_upper

    @property
    def epsilon_upper(self) -> float:
        """The least ε with δ = 0, or a little more."""
        return self.calibration.certificate.epsilon_upper

    @property
    def epsilon_of_two(self) -> float | None:
        """The ε of two releases of the same value; None where a second one is not covered."""
        certificate = self.calibration.composable if self.repeatable else None
        return None if certificate is None else certificate.cost(2).epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Every method for one scenario and goal; `print` it for the table.

    Attributes:
        goal: The promise that each method was asked for.
        methods: Those that apply, the exact ones first.
        refused: For the others, the name and the reason.
    """

    goal: Guarantee
    methods: tuple[ComparedMethod, ...]
    refused: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """The table, as text."""
        measured = "least ε, δ = 0" if self.goal.pure else f"true δ, ε = {self.goal.epsilon_text}"
        header = ("method", "noise", "noise/exact", measured, "promise", "two releases")
        rows = [header, *(self._row(each) for each in self.methods)]
        lines = [align(rows, "left", ruled=True)]
        if self.refused:
            lines.append("Does not apply:")
        for reason, names in self._reasons().items():
            line = f"- {', '.join(names)}: {without_name(names[0], reason)}"
            lines.append(fold(line, others="  ", hyphens=True))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "goal": {"epsilon": self.goal.epsilon, "delta": self.goal.delta},
            "methods": [
                {
                    "name": each.name,
                    "noise": law_to_dict(each.calibration.mechanism),
                    "valid": each.valid,
                    "against_exact": each.against_exact,
                }
                for each in self.methods
            ],
            "refused": dict(self.refused),
        }

    def _reasons(self) -> dict[str, list[str]]:
        """Each reason once, with the methods that it refuses."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused:
            reasons.setdefault(reason, []).append(name)
        return reasons

    def _row(self, each: ComparedMethod) -> tuple[str, ...]:
        loss = each.epsilon_upper if self.goal.pure else each.delta_upper
        ratio, twice = each.against_exact, each.epsilon_of_two
        return (
            each.name,
            noise_in_words(each.calibration.mechanism),
            "-" if ratio is None else f"{ratio:.3f}",
            at_most(loss, 4),
            VERDICTS[each.valid] if each.valid is not False else "BROKEN",
            "not covered" if twice is None else f"ε = {at_most(twice, 4)}",
        )


def compare(
    scenario: Scenario,
    goal: Guarantee,
    *,
    recodings: Mapping[str, Recoding] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Every method that applies: its noise, what it really gives, whether the promise is kept.

    Args:
        scenario: What must look alike, to whom.
        goal: The promise.
        recodings: Further recodings to judge, from any source, by the name of their line.
        workers: Processes to spread many pairs over; see `calibrate`.
        progress: Called with (pairs done, pairs in all), anew for each method.
    """
    check_scenario(scenario)
    check_goal(goal)

    def found(choices: dict[str, Any]) -> Found:
        return Found(
            calibrate_noise(
                scenario,
                goal,
                **choices,
                certified_only=False,
                workers=workers,
                progress=progress,
            )
        )

    def recoded() -> Found:
        # With the floor of the least noise, so that it protects every value as much.
        return Found(calibrate(scenario, goal, mechanism="recode"))

    methods = [
        Asked(method, form, partial(found, choices)) for method, form, choices in _all_methods()
    ]
    if _is_listed(scenario):
        methods.append(Asked("recode", "", recoded))
    for name, law in (recodings or {}).items():
        require(isinstance(law, Recoding), f"{name!r} is not a Recoding; see Recoding.from_matrix.")
        methods.append(Asked(name, "", partial(_judged, scenario, goal, law)))
    return side_by_side(goal, methods)


def _judged(scenario: Scenario, goal: Guarantee, law: Recoding) -> Found:
    """A recoding that the caller gave."""
    certificate = verify(scenario, law, goal)
    return Found(
        Calibration(
            scenario=scenario, goal=goal, method="given", mechanism=law, certificate=certificate
        )
    )


def _is_listed(scenario: Scenario) -> bool:
    """Whether the beliefs are tables of few values, for which a recoding is found quickly."""
    priors = (prior for belief in scenario.beliefs for prior in belief.priors.values())
    tables = [prior.values for prior in priors if isinstance(prior, Discrete)]
    if not tables or is_many(scenario):
        return False
    return np.unique(np.concatenate(tables)).size <= MOST_LISTED


def side_by_side(goal: Guarantee, methods: Iterable[Asked]) -> Comparison:
    """Every method that applies, and why the others do not."""
    answers: dict[str, Found] = {}
    refused: dict[str, str] = {}
    for each in methods:
        try:
            answers[f"{each.method}{each.form}"] = each.find()
        except (CertificationError, UnsupportedError, UnreachableGoalError) as error:
            refused[each.method] = str(error)
    errors = {name: found.calibration.rmse for name, found in answers.items()}
    least = errors.get("exact", 0.0)
    return Comparison(
        goal=goal,
        methods=tuple(
            ComparedMethod(
                name=name,
                calibration=found.calibration,
                against_exact=errors[name] / least if least > 0.0 else None,
                repeatable=found.repeatable,
                for_all=found.for_all,
            )
            for name, found in answers.items()
        ),
        refused=tuple(refused.items()),
    )


def _all_methods() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each method, its form where it has several, and the call of `calibrate` for it."""
    for method in METHODS:
        if method == "exact":
            yield "exact", "", {}
            yield "exact, Gaussian", "", {"noise": "gaussian"}
        elif method in PAPER_METHODS and PAPER_METHODS[method].has_tau:
            for tau in TAU_FORMS:
                yield method, tau_in_words(tau), {"method": method, "tau": tau}
        else:
            yield method, "", {"method": method}


def tau_in_words(tau: Tau) -> str:
    """The suffix of a method's name: which form of τ it takes."""
    return f", τ {tau}"


def noise_in_words(noise: Law) -> str:
    """The law and its size."""
    return words_of(noise).short(noise)
