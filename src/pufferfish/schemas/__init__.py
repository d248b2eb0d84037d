"""The JSON schemas of all documents, generated from their shapes; `make schemas` writes them."""

from __future__ import annotations

import json
from typing import Any

from pufferfish.beliefs.documents import BeliefsEntries
from pufferfish.columns.plan import ColumnPlan
from pufferfish.columns.record import Record
from pufferfish.documents.shape import json_schema
from pufferfish.joint.plan import TablePlan
from pufferfish.joint.record import TableRecord
from pufferfish.sums.plan import SumPlan
from pufferfish.sums.record import SumRecord

__all__ = ["SHAPES", "schema_text"]

SHAPES: dict[str, Any] = {
    "beliefs": BeliefsEntries,
    **{
        each.KIND: each.SHAPE
        for each in (ColumnPlan, Record, TablePlan, TableRecord, SumPlan, SumRecord)
    },
}


def schema_text(kind: str) -> str:
    """The schema of a kind of documents, as in its file."""
    schema = {"title": f"A document of pufferfish: {kind}", **json_schema(SHAPES[kind])}
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"
