"""A CSV that is not UTF-8: the message names the encoding, and how to convert."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest

import pufferfish as pf
from pufferfish.tables import format_of
from pufferfish.tables.local.detect import detect

TEXT = "größe,kürzel\n" + "".join(f"{value},Zoë\n{value},Ümit\n" for value in range(40))
LATER = "x,s\n" + "1,a\n" * 60_000 + "2,Zoë\n"
NAMES = {
    "latin-1": "WINDOWS-1252 (or Latin-1, ISO-8859-1)",
    "cp1252": "WINDOWS-1252 (or Latin-1, ISO-8859-1)",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32": "UTF-32",
}


def refusal(path: Path, column: str = "größe", secret: str = "kürzel") -> str:
    with pytest.raises(pf.DataError) as refused:
        pf.summarise(path, column=column, secret=secret)
    return str(refused.value)


@pytest.mark.parametrize("encoding", list(NAMES))
@pytest.mark.parametrize("compressed", [False, True])
def test_the_encoding_is_named(tmp_path: Path, encoding: str, compressed: bool) -> None:
    data = TEXT.encode(encoding)
    path = tmp_path / ("t.csv.gz" if compressed else "t.csv")
    path.write_bytes(gzip.compress(data) if compressed else data)
    said = refusal(path)
    assert "not UTF-8" in said
    assert f"it looks like {NAMES[encoding]}" in said
    assert "Zo" not in said
    with pytest.raises(pf.DataError, match="not UTF-8"):
        detect(str(path), format_of(path))


@pytest.mark.parametrize("encoding", list(NAMES))
def test_the_command_that_it_names_works(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "OLD.csv").write_bytes(TEXT.encode(encoding))
    command = refusal(tmp_path / "OLD.csv").rpartition("first (")[2].removesuffix(").")
    assert command.startswith("iconv -f ")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    found = pf.summarise(tmp_path / "NEW.csv", column="größe", secret="kürzel")
    assert set(found.groups) == {"Zoë", "Ümit"}


def test_a_letter_far_down(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(LATER.encode("latin-1"))
    said = refusal(tmp_path / "t.csv", "x", "s")
    assert "not UTF-8" in said
    assert "often it is WINDOWS-1252" in said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_utf8_is_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "t.csv").write_bytes(TEXT.encode(encoding))
    assert set(pf.summarise(tmp_path / "t.csv", column="größe", secret="kürzel").groups) == {
        "Zoë",
        "Ümit",
    }


@pytest.mark.parametrize("data", [b"x,s\n1,a\0b\n", b"PAR1" + bytes(90)])
def test_what_is_no_text_is_still_no_text(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    assert "not CSV text" in refusal(tmp_path / "t.csv", "x", "s")
