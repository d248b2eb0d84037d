"""Count a table: the roles of its columns, the rules by which they are read, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.layout import Layout
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import require
from pufferfish.fit.layout import count_table, layout_of
from pufferfish.options.planning import Asked
from pufferfish.options.quoting import number_of
from pufferfish.options.roles import refuse_without_role
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.tables import Counting, Counts
from pufferfish.tables.coding import Coding
from pufferfish.tables.engine import Engine, Progress
from pufferfish.tables.halves import Halves, split_engine
from pufferfish.tables.names import commas_of, with_commas
from pufferfish.words.phrases import list_in_words

__all__ = ["Opener", "count_asked", "holds_categories", "refuse_for_table", "split_asked"]

# From a table and the columns that matter to the engine that reads it.
Opener = Callable[[Table, Sequence[str]], AbstractContextManager[Engine]]
# In fewer rows, most labels may occur once by chance.
_FEW_ROWS = 50


def count_asked(asked: Asked, voice: Voice, opened: Opener = Table.opened) -> Counts:
    """The counts of the table, with its columns read as asked.

    Args:
        asked: The columns, and the rules by which they are read.
        voice: Told how far it has come.
        opened: Gives the engine that reads the table.

    Raises:
        InvalidInputError: Options that do not go together, or that the table contradicts.
    """
    counted = _counted(asked, voice, opened, count_table)
    _refuse_mixed(asked, counted)
    return counted


def split_asked(asked: Asked, voice: Voice) -> Halves:
    """The counts of two random halves of the table: the rows to fit to, and those to release.

    Raises:
        InvalidInputError: Options that do not go together, or that the table contradicts.
    """
    asked.refuse_half()

    def split(engine: Engine, layout: Layout, progress: Progress) -> Halves:
        return split_engine(engine, Counting.of(layout), progress)

    halves = _counted(asked, voice, Table.opened, split)
    for counted in (halves.fitted, halves.rest):
        _refuse_mixed(asked, counted)
    return halves


T = TypeVar("T")


def _counted(
    asked: Asked,
    voice: Voice,
    opened: Opener,
    count: Callable[[Engine, Layout, Progress], T],
) -> T:
    """What was counted of the columns with a role, read as asked."""
    names = _roles(asked)
    both = [name for name in asked.publishing.kept if name in (asked.roles.known or ())]
    if both:
        voice.warn(
            f"{list_in_words(both)}: a kept column is published as it is, so everybody knows it. "
            "--keep is enough; --known adds nothing."
        )
    with (
        opened(asked.table, names) as engine,
        voice.progress(f"Counting {asked.table.file}") as progress,
    ):
        layout = _layout(asked, engine)
        return count(engine, layout, progress)


def holds_categories(asked: Asked) -> bool:
    """Whether the one column to publish holds categories or dates, not numbers."""
    name, secret = asked.table.columns
    try:
        with asked.table.opened([name, secret]) as engine:
            kind = engine.kinds([name])[name].read
            if kind != "label":
                return kind == "date"
            counted = engine.fold(Counting(codings=(Coding(column=name, read="label"),)))
    except InvalidInputError:
        return False
    numbers = _mostly_numbers(counted, name) or commas_of(_labels(counted, name))
    return bool(counted.rows) and not numbers and any(_labels(counted, name))


def _roles(asked: Asked) -> list[str]:
    """All columns with a role. Refuses a column with two roles, and rules for other columns."""
    table, publishing = asked.table, asked.publishing
    require(
        bool(table.column and table.secret),
        "name the columns to publish and the column of the secret: --column NAME --secret NAME.",
    )
    # A kept column is known to everybody: if --known names it too, it still has one role.
    known = dict.fromkeys((*(asked.roles.known or ()), *(publishing.keep or ())))
    given = {
        "--column": table.column or (),
        "--secret": table.secret or (),
        "--known or --keep": tuple(known),
        "--keep-unprotected": publishing.keep_unprotected or (),
    }
    roles: dict[str, str] = {}
    for option, names in given.items():
        for name in names:
            before = roles.setdefault(name, option)
            require(
                before == option,
                f"column {name!r} is given as {before} and as {option}: a column has one role.",
            )
        require(len(set(names)) == len(names), f"{option} names a column twice.")
    names = [*given["--column"], *given["--secret"], *known]
    asked.roles.check(names)
    refuse_without_role("--edges", filter(None, asked.recoding.cuts), names)
    for rule in asked.recoding.forbidden:
        refuse_without_role("--never", rule, [*given["--column"], *known])
    both = {*asked.roles.cuts} & {*asked.recoding.cuts}
    require(not both, "--bands and --edges are given for the same column: give one of them.")
    return names


def refuse_for_table(asked: Asked) -> None:
    """Refuse options that a table cannot have: rules for columns without a role, and all that is
    only for one column of numbers by itself.

    The counts do not depend on most of them, so a plan asks again: counts may be those of an
    earlier question.
    """
    _ = _roles(asked)
    publishing, goal = asked.publishing, asked.goal
    alone = "is for one column of numbers without known columns"
    several = publishing.rows_per_person > 1 or publishing.one_row is not None
    given = {
        "--accuracy or --mean-within": asked.accuracy.given,
        "--scale without --epsilon": goal.scale is not None and not goal.promised,
        "--step": publishing.step is not None,
    }
    text = ""
    if not asked.joint:  # it was asked for one column of numbers, and this one holds none
        text = f"column {asked.table.columns[0]!r} is text and taken as categories. "
    for option, said in given.items():
        require(not said, f"{text}{option} {alone}: leave it out.")
    require(
        asked.adversaries.missing != "drop",
        f"{text}--missing drop {alone}. Remove the rows without a value from the table first, or "
        "recode missing values like all others (--missing keep --mechanism recode).",
    )
    require(
        not several,
        "a promise for several rows of one person is not possible for several columns, "
        "categories or known columns yet: leave out --rows-per-person and --one-row, and give a "
        "table with one row for each person.",
    )
    asked.adversaries.check()


def _layout(asked: Asked, engine: Engine) -> Layout:
    """How columns are read. Labels that options name must occur, so the table is counted first."""
    roles, table = asked.roles, asked.table
    known = dict.fromkeys((*(roles.known or ()), *(asked.publishing.keep or ())))
    cuts = roles.cuts | {name: edges for name, edges in asked.recoding.cuts.items() if name}
    merged: Mapping[str, Mapping[Label, Label]] = {}
    orders: Mapping[str, list[Label]] = {}

    def layout() -> Layout:
        return layout_of(
            engine,
            table.column or (),
            table.secret or (),
            tuple(known),
            edges=cuts,
            dates=roles.units,
            merged=merged,
            orders=orders,
            codes=roles.codes or (),
            jointly=roles.secrets_jointly,
            missing_secret=roles.missing_secret,
        )

    found = layout()
    if roles.merge:
        merged = roles.merged(count_table(engine, found))
        found = layout()
    if roles.order:
        orders = roles.ordered(count_table(engine, found))
        found = layout()
    return found


def _refuse_mixed(asked: Asked, counted: Counts) -> None:
    """Refuse numbers that are text, or among texts: they would silently become categories."""
    layout = counted.roles
    for rule in (*layout.columns, *layout.known):
        commas = commas_of(_labels(counted, rule.column)) if rule.read == "label" else None
        if commas:
            raise DataError(with_commas(rule.column, commas))
    for rule in layout.columns:
        name = rule.column
        if rule.read == "label" and name not in (asked.roles.codes or ()):
            require(
                not _mostly_numbers(counted, name),
                f"column {name!r} holds numbers in most rows and text in others. If the text "
                f"means a missing number, give --na TEXT; if all entries are categories, give "
                f"--codes {name}.",
            )
            _refuse_own_labels(name, _labels(counted, name))


def _refuse_own_labels(name: str, labels: Iterable[tuple[Label, int]]) -> None:
    """Refuse texts that nearly every row has for itself: names, free text, amounts with a unit."""
    counts = [count for _, count in labels]
    rows = sum(counts)
    require(
        rows < _FEW_ROWS or len(counts) <= rows / 2,
        f"column {name!r} holds text, and most rows have one of their own ({len(counts):,} "
        f"different texts in {rows:,} rows). Categories are values that many rows share. If the "
        "texts mean numbers, write these as numbers (10619 instead of EUR 10619); leave out names, "
        f"identifiers and free text; or join values (--merge {name}:A,B=C).",
    )


def _mostly_numbers(counted: Counts, name: str) -> bool:
    """Whether more than half of a column's entries, but not all, are numbers."""
    numbers = texts = 0
    for label, count in _labels(counted, name):
        if isinstance(label, str) and number_of(label) is None:
            texts += count
        else:
            numbers += count
    return numbers > texts > 0


def _labels(counted: Counts, name: str) -> Iterator[tuple[Label, int]]:
    own = counted.marginal([name])
    pairs = zip(own.cells, own.counts.tolist(), strict=True)
    return ((cell[0], count) for cell, count in pairs if cell[0] is not None)
