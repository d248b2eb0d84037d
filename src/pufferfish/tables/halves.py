"""A table in two halves, chosen at random: rows to fit beliefs to, and rows to release.

A coin toss for each row decides its half; the row's number identifies the toss. The tosses are kept
in memory only, so a plan that was saved cannot be released this way later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from pufferfish.core.errors import DataError, UnsupportedError
from pufferfish.sampling.coins import Coins
from pufferfish.tables.batch import Batch, Coded
from pufferfish.tables.change import Change, Changed
from pufferfish.tables.coding import Coding
from pufferfish.tables.combined import SomeCells
from pufferfish.tables.counts import Counts
from pufferfish.tables.engine import Engine, Progress
from pufferfish.tables.local.counting import read
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.sources import is_many
from pufferfish.tables.tally import Counting, Tally
from pufferfish.tables.verbs import to_read

__all__ = ["Halves", "not_split", "of_the_rest", "split_engine", "split_half"]

# The column of the tosses; no column of a table has the same name.
_SIDE = "\0side"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Halves:
    """A table, split at random.

    Attributes:
        fitted: The counts of the rows to fit to. It also lists the values that the other rows have:
            a list of values is public where these are published.
        rest: The counts of the rows that are released.
        coins: Which row is in which half.
    """

    fitted: Counts
    rest: Counts
    coins: Coins

    @property
    def rows_fitted(self) -> int:
        """The number of rows to fit to."""
        return self.fitted.rows

    def __repr__(self) -> str:
        """Nothing of the data."""
        return f"Halves({self.fitted!r})"


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
    return split_engine(to_read(data, na), Counting.of_column(column, secret))


def split_engine(engine: Engine, what: Counting, progress: Progress | None = None) -> Halves:
    """Set a random half of the rows of a table apart, of an engine that numbers its rows."""
    # Rows are numbered within each file, so their numbers would not be unique.
    if isinstance(engine, FilesEngine) and is_many(engine.source):
        raise UnsupportedError("only a table of one file can be split: join the files first.")
    each_part = getattr(engine, "each_part", None)
    if each_part is None:
        raise UnsupportedError("this engine does not number its rows, so they cannot be split.")
    coins = Coins()
    side = Coding(column=_SIDE, read="label")
    both = replace(what, codings=(*what.codings, side))
    tally = Tally(both)

    def work(rows: Any, before: int | None) -> SomeCells:
        batch = read(rows, what)
        heads = _heads(coins, batch, before).astype(np.int64)
        tossed = {**batch.labels, _SIDE: Coded(heads, (False, True))}
        return tally.counted(batch._replace(labels=tossed), before)

    for some in each_part(what, work, progress):
        tally.merge(some)
    whole = tally.result()
    if len(whole.labels_of(_SIDE)) < 2:
        raise DataError("the table has too few rows to be split: one half would be empty.")
    fitted, rest = (whole.rows_with({_SIDE: heads}) for heads in (True, False))
    return Halves(replace(fitted, unseen=rest), rest, coins)


def of_the_rest(how: Change, halves: Halves) -> Change:
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
    tally = _again(rest) if rest.of_column else None
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
        if tally is not None and tally.result().fingerprint != rest.fingerprint:
            raise not_split()
        how.finish(persons)

    return replace(how, change=change, finish=finish)


def _again(rest: Counts) -> Tally:
    """A tally of the same rows, in bins that are as wide."""
    return Tally(Counting.of_column(rest.column, rest.secret, bin_width=rest.bin_width))


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
