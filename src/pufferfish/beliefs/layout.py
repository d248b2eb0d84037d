"""The roles of a table's columns: published together, known to others, or secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pufferfish.beliefs.labels import Label
from pufferfish.beliefs.pairs import Secret
from pufferfish.beliefs.rules import Rule
from pufferfish.core.validation import require

__all__ = ["NO_SECRET", "Layout", "View", "is_missing_secret"]

# The name of a missing secret where it is a group of its own.
NO_SECRET = "(missing)"  # noqa: S105


@dataclass(frozen=True, slots=True)
class View:
    """One secret that is protected: a column, or several of them together.

    Attributes:
        columns: Their names.
        places: Their places among the layout's secrets.
        name: A prefix that tells the secrets of several views apart; empty where there is one view.
    """

    columns: tuple[str, ...]
    places: tuple[int, ...]
    name: str = ""

    def holds(self, secret: Secret) -> bool:
        """Whether a secret is one of this view."""
        return not self.name or str(secret).startswith(f"{self.name} = ")

    def secret_of(self, labels: Sequence[Label], *, missing: bool) -> Secret | None:
        """The secret that a row has, from the labels of all secret columns; None: it has none.

        Args:
            labels: One for each secret column of the layout.
            missing: Whether a missing entry is a secret of its own.
        """
        own = [labels[place] for place in self.places]
        if None in own and not missing:
            return None
        parts = [_plain(each) for each in own]
        if len(parts) == 1:
            return f"{self.name} = {parts[0]}" if self.name else parts[0]
        both = zip(self.columns, parts, strict=True)
        return ", ".join(f"{column} = {part}" for column, part in both)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The roles of a table's columns, and the public rules by which their entries are read.

    Attributes:
        columns: Those published together, under the promise.
        secrets: Those that must not be revealed.
        known: Those that an adversary may know of a row.
        jointly: Whether the combinations of several secrets are protected, which implies that each
            of them is; otherwise each by itself. Where laws may be wrong, the stated share is that
            of the law of each combination, not of the law of one secret by itself.
        missing_secret: Whether a missing secret is a group of its own. If not, rows without a
            secret are published too, but nothing is promised for them.
    """

    columns: tuple[Rule, ...]
    secrets: tuple[Rule, ...]
    known: tuple[Rule, ...] = ()
    jointly: bool = False
    missing_secret: bool = False

    def __post_init__(self) -> None:
        """Refuse a column in two roles."""
        require(bool(self.columns), "name at least one column to publish under the promise.")
        require(bool(self.secrets), "name the column of the secret.")
        roles = {"published": self.columns, "the secret": self.secrets, "known": self.known}
        found: dict[str, str] = {}
        for role, rules in roles.items():
            for rule in rules:
                before = found.setdefault(rule.column, role)
                require(
                    before == role and [each.column for each in rules].count(rule.column) == 1,
                    f"column {rule.column!r} is named twice ({before}, {role}): each column has "
                    "one role.",
                )

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all columns, beginning with those that are published."""
        return (*self.columns, *self.secrets, *self.known)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns that are published together."""
        return tuple(each.column for each in self.columns)

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The columns of the secrets."""
        return tuple(each.column for each in self.secrets)

    @property
    def known_names(self) -> tuple[str, ...]:
        """The columns that others know."""
        return tuple(each.column for each in self.known)

    @property
    def in_words(self) -> str:
        """What is published, where it is not one column of numbers."""
        if len(self.columns) > 1:
            return "several columns are published together"
        binned = self.columns[0].edges is not None
        return f"{self.columns[0].column!r} {'is put into bins' if binned else 'holds categories'}"

    @property
    def numeric(self) -> bool:
        """Whether a single column of numbers is published, which noise can protect too."""
        first = self.columns[0]
        return len(self.columns) == 1 and first.read == "number" and first.edges is None

    @property
    def views(self) -> tuple[View, ...]:
        """The secrets that are protected, each by itself or jointly."""
        names = self.secret_names
        if len(names) == 1 or self.jointly:
            return (View(names, tuple(range(len(names)))),)
        return tuple(View((name,), (place,), name) for place, name in enumerate(names))


def _plain(label: Label) -> Secret:
    """A label as a secret; a number that is not whole, or a missing label, becomes a text."""
    if label is None:
        return NO_SECRET
    if isinstance(label, float):
        return int(label) if label.is_integer() else repr(label)
    return label


def is_missing_secret(secret: Secret) -> bool:
    """Whether a secret stands for a missing label, of its column or of one of several."""
    parts = str(secret).split(", ")
    return any(part == NO_SECRET or part.endswith(f"= {NO_SECRET}") for part in parts)
