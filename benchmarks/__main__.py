"""`python -m benchmarks`: every benchmark, one table. `--quick` leaves out what takes minutes."""

import argparse
from collections.abc import Callable

from benchmarks import (
    audit,
    calibration,
    certificate,
    fits,
    importing,
    joint,
    machine,
    many_pairs,
    recoding,
    release,
    report,
    sampling,
    spark,
    sums,
    tables,
    transport,
)
from benchmarks.result import Result, as_table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    quick = parser.parse_args().quick
    print(machine.describe(), end="\n\n")
    benchmarks: list[Callable[[], list[Result]]] = [
        certificate.run,
        calibration.run,
        *([] if quick else [many_pairs.run, release.run, joint.run, spark.run]),
        tables.run,
        transport.run,
        sampling.run,
        recoding.run,
        fits.run,
        audit.run,
        report.run,
        sums.run,
        importing.run,
    ]
    results = [result for run in benchmarks for result in run()]
    print(as_table(results))


if __name__ == "__main__":
    main()
