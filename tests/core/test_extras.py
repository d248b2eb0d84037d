"""Libraries that are not installed: the error names the library and the extra that brings it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pufferfish
from pufferfish.core import extras
from pufferfish.core.errors import MissingExtraError

EXTRAS: dict[str, tuple[Callable[[], Any], str]] = {
    "jinja2": (extras.jinja2, "report"),
    "matplotlib.figure": (lambda: extras.matplotlib("figure"), "report"),
    "narwhals": (extras.narwhals, "frames"),
    "py4j.protocol": (lambda: extras.py4j("protocol"), "spark"),
    "pyspark.sql": (lambda: extras.pyspark("sql"), "spark"),
    "shiny": (extras.shiny, "studio"),
    "sklearn.metrics": (lambda: extras.sklearn("metrics"), "learn"),
    "threadpoolctl": (extras.threadpoolctl, "learn"),
    "uvicorn": (extras.uvicorn, "studio"),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_an_absent_library_says_how_to_install_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, extra = EXTRAS[name]
    assert load().__name__ == name
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"pip install '\.\[{extra}\]'") as caught:
        load()
    # No package index has this package, so its name alone installs nothing.
    assert "pip install 'pufferfish-privacy" not in str(caught.value)


def test_a_report_is_refused_before_it_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    extras.check_report()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match="a report needs jinja2"):
        extras.check_report()


def test_libraries_are_imported_by_name_in_one_place() -> None:
    """Elsewhere `import_module` would be one more place that says how to install something."""
    source = Path(pufferfish.__file__).parent
    users = [
        str(each.relative_to(source))
        for each in source.rglob("*.py")
        if "import_module" in each.read_text(encoding="utf-8")
    ]
    assert users == ["core/extras.py"]


def test_the_command_line_loads_only_what_it_needs() -> None:
    """It runs where only the extra `cli` is installed."""
    named = {name.partition(".")[0] for name in EXTRAS}
    others = named | {"starlette", "websockets"}
    code = "import sys, pufferfish.cli.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not others & set(done.stdout.split())
