"""Which secrets must look alike, and to whom: from options to a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from pufferfish.beliefs.documents import BeliefsEntries, belief_to_dict
from pufferfish.beliefs.region import RegionShape
from pufferfish.beliefs.scenario import (
    PUBLIC,
    REFERENCE,
    RELEASED,
    Belief,
    Scenario,
    Secret,
    SecretPair,
    some_secrets,
)
from pufferfish.columns.plan import Missing
from pufferfish.core.atomic import write_text
from pufferfish.core.errors import DataError, InvalidInputError
from pufferfish.core.validation import bounds, positive, require
from pufferfish.documents.shape import read
from pufferfish.documents.text import (
    PRIVATE_NOTICE,
    VERSION,
    document_text,
    naming_file,
    read_document,
)
from pufferfish.fit import fit_beliefs
from pufferfish.fit.families import parse_family
from pufferfish.options.publishing import bounds_of
from pufferfish.options.quoting import escaped, pieces, plain, read_share
from pufferfish.options.table import Table
from pufferfish.options.voice import Voice
from pufferfish.tables import Counts
from pufferfish.tables.one_row import OneRow

__all__ = ["Adversaries", "Cap", "Described", "cap_bounds", "families_of", "pair_text"]
__all__ += ["save_beliefs"]

_DEFAULT = ("mixture", "empirical")
# About how many seconds one law and one certificate take, and from how many on a note is printed.
_FIT_SECONDS, _PAIR_SECONDS, _LONG = 0.3, 1e-5, 20.0


Cap = Annotated[
    str | None,
    typer.Option(
        metavar="LOW:HIGH",
        help="Move values outside these public bounds to the bounds before the noise, in beliefs "
        "and certificate too. A few outliers can raise the noise for all.",
    ),
]


def cap_bounds(cap: str | None) -> tuple[float, float] | None:
    """The bounds that --cap gives."""
    return None if cap is None else bounds("--cap", bounds_of("--cap", cap))


@dataclass(frozen=True, slots=True)
class Described:
    """A scenario, and what it was made from.

    Attributes:
        scenario: What must look alike, to whom.
        others: The secrets of the table that are in no belief.
        counted: The counts of the unchanged table.
    """

    scenario: Scenario
    others: tuple[Secret, ...]
    counted: Counts

    @property
    def records(self) -> int:
        """How many rows have a value."""
        return sum(group.records for group in self.counted.groups.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Adversaries:
    """Which secrets must look alike, and to whom."""

    pair: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A:B",
            help="Two secrets that must look alike; may be given several times. A colon within a "
            r"secret is written \:. Without --pair and --against: all pairs.",
        ),
    ] = None
    against: Annotated[
        str | None, typer.Option(metavar="SECRET", help="Pair every other secret with this one.")
    ] = None
    belief: Annotated[
        list[str] | None,
        typer.Option(
            help="An adversary: gaussian, mixture, mixture-3, ubm, empirical, or a file that "
            "`pufferfish fit` wrote; may be given several times. By default two: mixture and "
            "empirical."
        ),
    ] = None
    bootstrap: Annotated[
        int, typer.Option(help="Number of further adversaries of each kind, on resampled rows.")
    ] = 0
    reference: Annotated[
        Path | None, typer.Option(help="Fit beliefs to this table, not to the released one.")
    ] = None
    public_reference: Annotated[
        bool, typer.Option("--public-reference", help="The reference table is public knowledge.")
    ] = False
    missing: Annotated[
        str | None,
        typer.Option(
            help="Rows without a value: refuse; keep (publish them as holes, which the "
            "certificate takes into account; a missing category is a category); drop (leave them "
            "out; their number is not protected; for one column of numbers).",
            show_default="refuse for one column of numbers, keep for others",
        ),
    ] = None
    min_group: Annotated[int, typer.Option(help="Refuse a secret with fewer records.")] = 30
    cap: Cap = None
    sampling_confidence: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Keep the promise for every law that the rows, as a sample, do not exclude with "
            "this confidence, such as 95%. With this confidence it then also holds for the "
            "population from which they come.",
        ),
    ] = None
    region: Annotated[
        str,
        typer.Option(
            help="For --sampling-confidence: dirichlet (laws of the values that the rows have), or "
            "band (Laplace noise on one column with --cap; also smooth laws, and values that no "
            "row has)."
        ),
    ] = "dirichlet"

    @property
    def confidence(self) -> float | None:
        """The confidence that --sampling-confidence gives."""
        if self.sampling_confidence is None:
            require(
                self.shape == "dirichlet",
                "--region band needs a confidence: give --sampling-confidence, such as 95%.",
            )
            return None
        require(
            self.reference is None,
            "--sampling-confidence is about the population of the released rows, but beliefs are "
            "fitted to --reference: leave out one of them.",
        )
        require(
            bool(self._families),
            "--sampling-confidence is about laws that are fitted to the table, but only files of "
            "beliefs are given: add --belief empirical.",
        )
        share = read_share("--sampling-confidence", self.sampling_confidence, "0.95 or 95%")
        require(share > 0.0, "--sampling-confidence must be above 0, such as 0.95 or 95%.")
        return share

    @property
    def shape(self) -> RegionShape:
        """The shape of the region that --region names."""
        if self.region == "band":
            return "band"
        require(
            self.region == "dirichlet", f"--region must be dirichlet or band, got {self.region!r}."
        )
        return "dirichlet"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The bounds of --cap."""
        return cap_bounds(self.cap)

    def described(self, table: Table, voice: Voice, one_row: OneRow | None = None) -> Described:
        """The scenario, from the counts of the table; with `one_row` each person counts once."""
        self.check()
        other = None
        if self.reference is not None:
            other = replace(table, file=str(self.reference), format=None, delimiter=None)
        return self.describe(
            table.summary(voice, one_row),
            voice,
            reference=None if other is None else partial(other.summary, voice, one_row),
        )

    def describe(
        self, summary: Counts, voice: Voice, reference: Callable[[], Counts] | None = None
    ) -> Described:
        """The scenario, from counts; `reference` counts the table to fit beliefs to instead."""
        sizes = {secret: group.records for secret, group in summary.groups.items()}
        pairs = self.pairs_among(sizes, summary.secret)
        self._announce(summary, pairs, voice)
        chosen = self.prepared(summary)
        if pairs is not None:
            chosen = chosen.only([secret for pair in pairs for secret in pair])
        beliefs = self._beliefs(chosen, voice, reference)
        known = set().union(*(belief.priors for belief in beliefs))
        # All pairs of the table, not only those that a file of beliefs happens to have.
        every = pairs or [SecretPair(*pair) for pair in combinations(summary.groups, 2)]
        needed = {secret for pair in every for secret in pair}
        for belief in beliefs:
            # The message does not say which: they may be few people.
            require(
                needed <= set(belief.priors),
                f"belief {belief.name!r} lacks some of the secrets to protect; it has "
                f"{some_secrets(belief.priors)}. Use --pair to name the pairs that it has.",
            )
        return Described(
            Scenario(beliefs, every),
            tuple(each for each in summary.groups if each not in known),
            summary,
        )

    def check(self) -> None:
        """Refuse options that do not go together."""
        positive("--min-group", self.min_group)
        require(
            self.reference is not None or not self.public_reference,
            "--public-reference needs --reference FILE, which is not given.",
        )
        require(
            not self.bootstrap or bool(self._families),
            "--bootstrap fits beliefs to resampled rows, but only files of beliefs are given: "
            "leave it out, or add a --belief to fit.",
        )

    @property
    def _families(self) -> list[str]:
        """The beliefs that are fitted, rather than read from a file."""
        return [name for name in self.belief or _DEFAULT if not _is_document(name)]

    def _announce(self, summary: Counts, pairs: list[SecretPair] | None, voice: Voice) -> None:
        """Say beforehand that thousands of secrets take long."""
        secrets = len(summary.groups)
        if pairs is None:
            count = secrets * (secrets - 1) // 2
        else:
            count, secrets = len(pairs), len({each for pair in pairs for each in pair})
        beliefs = len(self.belief or _DEFAULT) * (1 + self.bootstrap)
        smooth = [name for name in self._families if name != "empirical"]
        fits = secrets * len(smooth) * (1 + self.bootstrap)
        seconds = fits * _FIT_SECONDS + count * beliefs * _PAIR_SECONDS
        if seconds > _LONG:
            voice.warn(
                f"{secrets:,} secrets to fit and {count:,} pairs to certify, for {beliefs} "
                f"adversaries, take about {_duration(seconds)}, most of it for fits. --belief "
                "empirical and --belief gaussian take seconds; --pair protects single pairs only."
            )

    def missing_of(self, *, numbers: bool) -> Missing:
        """What becomes of rows without a value; by default only numbers are refused."""
        usual = "refuse" if numbers else "keep"
        found: Any = usual if self.missing is None else self.missing
        require(
            found in get_args(Missing), f"--missing must be refuse, keep or drop, got {found!r}."
        )
        return cast("Missing", found)

    def prepared(self, summary: Counts) -> Counts:
        """The counts of the values that get noise: capped, and without rows that are left out."""
        missing = self.missing_of(numbers=True)
        if missing == "refuse" and any(group.missing for group in summary.groups.values()):
            raise DataError(
                f"column {summary.column!r} has missing values. Give --missing keep to publish "
                "them as holes, which the certificate takes into account, or --missing drop to "
                "leave such rows out."
            )
        if missing == "drop":
            summary = summary.without_missing()
        return summary if self.bounds is None else summary.capped(*self.bounds)

    def pairs_among(self, sizes: Mapping[Secret, int], column: str) -> list[SecretPair] | None:
        """The pairs that --pair or --against gives; None: all of them.

        Args:
            sizes: The secrets, and how many records each has.
            column: The column of the secrets.
        """
        require(not (self.pair and self.against), "give either --pair or --against, not both.")
        if self.against is not None:
            reference = self._label(sizes, column, self.against)
            return [SecretPair(reference, each) for each in sizes if each != reference]
        if not self.pair:
            return None
        found = []
        for text in self.pair:
            pair = SecretPair(*(self._label(sizes, column, each) for each in _split(text)))
            require(pair.first != pair.second, f"--pair {text} must be two different secrets.")
            found.append(pair)
        return found

    def _label(self, sizes: Mapping[Secret, int], column: str, text: str) -> Secret:
        """The secret that a text on the command line means."""
        for label in sizes:
            if str(label) == text or (isinstance(label, bool) and str(label) == text.title()):
                return label
        large = [each for each, records in sizes.items() if records >= self.min_group]
        raise InvalidInputError(
            f"column {column!r} has no value {text!r}. Its values with at least {self.min_group} "
            f"records are: {some_secrets(large) or 'none'}."
        )

    @property
    def from_files(self) -> list[Belief]:
        """The beliefs that are read from files."""
        names = (Path(name) for name in self.belief or () if _is_document(name))
        return [belief for path in names for belief in _read_beliefs(path)]

    @property
    def fitted(self) -> tuple[str, ...] | None:
        """The families to fit that --belief names; None if it is not given."""
        if self.belief is None:
            return None
        return tuple(name for name in self.belief if not _is_document(name))

    @property
    def provenance(self) -> str:
        """Where fitted beliefs come from."""
        if self.reference is None:
            return RELEASED
        return PUBLIC if self.public_reference else REFERENCE

    def _beliefs(
        self, summary: Counts, voice: Voice, reference: Callable[[], Counts] | None
    ) -> tuple[Belief, ...]:
        found, confidence = self.from_files, self.confidence
        if self._families:
            if reference is not None:
                found_there = self.prepared(reference())
                absent = [each for each in summary.groups if each not in found_there.groups]
                require(
                    not absent,
                    f"the reference table {self.reference} lacks some of the secrets to protect. "
                    "Use --pair to name the pairs that it has.",
                )
                summary = found_there.only(summary.groups)
            with voice.progress("Fitting") as progress:
                found += fit_beliefs(
                    summary,
                    families=self._families,
                    bootstrap=self.bootstrap,
                    min_group=self.min_group,
                    provenance=self.provenance,
                    confidence=confidence,
                    region=self.shape,
                    progress=lambda done, total: progress(done / total),
                )
        return tuple(found)


