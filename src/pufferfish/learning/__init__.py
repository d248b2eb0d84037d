"""What can be learned from published rows: a sample of them, a learner, and how often it is right.

Everything here measures, for the curator; nothing here protects anybody.
"""

from __future__ import annotations

from pufferfish.learning.reveals import measure_leak
from pufferfish.learning.sample import Sample

__all__ = ["Sample", "measure_leak"]
