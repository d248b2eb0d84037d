"""The studio in a real browser: `python -m benchmarks.studio`. Needs Playwright and Chromium.

How long a slider takes until everything is drawn again, twenty pages at once, a table of ten
million rows, and the memory that stays when pages are closed.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks import machine
from benchmarks.release import write_table

CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
PAGES = 20
ROWS = 10_000_000
MOVES = 24
ROUNDS = 3
PATIENCE = 120_000

# Moves the slider by a step; resolves with the time (ms) until the answer to it is drawn.
MOVE = """(step) => new Promise((done) => {
  const box = document.querySelector('.slider[data-input=epsilon]');
  const range = box.querySelector('input[type=range]');
  const number = box.querySelector('input[type=number]');
  const start = performance.now();
  const look = () => {
    if (!document.getElementById('tile-promise').textContent.endsWith('= ' + number.value)) return;
    document.removeEventListener('moved', look);
    requestAnimationFrame(() => done(performance.now() - start));
  };
  document.addEventListener('moved', look);
  range.value = String(Number(range.value) + step);
  range.dispatchEvent(new Event('input', {bubbles: true}));
})"""

# Ten moves one after the other; the page counts them, and keeps what went wrong.
MOVES_OF_A_PAGE = f"""() => {{
  window.failed = '';
  window.addEventListener('error', (event) => {{ window.failed += event.message; }});
  const move = {MOVE};
  (async () => {{
    for (let i = 1; i <= 10; i++) {{ await move(-1); document.body.dataset.moved = i; }}
  }})();
}}"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studio", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="of the large table")
    rows = parser.parse_args().rows
    print(machine.describe(), end="\n\n")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        _sliders(browser)
        _many_pages(browser)
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "large.parquet"
            write_table(table, rows)
            _large(browser, table, rows)
        browser.close()


def _sliders(browser: Browser) -> None:
    with _studio(browser) as (_, context, address):
        page = _opened(context, address)
        for what, source, which in (
            ("Adult, one pair, two adversaries", "adult", "some"),
            ("Adult, all 10 pairs, two adversaries", "adult", "all"),
            ("Hungarian, one pair, two adversaries", "hungarian", "all"),
        ):
            page.check(f"input[name=source][value={source}]")
            page.wait_for_selector("#tile-noise:not(:empty)")
            page.check(f"input[name=which][value={which}]")
            _settled(page)
            _report(f"slider, {what}", [page.evaluate(MOVE, step) for step in _steps()])


def _many_pages(browser: Browser) -> None:
    with _studio(browser) as (server, context, address):
        first = _opened(context, address)
        print(f"memory, one page: {_megabytes(server.pid)} MB")
        for number in range(ROUNDS):
            pages = [_opened(context, address.partition("?")[0]) for _ in range(PAGES)]
            began = time.perf_counter()
            for page in pages:
                page.evaluate(MOVES_OF_A_PAGE)
            for page in pages:
                page.wait_for_selector("body[data-moved='10']", timeout=PATIENCE)
            taken = time.perf_counter() - began
            full = _megabytes(server.pid)
            errors = [
                page.inner_text("#problem") + page.evaluate("window.failed") for page in pages
            ]
            for page in pages:
                page.close()
            first.wait_for_timeout(1500)
            print(
                f"{PAGES} pages, 10 moves each, round {number + 1}: {taken:.1f} s, "
                f"{sum(map(bool, errors))} errors; memory {full} MB, "
                f"{_megabytes(server.pid)} MB when closed"
            )


def _large(browser: Browser, table: Path, rows: int) -> None:
    with _studio(browser, str(table)) as (server, context, address):
        began = time.perf_counter()
        page = _opened(context, address, wait=False)
        page.check("input[name=unit][value=row]", timeout=PATIENCE)
        page.check("input[name=provenance][value=released]")
        page.wait_for_selector("#tile-noise:not(:empty)", timeout=PATIENCE)
        print(
            f"{rows:,} rows of Parquet: first answer after {time.perf_counter() - began:.1f} s, "
            f"{_megabytes(server.pid)} MB"
        )
        _settled(page)
        _report("slider, then", [page.evaluate(MOVE, step) for step in _steps()])


def _steps() -> list[int]:
    """Down and up again, so that half of the moves find what is kept."""
    return [-1] * (MOVES // 2) + [1] * (MOVES // 2)


def _settled(page: Page) -> None:
    page.wait_for_timeout(300)
    page.wait_for_selector("#studio:not(.busy)")
    page.wait_for_timeout(300)


def _report(what: str, times: list[float]) -> None:
    fresh, kept = times[: MOVES // 2], times[MOVES // 2 :]
    print(
        f"{what}: median {statistics.median(fresh):.0f} ms, worst {max(fresh):.0f} ms; "
        f"seen before: median {statistics.median(kept):.0f} ms"
    )


def _opened(context: BrowserContext, address: str, *, wait: bool = True) -> Page:
    page = context.new_page()
    page.goto(address)
    if wait:
        page.wait_for_selector("#tile-noise:not(:empty)", timeout=PATIENCE)
    return page


@contextlib.contextmanager
def _studio(
    browser: Browser, *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], BrowserContext, str]]:
    command = [sys.executable, "-m", "pufferfish", "studio", "--no-browser", "--json", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server, browser.new_context(), _address(server)
        finally:
            server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    text = ""
    for line in server.stdout or ():
        text += line
        with contextlib.suppress(json.JSONDecodeError):
            found: dict[str, Any] = json.loads(text)
            return str(found["address"])
    raise SystemExit("the studio did not start")


def _megabytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line) // 1024


if __name__ == "__main__":
    main()
