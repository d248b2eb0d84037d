"""Does a document have the shape that its schema describes, at every depth?

The schemas in `schemas/` say of every object which entries it may have. This reads the few words of
JSON Schema that they use, and refuses a schema with any other: a word that is not understood would
be a check that is not made. Messages name the place and never what stands there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from pufferfish.errors import InvalidInputError

__all__ = ["Problem", "describe", "problem", "refuse_misshapen"]

_TYPES: dict[str, type | tuple[type, ...]] = {
    "array": (list, tuple),
    "boolean": bool,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": Mapping,
    "string": str,
}
_ABOUT_PEOPLE = {"$schema", "$defs", "title", "description", "format"}


class Problem(NamedTuple):
    """The first thing that is wrong.

    Attributes:
        where: Such as "plan.scenario.beliefs[0]"; empty for the document itself.
        what: What is wrong there.
        unknown: Whether it is an entry that no document of this kind has.
    """

    where: str
    what: str
    unknown: bool = False

    def __str__(self) -> str:
        """In words."""
        return f"{self.where} {self.what}" if self.where else self.what


def problem(data: object, kind: str) -> Problem | None:
    """What of a document is not as the schema of its kind says; None where all is."""
    schema = _DESCRIBED[kind] if kind in _DESCRIBED else _schema(kind)
    return next(_Check(schema["$defs"]).problems(data, schema, ""), None)


def refuse_misshapen(data: object, kind: str) -> None:
    """Refuse a document that `problem` finds fault with."""
    found = problem(data, kind)
    if found is not None:
        raise InvalidInputError(
            f"this {kind.replace('-', ' ')} is not of the right shape: {found}."
        )


def describe(kind: str, schema: Mapping[str, Any]) -> None:
    """Make the schema of a kind known that has none in `schemas/`."""
    _DESCRIBED[kind] = {"$defs": {}, **schema}


_DESCRIBED: dict[str, dict[str, Any]] = {}


@cache
def _schema(kind: str) -> dict[str, Any]:
    place = files("pufferfish").joinpath("schemas", f"{kind}.schema.json")
    schema: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return schema


class _Check:
    """A schema's definitions, and what each of its words asks for."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self._words: dict[str, Callable[[Any, Any, Mapping[str, Any], str], Iterator[Problem]]] = {
            "$ref": self._reference,
            "type": self._type,
            "oneOf": self._one_of,
            "properties": self._properties,
            "required": self._required,
            "propertyNames": self._names_of,
            "additionalProperties": self._additional,
            "items": self._items,
            "if": self._if,
            "not": self._not,
        }

    def problems(self, data: Any, schema: Mapping[str, Any], where: str) -> Iterator[Problem]:
        for word, wanted in schema.items():
            if word in self._words:
                yield from self._words[word](data, wanted, schema, where)
            elif word in _PLAIN:
                if not _PLAIN[word](data, wanted):
                    yield Problem(where, f"must have {word} {wanted!r}")
            elif word not in _ABOUT_PEOPLE | {"then", "else"}:
                raise NotImplementedError(f"the word {word!r} of a schema is not understood.")

    def _reference(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        yield from self.problems(data, self._definitions[wanted.removeprefix("#/$defs/")], where)

    def _type(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        names = [wanted] if isinstance(wanted, str) else wanted
        if not any(_is(data, name) for name in names):
            yield Problem(where, f"must be of type {' or '.join(names)}")

    def _one_of(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        meant = [each for each in wanted if _names(data, each)] or wanted
        found = [next(self.problems(data, each, where), None) for each in meant]
        if found.count(None) > 1:
            yield Problem(where, "has the entries of two forms that exclude each other")
        elif None not in found:
            # The fault that lies deepest is that of the form that was meant.
            yield max((each for each in found if each is not None), key=_depth)

    def _properties(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        if isinstance(data, Mapping):
            for name in [each for each in wanted if each in data]:
                yield from self.problems(data[name], wanted[name], _within(where, name))

    def _required(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        if isinstance(data, Mapping):
            for name in wanted:
                if name not in data:
                    yield Problem(where, f"has no entry {name!r}")

    def _names_of(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        for name in data if isinstance(data, Mapping) else ():
            if next(self.problems(name, wanted, where), None) is not None:
                yield Problem(where, f"has an entry {str(name)[:40]!r}, which is not known", True)

    def _additional(
        self, data: Any, wanted: Any, schema: Mapping[str, Any], where: str
    ) -> Iterator[Problem]:
        if not isinstance(data, Mapping):
            return
        for name in data:
            if name in schema.get("properties", ()):
                continue
            if wanted is False or not isinstance(name, str):
                yield Problem(where, f"has an entry {str(name)[:40]!r}, which is not known", True)
            else:
                yield from self.problems(data[name], wanted, _within(where, name))

    def _items(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        if not isinstance(data, list | tuple):
            return
        if wanted == {"type": "number"} and all(type(each) in (int, float) for each in data):
            return
        for number, each in enumerate(data):
            yield from self.problems(each, wanted, f"{where}[{number}]")

    def _if(
        self, data: Any, wanted: Any, schema: Mapping[str, Any], where: str
    ) -> Iterator[Problem]:
        met = next(self.problems(data, wanted, where), None) is None
        yield from self.problems(data, schema.get("then" if met else "else", {}), where)

    def _not(self, data: Any, wanted: Any, _: Any, where: str) -> Iterator[Problem]:
        if next(self.problems(data, wanted, where), None) is None:
            names = ", ".join(map(repr, wanted["required"]))
            yield Problem(where, f"has an entry {names}, which must not be there", True)


_PLAIN: dict[str, Callable[[Any, Any], bool]] = {
    "const": lambda data, wanted: type(data) is type(wanted) and data == wanted,
    "enum": lambda data, wanted: any(type(data) is type(each) and data == each for each in wanted),
    # All patterns are of whole texts, and Python's "$" would let a line end pass.
    "pattern": lambda data, wanted: (
        not isinstance(data, str) or bool(re.fullmatch(wanted[1:-1], data))
    ),
    "minLength": lambda data, wanted: not isinstance(data, str) or len(data) >= wanted,
    "maxLength": lambda data, wanted: not isinstance(data, str) or len(data) <= wanted,
    "minItems": lambda data, wanted: not isinstance(data, list | tuple) or len(data) >= wanted,
    "maxItems": lambda data, wanted: not isinstance(data, list | tuple) or len(data) <= wanted,
    "minimum": lambda data, wanted: not _is(data, "number") or data >= wanted,
    "maximum": lambda data, wanted: not _is(data, "number") or data <= wanted,
    "exclusiveMinimum": lambda data, wanted: not _is(data, "number") or data > wanted,
    "exclusiveMaximum": lambda data, wanted: not _is(data, "number") or data < wanted,
}


def _is(data: Any, name: str) -> bool:
    truth = isinstance(data, bool)
    return isinstance(data, _TYPES[name]) and (not truth or name == "boolean")


def _names(data: Any, form: Mapping[str, Any]) -> bool:
    """Whether an object has the entries of this form, and says so by one such as its kind."""
    if not isinstance(data, Mapping) or not set(form.get("required", [None])) <= data.keys():
        return False
    fixed = {
        name: each["const"] for name, each in form.get("properties", {}).items() if "const" in each
    }
    return all(_PLAIN["const"](data.get(name), value) for name, value in fixed.items())


def _depth(found: Problem) -> int:
    return found.where.count(".") + found.where.count("[")


def _within(where: str, name: str) -> str:
    return f"{where}.{name[:40]}" if where else name[:40]
