"""The page of the documents' JSON schemas, written from the schemas."""

from __future__ import annotations

import json
from typing import Any

from pufferfish.schemas import SHAPES, schema_text

_INTRODUCTION = """# Documents and their schemas

Plans, records and beliefs are JSON. Each kind has a JSON schema, draft 2020-12, which is
in the package as `pufferfish/schemas/KIND.schema.json`. The schemas are written from the types that
the library checks with. Unknown entries are refused at every depth. A document of another
version is refused.

This page lists the entries at the top of each document; the schema has all of them.
"""


def schema_files() -> dict[str, str]:
    """Where each schema stands in the site, and its text."""
    return {f"reference/schemas/{kind}.schema.json": schema_text(kind) for kind in SHAPES}


def schemas_page() -> str:
    """Markdown: a section for each kind of document, with its entries."""
    return "\n".join([_INTRODUCTION, *map(_section, SHAPES)])


def _section(kind: str) -> str:
    schema = json.loads(schema_text(kind))
    lines = [f"## {kind}", "", f"[{kind}.schema.json](schemas/{kind}.schema.json)", ""]
    for title, shape in _objects(schema, schema):
        lines += [f"**{title}**", "", "| entry | type | must be there |", "|---|---|---|"]
        required = shape.get("required", [])
        for name, entry in shape["properties"].items():
            lines.append(f"| `{name}` | {_type(entry)} | {'yes' if name in required else 'no'} |")
        lines.append("")
    return "\n".join(lines)


def _objects(schema: dict[str, Any], node: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The shapes that a whole document may have."""
    if "$ref" in node:
        return _objects(schema, schema["$defs"][node["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in node:
        return [found for each in node["anyOf"] for found in _objects(schema, each)]
    return [(node["title"], node)]


def _type(entry: dict[str, Any]) -> str:
    if "$ref" in entry:
        return f"{entry['$ref'].rsplit('/', 1)[1]}"
    if "enum" in entry:
        return " or ".join(f"`{json.dumps(each, ensure_ascii=False)}`" for each in entry["enum"])
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(map(_type, entry["anyOf"])))
    if "title" in entry:
        return str(entry["title"])
    given = entry.get("type", "any")
    return str(given) if isinstance(given, str) else " or ".join(given)
