"""What an audit found, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from pufferfish.beliefs.guarantee import Guarantee
from pufferfish.beliefs.scenario import SecretPair
from pufferfish.words.numbers import at_least, percent
from pufferfish.words.phrases import seen_by
from pufferfish.words.terminal import fold

__all__ = ["AuditCheck", "AuditResult", "Event", "PairFinding", "Verdict"]

Verdict = Literal["consistent", "violated"]
# Pairs shown one by one before the rest is only counted.
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that can be seen in what is published, and how often it was seen.

    Attributes:
        words: What can be seen.
        hits_first: How often it was seen in `draws` values of the first secret of a direction.
        hits_second: The same for the second.
        draws: Fresh values of each; those with which the event was found are not among them.
    """

    words: str
    hits_first: int
    hits_second: int
    draws: int

    @property
    def rates(self) -> str:
        """Both frequencies as percentages."""
        hits = self.hits_first, self.hits_second
        return " against ".join(percent(each / self.draws, 4) for each in hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFinding:
    """One belief and one direction: the ε and δ that attacks have shown to be needed, at least.

    Attributes:
        belief: The adversary.
        direction: (s_i, s_j): events that s_i makes likelier than s_j.
        epsilon_lower: No smaller ε can hold at the goal's δ.
        delta_lower: No smaller δ can hold at the goal's ε.
        epsilon_event: The event that shows `epsilon_lower`.
        delta_event: The event that shows `delta_lower`.
    """

    belief: str
    direction: SecretPair
    epsilon_lower: float
    delta_lower: float
    epsilon_event: Event
    delta_event: Event

    def breaks(self, goal: Guarantee) -> bool:
        """Whether the promise is refuted."""
        return self.epsilon_lower > goal.epsilon or self.delta_lower > goal.delta

    def in_words(self, goal: Guarantee) -> str:
        """The attack, and whether it succeeded."""
        who = seen_by(self.direction, self.belief)
        if not self.breaks(goal):
            return f"{who}: ε is at least {at_least(max(self.epsilon_lower, 0.0), 4)}"
        by_delta = self.delta_lower > goal.delta
        event = self.delta_event if by_delta else self.epsilon_event
        shown = (
            f"δ is at least {at_least(self.delta_lower, 4)} at ε = {goal.epsilon_text}"
            if by_delta
            else f"ε is at least {at_least(self.epsilon_lower, 4)}"
        )
        return f"{who}: {shown}, because {event.words} in {event.rates} of {event.draws:,} draws"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """One check: passed is True, False, or None where it is only information."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """What attacks on a mechanism have shown.

    Attributes:
        goal: The promise that was attacked.
        findings: For each belief and direction, the lower bounds that were shown.
        checks: The attacks that are not about one pair.
        false_alarm: A mechanism that keeps the promise is called "violated" in at most this share
            of audits.
        draws: Values published for each secret of each pair.
        power: Shares by which the noise could be smaller than claimed, each with the approximate
            probability that attacks on the pairs would have shown it; empty for a black box.
        left_out: The number of other pairs, over all adversaries, that looked harder to tell apart
            and were not attacked.
    """

    goal: Guarantee
    findings: tuple[PairFinding, ...]
    checks: tuple[AuditCheck, ...]
    false_alarm: float
    draws: int
    power: tuple[tuple[float, float], ...] = ()
    left_out: int = 0

    def __bool__(self) -> bool:
        """Refused: finding nothing must not pass for a proof."""
        raise TypeError('an audit is not a truth value; ask `audit.verdict == "consistent"`.')

    @property
    def verdict(self) -> Verdict:
        """Whether anything contradicts the promise."""
        broken = any(each.breaks(self.goal) for each in self.findings)
        failed = any(each.passed is False for each in self.checks)
        return "violated" if broken or failed else "consistent"

    @property
    def epsilon_lower(self) -> float:
        """The largest lower bound on ε that was shown at the goal's δ."""
        return max(0.0, *(each.epsilon_lower for each in self.findings))

    @property
    def delta_lower(self) -> float:
        """The largest lower bound on δ that was shown at the goal's ε."""
        return max(0.0, *(each.delta_lower for each in self.findings))

    def __str__(self) -> str:
        """What was tried, what was found, and what that means."""
        return "\n".join(fold(line, others="  ") for line in self._lines())

    def _lines(self) -> list[str]:
        lines = [
            f"{self.verdict.upper()}: {self._summary()}",
            f"The promise {self.goal} was attacked with {self.draws:,} published values for each "
            f"secret of {len(self.findings)} ordered pairs, half to find what to look for, half "
            "to test it.",
        ]
        if self.left_out:
            lines.append(f"Not attacked: {self.left_out:,} pairs that look harder to tell apart.")
        broken = [each for each in self.findings if each.breaks(self.goal)]
        shown = sorted(broken or self.findings, key=lambda each: -each.epsilon_lower)
        lines += [f"- {each.in_words(self.goal)}." for each in shown[:_MOST_SHOWN]]
        if len(shown) > _MOST_SHOWN:
            lines.append(f"- and {len(shown) - _MOST_SHOWN} more.")
        words = {True: "passed", False: "FAILED", None: "noted"}
        lines += [f"- {words[each.passed]}: {each.name}: {each.detail}." for each in self.checks]
        if self.power and self.verdict == "consistent":
            lines.append(
                "If the noise were smaller than claimed, attacks on the pairs would show it with "
                "a probability of about "
                + ", ".join(
                    f"{chance:.0%} ({percent(less)} too small)" for less, chance in self.power
                )
                + "; the law of the noise is also compared."
            )
        return lines

    def _summary(self) -> str:
        if self.verdict == "violated":
            return (
                "this is not what was promised. If all were in order, an audit would say this with "
                f"probability at most {self.false_alarm:g}."
            )
        return (
            "no attack contradicts the promise. That is not a proof; the certificate is. It "
            "means that the code does what was certified, as far as this number of draws can "
            "tell."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "verdict": self.verdict,
            "goal": {"epsilon": self.goal.epsilon, "delta": self.goal.delta},
            "false_alarm": self.false_alarm,
            "draws": self.draws,
            "pairs_left_out": self.left_out,
            "epsilon_lower": self.epsilon_lower,
            "delta_lower": self.delta_lower,
            "findings": [_plain(each) for each in self.findings],
            "checks": [asdict(each) for each in self.checks],
            "power": [{"less_noise": less, "probability": chance} for less, chance in self.power],
        }


def _plain(finding: PairFinding) -> dict[str, Any]:
    plain = asdict(finding)
    plain["direction"] = list(finding.direction)
    plain["epsilon_lower"] = max(finding.epsilon_lower, 0.0)
    return plain
