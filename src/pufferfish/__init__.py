"""Publish a numeric column without betraying a secret it is correlated with.

Describe what an adversary may believe (`Belief`, `Scenario`), ask for a `Guarantee`, and
`calibrate` finds the least noise that keeps it, with a `Certificate` from an exact oracle.
"""

from __future__ import annotations

from pufferfish import datasets
from pufferfish.calibrate import Calibration, calibrate
from pufferfish.errors import (
    CertificationError,
    InvalidInputError,
    PufferfishError,
    UnreachableGoalError,
    UnsupportedError,
)
from pufferfish.exact import (
    Certificate,
    Enclosure,
    PairResult,
    PrivacyProfile,
    privacy_profile,
    pure_epsilon,
    verify,
)
from pufferfish.guarantee import Guarantee
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise, output_law
from pufferfish.priors import Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.scenario import Belief, Scenario, Secret, SecretPair

__version__ = "0.1.0"

__all__ = [
    "Belief",
    "Calibration",
    "Certificate",
    "CertificationError",
    "Discrete",
    "Enclosure",
    "Gaussian",
    "GaussianMixture",
    "GaussianNoise",
    "Guarantee",
    "InvalidInputError",
    "LaplaceNoise",
    "NoNoise",
    "Noise",
    "PairResult",
    "Prior",
    "PrivacyProfile",
    "PufferfishError",
    "Scenario",
    "Secret",
    "SecretPair",
    "UnreachableGoalError",
    "UnsupportedError",
    "calibrate",
    "datasets",
    "output_law",
    "privacy_profile",
    "pure_epsilon",
    "verify",
]
