"""The certificate: what was found of every pair, and whether it keeps the promise. Data only."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from pufferfish.checks import finite, require
from pufferfish.errors import InvalidInputError
from pufferfish.guarantee import Guarantee
from pufferfish.noise import Law, law_from_dict, law_to_dict
from pufferfish.scenario import SecretPair
from pufferfish.strict import plain_from_json

__all__ = [
    "Certificate",
    "PairResult",
    "Screened",
    "negligible_loss",
]

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """One belief, one pair, one direction.

    `direction` is (s_i, s_j): δ is HS_ε(P_i‖P_j) and ε* the supremum of log p_i/p_j. A lower bound
    of −inf claims nothing, an upper bound of inf promises nothing. `provenance` is the belief's.
    """

    belief: str
    pair: SecretPair
    direction: SecretPair
    delta_lower: float
    delta_upper: float
    epsilon_lower: float
    epsilon_upper: float
    provenance: str = "private"

    def __post_init__(self) -> None:
        """Refuse what cannot be the result of anything."""
        for text in (self.belief, self.provenance):
            require(isinstance(text, str) and bool(text), "a result needs a belief by name.")
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
    """Pairs of one belief that were not examined one by one, and what is proven of all of them.

    Where there are very many pairs, most are proven harmless by bounds that are computed for all
    of them together (docs/theory/many-pairs.md), or have the same laws as one that was examined.

    Attributes:
        belief: The adversary.
        provenance: The belief's.
        pairs: How many pairs; each counts in both directions.
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

    It spends the randomness that each belief ascribes to X. It does not compose: a second release
    of the same value is not covered.

    Attributes:
        goal: The promise.
        noise: The law that is applied; usually that of what is added.
        results: What was found of every pair that was examined, in both directions.
        screened: Where there are very many pairs: those that were proven to lose no more than the
            worst of `results`, or next to nothing, without being examined one by one.
    """

    goal: Guarantee
    noise: Law
    results: tuple[PairResult, ...]
    screened: tuple[Screened, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an empty certificate, and one whose worst pair was not examined."""
        require(bool(self.results), "a certificate needs at least one result.")
        measure = "epsilon_upper" if self.goal.pure else "delta_upper"
        worst = max(getattr(each, measure) for each in self.results)
        require(
            max((getattr(each, measure) for each in self.screened), default=0.0)
            <= max(worst, negligible_loss(self.goal)),
            "pairs that were only screened have a larger bound than all that were examined.",
        )

    def __bool__(self) -> bool:
        """Refused: a broken or undecided promise must not pass for a kept one."""
        raise TypeError("a certificate is not a truth value; ask `certificate.holds is True`.")

    def __repr__(self) -> str:
        """The verdict and its bounds; the results are only counted, there may be thousands."""
        return (
            f"Certificate(holds={self.holds}, goal={self.goal!r}, noise={self.noise!r}, "
            f"delta=[{self.delta_lower:.9g}, {self.delta_upper:.9g}], "
            f"epsilon=[{self.epsilon_lower:.9g}, {self.epsilon_upper:.9g}], "
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

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; infinities become the text "inf"."""
        data: dict[str, Any] = {
            "format": _FORMAT,
            "goal": {"epsilon": self.goal.epsilon, "delta": self.goal.delta},
            "noise": law_to_dict(self.noise),
            "holds": self.holds,
            "results": [
                {
                    "belief": result.belief,
                    "provenance": result.provenance,
                    "pair": list(result.pair),
                    "direction": list(result.direction),
                    **{name: _plain(getattr(result, name)) for name in _NUMBERS},
                }
                for result in self.results
            ],
        }
        if self.screened:
            data["screened"] = [
                {
                    "belief": each.belief,
                    "provenance": each.provenance,
                    "pairs": each.pairs,
                    **{name: _plain(getattr(each, name)) for name in _UPPER},
                }
                for each in self.screened
            ]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The certificate that `to_dict` described; its verdict is derived anew and must agree."""
        try:
            require(
                data["format"] == _FORMAT,
                f"certificate format {data['format']!r} is not known; known: {_FORMAT}.",
            )
            _refuse_unknown(data, ("format", "goal", "noise", "holds", "results", "screened"))
            for entry in data["results"]:
                _refuse_unknown(entry, ("belief", "provenance", "pair", "direction", *_NUMBERS))
            for entry in data.get("screened", []):
                _refuse_unknown(entry, ("belief", "provenance", "pairs", *_UPPER))
            certificate = cls(
                goal=Guarantee(**data["goal"]),
                noise=law_from_dict(data["noise"]),
                results=tuple(
                    PairResult(
                        belief=entry["belief"],
                        provenance=entry.get("provenance", "private"),
                        pair=_pair(entry["pair"]),
                        direction=_pair(entry["direction"]),
                        **{name: _number(entry[name]) for name in _NUMBERS},
                    )
                    for entry in data["results"]
                ),
                screened=tuple(
                    Screened(
                        belief=entry["belief"],
                        provenance=entry["provenance"],
                        pairs=entry["pairs"],
                        **{name: _number(entry[name]) for name in _UPPER},
                    )
                    for entry in data.get("screened", [])
                ),
            )
            claimed = data["holds"]
        except KeyError as error:
            raise InvalidInputError(f"this is not a certificate: {error} is missing.") from None
        except TypeError as error:
            raise InvalidInputError(f"this is not a certificate: {error}.") from None
        require(
            certificate.holds is claimed,
            f"the certificate claims holds = {claimed}, but its numbers say {certificate.holds}.",
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
        require(isinstance(data, dict), "this is not a certificate: not a JSON object.")
        return cls.from_dict(data)


def _refuse_unknown(data: dict[str, Any], known: Iterable[str]) -> None:
    """Nothing may stand in a certificate that looks like a claim and is none."""
    unknown = sorted(set(data) - set(known))
    require(not unknown, f"a certificate has no entry {', '.join(map(repr, unknown))}.")


def negligible_loss(goal: Guarantee) -> float:
    """A thousandth of what is allowed: pairs that lose less need not be told apart."""
    return 1e-3 * (goal.epsilon if goal.pure else goal.delta)


def _plain(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def _number(plain: object) -> float:
    """What `_plain` wrote."""
    if plain in ("inf", "-inf"):
        return float(str(plain))
    return finite("a bound", plain)


def _pair(plain: object) -> SecretPair:
    if not isinstance(plain, list):
        raise InvalidInputError(f"a pair must be a list of two secrets, got {plain!r}.")
    return SecretPair(*plain)
