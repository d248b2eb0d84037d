"""Tables in and out: counts by secret, and rows mapped through a callable.

It handles frames, arrays and files of every kind, on this machine (`local`) or on a cluster
(`spark`), and does not know what is fitted to them or planned for them.
"""

from __future__ import annotations

from pufferfish.tables.batch import Batch
from pufferfish.tables.change import Change, Changed
from pufferfish.tables.coding import Coding
from pufferfish.tables.counts import Counts, Group
from pufferfish.tables.engine import Engine, Progress, Staged, Survey
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, format_of
from pufferfish.tables.local.transform import becomes_folder
from pufferfish.tables.tally import MOST_VALUES, Counting, Tally
from pufferfish.tables.verbs import summarise

__all__ = [
    "MOST_VALUES",
    "STANDARD_STREAM",
    "Batch",
    "Change",
    "Changed",
    "Coding",
    "Counting",
    "Counts",
    "Engine",
    "FileFormat",
    "Group",
    "Progress",
    "Staged",
    "Survey",
    "Tally",
    "becomes_folder",
    "format_of",
    "summarise",
]
