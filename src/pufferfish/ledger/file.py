"""A ledger in a file: it counts the releases of one column, whichever program makes them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from pufferfish.beliefs.documents import ScenarioEntries, scenario_to_dict
from pufferfish.beliefs.guarantee import GoalEntries
from pufferfish.calibration.result import Calibration
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import BudgetExceededError, InvalidInputError, UnsupportedError
from pufferfish.core.numerics import float_upper
from pufferfish.documents.shape import Entries, plain, read, written
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    VERSION,
    document_text,
    naming_file,
    read_document,
)
from pufferfish.ledger.anybody import price_of
from pufferfish.ledger.budget import Ledger
from pufferfish.noise import Law, LawEntries, Noise, Stratified, as_noise, law_to_dict
from pufferfish.recoding.law import Recoding
from pufferfish.theorems import Dependence
from pufferfish.words.phrases import list_in_words

__all__ = ["Released", "charge", "charge_rows", "hold_lock", "read_ledger"]


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
    releases together.

    Args:
        path: The ledger's file.
        calibration: What is released.
        rows: How many rows of one person, if the goal is for all of them together; like the next
            two, as for `Ledger`.
        dependence: What is assumed about them.
        width: How far apart two values can be.
        of: Which values are released; None: not stated.
        only_check: Refuse what does not fit, but write nothing.

    Raises:
        BudgetExceededError: Together with earlier ones, this release would break the promise.
        UnsupportedError: Only a certificate for one release exists.
        InvalidInputError: The ledger is about other values, secrets, beliefs or another promise.
    """
    with contextlib.nullcontext() if only_check else hold_lock(path):
        fresh = Ledger(
            scenario=calibration.scenario,
            budget=calibration.goal,
            radius=calibration.radius,
            rows=rows,
            dependence=dependence,
            width=width,
        )
        opened, known = _open(path, fresh, of)
        charged = opened.charge(_applied(calibration.mechanism))
        if not only_check:
            text = document_text(_to_dict(charged, known))
            write_text(path, text, force=True, private=True)
    return charged


def charge_rows(
    path: Path,
    calibration: Calibration,
    of: Released,
    *,
    width: float = math.inf,
    only_check: bool = False,
) -> None:
    """The ledger with one more release of the rows of a table, written back.

    The first release is judged exactly. From the second on, each release is charged what a draw
    costs whatever anybody believes (`ledger.anybody`), which needs neither the beliefs nor
    unchanged known columns.

    Args:
        path: The ledger's file.
        calibration: What is released.
        of: Which values are released.
        width: How far apart two values of a column of numbers can be.
        only_check: Refuse what does not fit, but write nothing.

    Raises:
        BudgetExceededError: Together with earlier ones, this release would break the promise.
        UnsupportedError: Nothing bounds what one of them reveals in several draws.
        InvalidInputError: The ledger is about other values, secrets, beliefs or another promise.
    """
    law = calibration.mechanism
    with contextlib.nullcontext() if only_check else hold_lock(path):
        fresh = Ledger(scenario=calibration.scenario, budget=calibration.goal, width=width)
        before: tuple[Law, ...] = ()
        if path.exists():
            entries = _entries(path)
            # A new ledger for other columns would count less than the rows reveal.
            if not _counts_rows(entries) or entries.of != of:
                raise _no_second(path, entries.of, of)
            _refuse_others(path, _without_releases(entries), fresh, entries.of, of)
            before = tuple(each.made() for each in entries.releases)
            _check_prices(path, (*before, law), calibration, of, width)
        if only_check:
            return
        data = _to_dict(fresh, of) | {"releases": [law_to_dict(each) for each in (*before, law)]}
        write_text(path, document_text(data), force=True, private=True)


