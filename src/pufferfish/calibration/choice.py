"""`calibrate`: the least noise, or the recoding with the least loss, that keeps a promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy.typing as npt

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import Scenario
from pufferfish.calibration.asked import AskedFloor, check_asked
from pufferfish.calibration.by_known import calibrate_by_known, seen_by_all
from pufferfish.calibration.categories import units_of
from pufferfish.calibration.least_noise import Method, calibrate_noise
from pufferfish.calibration.recode import calibrate_recoding
from pufferfish.calibration.recode_categories import refuse_many
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.strata import group_beliefs
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.ladder import Rounding
from pufferfish.core.validation import require
from pufferfish.exact.oracle import check_goal, check_scenario
from pufferfish.exact.parallel import Progress, Workers
from pufferfish.theorems import Tau
from pufferfish.words.phrases import list_in_words

__all__ = ["MECHANISMS", "MechanismName", "calibrate"]

MechanismName = Literal["laplace", "gaussian", "recode"]
MECHANISMS: tuple[MechanismName, ...] = ("laplace", "gaussian", "recode")


def calibrate(
    scenario: Scenario,
    goal: Guarantee,
    mechanism: MechanismName = "laplace",
    method: Method = "exact",
    tau: Tau = "exact",
    radius: float = 0.0,
    certified_only: bool = True,
    *,
    floor: AskedFloor = "noise",
    wrong: float = 0.0,
    loss: Literal["squared", "absolute", "changed", "steps"]
    | Mapping[str, Any]
    | npt.ArrayLike
    | None = None,
    keep_histogram: bool = True,
    weights: Mapping[Any, float] | None = None,
    metric: npt.ArrayLike | None = None,
    edges: Sequence[float] | None = None,
    nominal: bool = False,
    never: Sequence[Mapping[str, Any]] | None = None,
    keep: Sequence[str] = (),
    size: float | None = None,
    rounding: Rounding | None = None,
    workers: int | Workers = 1,
    progress: Progress | None = None,
) -> Calibration:
    """The mechanism that keeps `goal` for every pair of `scenario`, with its exact certificate.

    Args:
        scenario: The beliefs, and the pairs of secrets.
        goal: The promise.
        mechanism: "laplace" or "gaussian": noise that is added. "recode": a random map from values
            to values, with the least loss that keeps the promise (docs/theory/recoding.md). The
            arguments from `floor` to `never`, except `wrong`, are for it alone.
        method: "exact": the smallest size that the exact certificate accepts. "coupling": the
            smallest size that a coupling proves. "thm-1", "remark-1", "thm-2", "cor-2": the paper's
            formulas, with a reserve for the grid. All but "exact" are for Laplace noise.
        tau: "exact" or "lambert": the form of τ(δ) in "thm-1" and "thm-2".
        radius: Keep the promise also for true laws within this distance (W_∞, in the units of X)
            of the believed ones; for "exact" and "coupling".
        certified_only: Raise an error if a formula's size does not keep the promise. With False it
            is returned, and its certificate states that the promise does not hold.
        floor: The protection of every value from everybody, whatever they believe. "noise": as much
            as the least Laplace noise gives. A number κ, in units of the column: no published value
            is more than e^{κ·d} times as likely for one value as for another at distance d. None:
            no floor.
        wrong: Keep the promise for every law within this total variation of the believed one. Also
            for Laplace noise with method "exact": there for every such law between the public
            bounds to which values are capped, which the beliefs must state (`cap=` of fit_beliefs
            and Belief; docs/theory/wrong-noise.md).
        loss: The cost of a change: "squared" (the default), "absolute", "changed", or a matrix with
            a row for each value and a column for each output. For categories: {column: loss}, each
            "changed", "steps" in the column's order, or a matrix over its categories; numbers among
            several columns are counted in stds of their column. By default the sum over columns of
            squared errors of numbers and of changed categories.
        keep_histogram: Whether published values occur as often as before, on average.
        weights: The weight of each value in the loss: {value: weight}, with None for a missing one.
            The default is its frequency in the whole table. For several columns: the weight of each
            column, {column: weight}; 1 by default.
        metric: A matrix of distances between listed values, in rising order, for a floor in a
            metric of your own.
        edges: Public edges of bins. By default up to 400 distinct values are listed one by one, and
            more are put into bins with round edges.
        nominal: Permit laws that are exactly those of one table together with a floor weaker than
            that of the noise. Such a promise does not survive the next sample.
        never: Categories that are never published together, known columns included: a list of
            {column: category}.
        keep: Known columns that are published in the row: each combination of their values gets a
            law of its own, and the promise holds given these values. Without it one law serves
            all adversaries of the scenario, those who know columns and those who do not.
        size: This scale (for Gaussian noise: this std) in place of the least. It is public because
            it was chosen without the data. It is certified, and refused if it is too small.
        rounding: "ladder": round the least size up to a rung of the public ladder, so that it
            reveals less about private beliefs (docs/theory/published-size.md). Otherwise a `Plan`
            does it, and certifies once more.
        workers: Processes to spread many pairs over; with more than one, a script needs the usual
            `if __name__ == "__main__":` guard. Or an object with `count` and `map`, such as a
            cluster.
        progress: Called with the number of pairs done and of all pairs, in the search and in the
            final certificate; for each belief separately where there are thousands of pairs. For a
            recoding it is called with the number of programs solved and 0, because their total is
            not known.

    Raises:
        CertificationError: The paper's formula gives a size that does not keep the promise, the
            given `size` is too small, or the promise is finer than double precision can decide.
        UnreachableGoalError: No mechanism of this kind keeps the promise; the message says why.
        UnsupportedError: The method does not cover this scenario, noise or radius.
        InvalidInputError: An argument is not valid, or contradicts another one.
    """
    check_scenario(scenario)
    check_goal(goal)
    known = ", ".join(map(repr, MECHANISMS))
    require(
        isinstance(mechanism, str),
        f"mechanism must be one of {known}, got {type(mechanism).__name__}; to judge a law that "
        "is already chosen use pf.verify.",
    )
    require(mechanism in MECHANISMS, f"mechanism {mechanism!r} is not known; known: {known}.")
    asked = check_asked(
        floor=floor,
        wrong=wrong,
        loss=loss,
        keep_histogram=keep_histogram,
        weights=weights,
        metric=metric,
        edges=edges,
        nominal=nominal,
        never=never,
    )
    if mechanism == "recode":
        for_noise = (method, tau, radius, size, rounding)
        require(
            for_noise == ("exact", "exact", 0.0, None, None),
            "method, tau, radius, size and rounding are for noise: leave them out for a recoding, "
            "which has floor and wrong.",
        )
    else:
        require(
            replace(asked, wrong=0.0).is_default,
            "floor, loss, keep_histogram, weights, metric, edges, nominal and never are "
            'for a recoding: add mechanism="recode".',
        )

    def one(part: Scenario) -> Calibration:
        if mechanism == "recode":
            return calibrate_recoding(part, goal, asked, _solved(progress))
        return calibrate_noise(
            part,
            goal,
            mechanism,
            method,
            tau,
            radius,
            certified_only,
            size=size,
            rounding=rounding,
            workers=workers,
            progress=progress,
            wrong=asked.wrong,
        )

    columns = _check_keep(keep)
    if not columns:
        _refuse_only_known(scenario)
        return one(scenario)
    seen = seen_by_all(scenario, columns)
    for _, beliefs in group_beliefs(seen.beliefs, columns):
        # Checked before the first stratum is calibrated, which may take minutes.
        refuse_many(beliefs, f" among the rows with some values of {list_in_words(columns)}")
    asked = replace(asked, units=units_of(seen))
    return calibrate_by_known(scenario, columns, one)


def _refuse_only_known(scenario: Scenario) -> None:
    """Refuse one law for everybody if no belief is without known columns.

    A promise against those who know a column implies none against those who do not.
    """
    if all(belief.given for belief in scenario.beliefs):
        raise InvalidInputError(
            "every adversary of the scenario knows columns of the row, so nothing would be "
            "promised against somebody who does not: add the belief without known columns "
            "(fit_beliefs makes it as well), or name the known columns that are published in every "
            "row (keep=[...], --keep)."
        )


def _check_keep(keep: object) -> tuple[str, ...]:
    names = tuple(keep) if isinstance(keep, Sequence) and not isinstance(keep, str) else None
    if names is None or not all(isinstance(each, str) and each for each in names):
        raise InvalidInputError(f"keep must be a list of columns, got {keep!r}.")
    return names


def _solved(progress: Progress | None) -> Callable[[int], None] | None:
    return None if progress is None else lambda count: progress(count, 0)
