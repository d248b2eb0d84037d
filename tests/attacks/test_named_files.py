"""Refutes that verifying a record opens only the published file.

A record says itself where its file is. One that named an endless device hung the verifier, one that
named a file of the system made it read that.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.report import report
from tests.attacks.forging import edited, released
from tests.attacks.hostile import verify

OUTSIDE = [
    "/etc/passwd",
    "../secret.csv",
    "../../../../../../etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "sub/../../secret.csv",
    "sub/inside.csv",
    "..",
    ".",
    "a\0b",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.csv").write_text("height\n1\n", encoding="utf-8")
    inside = tmp_path / "released"
    (inside / "sub").mkdir(parents=True)
    (inside / "sub" / "inside.csv").write_text("height\n1\n", encoding="utf-8")
    released(inside)
    return inside


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are opened from now on."""
    names: list[str] = []
    original: Any = Path.open

    def noting(self: Path, *arguments: Any, **options: Any) -> Any:
        names.append(str(self))
        return original(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", noting)
    return names


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("edition", ["record.json", "public.json"])
def test_a_file_elsewhere_is_not_opened(
    folder: Path, name: str, edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = edited(folder / edition, lambda data: data["published"].update(file=name))
    names = opened(monkeypatch)
    found = pf.verify_record(path)
    assert found.verdict is False
    assert any("not in its own folder" in each.detail for each in found.checks)
    assert set(names) == {str(path)}
    with pytest.raises(pf.CertificationError):
        report(path, edition="public")


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/passwd", "../secret.csv", "in.csv"])
def test_a_link_is_not_followed(folder: Path, target: str) -> None:
    (folder / "out.csv").unlink()
    (folder / "out.csv").symlink_to(target)
    found = verify(folder / "public.json")
    assert found.returncode == 3
    assert "is a link" in found.stdout


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    (folder / "out.csv").unlink()
    os.mkfifo(folder / "out.csv")
    found = verify(folder / "public.json")
    assert found.returncode == 3
    assert "not a regular file" in found.stdout


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_named_by_the_reader_is_not_read(folder: Path, device: str) -> None:
    found = verify(folder / "public.json", "--released", device)
    assert found.returncode == 3
    assert "not a regular file" in found.stdout


def test_a_folder_for_a_file_and_a_file_for_a_folder(folder: Path) -> None:
    assert pf.verify_record(folder / "public.json", folder / "sub").verdict is False
    path = edited(folder / "public.json", lambda d: d["published"].update(checksum_of="folder"))
    assert pf.verify_record(path).verdict is False


def test_links_and_pipes_within_a_published_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = "x,s\n" + "1,a\n2,b\n" * 5
    for name in ("one.csv", "two.csv"):
        (tmp_path / "in" / name).write_text(rows, encoding="utf-8")
    laws: dict[Any, Any] = {"a": pf.Gaussian(0.0, 1.0), "b": pf.Gaussian(1.0, 1.5)}
    calibration = pf.calibrate(pf.Scenario(pf.Belief(laws)), pf.Guarantee(1.0))
    plan = pf.Plan(calibration=calibration, column="x", secret="s")
    done = pf.release(tmp_path / "in", plan, tmp_path / "out")
    done.record.save(tmp_path / "record.json", "internal")
    assert pf.verify_record(tmp_path / "record.json").verdict is True
    first = next((tmp_path / "out").glob("*.csv"))
    shutil.copy(first, tmp_path / "copy.csv")
    first.unlink()
    first.symlink_to(tmp_path / "copy.csv")
    assert pf.verify_record(tmp_path / "record.json").verdict is False
    first.unlink()
    os.mkfifo(first)
    assert pf.verify_record(tmp_path / "record.json").verdict is False
    manifest = tmp_path / "out" / "_manifest.json"
    manifest.unlink()
    os.mkfifo(manifest)
    assert pf.verify_record(tmp_path / "record.json").verdict is False


def test_a_file_that_unpacks_without_end_is_left(folder: Path) -> None:
    """Gzipped, a hundred million rows are a few hundred kB: reading stops at what was promised."""
    import gzip

    from pufferfish.tables.manifest import file_sha256

    place = folder / "out.csv.gz"
    with gzip.open(place, "wt", encoding="utf-8", compresslevel=9) as file:
        file.write("height\n")
        for _ in range(300):
            file.write("170\n" * 100_000)
    digest = file_sha256(place)
    path = edited(
        folder / "public.json",
        lambda data: data["published"].update(file=place.name, sha256=digest, rows=400),
    )
    found = verify(path)
    assert found.returncode == 3
