"""A table in two halves, chosen at random: rows to fit beliefs to, and rows to release.

A coin toss for each row decides its half; the row's number identifies the toss. The tosses are kept
in memory only, so a plan that was saved cannot be released this way later.
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
        fitted: The counts of the rows to fit to. It also lists the values that the other rows have:
            a list of values is public where these are published.
        rest: The counts of the rows that are released.
        coins: Which row is in which half.
    """

    fitted: Summary
    rest: Summary
    coins: Coins

    @property
    def rows_fitted(self) -> int:
        """The number of rows to fit to."""
        every = self.fitted.pooled
        return every.records + every.missing

    def __repr__(self) -> str:
        """Nothing of the data."""
        return f"Halves({self.fitted!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableHalves:
    """A table of several columns, or with known columns, split at random.

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
        """The number of rows to fit to."""
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

    So no published row was used to decide how to publish it. The rows that were fitted to are not
    published.

    Args:
        data: As for `summarise`; a folder of files and a Spark frame are refused.
        column: The numeric column.
        secret: The column of the secret.
        na: Texts of a file that mean a missing value or secret.
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
        progress: Called with the share of the work that is done.
    """
    _refuse_many(engine)
    coins = Coins()
    tallies = CrosstabTally(codings), CrosstabTally(codings)
    count = _count_sides(coins, *tallies)

    def check(batch: Batch, before: int | None) -> None:
        try:
            count(batch, before)
        except DataError:
            tallies[0].counted(batch, before)  # refuses the same, with the row's number
            raise

    whole = engine.crosstab(codings, progress, check)
    _refuse_unnumbered(*tallies)
    if not all(tally.rows for tally in tallies):
        raise DataError("the table has too few rows to be split: one half would be empty.")
    # A half shows labels in the order of the whole table.
    orders = dict(zip(whole.columns, whole.labels, strict=True))
    fitted, rest = (tally.crosstab(orders) for tally in tallies)
    return TableHalves(fitted, rest, coins)


_Tally = TypeVar("_Tally", Tally, CrosstabTally)


def _count_sides(coins: Coins, fitted: _Tally, rest: _Tally) -> Callable[[Batch, int | None], None]:
    """Count each row in its half; several threads may call it at the same time."""
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
    # Rows are numbered within each file, so their numbers would not be unique.
    if isinstance(engine, FilesEngine) and is_many(engine.source):
        raise UnsupportedError("only a table of one file can be split: join the files first.")


def _refuse_unnumbered(*tallies: Tally | CrosstabTally) -> None:
    if not any(tally.rows for tally in tallies):
        raise UnsupportedError("this engine does not number its rows, so they cannot be split.")


def of_the_rest(how: Change, halves: Halves | TableHalves) -> Change:
    """The change for the rows that are released; others are neither changed nor published.

    For a column this checks that the rows are those that were split. The release of a table counts
    combinations of labels itself, and compares them.
    """
    if how.person is not None or how.one_row is not None:
        raise UnsupportedError(
            "some rows of a person would be fitted to, and others released: leave out --person "
            "(person=...)."
        )
    rest = halves.rest
    tally = Tally(rest.column, rest.secret) if isinstance(rest, Summary) else None
    lock = Lock()

    def change(batch: Batch, before: int | None) -> Changed:
        stays = ~_heads(halves.coins, batch, before)
        others = batch.taken(np.flatnonzero(stays))
        # A row's number in the table is not its number in the rest.
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
    """The error for a table whose rows are not those that were split."""
    return DataError(
        "the table is not the one that was split, or has changed since. Nothing was published; "
        "split it again."
    )


def _heads(coins: Coins, batch: Batch, before: int | None) -> Any:
    if before is None:
        raise UnsupportedError("this engine does not number its rows, so they cannot be split.")
    return coins.heads(before, batch.rows)
