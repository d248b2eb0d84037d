"""The certificate, as data: the bounds of every pair, and whether they keep the promise."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta

from pufferfish.beliefs.guarantee import GoalEntries, Guarantee
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.core.validation import finite, probability_below_one, require
from pufferfish.documents.shape import Entries, read, written
from pufferfish.documents.strict import plain_from_json
from pufferfish.documents.types import Count, Name, Share
from pufferfish.noise import Law, LawEntries, law_to_dict
from pufferfish.words.numbers import at_least, at_most

__all__ = [
    "Certificate",
    "CertificateEntries",
    "PairResult",
    "Screened",
    "negligible_loss",
]

_FORMAT = 1
Bound = float | Literal["inf", "-inf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """One belief, one pair, one direction.

    `direction` is (s_i, s_j): δ is HS_ε(P_i‖P_j) and ε* the supremum of log p_i/p_j. A lower bound
    of −inf claims nothing, an upper bound of inf promises nothing. `provenance` is the belief's.
    Over a sampling region `witnesses` has λ, λ' and μ for each output, which prove the upper
    bounds.
    """

    belief: str
    pair: SecretPair
    direction: SecretPair
    delta_lower: float
    delta_upper: float
    epsilon_lower: float
    epsilon_upper: float
    provenance: str = "private"
    witnesses: tuple[tuple[float, float, float], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be the result of anything."""
        for text in (self.belief, self.provenance):
            require(isinstance(text, str) and bool(text), "a result needs a belief by name.")
        for each in self.witnesses:
            require(
                len(each) == 3 and all(map(math.isfinite, each)) and each[2] >= 0.0,
                "witnesses must be three numbers for each output, the last not negative.",
            )
        for secret in self.pair:
            require(isinstance(secret, str | int), f"a secret cannot be {secret!r}.")
        require(
            sorted(map(repr, self.pair)) == sorted(map(repr, self.direction)),
            f"the direction {self.direction!r} is not one of the pair {self.pair!r}.",
        )
        for name in _NUMBERS:
            _require_number(name, getattr(self, name))
        require(
            0.0 <= self.delta_lower <= self.delta_upper <= 1.0
            and self.epsilon_lower <= self.epsilon_upper,
            f"bounds out of order in {self!r}.",
        )


_UPPER = ("delta_upper", "epsilon_upper")
_NUMBERS = ("delta_lower", "delta_upper", "epsilon_lower", "epsilon_upper")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """Pairs of one belief that were not examined one by one, and the bounds proven for all of them.

    If there are very many pairs, most are proven harmless by bounds that are computed for all of
    them together (docs/theory/many-pairs.md), or have the same laws as one that was examined.

    Attributes:
        belief: The adversary.
        provenance: The belief's provenance.
        pairs: The number of pairs; each stands for both directions.
        delta_upper: The true δ of each of them is at most this.
        epsilon_upper: ε* of each of them is at most this; inf promises nothing.
    """

    belief: str
    pairs: int
    delta_upper: float
    epsilon_upper: float
    provenance: str = "private"

    def __post_init__(self) -> None:
        """Refuse what cannot be the result of anything."""
        for text in (self.belief, self.provenance):
            require(isinstance(text, str) and bool(text), "screened pairs need a belief by name.")
        whole = isinstance(self.pairs, int) and not isinstance(self.pairs, bool)
        require(whole and self.pairs > 0, f"pairs must be a whole number, got {self.pairs!r}.")
        for name in _UPPER:
            _require_number(name, getattr(self, name))
        require(
            0.0 <= self.delta_upper <= 1.0 and self.epsilon_upper >= 0.0,
            f"bounds out of range in {self!r}.",
        )


