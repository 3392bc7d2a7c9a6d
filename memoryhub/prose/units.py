"""Cut notes into blocks and sentences, each with its place: label, headings, table.

A block is a list item, a paragraph, a row of a table, a quoted line or a heading,
wrapped lines joined. No word of any language is in here, only marks and layout.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal["item", "para", "row", "quote", "head"]

#: Level and title of headings, the outermost first.
Heads = tuple[tuple[int, str], ...]

#: A longer line is data, not prose; a list or table of more blocks is, too.
LONGEST = 2000

_EDGE = re.compile(
    r"^[ \t]*(?:(?:[-*+] +)?(?P<fence>`{3,}|~{3,})|(?P<comment><!--))"
    r"|^(?P<head> {0,3}#{1,6}[ \t])|^(?=[^\n]*-->)",
    re.MULTILINE,
)
_HEAD = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_ITEM = re.compile(r"([ \t]*)(?:([-*+•–→])|(\d{1,3}[.)、]))[ \t]+(.*)$")
_FENCE_SIGNS = frozenset("`~-*+")
_FENCE = re.compile(r"[ \t]*(?:[-*+] +)?(`{3,}|~{3,})")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CELL_END = re.compile(r"(?<!\\)\|")
_BOX = re.compile(
    r"\[([ xX!?~/>\-✅✔☑✓❌⏳⌛🔄🔲⬜🚧❓]?)\ufe0f?\](?:[ \t]+|(?=[^\s(\[:]))"
)
_SIGN = re.compile(r"(?:[✅✔☑✓❌⏳⌛🔄🔲⬜☐🔜🚧❓🟡🟠]\ufe0f?[ \t]*)+")
_TAG = re.compile(r"[*_`]{0,2}\[([^\[\]\n]{2,24})\](?!\()[*_`]{0,2}[ \t:：–—-]*")
_TIME = re.compile(
    r"[*_`(\[]{0,3}~?(?:(?:\d{4}-\d\d-\d\d[T ]?)(?:\d{1,2}[:h]\d\d(?::\d\d)?)?"
    r"|\d{1,2}[:h：]\d\d(?::\d\d)?)(?: ?Uhr| ?[ap]m| ?UTC| ?Z)?[*_`)\]]{0,3}"
    r"[ \t]*[-–—:：·|,]?[ \t]*",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LABEL = re.compile(
    r"[*_`]{0,3}([^:：\n.!?。！？\"“„«「|`]{1,60}?)[*_`]{0,3}[ \u00a0\u202f]?"
    r"[:：][*_]{0,3}(?!//|(?<=\d:)\d)(?:[ \t]+|(?<=[：*_])|(?=[^\x00-\x7f]))(?=\S)"
)
_BOLD = re.compile(r"(?:\*\*|__)([^*_\n]{1,60})(?:\*\*|__)[ \t]*(?:[—–→-]+[ \t]+)")
_LEAD = re.compile(r"([^\n]{1,120}?)[ \t]*[:：][*_`]{0,3}[ \t]*$")
_BOLD_ONLY = re.compile(r"(?:\*\*|__)([^*\n]{1,80}?)[:：]?(?:\*\*|__)[:：]?[ \t]*$")
_END = re.compile(
    r"[.!?…;。！？；](?:(?<=[.!?…;])[\"”’»)*_]{0,3}[ \t]+"
    r"|(?<=[。！？；])[”」』）\"*_]{0,3})(?=\S)"
)
_QUOTED = re.compile(r"[\"“„«「『]([^\"“”„«»「」『』\n]{4,400})[\"“”»」』]")
_MARKS = re.compile(
    r"<!--[^<>]{0,400}-->|\*\*|__(?!init__)|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)
_SIGN_OF_MARKS = re.compile("[<*_~]")
_LETTER, _LETTERS = re.compile(r"[^\W\d_]"), re.compile(r"[^\W\d_][\W\d_]*[^\W\d_]")
_STRIPPED = " \t—–·>"


@dataclass(slots=True)
class Block:
    """A piece of layout, its lines counted from 1.

    `mark` is the sign of a list, or a box as ``[x]``; `label` what stands before a
    colon or in brackets; `heads` the headings above, innermost first; `lead` the line
    that introduces a list; `columns` and `cells` those of a table; `parent` the item
    that holds this one.
    """

    kind: Kind
    first: int
    last: int
    text: str
    mark: str = ""
    box: str | None = None
    depth: int = 0
    label: str = ""
    #: The label as it is written, with its colon and marks.
    written: str = ""
    timed: bool = False
    #: The day that it begins with, as it is written.
    day: str = ""
    heads: tuple[str, ...] = ()
    #: The level of each of `heads`, 7 for a bold line.
    levels: tuple[int, ...] = ()
    lead: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    parent: Block | None = None
    place: int = 0
    bold: bool = False
    #: Offsets in `text` where a wrapped line begins.
    starts: list[int] = field(default_factory=lambda: [0])

    @property
    def whole(self) -> str:
        """The text with its label, as it is written."""
        return self.written + self.text

    def line_at(self, offset: int) -> int:
        return self.first + bisect_right(self.starts, offset) - 1


class Unit(NamedTuple):
    """A sentence of a block, or a row; `before` and `behind` are set around quotes."""

    block: Block
    line: int
    text: str
    label: str
    is_first: bool
    is_last: bool
    quoted: bool
    before: str
    behind: str


def bare(text: str) -> str:
    """Return a text without marks of emphasis and comments, in one line."""
    if _SIGN_OF_MARKS.search(text):
        text = _MARKS.sub("", text)
    return " ".join(text.strip(_STRIPPED).split())


def cells_of(line: str) -> tuple[str, ...]:
    """Return the cells of a row, without the outer bars."""
    row = line[:LONGEST].strip().removeprefix("|").removesuffix("|")
    return tuple(cell.strip() for cell in _CELL_END.split(row))


def is_rule(line: str) -> bool:
    """Return whether a line is the rule below a table's labels."""
    return "-" in line and "|" in line and _RULE.fullmatch(line) is not None


