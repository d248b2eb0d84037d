"""Parts that the pages of every kind of release have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.insight.comparison import Comparison
from pufferfish.insight.guesses import Success, posterior_upper
from pufferfish.kinds.verdict import Verification
from pufferfish.mechanisms import words_of
from pufferfish.noise import Law
from pufferfish.report.facts import Posterior
from pufferfish.report.pictures import OF_ROWS, Wording, posterior_picture, view_pictures
from pufferfish.report.sections import (
    Block,
    Bullets,
    Column,
    Figures,
    Grid,
    Heading,
    Mark,
    Notice,
    Paragraph,
    Section,
    StepOf,
    Steps,
    Text,
    as_code,
    as_quote,
)
from pufferfish.report.views import View
from pufferfish.report.ways import Way, ways_picture
from pufferfish.words.numbers import percent, percent_down, percent_up
from pufferfish.words.phrases import without_name
from pufferfish.words.steps import Step

__all__ = [
    "PAGES",
    "Seen",
    "explanation_part",
    "guess_part",
    "guesses",
    "internal_notice",
    "law_applied",
    "moved_part",
    "pair_of",
    "proofs",
    "refused_part",
    "rests_on",
    "verifying",
    "versions_in_words",
    "views_drawn",
    "ways_section",
    "who_and_when",
    "who_says_so",
]

# The prior probability in the main table; other priors have a table of their own.
_PRIOR = 0.25

# The pages of docs/theory that reports name, by the titles that the documentation gives them.
PAGES = {
    "certificate": "The exact certificate",
    "pure-epsilon": "Pure ε",
    "many-pairs": "Many pairs",
    "gaussian-noise": "Gaussian noise",
    "sampling": "Drawing the noise",
    "published-size": "What the published size reveals",
    "denoise": "Using a noised column",
    "appearance": "How a published column looks",
    "transport": "Transport",
    "coupling": "Coupling bounds",
    "composition": "Repeated releases",
    "radius": "How wrong a belief may be",
    "wrong-noise": "Noise, and laws that may be wrong",
    "sampling-error": "Sampling error: promises for the population",
    "fit": "What an adversary fits",
    "kept-columns": "What kept columns reveal",
    "recoding": "Recoding, with proofs",
    "known-columns": "Those who know other columns",
    "thm-1": "thm-1: Gaussian priors",
    "remark-1": "remark-1: translations",
    "cor-1a": "cor-1a: presence in a sum",
    "cor-1a-identical": "cor-1a-identical: users alike",
    "cor-1b": "cor-1b: a value in a sum",
    "sums": "sums: exact, with proofs",
    "thm-2": "thm-2: mixtures, false",
    "cor-2": "cor-2: means only, false",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One line of the table of guesses; `posterior` is None where the promise does not bound it."""

    what: str
    success: Success
    posterior: float | None


def guess_part(what: str, success: Success, *, bounded: bool = True) -> Seen:
    """What an adversary gets from seeing something."""
    posterior = posterior_upper(_PRIOR, success.epsilon_upper) if bounded else None
    return Seen(what=what, success=success, posterior=posterior)


def internal_notice(document: Mapping[str, Any]) -> Notice:
    """The notice that the report is private."""
    return Notice(
        "Internal.", f"{document['notice']} The public edition of this report holds none of it."
    )


def who_says_so(found: Verification) -> Notice:
    """Who answers for a public report."""
    return Notice("Who says so.", found.who)


def guesses(seen: Iterable[Seen], one: str) -> tuple[Block, ...]:
    """How far an adversary gets; `one` is what the AUC compares, such as one row of each secret."""
    columns = (
        Column("Seeing", "heading"),
        Column("guesses right", "number"),
        Column("tells apart (AUC)", "number"),
        Column(f"{percent(_PRIOR)} becomes at most", "number"),
    )
    rows = tuple(
        (
            each.what,
            percent_up(each.success.accuracy_upper),
            percent_up(each.success.auc_upper),
            "not bounded" if each.posterior is None else percent_up(each.posterior),
        )
        for each in seen
    )
    words = (
        "All rounded up. Guesses right: how often the best guess is right if both secrets are "
        "equally likely beforehand (50% by chance). AUC: how often the right one is picked when "
        f"shown {one} (50% by chance). The last column: what a probability of {percent(_PRIOR)} "
        "for one of the two can become at most."
    )
    return Grid(columns=columns, rows=rows), Paragraph(words, "small")


