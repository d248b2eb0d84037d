r"""Formulas of the site: LaTeX in a `math` fence becomes MathML when the site is built.

No script, no font and no request is needed to read a page. The same fence is shown as a formula by
the usual hosts of repositories, so their LaTeX is kept to what both understand. latex2mathml passes
on what it does not know (a command becomes a name, `&` outside a table stays): such a formula is an
error here, and a strict build fails.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor

_SPACE = "http://www.w3.org/1998/Math/MathML"
_BELOW = {"max", "min", "sup", "inf"}
# latex2mathml calls these identifiers, and they would be set without space or as letters.
_OPERATORS = set("⌊⌋⌈⌉⟺⟹⟸∎")
_BEFORE_A_SIGN = set("([{,=≤≥<>")
_CLOSE = set("/|")
# Elsewhere the number of children has a meaning.
_ROWS = {"math", "mrow", "mtd"}
_FUNCTIONS = {"log", "exp", "sin", "sinh", "tanh"}


def mathml(latex: str) -> str:
    """A displayed formula. What latex2mathml does not know is refused, with the LaTeX."""
    converted = _escaped(convert(latex, display="block"))
    root = ElementTree.fromstring(converted)  # noqa: S314 (our own pages, converted just now)
    for node in root.iter():
        tag = node.tag.removeprefix(f"{{{_SPACE}}}")
        text = node.text or ""
        if tag == "mi" and (text.startswith("\\") or text == "&"):
            raise ValueError(f"{text} is not understood as LaTeX, in: {latex}")
        if tag == "mi" and text in _OPERATORS:
            node.tag = f"{{{_SPACE}}}mo"
        if tag == "msub" and node[0].text in _BELOW:
            node.tag = f"{{{_SPACE}}}munder"
    for node in list(root.iter()):
        _space(node)
    ElementTree.register_namespace("", _SPACE)
    return ElementTree.tostring(root, encoding="unicode")


def _space(parent: ElementTree.Element) -> None:
    """What TeX does by itself: signs and bars stand close, functions a little apart."""
    if parent.tag.removeprefix(f"{{{_SPACE}}}") not in _ROWS:
        return
    nodes = list(parent)
    around = zip(nodes, [None, *nodes], [*nodes[1:], None], strict=False)
    for node, before, after in around:
        if _is_operator(node) and node.text in _CLOSE:
            node.attrib |= {"lspace": "0", "rspace": "0"}
        elif _is_operator(node) and node.text in {"−", "+"}:
            if before is not None and _is_operator(before) and before.text in _BEFORE_A_SIGN:
                node.set("form", "prefix")
        elif node.text in _FUNCTIONS:
            if after is not None and not _is_operator(after):
                parent.insert(list(parent).index(after), _thin())
            if before is not None and not _is_operator(before):
                parent.insert(list(parent).index(node), _thin())


def _is_operator(node: ElementTree.Element) -> bool:
    return node.tag == f"{{{_SPACE}}}mo"


def _thin() -> ElementTree.Element:
    return ElementTree.Element(f"{{{_SPACE}}}mspace", {"width": "0.167em"})


def _escaped(converted: str) -> str:
    return converted.replace("<mi>&</mi>", "<mi>&amp;</mi>")


def fence(
    source: str, language: str, css_class: str, options: dict[str, Any], md: Any, **_: Any
) -> str:
    """What `pymdownx.superfences` calls for a `math` fence; a wide formula scrolls in its box."""
    return f'<div class="formula" tabindex="0">{mathml(source)}</div>'


class Scripts(Extension):
    r"""e^ε, e^{−t²/2} and s\_m in text, raised and lowered; in code they stay as they are.

    Short formulas stand in the text in plain characters, which everything shows. What follows `^`
    or an escaped underscore is one letter or a word of letters, or stands in braces.
    """

    def extendMarkdown(self, md: Markdown) -> None:
        """Before the escapes are resolved, which would leave a plain underscore."""
        for tag, mark in (("sup", r"\^"), ("sub", r"\\_")):
            processor = _Script(rf"{mark}(?:{_BRACED}|({_LETTERS}|[*+∞]|\d+))", tag, md)
            md.inlinePatterns.register(processor, f"script-{tag}", 185)


# Letters, and no ² that follows them.
_LETTERS = r"[^\W\d_¹²³⁰-⁹]+"
# Braces within braces: e^{−2^{K}r}.
_BRACED = r"\{((?:[^{}]|\{[^{}]*\})*)\}"


class _Script(InlineProcessor):
    def __init__(self, pattern: str, tag: str, md: Markdown) -> None:
        super().__init__(pattern, md)
        self._tag = tag

    def handleMatch(  # type: ignore[override]
        self, m: re.Match[str], data: str
    ) -> tuple[ElementTree.Element, int, int]:
        element = ElementTree.Element(self._tag)
        element.text = m[1] if m[1] is not None else m[2]
        return element, m.start(0), m.end(0)
