"""What an audit says, in words and as data."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

import pufferfish as pf
from pufferfish.audits import AuditCheck, AuditResult, Event, PairFinding

GOAL = pf.Guarantee(1.0, 0.01)
EVENT = Event(words="the published value is above 3", hits_first=50, hits_second=5, draws=1000)
OTHER = replace(EVENT, words="the published value is missing", hits_first=80)


def finding(epsilon: float = 0.5, delta: float = 0.0, first: str = "a") -> PairFinding:
    return PairFinding(
        belief="census",
        direction=pf.SecretPair(first, "z"),
        epsilon_lower=epsilon,
        delta_lower=delta,
        epsilon_event=EVENT,
        delta_event=OTHER,
    )


def check(passed: bool | None) -> AuditCheck:
    return AuditCheck(name="a thing", passed=passed, detail="as seen")


def result(*findings: PairFinding, checks: tuple[AuditCheck, ...] = ()) -> AuditResult:
    return AuditResult(
        goal=GOAL,
        findings=findings or (finding(),),
        checks=checks,
        false_alarm=1e-6,
        draws=2000,
        power=((0.4, 1.0), (0.1, 0.4567)),
    )


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (result(), "consistent"),
        (result(finding(epsilon=1.0, delta=0.01)), "consistent"),  # at most is what was promised
        (result(finding(epsilon=1.0001)), "violated"),
        (result(finding(delta=0.0101)), "violated"),
        (result(finding(), finding(epsilon=2.0)), "violated"),
        (result(checks=(check(True), check(None))), "consistent"),
        (result(checks=(check(True), check(False))), "violated"),
    ],
)
def test_verdicts(found: AuditResult, verdict: str) -> None:
    assert found.verdict == verdict
    assert str(found).startswith(verdict.upper() + ":")
    assert found.to_dict()["verdict"] == verdict


def test_a_result_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="verdict"):
        bool(result())


def test_the_largest_bounds_are_the_result() -> None:
    found = result(finding(0.3, 0.002), finding(0.7, 0.0), finding(-math.inf, 0.001))
    assert (found.epsilon_lower, found.delta_lower) == (0.7, 0.002)
    assert result(finding(-math.inf)).epsilon_lower == 0.0


def test_the_event_that_shows_it_is_named() -> None:
    by_delta = str(result(finding(delta=0.05)))
    assert "'a' against 'z', as 'census' sees it: δ is at least 0.05 at ε = 1" in by_delta
    assert "missing in 8% against 0.5% of 1,000 draws" in " ".join(by_delta.split())
    by_epsilon = " ".join(str(result(finding(epsilon=1.5))).split())
    assert "ε is at least 1.5, because the published value is above 3 in 5% against" in by_epsilon


def test_a_consistent_audit_does_not_claim_too_much() -> None:
    text = " ".join(str(result()).split())
    assert "That is not a proof; the certificate is." in text
    assert "about 100% (40% too small), 46% (10% too small)" in text
    assert "too small" not in str(result(finding(epsilon=9.0)))


def test_a_violated_audit_says_how_often_it_errs() -> None:
    text = " ".join(str(result(checks=(check(False),))).split())
    assert "with probability at most 1e-06" in text
    assert "FAILED: a thing: as seen." in text


def test_many_pairs_are_counted_and_the_worst_come_first() -> None:
    found = result(*(finding(0.01 * number, first=f"s{number}") for number in range(30)))
    text = str(found)
    assert "and 20 more" in text
    assert "'s29'" in text
    assert "'s0'" not in text
    # Of a broken promise only what breaks it is shown.
    worse = result(*found.findings, finding(2.0, first="worst"))
    assert "'worst'" in str(worse)
    assert "'s29'" not in str(worse)


def test_lines_fit_a_terminal() -> None:
    wide = result(finding(2.0, first="x" * 60), checks=(check(False), check(None)))
    assert max(map(len, str(wide).splitlines())) <= 98


def test_data_are_json() -> None:
    found = result(finding(-math.inf), finding(0.7), checks=(check(None), check(True)))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["goal"] == {"epsilon": 1.0, "delta": 0.01}
    assert [each["epsilon_lower"] for each in data["findings"]] == [0.0, 0.7]
    assert data["findings"][0]["direction"] == ["a", "z"]
    assert data["findings"][0]["delta_event"]["hits_first"] == 80
    assert data["checks"][0] == {"name": "a thing", "passed": None, "detail": "as seen"}
    assert data["power"] == [
        {"less_noise": 0.4, "probability": 1.0},
        {"less_noise": 0.1, "probability": 0.4567},
    ]
