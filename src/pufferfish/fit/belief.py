"""Beliefs from the counts of a column of numbers, and the report of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import OTHER_ROWS, PUBLIC, RELEASED, Belief, Secret, some_secrets
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import bounds, nonnegative, positive, require
from pufferfish.fit.bootstrap import draw_resamples
from pufferfish.fit.error import fit_error
from pufferfish.fit.families import (
    Family,
    empirical,
    fit_laws,
    narrowest,
    parse_family,
    refit_law,
    refit_laws,
)
from pufferfish.fit.report import FitReport, GroupFit
from pufferfish.noise import Noise
from pufferfish.tables import Counts, summarise

__all__ = ["MIN_GROUP", "RELEVANCE", "fit_report", "fit_summary", "refit_belief", "usable_counts"]

MIN_GROUP = 30
RELEVANCE = 16.0
# A smooth belief keeps the frequency of each value up to this many distinct values.
MOST_FREQUENCIES = 10_000
# Stands between the family and the number of a resample in the name of a belief.
RESAMPLE = ", resample "
_Cap = tuple[float, float]


def fit_report(
    data: Any,
    column: str | None = None,
    secret: str | None = None,
    family: str = "mixture",
    components: int | str = "auto",
    *,
    noise: Noise | None = None,
    min_group: int = MIN_GROUP,
    provenance: str = RELEASED,
    name: str | None = None,
    least_std: float | None = None,
    relevance: float = RELEVANCE,
    cap: _Cap | None = None,
) -> FitReport:
    """`fit_belief` with a report of the fit: scores, convergence, distance to the data.

    Args:
        data: As for `fit_belief`; the same holds for all arguments but `noise`.
        column: The numeric column.
        secret: The column of the secret.
        family: The family of laws.
        components: The number of components of a mixture.
        noise: Also report the distance between fit and data after this noise.
        min_group: A secret with fewer records is refused.
        provenance: Where the belief comes from.
        name: The name of this adversary in messages.
        least_std: The least std of a component.
        relevance: For "ubm": the weight of the background, in records.
        cap: Public bounds to which values are moved.
    """
    summary = usable_counts(data, column, secret, min_group, cap)
    chosen = parse_family(family, components)
    laws = fit_laws(summary, chosen, *_options(summary, chosen, least_std, relevance))
    step = summary.resolution
    groups = [
        GroupFit(
            secret=label,
            records=group.records,
            missing=group.missing,
            prior=laws.priors[label],
            error=fit_error(
                laws.priors[label],
                empirical(group),
                step=step,
                radius=summary.radius,
                noise=noise,
            ),
            scores=laws.scores.get(label, ()),
        )
        for label, group in summary.groups.items()
    ]
    return FitReport(
        belief=_belief(summary, laws.priors, name or chosen.name, provenance),
        column=summary.column,
        secret=summary.secret,
        family=chosen.name,
        noise=noise,
        groups=tuple(groups),
        background=laws.background,
    )


def fit_summary(
    summary: Counts,
    families: Iterable[str],
    bootstrap: int = 0,
    *,
    components: int | str = "auto",
    provenance: str = RELEASED,
    least_std: float | None = None,
    relevance: float = RELEVANCE,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Belief, ...]:
    """Adversaries who fit laws to the counts of one column of numbers.

    The arguments are those of `fit_beliefs`, which users call; the counts come from
    `usable_counts`.
    """
    require(
        isinstance(bootstrap, int) and not isinstance(bootstrap, bool) and bootstrap >= 0,
        f"bootstrap must be a whole number of at least 0, got {bootstrap!r}.",
    )
    wanted = list(dict.fromkeys(parse_family(family, components) for family in families))
    require(bool(wanted), "families must not be empty.")
    beliefs: list[Belief] = []
    total = len(wanted) * len(summary.groups)

    def count(done: int) -> None:
        if progress is not None:
            before = len(beliefs) // (1 + bootstrap) * len(summary.groups)
            progress(before + done, total)

    for family in wanted:
        options = _options(summary, family, least_std, relevance)
        laws = fit_laws(summary, family, *options, count)
        beliefs.append(_belief(summary, laws.priors, family.name, provenance))
        for number, sample in enumerate(draw_resamples(summary, bootstrap, seed), start=1):
            priors = refit_laws(laws, sample, family, *options)
            name = f"{family.name}{RESAMPLE}{number}"
            beliefs.append(_belief(summary, priors, name, provenance, resampled=True))
    return tuple(beliefs)


def refit_belief(belief: Belief, summary: Counts) -> Belief:
    """The belief of the same adversary with other rows: laws of the same family, fitted to these.

    A mixture starts from its present parameters and keeps its number of components, as in a
    bootstrap; a resample of `fit_beliefs` is drawn again from these rows.

    Args:
        belief: Tables, Gaussians or mixtures.
        summary: The rows, with all secrets of the belief.
    """
    chosen = usable_counts(summary.only(belief.priors), None, None, 1, None)
    _, _, number = belief.name.partition(RESAMPLE)
    sample = chosen
    for drawn in draw_resamples(chosen, int(number) if number.isdigit() else 0, seed=0):
        sample = drawn
    tables = all(isinstance(prior, Discrete) for prior in belief.priors.values())
    least = 0.0 if tables else narrowest(chosen)
    priors = {
        secret: refit_law(prior, sample.groups[secret], least)
        for secret, prior in belief.priors.items()
    }
    return _belief(chosen, priors, belief.name, belief.provenance, resampled=sample is not chosen)


def usable_counts(
    data: Any,
    column: str | None,
    secret: str | None,
    min_group: int,
    cap: _Cap | None,
    only: Iterable[Any] | None = None,
) -> Counts:
    """A summary with at least two secrets of enough records each; of `only` these, if given."""
    least = int(positive("min_group", min_group))
    if isinstance(data, Counts):
        require(
            column in (None, data.column) and secret in (None, data.secret),
            f"this summary is of {data.column!r} by {data.secret!r}; leave out column and secret.",
        )
        require(
            data.roles.numeric,
            f"fit_beliefs takes counts of one column of numbers; {data!r} is something else: give "
            "the table.",
        )
        summary = data
    elif column is None or secret is None:
        raise InvalidInputError("name the columns: column=..., secret=...")
    else:
        summary = summarise(data, column=column, secret=secret)
    if only is not None:
        summary = summary.only(only)
    if cap is not None:
        summary = summary.capped(*bounds("cap", cap))
    sizes = {label: group.records for label, group in summary.groups.items()}
    if len(sizes) < 2:
        raise DataError(
            f"column {summary.secret!r} has only one value, so there are no two secrets to tell "
            "apart. Name the column that holds the secret, with all of its values."
        )
    # The message does not say which groups are small: it must not point at a few people.
    enough = [label for label, size in sizes.items() if size >= least]
    few, every = len(sizes) - len(enough), len(sizes)
    if few:
        raise DataError(
            f"{few} of the {every} values of {summary.secret!r} have fewer than {least} records "
            f"with a number in {summary.column!r}, too few to fit a belief to. Name the pairs to "
            "protect (--pair; in Python Counts.only), merge small groups in the table, or lower "
            f"the limit (--min-group, min_group=). Large enough: {some_secrets(enough) or 'none'}."
        )
    return summary


def _options(
    summary: Counts, family: Family, floor: float | None, relevance: float
) -> tuple[float, float]:
    """The least std of a component and the relevance factor, checked against the family."""
    if floor is not None:
        return positive("least_std", floor), nonnegative("relevance", relevance)
    # An empirical table has no components.
    least = 0.0 if family.kind == "empirical" else narrowest(summary)
    return least, nonnegative("relevance", relevance)


def _belief(
    summary: Counts,
    priors: Mapping[Secret, Prior],
    name: str,
    provenance: str,
    *,
    resampled: bool = False,
) -> Belief:
    tables = all(isinstance(prior, Discrete) for prior in priors.values())
    if provenance == RELEASED and summary.unseen is not None:
        provenance = OTHER_ROWS
    # Only such beliefs keep a fingerprint, by which a release recognises the table.
    here = provenance in (RELEASED, OTHER_ROWS)
    # Resampled rows are not those of the table.
    counted = {} if resampled else _frequencies(summary, tables, provenance)
    return Belief(
        priors,
        name=name,
        provenance=provenance,
        missing={label: group.missing_share for label, group in summary.groups.items()},
        radius=summary.radius if tables else 0.0,
        cap=summary.cap,
        fitted_on=summary.fingerprint if here else None,
        fitted_at=datetime.now(UTC).isoformat(timespec="seconds") if here else None,
        missing_counts={
            label: summary.groups[label].missing
            for label, prior in priors.items()
            if isinstance(prior, Discrete) and prior.counts is not None
        },
        **counted,
    )


def _frequencies(summary: Counts, tables: bool, provenance: str) -> dict[str, Any]:
    """How often each value occurs in the whole table, as far as the belief may keep it.

    A smooth belief stays small: it keeps no frequencies of a column with many values. A public
    belief must not reveal more of the table than its laws do, so it keeps frequencies only where
    they are the sum of its tables.
    """
    alone = not summary.restricted and summary.without_secret is None
    if provenance == PUBLIC and not (tables and alone):
        return {}
    pooled = summary.whole.pooled
    table = _with_unseen(empirical(pooled), summary.unseen)
    if table.counts is None or (table.values.size > MOST_FREQUENCIES and not tables):
        return {}
    return {"frequencies": table, "frequencies_missing": pooled.missing}


def _with_unseen(table: Discrete, unseen: Counts | None) -> Discrete:
    """The table with one more row for each unseen value, which no counted row has.

    A recoding lists the values of a column; its list must include those that only other rows have.
    """
    if unseen is None or table.counts is None:
        return table
    more = np.setdiff1d(unseen.pooled.values, table.values)
    counts = np.concatenate([table.counts, np.ones(more.size, dtype=np.int64)])
    return Discrete(np.concatenate([table.values, more]), counts=counts)
