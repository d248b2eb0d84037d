"""Tables in: counts by secret, from frames, arrays, or a summary made elsewhere."""

from __future__ import annotations

from pufferfish.tables.summarise import summarise
from pufferfish.tables.summary import Group, Summary
from pufferfish.tables.tally import MOST_VALUES, Batch, Tally

__all__ = ["MOST_VALUES", "Batch", "Group", "Summary", "Tally", "summarise"]
