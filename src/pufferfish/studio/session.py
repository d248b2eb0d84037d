"""One open page: what it holds, what its three steps share, and how it forgets when it closes."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shiny import Inputs, Session, reactive
from shiny.types import SilentException

from pufferfish.core.errors import DataError, InvalidInputError, PufferfishError
from pufferfish.studio.bench import Bench
from pufferfish.studio.sources import EXAMPLES, Source, source_from_path, source_from_upload
from pufferfish.studio.uploads import Upload, Uploads
from pufferfish.studio.voice import PageVoice

__all__ = ["Page", "Studio", "in_words", "on_page", "places_in_words"]


class Studio:
    """What all pages share: the work, the uploads, the examples, and what was released."""

    def __init__(
        self, uploads: Uploads, given: str | None, ledger: Path | None, na: Sequence[str] = ()
    ) -> None:
        self.uploads = uploads
        self.given = given
        self.na = tuple(na)
        self.ledger = ledger
        self.bench = Bench()
        self.examples = {
            key: source_from_upload(uploads.hold(example.name, example.csv, limited=False))
            for key, example in EXAMPLES.items()
        }
        # What was promised for each column, by its values, and when; all pages see it.
        self.released: reactive.Value[dict[str, str]] = reactive.value({})

    def refuse_changed(self, source: Source) -> None:
        """Refuse a file that has changed since it was counted."""
        if source.path == self.given and source_from_path(source.path, self.na) != source:
            raise DataError(f"{source.name} has changed since it was counted. Reload the page.")


class Page:
    """What one page holds, and drops when it closes."""

    def __init__(self, studio: Studio, inputs: Inputs, session: Session) -> None:
        self.studio = studio
        self.inputs = inputs
        self.session = session
        self.voice = PageVoice(self._tell)
        self._loop = asyncio.get_running_loop()
        self._uploads: dict[str, Upload] = {}
        self._folders: list[Path] = []
        self._open = True
        session.on_ended(self.close)

    def entry(self, name: str) -> Any:
        """The value of an input, of any type; None where it is empty."""
        try:
            value = self.inputs[name]()
        except SilentException:
            return None
        return None if value == "" else value

    def take(self, role: str, sent: Any) -> Source:
        """Take a table that was sent, in place of the one that had its role."""
        key = sent.get("key") if isinstance(sent, dict) else None
        if not isinstance(key, str):
            raise InvalidInputError("choose a file.")
        self._let_go(role)
        self._uploads[role] = self.studio.uploads.claim(key)
        return source_from_upload(self._uploads[role], self.studio.na)

    def new_folder(self) -> Path:
        """An empty folder of this page, for one release."""
        folder = Path(tempfile.mkdtemp(dir=self.studio.uploads.folder))
        self._folders.append(folder)
        return folder

    async def send(self, kind: str, **content: Any) -> None:
        """Send a message to the page's script, while there is a page."""
        if self._open:
            await self.session.send_custom_message(kind, content)

    def close(self) -> None:
        """Forget everything."""
        self._open = False
        for role in list(self._uploads):
            self._let_go(role)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)

    def _tell(self, what: str, share: float, note: str) -> None:
        message = self.send("progress", what=what, share=share, note=note)
        asyncio.run_coroutine_threadsafe(message, self._loop)

    def _let_go(self, role: str) -> None:
        """Forget a table and everything computed from it."""
        upload = self._uploads.pop(role, None)
        if upload is not None:
            self.studio.bench.forget(upload.key)
            self.studio.uploads.drop(upload)


# The place on the page of each command-line option that a message may name.
_CONTROLS = {
    "--missing": "Rows without a value",
    "--pair": "Which secrets must look alike?",
    "--min-group": "More: Refuse a secret with fewer rows than",
    "--rows-per-person": "Rows of one person, at most",
    "--one-row": "What is published of a person?",
    "--mechanism": "What is applied to a value?",
    "--epsilon": "Choose by: the promise",
    "--floor": "What protects a value from everybody else?",
    "--wrong": "How wrong may the described laws be?",
    "--nominal": "Allow a weak floor even with 0%",
    "--delta": "δ",
    "--cap": "More: Before the noise, raise smaller values to",
    "--round": "More: Round published values to steps of",
    "--clip": "More: After the noise, raise smaller values to",
    "--accuracy": "Choose by: accuracy of a value",
    "--allow-no-noise": "Publish them as they are",
    **dict.fromkeys(
        ("--edges", "--bands", "--dates", "--merge", "--order", "--codes", "--weight", "--never"),
        "Public rules",
    ),
    "--known": "Several columns, and what others know",
}


def on_page(text: str) -> str:
    """The text, followed by the places on the page of the options that it names."""
    return " ".join(filter(None, (text, places_in_words(text))))


def places_in_words(text: str) -> str:
    """The places on the page of the options that a text names; empty where it names none."""
    places = [place for option, place in _CONTROLS.items() if option in text]
    return f"On this page: {'; '.join(dict.fromkeys(places))}." if places else ""


def in_words(error: BaseException) -> str:
    """The message of the command line; an unexpected error goes to the terminal."""
    if isinstance(error, PufferfishError):
        # A message that begins with an option begins with its name here.
        return on_page(" ".join(str(error).split())).removeprefix("--")
    if isinstance(error, OSError):
        # The path of an upload means nothing to its user.
        name = str(error.filename or "")
        place = "The table" if not name or name.startswith("/proc/") else name
        return f"{place}: {error.strerror or error}."
    traceback.print_exception(error, file=sys.stderr)
    return f"An unexpected error occurred ({type(error).__name__}); see the terminal."
