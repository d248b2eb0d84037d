"""The paper, reproduced: its figures by number, what the library adds, and where the two differ.

Needs the extra `report` (matplotlib, jinja2).
"""

from __future__ import annotations

from examples.paper.run import Reproduction, Written, paper

__all__ = ["Reproduction", "Written", "paper"]
