"""A mechanism and a kind of release that the library does not know, as a package would bring them.

A swap table over five values for each of two columns, one of texts and one of numbers. Importing
this file registers them; nothing in `src/` mentions them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

import pufferfish as pf
from pufferfish import mechanisms
from pufferfish.beliefs.guarantee import GoalEntries
from pufferfish.core.errors import DataError
from pufferfish.core.validation import require
from pufferfish.documents.shape import Entries, entries_of, read, read_part, written
from pufferfish.documents.types import Name, Whole
from pufferfish.kinds.entries import record_shape
from pufferfish.kinds.kind import register
from pufferfish.kinds.plan import RowPlan, plan_to_dict
from pufferfish.kinds.record import ReleaseRecord as AnyRecord
from pufferfish.kinds.record import Stated
from pufferfish.kinds.verdict import Check
from pufferfish.learning.reveals import Reveals, RevealsEntries
from pufferfish.mechanisms import Drawing, LawWords, words_of
from pufferfish.noise import Law, LawEntries, law_to_dict
from pufferfish.releases import RowKind, RowSession
from pufferfish.releases.counts import RowCounts
from pufferfish.releases.published_file import Appearance
from pufferfish.report import kinds as pages
from pufferfish.report.sections import Notice, Page, Paragraph, Section, Tile, as_table
from pufferfish.report.sources import Beside, Verified
from pufferfish.sampling import Entropy
from pufferfish.tables import Batch, Changed, Staged, format_of
from pufferfish.tables.batch import Coded, ColumnType, Numbers
from pufferfish.tables.engine import SurveyedGroup
from pufferfish.tables.local.files import column_parts
from pufferfish.words.steps import Entry, Step

Codes = npt.NDArray[np.int64]


# --- the mechanism ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Swap(Law):
    """Values of several columns, each swapped by one table, in 256ths.

    Attributes:
        domains: For each column its values.
        table: For each value how often it becomes each value.
    """

    domains: tuple[tuple[Any, ...], ...]
    table: tuple[tuple[int, ...], ...]

    @property
    def domain(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(product(*self.domains))

    def output(self, prior: Mapping[tuple[Any, ...], float]) -> dict[tuple[Any, ...], float]:
        law = dict.fromkeys(self.domain, 0.0)
        for given, published in product(prior, law):
            law[published] += prior[given] * self.chance(given, published)
        return law

    def chance(self, given: tuple[Any, ...], published: tuple[Any, ...]) -> float:
        """How often one row becomes another."""
        cells = zip(self.domains, given, published, strict=True)
        return math.prod(self.table[d.index(x)][d.index(y)] / 256.0 for d, x, y in cells)

    def error(self, frequencies: Mapping[Any, float] | None = None) -> float:
        least = min(self.table[place][place] for place in range(len(self.table)))
        return 1.0 - (least / 256.0) ** len(self.domains)

    @property
    def epsilon(self) -> float:
        """Whatever anybody believes: log of the largest ratio of two entries of a column."""
        ratio = max(max(column) / min(column) for column in zip(*self.table, strict=True))
        return math.nextafter(len(self.domains) * math.log(ratio) * (1.0 + 1e-12), math.inf)


class Swapping(Drawing):
    """One byte for each value; a row is given by its places in the domains."""

    def check(self, law: Swap) -> None:
        whole = all(sum(row) == 256 and min(row) > 0 for row in law.table)
        if not whole:
            raise pf.UnsupportedError("the rows of a swap table must add up to 256.")

    def draw(self, law: Swap, values: Codes, entropy: Entropy) -> Codes:
        ends = np.cumsum(law.table, axis=1)
        drawn = np.frombuffer(entropy.read(values.size), dtype=np.uint8).reshape(values.shape)
        return np.asarray((drawn[..., None] >= ends[values]).sum(axis=-1))

    def explain_exactness(self, law: Swap) -> str:
        return f"from a table of {len(law.table)} by {len(law.table)} whole numbers"


class SwapWords(LawWords):
    """All that must be said."""

    def noun(self, law: Swap, number: Any = str, error: Any = str) -> str:
        return f"a swap of {len(law.table)} values in each of {len(law.domains)} columns"


mechanisms.register(
    Swap,
    tag="door-swap",
    drawing=Swapping(),
    words=SwapWords(),
    write=lambda law: {
        "domains": [list(each) for each in law.domains],
        "table": [list(each) for each in law.table],
    },
    read=lambda domains, table: Swap(tuple(map(tuple, domains)), tuple(map(tuple, table))),
)


# --- what is decided, stated and recorded -----------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapPlan(RowPlan):
    """A column of texts and one of numbers, swapped."""

    KIND: ClassVar[str] = "swap-plan"

    law: Swap
    goal: pf.Guarantee
    text: str
    number: str
    secret: str
    pair: tuple[str, str]
    keep: tuple[str, ...] = ()
    keep_order: bool = False
    person: str | None = None
    rows_per_person: int = 1
    reduction: None = None

    def __post_init__(self) -> None:
        """Refuse what is not certified."""
        _ = self.mechanism

    @property
    def public(self) -> bool:
        return True

    @property
    def scenario(self) -> pf.Scenario:
        anything = pf.Discrete([0.0, 1.0], [0.5, 0.5])
        belief = pf.Belief(dict.fromkeys(self.pair, anything), name="anybody", provenance="public")
        return pf.Scenario([belief])

    @property
    def certificate(self) -> pf.Certificate:
        first, second = self.pair
        results = [
            pf.PairResult(
                belief="anybody",
                provenance="public",
                pair=pf.SecretPair(first, second),
                direction=pf.SecretPair(*direction),
                delta_lower=0.0,
                delta_upper=0.0 if self.law.epsilon <= self.goal.epsilon else 1.0,
                epsilon_lower=0.0,
                epsilon_upper=self.law.epsilon,
            )
            for direction in ((first, second), (second, first))
        ]
        return pf.Certificate(goal=self.goal, noise=self.law, results=tuple(results))

    @property
    def mechanism(self) -> pf.Mechanism:
        return pf.Mechanism(noise=self.law, certificate=self.certificate)

    @property
    def shuffled(self) -> bool:
        return not self.keep_order

    @property
    def secrets(self) -> frozenset[pf.Secret]:
        return frozenset(self.pair)

    @property
    def protected(self) -> frozenset[pf.Secret]:
        return frozenset(self.pair)

    def to_dict(self) -> dict[str, Any]:
        return plan_to_dict(self, None, law=law_to_dict(self.law))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        plan: Self = read(data, cls.SHAPE, "plan").made()
        return plan


class _Head(Entries):
    pufferfish: Literal["swap-plan"]
    version: Literal[1]
    notice: str


SwapPlan.SHAPE = entries_of(SwapPlan, _Head, law=LawEntries, goal=GoalEntries, reduction=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapFacts(Stated):
    """What everybody may know."""

    goal: pf.Guarantee
    noise: Law
    columns: tuple[str, str]
    secret: str
    kept: tuple[str, ...]
    order: str
    reveals: Reveals | None

    def to_dict(self) -> dict[str, Any]:
        return written(SWAP_FACTS, self, noise=law_to_dict(self.noise))

    @classmethod
    def of(cls, plan: SwapPlan, reveals: Reveals | None) -> Self:
        return cls(
            goal=plan.goal,
            noise=plan.law,
            columns=(plan.text, plan.number),
            secret=plan.secret,
            kept=plan.keep,
            order="random" if plan.shuffled else "table",
            reveals=reveals,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        facts: Self = read_part(data, SWAP_FACTS, "record").made()
        return facts


SWAP_FACTS = entries_of(
    SwapFacts, goal=GoalEntries, noise=LawEntries, reveals=RevealsEntries | None
)


def said(facts: SwapFacts) -> dict[str, Any]:
    """All words, by entry."""
    beside = f"Nothing is promised to those who see {', '.join(facts.kept)} as well."
    names = " and ".join(facts.columns)
    return {
        "headline": [beside] if facts.kept else [],
        "promise": f"{facts.goal} for {names} of a row; {words_of(facts.noise).done(facts.noise)}",
        "not_promised": ["Which rows have holes."],
    }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SwapRecord(AnyRecord[SwapPlan, SwapFacts]):
    """What one release did."""

    KIND: ClassVar[str] = "swap-record"

    plan: SwapPlan
    rows: int
    missing: int
    sha256: str
    checksum_of: str
    output: str | None
    reveals: Reveals | None
    versions: dict[str, str]
    created: str

    @property
    def facts(self) -> SwapFacts:
        return SwapFacts.of(self.plan, self.reveals)

    @property
    def words(self) -> dict[str, Any]:
        return said(self.facts)

    @property
    def published(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "sha256": self.sha256,
            "checksum_of": self.checksum_of,
            "file": self.output,
        }

    @property
    def counted(self) -> dict[str, Any]:
        return {"missing": self.missing}

    @classmethod
    def restore(cls, data: Mapping[str, Any]) -> Self:
        published = data["published"]
        return cls(
            plan=SwapPlan.from_dict(data["plan"]),
            rows=published["rows"],
            missing=data["table"]["missing"],
            sha256=published["sha256"],
            checksum_of=published["checksum_of"],
            output=published["file"],
            reveals=SwapFacts.from_dict(data).reveals,
            versions=data["versions"],
            created=data["created"],
        )

    def contradictions(self) -> list[str]:
        return [] if self.missing <= self.rows else ["more rows have holes than there are"]


class _Published(Entries):
    rows: Whole
    sha256: str
    checksum_of: Literal["column", "file", "folder"]
    file: Name | None


class _Counted(Entries):
    missing: Whole


SwapRecord.SHAPE = record_shape(
    SWAP_FACTS,
    plan=SwapPlan.SHAPE,
    published=_Published,
    table=_Counted,
    pufferfish=Literal["swap-record"],
    version=Literal[1],
    headline=tuple[str, ...],
)


# --- how it is done, told and checked ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rules:
    """What is done to rows, wherever they are."""

    mechanism: pf.Mechanism
    law: Swap
    text: str
    number: str

    def change(self, batch: Batch, before: int | None) -> Changed:
        texts, numbers = self.law.domains
        given, sizes = batch.labels[self.text], batch.numbers[self.number]
        known = {label: place for place, label in enumerate(texts)}
        places = np.array([known.get(label, -2) for label in given.labels] + [-1])[given.codes]
        values = np.array(numbers)
        nearest = np.clip(np.searchsorted(values, sizes), 0, values.size - 1)
        hole = np.isnan(sizes)
        coded = np.where(hole, -1, np.where(values[nearest] == sizes, nearest, -2))
        for name, codes in ((self.text, places), (self.number, coded)):
            if (codes == -2).any():
                row = int(np.flatnonzero(codes == -2)[0]) + 1
                where = "a row" if before is None else f"row {before + row}"
                raise DataError(f"column {name!r}, {where}: the value is not in the domain.")
        swapped = self.mechanism.apply(np.stack([places, coded], axis=1).clip(0))
        missing = (places < 0) | hole
        rows = batch.rows
        return Changed(
            {
                self.text: Coded(np.where(places < 0, -1, swapped[:, 0]), texts),
                self.number: Numbers(values[swapped[:, 1]], hole),
            },
            None,
            RowCounts(rows=rows, missing=int(missing.sum()), published=rows),
        )


class SwapSession(RowSession[SwapPlan, RowCounts]):
    """One release."""

    @classmethod
    def columns(cls, plan: SwapPlan) -> Mapping[str, ColumnType]:
        return {plan.text: "text", plan.number: "number"}

    @property
    def change(self) -> Callable[[Batch, int | None], Changed]:
        plan = self.plan
        return Rules(plan.mechanism, plan.law, plan.text, plan.number).change

    def nothing(self) -> RowCounts:
        return RowCounts()

    def counts_of(self, group: SurveyedGroup) -> RowCounts:
        return RowCounts(rows=group.rows, missing=group.missing, published=group.rows)

    def record(self, staged: Staged) -> SwapRecord:
        return SwapRecord(
            plan=self.plan,
            rows=self.counts.published,
            missing=self.counts.missing,
            sha256=staged.sha256,
            checksum_of=staged.checksum_of,
            output=staged.name,
            reveals=self.reveals,
            **self.stamp(),
        )


class SwapKind(RowKind[SwapPlan, SwapFacts]):
    """How it is told and checked."""

    plan = SwapPlan
    record = SwapRecord
    session = SwapSession
    everybody = "pair and adversary"
    private = "the plan is private"

    def facts(self, data: Mapping[str, Any]) -> SwapFacts:
        return SwapFacts.from_dict(data)

    def words(self, facts: SwapFacts) -> dict[str, Any]:
        return said(facts)

    def facts_by_plan(self, facts: SwapFacts, plan: SwapPlan) -> SwapFacts:
        return SwapFacts.of(plan, facts.reveals)

    def promise_in_words(self, facts: SwapFacts) -> str:
        return f"{facts.goal}"

    def recompute(self, plan: SwapPlan) -> str:
        return f"ε* at most {plan.law.epsilon:.6g}"

    def all_public(self, plan: Mapping[str, Any]) -> Check:
        return Check(claim="nothing in it is private", verdict=True, detail="it has no beliefs")

    def agreement(
        self, data: Mapping[str, Any], facts: SwapFacts, plan: SwapPlan | None
    ) -> list[str]:
        return (
            [] if plan is None or "table" not in data else SwapRecord.restore(data).contradictions()
        )

    def looks(self, data: Mapping[str, Any], facts: SwapFacts, released: Path) -> Appearance:
        """Whether all numbers are among the five."""
        require(isinstance(facts.noise, Swap), "another law")
        # What a record states is any law; `require` has just seen that it is this one.
        known = np.array(facts.noise.domains[1])  # type: ignore[attr-defined]
        parts = list(column_parts(str(released), format_of(released), facts.columns[1]))
        values = np.concatenate(parts)
        inside = np.isnan(values) | np.isin(values, known)
        return Appearance(
            values.size,
            bool(inside.all()),
            "all numbers are of the table",
            like="as such a swap leaves them",
        )

    def story(self, record: SwapRecord) -> tuple[Step, ...]:
        facts = record.facts
        return (
            Step("Beware", tuple(record.words["headline"])),
            Step("Promise", (record.words["promise"],)),
            Step("Published", (f"{record.rows:,} rows of {' and '.join(facts.columns)}.",)),
            Step("Not covered", entries=tuple(map(Entry, record.words["not_promised"]))),
        )


def page(verified: Verified, beside: Beside) -> Page:
    """The report of either edition."""
    document = verified.document
    facts = SwapFacts.from_dict(document)
    rows = tuple((name, "swapped") for name in facts.columns)
    return Page(
        title=f"{document['edition'].capitalize()} report: {' and '.join(facts.columns)}",
        heading=f"How {' and '.join(facts.columns)} were released",
        notices=tuple(_notices(document)),
        tiles=(Tile(f"{facts.goal}", "the promise"),),
        sections=(
            Section("What was promised", (Paragraph(document["promise"]),)),
            Section("What was done", (as_table(rows, "labelled"),)),
        ),
    )


def _notices(document: Mapping[str, Any]) -> Iterator[Notice]:
    yield Notice(document["edition"].capitalize() + ".", document["notice"])
    yield from (Notice("Beware.", text) for text in document["headline"])


register(SwapKind())
pages.register(SwapRecord.KIND, page)


# --- a table ------------------------------------------------------------------------------------

COLOURS = ("red", "green", "blue", "grey", "ochre")
SIZES = (10.0, 20.0, 30.5, 40.0, 50.0)
ROW = (136, 48, 24, 24, 24)
TABLE = tuple(tuple(ROW[(y - x) % 5] for y in range(5)) for x in range(5))
LAW = Swap((COLOURS, SIZES), TABLE)


def plan(**choices: Any) -> SwapPlan:
    """For the table below."""
    given: dict[str, Any] = {
        "law": LAW,
        "goal": pf.Guarantee(4.0),
        "text": "colour",
        "number": "size",
        "secret": "group",
        "pair": ("a", "b"),
        "keep": ("note",),
    }
    return SwapPlan(**(given | choices))


def columns(rows: int, seed: int = 5) -> dict[str, list[Any]]:
    """Notes that number the rows, colours and sizes with holes, and a secret."""
    source = np.random.default_rng(seed)
    colours, sizes = (source.integers(0, 5, rows).tolist() for _ in range(2))
    holes = (source.random((2, rows)) < 0.05).tolist()
    return {
        "note": [f"row {row}" for row in range(rows)],
        "colour": [
            None if hole else COLOURS[each] for each, hole in zip(colours, holes[0], strict=True)
        ],
        "group": source.choice(["a", "b"], rows).tolist(),
        "size": [None if hole else SIZES[each] for each, hole in zip(sizes, holes[1], strict=True)],
    }
