"""Is a record true? What was tampered with is found; what cannot be told is not claimed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.kinds.kind import kind_of
from pufferfish.kinds.verifier import Verification, verify_document, verify_record
from tests.support import verdict

# What every edition claims, and what only one with its beliefs can show: words of each claim.
ALWAYS = (
    *(
        "drawn exactly",
        "done and counted",
        "sentences match its numbers",
        "such records do not have",
    ),
    *("has the checksum", "look like values with this noise"),
)
OF_BELIEFS = ("certificate agrees with the one computed again", "says what its plan says")
PROMISE = "this noise keeps"
GOALS = {"pure": pf.Guarantee(1.0), "approximate": pf.Guarantee(0.7, 0.01)}


@cache
def calibration(provenance: str, goal: str, noise: Any = "laplace") -> pf.Calibration:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.25, 1.5)}
    belief = pf.Belief(laws, provenance=provenance)
    return pf.calibrate(pf.Scenario(belief), GOALS[goal], noise)


def released(
    folder: Path,
    provenance: str = "private",
    goal: str = "pure",
    noise: str = "laplace",
    **fields: Any,
) -> pf.Release:
    (folder / "in.csv").write_text("x,s,k\n1,a,u\n2,b,v\n3,a,w\n")
    plan = pf.Plan(
        calibration=calibration(provenance, goal, noise), column="x", secret="s", **fields
    )
    done = pf.release(folder / "in.csv", plan, folder / "out.csv", force=True)
    for edition in ("internal", "public"):
        done.record.save(folder / f"{edition}.json", edition, force=True)  # type: ignore[arg-type]
    return done


def all_shown(found: Verification, *claims: str) -> bool:
    return all(verdict(found, words) is True for words in claims)


@pytest.mark.parametrize(
    ("goal", "noise"),
    [("pure", "laplace"), ("approximate", "laplace"), ("approximate", "gaussian")],
)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"unit": "person", "person": "k", "rows_per_person": 2, "dependence": "independent"},
    ],
)
def test_an_internal_edition_is_true(tmp_path: Path, goal: str, noise: str, fields: Any) -> None:
    released(tmp_path, goal=goal, noise=noise, **fields)
    found = verify_record(tmp_path / "internal.json")
    assert found.verdict is True
    assert found.edition == "internal"
    assert all_shown(found, PROMISE, *ALWAYS, *OF_BELIEFS)


def test_a_public_edition_of_private_beliefs_cannot_be_told(tmp_path: Path) -> None:
    released(tmp_path)
    found = verify_record(tmp_path / "public.json")
    assert found.verdict is None
    assert found.edition == "public"
    assert all_shown(found, *ALWAYS)
    assert verdict(found, PROMISE) is None
    assert not [each for each in found.checks if any(words in each.claim for words in OF_BELIEFS)]


def test_a_public_edition_of_public_beliefs_is_true(tmp_path: Path) -> None:
    released(tmp_path, "public")
    found = verify_record(tmp_path / "public.json")
    assert found.verdict is True
    assert all_shown(found, PROMISE, *ALWAYS, *OF_BELIEFS, "holds no private belief")


def test_no_noise_is_checked_too(tmp_path: Path) -> None:
    laws = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(0.1, 1.0)}
    bare = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0, 0.1))
    plan = pf.Plan(calibration=bare, column="x", secret="s", allow_no_noise=True)
    record = pf.release({"x": [1.0, 2.0], "s": ["a", "b"]}, plan).record
    record.save(tmp_path / "r.json", "internal")
    assert verify_record(tmp_path / "r.json").verdict is True


# Tampered with.


def changed(folder: Path, change: Any, edition: str = "internal") -> Verification:
    path = folder / f"{edition}.json"
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return verify_record(path)


def less_noise(data: dict[str, Any]) -> None:
    data["noise"]["scale"] *= 0.5


def less_noise_everywhere(data: dict[str, Any]) -> None:
    for place in (data, data["plan"], data["certificate"]):
        place["noise"]["scale"] *= 0.5


def other_goal(data: dict[str, Any]) -> None:
    data["goal"]["epsilon"] *= 0.5


def other_goal_everywhere(data: dict[str, Any]) -> None:
    for place in (data, data["plan"]):
        place["goal"]["epsilon"] *= 0.5


def other_belief(data: dict[str, Any]) -> None:
    data["plan"]["scenario"]["beliefs"][0]["secrets"][0]["prior"]["mean"] = 0.5


def better_certificate(data: dict[str, Any]) -> None:
    for result in data["certificate"]["results"]:
        result["epsilon_lower"], result["epsilon_upper"] = 0.1, 0.2


def slightly_better_certificate(data: dict[str, Any]) -> None:
    for result in data["certificate"]["results"]:
        result["epsilon_upper"] *= 1.0 - 1e-4
        result["epsilon_lower"] = min(result["epsilon_lower"], result["epsilon_upper"])


def worse_certificate(data: dict[str, Any]) -> None:
    for result in data["certificate"]["results"]:
        result["epsilon_upper"] *= 1.5


def certificate_of_another_goal(data: dict[str, Any]) -> None:
    data["certificate"]["goal"]["epsilon"] = 5.0


def half_a_certificate(data: dict[str, Any]) -> None:
    data["certificate"]["results"].pop()


def certificate_of_others(data: dict[str, Any]) -> None:
    for result in data["certificate"]["results"]:
        result["belief"] = "somebody else"


def other_words(data: dict[str, Any]) -> None:
    data["promise"] = data["promise"].replace("ε = 1 ", "ε = 0.1 ")


def less_said(data: dict[str, Any]) -> None:
    data["not_promised"].pop()


def other_checksum(data: dict[str, Any]) -> None:
    data["published"]["sha256"] = "0" * 64


def broken_plan(data: dict[str, Any]) -> None:
    data["plan"]["colum"] = "y"


TAMPERED = [
    less_noise,
    less_noise_everywhere,
    other_goal,
    other_goal_everywhere,
    other_belief,
    better_certificate,
    slightly_better_certificate,
    worse_certificate,
    certificate_of_another_goal,
    half_a_certificate,
    certificate_of_others,
    other_words,
    less_said,
    other_checksum,
    broken_plan,
]


@pytest.mark.parametrize("change", TAMPERED)
def test_what_was_tampered_with_is_found(tmp_path: Path, change: Any) -> None:
    released(tmp_path)
    assert verify_record(tmp_path / "internal.json").verdict is True
    assert changed(tmp_path, change).verdict is False


@pytest.mark.parametrize("change", TAMPERED)
def test_also_in_a_public_edition(tmp_path: Path, change: Any) -> None:
    released(tmp_path, "public")
    assert changed(tmp_path, change, "public").verdict is False


@pytest.mark.parametrize("dependence", ["any", "equal"])
def test_rows_of_a_person_that_no_certificate_covers_are_not_vouched_for(
    tmp_path: Path, dependence: str
) -> None:
    """Noise for independent rows, said to be enough for others."""
    several = {"unit": "person", "person": "k", "rows_per_person": 2, "dependence": "independent"}
    released(tmp_path, **several)

    def edit(data: Any) -> None:
        data["dependence"] = data["plan"]["dependence"] = dependence

    # No proof covers them, so nobody vouches for them.
    assert changed(tmp_path, edit).verdict is not True


CLAIMS: dict[str, Any] = {
    "pairs": [["a", "c"]],
    "unit": "person",
    "column": "y",
    "kept": ["k"],
    "missing": "drop",
    "order": "table",
    "headline": ["Nothing to worry about."],
    "beliefs_from": "this table",
    "rows_per_person": 2,
    "rows_tested": True,
    "adversaries": 7,
    "postprocess": [{"round_to": 1.0}],
}


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_that_the_plan_decides_is_compared_with_it(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    assert changed(tmp_path, lambda data: data.update({name: CLAIMS[name]})).verdict is False


def test_a_file_that_was_changed_is_found(tmp_path: Path) -> None:
    released(tmp_path)
    with (tmp_path / "out.csv").open("ab") as file:
        file.write(b"7.0\n")
    for edition in ("internal", "public"):
        assert verify_record(tmp_path / f"{edition}.json").verdict is False


def test_the_file_may_be_named_or_be_away(tmp_path: Path) -> None:
    released(tmp_path)
    elsewhere = tmp_path / "elsewhere.csv"
    (tmp_path / "out.csv").rename(elsewhere)
    found = verify_record(tmp_path / "internal.json")
    assert found.verdict is None
    assert verdict(found, "has the checksum") is None
    named = verify_record(tmp_path / "internal.json", elsewhere)
    assert named.verdict is True
    assert all_shown(named, PROMISE, *ALWAYS, *OF_BELIEFS)
    assert verify_record(tmp_path / "internal.json", tmp_path / "in.csv").verdict is False
    with pytest.raises(OSError, match="none"):
        verify_record(tmp_path / "internal.json", tmp_path / "none.csv")


def test_of_a_frame_there_is_no_file_to_compare(tmp_path: Path) -> None:
    done = released(tmp_path)
    frame = pf.release({"x": [1.0, 2.0], "s": ["a", "b"]}, done.record.plan)
    frame.record.save(tmp_path / "frame.json", "internal")
    assert verify_record(tmp_path / "frame.json").verdict is True
    assert verify_record(tmp_path / "frame.json", tmp_path / "out.csv").verdict is None


def test_noise_that_cannot_be_drawn_is_found(tmp_path: Path) -> None:
    released(tmp_path)
    found = changed(tmp_path, lambda data: data["noise"].update(grid=None), "public")
    assert found.verdict is False
    fine = changed(tmp_path, lambda data: data["noise"].update(grid=2.0**-60), "public")
    assert fine.verdict is False


@pytest.mark.parametrize("name", ["edition", "noise", "goal", "published"])
def test_a_record_of_the_wrong_shape_is_refused(tmp_path: Path, name: str) -> None:
    released(tmp_path)
    with pytest.raises(pf.InvalidInputError, match=name):
        changed(tmp_path, lambda data: data.pop(name))


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    done = released(tmp_path)
    done.record.plan.save(tmp_path / "plan.json")
    with pytest.raises(pf.InvalidInputError, match="kind 'plan'"):
        verify_record(tmp_path / "plan.json")
    with pytest.raises(pf.InvalidInputError, match="version"):
        changed(tmp_path, lambda data: data.update(version=7))


@pytest.mark.parametrize("edition", ["internal", "public"])
def test_nothing_can_be_added_to_a_record(tmp_path: Path, edition: str) -> None:
    released(tmp_path)
    path = tmp_path / f"{edition}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    for change in ({"extra_promise": "all rows are safe"}, {"notice": "Certified by everybody."}):
        path.write_text(json.dumps(data | change), encoding="utf-8")
        assert verify_record(path).verdict is False


def test_the_rows_of_the_file_are_counted(tmp_path: Path) -> None:
    released(tmp_path)
    path = tmp_path / "internal.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["published"]["rows"] += 1
    path.write_text(json.dumps(data), encoding="utf-8")
    found = verify_record(path)
    # The checksum is right, and the number of rows is not.
    assert verdict(found, "has the checksum") is True
    assert verdict(found, "has as many rows as the record says") is False
    (wrong,) = [each for each in found.checks if each.verdict is False and "rows" in each.claim]
    rows = data["published"]["rows"]
    assert wrong.detail == f"the file has {rows - 1:,}, the record says {rows:,}"
    # This is the published file: it is the record that is wrong.
    assert found.conclusion == "This record makes a claim that does NOT hold."


def test_a_wrong_record_is_not_excused_by_another_file(tmp_path: Path) -> None:
    released(tmp_path)
    path = tmp_path / "internal.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["published"]["rows"] += 1
    data["rows_read"] = 1
    path.write_text(json.dumps(data), encoding="utf-8")
    found = verify_record(path, tmp_path / "in.csv")
    assert found.conclusion == "This record makes a claim that does NOT hold."


def test_what_was_not_checked_does_not_sound_like_success(tmp_path: Path) -> None:
    released(tmp_path)
    public = verify_record(tmp_path / "public.json")
    assert public.verdict is None
    assert "were NOT checked; the promise is one of them." in public.conclusion
    assert "consistent" not in public.conclusion
    assert "NOT" not in verify_record(tmp_path / "internal.json").conclusion


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The record of a release with so many pairs that most were screened."""
    folder = tmp_path_factory.mktemp("many")
    laws = {f"s{number}": pf.Gaussian(0.1 * number, 5.0) for number in range(50)}
    belief = pf.Belief(laws, provenance="public")
    calibration = pf.calibrate(pf.Scenario(belief), pf.Guarantee(1.0, 1e-3))
    plan = pf.Plan(calibration=calibration, column="x", secret="s")
    (folder / "in.csv").write_text("x,s\n1,s0\n2,s1\n3,s7\n")
    done = pf.release(folder / "in.csv", plan, folder / "out.csv")
    data = done.record.to_dict("internal")
    assert data["certificate"]["screened"][0]["pairs"] > 1_000
    return data


