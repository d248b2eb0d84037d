"""Beliefs from data: the laws that an adversary would fit to a column, one for each secret."""

from __future__ import annotations

from pufferfish.fit.belief import fit_report, refit_belief
from pufferfish.fit.error import FitError
from pufferfish.fit.mixture import MixtureFit
from pufferfish.fit.report import FitReport, GroupFit
from pufferfish.fit.verbs import fit_belief, fit_beliefs

__all__ = [
    "FitError",
    "FitReport",
    "GroupFit",
    "MixtureFit",
    "fit_belief",
    "fit_beliefs",
    "fit_report",
    "refit_belief",
]
