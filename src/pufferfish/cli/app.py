"""The commands, and what happens when one fails."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from pufferfish.cli import (
    audit,
    calibrate,
    compare,
    demo,
    fit,
    key,
    release,
    report,
    sign,
    stress,
    studio,
    verify,
)
from pufferfish.cli import sum as sum_
from pufferfish.cli.exits import HELP, Exit, code_of
from pufferfish.cli.once import OnceCommand
from pufferfish.core.errors import PufferfishError

__all__ = ["app", "run"]

_LONGEST = 4_000

app = typer.Typer(
    name="pufferfish",
    help="Publish columns of a table without revealing a secret that they are correlated with.",
    epilog=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 98},
)
_COMMANDS = (
    *(demo, fit, calibrate, release, verify, sign, audit, stress, report, compare),
    *(sum_, studio),
)
for module in _COMMANDS:
    name = module.__name__.rsplit(".", 1)[1]
    app.command(name, cls=OnceCommand, help=module.__doc__, epilog=HELP)(module.command)
app.add_typer(key.app, name="key", epilog=HELP)


def _print_version(wanted: bool) -> None:
    if wanted:
        from pufferfish import __version__  # noqa: PLC0415

        sys.stdout.write(f"pufferfish-privacy {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """The options that come before a command."""


def run(arguments: list[str]) -> int:
    """Run a command; errors become one line and an exit code."""
    # Cleaning up needs an exception: without it, a terminated release leaves a temporary file.
    for ending in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, ending):
            signal.signal(getattr(signal, ending), _terminate)
    try:
        code = app(arguments, prog_name="pufferfish", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _report_failure("stopped; nothing was published.", 130)
    except SystemExit as done:
        # The parser of options ends with 1 only where nobody reads the output any more.
        return Exit.INPUT_OUTPUT if done.code == 1 else int(done.code or 0)
    except BrokenPipeError:
        _let_go_of_stdout()
        return Exit.INPUT_OUTPUT
    except PufferfishError as error:
        return _report_failure(str(error), code_of(error))
    except OSError as error:
        return _report_failure(_system_error(error), Exit.INPUT_OUTPUT)
    except MemoryError:
        return _report_failure("there is not enough memory for this table.", Exit.INPUT_OUTPUT)
    except Exception as error:  # noqa: BLE001 - raised again unless it is about usage
        return _usage(error)
    return code if isinstance(code, int) else Exit.DONE


def _usage(error: Exception) -> int:
    """Report an error of the parser of options; raise every other error again.

    The classes of its errors are not public, but share one method.
    """
    if type(error).__name__ == "Abort":
        return _report_failure("stopped; nothing was published.", 130)
    if not hasattr(error, "format_message"):
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stdout.write(error.format_message() + "\n")
        return Exit.USAGE
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "pufferfish"
    message = error.format_message().rstrip(".")
    message += "" if message.endswith(("?", "!")) else "."
    return _report_failure(f"{message} See {command} --help.", Exit.USAGE)


def _report_failure(message: str, code: int) -> int:
    text = " ".join(message.split())
    # A message that quotes somebody else's document must not fill the screen.
    text = text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."
    sys.stderr.write(f"error: {text}\n")
    return code


def _let_go_of_stdout() -> None:
    """Write to nowhere from now on: the interpreter would complain of the closed output at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_error(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    hint = ""
    if isinstance(error, FileNotFoundError) and error.filename:
        hint = " Check the name, or give the path of the folder that it is in."
    return f"{place}{error.strerror or error}.{hint}"


def _terminate(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
