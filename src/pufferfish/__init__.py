"""Publish a numeric column without betraying a secret it is correlated with.

Describe what an adversary may believe (`Belief`, `Scenario`), ask for a `Guarantee`, and
`calibrate` finds the least noise that keeps it, with a `Certificate` from an exact oracle.
"""

from __future__ import annotations

from pufferfish import datasets, denoise, sampling, sums, theorems, transport
from pufferfish.audit import AuditResult, audit
from pufferfish.calibrate import calibrate
from pufferfish.calibration import Calibration
from pufferfish.checking import Verification, verify_record
from pufferfish.columns import ColumnKind
from pufferfish.compare import ComparedMethod, Comparison, compare
from pufferfish.errors import (
    BudgetExceededError,
    CertificationError,
    CoverageWarning,
    DataError,
    EngineError,
    InvalidInputError,
    MissingExtraError,
    OutputExistsError,
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
from pufferfish.fit import FitReport, fit_belief, fit_beliefs, fit_report
from pufferfish.guarantee import Guarantee
from pufferfish.kind import register
from pufferfish.ledger import Ledger
from pufferfish.mechanism import Mechanism
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise, output_law
from pufferfish.outliers import Outliers, outliers
from pufferfish.persons import calibrate_rows
from pufferfish.plan import Plan
from pufferfish.postprocess import Clip, Postprocess, RoundTo
from pufferfish.priors import Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.radius import Radius, radius
from pufferfish.record import Record
from pufferfish.release import Release, release, release_file
from pufferfish.sampling import NotPrivateEntropy
from pufferfish.scenario import Belief, Scenario, Secret, SecretPair
from pufferfish.signing import PublicKey, SigningKey
from pufferfish.sums import SumCalibration, SumPlan, calibrate_sum, compare_sum, release_sum
from pufferfish.tables import Summary, summarise
from pufferfish.tables.spark.workers import SparkWorkers
from pufferfish.theorems import ComposableCertificate, composable
from pufferfish.words.explanation import Explanation
from pufferfish.words.steps import Step

__version__ = "0.1.0"

__all__ = [
    "AuditResult",
    "Belief",
    "BudgetExceededError",
    "Calibration",
    "Certificate",
    "CertificationError",
    "Clip",
    "ComparedMethod",
    "Comparison",
    "ComposableCertificate",
    "CoverageWarning",
    "DataError",
    "Discrete",
    "Enclosure",
    "EngineError",
    "Explanation",
    "FitReport",
    "Gaussian",
    "GaussianMixture",
    "GaussianNoise",
    "Guarantee",
    "InvalidInputError",
    "LaplaceNoise",
    "Ledger",
    "Mechanism",
    "MissingExtraError",
    "NoNoise",
    "Noise",
    "NotPrivateEntropy",
    "Outliers",
    "OutputExistsError",
    "PairResult",
    "Plan",
    "Postprocess",
    "Prior",
    "PrivacyProfile",
    "PublicKey",
    "PufferfishError",
    "Radius",
    "Record",
    "Release",
    "RoundTo",
    "Scenario",
    "Secret",
    "SecretPair",
    "SigningKey",
    "SparkWorkers",
    "Step",
    "SumCalibration",
    "SumPlan",
    "Summary",
    "UnreachableGoalError",
    "UnsupportedError",
    "Verification",
    "audit",
    "calibrate",
    "calibrate_rows",
    "calibrate_sum",
    "compare",
    "compare_sum",
    "composable",
    "datasets",
    "denoise",
    "fit_belief",
    "fit_beliefs",
    "fit_report",
    "outliers",
    "output_law",
    "privacy_profile",
    "pure_epsilon",
    "radius",
    "release",
    "release_file",
    "release_sum",
    "sampling",
    "summarise",
    "sums",
    "theorems",
    "transport",
    "verify",
    "verify_record",
]

# The kinds of release that are built in.
register(ColumnKind())
register(sums.SumKind())