def _require_number(name: str, value: object) -> None:
    real = isinstance(value, float | int) and not isinstance(value, bool) and not math.isnan(value)
    require(real, f"{name} must be a number, got {value!r}.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Certificate:
    """The exact privacy of *one* release under one law, enclosed from both sides.

    It relies on the randomness that each belief ascribes to X. It does not compose: a second
    release of the same value is not covered.

    Attributes:
        goal: The promise.
        noise: The law that is applied; usually one of noise that is added.
        results: The bounds of every pair that was examined, in both directions.
        screened: If there are very many pairs: those that were proven to lose no more than the
            worst of `results`, or almost nothing, without being examined one by one.
        wrong: How far in total variation each law may be from the one believed. The bounds hold for
            all such laws; with noise, for those within the cap of the beliefs. There δ is bounded
            output by output: some laws reach ε*, and perhaps none reaches δ.
        confidence: The confidence that the bounds hold for the true laws, if some beliefs have a
            sampling region; None: the laws are taken as they are. δ is bounded likewise.
    """

    goal: Guarantee
    noise: Law
    results: tuple[PairResult, ...]
    screened: tuple[Screened, ...] = ()
    wrong: float = 0.0
    confidence: float | None = None

    def __post_init__(self) -> None:
        """Refuse an empty certificate, and one whose worst pair was not examined."""
        require(bool(self.results), "a certificate needs at least one result.")
        probability_below_one("wrong", self.wrong)
        measure = "epsilon_upper" if self.goal.pure else "delta_upper"
        worst = max(getattr(each, measure) for each in self.results)
        require(
            max((getattr(each, measure) for each in self.screened), default=0.0)
            <= max(worst, negligible_loss(self.goal)),
            "pairs that were only screened have a larger bound than all pairs that were examined.",
        )

    def __bool__(self) -> bool:
        """Refused: a broken or undecided promise must not pass for a kept one."""
        raise TypeError("a certificate is not a truth value: write `certificate.holds is True`.")

    def __repr__(self) -> str:
        """The verdict and its bounds, with the number of results, which may be thousands."""
        return (
            f"Certificate(holds={self.holds}, goal={self.goal!r}, noise={self.noise!r}, "
            f"delta=[{at_least(self.delta_lower, 9)}, {at_most(self.delta_upper, 9)}], "
            f"epsilon=[{at_least(self.epsilon_lower, 9)}, {at_most(self.epsilon_upper, 9)}], "
            f"{len(self.results)} results{self._also()})"
        )

    def _also(self) -> str:
        if not self.screened:
            return ""
        return f", {sum(each.pairs for each in self.screened):,} more pairs proven by screening"

    @property
    def holds(self) -> bool | None:
        """True: the promise is kept. False: it is broken. None: the enclosure is inconclusive.

        With δ = 0 this rests on ε* ≤ ε alone, never on the enclosure of δ.
        """
        upper, lower, limit = self.delta_upper, self.delta_lower, self.goal.delta
        if self.goal.pure:
            upper, lower, limit = self.epsilon_upper, self.epsilon_lower, self.goal.epsilon
        if upper <= limit:
            return True
        return False if lower > limit else None

    @property
    def worst(self) -> PairResult:
        """The result with the largest delta_upper; at δ = 0 the largest epsilon_upper."""
        if self.goal.pure:
            return max(self.results, key=lambda result: result.epsilon_upper)
        return max(self.results, key=lambda result: result.delta_upper)

    @property
    def delta_lower(self) -> float:
        """The true δ at the goal's ε is at least this."""
        return max(result.delta_lower for result in self.results)

    @property
    def delta_upper(self) -> float:
        """The true δ at the goal's ε is at most this."""
        screened = (each.delta_upper for each in self.screened)
        return max(*screened, *(result.delta_upper for result in self.results), 0.0)

    @property
    def epsilon_lower(self) -> float:
        """ε*, the least ε for which δ = 0, is at least this."""
        return max(0.0, *(result.epsilon_lower for result in self.results))

    @property
    def epsilon_upper(self) -> float:
        """ε*, the least ε for which δ = 0, is at most this."""
        screened = (each.epsilon_upper for each in self.screened)
        return max(*screened, *(result.epsilon_upper for result in self.results), 0.0)

    def witnesses_of(
        self, belief: str
    ) -> dict[SecretPair, tuple[float, tuple[tuple[float, float, float], ...]]]:
        """By direction, the upper bound on ε* that was recorded, and its witnesses."""
        return {
            each.direction: (each.epsilon_upper, each.witnesses)
            for each in self.results
            if each.belief == belief and each.witnesses
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; infinities become the text "inf"."""
        document = written(
            CertificateEntries,
            self,
            format=_FORMAT,
            noise=law_to_dict(self.noise),
            results=[_written(ResultEntries, each) for each in self.results],
            screened=[_written(ScreenedEntries, each) for each in self.screened],
        )
        for name in ("screened", "wrong", "confidence"):
            if not getattr(self, name):
                del document[name]
        return document

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The certificate that `to_dict` described; its verdict is derived again and must agree."""
        entries = read(data, CertificateEntries, "certificate")
        certificate = cls(
            goal=entries.goal.made(),
            noise=entries.noise.made(),
            results=tuple(PairResult(**_numbers(each)) for each in entries.results),
            screened=tuple(Screened(**_numbers(each)) for each in entries.screened),
            wrong=entries.wrong,
            confidence=entries.confidence,
        )
        require(
            certificate.holds is entries.holds,
            f"the certificate claims holds = {entries.holds}, but its numbers say "
            f"{certificate.holds}.",
        )
        return certificate

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The certificate that `to_json` wrote."""
        require(isinstance(text, str | bytes), "from_json reads a text; for a dict use from_dict.")
        data = plain_from_json(text if isinstance(text, str) else text.decode(), "certificate")
        return cls.from_dict(data)


def negligible_loss(goal: Guarantee) -> float:
    """A thousandth of the permitted loss; pairs that lose less need not be ranked."""
    return 1e-3 * (goal.epsilon if goal.pure else goal.delta)


class ScreenedEntries(Entries, kw_only=True):
    """`Screened` in a document."""

    belief: Name
    provenance: Name
    pairs: Count
    delta_upper: Bound
    epsilon_upper: Bound


class ResultEntries(Entries, kw_only=True):
    """`PairResult` in a document."""

    belief: Name
    provenance: Name = "private"
    pair: SecretPair
    direction: SecretPair
    delta_lower: Bound
    delta_upper: Bound
    epsilon_lower: Bound
    epsilon_upper: Bound
    witnesses: tuple[tuple[float, float, float], ...] = ()


class CertificateEntries(Entries, kw_only=True):
    """`Certificate` in a document."""

    format: Literal[1]
    goal: GoalEntries
    noise: LawEntries
    holds: bool | None
    results: Annotated[tuple[ResultEntries, ...], Meta(min_length=1)]
    screened: tuple[ScreenedEntries, ...] = ()
    wrong: Share = 0.0
    confidence: Share | None = None


def _written(shape: type[Entries], result: PairResult | Screened) -> dict[str, Any]:
    bounds = {name: getattr(result, name) for name in _NUMBERS if hasattr(result, name)}
    infinite = {name: str(each) for name, each in bounds.items() if not math.isfinite(each)}
    document = written(shape, result, **infinite)
    if not document.get("witnesses", True):
        del document["witnesses"]
    return document


def _numbers(entries: ResultEntries | ScreenedEntries) -> dict[str, Any]:
    """The numbers that `_written` described."""
    found = msgspec.structs.asdict(entries)
    for name in found.keys() & {*_NUMBERS}:
        infinite = isinstance(found[name], str)
        found[name] = float(found[name]) if infinite else finite("a bound", found[name])
    return found
