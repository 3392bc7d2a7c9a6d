"""Text inside a block: emphasis, code, links, as CommonMark and GitHub read them.

The text is cut into pieces in one pass; marks of emphasis and brackets are paired
afterwards, so that no text makes this slow. Raw HTML is text, and a picture is a
link to it: a memory file must not make a browser fetch anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from memoryhub.web.kit.markdown_blocks import normal_label
from memoryhub.web.kit.markdown_emphasis import Marks, flanks, pair

#: Elements inside each other in one text; deeper marks are dropped.
MAX_DEPTH = 16

#: A longer text is shown as it is written.
MAX_LENGTH = 20_000

#: Gives the address for a link's target, or None to show its text alone.
Resolve = Callable[[str], str | None]

_SPECIAL = re.compile(r"[\\`*_~\[\]!<\n]|https?://|www\.")
_RUN = re.compile(r"`+")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_ANGLE_LINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]*|[\w.+-]+@[\w.-]+\.\w+)>")
_BARE_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\[\]`|\u3000-\u303f\uff00-\uffef]+")
_LINK_TAIL = re.compile(
    r"\(\s*+(?:<([^<>\n]*+)>|((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+))"
    r"(?:\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?\s*+\)"
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(slots=True, eq=False)
class _Bracket:
    """An opening bracket: text, unless a target turns it into a link."""

    text: str
    end: int
    marks_below: int
    active: bool = True
    target: str | None = None


@dataclass(frozen=True, slots=True)
class _Tag:
    """An element without content, or with text alone."""

    name: str
    text: str = ""
    target: str = ""


class _LinkEnd:
    """Where the link that was opened last ends."""


_Piece = str | Marks | _Bracket | _Tag | _LinkEnd


def append_inline(
    parent: Element, text: str, definitions: Mapping[str, str], resolve: Resolve
) -> None:
    """Append the content of `text` to an element."""
    if len(text) > MAX_LENGTH:
        _Builder(parent, resolve).add_text(text)
        return
    pieces = _Cutter(text, definitions).cut()
    _Builder(parent, resolve).build(pieces)


class _Cutter:
    """Cuts a text into pieces and pairs its marks."""

    def __init__(self, text: str, definitions: Mapping[str, str]) -> None:
        self.text = text
        self.definitions = definitions
        self.pieces: list[_Piece] = []
        self.marks: list[Marks] = []
        self.brackets: list[_Bracket] = []
        self._runs: dict[int, list[int]] | None = None

    def cut(self) -> list[_Piece]:
        at, size = 0, len(self.text)
        while at < size:
            found = _SPECIAL.search(self.text, at)
            if not found:
                self.pieces.append(self.text[at:])
                break
            if found.start() > at:
                self.pieces.append(self.text[at : found.start()])
            at = self._read(found.start())
        pair(self.marks)
        return self.pieces

    def _read(self, at: int) -> int:
        """Read what stands at a special character; return where it ends."""
        reader = _READERS.get(self.text[at], _Cutter.read_bare_link)
        end = reader(self, at)
        if end > at:
            return end
        self.pieces.append(self.text[at])
        return at + 1

    def read_escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "\n":
            self.pieces.append(_Tag("br"))
            return at + 2
        if following not in _PUNCTUATION or not following:
            return at
        self.pieces.append("&amp;" if following == "&" else following)
        return at + 2

    def read_line_end(self, at: int) -> int:
        before = self.pieces[-1] if self.pieces else ""
        if isinstance(before, str):
            self.pieces[-1:] = [before.rstrip(" ")]
            if before.endswith("  "):
                self.pieces.append(_Tag("br"))
        self.pieces.append("\n")
        return at + 1

    def read_code(self, at: int) -> int:
        found = _RUN.match(self.text, at)
        end = found.end() if found else at + 1
        close = self._next_run(end - at, end)
        if close < 0:
            self.pieces.append(self.text[at:end])
            return end
        code = self.text[end:close].replace("\n", " ")
        if code.startswith(" ") and code.endswith(" ") and code.strip():
            code = code[1:-1]
        self.pieces.append(_Tag("code", code))
        return close + end - at

    def _next_run(self, length: int, start: int) -> int:
        """Return where the next run of that many backticks is, or -1."""
        if self._runs is None:
            self._runs = {}
            for found in _RUN.finditer(self.text):
                size = found.end() - found.start()
                self._runs.setdefault(size, []).append(found.start())
        places = self._runs.get(length, [])
        after = bisect_right(places, start - 1)
        return places[after] if after < len(places) else -1

    def read_marks(self, at: int) -> int:
        character = self.text[at]
        end = at
        while end < len(self.text) and self.text[end] == character:
            end += 1
        before = self.text[at - 1] if at else " "
        after = self.text[end] if end < len(self.text) else " "
        can_open, can_close = flanks(character, before, after)
        count = end - at
        if character == "~" and count > 2:
            can_open = can_close = False
        marks = Marks(character, count, count, can_open, can_close)
        self.pieces.append(marks)
        self.marks.append(marks)
        return end

    def read_bracket(self, at: int) -> int:
        length = 2 if self.text[at] == "!" else 1
        if self.text[at : at + length] not in ("[", "!["):
            return at
        bracket = _Bracket(self.text[at : at + length], at + length, len(self.marks))
        self.pieces.append(bracket)
        self.brackets.append(bracket)
        return at + length

    def read_closing_bracket(self, at: int) -> int:
        if not self.brackets:
            return at
        bracket = self.brackets.pop()
        target, end = self._target(bracket, at)
        if target is None or not bracket.active:
            return at
        bracket.target = target
        self.pieces.append(_LinkEnd())
        pair(self.marks, bracket.marks_below)
        del self.marks[bracket.marks_below :]
        if bracket.text == "[":
            self._deactivate()
        return end

    def _deactivate(self) -> None:
        """Keep the brackets around a link from becoming links."""
        for outer in reversed(self.brackets):
            if outer.text == "[":
                if not outer.active:
                    break
                outer.active = False

    def _target(self, bracket: _Bracket, at: int) -> tuple[str | None, int]:
        found = _LINK_TAIL.match(self.text, at + 1)
        if found:
            raw = found[1] if found[1] is not None else found[2]
            return _ESCAPED.sub(r"\1", raw), found.end()
        if not self.definitions or at - bracket.end > 999:
            return None, at
        label = _LABEL.match(self.text, at + 1)
        name = (label[1] if label else "") or self.text[bracket.end : at]
        target = self.definitions.get(normal_label(name))
        return target, label.end() if label else at + 1

    def read_angle(self, at: int) -> int:
        found = _ANGLE_LINK.match(self.text, at)
        if not found:
            return at
        mail = "@" in found[1] and not found[1].startswith(("http", "mailto:"))
        target = f"mailto:{found[1]}" if mail else found[1]
        self.pieces.append(_Tag("a", found[1], target))
        return found.end()

    def read_bare_link(self, at: int) -> int:
        found = _BARE_LINK.match(self.text, at)
        if not found or (at and self.text[at - 1].isalnum()):
            return at
        shown = _without_tail(found[0])
        if shown.endswith("//"):
            return at
        target = shown if "://" in shown else f"https://{shown}"
        self.pieces.append(_Tag("a", shown, target))
        return at + len(shown)


_READERS: dict[str, Callable[[_Cutter, int], int]] = {
    "\\": _Cutter.read_escape,
    "\n": _Cutter.read_line_end,
    "`": _Cutter.read_code,
    "*": _Cutter.read_marks,
    "_": _Cutter.read_marks,
    "~": _Cutter.read_marks,
    "[": _Cutter.read_bracket,
    "!": _Cutter.read_bracket,
    "]": _Cutter.read_closing_bracket,
    "<": _Cutter.read_angle,
}


def _without_tail(link: str) -> str:
    """Return a bare address without the marks of the sentence it stands in."""
    end = len(link)
    spare = link.count(")") - link.count("(")
    while end:
        last = link[end - 1]
        if last == ")" and spare > 0:
            spare -= 1
        elif last not in "?!.,:;*_~'\"":
            break
        end -= 1
    return link[:end]


class _Builder:
    """Appends pieces to an element, from left to right."""

    def __init__(self, parent: Element, resolve: Resolve) -> None:
        self.path = [parent]
        self.resolve = resolve
        self.skipped = 0
        self.words: list[str] = []
        self.links: list[bool] = []
        self.inside = 0

    def build(self, pieces: list[_Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                self.words.append(piece)
            elif isinstance(piece, Marks):
                self._add_marks(piece)
            elif isinstance(piece, _Bracket):
                self._add_bracket(piece)
            elif isinstance(piece, _Tag):
                self._add_tag(piece)
            elif self.links.pop():
                self.inside -= 1
                self._close()
        self._flush()

    def add_text(self, text: str) -> None:
        self.words.append(text)
        self._flush()

    def _add_marks(self, marks: Marks) -> None:
        for _ in marks.closes:
            self._close()
        self.words.append(marks.character * marks.left)
        for tag in reversed(marks.opens):
            self._open(Element(tag))

    def _add_bracket(self, bracket: _Bracket) -> None:
        if bracket.target is None:
            self.words.append(bracket.text)
            return
        address = None if self.inside else self.resolve(bracket.target)
        self.links.append(address is not None)
        if address is not None:
            self.inside += 1
            self._open(Element("a", {"href": address}))

    def _add_tag(self, tag: _Tag) -> None:
        address = self.resolve(tag.target) if tag.name == "a" else None
        if tag.name == "a" and (address is None or self.inside):
            self.words.append(tag.text)
            return
        element = Element(tag.name, {"href": address} if address else {})
        if tag.text:
            element.text = tag.text.replace("&", "&amp;")
        self._flush()
        self.path[-1].append(element)

    def _open(self, element: Element) -> None:
        if self.skipped or len(self.path) > MAX_DEPTH:
            self.skipped += 1
            return
        self._flush()
        self.path[-1].append(element)
        self.path.append(element)

    def _close(self) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        self._flush()
        self.path.pop()

    def _flush(self) -> None:
        text = "".join(self.words)
        self.words.clear()
        if not text:
            return
        parent = self.path[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text
