"""context-memory-optimizer's ``errors.md``: one line per error, appended."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, gettext_noop
from memoryhub.formats.base import Lines
from memoryhub.formats.text.dates import parse_date
from memoryhub.formats.text.line_edits import append_lines, one_line
from memoryhub.formats.text.source import fenced_lines, split_lines

NAME = "error_log"
#: Possible paths of the error log, by precedence.
PLACES = ("memories/errors.md", "memory/errors.md", "errors.md")

#: The kinds the skill names, by the words agents write them with.
_KINDS = (
    ("PermissionDenied", ("permissiondenied", "permission denied", "eacces")),
    ("FileNotFound", ("filenotfound", "file not found", "no such file", "enoent")),
    ("mismatch", ("mismatch", "does not match", "differs from")),
    ("compaction", ("compaction", "circuit breaker", "l2 fail", "l2:")),
)
_NAMES = frozenset({"errors.md", "error-log.md", "error_log.md", "errorlog.md"})
_MARK = re.compile(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+")
_DAY = re.compile(r"[*\[(`]{0,3}([0-9]{4}-[0-9]{2}-[0-9]{2})\b")


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """An error; the kind is empty without a known keyword."""

    text: str
    kind: str
    date: datetime.date | None
    lines: Lines


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether the file name is an error log's."""
    return path.name.casefold() in _NAMES


def text_with_error(text: str, error: str) -> str:
    """Return a log's text with this error as its last line; its others are not read.

    Raises FormatError for an error with a line end, or none.
    """
    return append_lines(text, f"- {one_line(error)}")


def errors_in(text: str) -> list[ErrorLine]:
    """Return all lines of a log except headings, rules and fences."""
    found = list[ErrorLine]()
    fenced = fenced_lines(text)
    for number, line in enumerate(split_lines(text), 1):
        content = line.strip()
        marked = content.startswith(("#", "---", "<!--", "|"))
        if not content or marked or number in fenced:
            continue
        mark = _MARK.match(content)
        said = content[mark.end() :] if mark else content
        found.append(ErrorLine(said, _kind(said), _day(said), Lines(number, number)))
    return found


def _kind(text: str) -> str:
    low = text[:1000].casefold()
    return next((k for k, words in _KINDS if any(w in low for w in words)), "")


def _day(text: str) -> datetime.date | None:
    found = _DAY.match(text)
    return parse_date(found[1]) if found else None


DIALECT = Dialect(
    title=gettext_noop("Error logs"),
    kind=gettext_noop("error log"),
    order=180,
)
