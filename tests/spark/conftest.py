"""A real cluster on this machine: a master, two workers and their executors, each a process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pufferfish as pf

MASTER = "local-cluster[2,1,1024]"
# Executors import the library, and the trouble that tests make.
PYTHONPATH = os.pathsep.join([str(Path(pf.__file__).parents[1]), str(Path(__file__).parents[2])])


def environment(folder: Path) -> dict[str, str]:
    """What the processes of a cluster on the loopback need to know."""
    return {
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
        "spark.sql.shuffle.partitions": "3",
        "spark.executorEnv.PYTHONPATH": PYTHONPATH,
    }


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
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
