"""What changes with the sliders: the numbers and pictures of an outlook, as HTML for the page."""

from __future__ import annotations

from functools import cache
from typing import Any

from htmltools import html_escape

from pufferfish.calibration.losses import weighed_by
from pufferfish.calibration.recoded_words import compare_in_words, moves_in_words, wrong_in_words
from pufferfish.columns.statement import Facts, not_promised
from pufferfish.columns.story import (
    adversaries_in_words,
    guess_compared,
    mean_within,
    promise_in_words,
    steps_in_words,
)
from pufferfish.exact import Certificate, PairResult
from pufferfish.insight.comparison import noise_in_words
from pufferfish.insight.strongest import half_width
from pufferfish.mechanisms import words_of
from pufferfish.mechanisms.recoded import how_recoded
from pufferfish.recoding.law import Recoding
from pufferfish.report.pictures import (
    Picture,
    heat_picture,
    noise_picture,
    profile_picture,
    view_pictures,
)
from pufferfish.report.recoded_pictures import cost_picture, map_picture
from pufferfish.report.sections import Paragraph
from pufferfish.report.stressed import stress_blocks
from pufferfish.report.templates import templates
from pufferfish.report.views import view_of
from pufferfish.studio.bench import Outlook
from pufferfish.studio.session import on_page, places_in_words
from pufferfish.what_if.result import Stress
from pufferfish.words.certificates import VERDICTS, measure
from pufferfish.words.numbers import at_most, odds_factor, percent, percent_up, readable
from pufferfish.words.phrases import beside_column, unit_in_words, wrong_laws

__all__ = ["certified", "figure", "moving_parts", "stress_part", "template"]

_CONFIDENCE = 0.95
# The prefix of the names of a pair's pictures.
_VIEW = "view"


def moving_parts(outlook: Outlook, chosen: PairResult | None) -> dict[str, Any]:
    """The HTML for every place on the page.

    Args:
        outlook: What a plan would mean.
        chosen: The pair to show, and for which adversary; None: the worst.
    """
    shown = chosen or outlook.calibration.certificate.worst
    pictures = dict(_pictures(outlook, shown))
    return {
        "verdict": html_escape(_beware(outlook) + promise_in_words(outlook.plan) + _share(outlook)),
        "said": html_escape(_say(outlook)),
        "tiles": {name: [html_escape(each) for each in pair] for name, pair in _tiles(outlook)},
        "pictures": {name: figure(picture) for name, picture in pictures.items()},
        "ways": _ways(outlook),
        "parts": "",
        "covered": template("covered.html.j2").render(
            applied=_applied(outlook),
            to_whom=adversaries_in_words(outlook.plan),
            gaps=not_promised(Facts.of(outlook.plan)),
        ),
    }


def _beware(outlook: Outlook) -> str:
    """The warning before the promise: together with other columns it does not hold."""
    plan = outlook.plan
    if not plan.keep:
        return ""
    return (
        f"What {plan.column!r} reveals together with {', '.join(map(repr, plan.keep))} is measured "
        "when it is released; the promise does not hold for both together. "
    )


def _share(outlook: Outlook) -> str:
    """The part of the promise for one row, which the pictures show, where a person has several."""
    if outlook.plan.rows_per_person == 1:
        return ""
    if not outlook.plan.several_rows.apart:
        return " The pictures show one row, which reveals less than all rows of a person."
    return f" Each row has its share, {outlook.calibration.goal}, which the pictures show."


def _say(outlook: Outlook) -> str:
    """The gist of what has changed, for a screen reader."""
    guess = outlook.guess
    return (
        f"{outlook.plan.promise}: {noise_in_words(outlook.calibration.mechanism)}; guessed right "
        f"in {percent_up(guess.after_upper)} of cases, {percent_up(guess.before_upper)} from the "
        "true value"
        f"{', from this column by itself' if outlook.plan.keep else ''}."
    )


def _tiles(outlook: Outlook) -> list[tuple[str, tuple[str, str]]]:
    """The number of each tile, and the words below it."""
    plan, guess = outlook.plan, outlook.guess
    first, second = guess.pair
    compared = f". {said}" if (said := guess_compared(plan.calibration.scenario, guess)) else ""
    several = plan.rows_per_person > 1
    unit = unit_in_words(plan.unit, plan.rows_per_person, plan.dependence, plan.one_row)
    exception = "" if plan.promise.pure else f", except with probability {plan.promise.delta_text}"
    worst = outlook.calibration.certificate.worst
    alone = ", from this column by itself" if plan.keep else ""
    bounded = (
        f"about {plan.column} by itself, for {unit}: with the other columns nothing is promised"
        if plan.keep
        else f"odds change by at most a factor of {odds_factor(plan.promise.epsilon)}"
        f"{exception}, for {unit}"
    )
    allowed = (
        ""
        if plan.keep
        else f"; the promise allows {percent_up(guess.allowed)} at worst"
        + (", from all rows of a person" if several else "")
    )
    return [
        ("promise", (str(plan.promise), bounded)),
        ("noise", _noise(outlook)),
        ("within", _within(outlook)),
        (
            "guess",
            (
                f"{percent_up(guess.before_upper)} → {percent_up(guess.after_upper)}",
                f"between {first} and {second}, before and after, from one row{alone}{allowed}"
                f"{compared}",
            ),
        ),
        (
            "worst",
            (
                f"{worst.pair.first} and {worst.pair.second}",
                f"of {len(outlook.calibration.scenario.pairs):,}; seen by '{worst.belief}'",
            ),
        ),
        ("certificate", _certificate_card(outlook)),
    ]


