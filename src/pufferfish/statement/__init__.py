"""What a release says to everybody: facts, and the words that follow from them alone.

Both editions of a record carry the facts and the words. A reader who has only the facts can write
the words again, and so can see whether somebody has edited them. What is outside the promise comes
first (`headline`), before any ε.
"""

from pufferfish.statement.agreement import contradictions
from pufferfish.statement.facts import BeliefsFrom, Facts, Order, Reveals, planned_source
from pufferfish.statement.words import (
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
    "Reveals",
    "contradictions",
    "headline",
    "noise_in_words",
    "not_promised",
    "planned_source",
    "promise",
    "words",
]
