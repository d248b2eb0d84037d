"""The page of a released column, from its facts."""

from __future__ import annotations

from collections.abc import Iterator

from pufferfish.columns.story import adversary_in_words, guess_compared
from pufferfish.insight.comparison import noise_in_words
from pufferfish.report import parts
from pufferfish.report.column_use import use_section
from pufferfish.report.facts import Believed, Facts
from pufferfish.report.pictures import (
    Picture,
    heat_picture,
    histogram_picture,
    profile_picture,
)
from pufferfish.report.recoded_page import (
    recoded_pictures,
    recoded_tiles,
    recoded_use,
    recoded_ways,
    secrets_drawn,
)
from pufferfish.report.sections import (
    Block,
    Bullets,
    Column,
    Figures,
    Grid,
    Heading,
    Notice,
    Page,
    Paragraph,
    Section,
    Text,
    Tile,
    as_code,
    as_table,
)
from pufferfish.report.ways import ways
from pufferfish.words.numbers import at_most, percent_up
from pufferfish.words.phrases import meaning

__all__ = ["column_page"]


def column_page(facts: Facts) -> Page:
    """The whole page."""
    found, column = facts.believed, facts.document["column"]
    pictures = tuple(_pictures(facts))
    sections = [Section("What was promised", tuple(_promise_section(facts)))]
    if pictures:
        sections.append(Section("Pictures", pictures))
    if facts.utility is not None:
        sections.append(use_section(facts, facts.utility))
    if facts.recoded is not None:
        sections.append(recoded_use(facts, facts.recoded))
    # Other ways are computed for one row; where the noise is for several, they would mislead.
    if found is not None and not _together(facts):
        sections += _ways(facts, found)
    sections.append(Section("How it was done, and how to check it", tuple(_how(facts))))
    return Page(
        title=f"{facts.edition.capitalize()} report: {column}",
        heading=f"How {column} was released",
        notices=tuple(_notices(facts)),
        tiles=tuple(_tiles(facts)),
        sections=tuple(sections),
    )


def _ways(facts: Facts, found: Believed) -> Iterator[Section]:
    if facts.utility is not None:
        yield parts.ways_section(ways(found), found.comparison, facts.utility.std)
    if facts.recoded is not None:
        section = recoded_ways(facts, facts.recoded)
        if section is not None:
            yield section


def _notices(facts: Facts) -> Iterator[Notice]:
    for said in facts.headline:
        yield Notice("Beware.", said)
    if facts.edition == "internal":
        yield parts.internal_notice(facts.document)
        return
    yield Notice(
        "Public.",
        "All beliefs in it are public."
        if facts.believed
        else "It shows no private belief. These parts depend on private data: the published "
        f"column, the number of rows, shares in whole percent, and {_computed(facts)}.",
        open=True,
    )
    yield parts.who_says_so(facts.found)


def _computed(facts: Facts) -> str:
    """What a public edition holds that was computed from the table."""
    if facts.recoded is not None:
        return "the floor of the recoding, rounded up, unless it was chosen without the data"
    return (
        "what was computed from the table and rounded up (the size of the noise, or, if that was "
        "chosen without the data, perhaps ε)"
    )


def _tiles(facts: Facts) -> Iterator[Tile]:
    document, found = facts.document, facts.believed
    if facts.reveals:
        yield Tile(
            f"{facts.reveals.found_percent}%",
            "is how often, at most, a learner finds the secret of a row from all published "
            "columns, if two secrets are equally likely (50% by chance)",
        )
    alone = ", for this column by itself" if document["kept"] else ""
    yield Tile(str(facts.goal), f"promised for one {document['unit']}{alone}")
    yield Tile(f"{int(document['published']['rows']):,}", "rows published")
    if facts.recoded is None:
        yield Tile(noise_in_words(facts.noise), "noise added to each value")
    else:
        yield from recoded_tiles(facts, facts.recoded)
    if document["kept"]:
        return
    if found is not None:
        yield Tile(
            percent_up(found.after.accuracy_upper),
            "of guesses from one row are right, at most (50% by chance)",
        )
    else:
        yield Tile(
            percent_up(facts.allowed.accuracy_upper),
            "of guesses may be right, at most, under the promise (50% by chance)",
        )