def _noise(outlook: Outlook) -> tuple[str, str]:
    made, spread = outlook.calibration, outlook.column_std
    noise, recode = made.mechanism, made.recode
    if noise.identity:
        return "none", "this promise needs no noise"
    if recode is not None:
        of = weighed_by(made.scenario)
        compared = compare_in_words(recode, made.scenario, made.goal, noise, of)
        return f"error {readable(recode.rmse, 3)}", compared
    ratio = f"{beside_column(noise.error(), spread)}; " if spread else ""
    return words_of(noise).error(noise), ratio + noise_in_words(noise)


def _within(outlook: Outlook) -> tuple[str, str]:
    plan, made = outlook.plan, outlook.calibration
    recode = made.recode
    if recode is not None:
        stays = moves_in_words(recode, made.scenario, made.mechanism, weighed_by(made.scenario))
        return f"{percent(recode.unchanged, 2)} stay", stays
    mean = mean_within(plan, outlook.records)
    capped = "" if plan.cap is None else " of the capped values"
    means = (
        ""
        if mean is None
        else f"; the mean of {outlook.records:,} within ± {at_most(mean, 2)}{capped}"
    )
    return (
        f"± {at_most(half_width(plan.calibration.noise, _CONFIDENCE), 3)}",
        f"in 95% of cases{means}{steps_in_words(plan)}",
    )


def _certificate_card(outlook: Outlook) -> tuple[str, str]:
    row = ""
    if outlook.plan.rows_per_person > 1:
        apart = outlook.plan.several_rows.apart
        row = (
            " for each row"
            if apart
            else ", for one row; the promise is proven for all rows of a person"
        )
    verdict, bound = certified(outlook.calibration.certificate)
    return verdict, f"{bound}{row}{_which_laws(outlook)}"


def certified(certificate: Certificate) -> tuple[str, str]:
    """Whether a promise is kept, and the proven bound next to the promised one."""
    goal = certificate.goal
    the, found, limit = (
        ("the ", certificate.epsilon_upper, goal.epsilon)
        if goal.pure
        else ("", certificate.delta_upper, goal.delta)
    )
    return (
        VERDICTS[certificate.holds],
        f"{the}{measure(goal)} is at most {at_most(found, 4)}; {at_most(limit)} is promised",
    )


def _which_laws(outlook: Outlook) -> str:
    certificate = outlook.calibration.certificate
    elsewhere = not outlook.calibration.scenario.of_table
    text = (
        wrong_laws(certificate.wrong, certificate.confidence, capped=True, elsewhere=elsewhere)
        if certificate.noise.additive
        else wrong_in_words(certificate.wrong, certificate.confidence, elsewhere=elsewhere)
    )
    return f". {text}" if text else ""


def _applied(outlook: Outlook) -> str:
    """What a recoding does to a value, in a sentence; for noise the tile says it."""
    law = outlook.calibration.mechanism
    return how_recoded(law, "is") if isinstance(law, Recoding) else ""


def _ways(outlook: Outlook) -> str:
    """The comparison of ways, where the least error was asked for."""
    found = outlook.chosen
    if found is None:
        return ""
    text: str = template("ways.html.j2").render(
        ways=[
            (
                way.name,
                way.in_words,
                readable(way.rmse, 4),
                percent(way.unchanged, 2),
                way is found.taken,
            )
            for way in found.ways
        ],
        constant=readable(found.constant_rmse, 4),
        notes=[on_page(note) for note in found.notes],
    )
    return text


def _pictures(outlook: Outlook, shown: PairResult) -> list[tuple[str, Picture]]:
    certificate = outlook.calibration.certificate
    beliefs = {belief.name: belief for belief in outlook.calibration.scenario.beliefs}
    view = view_of(beliefs[shown.belief], shown.pair, certificate, outlook.plan.postprocess)
    named = {
        each.name.removeprefix(f"{_VIEW}-"): each
        for each in view_pictures(_VIEW, view, certificate.goal)
    }
    found = list(named.items())
    found.append(
        ("profile", profile_picture(certificate, outlook.profile, outlook.bare, of_all=False))
    )
    law, recode = outlook.calibration.mechanism, outlook.calibration.recode
    if isinstance(law, Recoding):
        found.append(("map", map_picture(law)))
    found.append(
        ("scale", noise_picture(law, outlook.column_std, outlook.others))
        if recode is None
        else ("scale", cost_picture(recode))
    )
    if len(outlook.calibration.scenario.pairs) > 1:
        found.append(("heat", heat_picture(certificate, shown.pair, selectable=True)))
    return found


def figure(picture: Picture) -> str:
    """A picture with its words, as HTML."""
    text: str = template("figure.html.j2").render(picture=picture)
    return text


def stress_part(found: Stress | str) -> str:
    """What the promise becomes for adversaries who know more, as in the internal report."""
    blocks = list(stress_blocks(found))
    cases = () if isinstance(found, str) else found.cases
    where = places_in_words(" ".join(each.answer.option for each in cases if each.answer))
    if where:
        blocks.append(Paragraph(where))
    text: str = template("stressed.html.j2").render(parts=blocks)
    return text


@cache
def template(name: str) -> Any:
    """A template of the studio, or of the report."""
    return templates("pufferfish.studio", "pufferfish.report").get_template(name)
