"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf
from pufferfish.core.atomic import (
    Scratch,
    refuse_unusable_folder,
    replacing,
    replacing_folder,
    write_text,
)


def listing(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@pytest.mark.parametrize("force", [False, True])
def test_what_was_written_is_there_and_nothing_else(tmp_path: Path, force: bool) -> None:
    place = tmp_path / "table.csv"
    with replacing(place, force=force) as file:
        file.write(b"whole")
        assert not place.exists()
    assert place.read_bytes() == b"whole"
    assert listing(tmp_path) == ["table.csv"]


def test_text_is_utf_8_with_plain_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "a", "ε ≤ 1\nδ\n")
    assert (tmp_path / "a").read_bytes() == "ε ≤ 1\nδ\n".encode()


@pytest.mark.parametrize(("private", "expected"), [(True, 0o600), (False, 0o640)])
@pytest.mark.parametrize("force", [False, True])
def test_who_may_read_it(
    tmp_path: Path, umask: int, private: bool, expected: int, force: bool
) -> None:
    write_text(tmp_path / "a", "text", private=private, force=force)
    assert mode(tmp_path / "a") == expected
    assert os.umask(umask) == umask


def test_a_private_file_is_private_also_in_place_of_an_open_one(tmp_path: Path) -> None:
    place = tmp_path / "plan.json"
    place.write_text("old")
    place.chmod(0o666)
    write_text(place, "new", force=True, private=True)
    assert mode(place) == 0o600


def test_what_is_unfinished_is_for_its_owner_alone(tmp_path: Path) -> None:
    with replacing(tmp_path / "a") as file:
        file.write(b"text")
        (unfinished,) = tmp_path.iterdir()
        assert unfinished.name.startswith(".a.")
        assert unfinished.name.endswith(".unfinished")
        assert mode(unfinished) == 0o600


def half_written(path: Path, error: type[BaseException], force: bool) -> None:
    with replacing(path, force=force) as file:
        file.write(b"half")
        raise error("wrong")


def overtaken(path: Path) -> None:
    with replacing(path) as file:
        file.write(b"mine")
        path.write_text("theirs")


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("force", [False, True])
def test_whatever_goes_wrong_leaves_nothing(
    tmp_path: Path, error: type[BaseException], force: bool
) -> None:
    with pytest.raises(error):
        half_written(tmp_path / "a", error, force)
    assert listing(tmp_path) == []


def test_what_was_there_stays_when_its_successor_fails(tmp_path: Path) -> None:
    place = tmp_path / "a"
    place.write_text("old")
    with pytest.raises(ValueError, match="wrong"):
        half_written(place, ValueError, force=True)
    assert place.read_text() == "old"
    assert listing(tmp_path) == ["a"]


def test_a_file_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    place = tmp_path / "a"
    place.write_text("old")
    begun = False
    with pytest.raises(pf.OutputExistsError, match="force"), replacing(place):
        begun = True
    assert not begun
    assert place.read_text() == "old"
    write_text(place, "new", force=True)
    assert place.read_text() == "new"
    assert listing(tmp_path) == ["a"]


def no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "no links here")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    place = tmp_path / "a"
    with pytest.raises(pf.OutputExistsError):
        overtaken(place)
    assert place.read_text() == "theirs"
    assert listing(tmp_path) == ["a"]


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    write_text(tmp_path / "a", "text")
    assert (tmp_path / "a").read_text() == "text"
    assert listing(tmp_path) == ["a"]


