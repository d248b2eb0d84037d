"""Made the documents in this folder with commit bb31038, whose documents have version 1.

They are kept as they are: run again, this would write documents of today's version. What it shows
is which commands they came from.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", "pufferfish", *arguments, "--quiet", "--force"]
    subprocess.run(command, cwd=HERE, check=True)


def table() -> None:
    draw = random.Random(19)
    lines = ["person,height,team,city"]
    for person in range(60):
        team = "red" if person % 2 else "blue"
        for _ in range(2):
            height = round(draw.gauss(172 if team == "red" else 168, 7))
            lines.append(f"p{person},{height},{team},{draw.choice(['Ulm', 'Bern'])}")
    (HERE / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (HERE / "coins.csv").write_text("value\n" + "1\n0\n" * 20, encoding="utf-8")


def main() -> None:
    table()
    columns = ["table.csv", "-c", "height", "-s", "team"]
    run("fit", *columns, "-o", "beliefs.json", "--origin", "public")
    for kind in ("json", "yaml"):
        run("calibrate", *columns, "-e", "1", "-o", f"plan.{kind}")
    release = ["release", *columns, "-e", "1"]
    run(*release, "-o", "private.csv")
    run(*release, "--belief", "beliefs.json", "-o", "public.csv")
    run(*release, "--keep", "city", "-o", "keep.csv")
    run(*release, "--person", "person", "--rows-per-person", "2", "-o", "person.csv")
    run(*release, "-d", "0.01", "--noise", "gaussian", "-o", "gaussian.csv")
    run(*release, "--round", "1", "--clip", "100:250", "-o", "clipped.csv")
    coins = ["sum", "--identical", "40,0.5,0.5", "-e", "1", "--data", "coins.csv"]
    run(*coins, "--record", "sum.record.json")
    run(*coins, "--public-users", "--record", "public-sum.record.json")
    run(*coins[:-2], "-o", "sum-plan.json")


if __name__ == "__main__":
    main()
