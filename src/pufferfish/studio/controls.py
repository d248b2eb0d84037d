"""Plain controls of a page, with words: groups, choices, numbers and sliders.

Native elements only, so that keyboard, screen reader and phone work as their users know them.
Shiny reads those with an id by their kind; a slider and its number are read by the page's script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from htmltools import Tag, tags

from pufferfish.studio.words import MEANING

__all__ = ["boxes", "checkbox", "choices", "label", "line", "meaning", "number", "radios", "slider"]


def meaning(name: str) -> Tag:
    """What a number or a question means, behind a small button."""
    return tags.details(
        tags.summary("What does this mean?", tags.span(f" ({name})", class_="unseen")),
        tags.p(MEANING[name]),
        class_="meaning",
    )


def radios(
    name: str, question: Any, answers: Mapping[str, Any], chosen: str | None, *more: Any
) -> Tag:
    """Radio buttons; none is chosen where `chosen` is None."""
    return _group("radio", name, question, answers, () if chosen is None else (chosen,), more)


def boxes(
    name: str, question: Any, answers: Mapping[str, Any], chosen: Sequence[str], *more: Any
) -> Tag:
    """Checkboxes for several answers."""
    return _group("checkbox", name, question, answers, chosen, more)


def _group(
    kind: str,
    name: str,
    question: Any,
    answers: Mapping[str, Any],
    chosen: Sequence[str],
    more: Sequence[Any],
) -> Tag:
    """Fieldset, legend, and an input in its label for each answer."""
    return tags.fieldset(
        tags.legend(question),
        tags.div(
            *(
                tags.label(
                    tags.input(
                        type=kind,
                        name=name,
                        value=value,
                        checked="checked" if value in chosen else None,
                    ),
                    tags.span(text),
                )
                for value, text in answers.items()
            ),
            id=name,
            class_=f"shiny-input-{kind}group answers",
        ),
        *more,
    )


def checkbox(name: str, text: Any) -> Tag:
    """One checkbox, not ticked at first."""
    return tags.label(tags.input(type="checkbox", id=name), tags.span(text), class_="answer")


def choices(name: str, question: str, answers: Mapping[str, str], chosen: str | None) -> Tag:
    """A drop-down list."""
    options = [
        tags.option(text, value=value, selected="selected" if value == chosen else None)
        for value, text in answers.items()
    ]
    return label(name, question, tags.select(*options, id=name))


def label(name: str, question: str, control: Tag) -> Tag:
    """A control below its label."""
    return tags.div(tags.label(question, for_=name), control, class_="field")


def number(name: str, question: str, value: float | None = None, **limits: Any) -> Tag:
    """A number, read when it is complete."""
    control = tags.input(
        type="number",
        id=name,
        class_="shiny-input-number",
        value=None if value is None else f"{value:g}",
        data_update_on="change",
        **{"step": "any"} | limits,
    )
    return label(name, question, control)


def line(name: str, question: str, example: str) -> Tag:
    """A line of text, read when it is complete."""
    control = tags.input(
        type="text",
        id=name,
        class_="shiny-input-text",
        placeholder=example,
        autocomplete="off",
        spellcheck="false",
        data_update_on="change",
    )
    return label(name, question, control)


def slider(
    name: str, question: str, stops: Sequence[float], value: float, ends: tuple[str, str]
) -> Tag:
    """A number by slider and by hand; the script keeps both equal and tells the server at once.

    Neither has a name by which Shiny would read it, since Shiny waits until nothing moves.

    Args:
        name: The name of the input.
        question: Its label.
        stops: The values that the slider can take, increasing.
        value: The first value.
        ends: What the left and the right end mean.
    """
    place = min(range(len(stops)), key=lambda index: abs(stops[index] - value))
    return tags.div(
        tags.label(
            tags.span(question),
            tags.input(type="number", value=f"{value:g}", step="any", min="0"),
            class_="field",
        ),
        tags.input(
            type="range",
            min="0",
            max=str(len(stops) - 1),
            step="1",
            value=str(place),
            aria_label=f"{question}; {ends[0]} at the left end, {ends[1]} at the right end",
        ),
        tags.div(tags.span("◄ " + ends[0]), tags.span(ends[1] + " ►"), class_="ends"),
        meaning(name),
        class_="slider",
        data_input=name,
        data_stops=" ".join(f"{each:g}" for each in stops),
    )
