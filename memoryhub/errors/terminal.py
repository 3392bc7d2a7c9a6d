"""Escaping of file texts for a terminal: no cursor moves, hidden or forged lines.

Standard library only. Escaped are the control characters C0, DEL and C1, which begin
terminal sequences such as OSC, marks that change the text direction, and characters
that some terminals treat as a line break.
"""

from __future__ import annotations

import logging
import re
from copy import copy

from memoryhub.disk.files import disk_path
from memoryhub.errors.hindrances import hindrance_of

#: Besides C0: DEL, C1, marks of direction, separators, surrogates, invisible tags.
_OTHERS = (
    r"\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    r"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_LINE = re.compile(rf"[\x00-\x08\x0a-\x1f{_OTHERS}]")
#: A carriage return is harmless before a line feed.
_IN_TEXT = re.compile(rf"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f{_OTHERS}]")
#: The last range is non-UTF-8 bytes: `memoryhub.disk.files.text_path`.
_IN_NAME = re.compile(rf"[\x00-\x1f\"\\{_OTHERS}\uf780-\uf7ff]")
_IN_JSON = re.compile(rf"[{_OTHERS}]")
_LETTERS = dict(zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def one_line(text: str) -> str:
    """Escape a text as one line, including line breaks."""
    return _IN_LINE.sub(_escaped, text)


def lines(text: str) -> str:
    """Escape a text of several lines; line breaks and tabs stay."""
    return _IN_TEXT.sub(_escaped, text)


def counted(number: int, noun: str) -> str:
    """Return a number with a noun: ``1 file``, ``0 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(name: str) -> str:
    """Format the name of a file or folder like git.

    One with special characters is quoted, with escapes as in C.
    """
    if not _IN_NAME.search(name):
        return name
    return f'"{_IN_NAME.sub(_as_in_c, name)}"'


def json_text(text: str) -> str:
    """Escape characters that JSON itself allows; the value is unchanged."""
    return _IN_JSON.sub(_escaped_in_json, text)


class LogFormatter(logging.Formatter):
    """Log formatter: one line per entry, with a traceback only for a bug."""

    def format(self, record: logging.LogRecord) -> str:
        """Format an entry; a failure of the machine (disk, lock) has no traceback."""
        entry = copy(record)
        entry.msg, entry.args = one_line(record.getMessage()), ()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and hindrance_of(error):
            entry.msg = one_line(f"{record.getMessage()} ({error})")
            entry.exc_info = entry.exc_text = None
        return lines(super().format(entry))


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def _as_in_c(found: re.Match[str]) -> str:
    letter = found[0]
    if letter in _LETTERS:
        return f"\\{_LETTERS[letter]}"
    return "".join(f"\\{byte:03o}" for byte in _bytes_of(letter))


def _bytes_of(letter: str) -> bytes:
    """Return the bytes on disk of a letter of a name."""
    try:
        return disk_path(letter).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return letter.encode("utf-8", "surrogatepass")


def _escaped_in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
