"""From facts to one HTML file: no script, no network, nothing that is not in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from pufferfish.adversary import Success, posterior_upper
from pufferfish.compare import noise_in_words
from pufferfish.mechanisms import words_of
from pufferfish.release_story import adversary_in_words
from pufferfish.report.facts import PRIORS, Facts
from pufferfish.report.pictures import (
    Picture,
    heat_picture,
    histogram_picture,
    posterior_picture,
    profile_picture,
    view_pictures,
)
from pufferfish.report.templates import templates
from pufferfish.report.usage import code
from pufferfish.report.ways import ways, ways_picture
from pufferfish.words.numbers import percent, percent_down, percent_up, readable, rounded_up, times
from pufferfish.words.phrases import meaning, without_name

__all__ = ["fragment", "page"]

# The prior of the main table; others are in a table of their own.
_PRIOR = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One line of the table of guesses; `posterior` is None where a promise bounds none."""

    what: str
    success: Success
    posterior: float | None


def page(facts: Facts) -> str:
    """The whole file."""
    found = facts.believed
    # Other ways are worked out for one row; where the noise is for several, that would mislead.
    listed = () if found is None or _together(facts) else ways(found)
    text: str = _template("page.html.j2").render(
        facts=facts,
        document=facts.document,
        meaning=_meaning(facts),
        certified=_certified(facts),
        adversaries=()
        if found is None
        else [
            adversary_in_words(each, facts.beliefs_from)
            for each in found.calibration.scenario.beliefs
        ],
        private=facts.edition == "internal",
        seen=tuple(_seen(facts)),
        prior=_PRIOR,
        priors=PRIORS,
        views=()
        if found is None
        else [
            (view, tuple(view_pictures(f"view{number}", view, found.calibration.goal)))
            for number, view in enumerate(found.views, start=1)
        ],
        posterior=posterior_picture(facts.goal.epsilon) if facts.posteriors else None,
        profile=None
        if found is None
        else profile_picture(
            found.calibration.certificate, found.profile, found.bare, of_all=found.of_all
        ),
        pairs=None
        if found is None or len(found.calibration.scenario.pairs) < 2
        else heat_picture(found.calibration.certificate),
        histogram=None
        if facts.bars is None
        else histogram_picture(facts.bars, facts.noise, facts.steps),
        ways=listed,
        ways_picture=ways_picture(listed),
        refused=()
        if found is None or _together(facts)
        else [(name, without_name(name, reason)) for name, reason in found.comparison.refused],
        noise=noise_in_words(facts.noise),
        noise_in_full=words_of(facts.noise).in_full(facts.noise),
        code=code(facts.document, facts.noise, facts.steps, facts.utility.rows),
        afterwards=[each.in_words for each in facts.steps],
        theory=tuple(_theory(facts)),
    )
    return text


def fragment(title: str, rows: list[tuple[str, str]], picture: Picture | None, note: str) -> str:
    """A compact table and a small picture, for a notebook."""
    text: str = _template("fragment.html.j2").render(
        title=title, rows=rows, picture=picture, note=note
    )
    return text


def _meaning(facts: Facts) -> str:
    if facts.document["kept"]:
        return (
            "It is about this column by itself. Nothing bounds how the odds change for somebody "
            "who sees the other published columns, too."
        )
    text = meaning(facts.goal, "the two secrets of a pair")
    return text[0].upper() + text[1:] + "."


def _together(facts: Facts) -> bool:
    """Whether the noise was chosen for all rows of a person together."""
    document = facts.document
    rows = document["rows_per_person"]
    return rows is not None and rows > 1 and document["dependence"] != "independent"


def _certified(facts: Facts) -> str:
    """How the promise was proven."""
    shown = "" if facts.believed else ", says the record; only its curator can show it"
    rows = facts.document["rows_per_person"]
    if rows is None:
        return f"certified exactly for each row{shown}; how many rows a person has is not said"
    if rows == 1:
        return f"certified exactly{shown}"
    if _together(facts):
        return f"proven for all rows of a person together{shown}"
    return f"certified exactly for each row{shown}; that rows are independent is stated"


def _seen(facts: Facts) -> Iterator[Seen]:
    found, allowed = facts.believed, facts.allowed
    alone = ", and no other column" if facts.document["kept"] else ""
    if found is not None:
        for what, success in (("true", found.before), ("published", found.after)):
            yield Seen(
                what=f"the {what} value of a row{alone}",
                success=success,
                posterior=posterior_upper(_PRIOR, success.epsilon_upper),
            )
    if facts.document["kept"]:
        return
    whole = "" if facts.document["unit"] == "row" else ", for all rows of a person"
    yield Seen(
        what=f"whatever the promise allows{whole}",
        success=allowed,
        posterior=posterior_upper(_PRIOR, allowed.epsilon_upper) if facts.goal.pure else None,
    )


def _theory(facts: Facts) -> Iterator[tuple[str, str]]:
    """Which page of the documentation proves what."""
    yield "certificate", "the exact certificate: δ is enclosed from both sides, in both orders"
    if facts.goal.pure:
        yield "pure-epsilon", "δ = 0: the largest change of the odds, over all published values"
    yield from words_of(facts.noise).proofs(facts.noise)
    if facts.believed is not None:
        yield "coupling", "bounds that add up over repeated releases (composition)"
        for other in facts.believed.alternatives:
            if not other.holds:
                yield other.name, "the paper's bound, and why it does not hold in general"
    yield "denoise", "what can be computed from the published column"


def _percent_up(share: float | None) -> str:
    """In percent, rounded up to a tenth."""
    return "not bounded" if share is None else percent_up(share)


@cache
def _environment() -> Any:
    environment = templates("pufferfish.report")
    environment.filters |= {
        "percent_up": _percent_up,
        "percent_down": percent_down,
        "percent": percent,
        "short": readable,
        "times": times,
        "up": lambda number: rounded_up(number, 4),
    }
    return environment


def _template(name: str) -> Any:
    return _environment().get_template(name)