def _promise_section(facts: Facts) -> Iterator[Block]:
    """The promise, what can still be guessed, and what is not covered."""
    kept, found = facts.document["kept"], facts.believed
    whose = "The bound of the column is" if kept else "This holds in both orders and is"
    yield Paragraph(facts.promise, "lead")
    yield Paragraph(f"{_meaning(facts)} {whose} {_certificate_section(facts)}.")
    if facts.covered:
        yield Paragraph(facts.covered)
    if found is not None:
        yield Heading("Against whom")
        yield Bullets(
            tuple(
                adversary_in_words(each, facts.beliefs_from)
                for each in found.calibration.scenario.beliefs
            )
        )
    yield Heading("What an adversary could guess", 2)
    yield from _guess_section(facts)
    yield Heading("What is not covered", 2)
    yield Bullets(facts.gaps)


def _guess_section(facts: Facts) -> Iterator[Block]:
    document = facts.document
    if document["kept"]:
        yield Paragraph(f"From all published columns: {_reveals_section(facts)}")
    seen = tuple(_pictures_section(facts))
    if seen:
        yield Paragraph(_story_section(facts))
        yield from parts.guesses(seen, "one row of each secret")
    if facts.posteriors:
        after = "value" if document["unit"] == "row" else "person"
        yield parts.moved_part(facts.posteriors, facts.goal.epsilon, after)
    elif not document["kept"]:
        yield Paragraph(
            f"With δ = {facts.goal.delta} no bound holds for every single published value: with a "
            "small probability a value may reveal everything. So no posterior is promised, only "
            "how often guesses are right and rows are told apart."
        )


def _reveals_section(facts: Facts) -> str:
    if not facts.reveals:
        return "that was not measured."
    return (
        f"the secret of up to {facts.reveals.found_percent}% of rows, as far as one learner finds "
        "it (an upper limit with 95% confidence, from rows that it has not seen, both secrets of a "
        "pair equally likely). Another learner may find more."
    )


def _story_section(facts: Facts) -> Text:
    if facts.believed is None:
        return (
            "Suppose an adversary is told that a row has one of the two secrets of a pair. None "
            "of the adversaries described then does better than this, with any amount of "
            "computing:"
        )
    guess = facts.believed.guess
    compared = guess_compared(facts.believed.calibration.scenario, guess)
    return (
        "From this column by itself: suppose an adversary is told"
        if facts.document["kept"]
        else "Suppose an adversary is told",
        " that a row has one of the two secrets ",
        *parts.pair_of(guess.pair),
        ". The best informed of the adversaries described then does at most as well as this table "
        f"says, with any amount of computing.{' ' if compared else ''}{compared}",
    )


def _pictures(facts: Facts) -> Iterator[Block]:
    found = facts.believed
    drawn: list[Picture] = []
    if found is not None:
        calibration = found.calibration
        if facts.document["kept"]:
            yield Paragraph(f"These pictures are about {facts.document['column']} by itself.")
        yield from parts.views_drawn(found.views, calibration.goal)
        drawn.append(
            profile_picture(calibration.certificate, found.profile, found.bare, of_all=found.of_all)
        )
        if len(calibration.scenario.pairs) > 1:
            drawn.append(heat_picture(calibration.certificate))
    if facts.recoded is not None:
        drawn += recoded_pictures(facts.recoded)
    if facts.bars is not None:
        drawn.append(histogram_picture(facts.bars, facts.noise, facts.steps))
    if drawn:
        yield Figures(tuple(drawn))
    if found is not None and len(found.pairs) > 1:
        yield _pairs(found)
    if facts.recoded is not None:
        yield from secrets_drawn(facts.recoded)


def _pairs(found: Believed) -> Grid:
    """The worst pairs, one by one."""
    pure, pairs = found.calibration.goal.pure, found.pairs
    number = len(found.calibration.scenario.pairs)
    some = f" ({len(pairs)} of {number})" if len(pairs) < number else ""
    guessed = pairs[0].before_upper is not None
    columns = [
        Column("pair", "heading"),
        Column("adversary who sees most"),
        Column(f"{'least ε' if pure else 'δ'}, at most", "number"),
    ]
    if guessed:
        columns += [Column("guessed right before", "number"), Column("after", "number")]
    rows = tuple(
        (
            f"{each.worst.pair.first} / {each.worst.pair.second}",
            each.worst.belief,
            str(at_most(each.worst.epsilon_upper if pure else each.worst.delta_upper, 4)),
            *(
                percent_up(share)
                for share in (each.before_upper, each.after_upper)
                if share is not None
            ),
        )
        for each in pairs
    )
    return Grid(columns=tuple(columns), rows=rows, caption=f"The pairs, worst first{some}")


