"""The commands, and what happens when one fails."""

from __future__ import annotations

import signal
import sys
from types import FrameType

import typer

from pufferfish.cli import calibrate, compare, demo, fit, release, verify
from pufferfish.cli.exits import HELP, Exit, code_of
from pufferfish.errors import PufferfishError

__all__ = ["app", "run"]

app = typer.Typer(
    name="pufferfish",
    help="Publish a numeric column without betraying a secret it is correlated with.",
    epilog=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 98},
)
for module in (demo, fit, calibrate, release, verify, compare):
    name = module.__name__.rsplit(".", 1)[1]
    app.command(name, help=module.__doc__, epilog=HELP)(module.command)


def run(arguments: list[str]) -> int:
    """Run a command; errors become one line and an exit code."""
    # Cleaning up needs an exception: without it, a terminated release leaves a temporary file.
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app(arguments, prog_name="pufferfish")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else Exit.DONE
    except BrokenPipeError:
        return Exit.INPUT_OUTPUT
    except PufferfishError as error:
        return _failed(str(error), code_of(error))
    except OSError as error:
        return _failed(_system_error(error), Exit.INPUT_OUTPUT)
    except MemoryError:
        return _failed("the memory is not enough for this table.", Exit.INPUT_OUTPUT)
    return Exit.DONE


def _failed(message: str, code: int) -> int:
    sys.stderr.write(f"error: {' '.join(message.split())}\n")
    return code


def _system_error(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}; nothing was published."


def _terminated(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
