"""Does a published table look as its laws would leave it? Checked without the data.

Its columns must be those that the record names. Where the map is known, every published row must be
one that the map of its stratum can publish. Where the counts of the table are known as well, each
output must occur as often as they say, up to chance (`columns.recoded`), with false alarms of
`FALSE_ALARM` for all strata together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pufferfish.beliefs.labels import Label, Place, key_of, label_key, places_of
from pufferfish.beliefs.rules import Rule
from pufferfish.beliefs.scenario import RELEASED, Belief
from pufferfish.columns.recoded import (
    DONE,
    FALSE_ALARM,
    LIKE,
    PlannedMap,
    judge_counts,
    places_in,
)
from pufferfish.core.errors import DataError
from pufferfish.core.limits import ROWS_PER_BYTE, SPARE_ROWS
from pufferfish.documents.shape import read
from pufferfish.joint.facts import TableFacts
from pufferfish.joint.plan import TablePlanEntries
from pufferfish.noise import Law, Stratified
from pufferfish.recoding.law import Recoding
from pufferfish.releases.published_file import Appearance
from pufferfish.tables import Counting, Counts, format_of
from pufferfish.tables.coding import Coding
from pufferfish.tables.local.engine import FilesEngine
from pufferfish.tables.local.files import column_names

__all__ = ["table_appearance"]


def table_appearance(data: Mapping[str, Any], facts: TableFacts, released: Path) -> Appearance:
    """Judge a published table by all that its record says."""
    place, format_ = str(released), format_of(released)
    names = {*column_names(place, format_, facts.columns[0])}
    other = names ^ {*facts.columns, *facts.kept, *facts.unprotected}
    if other:
        raise DataError(f"its columns are not those that the record names ({len(other)} differ).")
    rows = int(data["published"]["rows"])
    size = released.stat().st_size if released.is_file() else None
    if size is not None and rows > ROWS_PER_BYTE * size + SPARE_ROWS:
        return Appearance(0, False, "the record names more rows than the file can hold", LIKE)
    entries = read(dict(data["plan"]), TablePlanEntries, "plan") if "plan" in data else None
    law = facts.noise if entries is None else entries.noise.made()
    laws = list(law) if isinstance(law, Stratified) else [law]
    if not all(isinstance(each, Recoding) and each.labelled for each in laws):
        counted = FilesEngine(source=place, source_format=format_).fold(
            Counting(codings=(Coding(column=(*facts.kept, *facts.columns)[0], read="label"),))
        )
        if facts.recode is None:
            return Appearance(counted.rows, None, "noise by known values is not checked")
        why = "its map is private" if entries is None else "maps of numbers are not checked"
        return Appearance(counted.rows, None, why, LIKE, DONE)
    known = law.columns if isinstance(law, Stratified) else ()
    found = _count(place, format_, facts, known, laws)
    beliefs = entries.scenario.made().beliefs if entries is not None else ()
    return _judge(found, facts, law, beliefs)


def _count(
    place: str, format_: Any, facts: TableFacts, known: tuple[str, ...], laws: list[Law]
) -> Counts:
    """How often each published combination occurs, with the known columns that decide its law."""
    rules = [Rule(column=name, read="label") for name in known]
    for part, name in enumerate(facts.columns):
        labels = [
            each[part] if isinstance(each, tuple) else each
            for law in laws
            if isinstance(law, Recoding)
            for each in law.outputs
        ]
        number = all(
            each is None or (isinstance(each, int | float) and not isinstance(each, bool))
            for each in labels
        )
        rules.append(Rule(column=name, read="number" if number else "label"))
    engine = FilesEngine(source=place, source_format=format_)
    return engine.fold(Counting(codings=tuple(map(Coding.of, rules))))


def _judge(found: Counts, facts: TableFacts, law: Law, beliefs: tuple[Belief, ...]) -> Appearance:
    known = law.columns if isinstance(law, Stratified) else ()
    strata: list[tuple[Label, ...]] = [()]
    if isinstance(law, Stratified):
        strata = [each.given for each in law.strata]
    laws = list(law) if isinstance(law, Stratified) else [law]
    index = {key_of(given): place for place, given in enumerate(strata)}
    outputs = [places_of(each.outputs) for each in laws if isinstance(each, Recoding)]
    counts = [np.zeros(len(each), dtype=np.int64) for each in outputs]
    strange = 0
    for cell, count in zip(found.cells, found.counts.tolist(), strict=True):
        given, row = cell[: len(known)], cell[len(known) :]
        stratum = index.get(_as_strata(given, strata))
        output = None if stratum is None else outputs[stratum].get(key_of(row))
        if stratum is None or output is None:
            strange += count
        else:
            counts[stratum][output] += count
    if strange:
        detail = f"{strange:,} rows cannot come from the map for their known values"
        return Appearance(found.rows, False, detail, LIKE)
    told: tuple[bool | None, str] = (None, "how often each should occur is not known")
    for given, each, seen in zip(strata, laws, counts, strict=True):
        if isinstance(each, Recoding):
            planned = _planned(each, dict(zip(known, given, strict=True)), beliefs, facts)
            told = judge_counts(seen, int(seen.sum()), planned, FALSE_ALARM / len(laws))
            if told[0] is not True:
                break
    return Appearance(found.rows, *told, LIKE, DONE)


def _as_strata(given: tuple[Label, ...], strata: Sequence[tuple[Label, ...]]) -> Place:
    """The key of known values in the types of the strata: in a CSV all of them are text."""
    found = []
    for part, each in enumerate(given):
        known = {label_key(one[part]): one[part] for one in strata}
        texts = {str(label): label for label in known.values()}
        found.append(each if label_key(each) in known else texts.get(str(each), each))
    return key_of(tuple(found))


def _planned(
    law: Recoding, given: Mapping[str, Any], beliefs: tuple[Belief, ...], facts: TableFacts
) -> PlannedMap:
    """The map of a stratum, with the counts of its rows where the record knows them."""
    if facts.beliefs_from == "this table":
        for belief in beliefs:
            table = belief.frequencies
            if belief.provenance == RELEASED and dict(belief.given) == given and table is not None:
                counted = np.asarray(table.counts).tolist()
                return PlannedMap(law, dict(zip(places_in(law, table), counted, strict=True)))
    return PlannedMap(law)
