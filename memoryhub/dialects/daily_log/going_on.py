"""Shorten a log that grew: leave out the unchanged middle, where that is safe.

The entries of a log are cut by its form as a whole: by how many headings there are
beside one, whether one of them has a time, whether most lines of a list do. Its first
and its last entries show all that, where those between are of the same form. So the
log is read as if it had only these.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memoryhub.formats.text.dates import heading_time
from memoryhub.formats.text.source import MARKER, split_sections
from memoryhub.prose.labels import kind_of_label
from memoryhub.prose.units import blocks_of

#: Characters at the start that are read in any case: zone, author and first entries
#: stand there; so many are looked at for them.
_HEAD, _FAR = 4_096, 32_768
#: A middle below this size is not worth its search.
_LEAST = 8_192
#: Entries with a time that the start needs; items of a list that the end needs.
_TIMED, _ITEMS = 2, 8
_DEEPEST, _LONGEST = 3, 200
#: A heading that only some readers know, and one within a quote.
_ODD_HEADING = re.compile(r"\n(?: {1,3}#|#{1,6}[\t\r\n])")
_QUOTED_HEADING = re.compile(r">[> \t]*#")
#: A code fence at the start of its line, as the only mark of that line.
_FENCE = re.compile(r"\n```([^\n`]*)(?=\n)")
_ITEM = r"[-*+] (?:[01]\d|2[0-3]):[0-5]\d \w[^\n]*\n"
_LIST_OF_TIMES = re.compile(rf"(?:{_ITEM})++")
#: Behind such a line the list may be what a rule says.
_ANNOUNCING = re.compile(r"[:：][ \t]*\n")
_ITEM_WITH_TIME = re.compile(rf"^{_ITEM}", re.MULTILINE)


class Shortened(NamedTuple):
    """A log without its middle; of `text` so many characters are `known`.

    Its first `above` lines are the start, behind which so many lines are `left_out`. A
    `list` has an entry in each line on both sides of them.
    """

    text: str
    known: int
    above: int
    left_out: int
    is_list: bool


def shortened(text: str, known: int) -> Shortened | None:
    """Return a log without its unchanged middle; None if any of it may matter."""
    written = text.rfind("\n", 0, known) + 1
    if written < _HEAD + _LEAST:
        return None
    found = _between_headings(text, written)
    is_list = found is None
    begin, end = found or _of_a_list(text, written)
    if end - begin < _LEAST or not _is_plain(text, begin, end):
        return None
    short = Shortened(
        text[:begin] + text[end:],
        known - (end - begin),
        text.count("\n", 0, begin),
        text.count("\n", begin, end),
        is_list,
    )
    if is_list:
        # Most lines have a time, here and with the middle.
        lines = short.text.count("\n") + 1
        timed = len(_ITEM_WITH_TIME.findall(short.text))
        if timed * 2 < lines or short.left_out < lines:
            return None
    return short


def _between_headings(text: str, written: int) -> tuple[int, int] | None:
    """Return the entries between the first of a level and its last known heading."""
    sections = [*split_sections(text[:_FAR])][:-1]
    for level in range(1, _DEEPEST + 1):
        mark = "\n" + "#" * level + " "
        beside = [section for section in sections if section.level == level]
        timed = [s.start for s in beside if heading_time(s.title) is not None]
        behind = (timed[_TIMED - 1] if len(timed) >= _TIMED else len(text), _HEAD)
        begin = next((s.start for s in beside if s.start > max(behind)), None)
        if begin is None:
            continue
        end = _last_written(mark, text, begin, written) + 1
        above = ("\n" + "#" * one + " " for one in range(1, level))
        if any(_is_written(one, text, beside[0].start, end) for one in above):
            return None
        is_short = 0 < text.find("\n", end) - end < _LONGEST
        return (begin, end) if end > begin and is_short else None
    return None


def _last_written(mark: str, text: str, begin: int, end: int) -> int:
    """Return where a mark stands last between two places, outside of code fences."""
    fences, seen = text.startswith("```") + text.count("\n```", 0, end), end
    while (end := text.rfind(mark, begin, end)) >= 0:
        fences -= text.count("\n```", end, seen)
        if not fences % 2:
            break
        seen = end
    return end


def _is_written(mark: str, text: str, begin: int, end: int) -> bool:
    """Return whether a mark stands between two places, outside of code fences.

    Behind an even number of fences none is open: see `_is_plain`.
    """
    seen, fences = 0, int(text.startswith("```"))
    while (begin := text.find(mark, begin, end)) >= 0:
        fences += text.count("\n```", seen, begin)
        if not fences % 2:
            return True
        seen = begin = begin + 1
    return False


def _of_a_list(text: str, written: int) -> tuple[int, int]:
    """Return the items with a time between the first and the last of a list."""
    begin, end = text.find("\n", _HEAD) + 1, written
    for _ in range(_ITEMS):
        end = text.rfind("\n", 0, end - 1) + 1
    if not _LIST_OF_TIMES.fullmatch(text, begin, end):
        return 0, 0
    ends = (found.end() for found in _ANNOUNCING.finditer(text, begin, end))
    leads = (text[text.rfind("\n", 0, at - 1) + 1 : at] for at in ends)
    blocks = blocks_of("".join(leads))
    is_rule = any(kind_of_label(block.label) == "directive" for block in blocks)
    return (0, 0) if is_rule else (begin, end)


def _is_plain(text: str, begin: int, end: int) -> bool:
    """Return whether nothing hides lines, or makes headings of others, up to the end.

    Code fences hide lines only between two places where none is open.
    """
    if "<" in text and (text.find("<!--", 0, end) >= 0 or MARKER in text):
        return False
    if "~" in text and text.find("~~~", 0, end) >= 0:
        return False
    if _ODD_HEADING.search(text, 0, end) or _QUOTED_HEADING.search(text, 0, end):
        return False
    if "`" not in text:
        return True
    # A match begins at the newline before its line.
    rests = [
        _FENCE.findall("\n" + text[:begin]),
        _FENCE.findall(text, begin - 1, end),
    ]
    counts = text.count("```", 0, begin), text.count("```", begin, end)
    return all(
        len(some) == count and not count % 2 and not any(map(str.strip, some[1::2]))
        for some, count in zip(rests, counts, strict=True)
    )
