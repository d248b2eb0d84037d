"""Noise laws as data, and the law of X + N in closed form. No randomness here."""

from __future__ import annotations

from pufferfish.noise.laws import (
    GaussianNoise,
    LaplaceNoise,
    Noise,
    NoNoise,
    check_noise,
    resized,
    size_of,
)
from pufferfish.noise.output import (
    AtomsOutput,
    MixtureOutput,
    OutputLaw,
    TableOutput,
    output_law,
)

__all__ = [
    "AtomsOutput",
    "GaussianNoise",
    "LaplaceNoise",
    "MixtureOutput",
    "NoNoise",
    "Noise",
    "OutputLaw",
    "TableOutput",
    "check_noise",
    "output_law",
    "resized",
    "size_of",
]
