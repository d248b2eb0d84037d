"""The result of checking the claims of a record. Data only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["CHECKSUM", "KEEPS", "SIGNED", "Check", "Verification"]

# In the claim that something keeps its promise.
KEEPS = " keeps "

# The claim that is checked where the reader names a key.
SIGNED = "it is signed by the key that you named"
# In the claim that a file is the published one.
CHECKSUM = "has the checksum that the record names"
# Entries of one part of a record that are named.
_MOST_NAMED = 12
_OTHER_FILE = "This file does NOT belong to this record.\n"
_LINE_ENDS = "The values are the published ones, but the file is NOT: ask for the original.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim: True, False, or None where it cannot be checked.

    Attributes:
        claim: What is claimed.
        verdict: Whether it is so.
        detail: Why.
        other_file: Whether the claim is wrong because the file that was looked at is not the one
            that was published; the detail says so in full. Nothing is then wrong with the record.
        line_ends: Whether it differs from that file in its line ends only.
    """

    claim: str
    verdict: bool | None
    detail: str
    other_file: bool = False
    line_ends: bool = False

    @property
    def in_words(self) -> str:
        """The claim and why, in a line."""
        return self.detail if self.other_file else f"{self.claim} ({self.detail})"


def _grouped(names: Iterable[str]) -> str:
    """Entries by the part of the record that they are in; of very many some."""
    groups: dict[str, list[str]] = {}
    for name in names:
        part, _, last = name.rpartition(".")
        groups.setdefault(part, []).append(last)
    return ", ".join(
        f"{part} ({_some(own)})" if part else ", ".join(own) for part, own in groups.items()
    )


def _some(names: Sequence[str]) -> str:
    more = [f"and {len(names) - _MOST_NAMED:,} more"] if len(names) > _MOST_NAMED else []
    return ", ".join([*names[:_MOST_NAMED], *more])


def _verdict(checks: Iterable[Check]) -> bool | None:
    """False if a claim is wrong, None if one could not be checked, else True."""
    verdicts = [check.verdict for check in checks]
    if False in verdicts:
        return False
    return None if None in verdicts else True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of checking the claims of a record.

    Attributes:
        edition: "internal" or "public".
        checks: Each claim.
        headline: What the release publishes and its promise does not cover, from the numbers.
        notes: What was not checked, and why.
        unchecked: The entries that this edition does not decide, such as "table.capped".
        signed_by: The fingerprint of the key that signed the record; None where nobody did, or
            where the signature is wrong.
        vouched: Whether that is a key that the reader named.
        drawn: What the record says was drawn: "noise", or a "recoding".
    """

    edition: str
    checks: tuple[Check, ...]
    headline: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    signed_by: str | None = None
    vouched: bool = False
    drawn: str = "noise"

    @property
    def verdict(self) -> bool | None:
        """False if a claim is wrong, None if one could not be checked, else True."""
        return _verdict(self.checks)

    @property
    def _promise_unchecked(self) -> str:
        """That the promise is among what was not checked, if it is."""
        unchecked = [check.claim for check in self.checks if check.verdict is None]
        promised = any(KEEPS in claim for claim in unchecked)
        return "; the promise is one of them" if promised else ""

    @property
    def who(self) -> str:
        """Who signed the record, in a sentence."""
        if self.signed_by is None:
            return "It is not signed, so nobody answers for it: anyone could have written it."
        if self.vouched:
            return f"It is signed by the key that you named ({self.signed_by})."
        return (
            f"It is signed by a key that you did not name ({self.signed_by}): compare this "
            "fingerprint with one that you trust, or name the key with --signer."
        )

    @property
    def conclusion(self) -> str:
        """The conclusion, and what cannot be checked without the data."""
        of_record = [check for check in self.checks if not check.other_file]
        verdict = _verdict(of_record)
        if verdict is False:
            if [check.claim for check in of_record if check.verdict is False] == [SIGNED]:
                return "This record is NOT signed by the key that you named."
            return "This record makes a claim that does NOT hold."
        other = len(of_record) < len(self.checks)
        file = _LINE_ENDS if any(each.line_ends for each in self.checks) else _OTHER_FILE
        found = (
            f"{'The' if other else 'This'} record is consistent with itself"
            if verdict
            else f"No {'other ' if other else ''}contradiction was found. The lines marked 'not "
            f"checkable' were NOT checked{self._promise_unchecked}"
        )
        unchecked = (
            f"\nFrom this edition these entries cannot be checked: {_grouped(self.unchecked)}."
            if self.unchecked
            else ""
        )
        return (
            f"{file if other else ''}{found}.\n{self.who}\nWithout the data nobody "
            f"can check that the {self.drawn} was really drawn, that the beliefs are those of the "
            f"table, or that the counts and dates are right.{unchecked}"
        )
