"""`python -m examples.paper`: what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from examples.paper import Written, __main__

HEADLINE = (("1.58161", "suffices"), ("1.9387", "is what the paper's bound takes"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, bool]]:
    """What was asked for; answered at once."""
    calls: list[tuple[Path, bool]] = []

    def paper(folder: Path, *, force: bool, progress: Any) -> Written:
        progress("a step", 1, 2)
        calls.append((folder, force))
        found: Any = SimpleNamespace(headline=HEADLINE)
        return Written(folder=folder, files=("index.html", "fig-1.png"), reproduction=found)

    monkeypatch.setattr(__main__, "paper", paper)
    return calls


def test_it_says_what_to_open_first(
    asked: list[tuple[Path, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert __main__.main(["--out", "out"]) == 0
    assert __main__.main(["-o", "out", "--force"]) == 0
    said = capsys.readouterr()
    assert said.err == "1 of 2: a step\n" * 2
    lines = said.out.splitlines()
    assert lines[0] == "Wrote 2 files to out. Open out/index.html first."
    assert lines[1:3] == ["  1.58161 suffices", "  1.9387 is what the paper's bound takes"]
    assert asked == [(Path("out"), False), (Path("out"), True)]


def test_a_folder_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("keep", encoding="utf-8")
    assert __main__.main(["--out", str(tmp_path)]) == 1
    assert "--force" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_the_folder_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        __main__.main([])
    assert ended.value.code == 2
    assert "--out" in capsys.readouterr().err
