"""What users can still do with a released column, as a section of its page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pufferfish.mechanisms import words_of
from pufferfish.noise import as_noise
from pufferfish.report.facts import Facts
from pufferfish.report.sections import (
    Block,
    Code,
    Column,
    Grid,
    Heading,
    Paragraph,
    Section,
    Text,
    as_code,
    as_table,
    strong,
)
from pufferfish.report.usage import Estimates, Utility, code
from pufferfish.words.numbers import readable, times

__all__ = ["use_section"]


def use_section(facts: Facts, use: Utility) -> Section:
    """What the noise does to values and averages, and what can be computed from them."""
    blocks: list[Block] = [
        as_table(tuple(_steps_done(facts, use)), "labelled"),
        *_for_the_analyst(facts, use),
    ]
    return Section("What users can do with it", tuple(blocks))


def _steps_done(facts: Facts, use: Utility) -> Iterator[tuple[Text, Text]]:
    """What the noise does to a value, a mean, a quantile and a slope."""
    yield "Noise", _noise(facts, use)
    if facts.outliers:
        yield "Outliers", facts.outliers
    afterwards = ", then ".join(each.in_words for each in facts.steps)
    if use.std:
        before = f"before it was {afterwards}: " if afterwards else ""
        yield (
            "A value",
            f"{before}off by {readable(use.error)} on average; within ±{readable(use.half_width)} "
            "in 95% of cases",
        )
    else:
        yield "A value", "is the true one" + (f", {afterwards}" if afterwards else "")
    if use.lost:
        yield "Averages", f"of the published values are not those of the true ones: {use.lost}"
        return
    yield "A mean", _mean(use)
    for name, each in () if facts.estimates is None else facts.estimates.found:
        if name == "median":
            yield (
                "A quantile",
                f"median: a standard error of {readable(each.standard_error)}, rows and noise "
                "together (from the density of the published column)",
            )
    if use.reliability:
        estimated = " (estimated from the published column)" if use.estimated else ""
        yield (
            "A slope",
            (
                f"on this column, not corrected, is too flat: {use.reliability:.2g} times the true "
                f"one{estimated}; corrected with ",
                as_code("denoise.slope"),
                f" it is right, with a standard error at least {use.inflation:.3g} times that "
                "without noise",
            ),
        )


def _noise(facts: Facts, use: Utility) -> str:
    text = words_of(facts.noise).in_full(facts.noise)
    if use.column_std:
        capped = " before the cap" if facts.cap else ""
        text += (
            f": {times(use.std / use.column_std)} the column’s own std of "
            f"{readable(use.column_std)}{capped}"
        )
    return text


def _mean(use: Utility) -> str:
    beside = (
        f", compared with {readable(use.column_std / math.sqrt(use.rows))} from the rows themselves"
        if use.column_std
        else ""
    )
    that = " that have a value" if use.holes else ""
    return (
        f"of all {use.rows:,} rows{that}: a standard error of {readable(use.mean_error)} from the "
        f"noise{beside}; of m rows {readable(use.std)}/√m"
    )


def _for_the_analyst(facts: Facts, use: Utility) -> Iterator[Block]:
    estimated = facts.estimates
    yield Heading("For the analyst")
    yield Paragraph(_caution(use))
    program = code(facts.document, as_noise(facts.noise), facts.steps, use.rows)
    if program:
        yield Code(program)
    if estimated is None:
        yield Paragraph(
            "The published column was not at hand when this report was made, so nothing is "
            "estimated from it.",
            "small",
        )
    else:
        yield from _estimates(estimated)


def _caution(use: Utility) -> str:
    if use.lost:
        return f"Do not take the mean, the spread or a slope from the published values: {use.lost}."
    if not use.std:
        return "No noise was added: the published values are the true ones."
    quantiles = "" if use.step else " and quantiles"
    rounding = "; so can the effect of rounding on spreads" if use.step else ""
    return (
        "The noise has mean 0 and a published law, so its effect on averages and "
        f"spreads{quantiles} can be removed again, with honest intervals{rounding}. Do not treat "
        "the published values as the true ones: spreads are too wide, slopes too flat, extreme "
        "values mostly noise."
    )


def _estimates(estimated: Estimates) -> Iterator[Block]:
    if estimated.found:
        columns = (
            Column("before noise", "heading"),
            *(Column(name, "number") for name in ("estimate", "standard error", "95% interval")),
        )
        rows = tuple(
            (
                name,
                readable(each.value),
                f"{each.standard_error:.2g}",
                f"{readable(each.lower)} to {readable(each.upper)}",
            )
            for name, each in estimated.found
        )
        yield Grid(columns=columns, rows=rows, caption="From the published column alone")
    for name, each in estimated.found:
        if each.note:
            yield Paragraph(f"{name}: {each.note}.", "small")
    for name, each in estimated.found:
        if each.warning:
            yield Paragraph(
                (
                    strong(f"{name}: this interval may miss."),
                    f" {each.warning[0].upper()}{each.warning[1:]}.",
                ),
                "small",
            )
    for name, reason in estimated.refused:
        yield Paragraph(f"Not estimated ({name}): {reason}", "small")
