"""In a process of its own: standard input and output, pipes that break, signals, a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Typed
from tests.cli.tables import rows, write
from tests.support import PATIENCE, until

PIPE = subprocess.PIPE
Start = Callable[..., "subprocess.Popen[bytes]"]
PLAN = ("--plan", "plan.json")
# On another table than that of the plan.
MEANT = (*PLAN, "--beliefs-from-plan")


@pytest.fixture
def plan(typed: Typed) -> None:
    """A plan for tables such as t.csv."""
    assert (
        typed(
            *("calibrate", "t.csv", "-c", "x", "-s", "s", "--belief", "empirical"),
            *("-e", "1", "-o", "plan.json"),
        ).code
        == 0
    )


@pytest.fixture
def large(folder: Path) -> Path:
    """Some megabytes, so that a pipe fills and a signal comes in time."""
    return write(folder / "large.csv", rows() * 3_500)


@pytest.mark.usefixtures("plan")
def test_standard_input_and_output(shell: Start, folder: Path) -> None:
    process = shell("release", "-", *PLAN, "--output", "-", stdin=PIPE, stdout=PIPE, stderr=PIPE)
    out, err = process.communicate((folder / "t.csv").read_bytes(), PATIENCE)
    assert process.returncode == 0
    lines = out.decode().splitlines()
    assert lines[0] == "x"
    assert len([float(line) for line in lines[1:]]) == 120
    # The words go where they do not spoil the table.
    assert "\nPublished   120 rows" in err.decode()
    assert not Path("-").exists()


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("arguments", "content", "code"),
    [
        (("release", "-", *PLAN, "-o", "-", "-q"), b"", 4),
        (("release", "-", *PLAN, "-o", "-", "--json"), b"x,s\n1,a\n", 2),
        (("release", "-", *PLAN, "-o", "-", "--format", "parquet"), b"PAR1", 2),
        (("release", "-", "-c", "x", "-s", "s", "-e", "1", "-o", "-"), b"x,s\n1,a\n", 2),
        (("calibrate", "-", "-c", "x", "-s", "s", "-e", "1"), b"x,s\n1,a\n", 2),
    ],
)
def test_standard_input_that_cannot_be_used(
    shell: Start, arguments: tuple[str, ...], content: bytes, code: int
) -> None:
    process = shell(*arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    out, err = process.communicate(content, PATIENCE)
    assert (process.returncode, out) == (code, b"")
    assert err.startswith(b"error: ")
    assert err.count(b"\n") == 1


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize("order", [(), ("--keep-order",)])
def test_a_bad_last_row_keeps_the_others_from_standard_output(
    typed: Typed, shell: Start, large: Path, order: tuple[str, ...]
) -> None:
    goal = ("-c", "x", "-s", "s", "--belief", "empirical", "-e", "1", "-o", "plan.json")
    assert typed("calibrate", "t.csv", *goal, *order, "--force").code == 0
    process = shell(
        *("release", "-", *PLAN, "-o", "-", "--ledger", "ledger.json"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    out, err = process.communicate(large.read_bytes() + b"1,stranger,2,u\n", PATIENCE)
    assert process.returncode == 4
    assert out in (b"", b"x\n")
    assert b"row 420001" in err
    assert b"stranger" not in err
    assert not Path("ledger.json").exists()


@pytest.mark.usefixtures("plan")
def test_what_was_read_in_part_is_counted(shell: Start, large: Path) -> None:
    options = ("-o", "-", "-q", "--ledger", "ledger.json")
    process = shell("release", large, *MEANT, *options, stdout=PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.readline()
    process.stdout.close()
    process.wait(PATIENCE)
    assert Path("ledger.json").exists()


@pytest.mark.usefixtures("plan")
def test_a_reader_that_goes_away(shell: Start, large: Path) -> None:
    process = shell("release", large, *MEANT, "-o", "-", "-q", stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"x\n"
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) == 5
    assert err == b""


def test_words_that_nobody_reads(shell: Start, folder: Path) -> None:
    del folder
    reading, writing = os.pipe()
    os.close(reading)
    arguments = ("-c", "x", "-s", "s", "--belief", "empirical")
    process = shell("fit", "t.csv", *arguments, stdout=writing, stderr=PIPE)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err


@pytest.mark.usefixtures("plan")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(shell: Start) -> None:
    with open("/dev/full", "wb") as full:
        process = shell("release", "t.csv", *PLAN, "-o", "-", "-q", stdout=full, stderr=PIPE)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 5
    assert err.startswith(b"error: ")
    assert err.count(b"\n") == 1


def _feed(process: subprocess.Popen[bytes], table: bytes) -> None:
    """Rows without end, until nobody reads them."""
    header, content = table.split(b"\n", 1)
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
        stdin.write(header + b"\n")
        while True:
            stdin.write(content)


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_release_leaves_nothing(
    shell: Start, folder: Path, number: signal.Signals
) -> None:
    # Standard input that never ends: the release is certainly not done.
    process = shell("release", "-", *PLAN, "-o", "out.csv", stdin=PIPE, stdout=PIPE, stderr=PIPE)
    feeder = threading.Thread(target=_feed, args=(process, (folder / "t.csv").read_bytes()))
    feeder.start()
    before = {"t.csv", "plan.json"}
    until(lambda: {each.name for each in folder.iterdir()} != before, "nothing was begun")
    process.send_signal(number)
    code = process.wait(PATIENCE)
    feeder.join(PATIENCE)
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    assert out == b""
    assert code == 128 + number
    assert b"Traceback" not in err
    assert {each.name for each in folder.iterdir()} == before


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("options", "bar"), [((), True), (("--quiet",), False), (("--json",), False)]
)
def test_a_bar_on_a_terminal(
    shell: Start, large: Path, options: tuple[str, ...], bar: bool
) -> None:
    ours, theirs = pty.openpty()
    process = shell(
        *("release", large, *MEANT, "-o", "out.csv", *options), stdout=PIPE, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # how a terminal says that the other side is closed
            break
        if not read:
            break
        seen += read
    os.close(ours)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert (b"Releasing" in seen) is bar
    # The cursor that a bar hides is given back, and nothing of it is in the output.
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h")
    assert b"\x1b" not in out


@pytest.mark.usefixtures("plan")
def test_no_bar_in_a_file(shell: Start, large: Path) -> None:
    process = shell("release", large, *MEANT, "-o", "out.csv", stdout=PIPE, stderr=PIPE)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert err == b""
    assert b"\x1b" not in out
