"""Tables in and out: counts by secret, and one column mapped through a callable.

Frames, arrays and files of every kind; what is fitted to them or planned for them is not known
here.
"""

from __future__ import annotations

from pufferfish.tables.files import Progress, file_batches
from pufferfish.tables.formats import STANDARD_STREAM, FileFormat, format_of
from pufferfish.tables.mapping import Change, Changed, map_arrays, map_frame
from pufferfish.tables.publishing import becomes_folder, map_file
from pufferfish.tables.summarise import summarise
from pufferfish.tables.summary import Group, Summary
from pufferfish.tables.tally import MOST_VALUES, Batch, Tally

__all__ = [
    "MOST_VALUES",
    "STANDARD_STREAM",
    "Batch",
    "Change",
    "Changed",
    "FileFormat",
    "Group",
    "Progress",
    "Summary",
    "Tally",
    "becomes_folder",
    "file_batches",
    "format_of",
    "map_arrays",
    "map_file",
    "map_frame",
    "summarise",
]
