"""The pictures of a released table, with their words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pufferfish.beliefs.known import given_in_words
from pufferfish.beliefs.labels import Labels, parts_of
from pufferfish.insight.before_after import Rows
from pufferfish.recoding.law import Recoding
from pufferfish.report import figures, recoded_figures
from pufferfish.report.canvas import FONT, Canvas, box_at, paint, text_at, text_width
from pufferfish.report.columns import Bars
from pufferfish.report.pictures import Picture
from pufferfish.report.recoded_pictures import map_keys
from pufferfish.report.style import Key
from pufferfish.report.table_columns import CategoryShare, ColumnLook, label_in_words
from pufferfish.report.table_facts import Compared
from pufferfish.report.ticks import Axis, Tick, linear_axis
from pufferfish.words.numbers import percent

__all__ = ["associations_picture", "column_pictures", "cut_labels", "map_pictures"]
__all__ += ["shares_figure"]

# Labels with a bar of their own; the others are summed.
_MOST_LABELS = 24
# The most categories of a recoding that is drawn, and the most recodings.
_MOST_MAPPED, _MOST_MAPS = 40, 6
# Pairs of columns in a picture.
_MOST_PAIRS = 15
# Letters of a label at the axis; longer ones are cut, and listed in full below.
_MOST_LETTERS = 17
# The height of a row of a picture, and of what is above and below all rows.
_ROW, _ROWS = 22.0, 30.0
# The ink of what was there before.
_FRAME = paint(stroke="second", width=1.4, dashes=(3.0, 1.2))


def column_pictures(looks: Sequence[ColumnLook], *, internal: bool) -> Iterator[Picture]:
    """How often the values of each column occur, before and after.

    Args:
        looks: The columns.
        internal: Whether the shares before are private; otherwise they come from a public belief.
    """
    for number, look in enumerate(looks, start=1):
        name = f"column{number}"
        if look.bars is not None:
            yield _histogram(name, look, look.bars, internal=internal)
        elif look.shares:
            yield _shares(name, look, internal=internal)


def _histogram(name: str, look: ColumnLook, bars: Bars, *, internal: bool) -> Picture:
    before = bars.original is not None
    words = [_how(look, before=before)]
    if bars.beyond > 0.0:
        words.append(f"{percent(bars.beyond, 2)} are beyond the picture.")
    old, new = look.missing
    if old or new:
        was = "" if old is None else f", {percent(old, 2)} before"
        words.append(f"Missing: {percent(new, 2)}{was}.")
    return Picture(
        name=name,
        svg=figures.histogram(name, bars),
        title=look.column,
        description=" ".join(words),
        keys=_keys("line", look, before=before, internal=internal),
    )


def _shares(name: str, look: ColumnLook, *, internal: bool) -> Picture:
    shown = _fewer(look.shares)
    before = shown[0].before is not None
    cut = cut_labels([each.label for each in shown])
    words = _how(look, before=before)
    if len(shown) < len(look.shares):
        words += f" The {len(look.shares) - len(shown) + 1} rarest are summed."
    return Picture(
        name=name,
        svg=shares_figure(name, shown, cut),
        title=look.column,
        description=words,
        keys=_keys("area", look, before=before, internal=internal),
        listed=tuple(each.label for each in shown) if _is_cut(shown, cut) else (),
    )


def _how(look: ColumnLook, *, before: bool) -> str:
    if look.known:
        return "Published as it is: everybody knows it."
    which = "before and as published" if before else "as published"
    counted = "on average over the draws" if look.averaged else "counted in the published rows"
    return f"The share of rows with each value, {which}; {counted}."


def _keys(
    shape: Literal["line", "area"], look: ColumnLook, *, before: bool, internal: bool
) -> tuple[Key, ...]:
    first = Key("first", "published, on average" if look.averaged else "published", shape)
    return (first, _before_key(internal=internal)) if before else (first,)


def _before_key(*, internal: bool) -> Key:
    return Key("second", "before (private)" if internal else "before, as believed")


def _fewer(shares: Sequence[CategoryShare]) -> list[CategoryShare]:
    """The most frequent, in their order, and all others as one."""
    if len(shares) <= _MOST_LABELS:
        return list(shares)
    ranked = sorted(shares, key=lambda each: -max(each.after, each.before or 0.0))
    kept = {each.label for each in ranked[: _MOST_LABELS - 1]}
    rest = [each for each in shares if each.label not in kept]
    before = [each.before for each in rest if each.before is not None]
    return [each for each in shares if each.label in kept] + [
        CategoryShare(
            label=f"{len(rest):,} others",
            before=sum(before) if before else None,
            after=sum(each.after for each in rest),
        )
    ]


def cut_labels(labels: Sequence[str]) -> list[str]:
    """Labels cut to the room that there is, with a number where two became the same."""
    short = [
        each if len(each) <= _MOST_LETTERS else f"{each[: _MOST_LETTERS - 1]}…" for each in labels
    ]
    if len(set(short)) == len(short):
        return short
    return [f"{place} {each}"[:_MOST_LETTERS] for place, each in enumerate(labels, start=1)]


def _is_cut(shown: Sequence[CategoryShare], cut: Sequence[str]) -> bool:
    return any(each.label != text for each, text in zip(shown, cut, strict=True))


def shares_figure(
    name: str,
    shares: Sequence[CategoryShare],
    labels: Sequence[str],
    what: str = "share of rows",
    texts: Sequence[str] | None = None,
) -> str:
    """Bars for what is published, with an open frame for what was there before.

    Args:
        name: Unique in the page.
        shares: The lengths of bars and frames.
        labels: The words before each.
        what: The words at the axis.
        texts: The words after each; by default the length of its bar, rounded.
    """
    most = max(max(each.after, each.before or 0.0) for each in shares)
    texts = texts or [percent(each.after, 2 if each.after < 0.995 else 3) for each in shares]
    canvas = _rows_of(name, linear_axis(0.0, most, what, percent=True), labels, texts)
    rights = canvas.rights
    for place, (each, text) in enumerate(zip(shares, texts, strict=True), start=1):
        (down,) = canvas.downs([float(place)]).tolist()
        ends = rights([0.0, each.after, each.before or 0.0]).tolist()
        canvas.above(
            box_at(ends[0], ends[1], down - 5.0, down + 5.0, paint(fill="first", opacity=0.75))
        )
        if each.before is not None:
            canvas.above(box_at(ends[0], ends[2], down - 8.0, down + 8.0, _FRAME))
        canvas.above(text_at(max(ends[1:]) + 4.0, down + 0.35 * FONT, text, anchor="start"))
    return canvas.svg()


def _rows_of(name: str, x: Axis, labels: Sequence[str], texts: Sequence[str]) -> Canvas:
    """A canvas with a row for each label, and room for a text after each."""
    ticks = tuple(Tick(float(place), label) for place, label in enumerate(labels, start=1))
    y = Axis(low=len(labels) + 0.6, high=0.4, ticks=ticks)
    beside = max(map(text_width, texts), default=0.0) + 6.0
    return Canvas(name, x, y, height=_ROWS + 16.0 + _ROW * len(labels), beside=beside)


def associations_picture(compared: Sequence[Compared], *, internal: bool) -> Picture | None:
    """How every two columns are associated, before and after; None if there is nothing to show."""
    shown = [each for each in compared if each.after or each.published][:_MOST_PAIRS]
    if not shown:
        return None
    numbers = [str(place) for place in range(1, len(shown) + 1)]
    now = [abs((each.after or each.published or each.before).strength) for each in shown]
    then = [abs(each.before.strength) for each in shown]
    texts = [f"{each:.2f}" for each in now]
    x = linear_axis(0.0, max([*now, *then, 0.1]), "strength")
    canvas = _rows_of("associations", x, numbers, texts)
    for place, (after, before, text) in enumerate(zip(now, then, texts, strict=True), start=1):
        (down,) = canvas.downs([float(place)]).tolist()
        left, end, was = canvas.rights([0.0, after, before]).tolist()
        fill = paint(fill="first", opacity=0.75)
        canvas.above(
            box_at(left, end, down - 5.0, down + 5.0, fill),
            box_at(left, was, down - 8.0, down + 8.0, _FRAME),
            text_at(max(end, was) + 4.0, down + 0.35 * FONT, text, anchor="start"),
        )
    part = f" {len(shown)} of {len(compared)} are shown." if len(shown) < len(compared) else ""
    average = "on average over the draws" if shown[0].after else "in the published file"
    return Picture(
        name="associations",
        svg=canvas.svg(),
        title="Strength before and after",
        description=(
            "How strongly every two columns are associated (0: not at all; 1: one determines the "
            f"other), before and after, {average}; those that lose most come first.{part}"
        ),
        keys=(Key("first", "published", "area"), _before_key(internal=internal)),
        listed=tuple(f"{each.before.first} and {each.before.second}" for each in shown),
    )


def map_pictures(rows: Sequence[Rows]) -> Iterator[Picture]:
    """The recodings that are small enough to draw, one for each known value."""
    small = [
        (each, each.law)
        for each in rows
        if isinstance(each.law, Recoding)
        and max(len(each.law.values), len(each.law.outputs)) <= _MOST_MAPPED
    ]
    drawn = set()
    for number, (each, law) in enumerate(small[:_MOST_MAPS], start=1):
        # One law may serve several known values.
        if law in drawn:
            continue
        drawn.add(law)
        alone = all(other.law == law for other in rows)
        given = "" if alone else given_in_words(each.given)
        names = [_row_in_words(value) for value in law.values]
        places = {name: float(place) for place, name in enumerate(names, start=1)}
        outputs = [places.get(_row_in_words(value), 0.0) for value in law.outputs]
        order = sorted(range(len(outputs)), key=outputs.__getitem__)
        yield Picture(
            name=f"map{number}",
            svg=recoded_figures.map_figure(
                f"map{number}",
                law.matrix[:, order],
                list(places.values()),
                [outputs[place] for place in order],
            ),
            title=f"Which row becomes which{f': {given}' if given else ''}",
            description=(
                "How likely each true row (vertical axis, by number) is published as each row "
                "(horizontal axis). On the diagonal a row stays as it is; where nothing is "
                "drawn, the probability is at most one in a million."
            ),
            keys=map_keys(),
            listed=tuple(names),
        )


def _row_in_words(labels: Labels) -> str:
    return " · ".join(map(label_in_words, parts_of(labels)))