def edited(data: dict[str, Any], edit: Any) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(data))
    edit(copy["certificate"])
    return copy


def renamed_worst(certificate: dict[str, Any]) -> None:
    for result in certificate["results"]:
        result["pair"] = ["s1", "s2"]
        result["direction"] = ["s1", "s2"] if result["direction"][0] == "s0" else ["s2", "s1"]


def invented(certificate: dict[str, Any], pair: list[str]) -> None:
    zero = dict.fromkeys(("delta_lower", "delta_upper", "epsilon_lower", "epsilon_upper"), 0.0)
    for direction in (pair, pair[::-1]):
        entry = {**certificate["results"][0], "pair": pair, "direction": direction, **zero}
        certificate["results"].append(entry)
    certificate["screened"][0]["pairs"] -= 1


@pytest.mark.parametrize(
    "edit",
    [
        renamed_worst,
        lambda certificate: invented(certificate, ["s3", "s4"]),
        lambda certificate: invented(certificate, ["alice", "bob"]),
        lambda certificate: certificate["screened"][0].update(delta_upper=0.0, epsilon_upper=0.0),
        lambda certificate: certificate["screened"][0].update(epsilon_upper="inf"),
        lambda certificate: certificate["screened"][0].update(provenance="somewhere"),
        lambda certificate: certificate["screened"][0].update(pairs=1),
        lambda certificate: certificate["screened"][0].update(claim="certified"),
        lambda certificate: certificate.update(claim="certified by others"),
        lambda certificate: certificate["results"][0].update(
            delta_lower=certificate["results"][0]["delta_upper"], epsilon_lower=-1.0
        ),
        lambda certificate: certificate["results"].append(certificate["results"][0]),
    ],
)
def test_what_is_said_of_very_many_pairs_is_checked_too(
    tmp_path: Path, many: dict[str, Any], edit: Any
) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(many))
    assert False not in [check.verdict for check in verify_record(path).checks]
    pf.Record.from_dict(many)
    path.write_text(json.dumps(edited(many, edit)))
    assert verify_record(path).verdict is False
    with pytest.raises(pf.CertificationError):
        pf.Record.from_dict(edited(many, edit))


