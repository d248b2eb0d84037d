"""Text that is not UTF-8: which encoding it seems to have, and how to convert it."""

from __future__ import annotations

__all__ = ["is_wide", "not_utf8"]

_WIDE = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# In text of mostly Latin letters with two bytes each, nearly every other byte is zero.
_LEAST_ZEROS = 0.7


def not_utf8(beginning: bytes = b"") -> str:
    """The message about a text that is not UTF-8, from its first bytes; it never quotes them."""
    encoding = _encoding(beginning)
    likely = (
        "it looks like"
        if encoding
        else "its first lines do not show which encoding it has; often it is"
    )
    name = encoding or "WINDOWS-1252"
    also = " (or Latin-1, ISO-8859-1)" if name == "WINDOWS-1252" else ""
    return (
        f"the file is not UTF-8 text: {likely} {name}{also}. Convert it to UTF-8 first "
        f"(iconv -f {name} -t UTF-8 OLD.csv > NEW.csv)."
    )


def is_wide(beginning: bytes) -> bool:
    """Whether it looks like text with two or four bytes per letter."""
    return _wide(beginning) is not None


def _wide(beginning: bytes) -> str | None:
    for mark, name in _WIDE.items():
        if beginning.startswith(mark):
            return name
    for first, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        some, others = beginning[first:2000:2], beginning[1 - first : 2000 : 2]
        if some and some.count(0) >= _LEAST_ZEROS * len(some) and 0 not in others:
            return name
    return None


def _encoding(beginning: bytes) -> str | None:
    wide = _wide(beginning)
    if wide is not None:
        return wide
    # Cut at the beginning of a letter: the last one may be incomplete.
    for cut in range(4):
        try:
            beginning[: len(beginning) - cut].decode()
        except UnicodeDecodeError:
            continue
        return None
    return "WINDOWS-1252"