def _check_prices(
    path: Path, laws: tuple[Law, ...], calibration: Calibration, of: Released, width: float
) -> None:
    """Refuse releases that cost too much together."""
    holes = any(any(each.missing.values()) for each in calibration.scenario.beliefs)
    prices = [
        math.inf if holes and not each.takes_missing else price_of(each, width) for each in laws
    ]
    if not all(map(math.isfinite, prices)):
        raise _no_second(path, of, of)
    total, budget = float_upper(sum(map(Fraction, prices), Fraction(0))), calibration.goal
    if total > budget.epsilon:
        left = budget.epsilon - sum(prices[:-1])
        room = (
            f"ε = {left:.3g} is left for the last one: give it a smaller floor (--floor), or more "
            "noise."
            if left > 0.0
            else "The earlier releases leave no room: publish one of them again instead of drawing "
            "anew. A first release with a floor (--floor NUMBER) leaves some."
        )
        raise BudgetExceededError(
            f"{len(laws)} releases of the same rows would cost ε = {total:.4g}, whatever anybody "
            f"believes, more than the budget of {budget} that the first release of the ledger "
            f"{path} set, by ε {total - budget.epsilon:.3g}. {room}"
        )


def _no_second(path: Path, known: Released | None, of: Released | None) -> UnsupportedError:
    before = () if known is None else known.columns or (known.column,)
    now = () if of is None else of.columns or (of.column,)
    both = [name for name in now if name in before]
    again = f" {list_in_words(both)} would be drawn again." if both else ""
    return UnsupportedError(
        f"the ledger {path} already has a release of this table, and no proof covers two of them "
        f"together.{again} Publish the first release again instead of drawing anew. To publish "
        "other columns, release all of them together, by one plan (columns=[...]; --column several "
        "times). Several draws of the same rows add up only where every one of them, the first "
        "included, has a floor: a recoding with --floor NUMBER, or noise with public bounds "
        "(--cap) and no missing values."
    )


def _applied(law: Law) -> Noise | Recoding:
    """The law, if a ledger can count it."""
    return law if isinstance(law, Recoding) else as_noise(law)


def _counts_rows(entries: LedgerEntries) -> bool:
    """Whether a ledger counts rows of tables, by what a draw costs whatever anybody believes."""
    laws = [each.made() for each in entries.releases]
    return any(
        isinstance(each, Stratified) or (isinstance(each, Recoding) and each.labelled)
        for each in laws
    )


def _entries(path: Path) -> LedgerEntries:
    with naming_file(path):
        return read(read_document(path, "ledger"), LedgerEntries, "ledger")


def read_ledger(path: Path) -> Ledger:
    """The ledger in a file."""
    return _read(path)[0]


def _read(path: Path, now: Released | None = None) -> tuple[Ledger, Released | None]:
    """The ledger in a file, and which values it counts; None if it does not say.

    Args:
        path: The ledger's file.
        now: The values to be released, for a message.
    """
    entries = _entries(path)
    if _counts_rows(entries):
        raise _no_second(path, entries.of, now)
    releases = tuple(_applied(each.made()) for each in entries.releases)
    return replace(_without_releases(entries), releases=releases), entries.of


def _without_releases(entries: LedgerEntries) -> Ledger:
    """The ledger without its releases: what it is about."""
    return Ledger(
        scenario=entries.scenario.made(),
        budget=entries.budget.made(),
        radius=entries.radius,
        rows=entries.rows,
        dependence=entries.dependence,
        width=math.inf if entries.width is None else entries.width,
    )


def _open(path: Path, fresh: Ledger, of: Released | None) -> tuple[Ledger, Released | None]:
    """The ledger in a file that counts what `fresh` would count; `fresh` if there is no file.

    Costs add up over releases of the same values only: the first value of a person and the mean of
    all values together reveal more than two releases of either.
    """
    if not path.exists():
        return fresh, of
    ledger, known = _read(path, of)
    _refuse_others(path, replace(ledger, releases=()), fresh, known, of)
    return ledger, of if known is None else known


def _refuse_others(
    path: Path, ledger: Ledger, fresh: Ledger, known: Released | None, of: Released | None
) -> None:
    """Refuse releases of other values, or under another promise, than those of the ledger."""
    if None not in (known, of) and known != of:
        raise InvalidInputError(
            f"the ledger {path} counts releases of other values: of another column, secret or "
            "person, or with another one_row (--one-row). Their costs and this one's do not add "
            "up. Release with the plan that began the ledger, or begin another ledger."
        )
    if ledger != fresh:
        raise InvalidInputError(
            f"the ledger {path} counts releases for other pairs, beliefs, rows of a person or "
            "another promise. Their costs and this one's do not add up. Release with the plan that "
            "began the ledger."
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
