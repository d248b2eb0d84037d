"""Parts of the page that depend on the table: built anew when it changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any
from urllib.parse import quote

from htmltools import Tag, TagList, tags

from pufferfish.beliefs.scenario import Secret
from pufferfish.options.adversaries import pair_text
from pufferfish.studio.controls import boxes, checkbox, choices, line, meaning, number, radios
from pufferfish.studio.releasing import Released
from pufferfish.studio.sources import Example
from pufferfish.tables.local.detect import FoundColumn, protectable, secretive
from pufferfish.words.steps import Step

__all__ = [
    "bounds_part",
    "columns_part",
    "elsewhere_part",
    "groups_part",
    "missing_in_words",
    "pairs_part",
    "protection_part",
    "release_part",
    "releasing_part",
    "rows_part",
    "tell",
    "unprotected_part",
]

_MISSING = {
    "refuse": "there are none: refuse if there are",
    "keep": "publish them as holes",
    "drop": "leave them out",
}
# Secrets up to which every pair has a box of its own.
_MOST_LISTED = 12
# Different numbers beyond which bins are suggested.
_MANY = 30
# Rows of the table of secrets.
_MOST_GROUPS = 40


def protection_part(columns: Sequence[FoundColumn], example: Example | None) -> TagList:
    """What is one unit, and what may the others know: asked before anything else."""
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
                    "The column that says who it is",
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
                        "independent": "All its rows, which are independent given the secret, "
                        "I say (tested)",
                    },
                    None,
                    tags.div(
                        number("rows_per_person", "At most so many rows of one person", 2, min="1"),
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
            "What may the others know of the values?",
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
    """Which column is protected, and which is the secret; the likeliest is chosen already."""
    names = _publishable(columns)
    labels = {each.name: f"{each.name} ({each.labels} values)" for each in secretive(columns)}
    column = example.column if example else next(iter(names), None)
    secret = example.secret if example else next((name for name in labels if name != column), None)
    missing = example.missing if example else "refuse"
    return TagList(
        tags.div(choices("column", "Column to publish", names, column), meaning("column")),
        tags.div(
            choices("secret", "Secret that it must not betray", labels, secret), meaning("secret")
        ),
        tags.div(choices("missing", "Rows without a value", _MISSING, missing), meaning("missing")),
        several_part(columns, example),
        rules_part(columns),
    )


def _publishable(columns: Sequence[FoundColumn]) -> dict[str, str]:
    """Names in words, the likeliest first; what holds no numbers comes last."""
    numbers = {each.name: each.name for each in protectable(columns)}
    return numbers | {
        each.name: f"{each.name} (categories)" for each in columns if not each.numeric
    }


def several_part(columns: Sequence[FoundColumn], example: Example | None) -> Tag:
    """What else of a row is published, or known; nothing at first, unless an example shows it.

    It is there for every table, if only hidden: what was ticked of another one is forgotten then.
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
                boxes("secrets", "Further secrets that must not be betrayed", secrets, ()),
                checkbox("jointly", "Protect the combinations of all secrets, not only each"),
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
    """What is asked for a column, and an example."""
    if not column.numeric:
        return f"{column.name}: labels or dates", "merge A,B=C"
    many = " (it has many values)" if column.distinct > _MANY else ""
    return f"{column.name}: edges of bins or bands{many}", "20:75:5 or 25,45,65"


