"""The report of a sum in both editions; and the picture of scale against the number of users."""

from __future__ import annotations

import copy
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy.stats import laplace

import pufferfish as pf
from pufferfish import sums
from pufferfish.insight.comparison import noise_in_words
from pufferfish.insight.guesses import success
from pufferfish.report import report
from pufferfish.report.parts import law_applied
from pufferfish.report.style import INKS
from pufferfish.report.sums import draw_scale_curves
from pufferfish.sums import SumRecord, scale_curve
from pufferfish.words.numbers import percent_up
from tests.report.releases import Page
from tests.report.test_canary import readable
from tests.test_canary import leaks, stands_alone

GOAL = pf.Guarantee(1.0, 0.3)
EDITIONS: list[Any] = ["internal", "public"]
MEANS, STDS = [17.346, 35.719, 5.2817], [4.1379, 10.237, 1.0829]


def coins(provenance: str = "private") -> sums.Users:
    many = sums.binary([0.5], counts=[36], provenance=provenance)
    return sums.together(many, sums.binary([0.002], 18.0, provenance=provenance))


def moments(provenance: str = "private") -> sums.Users:
    return sums.moments(MEANS, STDS, provenance=provenance)


def released(
    users: sums.Users,
    goal: pf.Guarantee,
    values: Any,
    protect: Any = "presence",
    between: tuple[float, float] | None = None,
    **plan: Any,
) -> SumRecord:
    found = sums.calibrate_sum(users, goal, protect, between=between)
    return sums.release_sum(values, sums.SumPlan(calibration=found, column="paid", **plan)).record


COINS = [1, 0] * 18 + [18]
PAID = [20.0, 30.0, 5.0]
STRICT, LOOSE = pf.Guarantee(1.0), pf.Guarantee(1.0, 1e-3)
RECORDS: dict[str, Callable[[], SumRecord]] = {
    "presence": lambda: released(coins(), LOOSE, COINS),
    "public": lambda: released(coins("public"), LOOSE, COINS),
    "value": lambda: released(moments(), STRICT, PAID, "value", (0.0, 10.0)),
    "any value": lambda: released(coins("public"), STRICT, COINS, "value"),
    "mean": lambda: released(moments(), LOOSE, PAID, statistic="mean"),
    "count": lambda: released(
        sums.binary([0.5], counts=[20]), STRICT, [0, 1] * 10, statistic="count"
    ),
    "no noise": lambda: released(
        sums.identical(1000, 0.5, 0.3), LOOSE, [0.5] * 1000, allow_no_noise=True
    ),
}
PUBLIC_USERS = ("public", "any value")


@cache
def record(name: str) -> SumRecord:
    return RECORDS[name]()


@cache
def page(name: str, edition: Any) -> Page:
    return Page(report(record(name), edition=edition))


