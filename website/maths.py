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
_OPERATORS = set("⌊⌋⌈⌉⟺⟹⟸∎:")
_BEFORE_A_SIGN = set("([{,=≤≥<>")
_CLOSE = set("/|")
# Elsewhere the number of children has a meaning.
_ROWS = {"math", "mrow", "mtd"}
_FUNCTIONS = {"log", "exp", "sin", "sinh", "tanh"}
_PRIMES = set("′″‴")
_CAPITALS = set("ΓΔΘΛΞΠΣΥΦΨΩ")
# latex2mathml sets a single letter in italics although \mathrm was asked for.
_ROMAN_LETTER = re.compile(r"\\mathrm\{([A-Za-z])\}")


def mathml(latex: str) -> str:
    """A displayed formula. What latex2mathml does not know is refused, with the LaTeX."""
    converted = _escaped(convert(_ROMAN_LETTER.sub(r"\\text{\1}", latex), display="block"))
    root = ElementTree.fromstring(converted)  # noqa: S314 (our own pages, converted just now)
    for node in list(root.iter()):
        tag = node.tag.removeprefix(f"{{{_SPACE}}}")
        text = node.text or ""
        if tag == "mi" and (text.startswith("\\") or text == "&"):
            raise ValueError(f"{text} is not understood as LaTeX, in: {latex}")
        if tag == "mi" and text in _OPERATORS:
            node.tag = f"{{{_SPACE}}}mo"
        if tag == "mi" and text in _CAPITALS:
            node.set("mathvariant", "normal")
        if tag == "msub" and node[0].text in _BELOW:
            node.tag = f"{{{_SPACE}}}munder"
        if tag in {"msup", "msubsup"} and node[-1].text in _PRIMES:
            _prime(node)
    for node in list(root.iter()):
        _space(node)
    ElementTree.register_namespace("", _SPACE)
    return ElementTree.tostring(root, encoding="unicode")


def _space(parent: ElementTree.Element) -> None:
    """What TeX does by itself: signs and bars stand close, functions and colons a little apart."""
    if parent.tag.removeprefix(f"{{{_SPACE}}}") not in _ROWS:
        return
    nodes = list(parent)
    around = zip(nodes, [None, *nodes], [*nodes[1:], None], strict=False)
    for node, before, after in around:
        if _is_operator(node) and node.text in _CLOSE:
            node.attrib |= {"lspace": "0", "rspace": "0"}
        elif _is_operator(node) and node.text == ":":
            node.attrib |= {"lspace": "0.278em", "rspace": "0.278em"}
        elif _is_operator(node) and node.text in {"−", "+"}:
            seen = [each for each in nodes[: nodes.index(node)] if not _is_space(each)]
            if seen and _is_operator(seen[-1]) and seen[-1].text in _BEFORE_A_SIGN:
                node.set("form", "prefix")
        elif node.text in _FUNCTIONS or _is_limit(node):
            if after is not None and not (_is_operator(after) or _is_space(after)):
                parent.insert(list(parent).index(after), _thin())
            if before is not None and not (_is_operator(before) or _is_space(before)):
                parent.insert(list(parent).index(node), _thin())


def _prime(node: ElementTree.Element) -> None:
    """The font's prime is raised by itself: it stands next to its letter, before an index."""
    prime = ElementTree.Element(f"{{{_SPACE}}}mo", {"lspace": "0", "rspace": "0"})
    prime.text = node[-1].text
    node.remove(node[-1])
    if len(node) == 1:
        node.tag = f"{{{_SPACE}}}mrow"
        node.append(prime)
    else:
        node.tag = f"{{{_SPACE}}}msub"
        row = ElementTree.Element(f"{{{_SPACE}}}mrow")
        row.extend([node[0], prime])
        node[0] = row


def _is_limit(node: ElementTree.Element) -> bool:
    """max, sup and the like, with something below or not; they keep no distance by themselves."""
    name = node[0] if node.tag == f"{{{_SPACE}}}munder" else node
    if name.text not in _BELOW:
        return False
    name.attrib |= {"lspace": "0", "rspace": "0"}
    return True


def _is_space(node: ElementTree.Element) -> bool:
    return node.tag == f"{{{_SPACE}}}mspace"


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
            processor = _Script(rf"{mark}(?:{_BRACED}|({_LETTERS}|[*+∞⊥]|\d+))", tag, md)
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
        return self._element(m), m.start(0), m.end(0)

    def _element(self, m: re.Match[str]) -> ElementTree.Element:
        """With what is raised or lowered once more within it, as in e^{2^K}."""
        element = ElementTree.Element(self._tag)
        inner = m[1] if m[1] is not None else m[2]
        element.text, end = inner, 0
        for found in self.compiled_re.finditer(inner):
            between = inner[end : found.start()]
            if len(element):
                element[-1].tail = between
            else:
                element.text = between
            element.append(self._element(found))
            end = found.end()
        if len(element):
            element[-1].tail = inner[end:]
        return element
