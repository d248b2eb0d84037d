"""A report is made of a record that verifies, and of nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.report.releases import LAWS, TABLE, Page, calibration, released


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A released file with both editions of its record."""
    lines = ["x,s", *(f"{x},{s}" for x, s in zip(TABLE["x"], TABLE["s"], strict=True))]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    plan = pf.Plan(calibration=calibration(), column="x", secret="s")
    done = pf.release(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    done.record.save(tmp_path / "record.json", "internal")
    done.record.save(tmp_path / "public.json", "public")
    return tmp_path


def plain(data: Any) -> Any:
    """As it comes out of a file."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("fields", [{}, {"postprocess": (pf.RoundTo(0.5), pf.Clip(0.0, 90.0))}])
def test_a_record_is_made_again_from_its_document(fields: Any, tmp_path: Path) -> None:
    record = released(**fields).record
    assert pf.Record.from_dict(plain(record.to_dict())) == record
    record.save(tmp_path / "r.json", "internal")
    assert pf.Record.load(tmp_path / "r.json") == record


def test_every_kind_of_source_gives_the_same_page(folder: Path) -> None:
    record = pf.Record.load(folder / "record.json")
    sources: list[Any] = [
        folder / "record.json",
        str(folder / "record.json"),
        record,
        plain(record.to_dict()),
    ]
    for edition, more in (("internal", []), ("public", [folder / "public.json"])):
        name: Any = edition
        found = {report(each, edition=name, released=folder / "out.csv") for each in sources + more}
        assert len(found) == 1


def test_the_published_file_is_found_beside_the_record(folder: Path) -> None:
    found = report(folder / "record.json")
    assert found == report(folder / "record.json", released=folder / "out.csv")
    assert "was not at hand" not in found
    (folder / "out.csv").rename(folder / "moved.csv")
    assert "was not at hand" in report(folder / "record.json")
    assert report(folder / "record.json", released=folder / "moved.csv") == found


def test_the_original_is_drawn_in_the_internal_edition_only(folder: Path) -> None:
    internal = Page(report(folder / "record.json", original=folder / "in.csv")).text
    assert "original (private)" in internal
    public = report(folder / "record.json", edition="public", original=folder / "in.csv")
    assert public == report(folder / "record.json", edition="public")
    assert "original" not in Page(public).text


def test_a_public_record_gives_only_the_public_report(folder: Path) -> None:
    assert report(folder / "public.json") == report(folder / "public.json", edition="public")
    with pytest.raises(pf.InvalidInputError, match="only the public report can be made"):
        report(folder / "public.json", edition="internal")
    with pytest.raises(pf.InvalidInputError, match="internal edition"):
        pf.Record.load(folder / "public.json")


def less_noise(data: dict[str, Any]) -> None:
    for each in (data, data["plan"], data["certificate"]):
        each["noise"]["scale"] = 0.5 * each["noise"]["scale"]


def set_in(data: dict[str, Any], value: Any, *path: Any) -> None:
    for name in path[:-1]:
        data = data[name]
    data[path[-1]] = value


BROKEN: dict[str, Callable[[dict[str, Any]], None]] = {
    "less noise everywhere": less_noise,
    "a stronger promise": lambda data: set_in(data, 0.1, "goal", "epsilon"),
    "other words": lambda data: set_in(data, "All is well.", "promise"),
    "fewer gaps": lambda data: data["not_promised"].pop(),
    "another noise": lambda data: set_in(data, 9.0, "noise", "scale"),
    "another column": lambda data: set_in(data, "y", "column"),
    "a better certificate": lambda data: set_in(
        data, 0.1, "certificate", "results", 0, "epsilon_upper"
    ),
    "a shorter certificate": lambda data: data["certificate"]["results"].pop(),
    "no certificate": lambda data: set_in(data, {}, "certificate"),
    "an added claim": lambda data: set_in(data, "by the king", "approved"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("kind", ["file", "document"])
@pytest.mark.parametrize("edition", ["internal", "public"])
def test_a_record_that_does_not_verify_is_refused(
    folder: Path, name: str, kind: str, edition: Any
) -> None:
    data = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    BROKEN[name](data)
    (folder / "record.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(pf.CertificationError):
        report(folder / "record.json" if kind == "file" else data, edition=edition)


@pytest.mark.parametrize("kind", ["file", "document"])
def test_a_public_record_that_contradicts_its_plan_is_refused(kind: str, tmp_path: Path) -> None:
    data = plain(released(calibration(provenance="public")).record.to_dict("public"))
    assert report(data, edition="public")
    data["goal"]["epsilon"] = 0.1
    (tmp_path / "r.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(pf.CertificationError):
        report(tmp_path / "r.json" if kind == "file" else data, edition="public")


def test_a_document_that_calls_itself_public_shows_no_private_belief() -> None:
    record = released().record
    data = plain(record.to_dict("public") | {"plan": record.plan.to_dict()})
    with pytest.raises(pf.CertificationError, match="private"):
        report(data, edition="public")


def test_a_file_that_was_not_released_is_refused(folder: Path) -> None:
    (folder / "other.csv").write_text("x\n1\n2\n", encoding="utf-8")
    record = pf.Record.load(folder / "record.json")
    for source in (folder / "record.json", record):
        with pytest.raises(pf.CertificationError, match=r"other\.csv"):
            report(source, released=folder / "other.csv")
    with (folder / "out.csv").open("a", encoding="utf-8") as file:
        file.write("1\n")
    with pytest.raises(pf.CertificationError, match=r"out\.csv"):
        report(folder / "record.json")


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(pf.CertificationError, match="1,000 published rows"):
        report(released().record, released=np.zeros(999))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("table", "rows"), "many"),
        (("table", "rows"), -1),
        (("table", "column_std"), "wide"),
        (("table", "column_std"), -1.0),
        (("published", "rows"), 1.5),
        (("published",), None),
        (("table",), None),
    ],
)
def test_a_misshapen_record_is_refused(path: tuple[str, ...], value: Any) -> None:
    data = plain(released().record.to_dict())
    set_in(data, value, *path)
    with pytest.raises(pf.InvalidInputError):
        report(data)


@pytest.mark.parametrize(
    "name", ["column", "promise", "not_promised", "goal", "noise", "published", "versions", "unit"]
)
@pytest.mark.parametrize("value", [None, 7, "absent"])
def test_a_misshapen_public_record_is_refused(name: str, value: Any) -> None:
    data = plain(released().record.to_dict("public"))
    if value == "absent":
        del data[name]
    else:
        data[name] = value
    with pytest.raises(pf.InvalidInputError):
        report(data, edition="public")


@pytest.mark.parametrize("step", [7, {}, {"clip": [1.0]}, {"round_to": "much"}])
def test_a_misshapen_step_is_refused(step: Any) -> None:
    data = plain(released().record.to_dict("public")) | {"postprocess": [step]}
    with pytest.raises(pf.InvalidInputError):
        report(data, edition="public")


@pytest.mark.parametrize("source", [None, 7, [1, 2]])
def test_what_is_no_record_is_refused(source: Any) -> None:
    with pytest.raises(pf.InvalidInputError, match="must be a Record"):
        report(source)


@pytest.mark.parametrize("name", ["jinja2"])
def test_a_missing_extra_says_how_to_install_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = released().record
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(pf.MissingExtraError, match=rf"{name}.*pip install .*\[report\]"):
        report(record)


def test_importing_the_report_loads_neither_pictures_nor_templates() -> None:
    code = "import sys, pufferfish.report, pufferfish.cli.app\n"
    code += "print([name for name in ('matplotlib', 'jinja2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_laws_are_not_changed_by_a_report() -> None:
    before = dict(LAWS)
    report(released().record)
    assert before == LAWS
