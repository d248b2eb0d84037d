"""The folder: files, refusals, and that what is drawn is what is written."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from examples.paper import Written, paper, run
from examples.paper.draw import figure_file, page_pictures
from examples.paper.figure import Figure, Panel, Series, plot

import pufferfish as pf
from tests.paper.conftest import Steps, figure_of

NAMES = ("fig-1", "fig-2", "fig-3", "fig-4", "fig-5", "counterexamples")


def test_every_picture_twice_with_its_numbers(written: Written) -> None:
    wanted = {f"{name}.{kind}" for name in NAMES for kind in ("png", "svg", "csv")}
    wanted |= {"index.html", "table.csv", "table.md"}
    assert set(written.files) == wanted == {each.name for each in written.folder.iterdir()}
    assert written.files[0] == "index.html"
    for name in NAMES:
        assert (written.folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ElementTree.parse(written.folder / f"{name}.svg")


@pytest.mark.parametrize("name", NAMES)
def test_the_csv_is_what_is_plotted(written: Written, name: str) -> None:
    with (written.folder / f"{name}.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    for panel in figure_of(written, name).panels:
        for each in panel.series:
            own = [
                line
                for line in lines
                if (line["panel"], line["series"], line["shape"])
                == (panel.letter, each.label, each.shape)
            ]
            assert [float(line["y"]) for line in own] == each.y.tolist()
            x = [float(line["x"]) for line in own]
            if each.shape in ("bars", "outline"):
                assert [*x, float(own[-1]["x_end"])] == each.x.tolist()
            else:
                assert x == each.x.tolist()


def tiny() -> Figure:
    """A figure of every shape."""
    x = np.array([0.0, 1.0, 2.0])
    shapes = (
        Series("one & <two>", x, x, "first", "line", note="here"),
        Series("points", x, x, "second", "points"),
        Series("bars", x, x[1:], "third", "bars"),
        Series("outline", x, x[1:], "fourth", "outline"),
        Series("band", x[:2], x[:2], "level1", "band", listed=False),
    )
    panel = Panel(
        letter="a",
        title="t",
        caption="c",
        x_label="x",
        y_label="y",
        series=shapes,
        x_ticks=((0.0, "none"), (1.0, "one")),
    )
    return Figure(name="tiny", number="Fig. 0", title="t", words=(), panels=(panel, panel, panel))


def test_the_same_numbers_give_the_same_files() -> None:
    for kind in ("png", "svg"):
        assert figure_file(tiny(), kind) == figure_file(tiny(), kind)
    assert page_pictures(tiny())[0].svg == page_pictures(tiny())[0].svg


def test_legends_are_in_files_and_in_the_text_of_the_page() -> None:
    picture = page_pictures(tiny())[0]
    assert [key.label for key in picture.keys] == ["one & <two>", "points", "bars", "outline"]
    assert "outline" not in picture.svg
    text = figure_file(tiny(), "svg").decode()
    assert text.count("one &amp; &lt;two&gt;") == 3
    assert "band" not in text


def test_numbers_keep_their_digits() -> None:
    third = np.array([1.0 / 3.0])
    panel = Panel(
        letter="a",
        title="",
        caption="",
        x_label="",
        y_label="",
        series=(Series("s", third, third),),
    )
    figure = Figure(name="f", number="", title="", words=(), panels=(panel,))
    assert plot(figure).splitlines()[1] == f"a,s,line,{1 / 3!r},,{1 / 3!r}"


def test_a_series_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="'s'"):
        Series("s", np.arange(3.0), np.arange(3.0), "first", "bars")


def test_progress_counts_to_the_end(written: Written, steps: Steps) -> None:
    del written
    total = steps[-1][2]
    assert [done for _, done, _ in steps] == list(range(1, total + 1))
    assert {each for _, _, each in steps} == {total}


def test_the_headline(written: Written) -> None:
    numbers = [number for number, _ in written.reproduction.headline]
    assert numbers == ["1.9387", "1.58161", "1.64873", "0.04666", "0.0499", "0.1906"]


def refuse(*given: object, **named: object) -> None:
    raise AssertionError("nothing may be computed")


def test_a_folder_in_use_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "compute_figures", refuse)
    (tmp_path / "mine").write_text("keep", encoding="utf-8")
    with pytest.raises(pf.OutputExistsError, match="--force"):
        paper(tmp_path)
    with pytest.raises(pf.OutputExistsError, match="not a folder"):
        paper(tmp_path / "mine", force=True)
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_with_force_other_files_stay(
    tmp_path: Path, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "compute_figures", lambda step: written.reproduction)
    monkeypatch.setattr(run, "figure_file", lambda figure, kind: b"picture")
    (tmp_path / "mine").write_text("keep", encoding="utf-8")
    (tmp_path / "table.md").write_text("old", encoding="utf-8")
    again = paper(tmp_path, force=True)
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "keep"
    for name in ("table.md", "table.csv", "fig-3.csv", "index.html"):
        assert (tmp_path / name).read_bytes() == (written.folder / name).read_bytes()
    assert again.files == written.files


def test_nothing_is_written_unless_all_is_there(
    tmp_path: Path, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "compute_figures", lambda step: written.reproduction)
    monkeypatch.setattr(run, "figure_file", lambda figure, kind: b"picture")
    monkeypatch.setattr(run, "page", refuse)
    with pytest.raises(AssertionError):
        paper(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_extra_is_asked_for_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "compute_figures", refuse)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pf.MissingExtraError, match=r"pip install .\.\[report\]"):
        paper(tmp_path / "new")
