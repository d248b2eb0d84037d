"""The report of a released sum, mean or count."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from pufferfish.core.validation import require
from pufferfish.insight.comparison import noise_in_words
from pufferfish.mechanisms import words_of
from pufferfish.report import parts
from pufferfish.report.pictures import Wording, profile_picture
from pufferfish.report.sections import (
    Block,
    Bullets,
    Figures,
    Heading,
    Notice,
    Page,
    Paragraph,
    Section,
    Text,
    Tile,
    as_table,
)
from pufferfish.report.sources import Beside, Verified
from pufferfish.report.sum_facts import KnownUsers, SumReport, gather_sum
from pufferfish.report.ways import way_of
from pufferfish.words.certificates import describe_loss
from pufferfish.words.numbers import percent_up, readable
from pufferfish.words.phrases import meaning

__all__ = ["page_of_sum", "sum_page"]

_ROUNDED = {
    None: "as it was computed: the users are public",
    "ladder": "rounded up to a rung of a public ladder",
    "given": "chosen without using what is known about the users",
}


# At δ = 0 this is what the certificate is about.
_ALONE = (
    "With δ = 0 the other users hide nobody. So this is about what one user adds, with noise, as "
    "if all others were known: to somebody who does not know them, the published number reveals "
    "less."
)


def page_of_sum(verified: Verified, beside: Beside) -> Page:
    """The page of a record, which holds the published number itself."""
    require(
        beside.released is None and beside.original is None,
        "the record of a sum holds the published number: there is no released file and no "
        "original to show. Leave both out.",
    )
    return sum_page(gather_sum(verified))


def sum_page(facts: SumReport) -> Page:
    """The whole page."""
    said, users = facts.said, facts.users
    sections = [Section("What was promised", tuple(_promise_section(facts)))]
    if users is not None:
        sections.append(Section("Pictures", tuple(_pictures(facts, users))))
    sections.append(Section("What users can do with it", tuple(_use(facts))))
    if users is not None:
        sections.append(_ways(facts, users))
    sections.append(Section("How it was done, and how to check it", tuple(_how(facts))))
    return Page(
        title=f"{facts.document['edition'].capitalize()} report: {said.statistic} of {said.column}",
        heading=f"How the {said.statistic} of {said.column} was released",
        notices=tuple(_notices(facts)),
        tiles=tuple(_tiles(facts)),
        sections=tuple(sections),
    )


def _notices(facts: SumReport) -> Iterator[Notice]:
    if facts.record is not None:
        yield parts.internal_notice(facts.document)
        return
    yield Notice(
        "Public.",
        "The description of the users in it is public."
        if facts.users is not None
        else (
            "It does not describe the users. These parts depend on private data: the published "
            f"number; the size of the noise ({_ROUNDED[facts.said.rounding]}); "
        )
        + ("the number of described users; " if facts.said.users is not None else "")
        + "and whether their values are known as tables, or only by mean and std.",
        open=True,
    )
    yield parts.who_says_so(facts.found)


def _tiles(facts: SumReport) -> Iterator[Tile]:
    said, users = facts.said, facts.users
    yield Tile(str(said.goal), "promised for every user")
    yield Tile(_digits(facts, facts.value), f"published as the {said.statistic} of {said.column}")
    divided = f", before it was divided by {said.users:,}" if said.statistic == "mean" else ""
    yield Tile(noise_in_words(said.noise), f"noise added to the sum{divided}")
    if users is not None:
        guessed, words = (
            users.after,
            "of guesses about the users who decide are right, at most (50% by chance)",
        )
    else:
        guessed = facts.allowed
        words = "of guesses may be right, at most, under the promise (50% by chance)"
    yield Tile(percent_up(guessed.accuracy_upper), words)


def _promise_section(facts: SumReport) -> Iterator[Block]:
    """The promise, what can still be guessed, and what is not covered."""
    yield Paragraph(facts.words["promise"], "lead")
    yield Paragraph(f"{_meaning(facts)} {_certificate_section(facts)}")
    record = facts.record
    if record is not None:
        beyond = f"; {record.outside:,} of them are outside what is expected of any user"
        # The secret is whether a user is present.
        hidden = (
            " Their number is not published." if facts.said.protected.what == "presence" else ""
        )
        yield Paragraph(
            f"{record.rows:,} rows were summed{beyond if record.outside else ''}.{hidden}"
        )
    yield Heading("Against whom")
    yield Paragraph(_to_whom(facts))
    yield Heading("What an adversary could guess", 2)
    yield from _guess_section(facts)
    yield Heading("What is not covered", 2)
    yield Bullets(tuple(facts.words["not_promised"]))


def _meaning(facts: SumReport) -> str:
    protected = facts.said.protected
    if protected.what == "presence":
        pair = "the sum with a user and the sum without them"
    elif protected.between is None:
        pair = "any two of the described values that a user may have reported"
    else:
        low, high = protected.between
        pair = f"a user who reported {low:g} and the same user who reported {high:g}"
    text = meaning(facts.said.goal, pair)
    return text[0].upper() + text[1:] + "."


def _certificate_section(facts: SumReport) -> str:
    if facts.users is None:
        return (
            "This holds in both orders and is certified exactly for every user, according to the "
            "record; only its curator can show this."
        )
    found = facts.users.calibration
    return (
        f"This holds in both orders and is certified exactly: {found.certificates:,} "
        f"certificate(s) settled all {found.users.size:,} users."
    )


def _to_whom(facts: SumReport) -> str:
    known = (
        "the probability with which each user adds each value"
        if facts.said.tables
        else "the mean and std of what each user adds, and believes that the sum is Gaussian"
    )
    return (
        f"To somebody who knows {known}; who takes the users to be independent of one another, "
        "and does not know what any of them really added."
    )


def _guess_section(facts: SumReport) -> Iterator[Block]:
    goal = facts.said.goal
    yield Paragraph(_story_section(facts))
    if facts.users is not None and facts.users.calibration.alone:
        yield Paragraph(_ALONE)
    yield from parts.guesses(_pictures_section(facts), "one published number of each case")
    if facts.posteriors:
        yield parts.moved_part(facts.posteriors, goal.epsilon, facts.said.statistic)
        return
    yield Paragraph(
        f"With δ = {goal.delta} no bound holds for every number that may be published: with a "
        "small probability it may reveal everything. So no posterior is promised, only how often "
        "guesses are right and the two cases are told apart."
    )


def _story_section(facts: SumReport) -> Text:
    if facts.users is None:
        return (
            "Suppose the adversary is told that one of two cases is true of a user. The "
            "adversary described then does no better than this, with any amount of computing:"
        )
    calibration = facts.users.calibration.calibration
    pairs = len(calibration.scenario.pairs)
    others = f" (or of another of the {pairs:,} certified pairs, if that reveals more)"
    return (
        "Suppose the adversary is told that one of the two cases of the pair that decides is "
        "true, ",
        *parts.pair_of(calibration.certificate.worst.pair),
        f"{others if pairs > 1 else ''}. The adversary described then does at most this well, "
        "with any amount of computing:",
    )


def _pictures_section(facts: SumReport) -> Iterator[parts.Seen]:
    if facts.users is not None:
        yield parts.guess_part(f"the true {facts.said.statistic}", facts.users.before)
        yield parts.guess_part(f"the published {facts.said.statistic}", facts.users.after)
    yield parts.guess_part(
        "whatever the promise allows", facts.allowed, bounded=facts.said.goal.pure
    )


def _pictures(facts: SumReport, users: KnownUsers) -> Iterator[Block]:
    calibration, goal = users.calibration.calibration, facts.said.goal
    alone = users.calibration.alone
    if alone:
        yield Paragraph(_ALONE)
    elif facts.said.statistic == "mean":
        yield Paragraph("These pictures are about the sum, before it was divided.")
    yield from parts.views_drawn(
        users.views,
        goal,
        Wording(
            value="value" if alone else "sum",
            unit="every user",
            believer="the adversary described",
        ),
    )
    picture = profile_picture(calibration.certificate, users.profile, users.bare, of_all=True)
    yield Figures(
        (
            replace(
                picture,
                description=(
                    "The largest δ(ε) for the users who decide, enclosed from both sides (the "
                    "enclosure is mostly thinner than the line): "
                    f"{describe_loss(calibration.certificate)}."
                ),
            ),
        )
    )


def _use(facts: SumReport) -> Iterator[Block]:
    said, error = facts.said, facts.error
    rows: list[tuple[Text, Text]] = [
        ("Published", f"{_digits(facts, facts.value)}, the {said.statistic} of {said.column}"),
        ("Noise", _noise(facts)),
    ]
    if error.std:
        low, high = _interval(facts)
        rows += [
            ("Standard error", f"{readable(error.std)}, all of it from the noise"),
            ("95% interval", f"{low} to {high} for the true {said.statistic}"),
        ]
    else:
        rows.append(("Error", f"none: it is the true {said.statistic}"))
    yield as_table(tuple(rows), "labelled")
    if error.std:
        yield Paragraph(
            f"The noise has mean 0, so the published {said.statistic} is right on average, and "
            "the interval covers the true one in 95% of releases. It does not account for chance "
            "in who the users are, or in what they did."
        )


def _noise(facts: SumReport) -> str:
    said, error = facts.said, facts.error
    text = words_of(said.noise).in_full(said.noise)
    if said.noise.std and error.spread:
        text += (
            f": {error.std / error.spread:.2g} times the {said.statistic}’s own std of "
            f"{readable(error.spread)}, from what is known about the users"
        )
    return text


def _ways(facts: SumReport, users: KnownUsers) -> Section:
    calibration, comparison = users.calibration, users.comparison
    if comparison is None:
        text = "There are too many different users to try the other methods for this page: "
        return Section("Noise saved", (Paragraph(f"{text}pufferfish sum --compare tries them."),))
    listed = (
        way_of("this release", calibration.calibration, calibration.holds),
        *(way_of(each.name, each.calibration, each.valid) for each in comparison.methods),
    )
    return parts.ways_section(listed, comparison, facts.said.noise.std)


def _how(facts: SumReport) -> Iterator[Block]:
    if facts.users is not None:
        yield parts.explanation_part(facts.users.steps)
    yield from parts.rests_on(_theory(facts))
    yield as_table(tuple(_record_rows(facts)), "small", "The record")
    yield parts.verifying(_checkable(facts))


def _theory(facts: SumReport) -> Iterator[tuple[str, str]]:
    yield from parts.proofs(facts.said.goal, facts.said.noise)
    yield "sums", "sums over users: what hides each of them, and why all of them are covered"
    if facts.said.rounding is not None:
        yield "published-size", "what the published size of the noise reveals, and to whom"


def _record_rows(facts: SumReport) -> Iterator[tuple[Text, Text]]:
    said, document, record = facts.said, facts.document, facts.record
    yield "Published", f"{said.statistic} of {said.column}: {facts.value!r}"
    yield "Noise law", parts.law_applied(said.noise)
    yield "Size of the noise", _ROUNDED[said.rounding]
    if said.users is not None:
        divided = ", by whose number the noised sum was divided"
        yield "Described users", f"{said.users:,}{divided if said.statistic == 'mean' else ''}"
    yield from parts.who_and_when(document, facts.found)
    if record is not None:
        yield (
            "The table (private)",
            f"{record.rows} rows summed, {record.outside} outside what is expected",
        )
    yield "Versions", parts.versions_in_words(document)


def _checkable(facts: SumReport) -> str:
    if facts.record is not None:
        return "Every claim can be computed again from the record"
    if facts.users is not None:
        return (
            "The users are public, so anybody can compute every claim again from the public record"
        )
    return (
        "The users are private. From the public record anybody can check the law of the noise, "
        "and that the number lies on its grid, but not the certificate"
    )


def _digits(facts: SumReport, number: float) -> str:
    """The number to two digits of its error; in full where it has none."""
    if not facts.error.std:
        return f"{number:,.12g}"
    places = _places(facts)
    return f"{round(number, places) + 0.0:,.{places}f}"


def _interval(facts: SumReport) -> tuple[str, str]:
    """The ends of the interval, rounded outwards."""
    places, reach = _places(facts), facts.error.half_width
    unit = 10.0**places
    low = math.floor((facts.value - reach) * unit) / unit
    high = math.ceil((facts.value + reach) * unit) / unit
    return f"{low:,.{places}f}", f"{high:,.{places}f}"


def _places(facts: SumReport) -> int:
    return max(1 - math.floor(math.log10(facts.error.std)), 0)
