"""Publish a table without revealing a sensitive attribute that is correlated with it.

Describe what an adversary may believe (`Belief`, `Scenario`) and choose a `Guarantee`: `calibrate`
finds the least noise, or the recoding with the least loss, that keeps it, with a `Certificate` from
an exact oracle.
"""

from __future__ import annotations

from pufferfish import datasets, denoise, sampling, sums, theorems, transport
from pufferfish.audits import AuditResult, audit
from pufferfish.beliefs.guarantee import Guarantee, guess_at_most
from pufferfish.beliefs.priors import Categorical, Discrete, Gaussian, GaussianMixture, Prior
from pufferfish.beliefs.region import SampleRegion
from pufferfish.beliefs.scenario import Belief, Scenario, Secret, SecretPair
from pufferfish.calibration.choice import calibrate
from pufferfish.calibration.distance import Radius, radius
from pufferfish.calibration.mechanism import Mechanism
from pufferfish.calibration.postprocess import Clip, Postprocess, RoundTo
from pufferfish.calibration.result import Calibration
from pufferfish.calibration.rows import SeveralRows, calibrate_rows, least_epsilon_rows
from pufferfish.columns.kind import ColumnKind
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.core.errors import (
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
from pufferfish.documents.signing import PublicKey, SigningKey
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
from pufferfish.insight.choosing import Chosen, choose_mechanism
from pufferfish.insight.comparison import ComparedMethod, Comparison, compare
from pufferfish.insight.extremes import Outliers, outliers
from pufferfish.insight.held_out import HeldOut, held_out, wrong_that_holds
from pufferfish.insight.strongest import (
    least_epsilon,
    noise_for_mean,
    noise_for_value,
    noise_of_size,
)
from pufferfish.joint.kind import TableKind
from pufferfish.joint.plan import TablePlan, is_table
from pufferfish.kinds.choosing import Plan
from pufferfish.kinds.kind import register
from pufferfish.kinds.verifier import Verification, verify_record
from pufferfish.ledger.budget import Ledger
from pufferfish.noise import GaussianNoise, LaplaceNoise, Noise, NoNoise, output_law
from pufferfish.recoding.law import Recoding
from pufferfish.releases import Release, release, release_file
from pufferfish.sampling import NotPrivateEntropy
from pufferfish.sums import SumCalibration, SumPlan, calibrate_sum, compare_sum, release_sum
from pufferfish.tables import Counts, summarise
from pufferfish.tables.halves import Halves, split_half
from pufferfish.tables.spark.workers import SparkWorkers
from pufferfish.theorems import ComposableCertificate, composable
from pufferfish.words.explanation import Explanation
from pufferfish.words.steps import Step

__version__ = "0.1.0"
from pufferfish.what_if.result import Stress
from pufferfish.what_if.run import stress

__all__ = [
    "AuditResult",
    "Belief",
    "BudgetExceededError",
    "Calibration",
    "Categorical",
    "Certificate",
    "CertificationError",
    "Chosen",
    "Clip",
    "ComparedMethod",
    "Comparison",
    "ComposableCertificate",
    "Counts",
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
    "Halves",
    "HeldOut",
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
    "Recoding",
    "Record",
    "Release",
    "RoundTo",
    "SampleRegion",
    "Scenario",
    "Secret",
    "SecretPair",
    "SeveralRows",
    "SigningKey",
    "SparkWorkers",
    "Step",
    "Stress",
    "SumCalibration",
    "SumPlan",
    "UnreachableGoalError",
    "UnsupportedError",
    "Verification",
    "audit",
    "calibrate",
    "calibrate_rows",
    "calibrate_sum",
    "choose_mechanism",
    "compare",
    "compare_sum",
    "composable",
    "datasets",
    "denoise",
    "fit_belief",
    "fit_beliefs",
    "fit_report",
    "guess_at_most",
    "held_out",
    "least_epsilon",
    "least_epsilon_rows",
    "noise_for_mean",
    "noise_for_value",
    "noise_of_size",
    "outliers",
    "output_law",
    "privacy_profile",
    "pure_epsilon",
    "radius",
    "release",
    "release_file",
    "release_sum",
    "sampling",
    "split_half",
    "stress",
    "summarise",
    "sums",
    "theorems",
    "transport",
    "verify",
    "verify_record",
    "wrong_that_holds",
]

# The built-in kinds of release, and which arguments of `Plan` each takes.
Plan.register(is_table, TablePlan)
Plan.register(lambda given: True, ColumnPlan)
register(ColumnKind())
register(TableKind())
register(sums.SumKind())
