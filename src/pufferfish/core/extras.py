"""Optional libraries: imported when needed, with an error that says how to install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pufferfish.core.errors import MissingExtraError

__all__ = [
    "check_report",
    "install_in_words",
    "jinja2",
    "matplotlib",
    "narwhals",
    "py4j",
    "pyarrow",
    "pyspark",
]
__all__ += ["shiny", "sklearn", "threadpoolctl", "uvicorn"]

_TABLES = "Without it, give a file, or a dict of arrays: {'column': values, 'secret': secrets}."
_JAVA = "It also needs Java 17 or newer."
# For each library: what needs it, the extra that installs it, and further advice.
_EXTRAS = {
    "jinja2": ("a report needs jinja2", "report", ""),
    "matplotlib": ("this picture needs matplotlib", "report", ""),
    "narwhals": ("frames need narwhals", "frames", _TABLES),
    "py4j": ("Spark needs py4j", "spark", _JAVA),
    "pyspark": ("Spark needs pyspark", "spark", _JAVA),
    "shiny": ("the studio needs shiny", "studio", ""),
    "sklearn": ("learners need scikit-learn", "learn", ""),
    "threadpoolctl": ("learners need threadpoolctl", "learn", ""),
    "uvicorn": ("the studio needs uvicorn", "studio", ""),
}


def _library(name: str, part: str | None = None) -> Any:
    try:
        return import_module(name if part is None else f"{name}.{part}")
    except ImportError:
        need, extra, more = _EXTRAS[name]
        raise MissingExtraError(f"{need}; {install_in_words(extra)}. {more}".rstrip()) from None


def install_in_words(extra: str) -> str:
    """How to install an extra: from a clone or a wheel, since no package index has the package."""
    return (
        f"install the extra '{extra}': pip install '.[{extra}]' in the folder of a clone, or "
        f"pip install 'FILE.whl[{extra}]'"
    )


def check_report() -> None:
    """Refuse a report that could not be finished; its pictures need no library."""
    jinja2()


def jinja2() -> Any:
    """The library that fills in templates."""
    return _library("jinja2")


def matplotlib(part: str | None = None) -> Any:
    """The library that draws picture files, or a part of it."""
    return _library("matplotlib", part)


def narwhals() -> Any:
    """The library that gives all kinds of frames one interface."""
    return _library("narwhals")


def py4j(part: str) -> Any:
    """A part of the library through which PySpark calls Java."""
    return _library("py4j", part)


def pyarrow(part: str | None = None) -> Any:
    """The library that every frame and every file is read through, or a part of it.

    It is always installed, and takes a while to import.
    """
    return import_module("pyarrow" if part is None else f"pyarrow.{part}")


def pyspark(part: str) -> Any:
    """A part of Spark's Python library."""
    return _library("pyspark", part)


def shiny(part: str | None = None) -> Any:
    """The library behind the studio's page, or a part of it."""
    return _library("shiny", part)


def sklearn(part: str) -> Any:
    """A part of the library of learners."""
    return _library("sklearn", part)


def threadpoolctl() -> Any:
    """The library that limits the threads of others; it is installed with the learners."""
    return _library("threadpoolctl")


def uvicorn() -> Any:
    """The studio's server."""
    return _library("uvicorn")
