"""What users can still do with a released table: columns, associations, and who pays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pufferfish.beliefs.known import given_in_words
from pufferfish.calibration.recoded_words import (
    compare_in_words,
    kept_in_words,
    moves_in_words,
    only_bins,
    wrong_in_words,
)
from pufferfish.calibration.result import PartFigures
from pufferfish.columns.statement.facts import is_elsewhere
from pufferfish.insight.associations import Association
from pufferfish.insight.before_after import ColumnKept, Kept
from pufferfish.mechanisms import words_of
from pufferfish.report.sections import (
    Block,
    Bullets,
    Column,
    Figures,
    Grid,
    Heading,
    Paragraph,
    Text,
)
from pufferfish.report.table_facts import Compared, KnownPart, Planned, TableReport
from pufferfish.report.table_pictures import associations_picture
from pufferfish.words.numbers import at_most, percent, readable
from pufferfish.words.phrases import join_words, list_in_words

__all__ = ["use_blocks"]

# Known values, secrets and pairs of columns with a line of their own.
_MOST_LINES = 60
# An association that loses less counts as kept.
_NOTABLE = 0.02


def use_blocks(facts: TableReport) -> Iterator[Block]:
    """For analysts: what each column keeps, which associations remain, and who pays."""
    yield from _advice(facts)
    planned = facts.planned
    if planned is None:
        return
    if facts.whose:
        yield Paragraph(
            f"What follows is about {facts.whose}, except where it was counted in the rows that "
            "were published."
        )
    yield from _columns(facts, planned)
    yield from _associations(facts)
    if planned.parts:
        yield Heading("By known value")
        yield _by_known(planned)
    if planned.by_secret:
        yield Heading("Who pays: the rows of each secret")
        yield _by_secret(facts, planned)
        yield Paragraph(_pays_most(planned), "small")


def _advice(facts: TableReport) -> Iterator[Block]:
    said = facts.said
    if said.recode is None:
        law = words_of(said.noise)
        yield Paragraph(f"{law.done(said.noise)} Published values are not the true ones.")
        return
    texts: list[Text] = []
    together = list_in_words(said.columns)
    if said.recode.keep_histogram:
        whole = "" if len(said.columns) == 1 else ", and so does each combination of them"
        cross = "" if len(said.columns) == 1 else " and cross tables of these columns"
        given = f", for each value of {list_in_words(said.kept)}" if said.kept else ""
        own = said.recode.figures_of == "this table"
        texts.append(
            f"Each value of {together} occurs as often as before{whole}, on average{given}. "
            f"Frequencies{cross}, and everything computed from them, can be used as they are."
            if own
            else f"{kept_in_words(said.recode.figures_of)} Frequencies{cross} can be used as they "
            "are only as far as that is so."
        )
    else:
        taken_off = (
            "The recoding is in the record, so the frequencies before it can be estimated."
            if facts.planned is not None
            else "The recoding is private, so its effect cannot be removed."
        )
        texts.append(
            "Frequencies were not kept: do not take frequencies or means from the published rows "
            f"as they are. {taken_off}"
        )
    texts.append(
        "Which row has which value is not kept: every relation to other columns, also of other "
        "tables, looks weaker than it is."
    )
    texts.append(
        wrong_in_words(
            said.recode.wrong, said.confidence, elsewhere=is_elsewhere(said.beliefs_from)
        )
    )
    yield Bullets(tuple(texts))


def _columns(facts: TableReport, planned: Planned) -> Iterator[Block]:
    """What stays of each column, compared with publishing one constant; then by known values."""
    recode = planned.plan.calibration.recode
    if recode is None:
        return
    if not recode.parts:
        made = planned.plan.calibration
        of = facts.said.recode.figures_of if facts.said.recode is not None else "this table"
        moves = moves_in_words(recode, made.scenario, made.mechanism, of)
        compared = compare_in_words(recode, made.scenario, made.goal, made.mechanism, of)
        yield Paragraph(f"{moves} {compared}")
        return
    scenario, known = planned.plan.scenario, planned.parts
    names = [f"{each}{only_bins(each, scenario)}" for each in facts.said.columns]
    rows = [
        ("all rows", *_part_cells(name, part))
        for name, part in zip(names, recode.parts, strict=True)
    ]
    for each in known[: _MOST_LINES // len(names)]:
        if each.kept is not None:
            given = given_in_words(each.given)
            rows += [
                (given, *_part_cells(name, part))
                for name, part in zip(names, each.kept.columns, strict=True)
            ]
    numbers = any(part.rmse is not None for part in recode.parts)
    columns = [
        Column("rows", "heading"),
        Column("column", "heading"),
        Column("stays as it is", "number"),
        Column("if one constant were published", "number"),
    ]
    if numbers:
        columns += [Column("error", "number"), Column("error of the mean", "number")]
    first = 0 if known else 1
    yield Heading("What stays of each column")
    yield Grid(
        columns=tuple(columns[first:]), rows=tuple(row[first : len(columns)] for row in rows)
    )
    whole = (
        f"{percent(recode.unchanged, 2)} of rows stay as they are in all columns. "
        if len(names) > 1
        else ""
    )
    errors = "Errors are root mean squares, of columns of numbers." if numbers else ""
    if whole or errors:
        yield Paragraph(f"{whole}{errors}", "small")


def _part_cells(name: str, part: PartFigures | ColumnKept) -> tuple[Text, ...]:
    return (
        name,
        percent(part.unchanged, 2),
        percent(part.mode_share, 2),
        "–" if part.rmse is None else readable(part.rmse, 3),
        "–" if part.std is None else readable(part.std, 3),
    )


def _associations(facts: TableReport) -> Iterator[Block]:
    found = facts.compared
    if not found:
        return
    yield Heading("Which associations become weaker")
    yield Paragraph(_suffers(found))
    picture = associations_picture(found, internal=facts.internal)
    if picture is not None and len(found) > 1:
        yield Figures((picture,))
    counted = any(each.published for each in found)
    averaged = any(each.after for each in found)
    informed = found[0].before.information is not None
    columns = [
        Column("columns", "heading"),
        Column("measure of strength"),
        Column("before", "number"),
    ]
    if averaged:
        columns.append(Column("after, on average", "number"))
    if counted:
        columns.append(Column("in the published file", "number"))
    if informed:
        columns.append(Column("bits before", "number"))
        columns += [Column("bits after", "number")] if averaged else []
        columns += [Column("bits in the file", "number")] if counted else []
    rows = tuple(
        _compared_row(each, averaged=averaged, counted=counted, informed=informed)
        for each in found[:_MOST_LINES]
    )
    yield Grid(columns=tuple(columns), rows=rows)
    yield Paragraph(
        "Strength: Pearson's correlation of two columns of numbers; the correlation ratio of "
        "numbers and labels; Cramér's V of labels. 0: none; 1: one column determines the other. "
        + (
            "Bits: mutual information. In the file, chance adds a little to both."
            if informed
            else ""
        ),
        "small",
    )


def _compared_row(
    each: Compared, *, averaged: bool, counted: bool, informed: bool
) -> tuple[Text, ...]:
    shown: list[Association | None] = [each.before]
    shown += [each.after] if averaged else []
    shown += [each.published] if counted else []
    strengths = ["–" if one is None else f"{one.strength:.2f}" for one in shown]
    bits = [
        "–" if one is None or one.information is None else readable(one.information, 2)
        for one in shown
    ]
    names = f"{each.before.first} and {each.before.second}"
    if each.with_secret:
        names += " (the secret)"
    return (names, each.before.measure, *strengths, *(bits if informed else []))


def _suffers(found: Sequence[Compared]) -> str:
    """A sentence or two, on published columns and on these with the secret."""
    return join_words(
        _of_published([each for each in found if not each.with_secret]),
        _of_secret([each for each in found if each.with_secret]),
    )


def _of_published(found: Sequence[Compared]) -> str:
    if not found:
        return ""
    if not any(each.after or each.published for each in found):
        return "Without the published file it is not known how associations change."
    suffering = [each for each in found if each.lost >= _NOTABLE]
    if not suffering:
        return "Between published columns no association becomes weaker."
    rest = len(found) - len(suffering)
    kept = "" if not rest else f"{rest} of {len(found)} {'is' if rest == 1 else 'are'} not weaker."
    return join_words(
        f"Between published columns, the association that loses most is {_weaker(suffering[0])}.",
        kept,
    )


def _of_secret(found: Sequence[Compared]) -> str:
    suffering = [each for each in found if each.lost >= _NOTABLE]
    if not suffering:
        return ""
    return (
        "What the columns together reveal about the secret is weaker on purpose: the association "
        f"of one column that loses most is {_weaker(suffering[0])}."
    )


def _weaker(each: Compared) -> str:
    now = each.after or each.published or each.before
    return (
        f"that of {each.before.first} and {each.before.second} ({each.before.measure} "
        f"{each.before.strength:.2f} before, {now.strength:.2f} after)"
    )


def _by_known(planned: Planned) -> Grid:
    """For each known value: what is left, the worst pair, and its bound."""
    pure = planned.plan.promise.pure
    recoded = all(each.kept is not None for each in planned.parts)
    columns = [Column("known value", "heading")]
    if recoded:
        columns += [
            Column("rows", "number"),
            Column("rows that stay", "number"),
            Column("error of a row", "number"),
        ]
    else:
        columns += [
            Column("what is applied"),
            Column("error of a value", "number"),
            Column("error of the mean", "number"),
        ]
    columns += [Column("worst pair"), Column(f"{'ε' if pure else 'δ'}, at most", "number")]
    rows = tuple(
        _known_row(each, recoded=recoded, pure=pure)
        for each in sorted(planned.parts, key=lambda each: -_loss(each, pure=pure))[:_MOST_LINES]
    )
    more = len(planned.parts) - len(rows)
    caption = f"The {len(rows)} worst of {len(planned.parts):,} known values" if more else ""
    return Grid(columns=tuple(columns), rows=rows, caption=caption)


def _loss(part: KnownPart, *, pure: bool) -> float:
    worst = part.calibration.certificate.worst
    return worst.epsilon_upper if pure else worst.delta_upper


def _known_row(part: KnownPart, *, recoded: bool, pure: bool) -> tuple[Text, ...]:
    worst, law = part.calibration.certificate.worst, part.calibration.mechanism
    left: tuple[Text, ...]
    if recoded and part.kept is not None:
        left = _kept_cells(part.kept, several=False)
    else:
        std = "–" if part.std is None else readable(part.std, 3)
        left = words_of(law).noun(law), readable(part.calibration.rmse, 3), std
    return (
        given_in_words(part.given),
        *left,
        f"{worst.pair.first} / {worst.pair.second}",
        at_most(_loss(part, pure=pure), 4),
    )


def _by_secret(facts: TableReport, planned: Planned) -> Grid:
    names = facts.said.columns
    several = len(names) > 1
    columns = (
        Column("secret (private)", "heading"),
        Column("rows", "number"),
        Column("rows that stay", "number"),
        *(Column(f"{name} stays", "number") for name in names if several),
        Column("error of a row", "number"),
    )
    listed = sorted(planned.by_secret.items(), key=lambda each: -each[1].rmse)[:_MOST_LINES]
    rows = tuple((str(secret), *_kept_cells(kept, several=several)) for secret, kept in listed)
    return Grid(columns=columns, rows=rows)


def _kept_cells(kept: Kept, *, several: bool) -> tuple[Text, ...]:
    return (
        "–" if kept.rows is None else f"{kept.rows:,}",
        percent(kept.unchanged, 2),
        *(percent(each.unchanged, 2) for each in kept.columns if several),
        readable(kept.rmse, 3),
    )


def _pays_most(planned: Planned) -> str:
    """Which rows have the largest error, and how errors are counted."""
    ranked = sorted(planned.by_secret.items(), key=lambda each: each[1].rmse)
    counting = (
        "In the error of a row (root mean square), numbers count in stds of their column, and a "
        "changed label counts 1."
    )
    if len(ranked) < 2 or ranked[-1][1].rmse <= 1.05 * ranked[0][1].rmse:
        return f"All pay about the same. {counting}"
    (least, little), (most, much) = ranked[0], ranked[-1]
    return (
        f"Rows of {most!r} pay most, with an error of {readable(much.rmse, 3)}; those of {least!r} "
        f"least, with {readable(little.rmse, 3)}. {counting}"
    )
