"""Beliefs and scenarios: what is read again is what was written, to the last bit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pufferfish as pf
from pufferfish.beliefs.documents import (
    BeliefEntries,
    RuleEntries,
    ScenarioEntries,
    belief_to_dict,
    scenario_to_dict,
)
from pufferfish.beliefs.rules import Rule, band_names
from pufferfish.documents.shape import read
from pufferfish.documents.text import document_text, parse_document
from tests.strategies import priors

# Texts that a careless writer of JSON would turn into something else.
AWKWARD = [
    "",
    "yes",
    "no",
    "null",
    "~",
    "1",
    "1e3",
    "true",
    "a: b",
    "#",
    " x ",
    "é\n\t",
    "\x85",
    "🐡",
]
texts = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(codec="utf-8"), max_size=8))
labels = st.one_of(texts, st.integers(2, 10**18), st.booleans())
# Any double of a usual size: most need all of their digits.
numbers = st.floats(-1e6, 1e6, allow_nan=False)
sizes = st.floats(1e-6, 1e6)


@st.composite
def beliefs(draw: st.DrawFn) -> pf.Belief:
    secrets = draw(st.lists(labels, min_size=2, max_size=4, unique=True))
    wild = st.one_of(priors, st.builds(pf.Gaussian, numbers, sizes))
    return pf.Belief(
        {secret: draw(wild) for secret in secrets},
        name=draw(texts.filter(bool)),
        provenance=draw(st.sampled_from(["private", "public", "reference sample"])),
        missing={secret: draw(st.sampled_from([0.0, 1 / 3, 0.1])) for secret in secrets},
        radius=draw(st.one_of(st.just(0.0), st.floats(1e-9, 10.0))),
    )


def belief_from_dict(data: Any) -> pf.Belief:
    return read(data, BeliefEntries, "belief").made()


def written(data: dict[str, Any]) -> dict[str, Any]:
    """Through text and back."""
    text = document_text({"pufferfish": "test", "version": 1, "data": data})
    found: dict[str, Any] = parse_document(text, "test")["data"]
    return found


def bits(data: object) -> object:
    """Numbers by type and digit: 1 is not True, and 0.1 is not 0.10000000000000002."""
    if isinstance(data, dict):
        return {key: bits(value) for key, value in data.items()}
    if isinstance(data, list):
        return [bits(each) for each in data]
    return type(data).__name__, data.hex() if isinstance(data, float) else data


@given(belief=beliefs())
def test_a_belief_keeps_every_bit(belief: pf.Belief) -> None:
    again = belief_from_dict(written(belief_to_dict(belief)))
    assert again == belief
    assert [(type(key), key) for key in again.priors] == [(type(k), k) for k in belief.priors]
    assert bits(belief_to_dict(again)) == bits(belief_to_dict(belief))
    assert (again.name, again.provenance) == (belief.name, belief.provenance)


@pytest.mark.parametrize("secrets", [(1, 2), (True, False), ("1", "true"), ("", " ")])
def test_secrets_keep_their_type(secrets: tuple[Any, Any]) -> None:
    laws = dict(zip(secrets, (pf.Gaussian(0.0, 1.0), pf.Gaussian(1.0, 1.0)), strict=True))
    scenario = pf.Scenario(pf.Belief(laws), pairs=[secrets])
    found = written({"scenario": scenario_to_dict(scenario)})
    again = read(found["scenario"], ScenarioEntries, "scenario").made()
    assert again == scenario
    assert [type(each) for each in again.pairs[0]] == [type(each) for each in secrets]
    assert all(type(each) is type(secrets[0]) for each in again.beliefs[0].priors)


def counted() -> pf.Belief:
    laws = {"a": pf.Discrete.from_counts({1: 1, 2: 2}), "b": pf.Discrete.from_counts({0.1: 7})}
    return pf.Belief(
        laws,
        missing_counts={"a": 4},
        frequencies=pf.Discrete.from_counts({0.1: 7, 1: 1, 2: 9}),
        frequencies_missing=11,
    )


def test_counts_are_read_again() -> None:
    data = belief_to_dict(counted())
    again = belief_from_dict(written(data))
    assert again == counted()
    assert bits(belief_to_dict(again)) == bits(data)
    assert dict(again.missing_counts) == {"a": 4, "b": 0}
    assert [law.whole_weights for law in again.priors.values() if isinstance(law, pf.Discrete)] == [
        ((1, 2), 3),
        ((7,), 7),
    ]
    assert again.frequencies is not None
    assert again.frequencies.whole_weights == ((7, 1, 9), 17)
    assert again.frequencies_missing == 11


def test_what_was_not_counted_is_not_in_a_document() -> None:
    belief = pf.Belief({"a": pf.Discrete([1.0, 2.0], [0.5, 0.5]), "b": pf.Gaussian(0.0, 1.0)})
    data = belief_to_dict(belief)
    assert "frequencies" not in data
    assert data["secrets"][0] == {
        "secret": "a",
        "missing": 0.0,
        "prior": {"family": "table", "values": [1.0, 2.0], "probabilities": [0.5, 0.5]},
    }


def test_counts_say_it_without_probabilities() -> None:
    data = belief_to_dict(counted())
    for secret in data["secrets"]:
        del secret["prior"]["probabilities"]
    assert bits(belief_to_dict(belief_from_dict(data))) == bits(belief_to_dict(counted()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["secrets"][0]["prior"].update(counts=[1, 1]), "divided by their sum"),
        (lambda data: data["secrets"][0]["prior"].update(counts=[1]), "divided by their sum"),
        (lambda data: data["secrets"][0]["prior"].update(counts=[-1, 2]), "counts"),
        (lambda data: data["secrets"][0]["prior"].update(counts=[0.5, 1]), "counts"),
        (lambda data: data["secrets"][0]["prior"].update(counts=[2**60, 2**61]), "below"),
        (lambda data: data["secrets"][0]["prior"].pop("counts"), "needs a prior with counts"),
        (lambda data: data["secrets"][1]["prior"].pop("values"), "values"),
        (lambda data: data["secrets"][0].update(missing_count=5), "contradict"),
        (lambda data: data["secrets"][0].update(missing=0.5), "contradict"),
        (lambda data: data["secrets"][0].update(missing_count=-4), "missing_count"),
        (lambda data: data["secrets"][1].update(missing_count=1), "contradict"),
        (lambda data: data["frequencies"].pop("counts"), "no entry 'counts'"),
        (lambda data: data["frequencies"].update(counts=[1]), "one entry per atom"),
        (lambda data: data["frequencies"].update(missing=-1), "missing"),
        (lambda data: data["frequencies"].update(probabilities=[1.0]), "probabilities"),
    ],
)
def test_counts_that_contradict_the_rest_are_refused(change: Any, message: str) -> None:
    data = belief_to_dict(counted())
    change(data)
    with pytest.raises(pf.InvalidInputError, match=message):
        belief_from_dict(data)


# Beliefs of the wrong shape.


def plain() -> dict[str, Any]:
    return belief_to_dict(pf.Belief({"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.0)}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("secrets"), "no entry 'secrets'"),
        (lambda data: data["secrets"][0].pop("prior"), "no entry 'prior'"),
        (lambda data: data["secrets"][0]["prior"].pop("family"), "no entry 'family'"),
        (lambda data: data["secrets"][0]["prior"].update(family="cauchy"), "family"),
        (lambda data: data["secrets"][0]["prior"].update(width=1.0), "shape"),
        (lambda data: data["secrets"][0]["prior"].pop("std"), "shape"),
        (lambda data: data["secrets"][0]["prior"].update(std=-1.0), "std"),
        (lambda data: data["secrets"].append(data["secrets"][0]), "twice"),
        (lambda data: data.update(secrets=5), "shape"),
        (lambda data: data.update(secrets=[5]), "shape"),
        (lambda data: data.update(radius=-1.0), "radius"),
        (lambda data: data["secrets"][0].update(missing=1.0), "missing"),
        (lambda data: data.update(provenance="Public"), "provenance"),
    ],
)
def test_a_belief_of_the_wrong_shape_is_refused(change: Any, message: str) -> None:
    data = plain()
    change(data)
    with pytest.raises(pf.InvalidInputError, match=message):
        belief_from_dict(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(raduis=0.5),
        lambda data: data["secrets"][0].update(mising=0.5),
    ],
    ids=["belief", "secret"],
)
def test_an_entry_that_would_be_ignored_is_refused(change: Any) -> None:
    """A slip of the pen in a belief must not weaken the promise in silence."""
    data = plain()
    change(data)
    with pytest.raises(pf.InvalidInputError):
        belief_from_dict(data)


def test_what_is_left_out_is_taken_to_be_private() -> None:
    data = plain()
    for name in ("name", "provenance", "radius"):
        del data[name]
    for entry in data["secrets"]:
        del entry["missing"]
    belief = belief_from_dict(data)
    assert not belief.public
    assert belief.radius == 0.0
    assert set(belief.missing.values()) == {0.0}


# Labels of every kind, also such as are equal to Python.
parts = st.one_of(texts, st.integers(-(10**15), 10**15), st.booleans(), st.none(), numbers)


def same_labels(one: object, other: object) -> bool:
    """Equal, and of the same types at every depth: repr tells True from 1 and 1 from 1.0."""
    return repr(one) == repr(other)


@st.composite
def rules(draw: st.DrawFn, column: str) -> Rule:
    merged = draw(st.dictionaries(parts, parts, max_size=3))
    order = tuple(draw(st.lists(parts, max_size=3)))
    if draw(st.booleans()):
        unit = draw(st.sampled_from([None, "year", "quarter"]))
        return Rule(column=column, read="label", unit=unit, merged=merged, order=order)
    edges = draw(st.none() | st.lists(numbers, min_size=1, max_size=3, unique=True).map(sorted))
    names = None if edges is None else (*band_names(edges)[:-1], 7)
    return Rule(column=column, read="number", edges=edges, names=names, merged=merged, order=order)


@st.composite
def beliefs_of_labels(draw: st.DrawFn) -> pf.Belief:
    width = draw(st.integers(1, 3))
    names = draw(st.lists(texts.filter(bool), min_size=2 * width, max_size=2 * width, unique=True))
    label = parts if width == 1 else st.tuples(*[parts] * width)
    given = {name: draw(parts) for name in names[width:]}

    def law() -> pf.Categorical:
        values = draw(st.lists(label, min_size=1, max_size=4))
        often = draw(st.lists(st.integers(1, 99), min_size=len(values), max_size=len(values)))
        if draw(st.booleans()):
            return pf.Categorical(values, counts=often)
        return pf.Categorical(values, [each / sum(often) for each in often])

    whole = draw(st.booleans())
    return pf.Belief(
        {secret: law() for secret in draw(st.lists(labels, min_size=2, max_size=3, unique=True))},
        columns=names[:width],
        given=given,
        rules=[draw(rules(name)) for name in names if draw(st.booleans())],
        frequencies=pf.Categorical([label_of(width)], counts=[3]) if whole else None,
    )


def label_of(width: int) -> object:
    return "x" if width == 1 else (True, 1, None)[:width]


@given(belief=beliefs_of_labels())
def test_labels_are_read_as_they_were_written(belief: pf.Belief) -> None:
    again = belief_from_dict(written(belief_to_dict(belief)))
    assert again == belief
    for secret, law in belief.priors.items():
        other = again.priors[secret]
        assert isinstance(law, pf.Categorical)
        assert isinstance(other, pf.Categorical)
        assert same_labels(other.values, law.values)
        assert other.whole_weights == law.whole_weights
    assert same_labels(dict(again.given), dict(belief.given))
    assert same_labels(dict(again.rules), dict(belief.rules))
    assert again.columns == belief.columns
    assert repr(again.frequencies) == repr(belief.frequencies)


def test_a_label_cannot_become_two_others() -> None:
    rule = {"column": "c", "read": "label", "merged": [[True, "a"], [1, "b"]]}
    with pytest.raises(pf.InvalidInputError, match="merged twice"):
        read(rule, RuleEntries, "rule").made()


def test_scenarios_with_silent_beliefs_are_read_as_they_were_written() -> None:
    law = pf.Categorical(["a", "b"], counts=[1, 2])
    beliefs = [
        pf.Belief({f"{secret} = {k}": law for k in range(3)}, name=secret)
        for secret in ("race", "sex")
    ]
    scenario = pf.Scenario(beliefs)
    again = read(scenario_to_dict(scenario), ScenarioEntries, "scenario").made()
    assert again == scenario
    assert [len(again.pairs_of(each)) for each in again.beliefs] == [3, 3]