def parts_of(text: str) -> Iterator[str]:
    """Yield the parts of a text that begin at its headings, of which fences have none.

    The blocks of the text are those of its parts, if each knows the headings before it.
    """
    lines = text.split("\n", 200)
    matter = sum(len(line) + 1 for line in lines[: _end_of_matter(lines)])
    begin, fence, comment = 0, "", False
    for found in _EDGE.finditer(text, matter):
        end = text.find("\n", found.end())
        line = text[found.start() : end if end >= 0 else len(text)]
        if found["fence"] and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else found["fence"]
        elif comment or found["comment"]:
            comment = "-->" not in line
        elif found["head"] and not fence and len(line.rstrip()) <= LONGEST:
            if found.start() > begin:
                yield text[begin : found.start()]
            begin = found.start()
    yield text[begin:]


def blocks_of(
    text: str, skipped: frozenset[int] = frozenset(), above: Heads = (), line: int = 0
) -> list[Block]:
    """Return the blocks outside front matter, fences, comments and skipped lines.

    `above`: level and title of the headings that the text stands below; `line`: the
    number of lines before it.
    """
    found: list[Block] = []
    heads = [*above]
    open_items: list[Block] = []
    lead, place = "", 0
    columns: tuple[str, ...] = ()
    path = tuple(title for _, title in reversed(heads))
    levels = tuple(level for level, _ in reversed(heads))
    lines = text.split("\n")
    for block in _cut(lines, skipped, line):
        alone = _BOLD_ONLY.match(block.text) if block.kind == "para" else None
        if alone or block.kind == "head":
            if not alone:
                block.text = bare(block.text)
                read_marks(block)
                found.append(block)
            # A bold line alone heads what follows, below all real headings.
            level, title = (7, bare(alone[1])) if alone else (block.depth, block.text)
            heads = [one for one in heads if one[0] < level]
            block.heads = tuple(one for _, one in reversed(heads))
            block.levels = tuple(one for one, _ in reversed(heads))
            heads.append((level, title))
            path, levels = (title, *block.heads), (level, *block.levels)
            lead, place, columns, open_items = "", 0, (), []
            continue
        place += 1
        block.heads, block.levels, block.place = path, levels, place
        if block.kind == "row":
            block.cells = cells_of(block.text)
            last = block.last - line
            below = lines[last] if last < len(lines) else ""
            if is_rule(below.rstrip("\r")):
                columns = block.cells
            elif not is_rule(block.text):
                block.columns, block.lead = columns, lead
                found.append(block)
            continue
        columns = ()
        if block.kind == "item":
            open_items = [one for one in open_items if one.depth < block.depth]
            block.parent = open_items[-1] if open_items else None
            open_items.append(block)
            block.lead = lead
        else:
            open_items = []
        read_marks(block)
        if (head := _LEAD.match(block.text)) and not block.label:
            title = bare(head[1])
            if block.kind == "item":
                block.label = title
            else:
                lead = title
                if len(title) <= 60:
                    block.label = title
        elif block.kind != "item":
            lead = ""
        found.append(block)
    return found


def heads_of(blocks: Sequence[Block], above: Heads) -> Heads:
    """Return the headings that a text stands below behind these blocks."""
    if not blocks:
        return above
    last = blocks[-1]
    heads = (*zip(reversed(last.levels), reversed(last.heads), strict=True),)
    return (*heads, (last.depth, last.text)) if last.kind == "head" else heads


