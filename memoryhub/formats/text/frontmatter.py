"""The block of ``key: value`` lines between two ``---`` lines at the start of a note.

Only common forms are read: plain and quoted values, lists, folded text and one level
of nesting. It is not a YAML parser, and nothing it cannot read is lost.

`without_markup` leaves out what only programs read: it, comments, tags of details.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from memoryhub.formats.base import Field, FormatError, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.source import fenced_lines, newline_of, split_lines

_UNSEEN = re.compile(
    r"(?<!`)(?:<!--(?:(?!-->).){0,4000}-->|</?(?:details|summary)\b[^<>\n]{0,200}>)",
    re.DOTALL | re.IGNORECASE,
)


def without_markup(text: str) -> str:
    """Return a text without front matter, HTML comments and the tags of details.

    Every line keeps its number. Fenced code and what stands behind a backtick stay.
    """
    head = "\n" * (frontmatter.split(text).body_line - 1)
    fenced = fenced_lines(text)
    ends = [found.start() for found in re.finditer("\n", text)] if fenced else []

    def unseen(found: re.Match[str]) -> str:
        if bisect(ends, found.start()) + 1 in fenced:
            return found[0]
        return "\n" * found[0].count("\n")

    bare = _UNSEEN.sub(unseen, text) if "<" in text else text
    return head + "\n".join(bare.split("\n")[len(head) :])


_KEY = re.compile(r"([^\W\d][\w.-]*)[ \t]*:(?:[ \t]+([^\r\n]*))?\r?\n?")
_CLOSING = re.compile(r"\n---[ \t]*(?:\r?\n|\r?\Z)")
_PLAIN = re.compile(r"[\w/.(][^:#\"'\r\n]*")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A text in two parts that join back to it: front matter, if any, and body.

    A nested key has its parent's name and a dot in front; the items of a list are
    joined by ``, ``.
    """

    source: str
    fields: tuple[Field, ...]
    body: str
    body_line: int

    def get(self, key: str, default: str = "") -> str:
        """Return the value of the first field of this name."""
        return next((f.value for f in self.fields if f.key == key), default)

    def items(self, key: str) -> tuple[str, ...]:
        """Return the items of a list, without blank ones."""
        parts = (part.strip(" \t\"'") for part in self.get(key).split(","))
        return tuple(part for part in parts if part)


def with_field(text: str, key: str, value: str) -> str:
    """Return the text with this value; a new field is the last one of the block.

    Raises FormatError `value-has-newline` or `key-not-allowed` for text that a line
    cannot hold, `value-not-a-line` where the old value has several lines, and
    `field-unknown` for an unknown nested field.
    """
    if "\n" in value or "\r" in value:
        raise FormatError("value-has-newline", key=key)
    if not _KEY.fullmatch(f"{key}: x"):
        raise FormatError("key-not-allowed", key=key)
    front, end = split(text), newline_of(text)
    lines = split_lines(front.source)
    known = next((f for f in front.fields if f.key == key), None)
    if known is None and "." in key:
        raise FormatError("field-unknown", key=key)
    if known is None:
        rule = f"---{end}"
        opening, closing = (lines[:-1], lines[-1]) if lines else ([rule], rule)
        lines = [*opening, f"{key}: {_quoted(value)}{end}", closing]
    else:
        first, last = known.lines
        if first != last:
            raise FormatError("value-not-a-line", first, key=known.key)
        line = lines[first - 1]
        head = line[: line.index(":") + 1]
        lines[first - 1] = f"{head} {_quoted(value)}{newline_of(line)}"
    return "".join(lines) + front.body


def split(text: str) -> FrontMatter:
    """Return the front matter and the body of any text.

    A ``---`` line opens front matter only as the first line, if a second one closes
    it, its first line is a ``key: value``, and each other line belongs to a key.
    """
    is_opened = text[:3] == "---" and not text[3 : text.find("\n")].strip(" \t\r")
    closing = _CLOSING.search(text, 3) if is_opened else None
    if closing is None:
        return FrontMatter("", (), text, 1)
    source = text[: closing.end()]
    lines = split_lines(source)
    fields = tuple(_fields(lines[1:-1])) if _is_block(lines[1:-1]) else ()
    if not fields:
        return FrontMatter("", (), text, 1)
    return FrontMatter(source, fields, text[closing.end() :], len(lines) + 1)


def _is_block(lines: list[str]) -> bool:
    written = [line for line in lines if line.strip()]
    return bool(written and _KEY.fullmatch(written[0])) and all(
        line[0] in " \t#-" or _KEY.fullmatch(line) for line in written
    )


def _fields(lines: list[str]) -> Iterator[Field]:
    """Parse the fields of a block, whose first line is line 2 of the file."""
    start = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or _KEY.fullmatch(lines[number]):
            yield from _field(lines[start:number], start + 2)
            start = number


def _field(lines: list[str], first: int) -> Iterator[Field]:
    """Read a top-level key with the lines that belong to it."""
    found = _KEY.fullmatch(lines[0])
    if found is None:
        return
    key, value = found[1], _unquoted(found[2] or "")
    inner = [line.strip() for line in lines[1:] if line.strip() and line[0] != "#"]
    last = first + max(at for at, line in enumerate(lines) if line.strip())
    if not inner or (value and value[0] not in "|>["):
        yield Field(key, value, Lines(first, first))
    elif value or inner[0].startswith("- ") or not _KEY.fullmatch(inner[0]):
        yield Field(key, _folded(value, inner), Lines(first, last))
    else:
        yield Field(key, "", Lines(first, last))
        yield from _nested(key, lines, first)


def _nested(parent: str, lines: list[str], first: int) -> Iterator[Field]:
    for number, line in enumerate(lines[1:], first + 1):
        if found := _KEY.fullmatch(line.lstrip(" \t")):
            value = _unquoted(found[2] or "")
            yield Field(f"{parent}.{found[1]}", value, Lines(number, number))


def _folded(value: str, inner: list[str]) -> str:
    if value[:1] == "|":
        return "\n".join(inner)
    if value[:1] == "[":
        return "".join([value, *inner]).strip("[]")
    if inner[0].startswith("- "):
        return ", ".join(_unquoted(line.removeprefix("- ")) for line in inner)
    return " ".join(inner)


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        inner = value[1:-1]
        quote = value[0]
        return inner.replace("''" if quote == "'" else '\\"', quote)
    if value[:1] == "[" and value[-1:] == "]":
        return value[1:-1].strip()
    return value


def _quoted(value: str) -> str:
    """Quote a value that would be read as something else; lists stay lists."""
    is_list = value[:1] == "[" and value[-1:] == "]"
    if is_list or (_PLAIN.fullmatch(value) and value == value.strip()):
        return value
    return "'" + value.replace("'", "''") + "'"