def _how(facts: Facts) -> Iterator[Block]:
    document, found = facts.document, facts.believed
    if found is not None:
        if document["kept"]:
            yield Paragraph(f"What follows is about {document['column']} by itself.")
        yield parts.explanation_part(found.steps)
    yield from parts.rests_on(_theory(facts))
    yield as_table(tuple(_record_rows(facts)), "small", "The record")
    yield parts.verifying(_checkable(facts))


def _record_rows(facts: Facts) -> Iterator[tuple[Text, Text]]:
    document, record = facts.document, facts.record
    published = document["published"]
    order = "in random order" if document["order"] == "random" else "in the order of the table"
    yield (
        "Published",
        f"{published['file'] or 'a frame'}; kept columns: "
        f"{', '.join(document['kept']) or 'none'}; rows {order}",
    )
    yield f"SHA-256 of the {published['checksum_of']}", (as_code(published["sha256"]),)
    what, law = ("noise", "Noise law") if facts.recoded is None else ("recoding", "Recoding")
    yield law, parts.law_applied(facts.noise)
    yield f"Before the {what}", facts.cap or "nothing"
    yield f"After the {what}", ", then ".join(each.in_words for each in facts.steps) or "nothing"
    yield from parts.who_and_when(document, facts.found)
    if record is not None:
        yield (
            "The table (private)",
            f"{record.rows_read} rows read, {record.rows_missing} without a value, "
            f"{record.rows_unprotected} without a secret in a pair, {record.rows_outside} outside "
            "all beliefs",
        )
    yield "Versions", parts.versions_in_words(document)


def _checkable(facts: Facts) -> str:
    if facts.edition == "internal":
        return "Every claim can be computed again from the record"
    if facts.believed is not None:
        return (
            "All beliefs are public, so anybody can compute every claim again from the public "
            "record"
        )
    if facts.recoded is not None:
        return (
            "The recoding and the beliefs behind it are private. From the public record anybody "
            "can check the checksum, but not the certificate"
        )
    return (
        "The beliefs behind the noise are private. From the public record anybody can check the "
        "law and the checksum, but not the certificate"
    )


def _meaning(facts: Facts) -> str:
    if facts.document["kept"]:
        return (
            "It is about this column by itself. Nothing bounds how the odds change for somebody "
            "who also sees the other published columns."
        )
    text = meaning(facts.goal, "the two secrets of a pair")
    return text[0].upper() + text[1:] + "."


def _together(facts: Facts) -> bool:
    """Whether the noise was chosen for all rows of a person together."""
    document = facts.document
    return bool(document["rows_per_person"] > 1 and document["dependence"] != "independent")


def _certificate_section(facts: Facts) -> str:
    """How the promise was proven."""
    shown = "" if facts.believed else ", according to the record; only its curator can show this"
    rows = facts.document["rows_per_person"]
    if rows == 1:
        return f"certified exactly{shown}"
    if _together(facts):
        return f"proven for all rows of a person together{shown}"
    return (
        f"certified exactly for each row{shown}; that the rows of a person are independent is "
        "stated, not proven"
    )


def _pictures_section(facts: Facts) -> Iterator[parts.Seen]:
    found = facts.believed
    alone = ", and no other column" if facts.document["kept"] else ""
    if found is not None:
        yield parts.guess_part(f"the true value of a row{alone}", found.before)
        yield parts.guess_part(f"the published value of a row{alone}", found.after)
    if facts.document["kept"]:
        return
    whole = "" if facts.document["unit"] == "row" else ", for all rows of a person"
    yield parts.guess_part(
        f"whatever the promise allows{whole}", facts.allowed, bounded=facts.goal.pure
    )


def _theory(facts: Facts) -> Iterator[tuple[str, str]]:
    """Which page of the documentation proves what."""
    yield from parts.proofs(facts.goal, facts.noise)
    if facts.believed is not None:
        yield "coupling", "bounds that add up over repeated releases (composition)"
        for other in facts.believed.alternatives:
            if not other.holds:
                yield other.name, "the paper's bound, and why it does not hold in general"
    if facts.recoded is None:
        yield "denoise", "what can be computed from the published column"
