"""Five small releases with unusual options, which together show most sentences."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


def numbers() -> list[Row]:
    """One column with holes and an outlier."""
    draw = np.random.default_rng(1)
    rows = []
    for secret, mean, many in (("a", 10, 160), ("b", 12, 120)):
        for value in draw.normal(mean, 3, many).round().astype(int):
            rows.append({"s": secret, "x": "" if draw.random() < 0.1 else int(value)})
    rows[0]["x"] = 60
    return rows


def labels() -> list[Row]:
    """Categories of secrets that are not equally frequent; one secret is in no pair."""
    counts = {
        "a": {"red": 40, "green": 50, "blue": 30},
        "b": {"red": 20, "green": 25, "blue": 35},
        "c": {"red": 70, "green": 60, "blue": 70},
        "d": {"red": 20, "green": 10, "blue": 12},
    }
    return [
        {"s": secret, "x": label}
        for secret, found in counts.items()
        for label, many in found.items()
        for _ in range(many)
    ]


def joint() -> list[Row]:
    """Three columns with a kept known one, a known one that stays, and an unprotected one."""
    draw = np.random.default_rng(3)
    rows = []
    for sex, many in (("F", 180), ("M", 300)):
        for number in range(many):
            secret = "yes" if draw.random() < (0.5 if sex == "F" else 0.35) else "no"
            lean = 0.15 if secret == "yes" else 0.0
            rows.append(
                {
                    "s": secret,
                    "sex": sex,
                    "old": "old" if draw.random() < 0.5 else "young",
                    "x": int(draw.random() < 0.5 + lean),
                    "y": "high" if draw.random() < 0.4 + lean else "low",
                    "z": "u" if draw.random() < 0.5 else "v",
                    "w": f"w{number % 3}",
                }
            )
    return rows


def persons() -> list[Row]:
    """Some persons have two rows."""
    draw = np.random.default_rng(4)
    rows = []
    for person in range(240):
        secret = "a" if person % 2 else "b"
        for _ in range(1 + (person % 5 == 0)):
            value = int(draw.normal(20 + (secret == "a"), 4))
            rows.append({"s": secret, "x": value, "p": f"p{person}"})
    return rows


def dates() -> list[Row]:
    """Two secrets of each row; days, and labels that are merged."""
    draw = np.random.default_rng(5)
    rows = []
    for number in range(600):
        secret, other = "ab"[number % 2], "uv"[(number // 2) % 2]
        year = 2020 + int(draw.integers(0, 2) + (secret == "a" and draw.random() < 0.3))
        rows.append(
            {
                "s": secret,
                "t": other,
                "day": f"{year}-{1 + int(draw.integers(0, 12)):02}-15",
                "home": ["flat", "house", "farm"][int(draw.choice(3, p=[0.5, 0.4, 0.1]))],
            }
        )
    return rows


CASES: dict[str, tuple[Callable[[], list[Row]], str]] = {
    "numbers": (
        numbers,
        "-c x -s s --pair a:b -e 0.7 --belief empirical --cap 0:25 --missing keep "
        "--ledger LEDGER --round 1",
    ),
    "labels": (
        labels,
        "-c x -s s --pair a:b --pair b:d -e 1 --mechanism recode --floor 0.9 --wrong 1.2355%",
    ),
    "joint": (
        joint,
        "-c x -c y -c z -s s --keep sex --known old --keep-unprotected w -e 1 -d 0.01",
    ),
    "persons": (
        persons,
        "-c x -s s -e 1.0000004 --person p --one-row mean --cap 0:40 --belief empirical "
        "--sampling-confidence 99.96% --region band",
    ),
    "dates": (
        dates,
        "-c day -c home -s s -s t --dates day=year --merge home:farm,house=house "
        "-e 1 --fit-on half --keep-order --any-histogram",
    ),
}


def write(rows: list[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
