"""Pictures of a table before its release: its columns, what stays where, what can be guessed.

No label of a published column of categories is shown: a rare one may be about few people. The
categories are numbered by how often they occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pufferfish.beliefs.known import given_in_words
from pufferfish.insight.before_after import expected, rows_of, true_rows
from pufferfish.report.pictures import Picture
from pufferfish.report.style import Key
from pufferfish.report.table_columns import (
    CategoryShare,
    ColumnLook,
    Tables,
    label_in_words,
    looks_of,
)
from pufferfish.report.table_pictures import column_pictures, cut_labels, shares_figure
from pufferfish.studio.table_outlook import TableOutlook
from pufferfish.words.numbers import percent_up
from pufferfish.words.phrases import pair_in_words

__all__ = ["MOST_STRATA", "table_pictures"]

# Combinations of known values that are shown one by one.
MOST_STRATA = 12


def table_pictures(outlook: TableOutlook) -> dict[str, list[Picture]]:
    """The pictures for each place on the page; a place without pictures is left out."""
    found = {
        "guessed": [_guessed(outlook)],
        "strata": list(_strata(outlook)),
        "columns": list(_columns(outlook)),
    }
    return {name: pictures for name, pictures in found.items() if pictures}


def _columns(outlook: TableOutlook) -> Iterator[Picture]:
    looks = list(_looks(outlook))
    for look, picture in zip(looks, column_pictures(looks, internal=True), strict=True):
        numbered = " Numbered, the most frequent first." if look.shares else ""
        yield replace(picture, description=picture.description + numbered)


def _looks(outlook: TableOutlook) -> Iterator[ColumnLook]:
    """The columns under the promise: as they are, and as published on average."""
    plan = outlook.plan
    rows = rows_of(outlook.calibration, plan.keep)
    before = true_rows(plan.columns, plan.keep, rows)
    after = expected(plan.columns, plan.keep, rows)
    for look in looks_of(outlook.facts, plan, before, after, Tables()):
        if not look.known:
            yield replace(look, shares=_numbered(look.shares))


def _numbered(shares: tuple[CategoryShare, ...]) -> tuple[CategoryShare, ...]:
    """Numbers instead of labels, the most frequent first."""
    ranked = sorted(shares, key=lambda each: -(each.before or 0.0))
    return tuple(replace(each, label=f"{place}") for place, each in enumerate(ranked, start=1))


def _guessed(outlook: TableOutlook) -> Picture:
    guess = outlook.guess
    shares = {
        "the true row": guess.before_upper,
        "the published row": guess.after_upper,
        "at most allowed": guess.allowed,
    }
    given = f", where {known}" if (known := given_in_words(guess.given)) else ""
    return Picture(
        name="guessed",
        svg=shares_figure(
            "guessed",
            [CategoryShare(label=name, before=0.5, after=each) for name, each in shares.items()],
            list(shares),
            "share of guesses that are right",
            [percent_up(each) for each in shares.values()],
        ),
        title="Guessing the secret",
        description=f"How often the best informed adversary guesses right between "
        f"{pair_in_words(guess.pair)}{given}: from the true row "
        f"{percent_up(guess.before_upper)}, from the published one "
        f"{percent_up(guess.after_upper)}; the promise allows {percent_up(guess.allowed)}.",
        keys=(Key("first", "right at most", "area"), Key("second", "by chance")),
    )


def _strata(outlook: TableOutlook) -> Iterator[Picture]:
    """How many rows stay as they are, for each value of the known columns that are published."""
    calibration = outlook.calibration
    if not calibration.parts:
        return
    strata = calibration.strata
    shares = [
        CategoryShare(
            label=" · ".join(map(label_in_words, values)), before=None, after=part.recode.unchanged
        )
        for values, part in strata.items()
        if part.recode is not None
    ][:MOST_STRATA]
    if not shares:
        return
    names = [each.label for each in shares]
    cut = cut_labels(names)
    more = f" {len(shares)} of {len(strata)} are shown." if len(shares) < len(strata) else ""
    yield Picture(
        name="strata",
        svg=shares_figure("strata", shares, cut, "share of rows that stay"),
        title=f"Rows that stay, by {', '.join(strata.columns)}",
        description=(
            "The share of rows that stay as they are in all columns, on average, for each value "
            f"of the known columns that are published.{more}"
        ),
        keys=(Key("first", "stay as they are", "area"),),
        listed=tuple(names) if cut != names else (),
    )
