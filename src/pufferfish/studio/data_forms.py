"""The parts of the first step that depend on the table: whom to protect, columns, rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from htmltools import Tag, TagList, tags

from pufferfish.beliefs.scenario import Secret
from pufferfish.studio.controls import boxes, checkbox, choices, line, meaning, number, radios
from pufferfish.studio.sources import Example
from pufferfish.tables.local.detect import FoundColumn, protectable, secretive

__all__ = ["columns_part", "groups_part", "missing_in_words", "protection_part"]

_MISSING = {
    "refuse": "there are none: refuse if there are",
    "keep": "publish them as missing",
    "drop": "leave them out",
}
# With more different numbers than this, bins are suggested.
_MANY = 30
# Rows of the table of secrets.
_MOST_GROUPS = 40


def protection_part(columns: Sequence[FoundColumn], example: Example | None) -> TagList:
    """What one unit is, and what others may know: asked before anything else."""
    answered = example is not None
    return TagList(
        radios(
            "unit",
            "Whom does the promise protect?",
            {
                "row": "Each row is another person: protect a row",
                "person": "A person can have several rows: protect a person",
            },
            "row" if answered else None,
            tags.div(
                choices(
                    "person",
                    "The column that identifies the person",
                    {each.name: each.name for each in columns},
                    next((each.name for each in columns if each.identifies), None),
                ),
                radios(
                    "rows_way",
                    "What is published of a person?",
                    {
                        "mean": "One row, with the mean of its values",
                        "first": "One row, its first",
                        "any": "All its rows, whatever they have in common",
                        "equal": "All its rows, which repeat one value",
                        "independent": (
                            "All its rows; I state that they are independent given the secret "
                            "(tested)"
                        ),
                    },
                    None,
                    tags.div(
                        number("rows_per_person", "Rows of one person, at most", 2, min="1"),
                        data_if="rows_way any equal independent",
                        hidden="",
                    ),
                ),
                data_if="unit person",
                hidden="",
            ),
            meaning("unit"),
        ),
        radios(
            "provenance",
            "What may others know about the values?",
            {
                "released": "This column itself, as it is (the safe choice)",
                "reference": "Another table like it, which is not public",
                "public": "Another table like it, which everybody may have",
            },
            "released" if answered else None,
            tags.div(
                tags.label(
                    "The other table, with the same two columns",
                    tags.input(type="file", data_upload="reference"),
                    class_="field",
                ),
                tags.progress(max="1", value="0", hidden="", aria_label="how much was sent"),
                data_if="provenance reference public",
                data_file="reference",
                hidden="",
            ),
            meaning("provenance"),
        ),
    )


def columns_part(columns: Sequence[FoundColumn], example: Example | None) -> TagList:
    """Which column is published, and which is the secret; the likeliest are preselected."""
    names = _publishable(columns)
    labels = {each.name: f"{each.name} ({each.labels} values)" for each in secretive(columns)}
    column = example.column if example else next(iter(names), None)
    secret = example.secret if example else next((name for name in labels if name != column), None)
    missing = example.missing if example else "refuse"
    return TagList(
        tags.div(choices("column", "Column to publish", names, column), meaning("column")),
        tags.div(
            choices("secret", "Secret that it must not reveal", labels, secret), meaning("secret")
        ),
        tags.div(choices("missing", "Rows without a value", _MISSING, missing), meaning("missing")),
        several_part(columns, example),
        rules_part(columns),
    )


def _publishable(columns: Sequence[FoundColumn]) -> dict[str, str]:
    """Names in words, the likeliest first; columns without numbers come last."""
    numbers = {each.name: each.name for each in protectable(columns)}
    return numbers | {
        each.name: f"{each.name} (categories)" for each in columns if not each.numeric
    }


def several_part(columns: Sequence[FoundColumn], example: Example | None) -> Tag:
    """What else of a row is published or known; nothing at first, except in an example.

    It is made for every table, sometimes hidden, so that boxes ticked for another one are
    forgotten.
    """
    names = {each.name: each.name for each in columns if not each.identifies}
    secrets = {each.name: each.name for each in secretive(columns)}
    together, kept = ((), ()) if example is None else (example.together, example.keep)
    return tags.details(
        tags.summary("Several columns, and what others know"),
        tags.div(
            boxes("together", "Publish together with it, protected", names, together),
            boxes("keep", "Publish as they are: everybody knows them then", names, kept),
            boxes("known", "Others may know, though they are not published", names, ()),
            tags.div(
                boxes("secrets", "Further secrets that must not be revealed", secrets, ()),
                checkbox("jointly", "Protect combinations of all secrets, not only each by itself"),
            ),
        ),
        meaning("several"),
        class_="several",
        hidden="" if len(names) < 3 else None,
        open="" if together or kept else None,
    )


def rules_part(columns: Sequence[FoundColumn]) -> Tag:
    """A line for the rules of each column; the script shows those of columns with a role.

    All of them are made with the table, so that a rule stays while other columns get a role.
    """
    return tags.details(
        tags.summary("Public rules: bins, bands, dates, merged labels"),
        tags.div(
            *(
                tags.div(line(f"rule_{place}", *_rule_words(each)), data_rule=each.name, hidden="")
                for place, each in enumerate(columns)
            ),
            line(
                "never",
                "Never publish together",
                "sex=Male,pregnant=yes",
            ),
        ),
        meaning("rules"),
        class_="several rules",
    )


def _rule_words(column: FoundColumn) -> tuple[str, str]:
    """The label of a column's line of rules, and an example."""
    if not column.numeric:
        return f"{column.name}: labels or dates", "merge A,B=C"
    many = " (it has many values)" if column.distinct > _MANY else ""
    return f"{column.name}: edges of bins or bands{many}", "20:75:5 or 25,45,65"


def missing_in_words(columns: Sequence[FoundColumn], entry: Callable[[str], Any]) -> str:
    """Why nothing can be published with these choices; empty where something can."""
    column, secret = entry("column"), entry("secret")
    first = next(iter(_publishable(columns)), None)
    if all(each.name in (column, first) for each in secretive(columns)):
        return (
            "None of the other columns can be the secret: it needs 2 to 200 different values, and "
            "one in every row."
        )
    if column is not None and column == secret:
        return f"{column!r} cannot be its own secret: choose another column."
    return ""


def groups_part(names: Sequence[str], secrets: Mapping[Secret, int]) -> Tag:
    """How many rows each secret has; shown only to the holder of the table.

    Args:
        names: The columns of the secrets; where each is protected by itself, each row counts for
            one secret of every column.
        secrets: How many rows each has.
    """
    rows = sorted(secrets.items(), key=lambda each: -each[1])
    left = len(rows) - _MOST_GROUPS
    count = "" if len(names) > 1 else f"{sum(secrets.values()):,} values for "
    return tags.details(
        tags.summary(f"{count}{len(rows):,} secrets"),
        tags.table(
            tags.thead(
                tags.tr(
                    tags.th(", ".join(names), scope="col"),
                    tags.th("values", scope="col", class_="number"),
                )
            ),
            tags.tbody(
                *(
                    tags.tr(
                        tags.th(str(secret), scope="row"),
                        tags.td(f"{count:,}", class_="number"),
                    )
                    for secret, count in rows[:_MOST_GROUPS]
                )
            ),
        ),
        tags.p(f"and {left:,} more") if left > 0 else None,
    )
