"""Every change of one entry of a document: another value, none, and entries that were never there.

What could be there follows from the document's JSON schema, so that a new entry is changed too.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Path", "changed", "changes"]

Path = tuple[str | int, ...]
GONE = object()


def changes(data: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Where to put what; of many places with one name, as in a list, the first is changed."""
    done: set[tuple[Any, ...]] = set()
    for path, value in _changes(data, [schema], schema.get("$defs", {}), ()):
        name = tuple("#" if isinstance(each, int) else each for each in path)
        kind = (
            (name, repr(value))
            if isinstance(value, str | None)
            else (name, type(value), value == 0)
        )
        if path and kind not in done:
            done.add(kind)
            yield path, value


def changed(data: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """The document with another value at one place."""
    found = copy.deepcopy(dict(data))
    at: Any = found
    for step in path[:-1]:
        at = at[step]
    if value is GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return found


def _changes(
    value: Any, schemas: Sequence[Mapping[str, Any]], named: Mapping[str, Any], path: Path
) -> Iterator[tuple[Path, Any]]:
    forms = [each for schema in schemas for each in _forms(schema, named)]
    closed = any("enum" in form for form in forms)
    yield from (
        (path, other) for other in _others(value) if not (closed and isinstance(other, str))
    )
    if not isinstance(value, dict):
        possible = (each for form in forms for each in _examples(form, named))
        yield from ((path, each) for each in possible if each != value)
    for form in forms:
        properties = form.get("properties", {})
        if isinstance(value, dict) and _is_form(value, properties):
            for name, inner in properties.items():
                here: Path = (*path, name)
                if name in value:
                    yield here, GONE
                    yield from _changes(value[name], [inner], named, here)
                else:
                    yield from ((here, each) for each in _examples(inner, named))
    if isinstance(value, dict) and not any("properties" in form for form in forms):
        for name, inner in value.items():  # names of somebody's columns
            yield (*path, name), GONE
            yield from _changes(inner, [], named, (*path, name))
    if isinstance(value, list):
        items = [form["items"] for form in forms if isinstance(form.get("items"), dict)]
        for place, each in enumerate(value):
            yield from _changes(each, items, named, (*path, place))


def _is_form(value: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """Whether this is the form, of several, that an object has: tags must be its own."""
    return all(
        value.get(name) in each["enum"]
        for name, each in properties.items()
        if name in ("kind", "family", "edition") and "enum" in each
    )


def _others(value: Any) -> Iterator[Any]:
    """Other values of the same type, and none."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from {value + 1, 0} - {value}
    elif isinstance(value, float):
        # What differs by less than bounds of other processors is the same.
        yield from (each for each in (value * 0.5, 1e6) if abs(each - value) > 1e-6)
    elif isinstance(value, str):
        yield f"{value}x"
    elif isinstance(value, list) and value:
        yield value[:-1]
    if value is not None:
        yield None


def _forms(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "$ref" in schema:
        yield from _forms(named[schema["$ref"].rpartition("/")[2]], named)
    elif "anyOf" in schema:
        for each in schema["anyOf"]:
            yield from _forms(each, named)
    else:
        yield schema


def _examples(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[Any]:
    """A few values that a schema accepts."""
    for form in _forms(schema, named):
        if "enum" in form:
            yield from form["enum"]
            continue
        kind = form.get("type")
        if kind == "null":
            yield None
        elif kind == "object":
            needed = form.get("required", [])
            yield {name: _first(form["properties"][name], named) for name in needed}
        elif kind == "array" and "prefixItems" in form:
            yield [_first(each, named) for each in form["prefixItems"]]
        elif kind == "array" and isinstance(form.get("items"), dict):
            yield [_first(form["items"], named)] * max(1, form.get("minItems", 1))
        elif kind == "boolean":
            yield True
        elif kind == "integer":
            yield max(1, form.get("minimum", 1))
        elif kind == "number":
            yield 0.5
        elif kind == "string":
            times = "T" in form.get("pattern", "")
            yield "2026-01-02T03:04:05+00:00" if times else "x"


def _first(schema: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    return next(iter(_examples(schema, named)), None)
