"""Secrets that are probably slips: two spellings of one group, or a mark for a missing value."""

from __future__ import annotations

from collections import defaultdict

from pufferfish.kinds.plan import RowPlan
from pufferfish.words.phrases import list_in_words

__all__ = ["alike_in_words"]

# Texts that often mean that a value is missing. They are read as they are: "NA" is Namibia.
_MARKS = frozenset({"na", "n/a", "nan", "null", "none", "?", "-", ".", "missing"})


def alike_in_words(plan: RowPlan) -> list[str]:
    """That two secrets differ only in spaces or capitals, or that one may mean "missing"."""
    secrets = sorted(each for each in plan.secrets if isinstance(each, str))
    spelled: defaultdict[str, list[str]] = defaultdict(list)
    for secret in secrets:
        spelled[" ".join(secret.split()).casefold()].append(secret)
    alike = [
        f"{list_in_words(found)} differ only in spaces or capitals, and count as different "
        "secrets. If they mean the same, write them alike in the table first."
        for found in spelled.values()
        if len(found) > 1
    ]
    # One of several secrets is named with its column.
    entries = {secret: secret.rpartition(" = ")[2].strip() for secret in secrets}
    marks = [
        f"{secret!r} counts as a secret like any other. If it means that the value is missing: "
        f"--na {entry!r}."
        for secret, entry in entries.items()
        if entry.casefold() in _MARKS
    ]
    return alike + marks
