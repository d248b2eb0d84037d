"""Attack a release: lower bounds on ε and δ with confidence, from what is really published."""

from __future__ import annotations

from pufferfish.audits.learners import DataAudit, audit_data
from pufferfish.audits.result import AuditCheck, AuditResult, Event, PairFinding
from pufferfish.audits.run import audit
from pufferfish.audits.subject import Command
from pufferfish.audits.tables import TableAudit

__all__ = [
    "AuditCheck",
    "AuditResult",
    "Command",
    "DataAudit",
    "Event",
    "PairFinding",
    "TableAudit",
    "audit",
    "audit_data",
]
