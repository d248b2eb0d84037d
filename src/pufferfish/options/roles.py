"""Options: what others know of a row, and public rules by which columns are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, cast, get_args

import typer

from pufferfish.beliefs.labels import Label, label_key
from pufferfish.beliefs.rules import Unit
from pufferfish.core.errors import InvalidInputError
from pufferfish.core.validation import require
from pufferfish.options.quoting import number_of, pieces, plain, read_edges, two_pieces
from pufferfish.tables import Counts

__all__ = ["Roles", "label_meant", "refuse_without_role"]

# For one column: the labels that become one, and the label that they become.
_Merge = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What others know, how several secrets are protected, and public rules for columns."""

    known: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that others may know of a row; may be given several times. The promise "
            "holds for somebody who knows it, and for somebody who does not.",
        ),
    ] = None
    secrets_jointly: Annotated[
        bool,
        typer.Option(
            "--secrets-jointly",
            help="With several --secret: protect their combinations, not each secret by itself.",
        ),
    ] = False
    missing_secret: Annotated[
        bool, typer.Option("--missing-secret", help="Treat rows without a secret as a group.")
    ] = False
    bands: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=25,45,65",
            help="Public bands for numbers that others know; also COLUMN=START:STOP:STEP. May be "
            "given for several columns.",
        ),
    ] = None
    dates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=year|quarter|month",
            help="The unit that dates become; may be given for several columns.",
        ),
    ] = None
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN:A,B=C",
            help="Labels A and B become C, a public rule; may be given several times. An empty "
            r"label is a missing entry; a comma within a label is written \,.",
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN:A,B,C",
            help="Labels in an order of your choice, for --loss COLUMN=steps and for display; may "
            "be given for several columns.",
        ),
    ] = None
    codes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of whole numbers that are only names; may be given several times.",
        ),
    ] = None

    @property
    def cuts(self) -> dict[str, tuple[float, ...]]:
        """By column, the edges of its bands."""
        return {
            name: read_edges(f"--bands {name}=", text)
            for name, text in _by_column("--bands", self.bands, "=", "age=25,45,65")
        }

    @property
    def units(self) -> dict[str, Unit]:
        """By column, the unit that dates become."""
        found: dict[str, Unit] = {}
        for name, text in _by_column("--dates", self.dates, "=", "born=year"):
            require(
                text in get_args(Unit),
                f"--dates {name}= must be year, quarter or month, got {text!r}.",
            )
            found[name] = cast("Unit", text)
        return found

    @property
    def merges(self) -> dict[str, list[_Merge]]:
        """By column, the labels that become one, as texts."""
        found: dict[str, list[_Merge]] = {}
        example = "'city:Ulm,Bonn=other'"
        for given in self.merge or ():
            name, text = two_pieces("--merge", given, ":", example)
            # Cut at the last '=': labels such as '<=50K' contain one, merged labels seldom do.
            *before, after = pieces(text, "=")
            require(
                bool(before),
                f"--merge must be labels, '=' and one label, such as --merge {example}, got "
                rf"{given!r}; a '=' within the last label is written \=.",
            )
            labels = tuple(plain(each) for each in pieces("=".join(before), ","))
            found.setdefault(name, []).append((labels, plain(after)))
        return found

    @property
    def orders(self) -> dict[str, list[str]]:
        """By column, its labels in the order that was chosen, as texts."""
        given = _by_column("--order", self.order, ":", "'grade:low,middle,high'")
        return {name: [plain(each) for each in pieces(text, ",")] for name, text in given}

    def check(self, roles: Sequence[str]) -> None:
        """Refuse rules that cannot be read, and rules for columns without a role.

        Args:
            roles: The columns that are published, known or secret.
        """
        named: dict[str, Iterable[str]] = {
            "--bands": self.cuts,
            "--dates": self.units,
            "--merge": self.merges,
            "--order": self.orders,
            "--codes": self.codes or (),
        }
        for option, columns in named.items():
            refuse_without_role(option, columns, roles)

    def merged(self, counted: Counts) -> dict[str, dict[Label, Label]]:
        """The labels that become others. Refuses a label that no row has.

        Args:
            counted: The table, before labels are merged.
        """
        found: dict[str, dict[Label, Label]] = {}
        for name, rules in self.merges.items():
            own = found.setdefault(name, {})
            for before, after in rules:
                made = label_meant(counted, name, after) if _has(counted, name, after) else None
                made = _new_label(counted, name, after) if made is None and after else made
                for text in before:
                    label = label_meant(counted, name, text, option="--merge")
                    require(
                        label not in own,
                        f"--merge names a label of column {name!r} twice: it can become only one.",
                    )
                    own[label] = made
        return found

    def ordered(self, counted: Counts) -> dict[str, list[Label]]:
        """The labels in their order. Refuses a label that no row has.

        Args:
            counted: The table, after labels were merged.
        """
        return {
            name: [label_meant(counted, name, text, option="--order") for text in texts]
            for name, texts in self.orders.items()
        }


def refuse_without_role(option: str, columns: Iterable[str], roles: Sequence[str]) -> None:
    """Refuse a rule for a column that is neither published, known nor secret."""
    for name in columns:
        require(
            name in roles,
            f"{option} is about column {name!r}, which is neither published (--column), known "
            "(--known, --keep) nor secret (--secret): name it there, or leave the rule out.",
        )


def label_meant(counted: Counts, column: str, text: str, option: str = "") -> Label:
    """The label of a column that a text on the command line means; an empty text: missing.

    Raises:
        InvalidInputError: No row has it.
    """
    for label in counted.labels_of(column):
        if _text(label) == text or (isinstance(label, bool) and str(label) == text.title()):
            return label
    what = "has no missing entry" if not text else f"has no label {text!r}"
    raise InvalidInputError(
        f"{option} names a label that no row has: column {column!r} {what}. "
        f"{_some_labels(counted, column)}"
    )


# A label that fewer rows have is not named: it may be about few people.
_ENOUGH, _MOST_NAMED = 30, 20


def _some_labels(counted: Counts, column: str) -> str:
    own = counted.marginal([column])
    large = [
        repr(_text(cell[0])) if cell[0] is not None else "missing"
        for cell, count in zip(own.cells, own.counts.tolist(), strict=True)
        if count >= _ENOUGH
    ]
    more = f" and {len(large) - _MOST_NAMED} more" if len(large) > _MOST_NAMED else ""
    named = ", ".join(large[:_MOST_NAMED]) or "none"
    return f"Its labels with at least {_ENOUGH} rows are: {named}{more}."


def _has(counted: Counts, column: str, text: str) -> bool:
    labels = counted.labels_of(column)
    return any(_text(each) == text for each in labels if each is not None)


def _new_label(counted: Counts, column: str, text: str) -> Label:
    """A label that no row has yet: a number among numbers, else a text."""
    labels = [each for each in counted.labels_of(column) if each is not None]
    number = number_of(text)
    if number is None or any(isinstance(each, str | bool) for each in labels):
        return text
    return int(number) if number.is_integer() else number


def _text(label: Label) -> str:
    """A label as it was typed."""
    if label is None:
        return ""
    whole = isinstance(label, float) and label.is_integer()
    return str(int(label)) if whole else str(label_key(label)[1])


def _by_column(
    option: str, given: Sequence[str] | None, separator: str, example: str
) -> Iterator[tuple[str, str]]:
    """Columns, and the text for each; a column may occur once."""
    seen: set[str] = set()
    for each in given or ():
        name, text = two_pieces(option, each, separator, example)
        require(name not in seen, f"{option} is given twice for column {name!r}.")
        seen.add(name)
        yield name, text
