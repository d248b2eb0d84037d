"""The page of a released table, from its facts."""

from __future__ import annotations

from collections.abc import Iterator

from pufferfish.beliefs.known import given_in_words
from pufferfish.columns.story import adversary_in_words, guess_compared
from pufferfish.report import parts
from pufferfish.report.pictures import Picture
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
from pufferfish.report.sources import Beside, Verified
from pufferfish.report.table_facts import Planned, TableReport, gather_table
from pufferfish.report.table_pictures import column_pictures, map_pictures
from pufferfish.report.table_use import use_blocks
from pufferfish.words.numbers import percent, percent_down, percent_up
from pufferfish.words.phrases import list_in_words, meaning

__all__ = ["page_of_table", "table_page"]

# Adversaries that are named one by one.
_MOST_NAMED = 24


def page_of_table(verified: Verified, beside: Beside) -> Page:
    """The page of a record, with both tables where they are at hand.

    Raises:
        CertificationError: The published table is not what was released.
    """
    return table_page(gather_table(verified, beside))


def table_page(facts: TableReport) -> Page:
    """The whole page."""
    said, planned = facts.said, facts.planned
    names = list_in_words(said.columns).replace("'", "")
    sections = [
        Section("What was promised", tuple(_promise(facts))),
        Section("What is published", tuple(_published(facts))),
        Section("What users can do with it", tuple(use_blocks(facts))),
    ]
    if planned is not None and planned.recoded:
        maps: tuple[Picture, ...] = tuple(map_pictures(planned.rows))
        if maps:
            sections.append(Section("The recoding", (Figures(maps),)))
    sections.append(Section("How it was done, and how to check it", tuple(_how(facts))))
    return Page(
        title=f"{facts.document['edition'].capitalize()} report: {names}",
        heading=f"How {names} {'was' if len(said.columns) == 1 else 'were'} released",
        notices=tuple(_notices(facts)),
        tiles=tuple(_tiles(facts)),
        sections=tuple(sections),
    )


def _notices(facts: TableReport) -> Iterator[Notice]:
    for text in facts.words["headline"]:
        yield Notice("Beware.", text)
    if facts.internal:
        yield parts.internal_notice(facts.document)
        return
    yield Notice(
        "Public.",
        "All beliefs in it are public."
        if facts.planned
        else (
            "It shows no private belief. These parts depend on private data: the published rows, "
            f"their number, shares in whole percent, and {_computed(facts)}."
        ),
        open=True,
    )
    yield parts.who_says_so(facts.found)


def _computed(facts: TableReport) -> str:
    """What a public edition holds that was computed from the table."""
    if facts.noised:
        return (
            "what was computed from the table and rounded up (the sizes of the noise, unless they "
            "were chosen without the data)"
        )
    return "the floors of the recodings, where there are any, rounded up"


def _tiles(facts: TableReport) -> Iterator[Tile]:
    said, planned = facts.said, facts.planned
    if said.reveals:
        yield Tile(
            f"{said.reveals.found_percent}%",
            "is how often, at most, a learner finds the secret of a row from all published "
            "columns, if two secrets are equally likely (50% by chance)",
        )
    who = f", for somebody who knows {list_in_words(said.known)}" if said.known else ""
    yield Tile(str(said.goal), f"promised for one {said.unit}{who}")
    yield Tile(f"{int(facts.document['published']['rows']):,}", "rows published")
    one = len(said.columns) == 1
    yield Tile(
        str(len(said.columns)),
        f"column{'' if one else 's'} published under the promise{'' if one else ', together'}",
    )
    if said.known:
        yield Tile(str(len(said.known)), f"known column{'' if len(said.known) == 1 else 's'}")
    recode = None if planned is None else planned.plan.calibration.recode
    if recode is not None:
        whole = "" if len(said.columns) == 1 else ", in all columns"
        among = f", for {facts.whose}" if facts.whose else ""
        yield Tile(percent(recode.unchanged, 2), f"of rows stay as they are{whole}{among}")
    if said.recode is not None and said.recode.wrong:
        yield Tile(percent_down(said.recode.wrong, 6), "is how far each described law may be wrong")
    if said.unprotected:
        return
    if planned is not None:
        guess = planned.guess
        known = given_in_words(guess.given)
        yield Tile(
            percent_up(planned.after.accuracy_upper),
            "of guesses from one row are right, at most (50% by chance)"
            + (f", where {known}" if known else ""),
        )
        if guess.average is not None:
            yield Tile(
                percent_up(guess.average[1]),
                "of guesses are right, at most, on average over the rows, given what is known of "
                "each",
            )
    else:
        yield Tile(
            percent_up(facts.allowed.accuracy_upper),
            "of guesses may be right, at most, under the promise (50% by chance)",
        )


def _promise(facts: TableReport) -> Iterator[Block]:
    """The promise, to whom, what can still be guessed, and what is not covered."""
    planned = facts.planned
    yield Paragraph(facts.words["promise"], "lead")
    yield Paragraph(_meaning(facts))
    if planned is not None:
        yield Heading("Against whom")
        yield Bullets(tuple(_adversaries(facts, planned)))
    yield Heading("What an adversary could guess", 2)
    yield from _guesses(facts)
    yield Heading("What is not covered", 2)
    yield Bullets(tuple(facts.words["not_promised"]))


def _meaning(facts: TableReport) -> str:
    said = facts.said
    if said.unprotected:
        return (
            f"It is about {list_in_words(said.columns)}. Nothing bounds how the odds change for "
            f"somebody who also sees {list_in_words(said.unprotected)}, which everybody does."
        )
    text = meaning(said.goal, "the two secrets of a pair")
    shown = "" if facts.planned else ", according to the record; only its curator can show this"
    each = ", for each value of what is known" if said.known else ""
    return (
        f"{text[0].upper()}{text[1:]}. This holds in both orders and is certified "
        f"exactly{each}{shown}."
    )


