"""Block structure as CommonMark and GitHub read it, one line at a time.

Python-Markdown's own block parser misses lists right under a paragraph and lists
nested by two spaces, which agents write all the time. This one walks each line
down the open containers, as the CommonMark specification describes, so its cost
grows with the length of the text. Raw HTML is text here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Quotes and lists inside each other; deeper markers are shown as text.
MAX_DEPTH = 40

#: What may stand before the text of a line; only tabs in here mean columns.
_LEAD = re.compile(r"[ \t>*+\-0-9.)]*")
_INDENT = re.compile(r" *")
_QUOTE = re.compile(r" {0,3}> ?")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*$")
_MARKER = re.compile(r"( {0,3})([-*+]|(\d{1,9})([.)]))( +|$)")
_DELIMITER_ROW = re.compile(
    r" {0,3}(?=[|:-][|:-]|[|:] )"
    r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$"
)
_CELL_END = re.compile(r"(?<!\\)\|")
_DEFINITION = re.compile(
    r" {0,3}\[((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t]*"
    r"(?:<([^<>]*)>|(\S+))[ \t]*(?:\"[^\"]*\"|'[^']*'|\([^()]*\))?[ \t]*$"
)

CONTAINERS = frozenset({"document", "quote", "list", "item"})


@dataclass(slots=True, eq=False)
class Block:
    """One block while it is built: a container of blocks, or a leaf of lines.

    `mark` is the fence or the kind of list; `info` what follows a fence, or the
    alignments of a table; `indent` the columns an item or a fence takes off its
    lines; `number` the level of a heading or the first number of a list.
    """

    kind: str
    mark: str = ""
    info: str = ""
    indent: int = 0
    number: int = 0
    lines: list[str] = field(default_factory=list)
    children: list[Block] = field(default_factory=list)
    ends_blank: bool = False
    tight: bool = True

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def parse_blocks(text: str) -> tuple[Block, dict[str, str]]:
    """Return the document block of a text, and its link definitions by label."""
    reader = _Reader()
    for line in text.split("\n"):
        reader.read(_with_columns(line))
    reader.close_to(1)
    return reader.document, reader.definitions


def split_cells(row: str) -> list[str]:
    r"""Return the cells of a table row; ``\|`` is a bar inside one."""
    inner = row.strip().removeprefix("|")
    cells = _CELL_END.split(inner)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return [cell.strip().replace("\\|", "|") for cell in cells]


def normal_label(label: str) -> str:
    """Return a link label in the form in which labels are compared."""
    return " ".join(label.casefold().split())


def _with_columns(line: str) -> str:
    line = line.rstrip("\r")
    if "\t" not in line:
        return line
    lead = _LEAD.match(line)
    end = lead.end() if lead else 0
    return line[:end].expandtabs(4) + line[end:]


def _width(line: str) -> int:
    found = _INDENT.match(line)
    return found.end() if found else 0


class _Reader:
    """The open blocks, outermost first, and what each line does to them.

    `depth` is how many open blocks a line goes on with; `rest` is what they left
    of it, None when nothing is to be read any more.
    """

    def __init__(self) -> None:
        self.document = Block("document")
        self.open = [self.document]
        self.definitions: dict[str, str] = {}
        self.depth = 0
        self.rest: str | None = ""

    @property
    def tip(self) -> Block:
        return self.open[-1]

    @property
    def leaf(self) -> Block | None:
        """The open leaf, if this line reaches it through all its containers."""
        last = self.depth == len(self.open) - 1
        return self.tip if last and self.tip.kind not in CONTAINERS else None

    def read(self, line: str) -> None:
        self._match(line)
        if self.leaf and self.leaf.kind == "fence":
            self._read_fenced(self.leaf)
        elif self.leaf and self.leaf.kind == "indented" and self._is_indented():
            self._read_indented(self.leaf)
        else:
            self._read_blocks()

    def _match(self, line: str) -> None:
        """Go down the open containers as far as the line goes on with them."""
        self.depth, self.rest = len(self.open), line
        for depth, block in enumerate(self.open):
            rest = _continued(block, self.rest)
            if rest is None:
                self.depth = depth
                return
            self.rest = rest

    def _read_fenced(self, leaf: Block) -> None:
        line = self.rest or ""
        found = _FENCE.match(line)
        if found and _closes(leaf.mark, found[1], found[2]):
            self.close_to(self.depth)
        else:
            leaf.lines.append(line[min(_width(line), leaf.indent) :])

    def _is_indented(self) -> bool:
        line = self.rest or ""
        return not line.strip() or _width(line) >= 4

    def _read_indented(self, leaf: Block) -> None:
        line = self.rest or ""
        leaf.lines.append(line[4:])
        self._mark(len(self.open), blank=not line.strip())

    def _read_blocks(self) -> None:
        started = False
        while self.rest and self.depth < MAX_DEPTH and self._start_block(self.rest):
            started = True
            self.depth = len(self.open)
        if self.rest is None:
            self._mark(len(self.open), blank=False)
        elif not self.rest.strip():
            self._read_blank()
        elif self.tip.kind == "paragraph" and not started:
            self._read_text(self.tip, self.rest.lstrip(" \t"))
        elif self.leaf and self.leaf.kind == "table":
            self._read_text(self.leaf, self.rest)
        else:
            self._add(Block("paragraph", lines=[self.rest.lstrip(" \t")]))
            self._mark(len(self.open), blank=False)

    def _start_block(self, line: str) -> bool:
        """Open the block that starts here, if one does, and set `rest`."""
        indent = _width(line)
        if indent == len(line):
            return False
        if indent >= 4:
            return self._start_indented(line)
        return any(start(self, line) for start in _STARTS.get(line[indent], ()))

    def _start_indented(self, line: str) -> bool:
        if self.tip.kind == "paragraph":
            return False
        self._add(Block("indented", lines=[line[4:]]))
        self.rest = None
        return True

    def start_quote(self, line: str) -> bool:
        found = _QUOTE.match(line)
        if not found:
            return False
        self._add(Block("quote"))
        self.rest = line[found.end() :]
        return True

    def start_heading(self, line: str) -> bool:
        found = _HEADING.match(line)
        if not found:
            return False
        title = _without_closing_marks(line[found.end() :])
        self._add_closed(Block("heading", number=len(found[1]), lines=[title]))
        return True

    def start_fence(self, line: str) -> bool:
        found = _FENCE.match(line)
        if not found or (found[1][0] == "`" and "`" in found[2]):
            return False
        info = found[2].strip()
        self._add(Block("fence", mark=found[1], indent=_width(line), info=info))
        self.rest = None
        return True

    def start_rule(self, line: str) -> bool:
        if not _RULE.match(line):
            return False
        self._add_closed(Block("rule"))
        return True

    def start_item(self, line: str) -> bool:
        found = _MARKER.match(line)
        text = line[found.end() :] if found else ""
        if not found or not self._may_start_item(text, found[3]):
            return False
        spaces = len(found[5])
        if not text.strip():
            text, spaces = "", 1
        elif spaces > 4:
            text, spaces = " " * (spaces - 1) + text, 1
        self._open_list(found[4] or found[2], int(found[3] or 0))
        self._add(Block("item", indent=len(found[1]) + len(found[2]) + spaces))
        self.rest = text
        return True

    def _may_start_item(self, text: str, number: str | None) -> bool:
        """Tell whether an item may stand here: few may interrupt a paragraph."""
        if not self.leaf or self.leaf.kind != "paragraph":
            return True
        return bool(text.strip()) and number in (None, "1")

    def _open_list(self, mark: str, number: int) -> None:
        last = self.open[self.depth - 1]
        if last.kind != "list" or last.mark != mark:
            self._add(Block("list", mark=mark, number=number))
            self.depth = len(self.open)

    def start_underline(self, line: str) -> bool:
        leaf = self.leaf
        if not leaf or leaf.kind != "paragraph" or not _UNDERLINE.match(line):
            return False
        self._take_definitions(leaf)
        if not leaf.lines:
            return False
        leaf.kind, leaf.number = "heading", 1
        self.close_to(self.depth)
        self.rest = None
        return True

    def start_table(self, line: str) -> bool:
        leaf = self.leaf
        if not leaf or leaf.kind != "paragraph" or not _DELIMITER_ROW.match(line):
            return False
        header = leaf.lines[-1]
        alignments = [_alignment(cell) for cell in split_cells(line)]
        if "|" not in header or len(split_cells(header)) != len(alignments):
            return False
        leaf.lines.pop()
        if not leaf.lines:
            leaf.kind = "gone"
        self._add(Block("table", info="".join(alignments), lines=[header]))
        self.rest = None
        return True

    def _read_text(self, leaf: Block, line: str) -> None:
        leaf.lines.append(line)
        self._mark(len(self.open), blank=False)

    def _read_blank(self) -> None:
        self.close_to(self.depth)
        container = self.tip
        if container.children:
            container.children[-1].ends_blank = True
        empty_item = container.kind == "item" and not container.children
        self._mark(self.depth, blank=container.kind != "quote" and not empty_item)

    def _mark(self, depth: int, *, blank: bool) -> None:
        for block in self.open[:depth]:
            block.ends_blank = blank

    def _add(self, block: Block) -> None:
        """Open a block below those this line goes on with."""
        self.close_to(self.depth)
        if self.tip.kind == "list" and block.kind != "item":
            self.close_to(len(self.open) - 1)
        self.tip.children.append(block)
        self.open.append(block)

    def _add_closed(self, block: Block) -> None:
        self._add(block)
        self.close_to(len(self.open) - 1)
        self.rest = None

    def close_to(self, depth: int) -> None:
        """Close all but the first `depth` open blocks."""
        while len(self.open) > max(depth, 1):
            self._finish(self.open.pop())

    def _finish(self, block: Block) -> None:
        if block.kind == "list":
            block.tight = not any(_is_spaced(block))
        elif block.kind == "paragraph":
            self._take_definitions(block)
        elif block.kind == "indented":
            while block.lines and not block.lines[-1].strip():
                block.lines.pop()

    def _take_definitions(self, block: Block) -> None:
        taken = 0
        for line in block.lines:
            found = _DEFINITION.match(line)
            if not found:
                break
            target = found[2] if found[2] is not None else found[3]
            self.definitions.setdefault(normal_label(found[1]), target)
            taken += 1
        block.lines = block.lines[taken:]
        if not block.lines:
            block.kind = "gone"


_STARTS = {
    ">": (_Reader.start_quote,),
    "#": (_Reader.start_heading,),
    "`": (_Reader.start_fence,),
    "~": (_Reader.start_fence,),
    "=": (_Reader.start_underline,),
    "_": (_Reader.start_rule,),
    "-": (_Reader.start_table, _Reader.start_rule, _Reader.start_item),
    "*": (_Reader.start_rule, _Reader.start_item),
    "+": (_Reader.start_item,),
    "|": (_Reader.start_table,),
    ":": (_Reader.start_table,),
    **dict.fromkeys("0123456789", (_Reader.start_item,)),
}


def _continued(block: Block, line: str) -> str | None:
    """Return what is left of a line inside a block, or None at its end or leaf."""
    if block.kind == "quote":
        found = _QUOTE.match(line)
        return line[found.end() :] if found else None
    if block.kind != "item":
        return line if block.kind in CONTAINERS else None
    if not line.strip():
        return "" if block.children else None
    return line[block.indent :] if _width(line) >= block.indent else None


def _closes(fence: str, mark: str, rest: str) -> bool:
    return mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip()


def _without_closing_marks(title: str) -> str:
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _alignment(cell: str) -> str:
    left, right = cell.startswith(":"), cell.endswith(":")
    if left and right:
        return "c"
    return "l" if left else "r" if right else "-"


def _is_spaced(block: Block) -> Iterator[bool]:
    """Tell, place by place, whether a blank line stands inside a list."""
    last = len(block.children) - 1
    for place, item in enumerate(block.children):
        yield place < last and _ends_blank(item)
        inner = len(item.children) - 1
        for at, child in enumerate(item.children):
            yield (place < last or at < inner) and _ends_blank(child)


def _ends_blank(block: Block) -> bool:
    while True:
        if block.ends_blank:
            return True
        if block.kind not in {"list", "item"} or not block.children:
            return False
        block = block.children[-1]
