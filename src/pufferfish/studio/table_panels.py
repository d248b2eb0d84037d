"""What a page shows about a table before its release: numbers, words and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from htmltools import html_escape

from pufferfish.beliefs.known import given_in_words
from pufferfish.calibration.losses import weighed_by
from pufferfish.calibration.recoded_words import (
    compare_in_words,
    kept_in_words,
    moves_in_words,
    only_bins,
    whose,
    wrong_in_words,
)
from pufferfish.calibration.result import Calibration, Recode
from pufferfish.columns.story import guess_compared
from pufferfish.insight.comparison import noise_in_words
from pufferfish.joint.story import adversaries_in_words, promise_in_words
from pufferfish.joint.words import headline, not_promised
from pufferfish.mechanisms import words_of
from pufferfish.studio.drawings import MOST_STRATA, table_pictures
from pufferfish.studio.panels import certified, figure, template
from pufferfish.studio.table_outlook import TableOutlook
from pufferfish.words.numbers import odds_factor, percent, percent_up, readable
from pufferfish.words.phrases import list_in_words, wrong_laws

__all__ = ["table_parts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """A table with a header.

    Attributes:
        caption: What the rows are.
        header: Names of their cells.
        rows: The cells.
        names: How many leading cells of a row are headings.
        more: How many rows are left out.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    more: int = 0


def table_parts(outlook: TableOutlook) -> dict[str, Any]:
    """The HTML for every place on the page."""
    plan, facts = outlook.plan, outlook.facts
    verdict = " ".join([*headline(facts), promise_in_words(plan)])
    law = plan.calibration.mechanism
    return {
        "verdict": html_escape(verdict),
        "said": html_escape(_say(outlook)),
        "tiles": {name: [html_escape(each) for each in pair] for name, pair in _tiles(outlook)},
        "ways": "",
        "parts": template("parts.html.j2").render(tables=[*_grids(outlook)]),
        "pictures": {
            name: "".join(map(figure, several)) for name, several in table_pictures(outlook).items()
        },
        "covered": template("covered.html.j2").render(
            applied=words_of(law).done(law),
            to_whom=adversaries_in_words(plan),
            gaps=not_promised(facts),
        ),
    }


def _say(outlook: TableOutlook) -> str:
    """The gist of what has changed, for a screen reader."""
    guess = outlook.guess
    return (
        f"{outlook.plan.promise}: {noise_in_words(outlook.calibration.mechanism)}; guessed right "
        f"in {percent_up(guess.after_upper)} of cases, {percent_up(guess.before_upper)} from the "
        "true row."
    )


def _tiles(outlook: TableOutlook) -> Iterator[tuple[str, tuple[str, str]]]:
    """The number of each tile, and the words below it."""
    plan, guess, calibration = outlook.plan, outlook.guess, outlook.calibration
    recode, worst = calibration.recode, plan.certificate.worst
    who = f", for somebody who knows {list_in_words(plan.known)}" if plan.known else ""
    exception = "" if plan.promise.pure else f", except with probability {plan.promise.delta_text}"
    bounded = (
        f"odds change by at most a factor of {odds_factor(plan.promise.epsilon)}{exception}, for "
        f"one row{who}"
    )
    if plan.keep_unprotected:
        free = list_in_words(plan.keep_unprotected)
        bounded = f"to somebody who does not see {free}: nothing is promised for the file"
    yield "promise", (str(plan.promise), bounded)
    if recode is None:
        yield "noise", (f"error {readable(calibration.rmse, 3)}", "root mean square over all rows")
        yield "within", ("noise", noise_in_words(calibration.mechanism))
    else:
        compared = compare_in_words(
            recode,
            calibration.scenario,
            calibration.goal,
            calibration.mechanism,
            weighed_by(calibration.scenario),
        )
        yield "noise", (f"error {readable(recode.rmse, 3)}", compared)
        yield "within", (f"{percent(recode.unchanged, 2)} stay", _stays(calibration, recode))
    first, second = guess.pair
    compared = f". {said}" if (said := guess_compared(plan.scenario, guess)) else ""
    given = f", where {known}" if (known := given_in_words(guess.given)) else ""
    yield (
        "guess",
        (
            f"{percent_up(guess.before_upper)} → {percent_up(guess.after_upper)}",
            f"between {first} and {second}, before and after, from one row{given}; the promise "
            f"allows {percent_up(guess.allowed)} at worst"
            f"{compared}",
        ),
    )
    yield (
        "worst",
        (
            f"{worst.pair.first} and {worst.pair.second}",
            f"of {len(plan.scenario.pairs):,}; seen by '{worst.belief}'",
        ),
    )
    verdict, bound = certified(plan.certificate)
    laws = plan.certificate.wrong, plan.certificate.confidence
    elsewhere = not plan.scenario.of_table
    text = (
        wrong_laws(*laws, capped=True, elsewhere=elsewhere)
        if recode is None
        else wrong_in_words(*laws, elsewhere=elsewhere)
    )
    yield "certificate", (verdict, bound + (f". {text}" if text else ""))


def _stays(calibration: Calibration, recode: Recode) -> str:
    """What stays, in short, where a table below gives it for each column."""
    of = weighed_by(calibration.scenario)
    if not recode.parts:
        return moves_in_words(recode, calibration.scenario, calibration.mechanism, of)
    among = whose(of)
    stays = f"of {among}, in all columns" if among else "of the rows, unchanged in all columns"
    return f"{stays}. {kept_in_words(of)}" if recode.keep_histogram else stays


def _grids(outlook: TableOutlook) -> Iterator[_Grid]:
    """What stays of each column, and for each combination of known values."""
    calibration = outlook.calibration
    recode = calibration.recode
    among = f", for {them}" if (them := whose(weighed_by(calibration.scenario))) else ""
    if recode is not None and recode.parts:
        yield _Grid(
            caption=f"What stays of each column{among}",
            header=("column", "unchanged", "with one constant", "error", "error of the mean"),
            rows=tuple(
                (
                    f"{part.column}{only_bins(part.column, calibration.scenario)}",
                    percent(part.unchanged, 2),
                    percent(part.mode_share, 2),
                    "–" if part.rmse is None else readable(part.rmse, 3),
                    "–" if part.std is None else readable(part.std, 3),
                )
                for part in recode.parts
            ),
        )
    if not calibration.parts:
        return
    strata = calibration.strata
    shown = list(strata.items())[:MOST_STRATA]
    yield _Grid(
        caption=f"For each known value{among}",
        header=(*strata.columns, "rows unchanged", "error"),
        rows=tuple(
            (
                *("(missing)" if each is None else str(each) for each in values),
                "–" if part.recode is None else percent(part.recode.unchanged, 2),
                readable(part.rmse, 3),
            )
            for values, part in shown
        ),
        names=len(strata.columns),
        more=len(strata) - len(shown),
    )
