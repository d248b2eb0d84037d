"""The report of a release: one self-contained HTML file, internal or public; and notebooks.

Only this package plots. It needs the extra `report`: jinja2 for pages, matplotlib for picture
files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from pufferfish.core.validation import require
from pufferfish.documents.signing import PublicKey
from pufferfish.kinds.record import Edition, ReleaseRecord
from pufferfish.what_if.result import Stress

__all__ = ["load_ipython_extension", "report"]


def report(
    record: ReleaseRecord[Any, Any] | str | PathLike[str] | Mapping[str, Any],
    *,
    edition: Edition | None = None,
    released: Any = None,
    original: Any = None,
    na: Sequence[str] = (),
    signer: PublicKey | None = None,
    stress: Stress | str | bool = True,
) -> str:
    """A report as HTML that needs nothing else: no script, no font, no network.

    Args:
        record: A record of any kind; or its document, as a file or as plain data, which is
            verified first.
        edition: "internal" holds statistics of private data. "public" is made from the public
            edition of the record alone. It depends on the data only through what was published, the
            number of rows, shares in whole percent, and the rounded size of the noise (or ε). The
            default is "internal", and "public" for the public edition of a record.
        released: The published column: a file's path, or an array. For a record that is given as a
            file, the default is the file that it names, if that lies next to it. A sum has none:
            its record holds the number.
        original: The column before the release, given in the same way, for a picture in the
            internal edition; the public edition does not read it.
        na: Texts in the original's file that stand for a missing value, as for `summarise`.
        signer: The key that must have signed the record's document.
        stress: The result of `pf.stress`, for a section of the internal edition, or a text that
            says why nothing was tested. True: a quick test of a released column or table, if the
            original is a file. False: none.

    Raises:
        CertificationError: The record does not verify, or the file is not what was released.
        MissingExtraError: jinja2 is not installed.
    """
    # Imported here, so that importing the library does not load what only a report needs.
    from pufferfish.core.extras import check_report  # noqa: PLC0415
    from pufferfish.report.kinds import page_of  # noqa: PLC0415
    from pufferfish.report.page import render  # noqa: PLC0415
    from pufferfish.report.sources import Beside, verify_source  # noqa: PLC0415

    require(
        edition in (None, "internal", "public"),
        f"edition must be internal or public, got {edition!r}.",
    )
    check_report()
    beside = Beside(released=released, original=original, na=na, stress=stress)
    return render(page_of(verify_source(record, edition, beside, signer), beside))


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext pufferfish.report`: results of the library show as a table and a picture."""
    from pufferfish.report.notebook import register  # noqa: PLC0415

    register(ipython)
