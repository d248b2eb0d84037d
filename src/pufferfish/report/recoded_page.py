"""What the page of a released column says about a recoding, where it differs from noise."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pufferfish.calibration.recoded_words import kept_in_words, whose, wrong_in_words
from pufferfish.columns.statement.facts import is_elsewhere
from pufferfish.core.numerics import round_down, round_up
from pufferfish.mechanisms import words_of
from pufferfish.report import parts
from pufferfish.report.facts import Facts
from pufferfish.report.pictures import Picture
from pufferfish.report.recoded_facts import RecodedFacts
from pufferfish.report.recoded_pictures import error_picture, map_picture, secret_pictures
from pufferfish.report.sections import (
    Block,
    Code,
    Column,
    Figures,
    Grid,
    Heading,
    Paragraph,
    Section,
    Text,
    Tile,
    as_table,
)
from pufferfish.report.usage import reading
from pufferfish.report.ways import Way, ways, ways_picture
from pufferfish.words.numbers import percent, percent_down, readable

__all__ = ["recoded_pictures", "recoded_tiles", "recoded_use", "recoded_ways", "secrets_drawn"]

_LOSSES = {
    "squared": "the squared error",
    "absolute": "the absolute error",
    "changed": "the share of changed values",
    "own": "a loss of the curator's own",
}

# Whether values were put into bins; None where that is private.
_OF_BINS = (
    "the frequency of each bin is kept, and the mean, the variance and quantiles are those of "
    "the numbers that stand for the bins."
)
_BINS = {
    True: f" Values lie in bins: {_OF_BINS}",
    False: "",
    None: f" If values were put into bins, {_OF_BINS}",
}


def recoded_tiles(facts: Facts, found: RecodedFacts) -> Iterator[Tile]:
    """The error of a value, and what else protects it."""
    figures = found.figures
    among = f", for {them}" if (them := _whose(found)) else ""
    if figures is not None:
        noise = (
            "no Laplace noise keeps this promise"
            if figures.laplace_rmse is None
            else f"{readable(figures.laplace_rmse, 3)} with the least noise"
        )
        yield Tile(
            readable(figures.rmse, 3),
            f"error of a value (root mean square); {noise}, {readable(figures.constant_rmse, 3)} "
            f"with one constant for everybody{among}",
        )
        stay = "stay in their bin" if found.bins else "are published as they are"
        yield Tile(percent(figures.unchanged, 2), f"of the values {stay}{among}")
    scale = facts.noise.at_floor
    if scale is None and facts.noise.floored:
        yield Tile(
            "a floor", "in its own distances between values protects every value from everybody"
        )
    elif scale is None:
        yield Tile("no floor", "nothing protects a value from those who believe something else")
    else:
        yield Tile(
            f"floor {readable(round_up(1.0 / scale.size, 3))}",
            "protects every value from everybody, as much as Laplace noise of scale "
            f"{readable(round_down(scale.size, 3))}",
        )
    if found.stated is not None and found.stated.wrong:
        yield Tile(
            percent_down(found.stated.wrong, 6), "is how far each described law may be wrong"
        )


def recoded_use(facts: Facts, found: RecodedFacts) -> Section:
    """What the recoding does to values, and what can be computed from them."""
    blocks: list[Block] = [as_table(tuple(_done(facts, found)), "labelled")]
    if found.by_secret:
        blocks.append(_paid(found))
    blocks += _for_the_analyst(facts, found)
    return Section("What users can do with it", tuple(blocks))


def _done(facts: Facts, found: RecodedFacts) -> Iterator[tuple[Text, Text]]:
    yield "The recoding", words_of(facts.noise).done(facts.noise)
    figures, stated = found.figures, found.stated
    if figures is not None:
        yield "A value", found.moves
        yield "Its error", found.compared
    elif stated is not None:
        yield "A value", "how far values move, and how many stay, is private, like the recoding"
    if stated is not None:
        yield "Minimised", f"{_LOSSES[stated.loss]}, over all recodings that keep the promise"
        yield (
            "Which laws",
            wrong_in_words(
                stated.wrong, found.confidence, elsewhere=is_elsewhere(facts.beliefs_from)
            ),
        )


def _whose(found: RecodedFacts) -> str:
    """The rows that figures are about, if they are not those that were released."""
    return "" if found.stated is None else whose(found.stated.figures_of)


def _paid(found: RecodedFacts) -> Grid:
    """Loss by group: small groups pay most."""
    among = f", for {them}" if (them := _whose(found)) else ""
    columns = (
        Column("secret (private)", "heading"),
        Column("rows", "number"),
        Column("error of a value", "number"),
        Column("unchanged", "number"),
    )
    rows = tuple(
        (
            str(each.secret),
            "–" if each.rows is None else f"{each.rows:,}",
            readable(each.rmse, 3),
            percent(each.unchanged, 2),
        )
        for each in found.by_secret
    )
    return Grid(columns=columns, rows=rows, caption=f"Who pays: the rows of each secret{among}")


def _for_the_analyst(facts: Facts, found: RecodedFacts) -> Iterator[Block]:
    yield Heading("For the analyst")
    stated = found.stated
    if stated is None or not stated.keep_histogram:
        taken_off = (
            "The recoding is in the record: the frequencies before it can be estimated by "
            "maximum likelihood, or by inverting its matrix, which is unstable where rows of the "
            "matrix are nearly alike."
            if found.law is not None
            else "The recoding is private, so its effect cannot be removed."
        )
        yield Paragraph(
            "Frequencies were not kept. Do not take frequencies, the mean, the spread or "
            f"quantiles from the published values as they are. {taken_off}"
        )
        return
    own = stated.figures_of == "this table"
    use = (
        "can be used as they are; there is no noise to remove."
        if own
        else "can be used as they are only as far as that is so."
    )
    yield Paragraph(
        f"{kept_in_words(stated.figures_of)} Frequencies, the mean, the variance and quantiles of "
        f"all rows {use}{_BINS[found.bins]} Which row has which value is not kept: every relation "
        "between this column and others looks weaker than it is."
    )
    if own:
        yield as_table(tuple(_errors(facts, found)), "labelled")
    read = reading(facts.document)
    if "pandas" in read:
        yield Code(
            "\n".join(
                [
                    "import pandas",
                    "",
                    read,
                    "print(values.value_counts(normalize=True).sort_index())",
                    "print(values.describe())",
                ]
            )
        )


def _errors(facts: Facts, found: RecodedFacts) -> Iterator[tuple[Text, Text]]:
    """The standard errors that the draws add."""
    rows = int(facts.document["published"]["rows"])
    most = 0.5 / math.sqrt(rows)
    known = ""
    if found.share_error is not None:
        least = percent(found.share_error / math.sqrt(rows), 2)
        known = f"; for the values of this table at most {least}"
    yield (
        "A share",
        f"q of all {rows:,} rows: the draws add a standard error of at most √(q(1 − q)/{rows:,}), "
        f"which is no more than {percent(most, 2)}{known}",
    )
    if found.figures is not None:
        error = readable(found.figures.rmse / math.sqrt(rows), 2)
        yield "A mean", f"of all rows: the draws add a standard error of at most {error}"
    yield (
        "A group",
        "of rows that is chosen by another column: its frequencies and its mean are pulled towards "
        "those of all rows",
    )


def recoded_ways(facts: Facts, found: RecodedFacts) -> Section | None:
    """The error of every way to the promise."""
    believed, figures = facts.believed, found.figures
    if believed is None or figures is None:
        return None
    listed = [*ways(believed)]
    if found.clipped_rmse is not None:
        listed.append(
            Way(
                name="the least Laplace noise, clipped to the range of the column",
                noise="clipped noise",
                std=found.clipped_rmse,
                gives="as without clipping; means are biased",
                holds=True,
            )
        )
    listed.append(
        Way(
            name="one constant for everybody",
            noise="no value at all",
            std=figures.constant_rmse,
            gives="reveals nothing about anybody",
            holds=True,
        )
    )
    picture = ways_picture(tuple(listed), "error of a value")
    pictures = [
        each
        for each in (
            picture,
            error_picture(found.curve, facts.goal.epsilon, figures.constant_rmse),
        )
        if each is not None
    ]
    columns = (
        Column("no.", "number"),
        Column("way", "heading"),
        Column("what it does", "whole"),
        Column("error", "number"),
        Column("times this release", "number"),
        Column("gives"),
    )
    rows = tuple(
        (
            str(number),
            way.name,
            way.noise,
            readable(way.std, 3),
            f"{way.std / figures.rmse:.3g}" if figures.rmse else "–",
            way.gives,
        )
        for number, way in enumerate(listed, start=1)
    )
    blocks: list[Block] = [Figures(tuple(pictures)), Grid(columns=columns, rows=rows)]
    return Section("Ways compared", (*blocks, *parts.refused_part(believed.comparison)))


def recoded_pictures(found: RecodedFacts) -> tuple[Picture, ...]:
    """The picture of the recoding, where its table may be shown."""
    return () if found.law is None else (map_picture(found.law),)


def secrets_drawn(found: RecodedFacts) -> Iterator[Block]:
    """Histograms before and after, by secret; in the internal edition only."""
    drawn = tuple(secret_pictures(found.by_secret))
    if drawn:
        yield Heading("Before and after, by secret")
        yield Figures(drawn)
