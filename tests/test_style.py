"""The word list of docs/style.md is kept, by documents, messages, the studio and reports."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support import ROOT

SOURCE = ROOT / "src" / "pufferfish"
# What is written on the left of the word list, as patterns.
NEVER = {
    "whoever": r"\bwhoever\b",
    "an own": r"\ban own\b",
    "so many": r"\bso many\b",
    "look what, look whether": r"\blook (?:what|whether)\b",
    "allow to, allows to": r"\b(?:not )?allows? to\b",
    # Not the argument of that name.
    "beside": r"\bbeside\b(?!: )",
    "Of the rows": r"(?:^|[.!?:] |[-*|] |\*\* |\) )Of (?=[a-z0-9`'\[])",
    "betray": r"\bbetray",
}
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "SECURITY.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name != "style.md"),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
]
TEXTS = sorted(
    path for ending in ("*.py", "*.j2", "*.js", "*.html") for path in SOURCE.rglob(ending)
)
# What a command prints is shown as it is printed.
_SHOWN = re.compile(r"^```(?:text|console)\n.*?^```$", re.MULTILINE | re.DOTALL)


def prose(path: Path) -> str:
    """What a person reads: of a program its strings, of a document all but terminal output."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "\n".join(_strings(ast.parse(text)))
    if path.suffix == ".ipynb":
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return _SHOWN.sub("", text)


def _strings(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        # A single word is a name.
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not node.value.isidentifier()
        ):
            yield node.value


def hits(path: Path, never: dict[str, str]) -> list[str]:
    text = prose(path)
    return [
        f"{path.relative_to(ROOT)}: {text[max(0, found.start() - 40) : found.end() + 40]!r}"
        for pattern in never.values()
        for found in re.finditer(
            pattern, text, re.MULTILINE | (re.IGNORECASE if "Of" not in pattern else 0)
        )
    ]


def test_documents_keep_the_word_list() -> None:
    assert len(DOCUMENTS) > 50
    assert not [hit for path in DOCUMENTS for hit in hits(path, NEVER)]


def test_messages_and_pages_keep_the_word_list() -> None:
    assert len(TEXTS) > 200
    assert not [hit for path in TEXTS for hit in hits(path, NEVER)]


def test_the_patterns_find_what_they_are_for() -> None:
    """Each of them: a linter that finds nothing anywhere keeps nothing."""
    bad = (
        "Whoever has an own key. It is wide. Of so many rows, look what stands beside it: it "
        "betrays, and allows to tell."
    )
    for name, pattern in NEVER.items():
        assert re.search(pattern, bad, re.IGNORECASE), name
    assert not re.search(NEVER["beside"], "compared besides")
    assert not re.search(NEVER["Of the rows"], "one of the rows. Often it holds")
