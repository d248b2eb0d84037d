"""A plan from what the options say."""

from __future__ import annotations

from typing import Any

from pufferfish.calibrate import Calibration
from pufferfish.cli.adversaries import Adversaries
from pufferfish.cli.options import Publishing, Table
from pufferfish.plan import Plan
from pufferfish.scenario import Secret

__all__ = ["planned"]


def planned(
    calibration: Calibration,
    others: tuple[Secret, ...],
    table: Table,
    adversaries: Adversaries,
    publishing: Publishing,
) -> Plan:
    """The plan of a release."""
    column, secret = table.columns
    missing: Any = adversaries.missing
    return Plan(
        calibration=calibration,
        column=column,
        secret=secret,
        keep=tuple(publishing.keep or ()),
        missing=missing,
        unit="row" if publishing.person is None else "person",
        person=publishing.person,
        rows_per_person=publishing.rows_per_person,
        postprocess=publishing.postprocess,
        keep_order=publishing.keep_order,
        others=others,
        allow_no_noise=publishing.allow_no_noise,
    )
