"""A ledger in a file: it counts the releases of one column, whichever program makes them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from pufferfish.beliefs.documents import ScenarioEntries, scenario_to_dict
from pufferfish.beliefs.guarantee import GoalEntries
from pufferfish.calibration.result import Calibration
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import InvalidInputError, PufferfishError, UnsupportedError
from pufferfish.documents.shape import Entries, plain, read, written
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    VERSION,
    document_text,
    naming_file,
    read_document,
)
from pufferfish.documents.types import Share
from pufferfish.ledger.budget import Ledger
from pufferfish.noise import Law, LawEntries, law_to_dict
from pufferfish.theorems import Dependence
from pufferfish.words.numbers import percent_down
from pufferfish.words.phrases import list_in_words

__all__ = ["Released", "charge", "hold_lock", "read_ledger"]


class Released(Entries):
    """Which values of a table are released: columns, and how several rows become one.

    For a table, `columns` are all that are published together, `secrets` all secret columns.
    """

    column: str
    secret: str | None = None
    person: str | None = None
    one_row: str | None = None
    columns: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


class LedgerEntries(Entries, kw_only=True):
    """A ledger in a document."""

    pufferfish: Literal["ledger"]
    version: Literal[1]
    notice: str = PRIVATE_NOTICE
    budget: GoalEntries
    radius: float
    wrong: Share = 0.0
    rows: int = 1
    dependence: Dependence = "any"
    width: float | None = None
    of: Released | None = None
    releases: tuple[LawEntries, ...]
    scenario: ScenarioEntries


def charge(
    path: Path,
    calibration: Calibration,
    *,
    rows: int = 1,
    dependence: Dependence = "any",
    width: float = math.inf,
    of: Released | None = None,
    only_check: bool = False,
) -> Ledger:
    """The ledger with one more release, written back.

    If there is no file, a ledger is begun, with the calibration's goal as its budget for all
    releases together, and all that its certificate assumes.

    Args:
        path: The ledger's file.
        calibration: What is released.
        rows: How many rows of one person, if the goal is for all of them together; like the next
            two, as for `Ledger`.
        dependence: What is assumed about them.
        width: How far apart two values of a column of numbers can be.
        of: Which values are released; None: not stated.
        only_check: Refuse what does not fit, but write nothing.

    Raises:
        BudgetExceededError: Together with earlier ones, this release would break the promise.
        UnsupportedError: Only a certificate for one release exists, or one for other columns.
        InvalidInputError: The ledger is about other values, secrets, beliefs or another promise.
    """
    with contextlib.nullcontext() if only_check else hold_lock(path):
        fresh = Ledger.of(calibration, rows=rows, dependence=dependence, width=width)
        before, known = _opened(path, fresh, of) if path.exists() else ((), of)
        charged = replace(fresh, releases=(*before, calibration.mechanism))
        if not only_check:
            text = document_text(_to_dict(charged, known))
            write_text(path, text, force=True, private=True)
    return charged


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file."""
    ledger, releases, _ = _read(path)
    return replace(ledger, releases=releases)


def _read(path: Path) -> tuple[Ledger, tuple[Law, ...], Released | None]:
    """What a ledger in a file is about, its releases, and which values they are of."""
    with naming_file(path):
        entries = read(read_document(path, "ledger"), LedgerEntries, "ledger")
    ledger = Ledger(
        scenario=entries.scenario.made(),
        budget=entries.budget.made(),
        radius=entries.radius,
        wrong=entries.wrong,
        rows=entries.rows,
        dependence=entries.dependence,
        width=math.inf if entries.width is None else entries.width,
    )
    return ledger, tuple(each.made() for each in entries.releases), entries.of


def _opened(
    path: Path, fresh: Ledger, of: Released | None
) -> tuple[tuple[Law, ...], Released | None]:
    """The releases of a ledger in a file that counts what `fresh` would count.

    Costs add up over releases of the same values only: the first value of a person and the mean of
    all values together reveal more than two releases of either.
    """
    ledger, releases, known = _read(path)
    if known is not None and of is not None and known != of:
        raise _other_values(path, known, of)
    if ledger != fresh:
        raise InvalidInputError(
            f"the ledger {path} counts releases for other pairs, beliefs, rows of a person, bounds "
            f"of the values, or another promise{_both_shares(ledger, fresh)}. Their costs and this "
            "one's do not add up. Release with the plan that began the ledger."
        )
    return releases, of if known is None else known


def _both_shares(ledger: Ledger, fresh: Ledger) -> str:
    """By how much laws may be wrong, if the promises differ in that."""
    if ledger.wrong == fresh.wrong:
        return ""
    shares = [percent_down(each.wrong, 6) for each in (ledger, fresh)]
    return f" (for laws wrong by {shares[0]}, and here by {shares[1]})"


def _other_values(path: Path, known: Released, of: Released) -> PufferfishError:
    if not known.columns and not of.columns:
        return InvalidInputError(
            f"the ledger {path} counts releases of other values: of another column, secret or "
            "person, or with another one_row (--one-row). Their costs and this one's do not add "
            "up. Release with the plan that began the ledger, or begin another ledger."
        )
    # A new ledger for other columns would count less than the rows reveal.
    before, now = (each.columns or (each.column,) for each in (known, of))
    both = [name for name in now if name in before]
    again = f" {list_in_words(both)} would be drawn again." if both else ""
    return UnsupportedError(
        f"the ledger {path} already has a release of this table, and no proof covers two of them "
        f"together.{again} Publish the first release again instead of drawing anew. To publish "
        "other columns, release all of them together, by one plan (columns=[...]; --column several "
        "times)."
    )


def _to_dict(ledger: Ledger, of: Released | None) -> dict[str, Any]:
    return written(
        LedgerEntries,
        ledger,
        pufferfish="ledger",
        version=VERSION,
        notice=PRIVATE_NOTICE,
        width=ledger.width if math.isfinite(ledger.width) else None,
        of=plain(of),
        releases=[law_to_dict(each) for each in ledger.releases],
        scenario=scenario_to_dict(ledger.scenario),
    )


@contextlib.contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Let one program at a time use the ledger: two that read the same state would both find room.

    The system releases the lock of a program that ends, however it ends. The lock file stays: if it
    were removed, two programs could hold locks on two files of its name.
    """
    lock = FileLock(path.with_name(path.name + ".lock"), timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise InvalidInputError(
            f"another release is using the ledger {path}; try again when it has finished."
        ) from None
    try:
        yield
    finally:
        lock.release()
