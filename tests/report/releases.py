"""Releases to report on, and pages as a reader's program sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np

import pufferfish as pf

ROWS = 1000
VALUES = np.random.default_rng(0).normal(50.0, 2.5, ROWS)
TABLE = {"x": VALUES, "s": np.array(["a", "b"] * (ROWS // 2)), "k": np.arange(ROWS)}
LAWS = {"a": pf.Gaussian(49.5, 2.0), "b": pf.Gaussian(51.0, 2.5)}


@cache
def calibration(
    noise: Any = "laplace", delta: float = 0.0, provenance: str = "private"
) -> pf.Calibration:
    belief = pf.Belief(LAWS, name="curious", provenance=provenance)
    return pf.calibrate(pf.Scenario(belief), pf.Guarantee(0.5, delta), noise)


def released(found: pf.Calibration | None = None, table: Any = None, **fields: Any) -> pf.Release:
    plan = pf.Plan(calibration=found or calibration(), column="x", secret="s", **fields)
    return pf.release(table or TABLE, plan)


@cache
def adult() -> pf.Release:
    """All ten pairs of five secrets, two adversaries."""
    table = pf.datasets.adult_education()
    beliefs = pf.fit_beliefs(table, column="education-num", secret="race")
    found = pf.calibrate(pf.Scenario(beliefs), pf.Guarantee(1.0))
    return pf.release(table, pf.Plan(calibration=found, column="education-num", secret="race"))


VOID = {"meta", "br", "img", "link", "input", "hr"}


@dataclass
class Page(HTMLParser):
    """What is in a page: its elements, its text, and whether every element is closed."""

    html: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    open_tags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()
        assert self.open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open_tags[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]
