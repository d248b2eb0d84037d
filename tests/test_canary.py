"""Canaries: distinctive private numbers and labels, looked for wherever they must not appear."""

from __future__ import annotations

import json
import math
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pufferfish as pf
from pufferfish.beliefs.priors import Prior
from pufferfish.insight.strongest import least_epsilon, noise_for_value
from pufferfish.ledger.file import charge

VALUE = 77777.25
COUNT = 1237
LABEL = "rarissima"
# A secret that no belief knows.
UNKNOWN = "ignotissima"
# Cells that stand near the one that is wrong.
NEAR = ("66666.125", "Xanthippe", "55555.0625")
COMMON = 900


@cache
def table() -> dict[str, Any]:
    """One row has the canary; one secret has exactly 1237 rows, another 31."""
    generator = np.random.default_rng(11)
    secrets = ["a"] * COUNT + ["b"] * COMMON + [LABEL] * 31
    values = generator.normal(317.0, 41.0, len(secrets)).round(1)
    values[17] = VALUE
    return {"x": values, "s": np.array(secrets)}


def formats(number: float) -> set[str]:
    """As people and programs write it, down to three digits."""
    texts = {str(number), repr(number), f"{number:g}", f"{number:,}", f"{number:,.0f}"}
    for digits in range(3, 10):
        texts |= {f"{number:.{digits}g}", f"{number:.{digits}e}", f"{number:.{digits}f}"}
    for places in range(3):
        texts.add(f"{number:.{places}f}")
    # Shorter ones turn up by chance: in a year, a version, an exponent.
    return {text for text in texts if sum(each.isdigit() for each in text.split("e")[0]) >= 3}


def parameters(prior: Prior) -> list[float]:
    if isinstance(prior, pf.Gaussian):
        return [prior.mean, prior.std]
    if isinstance(prior, pf.GaussianMixture):
        return [*prior.weights, *prior.means, *prior.stds]
    assert isinstance(prior, pf.Discrete)
    return [*prior.values[:50].tolist(), *prior.probabilities[:50].tolist()]


def private_numbers(plan: pf.Plan) -> dict[str, float]:
    found: dict[str, float] = {"value": VALUE, "count": COUNT, "few": float(COMMON)}
    for belief in plan.calibration.scenario.beliefs:
        for secret, prior in belief.priors.items():
            for index, number in enumerate(parameters(prior)):
                found[f"{belief.name} {secret} {index}"] = number
    values = table()["x"]
    found |= {"std": float(values.std()), "mean": float(values.mean()), "max": float(values.max())}
    return found


def leaks(text: str, numbers: dict[str, float], *labels: str) -> list[str]:
    """What is found of the private numbers and labels."""
    found = [label for label in labels if label in text]
    for name, number in numbers.items():
        # A weight of 1 or a round number says nothing.
        if float(f"{number:.2g}") == number:
            continue
        found += [f"{name}: {each}" for each in formats(number) if stands_alone(each, text)]
    return found


def stands_alone(number: str, text: str) -> bool:
    """Whether a number occurs as such, and not amid the digits of another."""
    start = text.find(number)
    while start >= 0:
        around = text[max(start - 1, 0) : start] + text[start + len(number) :][:1]
        if not any(each.isdigit() or each in ".abcdef" for each in around):
            return True
        start = text.find(number, start + 1)
    return False


def test_the_search_finds_what_is_there() -> None:
    numbers = {"value": VALUE, "std": 41.23456}
    for text in ("77777.25", "x=77777.25;", "(77777.2)", "7.778e+04", "77,777", "77777"):
        assert leaks(f"a {text} b", numbers)
    for text in ("std 41.2", "41.23", "41.235,", '"41.23456"'):
        assert leaks(text, numbers)
    for text in ("sha 77777a", "177777", "41", "0.412"):
        assert not leaks(text, numbers)
    assert leaks("a rarissima b", numbers, LABEL) == [LABEL]


@cache
def planned(family: str = "mixture", noise: Any = "laplace", delta: float = 0.0) -> pf.Plan:
    """Fitted on the released column itself, the rare label in no pair."""
    fitted = pf.fit_belief(table(), column="x", secret="s", family=family)
    scenario = pf.Scenario(fitted, pairs=[("a", "b")])
    found = pf.calibrate(scenario, pf.Guarantee(0.9, delta), noise)
    return pf.Plan(calibration=found, column="x", secret="s")


