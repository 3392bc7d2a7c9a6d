"""Text inside a block: emphasis, code, links, as CommonMark and GitHub read them.

The text is cut into pieces in one pass; marks of emphasis and brackets are paired
afterwards, so that no text makes this slow. Raw HTML is text, and a picture is a
link to it: a memory file must not make a browser fetch anything.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from memoryhub.markdown_blocks import normal_label

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
class _Marks:
    """A run of ``*``, ``_`` or ``~``, and the tags that were made of it."""

    character: str
    left: int
    total: int
    can_open: bool
    can_close: bool
    closes: list[str] = field(default_factory=list)
    opens: list[str] = field(default_factory=list)


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


_Piece = str | _Marks | _Bracket | _Tag | _LinkEnd


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
        self.marks: list[_Marks] = []
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
        _pair(self.marks)
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
        can_open, can_close = _flanks(character, before, after)
        count = end - at
        if character == "~" and count > 2:
            can_open = can_close = False
        marks = _Marks(character, count, count, can_open, can_close)
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
        _pair(self.marks, bracket.marks_below)
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


def _flanks(character: str, before: str, after: str) -> tuple[bool, bool]:
    """Tell whether marks between these characters can open, and can close."""
    space_after, space_before = after.isspace(), before.isspace()
    sign_after = not (after.isalnum() or space_after)
    sign_before = not (before.isalnum() or space_before)
    left = not space_after and (not sign_after or space_before or sign_before)
    right = not space_before and (not sign_before or space_after or sign_after)
    if character == "_":
        return left and (not right or sign_before), right and (not left or sign_after)
    return left, right


def _pair(marks: list[_Marks], below: int = 0) -> None:
    """Turn marks from `below` on into tags, inner ones first."""
    stack: list[_Marks] = []
    #: How far down an opener was looked for in vain, by the kind of closer.
    floors: dict[tuple[str, bool, int], int] = {}
    for mark in marks[below:]:
        while mark.can_close and mark.left:
            key = (mark.character, mark.can_open, mark.total % 3)
            floor = floors.get(key, 0)
            at = _opener(stack, mark, floor)
            if at < 0:
                floors[key] = len(stack)
                break
            del stack[at + 1 :]
            _join(stack[at], mark)
            floors = {kind: min(low, at) for kind, low in floors.items()}
            if not stack[at].left:
                stack.pop()
        if mark.can_open and mark.left:
            stack.append(mark)


def _opener(stack: list[_Marks], closer: _Marks, floor: int) -> int:
    for at in range(len(stack) - 1, floor - 1, -1):
        opener = stack[at]
        if opener.character == closer.character and _fit(opener, closer):
            return at
    return -1


def _fit(opener: _Marks, closer: _Marks) -> bool:
    if closer.character == "~":
        return opener.total == closer.total
    both = opener.can_close or closer.can_open
    odd = (opener.total + closer.total) % 3 == 0
    return not (both and odd and (opener.total % 3 or closer.total % 3))


def _join(opener: _Marks, closer: _Marks) -> None:
    if closer.character == "~":
        used, tag = opener.left, "del"
    else:
        used = 2 if min(opener.left, closer.left) >= 2 else 1
        tag = "strong" if used == 2 else "em"
    opener.left -= used
    closer.left -= used
    opener.opens.append(tag)
    closer.closes.append(tag)


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
            elif isinstance(piece, _Marks):
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

    def _add_marks(self, marks: _Marks) -> None:
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
