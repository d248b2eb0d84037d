"""Colours and dashes: one drawing for light, dark and print.

The pictures of a page name their inks as CSS variables, and the page sets each variable for light,
dark and print; a picture file has the light ones. The four inks for data are from the palette of
Okabe and Ito, which people with any colour vision can tell apart, and each has its own dashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "DASHES",
    "INKS",
    "LEVELS",
    "Key",
    "css_variables",
    "dashes_for",
    "ink",
]


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend: which ink, what it stands for, and how it is drawn."""

    ink: str
    label: str
    shape: Literal["line", "area", "bar", "pin", "diamond"] = "line"

    @property
    def dashes(self) -> str:
        """For `stroke-dasharray`."""
        return " ".join(f"{each:g}" for each in DASHES.get(self.ink, ())) or "none"


# Steps of a heat map, from little to all of what a promise allows.
LEVELS = tuple(f"level{step}" for step in range(6))

# Name: (light and print, dark).
INKS: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#15181c"),
    "ink": ("#1b1f24", "#e8eaed"),
    "faint": ("#8a929b", "#7d8690"),
    "first": ("#0072b2", "#56b4e9"),
    "second": ("#d55e00", "#e69f00"),
    "third": ("#00785a", "#2fc79a"),
    "level0": ("#f0f4f8", "#22282e"),
    "level1": ("#cfe1ef", "#2b4355"),
    "level2": ("#9cc6e2", "#35607f"),
    "level3": ("#5fa5d1", "#3f80ab"),
    "level4": ("#2b82bb", "#63a9d4"),
    "level5": ("#0a5485", "#a5d4f2"),
    "fourth": ("#a3467f", "#cc79a7"),
}
# In points; an ink that is not listed is solid.
DASHES: dict[str, tuple[float, ...]] = {
    "second": (5.0, 2.0),
    "third": (1.5, 1.5),
    "fourth": (6.0, 1.5, 1.5, 1.5),
}


def ink(name: str) -> str:
    """The colour to draw a picture file with: the light one."""
    return INKS[name][0]


def dashes_for(name: str) -> tuple[float, tuple[float, ...]] | str:
    """The line style of an ink, as matplotlib wants it."""
    return (0.0, DASHES[name]) if name in DASHES else "solid"


def css_variables(*, dark: bool) -> str:
    """The values of the variables, as CSS declarations."""
    return " ".join(f"--{name}: {shades[dark]};" for name, shades in INKS.items())
