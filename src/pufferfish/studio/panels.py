"""What moves with the sliders: the numbers and pictures of an outlook, as HTML for the page."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from htmltools import html_escape

from pufferfish.choose import half_width
from pufferfish.compare import noise_in_words
from pufferfish.exact import PairResult
from pufferfish.explain import describe_loss, rounded_up
from pufferfish.narrate import adversaries_in_words, percent_up, promise_in_words
from pufferfish.noise import NoNoise
from pufferfish.numerics import readable
from pufferfish.record import not_promised
from pufferfish.report.pictures import (
    Picture,
    heat_picture,
    noise_picture,
    profile_picture,
    view_pictures,
)
from pufferfish.report.templates import templates
from pufferfish.report.views import view_of
from pufferfish.studio.bench import Outlook

__all__ = ["moved"]

_CONFIDENCE = 0.95


def moved(outlook: Outlook, chosen: PairResult | None) -> dict[str, Any]:
    """Every place of the page and the HTML in it.

    Args:
        outlook: What a plan would mean.
        chosen: The pair to look at, and as whom; None: the worst.
    """
    shown = chosen or outlook.calibration.certificate.worst
    pictures = dict(_pictures(outlook, shown))
    return {
        "verdict": html_escape(promise_in_words(outlook.plan)),
        "said": html_escape(_said(outlook)),
        "tiles": {name: [html_escape(each) for each in pair] for name, pair in _tiles(outlook)},
        "pictures": {name: _figure(picture) for name, picture in pictures.items()},
        "covered": _template("covered.html.j2").render(
            to_whom=adversaries_in_words(outlook.plan), gaps=not_promised(outlook.plan)
        ),
    }


def _said(outlook: Outlook) -> str:
    """For who hears the page: the gist of what has moved."""
    guess = outlook.guess
    return (
        f"{outlook.plan.promise}: {noise_in_words(outlook.calibration.noise)}; guessed right in "
        f"{percent_up(guess.after_upper)} of cases, {percent_up(guess.before_upper)} without noise."
    )


def _tiles(outlook: Outlook) -> list[tuple[str, tuple[str, str]]]:
    """For each tile its number, and the words below it."""
    plan, noise, guess = outlook.plan, outlook.calibration.noise, outlook.guess
    certificate = outlook.calibration.certificate
    factor = rounded_up(math.exp(min(plan.promise.epsilon, 700.0)), 4)
    none = isinstance(noise, NoNoise)
    spread = outlook.column_std
    ratio = f"{noise.std / spread:.2g} times" if spread else "beside"
    mean = 1.96 * noise.std / math.sqrt(outlook.records)
    worst = certificate.worst
    whole = "" if plan.unit == "row" else ", from all rows of a person"
    unit = "one row" if plan.unit == "row" else f"one person, up to {plan.rows_per_person} rows"
    return [
        ("promise", (str(plan.promise), f"odds change by at most {factor}, for {unit}")),
        (
            "noise",
            (
                "none" if none else f"std {readable(noise.std)}",
                "none is needed for this promise"
                if none
                else f"{ratio} the column's own std of {readable(spread)}; {noise_in_words(noise)}",
            ),
        ),
        (
            "within",
            (
                f"± {readable(half_width(noise, _CONFIDENCE), 3)}",
                f"in 95% of cases; the mean of {outlook.records:,} within ± {readable(mean, 2)}",
            ),
        ),
        (
            "guess",
            (
                f"{percent_up(guess.before_upper)} → {percent_up(guess.after_upper)}",
                f"before and after, from one row; at worst {percent_up(guess.allowed)} by the "
                f"promise{whole}",
            ),
        ),
        (
            "worst",
            (
                f"{worst.pair.first} and {worst.pair.second}",
                f"of {len(outlook.calibration.scenario.pairs):,}; seen by '{worst.belief}'",
            ),
        ),
        (
            "certificate",
            (
                {True: "kept", False: "NOT kept", None: "not decided"}[certificate.holds],
                describe_loss(certificate),
            ),
        ),
    ]


def _pictures(outlook: Outlook, shown: PairResult) -> list[tuple[str, Picture]]:
    certificate = outlook.calibration.certificate
    beliefs = {belief.name: belief for belief in outlook.calibration.scenario.beliefs}
    view = view_of(beliefs[shown.belief], shown.pair, certificate)
    found = list(
        zip(
            ("believed", "published", "ratio"),
            view_pictures(1, view, certificate.goal),
            strict=False,
        )
    )
    found.append(
        ("profile", profile_picture(certificate, outlook.profile, outlook.bare, of_all=False))
    )
    found.append(
        ("scale", noise_picture(outlook.calibration.noise, outlook.column_std, outlook.others))
    )
    if len(outlook.calibration.scenario.pairs) > 1:
        found.append(("heat", heat_picture(certificate, shown.pair, selectable=True)))
    return found


def _figure(picture: Picture) -> str:
    text: str = _template("figure.html.j2").render(picture=picture)
    return text


@cache
def _template(name: str) -> Any:
    return templates("pufferfish.studio", "pufferfish.report").get_template(name)