class TestWhatOnlyOneOfThemSays:
    """Entries that documents leave out where there is nothing to say: compared in both ways."""

    @pytest.fixture
    def document(self) -> dict[str, Any]:
        numbers = np.arange(400)
        table = {"x": numbers % 7.0 + numbers % 2, "s": np.array(["a", "b"])[numbers % 2]}
        counts = pf.summarise(table, column="x", secret="s").capped(0, 7)
        scenario = pf.Scenario(pf.fit_belief(counts, family="empirical"))
        found = pf.calibrate(scenario, pf.Guarantee(1.0), wrong=0.01)
        plan = pf.Plan(calibration=found, column="x", secret="s", cap=(0, 7))
        return pf.release(table, plan).record.to_dict("internal")

    @pytest.mark.parametrize("forged", [{"wrong": 0.05}, {"wrong_of_table": True}, {"wrong": 0.0}])
    def test_a_claim_that_the_plan_does_not_make(
        self, document: dict[str, Any], forged: dict[str, Any]
    ) -> None:
        """Refutes a promise for laws that are wrong by 5%, with the words that follow from it."""
        assert verify_document(document, folder=None, released=None).verdict is True
        said = document | forged
        kind = kind_of("record", "record")
        said |= kind.words(kind.facts(said))
        if not forged.get("wrong", 1.0):
            del said["wrong"]
        found = verify_document(said, folder=None, released=None)
        assert found.verdict is False
        (wrong,) = (each for each in found.checks if each.verdict is False)
        assert wrong.claim == "the record says what its plan says"
        assert wrong.detail == f"it differs in {next(iter(forged))}"
