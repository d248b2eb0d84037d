"""`pufferfish report`, and the reports that `release` and `demo` write."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.cli import report as command
from pufferfish.report import report
from tests.cli.conftest import Typed
from tests.cli.tables import rows, write

COLUMNS = ("-c", "x", "-s", "s", "--belief", "empirical")
RELEASE = ("release", "t.csv", *COLUMNS, "-e", "1", "-o", "out.csv", "-q")


def mode(path: str) -> int:
    return Path(path).stat().st_mode & 0o777


def usual_mode(folder: Path) -> int:
    (folder / "plain").touch()
    return mode("plain")


def test_both_editions_are_written_beside_the_record(typed: Typed, folder: Path) -> None:
    typed(*RELEASE)
    said = typed("report", "out.csv.record.json")
    assert (said.code, said.err) == (0, "")
    assert said.out == "Report      out.csv.report.html (private)\n"
    assert mode("out.csv.report.html") == 0o600
    said = typed("report", "out.csv.record.json", "--public")
    assert said.out == "Report      out.csv.public.html (may be published)\n"
    assert mode("out.csv.public.html") == usual_mode(folder)
    from_public = typed("report", "out.csv.public.json", "--public", "-o", "p.html")
    assert from_public.code == 0
    assert Path("p.html").read_bytes() == Path("out.csv.public.html").read_bytes()


def test_json_and_quiet(typed: Typed) -> None:
    typed(*RELEASE)
    said = typed("report", "out.csv.record.json", "-o", "r.html", "--json")
    size = len(Path("r.html").read_bytes())
    assert said.json == {"report": "r.html", "edition": "internal", "bytes": size}
    quiet = typed("report", "out.csv.record.json", "-o", "r.html", "-q", "--force")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_the_original_is_an_option(typed: Typed) -> None:
    typed(*RELEASE)
    typed("report", "out.csv.record.json", "--original", "t.csv")
    assert "original (private)" in Path("out.csv.report.html").read_text(encoding="utf-8")


def test_a_public_record_gives_the_public_edition(typed: Typed) -> None:
    typed(*RELEASE)
    said = typed("report", "out.csv.public.json")
    assert (said.code, said.out) == (0, "Report      out.csv.public.html (may be published)\n")
    with pytest.raises(pf.InvalidInputError, match="only the public report can be made"):
        report("out.csv.public.json", edition="internal")


def test_a_record_that_does_not_verify_gives_no_report(typed: Typed, refused: Typed) -> None:
    typed(*RELEASE)
    data = json.loads(Path("out.csv.record.json").read_text(encoding="utf-8"))
    data["goal"]["epsilon"] = 0.1
    Path("out.csv.record.json").write_text(json.dumps(data), encoding="utf-8")
    said = refused("report", "out.csv.record.json")
    assert said.code == 3
    assert "does not verify" in said.err
    assert not Path("out.csv.report.html").exists()


def test_a_file_that_was_changed_gives_no_report(typed: Typed, refused: Typed) -> None:
    typed(*RELEASE)
    with Path("out.csv").open("a", encoding="utf-8") as file:
        file.write("1\n")
    assert refused("report", "out.csv.record.json").code == 3


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("none.json",), 5),
        (("t.csv",), 2),
        (("out.csv.record.json", "--released", "none.csv"), 5),
        (("out.csv.record.json", "--original", "none.csv"), 5),
        (("out.csv.record.json", "-o", "none/r.html"), 5),
        (("out.csv.record.json", "-o", "out.csv.record.json", "--force"), 5),
        (("out.csv.record.json", "-o", "t.csv", "--original", "t.csv", "--force"), 5),
    ],
)
def test_what_cannot_be_read_or_written(
    typed: Typed, refused: Typed, arguments: tuple[str, ...], code: int
) -> None:
    typed(*RELEASE)
    before = {each: each.read_bytes() for each in Path().iterdir()}
    assert refused("report", *arguments).code == code
    assert {each: each.read_bytes() for each in Path().iterdir()} == before


def test_a_report_that_exists_is_not_replaced_unasked(typed: Typed, refused: Typed) -> None:
    typed(*RELEASE)
    Path("out.csv.report.html").write_text("mine", encoding="utf-8")
    said = refused("report", "out.csv.record.json")
    assert said.code == 5
    assert "--force" in said.err
    assert Path("out.csv.report.html").read_text(encoding="utf-8") == "mine"
    assert typed("report", "out.csv.record.json", "--force").code == 0


def test_release_writes_a_report_with_both_columns(typed: Typed) -> None:
    said = typed(*RELEASE[:-1], "--report", "r.html")
    assert (said.code, said.err) == (0, "")
    assert said.out.endswith("Report      r.html (private)\n")
    assert mode("r.html") == 0o600
    typed("report", "out.csv.record.json", "--original", "t.csv")
    assert Path("r.html").read_bytes() == Path("out.csv.report.html").read_bytes()


def test_release_reads_both_columns_in_their_formats(typed: Typed, folder: Path) -> None:
    write(folder / "odd", rows(), delimiter="#")
    said = typed(
        *("release", "odd", *COLUMNS, "-e", "1", "-o", "out", "--json", "--report", "r.html"),
        *("--format", "csv", "--delimiter", "#", "--output-format", "csv"),
    )
    assert said.code == 0
    assert said.json["report"] == "r.html"
    page = Path("r.html").read_text(encoding="utf-8")
    assert "original (private)" in page
    assert "was not at hand" not in page
    # Later nobody knows how it is written; the page says what it lacks.
    assert typed("report", "out.record.json").code == 0
    assert "was not at hand" in Path("out.report.html").read_text(encoding="utf-8")


def test_a_report_of_what_went_to_standard_output(typed: Typed) -> None:
    said = typed(*RELEASE[:-3], "-o", "-", "--report", "r.html", "-q")
    assert said.code == 0
    assert said.out.startswith("x\n")
    assert "was not at hand" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ["out.csv", "out.csv.record.json", "t.csv", "none/r.html"])
def test_nothing_is_released_where_no_report_can_be_written(
    typed: Typed, refused: Typed, place: str
) -> None:
    del typed
    assert refused(*RELEASE, "--report", place).code in (2, 5)
    assert not Path("out.csv").exists()


def test_nothing_is_released_where_the_extra_is_missing(
    refused: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = refused(*RELEASE, "--report", "r.html")
    assert said.code == 2
    assert "pip install '.[report]'" in said.err
    assert not Path("out.csv").exists()


def test_demo_writes_a_report_where_it_can(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    said = typed("demo", "-o", "with")
    assert "--report with/report.html" in said.out.split("\n\n")[0]
    assert said.out.endswith("Report      with/report.html (private)\n")
    assert "Who pays" in Path("with/report.html").read_text(encoding="utf-8")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    said = typed("demo", "-o", "without")
    assert said.code == 0
    assert "--report" not in said.out
    assert said.out.endswith("in the folder of a clone, or pip install 'FILE.whl[report]'\n")
    assert not Path("without/report.html").exists()


def test_the_help_has_an_example(typed: Typed) -> None:
    assert "Example: pufferfish report" in typed("report", "--help").out
    assert re.search(r"^Example: pufferfish report ", command.__doc__ or "", re.MULTILINE)


def test_a_sum_has_both_editions_too(typed: Typed, refused: Typed, folder: Path) -> None:
    write(folder / "users.csv", [(0.5, 1, 36), (0.002, 18, 1)], ("p", "value", "count"))
    write(folder / "data.csv", [(k % 2,) for k in range(36)], ("value",))
    typed("sum", "users.csv", "-e", "1", "-d", "1e-3", "--data", "data.csv", "-q")
    said = typed("report", "data.csv.sum.record.json")
    assert (said.code, said.err) == (0, "")
    assert said.out == "Report      data.csv.sum.report.html (private)\n"
    assert mode("data.csv.sum.report.html") == 0o600
    said = typed("report", "data.csv.sum.record.json", "--public")
    assert said.out == "Report      data.csv.sum.public.html (may be published)\n"
    assert typed("report", "data.csv.sum.public.json", "--public", "-o", "p.html").code == 0
    assert Path("p.html").read_bytes() == Path("data.csv.sum.public.html").read_bytes()
    assert refused("report", "data.csv.sum.record.json", "--released", "data.csv", "--force").code
    data = json.loads(Path("data.csv.sum.record.json").read_text(encoding="utf-8"))
    data["goal"]["epsilon"] = 0.1
    Path("data.csv.sum.record.json").write_text(json.dumps(data), encoding="utf-8")
    assert refused("report", "data.csv.sum.record.json", "-o", "again.html").code == 3
    assert not Path("again.html").exists()
