"""The contents of documents, described once: as classes of `Entries`.

From the description follow the check of what was read (`problem`, `read`), at every depth, the
order of what is written (`written`), and the JSON schema (`json_schema`). Messages name the place
and never the value there.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, get_type_hints

import msgspec
import numpy as np
from msgspec import NODEFAULT, Struct

from pufferfish.core.errors import InvalidInputError

__all__ = ["Entries", "Open", "Problem"]
__all__ += ["entries_of", "json_schema", "made", "plain", "problem", "read", "read_part", "written"]


class Entries(Struct, forbid_unknown_fields=True):
    """The entries of an object in a document; it has no others.

    Attributes:
        MADE: The dataclass that is made of them, with such fields, unless `made` is overridden.
    """

    MADE: ClassVar[Any]

    def made(self) -> Any:
        """The object that the entries describe; it checks itself."""
        names = [each.name for each in fields(self.MADE) if hasattr(self, each.name)]
        return self.MADE(**{name: made(getattr(self, name)) for name in names})


class Open(ABC):
    """Entries of one of several forms, distinguished by a tag; other code may add forms."""

    def __init__(self, entries: Any) -> None:
        """Hold what was read, in its form."""
        self.entries = entries

    @classmethod
    @abstractmethod
    def forms(cls) -> Any:
        """The union of all forms."""

    @abstractmethod
    def made(self) -> Any:
        """The object that the entries describe."""


def entries_of(
    described: Any,
    base: type[Entries] = Entries,
    tag: str = "",
    called: Mapping[str, str] = MappingProxyType({}),
    **types: Any,
) -> Any:
    """The shape whose entries are the fields of a dataclass, with their types and defaults.

    Args:
        described: The dataclass.
        base: A shape whose entries come first.
        tag: The form, where there are several; it is the entry "kind".
        called: The names that documents use for fields, where they differ.
        types: The types of entries that have another type in documents, or are not fields; None:
            no entry.
    """
    defaults = {each.name: each.default for each in fields(described)}
    known = get_type_hints(described, include_extras=True)
    entries = [
        (
            called.get(name, name),
            shape,
            NODEFAULT if defaults.get(name, MISSING) is MISSING else defaults[name],
        )
        for name, shape in ({name: known[name] for name in defaults} | types).items()
        if shape is not None
    ]
    form: Any = {"tag_field": "kind", "tag": tag} if tag else {}
    made_of = {"MADE": described}
    return msgspec.defstruct(
        described.__name__, entries, bases=(base,), namespace=made_of, kw_only=True, **form
    )


def made(entry: Any) -> Any:
    """The object that an entry describes."""
    if isinstance(entry, Entries | Open):
        return entry.made()
    if isinstance(entry, tuple) and entry and isinstance(entry[0], Entries | Open):
        return tuple(each.made() for each in entry)
    return entry


T = TypeVar("T")
EntriesT = TypeVar("EntriesT", bound=Entries)


class Problem(NamedTuple):
    """The first fault of a document.

    Attributes:
        where: Such as "plan.scenario.beliefs[0]"; empty for the document itself.
        what: What is wrong there.
        unknown: Whether it is an entry that no document of this kind has.
    """

    where: str
    what: str
    unknown: bool = False

    def __str__(self) -> str:
        """The fault in words."""
        return f"{self.where} {self.what}" if self.where else self.what


def problem(data: object, shape: Any) -> Problem | None:
    """The first place where a document is not as its shape says; None if there is none."""
    try:
        _converted(data, shape)
    except msgspec.ValidationError as error:
        return _in_words(str(error), shape)
    return None


def read(data: object, shape: type[T], name: str) -> T:
    """The entries of a document.

    Raises:
        InvalidInputError: The document is not of that shape.
    """
    try:
        return _converted(data, shape)
    except msgspec.ValidationError as error:
        found = _in_words(str(error), shape)
        raise InvalidInputError(f"this {name} is not of the right shape: {found}.") from None


def read_part(data: Mapping[str, Any], shape: type[EntriesT], name: str) -> EntriesT:
    """`read` for the entries of a document that the shape has; others are ignored."""
    part = {entry: data[entry] for entry in shape.__struct_fields__ if entry in data}
    return read(part, shape, name)


def written(shape: type[Entries], *sources: object, **given: Any) -> dict[str, Any]:
    """The entries of a shape as plain data, in its order: as given, or as the sources have them."""
    document = {}
    for name in shape.__struct_fields__:
        if name in given:
            document[name] = given[name]
        else:
            source = next((each for each in sources if hasattr(each, name)), sources[0])
            document[name] = plain(getattr(source, name))
    return document


def plain(value: Any) -> Any:
    """Values as a document holds them: objects by their fields, tuples and arrays as lists."""
    if isinstance(value, Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def json_schema(shape: Any) -> dict[str, Any]:
    """The JSON schema that accepts what `read` accepts."""
    schema = msgspec.json.schema(shape, schema_hook=_schema_of_open)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _converted(data: object, shape: type[T]) -> T:
    try:
        return msgspec.convert(data, shape, dec_hook=_open)
    except UnicodeEncodeError:  # half of a surrogate pair
        raise msgspec.ValidationError("holds text that is not valid Unicode") from None


def _open(shape: type, data: Any) -> Any:
    # This is how msgspec wants to be told that a type is not for this hook.
    if not issubclass(shape, Open):
        raise NotImplementedError
    try:
        return shape(_converted(data, shape.forms()))
    except msgspec.ValidationError as error:
        # Only then does msgspec add the outer place to the inner one.
        raise ValueError(str(error)) from None


def _schema_of_open(shape: type) -> dict[str, Any]:
    # As for `_open`.
    if not issubclass(shape, Open):
        raise NotImplementedError
    forms = msgspec.json.schema(shape.forms(), schema_hook=_schema_of_open)
    return {"anyOf": list(forms["$defs"].values())}


_PLACE = re.compile(r"(.*) - at (`key` in )?`\$([\w.\[\]]*)`", re.DOTALL)
_NAMED = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)


def _in_words(message: str, shape: Any) -> Problem:
    """What msgspec found, without the value that it may quote."""
    where, key = "", False
    while found := _PLACE.fullmatch(message):
        message, key, where = found[1], key or bool(found[2]), where + found[3]
    where = where.removeprefix(".")
    if key:
        return Problem(where, "has an entry with an invalid name", unknown=True)
    if named := _NAMED.fullmatch(message):
        if named[1] == "missing required":
            return Problem(where, f"has no entry {named[2]!r}")
        return Problem(where, f"has an entry {named[2][:40]!r}, which is not known", unknown=True)
    if message.startswith("Invalid"):
        return Problem(where, f"must be one of {', '.join(map(repr, _choices(where, shape)))}")
    if not message.startswith(_WITHOUT_VALUE):
        return Problem(where, "is not of the right shape")
    for theirs, ours in (("Expected", "must be"), ("Number", "is a number")):
        message = message.replace(theirs, ours, 1)
    return Problem(where, _TYPES.sub(_name, message))


# The beginnings of messages that quote no value: two of msgspec, and ours.
_WITHOUT_VALUE = ("Expected `", "Number out of range", "must ", "holds ")
_TYPES = re.compile("`([^`]*)`")
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "an object",
    "str": "a text",
}


def _name(types: re.Match[str]) -> str:
    return " or ".join(_WORDS.get(each, each) for each in types[1].split(" | "))


def _choices(where: str, shape: Any) -> list[Any]:
    """The values that a place may have."""
    schema = json_schema(shape)
    level, named = [schema], schema.get("$defs", {})
    for step in re.findall(r"[A-Za-z_]\w*|\[", where):
        level = [
            inner
            for form in _forms(level, named)
            for inner in (
                (form.get("items"), form.get("additionalProperties"))
                if step == "["
                else (form.get("properties", {}).get(step),)
            )
            if isinstance(inner, dict)
        ]
    found = [each for form in _forms(level, named) for each in form.get("enum", ())]
    return list(dict.fromkeys(found))


def _forms(level: list[dict[str, Any]], named: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for each in level:
        if "$ref" in each:
            yield from _forms([named[each["$ref"].removeprefix("#/$defs/")]], named)
        yield from _forms(each.get("anyOf", []), named)
        yield each