def _adversaries(facts: TableReport, planned: Planned) -> Iterator[Text]:
    beliefs = planned.plan.scenario.beliefs
    for each in beliefs[:_MOST_NAMED]:
        yield adversary_in_words(each, facts.said.beliefs_from)
    if len(beliefs) > _MOST_NAMED:
        yield f"and {len(beliefs) - _MOST_NAMED:,} more."


def _guesses(facts: TableReport) -> Iterator[Block]:
    said, planned = facts.said, facts.planned
    alone = ", and no other column" if said.unprotected else ""
    seen = []
    if planned is not None:
        seen.append(parts.guess_part(f"the true row{alone}", planned.before))
        seen.append(parts.guess_part(f"the published row{alone}", planned.after))
    if not said.unprotected:
        seen.append(
            parts.guess_part("whatever the promise allows", facts.allowed, bounded=said.goal.pure)
        )
    if seen:
        yield Paragraph(_told(facts))
        yield from parts.guesses(seen, "one row of each secret")
    if said.unprotected:
        return
    if facts.posteriors:
        yield parts.moved_part(facts.posteriors, said.goal.epsilon, "row")
        return
    yield Paragraph(
        f"With δ = {said.goal.delta} no bound holds for every single published row: with a small "
        "probability a row may reveal everything. So no posterior is promised, only how often "
        "guesses are right and rows are told apart."
    )


def _told(facts: TableReport) -> Text:
    said, planned = facts.said, facts.planned
    if planned is None:
        known = f", and knows {list_in_words(said.known)}" if said.known else ""
        return (
            "Suppose an adversary is told that a row has one of the two secrets of a "
            f"pair{known}. None of the adversaries described then does better than this, with any "
            "amount of computing:"
        )
    known = given_in_words(planned.guess.given)
    compared = guess_compared(planned.plan.scenario, planned.guess)
    return (
        "Suppose an adversary is told that a row has one of the two secrets ",
        *parts.pair_of(planned.guess.pair),
        f"{', and knows that ' if known else ''}{known}. The best informed of the adversaries "
        "described then does at most as well as this table says, with any amount of computing."
        f"{' ' if compared else ''}{compared}",
    )


def _published(facts: TableReport) -> Iterator[Block]:
    said = facts.said
    rules = {each.column: _rule(each) for each in said.rules}
    roles = {
        "under the promise": said.columns,
        "known, and published as it is": said.kept,
        "without protection": said.unprotected,
    }
    rows: list[tuple[Text, ...]] = [
        (name, role, rules.get(name, "as it is in the table"))
        for role, names in roles.items()
        for name in names
    ]
    rows += [
        (name, "known to some, not published", rules.get(name, ""))
        for name in said.known
        if name not in said.kept
    ]
    rows += [(name, "the secret, not published", "") for name in said.secret]
    yield Grid(
        columns=(Column("column", "heading"), Column("what it is"), Column("how it is read")),
        rows=tuple(rows),
    )
    drawn = tuple(column_pictures(facts.looks, internal=facts.internal))
    if drawn:
        yield Figures(drawn)
    else:
        yield Paragraph(
            "The published rows were not at hand when this report was made, so they are not shown.",
            "small",
        )


def _rule(rule: object) -> str:
    """The public rule of a column, in a few words."""
    edges, unit, merged = (getattr(rule, name) for name in ("edges", "unit", "merged"))
    said = []
    if edges:
        said.append(f"{len(edges) + 1} public bands")
    if unit:
        said.append(f"dates by {unit}")
    if merged:
        said.append("some labels are merged")
    return ", ".join(said)


def _how(facts: TableReport) -> Iterator[Block]:
    planned = facts.planned
    if planned is not None:
        another = facts.said.beliefs_from == "another table"
        yield parts.explanation_part(planned.plan.calibration.explain(another_table=another).steps)
    yield from parts.rests_on(parts.proofs(facts.said.goal, facts.said.noise))
    yield as_table(tuple(_record_rows(facts)), "small", "The record")
    yield parts.verifying(_checkable(facts))


def _record_rows(facts: TableReport) -> Iterator[tuple[Text, Text]]:
    document, said, record = facts.document, facts.said, facts.record
    published = document["published"]
    order = "in random order" if said.order == "random" else "in the order of the table"
    yield "Published", f"{published['file'] or 'a frame'}; rows {order}"
    yield f"SHA-256 of the {published['checksum_of']}", (as_code(published["sha256"]),)
    yield "Noise law" if facts.noised else "Recoding", parts.law_applied(said.noise)
    yield from parts.who_and_when(document, facts.found)
    if record is not None:
        yield (
            "The table (private)",
            f"{record.rows_read:,} rows read, {record.rows_missing:,} with a missing value, "
            f"{record.rows_unprotected:,} without a secret in a pair, {record.rows_unseen:,} with "
            "values outside all beliefs",
        )
    yield "Versions", parts.versions_in_words(document)


def _checkable(facts: TableReport) -> str:
    if facts.internal:
        return "Every claim can be computed again from the record"
    if facts.planned is not None:
        return (
            "All beliefs are public, so anybody can compute every claim again from the public "
            "record"
        )
    checked = "law and the checksum" if facts.noised else "checksum"
    return (
        f"The beliefs are private. From the public record anybody can check the {checked}, but "
        "not the certificate"
    )