HEADINGS = [
    "What was promised",
    "What an adversary could guess",
    "What is not covered",
    "Pictures",
    "What users can do with it",
    "Noise saved",
    "How it was done, and how to check it",
]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", RECORDS)
def test_every_section_is_there_in_order(name: str, edition: Any) -> None:
    text = page(name, edition).text
    shown = edition == "internal" or name in PUBLIC_USERS
    derived = ("Pictures", "Noise saved")
    wanted = HEADINGS if shown else [each for each in HEADINGS if each not in derived]
    places = [text.index(heading) for heading in wanted]
    assert places == sorted(places)
    assert all((heading in text) == shown for heading in derived)
    assert ("Holds statistics of private data" in text) == (edition == "internal")
    assert ("Public." in text) == (edition == "public")


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", RECORDS)
def test_nothing_is_loaded_and_pictures_have_words(name: str, edition: Any) -> None:
    found = page(name, edition)
    policy = [each for each in found.named("meta") if "http-equiv" in each]
    assert policy[0]["content"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not {tag for tag, _ in found.tags} & {"script", "link", "iframe", "img", "a", "form"}
    ids = Counter(attributes["id"] for _, attributes in found.tags if "id" in attributes)
    assert not ids or max(ids.values()) == 1
    drawings = [each for each in found.named("svg") if each.get("role") == "img"]
    assert len(drawings) == len(found.named("figure"))
    assert all(ids[label] for each in drawings for label in str(each["aria-labelledby"]).split())


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", RECORDS)
def test_the_words_are_those_of_the_record(name: str, edition: Any) -> None:
    text, document = page(name, edition).text, record(name).to_dict(edition)
    for said in (document["promise"], *document["not_promised"], document["created"]):
        assert said in text
    assert repr(record(name).value) in text
    assert law_applied(record(name).facts.noise) in text
    assert noise_in_words(record(name).facts.noise) in text


@pytest.mark.parametrize("name", RECORDS)
def test_the_guesses_are_those_of_an_ideal_adversary(name: str) -> None:
    calibration = record(name).plan.calibration
    scenario = calibration.calibration.scenario
    text = page(name, "internal").text
    statistic = record(name).plan.statistic
    for what, noise in (("true", pf.NoNoise()), ("published", calibration.noise)):
        found = success(scenario, noise)
        shown = f"{percent_up(found.accuracy_upper)} {percent_up(found.auc_upper)}"
        assert f"the {what} {statistic} {shown}" in text
    # ε = 1: (e + δ)/(e + 1), and what becomes of 25%.
    assert "whatever the promise allows 73." in text
    assert ("25% 10.9% 47.6%" in text) == calibration.goal.pure
    assert str(calibration.calibration.certificate.worst.pair.first) in text


@pytest.mark.parametrize("name", RECORDS)
def test_all_that_follows_from_the_users_is_theirs(name: str) -> None:
    text, calibration = page(name, "internal").text, record(name).plan.calibration
    protected = calibration.protected
    found = sums.compare_sum(
        calibration.users, calibration.goal, protected.what, between=protected.between
    )
    for each in found.methods:
        assert f"{each.name} {noise_in_words(each.calibration.noise)}" in text
    for refused, _ in found.refused:
        assert f"{refused}: " in text
    explained = re.split(r"^\d+\. ", str(sums.explain_sum(calibration)), flags=re.MULTILINE)[1:]
    assert len(explained) == 8
    assert all(" ".join(step.split()) in text for step in explained)
    assert f"{calibration.certificates:,} certificate(s) settled all" in text


@pytest.mark.parametrize("name", ["presence", "value", "mean", "count"])
@pytest.mark.parametrize("value", [0.0, -3.5, 1234567.25])
def test_the_interval_is_that_of_the_noise(name: str, value: float) -> None:
    plan = record(name).plan
    parts = plan.calibration.users.size if plan.statistic == "mean" else 1
    text = Page(report(replace(record(name), value=value), edition="public")).text
    low, high = re.findall(r"95% interval (-?[\d.,]+) to (-?[\d.,]+) for the true", text)[0]
    scale = plan.calibration.scale
    reach = laplace(scale=scale).ppf(0.975) / parts
    error = laplace(scale=scale).std() / parts
    # Rounded outwards, by less than the second digit of the error.
    for shown, true, outward in ((low, value - reach, -1.0), (high, value + reach, 1.0)):
        gap = outward * (float(shown.replace(",", "")) - true)
        assert -1e-9 * max(abs(value), 1.0) <= gap <= 0.1 * error
    assert f"Standard error {error:.4g}, all of it from the noise" in text


def test_a_mean_says_by_what_it_was_divided() -> None:
    for edition in EDITIONS:
        assert "before it was divided by 3" in page("mean", edition).text
    spread = math.sqrt(sum(std**2 for std in STDS)) / 3.0
    assert f"the mean’s own std of {spread:.4g}" in page("mean", "internal").text


def test_without_noise_the_number_is_the_true_one() -> None:
    for edition in EDITIONS:
        text = page("no noise", edition).text
        assert "none: it is the true sum" in text
        assert "95% interval" not in text
        assert "500 published as the sum of paid" in text


def test_the_public_edition_tells_nothing_of_private_users() -> None:
    for name in RECORDS:
        text = page(name, "public").text
        assert bool(re.search(r"user \d+: ", text)) == (name in PUBLIC_USERS)
        assert "rows summed" not in text
        assert "rows were summed" not in text
    assert "37 rows were summed" in page("presence", "internal").text
    # How many there are, too; a number and a date that are the same for every run.
    fixed = replace(record("presence"), value=0.0, created="today")
    assert not stands_alone("37", readable(report(fixed, edition="public")))


def private_numbers() -> dict[str, float]:
    found = {f"mean {k}": mean for k, mean in enumerate(MEANS)}
    found |= {f"std {k}": std for k, std in enumerate(STDS)}
    variance = sum(std**2 for std in STDS)
    return found | {"sum": sum(MEANS), "spread": math.sqrt(variance), "third": variance}


@pytest.mark.parametrize("name", ["value", "mean"])
def test_canaries_among_the_users_are_in_the_internal_edition_only(name: str) -> None:
    # A number that is the same for every run, as the published one is not.
    fixed = replace(record(name), value=0.0)
    public, internal = (
        readable(report(fixed, edition=edition)) for edition in ("public", "internal")
    )
    assert leaks(public, private_numbers()) == []
    assert any(each.startswith("sum: ") for each in leaks(internal, private_numbers()))
    assert any(each.startswith("mean ") for each in leaks(internal, private_numbers()))


def test_canaries_in_tables_are_in_the_internal_edition_only() -> None:
    tables = [pf.Discrete([0.0, 7.3125], [0.6719, 0.3281]), pf.Discrete([0.0, 5.4375], [0.5, 0.5])]
    users = sums.finite_users(tables, counts=[13, 7])
    done = released(users, LOOSE, [7.3125, 0.0] * 10)
    numbers = {"value": 7.3125, "probability": 0.6719, "mean": users.mean}
    numbers["std"] = math.sqrt(users.variance)
    fixed = replace(done, value=0.0)
    assert leaks(readable(report(fixed, edition="public")), numbers) == []
    assert leaks(readable(report(fixed)), numbers)


def test_the_public_page_does_not_depend_on_private_users() -> None:
    pages = []
    for mean in (300.0, 9000.0):
        users = sums.moments([mean, 2.0 * mean, 5.0], [40.0, 41.0, 1.0])
        found = sums.calibrate_sum(users, STRICT, size=32768.0)
        plan = sums.SumPlan(calibration=found, column="paid", rounding="given")
        done = sums.release_sum([mean, mean, 4.0], plan).record
        pages.append(report(replace(done, value=512.0, created="today"), edition="public"))
    assert pages[0] == pages[1]


def plain(data: Any) -> Any:
    """As it comes out of a file."""
    return json.loads(json.dumps(data))


def set_in(data: dict[str, Any], value: Any, *path: Any) -> None:
    for name in path[:-1]:
        data = data[name]
    data[path[-1]] = value


def test_every_source_gives_the_same_page(tmp_path: Path) -> None:
    done = record("presence")
    done.save(tmp_path / "r.json", "internal")
    done.save(tmp_path / "p.json", "public")
    sources: list[Any] = [done, plain(done.to_dict()), tmp_path / "r.json"]
    assert len({report(each) for each in sources}) == 1
    sources += [tmp_path / "p.json", plain(done.to_dict("public"))]
    assert len({report(each, edition="public") for each in sources}) == 1
    assert report(tmp_path / "p.json") == report(tmp_path / "p.json", edition="public")
    with pytest.raises(pf.InvalidInputError, match="only the public report can be made"):
        report(tmp_path / "p.json", edition="internal")


BROKEN: dict[str, Callable[[dict[str, Any]], None]] = {
    "a stronger promise": lambda data: set_in(data, 0.1, "goal", "epsilon"),
    "another noise": lambda data: set_in(data, 9.0, "noise", "scale"),
    "less noise": lambda data: [
        set_in(data, 0.25, *path, "noise", "scale") for path in ((), ("plan",), ("certificate",))
    ],
    "other words": lambda data: set_in(data, "All is well.", "promise"),
    "fewer gaps": lambda data: data["not_promised"].pop(),
    "another column": lambda data: set_in(data, "y", "column"),
    "another number": lambda data: set_in(data, 0.1, "published", "value"),
    "fewer users": lambda data: set_in(data, 12, "plan", "users", "counts", 0),
    "an added claim": lambda data: set_in(data, "by the king", "approved"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_record_that_does_not_verify_is_refused(name: str, edition: Any) -> None:
    data = plain(record("presence").to_dict())
    assert report(copy.deepcopy(data), edition=edition)
    BROKEN[name](data)
    with pytest.raises(pf.CertificationError):
        report(data, edition=edition)


def test_a_document_that_calls_itself_public_shows_no_private_user() -> None:
    done = record("presence")
    data = plain(done.to_dict("public") | {"plan": done.plan.to_dict()})
    with pytest.raises(pf.CertificationError):
        report(data, edition="public")


@pytest.mark.parametrize("given", [{"released": [1.0]}, {"original": [1.0]}, {"released": "x.csv"}])
def test_there_is_no_column_to_show(given: dict[str, Any]) -> None:
    for source in (record("value"), plain(record("value").to_dict())):
        with pytest.raises(pf.InvalidInputError, match="the record of a sum holds"):
            report(source, **given)


def test_what_a_user_wrote_is_text_and_nothing_else() -> None:
    hostile = "<script>alert(1)</script>\"'& {{7*7}} {% raw %} </style></svg>"
    done = record("presence")
    named = replace(done, plan=replace(done.plan, column=hostile))
    for edition in EDITIONS:
        found = Page(report(named, edition=edition))
        assert [tag for tag, _ in found.tags] == [tag for tag, _ in page("presence", edition).tags]
        assert " ".join(hostile.split()) in found.text


def test_with_very_many_tables_other_methods_are_not_tried() -> None:
    users = sums.binary([0.2 + 0.001 * k for k in range(501)])
    text = Page(report(released(users, STRICT, [0, 1] * 250 + [0]))).text
    assert "too many different users to try the other methods" in text
    assert "classic DP" not in text


def test_a_picture_that_stands_alone_has_colours_of_its_own() -> None:
    curves = scale_curve([1, 2, 5, 100], 1.0, [1.0, 4.0], GOAL)
    text = draw_scale_curves(curves, "svg").decode()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert INKS["first"][0] in text
    assert INKS["second"][0] in text
    for label in ("std 1, exact", "std 2, the paper's bound", "number of users, all alike"):
        assert label in text
    # On a logarithmic axis the numbers are written out.
    assert "mathdefault" not in text
    assert re.search(r">\s*100\s*<", text)


def test_without_delta_there_is_no_curve_of_the_papers() -> None:
    curves = scale_curve([1, 2], 1.0, [1.0], pf.Guarantee(1.0))
    assert "paper" not in draw_scale_curves(curves, "svg").decode()


def test_the_same_curves_give_the_same_picture() -> None:
    curves = scale_curve([1, 2, 3], 1.0, [1.0], GOAL)
    assert draw_scale_curves(curves, "svg") == draw_scale_curves(curves, "svg")
    assert draw_scale_curves(curves, "png") == draw_scale_curves(curves, "png")


def test_without_delta_the_page_is_about_what_a_user_adds() -> None:
    """Others hide nobody then, and the certificate sets them aside."""
    strict, loose = (page(name, "internal").text for name in ("count", "presence"))
    assert strict.count("With δ = 0 the other users hide nobody") == 2
    assert "What is believed of the value" in strict
    assert "the other users hide nobody" not in loose
    assert "What is believed of the sum" in loose
