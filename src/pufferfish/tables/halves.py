"""A table in two halves, chosen at random: rows to fit beliefs to, and rows to release.

Each row goes by a coin of its own, which is found again by the row's number. How the coins fell is
kept in memory only: a plan that is stored cannot be released this way later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.sampling.coins import Coins
from pufferfish.tables.batch import Batch
from pufferfish.tables.change import Change, Changed
from pufferfish.tables.coding import Coding
from pufferfish.tables.crosstab import Crosstab, CrosstabTally
from pufferfish.tables.engine import Counting, Engine, Progress
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.sources import is_many
from pufferfish.tables.summary import Group, Summary
from pufferfish.tables.tally import Tally
from pufferfish.tables.verbs import to_read

__all__ = ["Halves", "TableHalves", "not_split", "of_the_rest", "split_engine"]
__all__ += ["split_half", "split_table"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Halves:
    """A table, split at random.

    Attributes:
        fitted: The counts of the rows to fit to. It also knows which values the others have: a list
            of values is public where these are published.
        rest: The counts of the rows that are released.
        coins: Which row is in which half.
    """

    fitted: Summary
    rest: Summary
    coins: Coins

    @property
    def rows_fitted(self) -> int:
        """How many rows there are to fit to."""
        every = self.fitted.pooled
        return every.records + every.missing

    def __repr__(self) -> str:
        """Nothing of the data."""
        return f"Halves({self.fitted!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableHalves:
    """A table of several columns, or of what others know, split at random.

    Attributes:
        fitted: The counts of the rows to fit to, by combinations of labels.
        rest: The counts of the rows that are released.
        coins: Which row is in which half.
    """

    fitted: Crosstab
    rest: Crosstab
    coins: Coins

    @property
    def rows_fitted(self) -> int:
        """How many rows there are to fit to."""
        return self.fitted.rows

    def __repr__(self) -> str:
        """Nothing of the data."""
        return f"TableHalves({self.fitted!r})"


def split_half(data: Any, *, column: str, secret: str, na: Sequence[str] = ()) -> Halves:
    """Set a random half of the rows apart, to fit beliefs to; the others can be released.

        halves = pf.split_half(frame, column="age", secret="race")
        beliefs = pf.fit_beliefs(halves.fitted)
        ...
        pf.release(frame, plan, halves=halves)

    So nothing that is published was used to find out how to publish it: its secrets are under laws
    that nobody saw. The rows that were fitted to are not published.

    Args:
        data: As for `summarise`; a folder of files and a Spark frame are refused.
        column: The numeric column.
        secret: The column of the secret.
        na: Texts of a file that stand for a missing value or secret.
    """
    return split_engine(to_read(data, na), Counting(column, secret))


def split_engine(engine: Engine, what: Counting, progress: Progress | None = None) -> Halves:
    """`split_half` for a table of any engine that knows the numbers of its rows."""
    _refuse_many(engine)
    coins = Coins()
    tallies = Tally(what.column, what.secret), Tally(what.column, what.secret)
    count = _count_sides(coins, *tallies)

    def check(batch: Batch, before: int | None) -> None:
        tallies[0].refuse_unusable(batch, before)
        count(batch, before)

    engine.summarise(what, check=check, progress=progress)
    _refuse_unnumbered(*tallies)
    fitted, rest = (tally.summary() for tally in tallies)
    labels = sorted({*fitted.groups, *rest.groups}, key=str)
    nobody = Group(np.zeros(0), np.zeros(0, dtype=np.int64), 0)
    both = {label: fitted.groups.get(label, nobody) for label in labels}
    return Halves(replace(fitted, groups=both, unseen=rest.pooled.values.copy()), rest, coins)


def split_table(
    engine: Engine, codings: Sequence[Coding], progress: Progress | None = None
) -> TableHalves:
    """Set a random half of the rows apart, counted by combinations of the labels of some columns.

    Args:
        engine: The table, of an engine that knows the numbers of its rows.
        codings: How each column is read.
        progress: Told the share of the work that is done.
    """
    _refuse_many(engine)
    coins = Coins()
    tallies = CrosstabTally(codings), CrosstabTally(codings)
    count = _count_sides(coins, *tallies)

    def check(batch: Batch, before: int | None) -> None:
        try:
            count(batch, before)
        except DataError:
            tallies[0].counted(batch, before)  # refuses it as well, and knows the row's number
            raise

    whole = engine.crosstab(codings, progress, check)
    _refuse_unnumbered(*tallies)
    if not all(tally.rows for tally in tallies):
        raise DataError("the table has too few rows to be split: one half has none.")
    # A half shows labels in the order in which the whole table does.
    orders = dict(zip(whole.columns, whole.labels, strict=True))
    fitted, rest = (tally.crosstab(orders) for tally in tallies)
    return TableHalves(fitted, rest, coins)


_Tally = TypeVar("_Tally", Tally, CrosstabTally)


def _count_sides(coins: Coins, fitted: _Tally, rest: _Tally) -> Callable[[Batch, int | None], None]:
    """Counts each row on its side; may be called by several threads at a time."""
    lock = Lock()

    def count(batch: Batch, before: int | None) -> None:
        heads = _heads(coins, batch, before)
        parts: list[tuple[Any, Any]] = [
            (tally, tally.counted(batch.taken(np.flatnonzero(side)), None))
            for tally, side in ((fitted, heads), (rest, ~heads))
        ]
        with lock:
            for tally, part in parts:
                tally.merge(part)

    return count


def _refuse_many(engine: Engine) -> None:
    # Rows are numbered file by file, and those of a person would be on both sides.
    if isinstance(engine, FilesEngine) and is_many(engine.source):
        raise UnsupportedError("rows are split by number, in one file: join the files first.")


def _refuse_unnumbered(*tallies: Tally | CrosstabTally) -> None:
    if not any(tally.rows for tally in tallies):
        raise UnsupportedError("this engine does not number its rows, so they cannot be split.")


def of_the_rest(how: Change, halves: Halves | TableHalves) -> Change:
    """The same, for the rows that are released; others are neither changed nor published.

    That they are the rows that were split is checked here for a column. Combinations of labels are
    counted by the release of a table itself, which compares them.
    """
    if how.person is not None or how.one_row is not None:
        raise UnsupportedError(
            "rows of one person would be fitted to and released: leave --person out."
        )
    rest = halves.rest
    tally = Tally(rest.column, rest.secret) if isinstance(rest, Summary) else None
    lock = Lock()

    def change(batch: Batch, before: int | None) -> Changed:
        stays = ~_heads(halves.coins, batch, before)
        others = batch.taken(np.flatnonzero(stays))
        # Where a row stands in the table is not where it stands in the rest.
        changed = how.change(others, None)
        if tally is not None:
            counted = tally.counted(others, None)
            with lock:
                tally.merge(counted)
        if changed.rows is not None:
            stays[stays] = changed.rows
        return changed._replace(rows=stays)

    def finish(persons: Any) -> None:
        if tally is not None and tally.summary().fingerprint != rest.fingerprint:
            raise not_split()
        how.finish(persons)

    return replace(how, change=change, finish=finish)


def not_split() -> DataError:
    """What to say of a table whose rows are not those that were split."""
    return DataError(
        "the table is not the one that was split, or has changed since. Nothing was published; "
        "split it anew."
    )


def _heads(coins: Coins, batch: Batch, before: int | None) -> Any:
    if before is None:
        raise UnsupportedError("this engine does not number its rows, so they cannot be split.")
    return coins.heads(before, batch.rows)
