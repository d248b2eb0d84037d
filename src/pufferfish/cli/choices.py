"""Tables to choose ε from: by noise, by a recoding, or by what errs least."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.calibration.rows import share
from pufferfish.cli.show import Show
from pufferfish.core.errors import UnreachableGoalError
from pufferfish.insight.choosing import Chosen
from pufferfish.insight.recoded_choices import RecodedChoice, choose_recoding
from pufferfish.insight.strongest import EPSILONS, Choice, choices
from pufferfish.noise import law_to_dict
from pufferfish.options.adversaries import Described
from pufferfish.options.planning import Asked
from pufferfish.words.numbers import percent, percent_up, readable
from pufferfish.words.terminal import align

__all__ = ["choose_map", "choose_noise", "choose_way"]

_SMALLER = "The smaller ε, the more alike the secrets look. Choose one with --epsilon"


def choose_noise(asked: Asked, described: Described, show: Show) -> None:
    """Noise, accuracy and the adversary's success for several ε."""
    kind: Any = asked.goal.kind
    rows = asked.publishing.rows
    found = choices(
        described.scenario,
        asked.goal.delta,
        kind,
        asked.accuracy.level,
        rows=rows.count,
        dependence=rows.dependence,
        cap=asked.adversaries.bounds,
    )
    refused = _refused([each.goal for each in found], "noise")
    show.result(
        f"{_noise_table(found)}{refused}\n\n{_SMALLER}, or an accuracy with --accuracy.",
        {"choices": [asdict(each) | {"noise": law_to_dict(each.noise)} for each in found]},
    )


def choose_map(asked: Asked, described: Described, show: Show) -> None:
    """The error of a recoding, what stays, and the adversary's success for several ε."""
    with show.progress("Recoding") as progress:
        found = choose_recoding(
            described.scenario,
            asked.goal.delta,
            rows=asked.publishing.rows.count,
            progress=progress,
            **asked.recoding.arguments,
        )
    refused = _refused([each.goal for each in found], "recoding")
    show.result(
        f"{_map_table(found)}{refused}\n\n{_SMALLER}.",
        {"choices": [asdict(each) for each in found]},
    )


def choose_way(asked: Asked, described: Described, show: Show) -> None:
    """The error of each way to the promise for several ε."""
    found: dict[Guarantee, Chosen] = {}
    for epsilon in EPSILONS:
        goal = Guarantee(epsilon, asked.goal.delta)
        try:
            each = share(goal, asked.publishing.rows.count)
            found[goal] = asked.ways(described.scenario, each, show)
        except UnreachableGoalError as error:
            refused = error
    if not found:
        raise refused
    show.result(
        f"{_way_table(found)}{_refused(list(found), 'mechanism')}\n\n"
        "Errors are root mean squares; * marks the way that auto takes. Where the constant errs "
        "less,\nthe column serves for its distribution, and hardly for single rows.\n"
        f"{_SMALLER}.",
        {
            "choices": [
                {"goal": {"epsilon": goal.epsilon, "delta": goal.delta}, **each.to_dict()}
                for goal, each in found.items()
            ]
        },
    )


def _refused(goals: list[Guarantee], what: str) -> str:
    reached = {each.epsilon for each in goals}
    absent = ", ".join(f"{epsilon:g}" for epsilon in EPSILONS if epsilon not in reached)
    return f"\nCannot be reached with this {what} and δ: ε = {absent}." if absent else ""


def _noise_table(found: tuple[Choice, ...]) -> str:
    """ε against noise, accuracy and the adversary's success."""
    rows = [("ε", "noise std", "each value within", "guessed right, at worst", "promise allows")]
    for each in found:
        rows.append(
            (
                f"{each.goal.epsilon:g}",
                "none needed" if each.noise.identity else f"{each.noise.error():.4g}",
                f"±{each.half_width:.3g} in {percent(each.confidence)}",
                percent_up(each.accuracy_after),
                percent_up(each.accuracy_allowed),
            )
        )
    return align(rows, "right")


def _map_table(found: tuple[RecodedChoice, ...]) -> str:
    """ε against errors, what stays, and the adversary's success."""
    head = ("ε", "error", "unchanged", "constant", "least noise")
    rows = [(*head, "guessed right, at worst", "promise allows")]
    for each in found:
        noise = each.laplace_rmse
        rows.append(
            (
                f"{each.goal.epsilon:g}",
                f"{each.rmse:.4g}",
                percent(each.unchanged, 2),
                f"{each.constant_rmse:.4g}",
                "-" if noise is None else f"{noise:.4g}",
                percent_up(each.accuracy_after),
                percent_up(each.accuracy_allowed),
            )
        )
    return align(rows, "right")


def _way_table(found: dict[Guarantee, Chosen]) -> str:
    """ε against the error of each way."""
    names = list(dict.fromkeys(way.name for each in found.values() for way in each.ways))
    rows = [("ε", *names, "constant")]
    for goal, each in found.items():
        errors = {way.name: readable(way.rmse, 4) for way in each.ways}
        errors[each.taken.name] += "*"
        cells = (errors.get(name, "-") for name in names)
        rows.append((f"{goal.epsilon:g}", *cells, readable(each.constant_rmse, 4)))
    return align(rows, "right")
