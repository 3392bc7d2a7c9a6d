"""Open items that a text states: checkboxes, and lists under labels of open work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.statements.lists import BULLET, LabelledList, Listed
from memoryhub.formats.text.labels import says_nothing

_DONE_MARKS = frozenset("xX✅✔☑✓-")
_CHECKBOX = re.compile(
    rf"\n[ \t]*+{BULLET}\[([ xX!?~/>\-✅✔☑✓❌⏳🔄])?\ufe0f?\][ \t]+(\S[^\n]*)"
)
_DONE_ITEM = re.compile(r"[*_]{0,2}(?:✅|✔|☑|~~|\[[xX]\])")


class OpenItem(NamedTuple):
    """An open item; `mark` is the character in its checkbox, empty without one."""

    text: str
    done: bool
    mark: str
    lines: Lines


def find_open_items(
    text: str, lists: Iterable[LabelledList], skipped: frozenset[int]
) -> tuple[OpenItem, ...]:
    """Return the open items of a text in file order, each line once.

    `lists` are those of `memoryhub.formats.statements.lists`. Items without content
    are dropped, and done ones too unless they have a checkbox.
    """
    found: dict[int, OpenItem] = {}
    listed = [*_checkboxes(text)]
    listed += [item for one in lists if one.kind == "open" for item in one.items]
    for item in listed:
        looks_done = _DONE_ITEM.match(item.text) is not None
        unfit = item.lines.first in skipped or says_nothing(item.text)
        if not unfit and (item.mark or not looks_done):
            done = looks_done or item.mark in _DONE_MARKS
            known = OpenItem(item.text, done, item.mark, item.lines)
            found.setdefault(item.lines.first, known)
    return tuple(item for _, item in sorted(found.items()))


def _checkboxes(text: str) -> Iterator[Listed]:
    if "] " not in text and "]\t" not in text:
        return
    padded, line, counted = "\n" + text, 0, 0
    for found in _CHECKBOX.finditer(padded):
        line += padded.count("\n", counted, found.start() + 1)
        counted = found.start() + 1
        yield Listed(found[2].strip(), found[1] or " ", Lines(line, line))