def missing_in_words(columns: Sequence[FoundColumn], entry: Callable[[str], Any]) -> str:
    """Why nothing can be published of this table as it is chosen; empty where something can."""
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
    """How many rows each secret has; for the eyes of who has the table.

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


def pairs_part(views: Sequence[Sequence[Secret]], example: Example | None) -> Tag:
    """Which secrets must look alike.

    Args:
        views: The secrets, those of each column that is protected by itself together.
        example: The example that they are of, if they are.
    """
    secrets = [each for view in views for each in view]
    which = {"all": f"all pairs ({sum(math.comb(len(view), 2) for view in views):,})"}
    if len(secrets) > 2:
        which["against"] = "every other with one"
    if 2 < len(secrets) <= _MOST_LISTED:
        which["some"] = "these pairs"
    asked = () if example is None else example.pairs
    return radios(
        "which",
        "Which secrets must look alike?",
        which,
        "some" if asked and "some" in which else "all",
        tags.div(
            choices("against", "Compare with", {str(each): str(each) for each in secrets}, None),
            data_if="which against",
            hidden="",
        ),
        tags.div(
            boxes(
                "pair",
                "Pairs",
                _pairs(views, asked) if "some" in which else {},
                asked,
            ),
            data_if="which some",
            hidden="",
        ),
        meaning("pairs"),
    )


def _pairs(views: Sequence[Sequence[Secret]], asked: Sequence[str]) -> dict[str, str]:
    """Each pair once, as --pair takes it and in words; in the order in which it is asked for."""
    found = {}
    for first, second in (pair for view in views for pair in combinations(view, 2)):
        turned = pair_text(second, first) in asked
        pair = (second, first) if turned else (first, second)
        found[pair_text(*pair)] = f"{pair[0]} and {pair[1]}"
    return found


def bounds_part() -> TagList:
    """Public bounds and steps of one column of numbers, in its units."""
    return TagList(
        number("cap_low", "Before the noise, move what is below up to"),
        number("cap_high", "and what is above down to (public bounds)"),
        number("round", "Round what is published to steps of", min="0"),
        number("low", "After the noise, move what is below up to"),
        number("high", "and what is above down to"),
    )


def unprotected_part(names: Sequence[str]) -> Tag | None:
    """Which other columns are published outside the promise."""
    if not names:
        return None
    return boxes(
        "unprotected",
        "Publish also, as they are and unprotected",
        {name: name for name in names},
        (),
    )


def rows_part() -> TagList:
    """What is asked of the rows of a table, whatever its columns are for."""
    return TagList(
        checkbox("keep_order", "Keep the order of the rows, though it can betray"),
        number("min_group", "Refuse a secret with fewer records than", 30, min="1"),
        number("bootstrap", "More adversaries of each kind, fitted to resampled rows", 0, min="0"),
    )


def releasing_part(none: bool, earlier: str) -> TagList:
    """The button, and what must be agreed to first."""
    return TagList(
        tags.p(
            "Nothing has to change for this promise: the values would be published as they are.",
            checkbox("allow_no_noise", "Publish them as they are"),
            class_="notice",
        )
        if none
        else None,
        tags.div(
            tags.p(
                f"This column was released already ({earlier}). A second release is drawn anew, "
                "and somebody who has both knows more than the promise allows."
            ),
            checkbox("again", "The earlier release was not given to anybody, and will not be"),
            class_="notice",
        )
        if earlier
        else None,
        tags.button(
            "Release now: draw, once", id="release", type="button", class_="action-button main"
        ),
    )


def release_part(released: Released, story: Sequence[Step], address: str) -> TagList:
    """What was done, and everything to save."""

    def listed(title: str, private: bool) -> TagList:
        return TagList(
            tags.h3(title),
            tags.ul(
                *(
                    tags.li(
                        tags.a(
                            each.path.name,
                            href=f"{address}&name={quote(each.path.name)}",
                            download=each.path.name,
                        ),
                        f": {each.what}",
                    )
                    for each in released.documents
                    if each.private == private
                ),
                class_="files",
            ),
        )

    return TagList(
        tags.h3(f"Released: {released.documents[0].path.name}", id="done", tabindex="-1"),
        tags.p(released.note, class_="notice") if released.note else None,
        tell(story),
        listed("May be published", False),
        listed("Keep private: these hold statistics of the data", True),
    )


def tell(story: Sequence[Step]) -> Tag:
    """Its parts with their titles beside them."""
    return tags.dl(
        *(
            tags.div(
                tags.dt(step.title),
                *(tags.dd(text) for text in step.paragraphs),
                tags.dd(tags.ul(*(tags.li(each.text) for each in step.entries)))
                if step.entries
                else None,
            )
            for step in story
        ),
        class_="story",
    )


def elsewhere_part(
    commands: str, script: str, links: Sequence[tuple[str, str, str]], refused: str
) -> TagList:
    """The plan, the commands and the script, to save and to copy; or why there is none."""
    if refused:
        return TagList(tags.p(refused, class_="notice"))
    return TagList(
        tags.ul(
            *(
                tags.li(tags.a(name, href=address, download=name), f": {what}")
                for name, address, what in links
            ),
            class_="files",
        ),
        *(
            tags.div(
                tags.h4(title),
                tags.button("Copy", type="button", data_copy="", aria_label=f"Copy: {title}"),
                tags.pre(text, tabindex="0"),
                class_="copied",
            )
            for title, text in (("Command line", commands), ("Python", script))
        ),
    )