PLANS: list[tuple[str, Any, float]] = [
    ("mixture", "laplace", 0.0),
    ("gaussian", "laplace", 0.0),
    ("gaussian", "gaussian", 1e-4),
    ("empirical", "laplace", 0.01),
]


@pytest.mark.parametrize("arguments", PLANS, ids=str)
def test_nothing_private_is_in_a_public_record(arguments: Any, tmp_path: Path) -> None:
    plan = planned(*arguments)
    numbers = private_numbers(plan)
    done = pf.release(table(), plan)
    del numbers["max"]
    done.record.save(tmp_path / "r.json", "public")
    text = (tmp_path / "r.json").read_text()
    assert leaks(text, numbers, LABEL, "mixture'", "empirical'") == []
    # The internal edition holds them, so that they would have been found.
    assert leaks(json.dumps(done.record.to_dict("internal")), numbers, LABEL)


def test_an_epsilon_that_was_derived_says_little_of_the_beliefs() -> None:
    """From a wanted accuracy the least ε follows: a number computed from private beliefs."""
    scenario = planned("gaussian").calibration.scenario
    derived = least_epsilon(scenario, noise_for_value("laplace", 20_000.0))
    plan = pf.Plan(calibration=derived, column="x", secret="s")
    data = pf.release(table(), plan).record.to_dict("public")
    epsilon = data["goal"]["epsilon"]
    assert float(f"{epsilon:.3g}") == epsilon


@pytest.mark.parametrize("arguments", PLANS, ids=str)
def test_nothing_private_is_in_a_representation(arguments: Any) -> None:
    plan = planned(*arguments)
    numbers = private_numbers(plan)
    (belief,) = plan.calibration.scenario.beliefs
    shown = {
        "plan": plan,
        "calibration": plan.calibration,
        "mechanism": plan.mechanism,
        "scenario": plan.calibration.scenario,
        "belief": belief,
        "ledger": pf.Ledger(scenario=plan.calibration.scenario, budget=plan.promise),
    }
    for name, each in shown.items():
        for text in (repr(each), str(each), f"{each}"):
            assert leaks(text, numbers) == [], name
    # The labels of a belief are its secrets' names; a plan shows none of them.
    assert LABEL not in repr(plan)


def test_nothing_private_is_in_the_representation_of_a_release() -> None:
    """A notebook shows it when it is the last line of a cell."""
    numbers = private_numbers(planned("gaussian"))
    done = pf.release(table(), planned("gaussian"))
    for text in (repr(done.record), str(done.record), repr(pf.Release("out.csv", done.record))):
        assert leaks(text, numbers) == []


def test_nothing_private_is_in_the_representation_of_a_summary_or_report() -> None:
    summary = pf.summarise(table(), column="x", secret="s")
    report = pf.fit_report(summary, family="mixture")
    numbers = private_numbers(planned())
    shown: list[Any] = [summary, report, *summary.groups.values(), *report.groups]
    for each in shown:
        for text in (repr(each), str(each)):
            assert leaks(text, numbers) == []
    assert LABEL not in repr(summary) + repr(report)


# Errors.


def small_plan(**fields: Any) -> pf.Plan:
    found = planned("gaussian").calibration
    return pf.Plan(**{"calibration": found, "column": "x", "secret": "s"} | fields)


def csv(folder: Path, text: str, name: str = "in.csv", **fields: Any) -> Callable[[], Any]:
    def run() -> Any:
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        return pf.release(folder / name, small_plan(**fields), folder / "out.csv")

    return run


def frame(data: Any, **fields: Any) -> Callable[[], Any]:
    return lambda: pf.release(data, small_plan(**fields))


def columns(**changed: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "x": np.array([66666.125, VALUE, 55555.0625]),
        "s": np.array(["a", "b", "a"]),
        "k": np.array(["u", "Xanthippe", "w"]),
    }
    return plain | changed


def objects(*cells: Any) -> Any:
    return np.array(cells, dtype=object)


PERSON: dict[str, Any] = {"unit": "person", "person": "k"}
GOOD = f"x,s,k\n{NEAR[0]},a,u\n{VALUE},b,{NEAR[1]}\n{NEAR[2]},a,w\n"


