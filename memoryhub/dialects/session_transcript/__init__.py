"""Session transcripts: files of OpenClaw's session-memory hook on /new and /reset.

A transcript is a conversation, not a log: it is not searched for decisions or
open items.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Entry, Quoting, Session, Time, whole_lines
from memoryhub.formats.base import NO_PATH, Lines
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.source import up_to_next
from memoryhub.prose.model import Kind
from memoryhub.prose.stated import Stated, find_stated

_FIRST_LINE = re.compile(r"\ufeff?\s{0,40}# Session:[ \t]*([^\n]*)(?:\n|\Z)")
_STARTED = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{1,6})?)"
    r"[ \t]*(.*)"
)
_FIELD = re.compile(
    r"[ \t]*[-*]?[ \t]*\*{0,2}(Session Key|Session ID|Source|Reason)"
    r"(?:\*\*[ \t]*:|:[ \t]*\*\*|:)[ \t]*(.*)",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"## Conversation Summary\s*")
_TURN = re.compile(r"\n(user|assistant):(?: ([^\n]*)|[ \t\r]*(?=\n|\Z))")
_UNAVAILABLE = re.compile(r"\n> Transcript content was unavailable: ?([^\n]*)")
#: What a host puts before the words of a person: lines that introduce fenced data.
_FENCED = re.compile(
    r"\A(?:\s*+\S[^\n]*:[ \t]*\n(`{3,})[^\n]*\n(?:(?!\1).*\n)*+\1[ \t]*(?:\n|\Z))+"
)
#: The beginning of an element at a line's, such as a reminder, and any end of one.
_TAG = re.compile(
    r"^[ \t]*<([A-Za-z][\w-]*)(?:\s[^<>\n]*)?>|</([A-Za-z][\w-]*)>", re.MULTILINE
)
_QUOTED = re.compile(r"^[ \t]*>.*", re.MULTILINE)
#: A header has six lines; somebody may have put a few more between them.
_HEADER_LINES = 16
_OPEN: tuple[Kind, ...] = ("open",)
_HEADER_SIZE = 4000
#: So many characters of the first words are its title.
_TITLE = 1200


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, with plain newlines; `role` is user or assistant."""

    role: str
    text: str
    lines: Lines

    @property
    def own_words(self) -> str:
        """The text of its writer alone: other lines are empty, so that numbers stay.

        That are a host's elements and fenced data before it, and quotations.
        """
        return _QUOTED.sub("", _without_elements(_FENCED.sub(_emptied, self.text)))


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether first line and header, with a session key, are a transcript's."""
    if path.suffix.casefold() != ".md" or not _FIRST_LINE.match(text):
        return False
    return "session key" in _header(text)[0]


def parse(text: str, path: PurePosixPath = NO_PATH) -> Quoting:
    """Return the session that a text is the transcript of, titled by its first words.

    The hook starts each turn with ``user: `` or ``assistant: ``. The rest is decoded if
    it is a JSON string; otherwise it is used verbatim, with the lines after it. Its
    title's time has no zone, but perhaps a word behind it: ``UTC``, ``GMT+8``, ``PST``
    or a name such as ``America/New_York``.
    """
    fields, end = _header(text)
    key, time = _known(fields, "session key"), Time(*_started(text))
    turns = turns_in(text, end)
    missing = _UNAVAILABLE.search(text, max(0, end - 1)) if not turns else None
    words = (turn.own_words for turn in turns if turn.role == "user")
    titles = (" ".join(one[:_TITLE].split()) for one in words)
    reason = _decoded(missing[1].strip()) if missing else ""
    said, lines = (next(filter(None, titles), ""), reason), whole_lines(text)
    entry = Entry(*said, lines, time, key, source=text)
    return Quoting(
        text,
        told=(Session(key),),
        stated=partial(_stated, turns),
        parts=(entry,),
        time=time,
        sessions=(key,),
    )


def _stated(turns: Sequence[Turn]) -> Stated:
    """Return the statements of all turns; directives only of the user's own words."""
    found = Stated()
    for turn in turns:
        by = turn.lines.first - 1
        if turn.role == "user":
            said = find_stated(turn.own_words, line=by)
        else:
            said = find_stated(turn.text, asked=_OPEN, line=by)
            said = said._replace(directives=())
        found = Stated(
            found.decisions + said.decisions,
            found.directives + said.directives,
            found.open_items + said.open_items,
        )
    return found


def _emptied(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _without_elements(text: str) -> str:
    """Empty the elements that begin where a line does and end."""
    ends = {found[2]: found.start() for found in _TAG.finditer(text) if found[2]}
    kept: list[str] = []
    done, inside = 0, ""
    for found in _TAG.finditer(text):
        if not inside and found[1] and ends.get(found[1], 0) > found.start():
            kept.append(text[done : found.start()])
            done, inside = found.start(), found[1]
        elif inside and found[2] == inside:
            kept.append("\n" * text.count("\n", done, found.end()))
            done, inside = found.end(), ""
    return "".join((*kept, text[done:]))


def _known(fields: dict[str, str], name: str) -> str:
    value = fields.get(name, "")
    return "" if value.casefold() == "unknown" else value


def _started(text: str) -> tuple[datetime.datetime | None, str]:
    first = _FIRST_LINE.match(text)
    found = _STARTED.fullmatch(first[1].strip()) if first else None
    if not found:
        return None, ""
    started = parse_timestamp(found[1])
    return started, found[2].strip() if started else ""


def _header(text: str) -> tuple[dict[str, str], int]:
    """Return the fields below the title up to the first other line, and their end."""
    first = _FIRST_LINE.match(text)
    if not first:
        return {}, 0
    fields: dict[str, str] = {}
    end = first.end()
    for line in text[end : end + _HEADER_SIZE].split("\n")[:_HEADER_LINES]:
        found = _FIELD.fullmatch(line.rstrip())
        if found:
            fields.setdefault(found[1].lower(), found[2].strip("` \t"))
        elif line.strip() and not _SUMMARY.fullmatch(line):
            break
        end += len(line) + 1
    return fields, min(end, len(text))


def turns_in(text: str, start: int) -> tuple[Turn, ...]:
    padded = "\n" + text
    line = counted = 0
    turns: list[Turn] = []
    for found, end in up_to_next(_TURN.finditer(padded, start), len(padded)):
        line += padded.count("\n", counted, found.start() + 1)
        counted = found.start() + 1
        said = (found[2] or "").strip()
        more = padded[found.end() : end].rstrip()
        decoded = said if more else _decoded(said)
        lines = Lines(line, line + more.count("\n"))
        plain = f"{decoded}{more}".replace("\r\n", "\n").strip("\n")
        turns.append(Turn(found[1], plain, lines))
    return tuple(turns)


def _decoded(text: str) -> str:
    """Return the text of a JSON string; anything else unchanged.

    Unchanged is also a string that no file or database could hold: with a lone
    surrogate or a NUL.
    """
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    try:
        value = json.loads(text)
        value.encode()
    except ValueError:
        return text
    return text if "\0" in value else str(value)


DIALECT = Dialect(
    title=gettext_noop("Session transcripts"),
    kind=gettext_noop("session transcript"),
    order=90,
    has_days=True,
    is_conversation=True,
    is_found=True,
    in_rows=always,
)
