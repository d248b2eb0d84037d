"""The laws that are applied to a value, as data; the law of X + N in closed form. Draws nothing."""

from __future__ import annotations

from pufferfish.noise.base import AdditiveLaw, Law
from pufferfish.noise.documents import LawEntries, law_from_dict, law_to_dict, register_document
from pufferfish.noise.laws import (
    GaussianNoise,
    LaplaceNoise,
    Noise,
    NoNoise,
    as_noise,
    check_noise,
)
from pufferfish.noise.output import (
    AtomsOutput,
    MixtureOutput,
    OutputLaw,
    TableOutput,
    output_law,
)
from pufferfish.noise.stratified import Stratified, Stratum

__all__ = [
    "AdditiveLaw",
    "AtomsOutput",
    "GaussianNoise",
    "LaplaceNoise",
    "Law",
    "LawEntries",
    "MixtureOutput",
    "NoNoise",
    "Noise",
    "OutputLaw",
    "Stratified",
    "Stratum",
    "TableOutput",
    "as_noise",
    "check_noise",
    "law_from_dict",
    "law_to_dict",
    "output_law",
    "register_document",
]
