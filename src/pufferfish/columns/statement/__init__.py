"""What a release states to everybody: facts, and the words that follow from them alone.

Both editions of a record hold the facts and the words. A reader who has only the facts can derive
the words again, and so see whether somebody has edited them. What is outside the promise comes
first (`headline`), before any ε.
"""

from pufferfish.columns.statement.facts import BeliefsFrom, Facts, Order, planned_source
from pufferfish.columns.statement.in_words import (
    WORDS,
    headline,
    noise_in_words,
    not_promised,
    promise,
    words,
)

__all__ = [
    "WORDS",
    "BeliefsFrom",
    "Facts",
    "Order",
    "headline",
    "noise_in_words",
    "not_promised",
    "planned_source",
    "promise",
    "words",
]
