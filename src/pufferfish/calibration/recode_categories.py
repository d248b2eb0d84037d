"""The recoding of categories, or of several columns, with the least loss that keeps a promise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.labels import Label, keys_of, parts_of, places_of
from pufferfish.beliefs.priors import Categorical
from pufferfish.beliefs.scenario import Belief, Scenario
from pufferfish.calibration.asked import Asked, duty_of
from pufferfish.calibration.categories import Categories, categories_of, check_weights
from pufferfish.calibration.other_laws import survives_resampling
from pufferfish.calibration.result import Calibration, PartFigures, Recode
from pufferfish.core.errors import CertificationError, InvalidInputError, UnsupportedError
from pufferfish.core.validation import FloatArray, require
from pufferfish.exact import verify
from pufferfish.recoding.cells import IntegerTable
from pufferfish.recoding.checks import MOST_OWN
from pufferfish.recoding.exact import WHOLE, Floor
from pufferfish.recoding.kernels import exponential_kernel, metric_floor
from pufferfish.recoding.law import Recoding
from pufferfish.recoding.least_loss import Found, Task, least_loss
from pufferfish.recoding.table import Duty

__all__ = ["MOST_CATEGORIES", "calibrate_categories", "changes_to"]
__all__ += ["refuse_many", "wrong_figures_of_categories"]

# The relative difference permitted between figures that were computed elsewhere and here.
_AGREE = 1e-6
# How much a kept frequency may change by the repair.
_KEPT = 1e-5
# With more categories a linear program over all maps takes too long, and a table too much memory.
MOST_CATEGORIES = 1_000


def calibrate_categories(
    scenario: Scenario,
    goal: Guarantee,
    asked: Asked,
    progress: Callable[[int], None] | None = None,
) -> Calibration:
    """The recoding with the least loss; arguments as for `calibrate_recoding`."""
    require(
        asked.edges is None,
        "edges= of calibrate is for one column of numbers: give the edges of a table's columns to "
        "fit_beliefs.",
    )
    _refuse_brittle(scenario, asked)
    by_column = check_weights(asked.weights)
    found = categories_of(scenario, units=asked.units)
    for name in by_column:
        require(
            name in found.columns,
            f"weights name the column {name!r}, which is not published; published: "
            f"{', '.join(map(repr, found.columns)) or 'no names'}.",
        )
    refuse_many(scenario.beliefs)
    outputs = found.may_publish(asked.never)
    losses = found.losses(asked.loss, by_column)
    distances = _distances(found, asked)
    task = Task(
        duty=_duty(scenario, goal, found, asked, distances),
        cost=found.frequencies[:, None] * losses[:, outputs],
        kernel=_kernel(distances, asked.floor, outputs),
        histogram=_histogram(found, outputs) if asked.keep_histogram else None,
    )
    best = least_loss(task, progress=progress)
    others = asked.wrong or _has_other_cell(scenario, found)
    law = Recoding(
        values=found.values,
        outputs=tuple(found.values[place] for place in outputs),
        table=best.table,
        floor=None if distances is None else asked.kappa,
        distances=distances,
        labelled=True,
        unseen=_unseen(best.table, found.frequencies) if others else None,
    )
    certificate = verify(scenario, law, goal, wrong=asked.wrong)
    if certificate.holds is not True:
        raise CertificationError(
            f"the recoding that was found cannot be shown to keep {goal}: the promise is finer "
            "than whole numbers over 2^62 can tell."
        )
    return Calibration(
        scenario=scenario,
        goal=goal,
        method="recode",
        mechanism=law,
        certificate=certificate,
        recode=_figures(found, law, best, asked),
    )


def _has_other_cell(scenario: Scenario, found: Categories) -> bool:
    """Whether every sampling region has a cell for labels that no row has."""
    regions = [each.region for each in scenario.beliefs]
    return all(
        each is not None and (each.cells is None or each.cells > len(found.values))
        for each in regions
    )


def refuse_many(beliefs: Sequence[Belief], among: str = "") -> None:
    """Refuse more categories than a recoding takes.

    Args:
        beliefs: The beliefs of one recoding.
        among: The rows that it is for, in words.
    """
    values = {
        key: labels
        for belief in beliefs
        for law in (*belief.priors.values(), belief.frequencies)
        if isinstance(law, Categorical)
        for key, labels in zip(law.values.keys, law.values, strict=True)
    }
    columns = {name for belief in beliefs for name in belief.columns}
    if len(values) > MOST_CATEGORIES and len(columns) == 1:
        (name,) = columns
        text = all(isinstance(each, str) for labels in values.values() for each in parts_of(labels))
        instead = (
            "If it means numbers, write every entry as a number, with a decimal point."
            if text
            else "Take numbers in bins (--edges), or dates by a unit (--dates)."
        )
        raise UnsupportedError(
            f"column {name!r} is {'text and ' if text else ''}taken as categories ({len(values):,} "
            f"different ones{among}), and a recoding takes at most {MOST_CATEGORIES:,}. Merge rare "
            f"categories (--merge). {instead}"
        )
    if len(values) > MOST_CATEGORIES:
        raise UnsupportedError(
            f"there are {len(values):,} categories, or combinations of them{among}, and a recoding "
            f"takes at most {MOST_CATEGORIES:,}. Publish fewer columns together, put numbers into "
            "wider bins (--edges), or merge rare categories (--merge)."
        )


def _figures_of(found: Categories, law: Recoding) -> dict[str, Any]:
    """The figures of a map: what it does to the rows of a table, in all and column by column."""
    chances = law.matrix
    places = places_of(found.values)
    published = [places[key] for key in keys_of(law.outputs)]
    parts = []
    for part, labels in enumerate(found.parts):
        name = found.columns[part] if found.columns else ""
        parts.append(_part(name, found, part, labels, chances, published))
    squares = found.losses(None, {})[:, published]
    often = found.frequencies
    rmse = math.sqrt(float(often @ (chances * squares).sum(axis=1)))
    changed = float(often @ (chances * (squares > 0.0)).sum(axis=1))
    apart = float(often @ (chances * np.sqrt(squares)).sum(axis=1))
    return {
        "unchanged": law.unchanged(often.tolist()),
        "rmse": rmse,
        "moved": apart / changed if changed else 0.0,
        "constant_rmse": math.sqrt(float((often @ squares).min())),
        "parts": tuple(parts),
    }


def changes_to(scenario: Scenario, law: Recoding) -> tuple[float, float]:
    """What a map does to the rows from which beliefs were counted.

    Args:
        scenario: The beliefs; the map takes all their values.
        law: The map.

    Returns:
        The share of rows that stay as they are, and the root of the mean loss of the others.
    """
    found = categories_of(scenario)
    often = dict(zip(keys_of(found.values), found.frequencies.tolist(), strict=True))
    frequencies = np.array([often.get(key, 0.0) for key in keys_of(law.values)])
    figures = _figures_of(replace(found, values=law.values, frequencies=frequencies), law)
    return figures["unchanged"], figures["rmse"]


def wrong_figures_of_categories(
    scenario: Scenario, law: Recoding, said: Recode, units: Mapping[str, float] | None = None
) -> list[str]:
    """The names of stated figures that do not follow from a map and its beliefs.

    Args:
        scenario: The beliefs.
        law: The map.
        said: The stated figures.
        units: Stds of columns over the whole table, if the map is for a part of it.
    """
    found = categories_of(scenario, units=units)
    if {*keys_of(found.values)} != {*keys_of(law.values)}:
        return ["values"]
    # Weights of the same rows, in the order of the map.
    places = places_of(found.values)
    order = [places[key] for key in keys_of(law.values)]
    found = replace(found, values=law.values, frequencies=found.frequencies[order])
    figures = _figures_of(found, law)
    parts = figures.pop("parts")
    other = [name for name, figure in figures.items() if not _agree(figure, getattr(said, name))]
    if [each.column for each in parts] != [each.column for each in said.parts] or not all(
        _agree(getattr(mine, name), getattr(theirs, name))
        for mine, theirs in zip(parts, said.parts, strict=True)
        for name in ("unchanged", "mode_share", "rmse", "std")
    ):
        other.append("parts")
    if said.keep_histogram:
        kept = [places_of(law.values)[key] for key in keys_of(law.outputs)]
        after = found.frequencies @ law.matrix
        if np.abs(after - found.frequencies[kept]).max() > _KEPT:
            other.append("keep_histogram")
    keys = keys_of(found.values)
    allowed = {keys[place] for place in found.may_publish(said.never)}
    if not {*keys_of(law.outputs)} <= allowed:
        other.append("never")
    return other


def _agree(mine: float | None, theirs: float | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return math.isclose(mine, theirs, rel_tol=_AGREE, abs_tol=_AGREE)


def _part(
    name: str,
    found: Categories,
    part: int,
    labels: Sequence[Label],
    chances: FloatArray,
    published: list[int],
) -> PartFigures:
    changed = found.part_changed(part)[:, published]
    kept = float(found.frequencies @ (chances * (1.0 - changed)).sum(axis=1))
    shares: dict[object, float] = {}
    for key, share in zip(keys_of(labels), found.frequencies.tolist(), strict=True):
        shares[key] = shares.get(key, 0.0) + share
    unit = found.units[part]
    if not unit:
        return PartFigures(column=name, unchanged=kept, mode_share=max(shares.values()))
    squares = found.part_squares(part)[:, published]
    there = ~np.isnan(squares)
    weight = float(found.frequencies @ (chances * there).sum(axis=1))
    total = float(found.frequencies @ (chances * np.where(there, squares, 0.0)).sum(axis=1))
    return PartFigures(
        column=name,
        unchanged=kept,
        mode_share=max(shares.values()),
        rmse=float(np.sqrt(total / weight)) if weight else 0.0,
        std=unit,
    )


def _figures(found: Categories, law: Recoding, best: Found, asked: Asked) -> Recode:
    said = asked.loss
    return Recode(
        **_figures_of(found, law),
        floor=law.kappa,
        floor_of_noise=False,
        wrong=asked.wrong,
        wrong_of_table=False,
        loss="own" if not (said is None or isinstance(said, str)) else (said or "columns"),
        weighted=asked.weights is not None,
        keep_histogram=asked.keep_histogram,
        mean_loss=float(best.loss),
        least_loss=max(best.bound, 0.0),
        laplace_rmse=None,
        never=asked.never,
    )


def _refuse_brittle(scenario: Scenario, asked: Asked) -> None:
    """Refuse a map fitted to one table without slack: it promises nothing about the next."""
    if asked.nominal or asked.wrong or survives_resampling(scenario):
        return
    raise InvalidInputError(
        "the laws of these categories are taken to be exactly those of one table: such a promise "
        "does not survive the next sample. State by how much the laws may be wrong (wrong=0.05, "
        "--wrong 5%), cover the sampling error (confidence=0.95 of fit_beliefs, "
        "--sampling-confidence 95%), or, to see what is possible for this table alone, use "
        "nominal=True (--nominal)."
    )


def _distances(found: Categories, asked: Asked) -> FloatArray | None:
    if asked.kappa is None:
        return None
    require(
        len(found.values) <= MOST_OWN,
        f"a floor is for at most {MOST_OWN} categories, or combinations of them, and there are "
        f"{len(found.values):,}: leave it out (--floor none, floor=None), or merge some of them "
        "(--merge).",
    )
    given = found.distances if asked.distances is None else asked.distances
    require(
        len(given) == len(found.values),
        f"metric must have a row for each of the {len(found.values)} categories.",
    )
    # A floor that leaves out some pairs of values protects less than it states, and no document can
    # hold it.
    require(
        bool(np.isfinite(given).all()),
        "a floor needs a finite distance between every two combinations, and a missing number has "
        "none from the others: leave out the floor (floor=None, no --floor), remove the rows with "
        "a missing number first, or have whole numbers read as labels (--codes), one of which is "
        "the missing one.",
    )
    return given


def _kernel(distances: FloatArray | None, floor: object, outputs: list[int]) -> FloatArray | None:
    if distances is None or not isinstance(floor, float):
        return None
    require(
        len(outputs) == len(distances),
        "a floor needs every category among the published ones: leave out the rules of what must "
        "never occur (--never), or the floor (--floor).",
    )
    return exponential_kernel(distances, floor)


def _duty(
    scenario: Scenario,
    goal: Guarantee,
    found: Categories,
    asked: Asked,
    distances: FloatArray | None,
) -> Duty:
    floor = _floor(distances, asked.kappa)
    return duty_of(scenario, goal, asked, found.values, floor)


def _floor(distances: FloatArray | None, kappa: float | None) -> Floor:
    return () if distances is None or kappa is None else metric_floor(distances, kappa)


def _histogram(found: Categories, outputs: list[int]) -> tuple[FloatArray, FloatArray]:
    wanted = found.frequencies[outputs]
    require(
        bool(np.isclose(wanted.sum(), 1.0, rtol=0.0, atol=1e-9)),
        "some rows of the table have combinations that must never occur by the rules (--never), so "
        "not every category can occur as often as before: correct those rows, or let frequencies "
        "change (keep_histogram=False, --any-histogram).",
    )
    return found.frequencies, wanted / wanted.sum()


def _unseen(table: IntegerTable, frequencies: FloatArray) -> tuple[int, ...]:
    """The row for a category that was never seen: the mixture of all rows by their frequencies.

    Each of its entries lies between the least and the largest of its column, so the published law
    of a belief that gives some probability to unseen categories is one that seen categories could
    give as well.
    """
    weights = [int(each * 2.0**40) for each in frequencies]
    total = sum(weights)
    whole = table.astype(object)
    row = [int(each) // total for each in np.array(weights, dtype=object) @ whole]
    room = [int(high) - each for high, each in zip(whole.max(axis=0), row, strict=True)]
    rest = WHOLE - sum(row)
    for y in sorted(range(len(row)), key=lambda place: -room[place]):
        more = min(room[y], rest)
        row[y] += more
        rest -= more
    return tuple(row)
