"""Sums over independent users: how much noise hides each of them, and the sum that is published."""

from __future__ import annotations

from pufferfish.sums.calibration import SumCalibration, calibrate_sum, certified_sum
from pufferfish.sums.compare import compare_sum
from pufferfish.sums.curve import ScaleCurve, scale_curve
from pufferfish.sums.kind import SumKind
from pufferfish.sums.limit import LimitCheck, check_limit, lyapunov_ratio
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.reading import users_from_table
from pufferfish.sums.record import SumRecord
from pufferfish.sums.release import SumRelease, release_sum
from pufferfish.sums.secret import Protected
from pufferfish.sums.users import Users, binary, finite_users, identical, moments, together
from pufferfish.sums.words import explain_sum

__all__ = [
    "LimitCheck",
    "Protected",
    "ScaleCurve",
    "SumCalibration",
    "SumKind",
    "SumPlan",
    "SumRecord",
    "SumRelease",
    "Users",
    "binary",
    "calibrate_sum",
    "certified_sum",
    "check_limit",
    "compare_sum",
    "explain_sum",
    "finite_users",
    "identical",
    "lyapunov_ratio",
    "moments",
    "release_sum",
    "scale_curve",
    "together",
    "users_from_table",
]