def failures(folder: Path) -> dict[str, Callable[[], Any]]:
    """All the ways to fail, each with canaries in the bad cell and beside it."""
    infinite = columns(x=np.array([VALUE, math.inf, 66666.125]))
    far = columns(x=np.array([VALUE, 7.777725e30, 66666.125]))
    rare = columns(s=np.array(["a", UNKNOWN, "b"]))
    cases: dict[str, Callable[[], Any]] = {
        "infinite": frame(infinite),
        "far": frame(far),
        "missing": frame(columns(x=np.array([VALUE, math.nan, 66666.125]))),
        "hole that cannot be": frame(
            columns(x=np.array([VALUE, math.nan, 66666.125])), missing="keep"
        ),
        "unknown secret": frame(rare),
        "missing secret": frame(columns(s=objects("a", None, LABEL))),
        "secret of numbers": frame(columns(s=np.array([1.0, VALUE, 2.0]))),
        "secret of mixed kinds": frame(columns(s=objects("a", VALUE, LABEL))),
        "text as numbers": frame(columns(x=np.array(["1", str(VALUE), "Xanthippe"]))),
        "text among numbers": frame(columns(x=objects(1.0, str(VALUE), "Xanthippe"))),
        "repeated person": frame(columns(k=np.array(["Xanthippe"] * 3)), **PERSON),
        "no person": frame(columns(k=objects("Xanthippe", None, "u")), **PERSON),
        "nan person": frame(columns(k=objects("Xanthippe", math.nan, "u")), **PERSON),
        "short column": frame(columns(s=np.array(["a", LABEL]))),
        "two dimensions": frame(columns(x=np.array([[VALUE], [66666.125], [55555.0625]]))),
        "no such column": frame(columns(), keep_unprotected=("missing",)),
    }
    for name, make in (("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("arrow", pa.table)):
        cases |= {
            f"{name}: infinite": frame(make(infinite)),
            f"{name}: far": frame(make(far)),
            f"{name}: unknown secret": frame(make(rare)),
            f"{name}: text": frame(make(columns(x=["1", str(VALUE), "Xanthippe"]))),
            f"{name}: float secret": frame(make(columns(s=[1.0, VALUE, 2.0]))),
            f"{name}: repeated person": frame(make(columns(k=["Xanthippe"] * 3)), **PERSON),
        }
    mixed = pd.DataFrame(columns()).astype({"x": object, "k": object})
    mixed.loc[1, "x"] = "Xanthippe"
    cases["pandas: mixed numbers"] = frame(mixed)
    mixed_person = pd.DataFrame(columns(k=objects(1, "Xanthippe", 2)))
    cases["pandas: mixed persons"] = frame(mixed_person, **PERSON)
    cases["polars: objects"] = frame(
        pl.DataFrame({"x": pl.Series([VALUE, object(), LABEL], dtype=pl.Object), "s": ["a"] * 3})
    )
    cases |= {
        "csv: text": csv(folder, GOOD + f"Xanthippe,a,{VALUE}\n"),
        "csv: number with a unit": csv(folder, GOOD + f"{VALUE}€,a,u\n"),
        "csv: infinite": csv(folder, GOOD + f"inf,a,{VALUE}\n"),
        "csv: unknown secret": csv(folder, GOOD + f"1,{UNKNOWN},{VALUE}\n"),
        "csv: missing secret": csv(folder, GOOD + f"1,,{VALUE}\n"),
        "csv: missing value": csv(folder, GOOD + f",a,{VALUE}\n"),
        "csv: short row": csv(folder, GOOD + f"{VALUE},{LABEL}\n"),
        "csv: long row": csv(folder, GOOD + f"{VALUE},{LABEL},Xanthippe,{VALUE}\n"),
        "csv: not UTF-8": csv(
            folder, GOOD + f"{VALUE},a,Xanthippe\udcff\n", keep_unprotected=("k",)
        ),
        "csv: repeated person": csv(folder, GOOD + "1,a,Xanthippe\n", **PERSON),
        "csv: no header": csv(folder, GOOD.split("\n", 1)[1]),
        "csv: wrong delimiter": csv(folder, GOOD.replace(",", ":")),
        "csv: damaged gzip": csv(folder, GOOD, "in.csv.gz"),
        "parquet: is a csv": csv(folder, GOOD, "in.parquet"),
        "arrow: is a csv": csv(folder, GOOD, "in.arrow"),
        "fit: small group": lambda: pf.fit_belief(
            table(), column="x", secret="s", family="gaussian", min_group=50
        ),
        "fit: infinite": lambda: pf.fit_belief(infinite, column="x", secret="s"),
        "fit: constant": lambda: pf.fit_belief(
            {"x": np.full(100, VALUE), "s": ["a", LABEL] * 50}, column="x", secret="s"
        ),
        "fit: one secret": lambda: pf.fit_belief(
            {"x": np.full(100, VALUE), "s": [LABEL] * 100}, column="x", secret="s"
        ),
    }
    return cases


NAMES = list(failures(Path("unused")))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_private_is_in_a_message(name: str, tmp_path: Path) -> None:
    numbers = private_numbers(planned("gaussian")) | {
        "near": float(NEAR[0]),
        "nearer": float(NEAR[2]),
        "far": 7.777725e30,
    }
    with pytest.raises((pf.PufferfishError, OSError)) as caught:
        failures(tmp_path)[name]()
    # Also what Python shows below it: the errors that it came from.
    shown = "".join(traceback.format_exception_only(caught.value))
    behind = caught.value.__cause__ or caught.value.__context__
    if behind is not None and not caught.value.__suppress_context__:
        shown += str(behind)
    assert leaks(shown, numbers, LABEL, UNKNOWN, *NEAR, "77777") == []


def tampered(change: Callable[[dict[str, Any]], Any]) -> str:
    data = json.loads(planned("gaussian").to_json())
    change(data)
    return json.dumps(data)


DOCUMENTS: dict[str, Callable[[], str]] = {
    "cut off": lambda: planned("gaussian").to_json()[:-200],
    "less noise": lambda: tampered(lambda data: data["noise"].update(scale=1.0)),
    "stronger promise": lambda: tampered(lambda data: data["goal"].update(epsilon=0.1)),
    "unknown version": lambda: tampered(lambda data: data.update(version=9)),
    "no secrets": lambda: tampered(lambda data: data["scenario"]["beliefs"][0].pop("secrets")),
    "unknown entry": lambda: tampered(lambda data: data.update(extra=VALUE)),
    "unknown pair": lambda: tampered(lambda data: data["scenario"].update(pairs=[["a", "z"]])),
    "wrong shape": lambda: tampered(lambda data: data["scenario"].update(beliefs=[VALUE])),
    "prior without std": lambda: tampered(
        lambda data: data["scenario"]["beliefs"][0]["secrets"][0]["prior"].pop("std")
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_private_is_in_a_message_about_a_plan(name: str, tmp_path: Path) -> None:
    numbers = private_numbers(planned("gaussian"))
    (tmp_path / "plan.json").write_text(DOCUMENTS[name]())
    with pytest.raises(pf.PufferfishError) as caught:
        pf.Plan.load(tmp_path / "plan.json")
    assert leaks(str(caught.value), numbers) == []


def test_nothing_private_is_in_a_message_about_a_ledger(tmp_path: Path) -> None:
    plan = planned("gaussian")
    numbers = private_numbers(plan)
    charge(tmp_path / "ledger.json", plan.calibration)
    with pytest.raises(pf.PufferfishError) as caught:
        charge(tmp_path / "ledger.json", plan.calibration)
    assert leaks(str(caught.value), numbers, LABEL) == []
    with pytest.raises(pf.PufferfishError) as caught:
        charge(tmp_path / "ledger.json", planned("mixture").calibration)
    assert leaks(str(caught.value), numbers, LABEL) == []


def test_a_released_file_holds_no_trace_of_the_secret(tmp_path: Path) -> None:
    frame_ = pl.DataFrame({"x": table()["x"], "s": table()["s"], "k": np.arange(len(table()["s"]))})
    frame_.write_parquet(tmp_path / "in.parquet")
    for name in ("out.csv", "out.parquet", "out.arrow"):
        plan = small_plan(keep_unprotected=("k",))
        pf.release(tmp_path / "in.parquet", plan, tmp_path / name)
        data = (tmp_path / name).read_bytes()
        assert LABEL.encode() not in data
        assert str(VALUE).encode() not in data
        assert np.float64(VALUE).tobytes() not in data


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_released_frame_holds_no_trace_of_the_secret(kind: str) -> None:
    """Not in its metadata either."""
    frame_ = pd.DataFrame({**table(), "k": np.arange(len(table()["s"]))})
    frame_["s"] = frame_["s"].astype("category")
    frame_ = frame_.set_index(pd.Index(table()["s"], name="group"))
    frame_.attrs["note"] = f"{COUNT} rows of {LABEL}"
    given = frame_ if kind == "pandas" else pa.Table.from_pandas(frame_)
    done = pf.release(given, small_plan(keep_unprotected=("k",))).frame
    if kind == "arrow":
        shown = str(done.schema.metadata) + str(done.schema)
        assert done.column_names == ["x", "k"]
    else:
        shown = repr(done.index) + repr(done.attrs)
    assert LABEL not in shown
    assert str(COUNT) not in shown
