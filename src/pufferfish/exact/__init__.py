"""The oracle: enclosures of δ(ε) and of ε* for a scenario and a noise law."""

from __future__ import annotations

from pufferfish.exact.certificate import Certificate, PairResult, Screened
from pufferfish.exact.enclosure import Enclosure
from pufferfish.exact.oracle import (
    PrivacyProfile,
    ProfilePoint,
    privacy_profile,
    pure_epsilon,
    verify,
)
from pufferfish.exact.parallel import Workers

__all__ = [
    "Certificate",
    "Enclosure",
    "PairResult",
    "PrivacyProfile",
    "ProfilePoint",
    "Screened",
    "Workers",
    "privacy_profile",
    "pure_epsilon",
    "verify",
]
