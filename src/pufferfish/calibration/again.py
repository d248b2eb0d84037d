"""Repeat a calibration for other beliefs, with the arguments read from its result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pufferfish.beliefs.priors import Discrete
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.core.errors import UnsupportedError
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.law import Recoding

__all__ = ["arguments_of", "calibrate_again"]


def calibrate_again(
    calibration: Calibration, scenario: Scenario | None = None, **changes: Any
) -> Calibration:
    """The result of `calibrate` with the arguments of this calibration, some of them changed.

    Args:
        calibration: The earlier result.
        scenario: Other beliefs; None: the same.
        changes: Arguments of `calibrate` that replace the earlier ones.

    Raises:
        UnsupportedError: It was found for a loss or weights of the user's own, which are not kept.
        PufferfishError: Any error of `calibrate`.
    """
    again = calibration.scenario if scenario is None else scenario
    found = calibrate(again, calibration.goal, **{**arguments_of(calibration), **changes})
    recode = calibration.recode
    if recode is None or recode.edges is not None or found.recode is None:
        return found
    # Edges that come from the data are kept for the sake of comparison, and are not public.
    return replace(found, recode=replace(found.recode, edges=None))


def arguments_of(calibration: Calibration) -> dict[str, Any]:
    """The arguments of `calibrate` that lead to the same calibration.

    A given size is not kept: the repeated calibration finds the least one.

    Raises:
        UnsupportedError: They cannot be recovered.
    """
    law = calibration.mechanism
    laws = list(law) if isinstance(law, Stratified) else [law]
    keep: dict[str, Any] = {"keep": law.columns} if isinstance(law, Stratified) else {}
    recode = calibration.recode
    if recode is not None:
        return keep | _of_recoding(laws[0], recode, calibration.scenario)
    if not all(each.additive for each in laws):
        raise UnsupportedError(
            "this recoding was not found by calibrate, so it cannot be calibrated again."
        )
    # The log-density of Laplace noise changes at a bounded rate, that of Gaussian noise does not.
    laplace = all(each.identity or each.ratio_scale > 0.0 for each in laws)
    found: dict[str, Any] = keep | {"mechanism": "laplace" if laplace else "gaussian"}
    if calibration.method != "given":
        found |= {"method": calibration.method, "radius": calibration.radius}
        found |= {} if calibration.tau is None else {"tau": calibration.tau}
    if calibration.certificate.wrong:
        found["wrong"] = calibration.certificate.wrong
    return found


def _of_recoding(law: Law, recode: Recode, scenario: Scenario) -> dict[str, Any]:
    if recode.loss == "own" or recode.weighted:
        raise UnsupportedError(
            "this recoding was found for a loss or weights of your own, which a calibration does "
            "not keep: call calibrate with them again."
        )
    found: dict[str, Any] = {
        "mechanism": "recode",
        "floor": "noise" if recode.floor_of_noise else recode.floor,
        "wrong": recode.wrong,
        "keep_histogram": recode.keep_histogram,
        "nominal": recode.wrong == 0.0 and not recode.floor_of_noise and not scenario.sampled,
    }
    if recode.loss != "columns":
        found["loss"] = recode.loss
    if recode.never:
        found["never"] = recode.never
    if isinstance(law, Recoding) and law.distances is not None:
        found["metric"] = law.distances
    if isinstance(law, Recoding) and law.edges is not None and not _lists(law, scenario):
        found["edges"] = law.edges
    return found


def _lists(law: Recoding, scenario: Scenario) -> bool:
    """Whether bins hold one value each, so that edges are given only where noise is added first."""
    tables = [
        table
        for belief in scenario.beliefs
        for table in (*belief.priors.values(), belief.frequencies)
        if isinstance(table, Discrete)
    ]
    return bool(tables) and all({*each.values.tolist()} <= {*law.values} for each in tables)