@pytest.mark.parametrize("force", [False, True])
def test_the_content_is_on_the_disk_before_the_name(
    tmp_path: Path, force: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a power cut could leave a name without content."""
    place, events = tmp_path / "a", []
    sync = os.fsync

    def seen(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            events.append(("folder", place.exists()))
        else:
            events.append((os.fstat(descriptor).st_size, place.exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", seen)
    write_text(place, "twelve bytes", force=force)
    assert events == [(12, False), ("folder", True)]


def test_a_disk_that_fails_at_the_end_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_text(tmp_path / "a", "text")
    assert listing(tmp_path) == []


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "a").symlink_to(elsewhere)
    with pytest.raises(FileExistsError):
        write_text(tmp_path / "a", "text")
    assert not elsewhere.exists()
    write_text(tmp_path / "a", "text", force=True)
    assert not elsewhere.exists()
    assert not (tmp_path / "a").is_symlink()
    assert listing(tmp_path) == ["a"]


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for force in (False, True):
        with pytest.raises(OSError, match="a"):
            write_text(tmp_path / "a", "text", force=force)
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "none" / "a", "text")
    assert listing(tmp_path) == ["a"]


# Folders.


def filled(folder: Path, text: str = "whole") -> None:
    (folder / "deep").mkdir()
    (folder / "deep" / "a").write_text(text)
    (folder / "mark").touch()


def test_a_folder_is_there_when_it_is_whole(tmp_path: Path, umask: int) -> None:
    with replacing_folder(tmp_path / "out", "mark") as folder:
        assert mode(folder) == 0o700
        assert folder.name.startswith(".out")
        filled(folder)
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "deep" / "a").read_text() == "whole"
    assert mode(tmp_path / "out") == 0o777 & ~umask
    assert listing(tmp_path) == ["out"]


def fill(place: Path, meanwhile: Callable[[], object], *, force: bool = False) -> None:
    """Write a folder; what `meanwhile` gives is raised before it is finished, if it can be."""
    with replacing_folder(place, "mark", force=force) as folder:
        filled(folder)
        found = meanwhile()
        if isinstance(found, BaseException):
            raise found


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_fails_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException], force: bool
) -> None:
    if force:
        (tmp_path / "out").mkdir()
        filled(tmp_path / "out", "old")
    with pytest.raises(error):
        fill(tmp_path / "out", error, force=force)
    assert listing(tmp_path) == (["out"] if force else [])
    if force:
        assert (tmp_path / "out" / "deep" / "a").read_text() == "old"


def test_an_old_folder_is_gone_when_the_new_one_is_there(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    filled(tmp_path / "out", "old")
    (tmp_path / "out" / "older").touch()
    with (
        pytest.raises(pf.OutputExistsError, match="force"),
        replacing_folder(tmp_path / "out", "mark"),
    ):
        raise AssertionError
    with replacing_folder(tmp_path / "out", "mark", force=True) as folder:
        filled(folder, "new")
        assert (tmp_path / "out" / "older").exists()
    assert (tmp_path / "out" / "deep" / "a").read_text() == "new"
    assert listing(tmp_path / "out") == ["deep", "mark"]
    assert listing(tmp_path) == ["out"]


def test_a_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    filled(tmp_path / "out", "old")
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name.endswith(".unfinished"):
            raise OSError(errno.EIO, "broken")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with (
        pytest.raises(OSError, match="broken"),
        replacing_folder(tmp_path / "out", "mark", force=True) as folder,
    ):
        filled(folder, "new")
    assert (tmp_path / "out" / "deep" / "a").read_text() == "old"
    assert listing(tmp_path) == ["out"]


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(pf.OutputExistsError):
        fill(tmp_path / "out", (tmp_path / "out").mkdir)
    assert listing(tmp_path) == ["out"]
    assert listing(tmp_path / "out") == []


def test_only_marked_folders_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious").touch()
    (tmp_path / "file").touch()
    refuse_unusable_folder(tmp_path / "empty", "mark", force=True)
    refuse_unusable_folder(tmp_path / "new", "mark", force=False)
    for name in ("other", "file"):
        with pytest.raises(pf.OutputExistsError):
            refuse_unusable_folder(tmp_path / name, "mark", force=True)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        refuse_unusable_folder(tmp_path / "nowhere" / "new", "mark", force=True)


# Scratch files.


def test_a_scratch_file_has_no_name_and_can_be_read(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    for part in (b"one", b"", b"three"):
        scratch.append(part)
    assert scratch.size == 8
    assert scratch.read(3, 5) == b"three"
    assert scratch.read(0, 3) == b"one"
    scratch.append(b"more")
    assert scratch.read(8, 4) == b"more"
    assert listing(tmp_path) == []
    with pytest.raises(OSError, match="less was read"):
        scratch.read(8, 5)