def moved_part(posteriors: Sequence[Posterior], epsilon: float, after: str) -> Figures:
    """How far a probability can move, as a table and as a picture."""
    return Figures(
        (
            Grid(
                columns=tuple(Column(name, "number") for name in ("before", "at least", "at most")),
                rows=tuple(
                    (percent(each.prior), percent_down(each.lower), percent_up(each.upper))
                    for each in posteriors
                ),
                caption=f"By the promise alone, after one published {after}",
            ),
            posterior_picture(epsilon),
        )
    )


def views_drawn(views: Iterable[View], goal: Guarantee, wording: Wording = OF_ROWS) -> list[Block]:
    """Each pair as an adversary sees it, with a heading; the first is the one that decides."""
    blocks: list[Block] = []
    for number, view in enumerate(views, start=1):
        seen = () if wording.believer else (", as ", as_quote(view.belief.name), " sees it")
        decides = ": the case that decides" if number == 1 else ""
        blocks += [
            Heading((*pair_of(view.pair), *seen, decides)),
            Figures(tuple(view_pictures(f"view{number}", view, goal, wording))),
        ]
    return blocks


def pair_of(pair: SecretPair) -> tuple[str | Mark, ...]:
    """Both secrets, quoted."""
    return as_quote(pair.first), " and ", as_quote(pair.second)


def ways_section(listed: tuple[Way, ...], comparison: Comparison, std: float) -> Section:
    """Every way to the promise, compared with this release, whose noise has this std."""
    picture = ways_picture(listed)
    columns = (
        Column("no.", "number"),
        Column("way", "heading"),
        Column("noise", "whole"),
        Column("times this release", "number"),
        Column("gives"),
    )
    rows = tuple(
        (str(number), way.name, way.noise, f"{way.std / std:.3g}" if std else "–", way.gives)
        for number, way in enumerate(listed, start=1)
    )
    blocks: list[Block] = [
        Figures(() if picture is None else (picture,)),
        Grid(columns=columns, rows=rows),
        *refused_part(comparison),
    ]
    return Section("Noise saved", tuple(blocks))


def refused_part(comparison: Comparison) -> Iterator[Block]:
    """Which methods do not apply, and why."""
    if comparison.refused:
        yield Heading("Methods that do not apply here")
        yield Bullets(
            tuple(f"{name}: {without_name(name, reason)}" for name, reason in comparison.refused),
            "small",
        )


def explanation_part(steps: Iterable[Step]) -> Steps:
    """An explanation: the paragraphs of each step, and the entries below them."""
    return Steps(
        tuple(
            StepOf(
                " ".join(step.paragraphs),
                tuple("; ".join((entry.text, *entry.details)) for entry in step.entries),
            )
            for step in steps
        )
    )


def rests_on(theory: Iterable[tuple[str, str]]) -> tuple[Block, ...]:
    """Which pages of the documentation prove what; a reader may have neither them nor the code."""
    return (
        Heading("What it rests on"),
        Paragraph(
            "In the documentation of pufferfish-privacy, under Theory and The paper’s theorems:"
        ),
        Bullets(tuple(f"“{PAGES[page]}”: {what}" for page, what in theory)),
    )


def law_applied(law: Law) -> str:
    """What was applied, with every digit of its size, and its grid."""
    grid = getattr(law, "grid", None)
    said = words_of(law).noun(law, repr)
    return said if grid is None else f"{said}, on a grid of {grid!r}"


def proofs(goal: Guarantee, noise: Law) -> Iterator[tuple[str, str]]:
    """Which pages of the documentation prove the certificate, and the noise."""
    yield "certificate", "the exact certificate: δ is enclosed from both sides, in both orders"
    if goal.pure:
        yield "pure-epsilon", "δ = 0: the largest change of the odds, over all published values"
    yield from words_of(noise).proofs(noise)


def who_and_when(document: Mapping[str, Any], found: Verification) -> Iterator[tuple[Text, Text]]:
    """The lines of a record's table on its date, its signature, and what was not checked."""
    yield "Created", document["created"]
    if found.signed_by is not None:
        yield "Signature", found.who
    if document["edition"] == "public":
        yield from (("Note", note) for note in found.notes)


def verifying(why: str) -> Paragraph:
    """How to check it; `why` says what can be checked, and by whom."""
    return Paragraph((f"{why}: ", as_code("pufferfish verify RECORD"), "."), "small")


def versions_in_words(document: Mapping[str, Any]) -> str:
    """The versions of the software."""
    return ", ".join(f"{name} {version}" for name, version in document["versions"].items())