def _cut(lines: Sequence[str], skipped: frozenset[int], line0: int) -> Iterator[Block]:
    fence, comment, block = "", False, None
    matter = _end_of_matter(lines)
    for number, line in enumerate(map(str.rstrip, lines[matter:]), line0 + matter + 1):
        shown = line.lstrip()
        mark = _FENCE.match(line) if shown[:1] in _FENCE_SIGNS else None
        if mark and (not fence or shown.startswith(fence)):
            fence = "" if fence else mark[1]
            shown = ""
        elif comment or shown.startswith("<!--"):
            comment = "-->" not in line
            shown = ""
        if not shown or fence or number in skipped or len(line) > LONGEST:
            if block:
                yield block
            block = None
            continue
        quote = shown[0] == ">"
        body = line.lstrip("> \t") if quote else line
        head = _HEAD.match(body) if "#" in body else None
        item = None if shown[0].isalpha() else _ITEM.match(body)
        before = lines[number - line0 - 2]
        is_row, is_text = body.lstrip().startswith("|"), not (head or item or quote)
        if block and is_text and not is_row and _wraps(before, body, block):
            block.starts.append(len(block.text) + 1)
            block.text += " " + body.strip()
            block.last = number
            continue
        if block:
            yield block
        block = None
        if head:
            yield Block("head", number, number, head[2], head[1], depth=len(head[1]))
        elif is_row:
            yield Block("row", number, number, body.strip(), "|")
        elif item and not quote:
            depth = len(item[1].expandtabs())
            block = Block("item", number, number, item[4], item[2] or "1.", depth=depth)
        else:
            block = Block("quote" if quote else "para", number, number, body.strip())
    if block:
        yield block


def _end_of_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of front matter."""
    if lines[0].strip() != "---":
        return 0
    rest = enumerate(lines[1:200], 2)
    return next((number for number, line in rest if line.strip() == "---"), 0)


def _wraps(before: str, body: str, block: Block) -> bool:
    """Return whether a line continues the block above it."""
    if block.kind == "quote" or len(block.text) > 10 * LONGEST:
        return False
    if block.kind == "item" and body[:1] in " \t":
        return True
    label = _LABEL.match(body.strip())
    if (
        (body[:1] == "[" and _DAY.match(body, 1))
        or _BOLD_ONLY.match(before)
        or _LEAD.match(before)
        or (label and label[1].count(" ") < 2)
    ):
        return False
    last, begins_small = before.rstrip()[-1:], body.lstrip()[:1].islower()
    if last in ".!?。！？:：":
        return begins_small and last == "."
    return begins_small or 62 <= len(before.rstrip()) <= 130 or not before.isascii()


def read_marks(block: Block) -> None:
    """Move box, time, tag and label from the text of a block to its fields."""
    text, at = block.text, 0
    if found := _BOX.match(text):
        at, block.box = found.end(), found[1] or " "
    if found := _TIME.match(text, at):
        at, block.timed = found.end(), True
        day = _DAY.search(found[0])
        block.day = day[0] if day else ""
    if found := _SIGN.match(text, at):
        block.mark, at = found[0].strip(), found.end()
    if found := _TAG.match(text, at):
        block.label, at = f"[{found[1]}]", found.end()
    label = _LABEL.match(text, at) or _BOLD.match(text, at)
    if label and _LETTER.search(label[1]):
        block.label = (block.label + " " + bare(label[1])).strip()
        block.written, at = text[at : label.end()], label.end()
    block.bold = text.lstrip().startswith("**")
    block.starts = [start - at for start in block.starts]
    block.text = text[at:]


def units_of(block: Block) -> Iterator[Unit]:
    """Yield the sentences of a block; a quote of several words is one of its own."""
    text, spans, at = block.text, [], 0
    for quote in _QUOTED.finditer(text) if block.kind != "row" else ():
        words = len(quote[1].split())
        if words >= 3 or (words < 3 and not quote[1].isascii() and len(quote[1]) >= 6):
            spans += [(at, quote.start(), False), (quote.start(1), quote.end(1), True)]
            at = quote.end()
    parts = []
    for start, end, quoted in [*spans, (at, len(text), False)]:
        ends = () if quoted else _END.finditer(text, start, end)
        for stop in [*(found.end() for found in ends), end]:
            if _LETTERS.search(text, start, stop):
                parts.append((start, stop, quoted))
            start = stop
    for number, (start, stop, quoted) in enumerate(parts):
        label, part = block.label, text[start:stop]
        if number and (found := _LABEL.match(part)) and len(found[1]) <= 24:
            label, part = bare(found[1]), part[found.end() :]
        yield Unit(
            block,
            block.line_at(start),
            bare(part),
            label,
            number == 0,
            number == len(parts) - 1,
            quoted,
            bare(text[max(0, start - 40) : max(0, start - 1)]) if quoted else "",
            bare(text[stop + 1 : stop + 31]) if quoted else "",
        )
