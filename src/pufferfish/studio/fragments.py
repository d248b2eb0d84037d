"""The parts of the later steps that depend on the table: built again when it changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from urllib.parse import quote

from htmltools import HTML, Tag, TagList, tags

from pufferfish.beliefs.scenario import Secret
from pufferfish.options.adversaries import pair_text
from pufferfish.report.stressed import STRESS_HEADING
from pufferfish.studio.controls import boxes, checkbox, choices, meaning, number, radios
from pufferfish.studio.releasing import Released
from pufferfish.studio.sources import Example
from pufferfish.words.steps import Step

__all__ = [
    "bounds_part",
    "elsewhere_part",
    "pairs_part",
    "release_part",
    "releasing_part",
    "rows_part",
    "tell",
    "unprotected_part",
]

# Up to this many secrets, every pair has a box of its own.
_MOST_LISTED = 12


def pairs_part(views: Sequence[Sequence[Secret]], example: Example | None) -> Tag:
    """Which secrets must look alike.

    Args:
        views: The secrets, grouped by column where each column is protected by itself.
        example: The example that they come from, if any.
    """
    secrets = [each for view in views for each in view]
    which = {"all": f"all pairs ({sum(math.comb(len(view), 2) for view in views):,})"}
    if len(secrets) > 2:
        which["against"] = "one secret against all others"
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
    """Each pair once, as --pair takes it and in words; in the order that is asked for."""
    found = {}
    for first, second in (pair for view in views for pair in combinations(view, 2)):
        turned = pair_text(second, first) in asked
        pair = (second, first) if turned else (first, second)
        found[pair_text(*pair)] = f"{pair[0]} and {pair[1]}"
    return found


def bounds_part() -> TagList:
    """Public bounds and steps of one column of numbers, in its units."""
    return TagList(
        number("cap_low", "Before the noise, raise smaller values to"),
        number("cap_high", "and lower larger values to (public bounds)"),
        number("round", "Round published values to steps of", min="0"),
        number("low", "After the noise, raise smaller values to"),
        number("high", "and lower larger values to"),
    )


def unprotected_part(names: Sequence[str]) -> Tag | None:
    """Which other columns are published outside the promise."""
    if not names:
        return None
    return boxes(
        "unprotected",
        "Also publish, as they are and unprotected",
        {name: name for name in names},
        (),
    )


def rows_part() -> TagList:
    """Options for the rows of any table, whatever the roles of its columns."""
    return TagList(
        checkbox("keep_order", "Keep the order of the rows, though it can reveal secrets"),
        number("min_group", "Refuse a secret with fewer rows than", 30, min="1"),
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
                f"This column was already released ({earlier}). A second release is drawn anew, "
                "and somebody who has both learns more than the promise allows."
            ),
            checkbox("again", "The earlier release was not given to anybody, and will not be"),
            class_="notice",
        )
        if earlier
        else None,
        tags.button(
            "Release now: draw once", id="release", type="button", class_="action-button main"
        ),
    )


def release_part(released: Released, story: Sequence[Step], stressed: str, address: str) -> TagList:
    """What was done, what adversaries who know more may find, and everything to save.

    Args:
        released: The release.
        story: What was done, in words.
        stressed: The stress test, as HTML.
        address: The address of the documents.
    """

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
        tags.section(
            tags.h3(STRESS_HEADING),
            tags.p("Private, and in no record.", class_="small"),
            HTML(stressed),
            id="stressed",
        ),
    )


def tell(story: Sequence[Step]) -> Tag:
    """The parts of a story, each with its title."""
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
    """The plan, the commands and the script, to save and copy; or why there are none."""
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
