"""Groups of options: each is a dataclass whose fields are options, and knows what they mean."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

__all__ = ["flatten_groups"]


def flatten_groups(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command in which each parameter that is a group becomes one option per field."""
    hints = get_type_hints(command, include_extras=True)
    flat: list[inspect.Parameter] = []
    groups: dict[str, type] = {}
    for name in inspect.signature(command).parameters:
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            flat += _parameters(hints[name])
        else:
            own = inspect.signature(command).parameters[name]
            flat.append(own.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def spread(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        return command(**given)

    # Typer reads the signature and the annotations: both must be those of the flat command.
    spread.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in flat}
    del spread.__wrapped__
    return spread


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]
