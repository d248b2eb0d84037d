"""From the counts of a column of numbers to beliefs, and to all there is to know of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from pufferfish.beliefs.priors import Discrete, Prior
from pufferfish.beliefs.scenario import OTHER_ROWS, PUBLIC, RELEASED, Belief, Secret, some_secrets
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import FloatArray, bounds, nonnegative, positive, require
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
from pufferfish.tables import Summary, summarise

__all__ = ["MIN_GROUP", "RELEVANCE", "fit_report", "fit_summary", "refit_belief", "usable_counts"]

MIN_GROUP = 30
RELEVANCE = 16.0
# Distinct values up to which a smooth belief keeps how often each occurs.
MOST_FREQUENCIES = 10_000
# Between the family and the number of a resample, in the name of a belief.
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
    """`fit_belief` with all there is to know of the fit: scores, convergence, distance to the data.

    Args:
        data: As for `fit_belief`, like all arguments but `noise`.
        column: The numeric column.
        secret: The column of the secret.
        family: The family of laws.
        components: Of a mixture.
        noise: Also say how far fit and data are apart after this noise.
        min_group: A secret with fewer records is refused.
        provenance: Where the belief comes from.
        name: How messages call this adversary.
        least_std: The least std of a component.
        relevance: For "ubm".
        cap: Public bounds that values are moved to.
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
    summary: Summary,
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

    The arguments are those of `fit_beliefs`, which users call; the counts are usable.
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


def refit_belief(belief: Belief, summary: Summary) -> Belief:
    """The same adversary, had they seen these rows: laws of the same family, fitted to them.

    A mixture climbs from where it is and keeps its number of components, as in a bootstrap; one of
    the resamples of `fit_beliefs` is drawn anew.

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
    data: Any, column: str | None, secret: str | None, min_group: int, cap: _Cap | None
) -> Summary:
    """A summary with at least two secrets of enough records each."""
    least = int(positive("min_group", min_group))
    if isinstance(data, Summary):
        require(
            column in (None, data.column) and secret in (None, data.secret),
            f"this summary is of {data.column!r} by {data.secret!r}; leave out column and secret.",
        )
        summary = data
    elif column is None or secret is None:
        raise InvalidInputError("name the columns: column=..., secret=...")
    else:
        summary = summarise(data, column=column, secret=secret)
    if cap is not None:
        summary = summary.capped(*bounds("cap", cap))
    if len(summary.groups) < 2:
        raise DataError(
            f"column {summary.secret!r} has only one value, so there is nothing to be told apart. "
            "Name the column that holds the secret, with all of its values."
        )
    # Which ones are small is not said: a message must not point at few people.
    if any(group.records < least for group in summary.groups.values()):
        enough = [label for label, group in summary.groups.items() if group.records >= least]
        raise DataError(
            f"some values of {summary.secret!r} have fewer than {least} records with a number in "
            f"{summary.column!r}, too few to fit a belief to. Merge small groups, name the pairs "
            "to protect (--pair; in Python Summary.only), or lower the limit (--min-group, "
            f"min_group=). Large enough: {some_secrets(enough) or 'none'}."
        )
    return summary


def _options(
    summary: Summary, family: Family, floor: float | None, relevance: float
) -> tuple[float, float]:
    """The least std of a component, and the relevance factor."""
    if floor is not None:
        return positive("least_std", floor), nonnegative("relevance", relevance)
    # A table of frequencies has no components.
    least = 0.0 if family.kind == "empirical" else narrowest(summary)
    return least, nonnegative("relevance", relevance)


def _belief(
    summary: Summary,
    priors: Mapping[Secret, Prior],
    name: str,
    provenance: str,
    *,
    resampled: bool = False,
) -> Belief:
    tables = all(isinstance(prior, Discrete) for prior in priors.values())
    if provenance == RELEASED and summary.unseen is not None:
        provenance = OTHER_ROWS
    # Where a belief is said to be about the released table, a release asks which table that was.
    here = provenance in (RELEASED, OTHER_ROWS)
    # Rows drawn anew are not those of the table.
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


def _frequencies(summary: Summary, tables: bool, provenance: str) -> dict[str, Any]:
    """How often each value occurs in the whole table, as far as the belief may keep it.

    A smooth belief stays small: it keeps none of a column with many values. A public one must not
    say more of the table than its laws do, so it keeps them only where they are the sum of these.
    """
    alone = summary.whole is None and summary.without_secret is None
    if provenance == PUBLIC and not (tables and alone):
        return {}
    pooled = (summary.whole or summary).pooled
    table = _with_unseen(empirical(pooled), summary.unseen)
    if table.counts is None or (table.values.size > MOST_FREQUENCIES and not tables):
        return {}
    return {"frequencies": table, "frequencies_missing": pooled.missing}


def _with_unseen(table: Discrete, unseen: FloatArray | None) -> Discrete:
    """The same, where each value that the column may hold and no row has counts as one row.

    A recoding lists the values of a column; one that only other rows have must be in its list.
    """
    if unseen is None or table.counts is None:
        return table
    more = np.setdiff1d(unseen, table.values)
    counts = np.concatenate([table.counts, np.ones(more.size, dtype=np.int64)])
    return Discrete(np.concatenate([table.values, more]), counts=counts)
