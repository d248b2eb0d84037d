"""What happens when processes die: the output is complete or absent, every row noised once."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspark
import pytest

import pufferfish as pf
from pufferfish.core.errors import EngineError
from tests.tables.spark.conftest import environment, settings
from tests.tables.spark.tables import columns, frame, plan

pytestmark = pytest.mark.xdist_group("spark")

ROWS = 1_600
PARTITIONS = 8


def slowly(parts: Iterator[Any]) -> Iterator[Any]:
    for part in parts:
        time.sleep(0.5)
        yield part


def failing_twice(parts: Iterator[Any]) -> Iterator[Any]:
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is not None and context.attemptNumber() < 2 and context.partitionId() % 2:
        raise RuntimeError("a disk that comes and goes")
    yield from parts


def failing(parts: Iterator[Any]) -> Iterator[Any]:
    raise RuntimeError("a disk that is gone")


def through(there: Any, work: Callable[[Iterator[Any]], Iterator[Any]]) -> Any:
    """The same rows, with some trouble on the way."""
    return there.mapInArrow(work, there.schema)


def executors(session: Any) -> list[int]:
    """The processes that work for a session."""
    application = session.sparkContext.applicationId
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if b"CoarseGrainedExecutorBackend" in command and application.encode() in command:
                found.append(int(process.name))
    return found


def first_results(folder: Path) -> bool:
    """Whether some tasks of the write have committed, and the whole of it has not."""
    return any(folder.glob(".*.unfinished/*/_temporary/*/task_*"))


def waited_for(happened: Callable[[], bool], seconds: float = 400.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.02)
    return False


def assert_whole(done: pf.Release, table: dict[str, Any], target: Path) -> None:
    found = done.frame.toArrow().sort_by("id")
    np.testing.assert_array_equal(found.column("id").to_numpy(), table["id"])
    assert np.all(found.column("x").to_numpy() != table["x"])
    assert done.record.rows_published == ROWS
    assert [each.name for each in target.parent.iterdir()] == [target.name]
    again = done.frame.toArrow().sort_by("id")
    assert again.equals(found)


@pytest.mark.heavy
def test_an_executor_killed_while_it_writes(spark: Any, tmp_path: Path) -> None:
    table, target = columns(ROWS), tmp_path / "out"
    slow = through(frame(spark, table, PARTITIONS), slowly)
    killed: list[int] = []

    def kill() -> None:
        if waited_for(lambda: first_results(tmp_path)):
            victim = executors(spark)[0]
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    done = pf.release(slow, plan(keep_unprotected=["id"]), target)
    killer.join()
    assert killed
    assert waited_for(lambda: killed[0] not in executors(spark))
    assert_whole(done, table, target)


@pytest.mark.heavy
def test_an_executor_killed_before_rows_change_places(spark: Any, tmp_path: Path) -> None:
    """Shuffled rows are sorted after the noise was written: a rerun moves them, and draws none."""
    table = columns(ROWS) | {"x": 1e6 * np.arange(ROWS)}
    slow = through(frame(spark, table, PARTITIONS), slowly)
    killed: list[int] = []

    def kill() -> None:
        # The noise is written, so the next stage has begun or is about to.
        if waited_for(lambda: any(tmp_path.glob(".*.unfinished/noised/_SUCCESS"))):
            victim = executors(spark)[0]
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    done = pf.release(slow, plan(), tmp_path / "out")
    killer.join()
    assert killed
    values = np.sort(done.frame.toArrow().column("x").to_numpy())
    # Values far apart tell whose noise is whose: each row is there once.
    np.testing.assert_array_equal(np.rint(values / 1e6), np.arange(ROWS))


@pytest.mark.heavy
def test_a_task_that_fails_twice(spark: Any, tmp_path: Path) -> None:
    table, target = columns(ROWS), tmp_path / "out"
    troubled = through(frame(spark, table, PARTITIONS), failing_twice)
    assert_whole(pf.release(troubled, plan(keep_unprotected=["id"]), target), table, target)


def test_a_job_that_fails_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="Nothing was published"):
        pf.release(through(frame(spark, columns(ROWS)), failing), plan(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


DRIVER = """
import sys
from pathlib import Path
from pyspark import SparkConf
from pyspark.sql import SparkSession
import pufferfish as pf
from tests.tables.spark.tables import columns, frame, plan
from tests.tables.spark import test_faults as faults

options = dict(pair.split("=", 1) for pair in sys.argv[3:])
conf = SparkConf().setAll(list(options.items()))
session = SparkSession.builder.config(conf=conf).getOrCreate()
session.sparkContext.setLogLevel("OFF")
trouble = getattr(faults, sys.argv[2])
there = faults.through(frame(session, columns(faults.ROWS), faults.PARTITIONS), trouble)
done = pf.release(there, plan(keep_unprotected=["id"]), sys.argv[1])
found = done.frame.toArrow().sort_by("id").column("id").to_pylist()
assert found == list(range(faults.ROWS)), "not every row once"
print("released")
session.stop()
"""


def driver(target: Path, trouble: str, folder: Path, **more: str) -> subprocess.Popen[str]:
    """A release in a process of its own, with a cluster of its own."""
    options = settings() | more
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", DRIVER, str(target), trouble]
        + [f"{name}={value}" for name, value in options.items()],
        env=os.environ | environment(folder),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.heavy
def test_a_driver_that_dies(spark: Any, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    target = place / "out"
    process = driver(target, "slowly", tmp_path)
    try:
        assert waited_for(lambda: first_results(place))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert not target.exists()
    # What is left is hidden, unfinished, and in nobody's way.
    assert all(each.name.startswith(".out.") for each in place.iterdir())
    done = pf.release(frame(spark, columns(ROWS)), plan(keep_unprotected=["id"]), target)
    assert done.record.rows_published == ROWS


DAWDLED = 1200.0


def dawdling_at_first(parts: Iterator[Any]) -> Iterator[Any]:
    from pyspark import TaskContext

    context = TaskContext.get()
    if context is not None and context.attemptNumber() == 0 and context.partitionId() == 0:
        time.sleep(DAWDLED)
    yield from parts


@contextlib.contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """A master and two workers under addresses of their own; Spark runs no task twice on one host.

    Yields the master's address.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    quiet = ["--webui-port", "0"]
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", port, *quiet]]
    for host in ("127.0.0.1", "127.0.0.2"):
        place = str(folder / host)
        size = ["--cores", "1", "--memory", "1g"]
        command = [f"{deploy}.worker.Worker", "--host", host, *size, "--work-dir", place]
        commands.append([*command, *quiet, address])
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    known = {name: value for name, value in environment(folder).items() if "LOCAL_IP" not in name}
    started = [
        subprocess.Popen(
            [spark_class, *command],
            env=os.environ | known,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    try:
        yield address
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.slow
@pytest.mark.heavy
def test_two_attempts_of_one_task_at_the_same_time(tmp_path: Path) -> None:
    """Speculative execution starts a second attempt of a slow task; one of them is published."""
    with standalone(tmp_path) as address:
        process = driver(
            tmp_path / "out",
            "dawdling_at_first",
            tmp_path,
            **{
                "spark.master": address,
                "spark.executor.memory": "512m",
                "spark.speculation": "true",
                "spark.speculation.interval": "100ms",
                "spark.speculation.multiplier": "1.1",
                "spark.speculation.quantile": "0.5",
                "spark.speculation.minTaskRuntime": "100ms",
            },
        )
        # Without second attempts the counting and the writing would sleep longer, each.
        said, _ = process.communicate(timeout=DAWDLED)
    assert said.strip() == "released"