def _is_document(name: str) -> bool:
    return Path(name).suffix.lower() == ".json"


def _duration(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200.0 else f"{seconds / 3600:.0f} hours"


def families_of(names: Sequence[str] | None) -> list[str]:
    """The families to fit: those named, or the two defaults."""
    return [parse_family(name).name for name in names or _DEFAULT]


def save_beliefs(path: Path, beliefs: Sequence[Belief], *, force: bool) -> None:
    """Beliefs as a document that --belief takes."""
    public = all(belief.public for belief in beliefs)
    data: dict[str, Any] = {
        "pufferfish": "beliefs",
        "version": VERSION,
        "notice": "Holds public beliefs only." if public else PRIVATE_NOTICE,
        "beliefs": [belief_to_dict(belief) for belief in beliefs],
    }
    write_text(path, document_text(data), force=force, private=not public)


def _read_beliefs(path: Path) -> list[Belief]:
    with naming_file(path):
        data = read_document(path, "beliefs")
        return [each.made() for each in read(data, BeliefsEntries, "file of beliefs").beliefs]


def pair_text(first: object, second: object) -> str:
    r"""Two secrets as --pair takes them: A:B, a colon within one as \:."""
    return ":".join(escaped(each, ":") for each in (first, second))


def _split(pair: str) -> list[str]:
    r"""A:B as two texts; \: is a colon, \\ a backslash."""
    parts = [plain(each) for each in pieces(pair, ":")]
    if len(parts) != 2 or not all(parts):
        raise InvalidInputError(
            "--pair must be two secrets with a colon between them, such as --pair A:B, got "
            rf"{pair!r}; a colon within a secret is written \:."
        )
    return parts
