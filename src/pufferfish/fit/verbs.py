"""Beliefs from a table: one adversary, or all those against whom the promise should hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.region import RegionShape
from pufferfish.beliefs.rules import Unit
from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import bounds, require
from pufferfish.fit.belief import MIN_GROUP, RELEVANCE, fit_summary, usable_counts
from pufferfish.fit.layout import count_table, layout_of
from pufferfish.fit.sampled import with_bands, with_sampling_error
from pufferfish.fit.table import fit_table, name_of, strata_with_enough
from pufferfish.tables import Counts
from pufferfish.tables.verbs import to_read

__all__ = ["fit_belief", "fit_beliefs", "fit_counts"]

# The families that are fitted by default, to numbers and to categories.
OF_NUMBERS = ("mixture", "empirical")
OF_CATEGORIES = ("empirical",)
# Chooses the family of one adversary by the type of the column.
_AUTO = "auto"
_Cap = tuple[float, float]


def fit_belief(
    data: Any,
    column: str | None = None,
    secret: str | None = None,
    family: str = _AUTO,
    components: int | str = "auto",
    *,
    columns: Sequence[str] | None = None,
    min_group: int = MIN_GROUP,
    provenance: str = RELEASED,
    name: str | None = None,
    least_std: float | None = None,
    relevance: float = RELEVANCE,
    cap: _Cap | None = None,
) -> Belief:
    """The belief of an adversary who fits a law to the values of each secret.

    Args:
        data: A frame (pandas, Polars eager or lazy, PyArrow, Spark), the path of a file, a folder
            or a pattern, a dict of arrays, or a `Counts`.
        column: The column to publish; not for counts.
        secret: The column of the secret; not for counts.
        family: "mixture" of Gaussians by maximum likelihood; "gaussian" by mean and std;
            "empirical", the frequency of each value; "ubm", a mixture of all rows of which each
            secret adapts the means. For categories and several columns see `fit_beliefs`. "auto" is
            "mixture" for numbers and "empirical" for everything else.
        components: The number of components of a mixture, or "auto" for the best BIC among 1 to 5.
        columns: Columns that are published together, as for `fit_beliefs`, which also takes public
            rules and known columns.
        min_group: A secret with fewer records is refused.
        provenance: "fitted on the released column", "reference sample" or "public". If rows were
            set apart (`split_half`), the belief states that in place of the first.
        name: The name of this adversary in messages; by default the family.
        least_std: The least std of a component; by default it follows from the column's resolution.
        relevance: For "ubm": the weight of the background, in records.
        cap: Fit to values that are moved into these public bounds, as a plan with this cap does.

    Returns:
        A belief with each secret's share of missing values. Where the values had to be binned, an
        empirical belief has half a bin as its radius. A smooth law is taken as the belief itself:
        the bins only change the law that the adversary fits. A belief keeps `frequencies`, those of
        all rows of the table, also where `Counts.only` chose some secrets; a smooth belief does so
        up to 10,000 distinct values. A public belief keeps them only where they reveal no more than
        its laws: tables of all secrets.

    Raises:
        InvalidInputError: No belief can be fitted to the data; the message says what to do.
    """
    wanted = (family,) if family != _AUTO else ("mixture",)
    if family == _AUTO and not _has_numbers(data, column, columns, secret):
        wanted = OF_CATEGORIES
    fitted = fit_beliefs(
        data,
        column,
        secret,
        wanted,
        columns=columns,
        components=components,
        min_group=min_group,
        provenance=provenance,
        least_std=least_std,
        relevance=relevance,
        cap=cap,
    )
    require(
        len(fitted) == 1,
        "several secrets, each protected by itself, need one adversary each, and fit_belief makes "
        "a single one: use pf.fit_beliefs.",
    )
    return fitted[0] if name is None else replace(fitted[0], name=name)


def fit_beliefs(
    data: Any,
    column: str | None = None,
    secret: str | Sequence[str] | None = None,
    families: Iterable[str] | None = None,
    bootstrap: int = 0,
    *,
    columns: Sequence[str] | None = None,
    known: Sequence[str] = (),
    edges: Mapping[str, Sequence[float]] | None = None,
    dates: Mapping[str, Unit] | None = None,
    merged: Mapping[str, Mapping[Any, Any]] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    codes: Sequence[str] = (),
    jointly: bool = False,
    missing_secret: bool = False,
    only: Iterable[Secret] | None = None,
    components: int | str = "auto",
    min_group: int = MIN_GROUP,
    provenance: str = RELEASED,
    least_std: float | None = None,
    relevance: float = RELEVANCE,
    cap: _Cap | None = None,
    confidence: float | None = None,
    region: RegionShape = "dirichlet",
    cells: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Belief, ...]:
    """Several adversaries; a promise holds against each of them.

    Args:
        data: As for `fit_belief`.
        column: The column to publish, of numbers or categories; shorthand for `columns`.
        secret: The column of the secret, or several of them, each of which is protected.
        families: The family of each adversary: "gaussian", "mixture", "mixture-3", "ubm", "ubm-3",
            "empirical"; by default "mixture" and "empirical". For categories and several columns:
            "empirical", the default; or, where the table is thin, "independent", as if columns were
            independent given the secret, or "chain", each column given the one before it.
        bootstrap: For each family this many further adversaries, who fit it to rows resampled from
            the data, with replacement. They keep the number of components that BIC chose.
        columns: Columns that are published together: one recoding of their combinations.
        known: Columns that an adversary may know of a row. There is one belief for each set of
            them, from none to all, and each combination of their values that occurs.
        edges: Public edges of bins, {column: edges}; a known column of numbers needs them.
        dates: For columns of dates, {column: "year"}; or "quarter", "month".
        merged: Labels that become others, {column: {label: label}}: a public rule.
        orders: Labels in an order of your choice, {column: labels}.
        codes: Columns of whole numbers that serve as names.
        jointly: Protect the combinations of several secrets. That protects each secret too,
            provided that the law of each combination is right, or wrong by no more than `calibrate`
            was told. Rows that have one of them and lack another are refused without
            `missing_secret`.
        missing_secret: Make a missing secret a group of its own.
        only: The secrets that must be indistinguishable; by default all.
        components: The number of components of mixtures whose name does not state it.
        min_group: A secret with fewer records is refused, also among rows with known values.
        provenance: Where the beliefs come from.
        least_std: The least std of a component.
        relevance: For "ubm": the weight of the background, in records.
        cap: Public bounds to which values are moved.
        confidence: Cover every law that the sample does not exclude, such as 0.95: the promise then
            also holds for the population from which the rows come, with this confidence. Laws of
            the family "empirical" get a `region`; smooth ones stay as they are.
        region: Which laws the sample does not exclude (`SampleRegion`).
        cells: For the regions "likelihood" and "boxes": the publicly known number of cells into
            which a value may fall, including "other".
        seed: The seed of the resampling, which protects nothing.
        progress: Called with the number of laws fitted and the number of all laws.
    """
    if isinstance(families, str):
        raise InvalidInputError(f"families must be a list, such as [{families!r}].")
    require(
        confidence is not None or (cells is None and region == "dirichlet"),
        "region= and cells= describe a sampling region: give confidence= too.",
    )
    if confidence is not None:
        require(
            bootstrap == 0,
            "a sampling region takes the place of resamples: leave out bootstrap (--bootstrap).",
        )
    how: dict[str, Any] = {
        "components": components,
        "provenance": provenance,
        "least_std": least_std,
        "relevance": relevance,
        "seed": seed,
        "progress": progress,
    }
    secret = _alone(secret)
    names = _published(data, column, columns, secret)
    rules = (edges, dates, merged, orders)
    special = bool(known or codes or jointly or missing_secret or any(rules))
    counts = isinstance(data, Counts)
    require(
        not (counts and special),
        "known, edges, dates, merged, orders, codes, jointly and missing_secret need the rows of a "
        "table, and counts have none: give the table.",
    )
    if counts or (not special and _single(names, secret) and _numeric(data, names)):
        one = names[0] if names else None
        summary = usable_counts(data, one, _one_secret(secret), min_group, cap, only)
        found = fit_summary(summary, OF_NUMBERS if families is None else families, bootstrap, **how)
        if confidence is not None and region == "band":
            return with_bands(found, summary, confidence)
        return (
            found if confidence is None else with_sampling_error(found, confidence, region, cells)
        )
    engine = to_read(data)
    layout = layout_of(
        engine,
        names,
        _list("secret", secret),
        _list("known", known),
        edges=edges,
        dates=dates,
        merged=merged,
        orders=orders,
        codes=codes,
        jointly=jointly,
        missing_secret=missing_secret,
    )
    counted = count_table(engine, layout)
    if only is not None:
        counted = replace(counted, wanted=tuple(sorted(only, key=str)))
    found = fit_counts(counted, families, bootstrap, min_group=min_group, cap=cap, **how)
    return found if confidence is None else with_sampling_error(found, confidence, region, cells)


def fit_counts(
    counted: Counts,
    families: Iterable[str] | None = None,
    bootstrap: int = 0,
    *,
    min_group: int = MIN_GROUP,
    cap: _Cap | None = None,
    **how: Any,
) -> tuple[Belief, ...]:
    """`fit_beliefs` for a table that was counted; `how` holds its further arguments."""
    layout = counted.roles
    if not layout.numeric:
        require(
            bootstrap == 0 and cap is None and how.get("components", "auto") == "auto",
            "cap, bootstrap and components are for one column of numbers, and "
            f"{layout.in_words}: leave them out (--cap, cap=). To cover laws that may be "
            "wrong, use a recoding with wrong=... (--wrong).",
        )
        wanted = OF_CATEGORIES if families is None else tuple(families)
        return fit_table(
            counted, wanted, min_group=min_group, provenance=how.get("provenance", RELEASED)
        )
    found: list[Belief] = []
    for stratum in strata_with_enough(counted, min_group):
        capped = stratum if cap is None else stratum.capped(*bounds("cap", cap))
        usable = usable_counts(capped, None, None, min_group, None)
        fitted = fit_summary(usable, OF_NUMBERS if families is None else families, bootstrap, **how)
        found += [_knowing(each, counted, stratum) for each in fitted]
    return tuple(found)


def _knowing(belief: Belief, counted: Counts, stratum: Counts) -> Belief:
    """The same adversary, with the known values and the fingerprint of this table."""
    here = belief.fitted_on is not None
    return replace(
        belief,
        name=name_of(belief.name, stratum.given, stratum.about),
        fitted_on=counted.whole.fingerprint if here else None,
        given=dict(stratum.given),
        rules={each.column: each for each in counted.roles.rules},
    )


_NAMES = "name the columns: column=... or columns=[...], and secret=..."


def _one_secret(secret: object) -> str | None:
    require(secret is None or isinstance(secret, str), _NAMES)
    return secret if isinstance(secret, str) else None


def _alone(secret: Any) -> Any:
    """The name itself, where a list names one column."""
    one = not isinstance(secret, str) and isinstance(secret, Sequence) and len(secret) == 1
    return secret[0] if one else secret


def _published(
    data: Any, column: str | None, columns: Sequence[str] | None, secret: object
) -> list[str]:
    """The names of the published columns; none for counts, which have them already."""
    if isinstance(data, Counts):
        require(columns is None, "counts describe one column: leave out columns=.")
        return [] if column is None else [column]
    require(
        (column is None) != (columns is None) and secret is not None,
        f"{_NAMES} (one of column= and columns=).",
    )
    return [column] if column is not None else _list("columns", columns)


def _single(names: Sequence[str], secret: object) -> bool:
    return len(names) == 1 and isinstance(secret, str)


def _has_numbers(
    data: Any, column: str | None, columns: Sequence[str] | None, secret: object
) -> bool:
    """Whether one column of numbers is published."""
    names = _published(data, column, columns, secret)
    return isinstance(data, Counts) or (len(names) == 1 and _numeric(data, names))


def _numeric(data: Any, names: Sequence[str]) -> bool:
    return to_read(data).kinds(tuple(names))[names[0]].read == "number"


def _list(name: str, given: object) -> list[str]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise InvalidInputError(f"{name} must be names of columns, got {type(given).__name__}.")
    return list(names)
