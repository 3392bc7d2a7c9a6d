"""Decisions, directives and open items of a text: declared by its form, or suggested.

Declared is what stands behind or below a label of its kind, in a box, in a column of a
table. What the model alone finds in a sentence is suggested, with its confidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from memoryhub.prose.closing import is_reported, named
from memoryhub.prose.labels import (
    LabelKind,
    is_bidding,
    is_column,
    is_shown,
    kind_of_label,
    left_by,
    says_nothing,
    state_of,
)
from memoryhub.prose.model import KINDS, Judge, Kind, cuts_of, phrases_in, why
from memoryhub.prose.units import Block, bare, blocks_of, heads_of, parts_of, units_of
from memoryhub.values.lines import Lines

DONE_BOXES = frozenset("xX✅✔☑✓❌-")
OPEN_SIGNS = frozenset("⏳⌛🔲⬜☐🔜❓🚧🔄")
_DONE_SIGNS = frozenset("✅✔☑✓")
_STRUCK = re.compile(r"\A[*_]{0,2}~~(.+?)~~.*", re.DOTALL)
_DONE_TAIL = re.compile(
    r"(?:\s[-–—]+\s|→|->|=>|[:：,，;；(（\[]|\*\*)\s*[*_]*([^-–—→:：,，;；()（）\[\]]{1,40})[)）\]*_.!。]*\Z"
)
_ARROW_TAIL = re.compile(r"(?:→|[-=]>)[^→>]*\Z")
_TEMPLATE = re.compile(
    r"\{\{|\$\{|\}\}|\A[\[<(（{][^\]>)）}]{0,80}[\])）>}][ .]*\Z|\A[.…_?]+\Z"
    # The mark at its end is taken for one of a quote.
    r"|\A<[^<>]{1,80}\Z"
)
_MEASURE = re.compile(r"[~≈<>≤≥+±\-–—$€£¥\s]*\d[\d.,:/%h–-]*\s*\S{0,8}[\s.]*\Z")
_PARTS = re.compile(r"[;；]\s*|\s/\s")
_DAY_TAIL = re.compile(r"\s*[(（\[]\d{4}-\d\d-\d\d[^)）\]]{0,20}[)）\]][\s.]*\Z")
_QUOTE = re.compile(
    r"\A(?:[^\"“„«「]{0,40}[:：]\s*)?[\"“„«「]([^\"”“»」]{4,})[\"”“»」][\s.]*\Z"
)
_QUESTION = ("?", "？")
_COLON = (":", "：")
_CLAUSE_END = re.compile(r"[,，;；(（。]|\s[–—-]\s")
_LEAST_LETTERS, _SHORT = 4, 24
#: An item is compared with so many reports that hold one of so many of its words.
_NEAR, _RARE_WORDS = 20, 4
#: Below the first a label makes nothing; declared above the others is what one word
#: stands before, and a decision with a day.
FLOOR, _WRITTEN, _DATED = 0.2, 0.15, 0.4
#: Cut of phrases: "from now on" behind a person's name, "moved away from".
_SPOKEN = 0.35


class StatedDecision(NamedTuple):
    """A decision, the label it was filed under, and the reason that is stated.

    `confidence` is 1 where the form of the text declares it, else the model's; `why`
    are the words that weighed most.
    """

    text: str
    label: str
    lines: Lines
    reason: str = ""
    confidence: float = 1.0
    why: str = ""


class StatedDirective(NamedTuple):
    """A person's directive, in the words of the file."""

    text: str
    lines: Lines
    confidence: float = 1.0
    why: str = ""


class OpenItem(NamedTuple):
    """An open item; `mark` is the character in its checkbox, empty without one.

    `agent`: to whom it is assigned, empty if it is whose file it is in.
    """

    text: str
    done: bool
    mark: str
    lines: Lines
    agent: str = ""
    confidence: float = 1.0
    why: str = ""


#: Lines that report work as done, with their text.
Reports: TypeAlias = tuple[tuple[int, str], ...]


class Stated(NamedTuple):
    """The statements of a text by kind, each in file order."""

    decisions: tuple[StatedDecision, ...] = ()
    directives: tuple[StatedDirective, ...] = ()
    open_items: tuple[OpenItem, ...] = ()


def find_stated(
    text: str,
    skipped: frozenset[int] = frozenset(),
    *,
    asked: Collection[Kind] = KINDS,
    line: int = 0,
) -> Stated:
    """Return the statements of a text outside of fences and of skipped lines.

    `asked`: the kinds that the model may suggest; `line`: the number of lines before.
    """
    found, reports, _ = read_since(text, 0, skipped, asked=asked, line=line)
    return found._replace(open_items=(*still_open(found.open_items, reports),))


def read_since(
    text: str,
    known: int,
    skipped: frozenset[int] = frozenset(),
    *,
    asked: Collection[Kind] = KINDS,
    line: int = 0,
) -> tuple[Stated, Reports, int]:
    """Return statements, reports of done work, and the line from which they are read.

    The first `known` characters are as in the version before: parts that end in them
    state what they did, and so do the items of a list that goes on. `still_open` says
    which of the open items are closed.
    """
    decisions: dict[str, StatedDecision] = {}
    directives: list[StatedDirective] = []
    open_items: list[OpenItem] = []
    reports: list[tuple[int, str]] = []
    above: tuple[tuple[int, str], ...] = ()
    since, end = 1, 0
    written = text.rfind("\n", 0, known) + 1
    for part in parts_of(text):
        begin, end = end, end + len(part)
        is_known, is_quoting = end < written, ">" in part and "#" in part.lstrip("#")
        # Of what is known only the headings count.
        read = part.partition("\n")[0] if is_known and not is_quoting else part
        blocks = blocks_of(read, skipped, above, line)
        above = heads_of(blocks, above)
        if not is_known:
            seen = line + text.count("\n", begin, written)
            reader = Reader(blocks, asked, _first_changed(blocks, seen))
            stated = reader.read()
            since = blocks[reader.first].first if reader.first else since
            for decision in stated.decisions:
                decisions.setdefault(decision.text, decision)
            directives += stated.directives
            open_items += stated.open_items
            new = filter(reports_done, blocks[reader.first :])
            reports += ((block.first, block.text) for block in new)
        line += part.count("\n")
        since = line + 1 if is_known else since
    stated = Stated((*decisions.values(),), (*directives,), (*open_items,))
    return stated, (*reports,), since


def _first_changed(blocks: Sequence[Block], known: int) -> int:
    """Return the first block that lines behind the known ones may change.

    That is the last but one known item of a list that ends the text, else the first.
    """
    for n in range(len(blocks) - 2, 0, -1):
        before, one, behind = blocks[n - 1 : n + 2]
        if not before.heads == one.heads == behind.heads:
            break
        is_list = before.kind == one.kind == "item" and not one.depth
        if is_list and behind.first <= known:
            return n
    return 0


class Reader:
    """Reads the blocks of one text from `first` on; from its rule, if it is of one."""

    def __init__(
        self, blocks: Sequence[Block], asked: Collection[Kind], first: int = 0
    ) -> None:
        self.blocks, self.asked, self.first = blocks, asked, first
        read = blocks[max(0, first - 1) :]
        self.units = [u for b in read if b.kind != "head" for u in units_of(b)]
        self.places = defaultdict[int, list[int]](list)
        for place, unit in enumerate(self.units):
            self.places[id(unit.block)].append(place)
        #: Headings with a list below them: their paragraphs are remarks.
        self.listed = {b.heads for b in blocks if b.kind in ("item", "row") and b.heads}
        self.decisions: list[StatedDecision] = []
        self.directives: list[StatedDirective] = []
        self.open_items: list[OpenItem] = []
        self._judge = cache(Judge(self.units).of)

    def read(self) -> Stated:
        lead, taken = Block("para", 0, 0, ""), 0
        for number, block in enumerate(self.blocks):
            if number < taken:
                continue
            leads = block.text.endswith(_COLON) and bare(block.text)[:-1] != block.label
            if leads and kind_of_label(block.label) == "directive":
                # The list right below says what the rule is.
                behind = self.blocks[number + 1 :]
                items = [*takewhile(lambda one: one.kind == "item", behind)]
                text = "; ".join(bare(one.whole) for one in items)
                lines = Lines(block.first, (items or [block])[-1].last)
                said = StatedDirective(f"{bare(block.text)} {text}".strip(), lines)
                taken = number + 1 + len(items)
                if taken > self.first:
                    self.first = min(self.first, number)
                    self.directives += [said] if items else []
                continue
            if block.kind != "item" or block.first > lead.last + 1:
                lead = block
            elif kind_of_label(lead.label) == "done" and lead.kind == "para":
                lead.last = block.last
                continue
            if number < self.first:
                continue
            kind, texts = self.declared(block)
            sure, reason, at = 1.0, "", Lines(block.first, block.last)
            if kind in KINDS and (doubt := doubt_below(block, kind)):
                sure, reason = self.doubt(self.places[id(block)], kind, doubt)
                if not sure or (sure < 1 and kind not in self.asked):
                    kind = ""
            if kind == "":
                self._suggest(block)
            elif kind == "decision":
                self._decide(number, block, texts, sure, reason)
            elif kind == "directive":
                self.directives += (StatedDirective(t, at, sure, reason) for t in texts)
            elif kind in ("open", "ticked"):
                done, mark = kind == "ticked", block.box or ""
                self.open_items += (
                    OpenItem(t, done, mark, at, "", sure, reason) for t in texts
                )
        blocks = filter(_is_shown, self.blocks if self.directives else ())
        shown = {n for block in blocks for n in range(block.first, block.last + 1)}
        rules = (one for one in self.directives if shown.isdisjoint(one.lines))
        return Stated((*self.decisions,), (*rules,), (*self.open_items,))

    def declared(self, block: Block) -> tuple[str, list[str]]:
        """Return the kind that the form of a block declares, and its texts.

        The kind is empty where only the model may find something, "none" where nothing
        is to be found.
        """
        if block.kind == "head":
            if kind_of_label(block.label) == "decision" and len(block.text.split()) > 2:
                return "decision", [bare(block.text)]
            return "none", []
        if block.kind == "row":
            return _declared_row(block)
        text, whole = block.text.strip(), block.whole.strip()
        if block.box is not None:
            if is_empty(bare(whole)):
                return "none", []
            if block.box in DONE_BOXES:
                return "ticked", [whole]
            # "From draft → done" is what an open box asks for.
            says_done = is_done(whole) and not _ARROW_TAIL.search(whole)
            # Boxes below an option are what would be done.
            is_option = _context(block) == "option"
            is_closed = says_done or is_option or block.mark[:1] in _DONE_SIGNS
            return ("none", []) if is_closed else ("open", [whole])
        own = kind_of_label(block.label)
        if own in ("done", "option", "reason", "none"):
            return "none", []
        if own in ("open", "decision", "directive") and not text.endswith(_COLON):
            # A heading-like line: its list follows.
            if not text or bare(text).casefold() == block.label.casefold():
                return "none", []
            return self._filed(block, own, inline=True)
        if block.mark and block.mark[0] in OPEN_SIGNS and text:
            return ("none", []) if is_empty(bare(text)) else ("open", [whole])
        if text.endswith(_COLON):
            return "none", []
        context = _context(block)
        above = block.parent
        is_headed = above and above.text.rstrip("*_ ").endswith(_COLON)
        is_detail = above and not is_headed and not kind_of_label(above.label)
        if is_detail and context in ("open", "decision"):
            return "none", []
        is_remark = block.kind == "para" and block.heads in self.listed
        if context in KINDS and block.kind != "quote" and not is_remark:
            return self._filed(block, context, inline=False)
        return ("none", []) if context == "done" and is_done(text) else ("", [])

    def _filed(
        self, block: Block, kind: LabelKind, *, inline: bool
    ) -> tuple[str, list[str]]:
        """Return the texts under or behind a label, unless they say nothing."""
        text = block.text if inline else block.whole
        plain = bare(text)
        begin = _CLAUSE_END.split(plain, maxsplit=1)[0]
        if is_empty(plain) or plain.endswith(_COLON) or says_nothing(begin):
            return "none", []
        if kind == "open":
            if is_done(text) or block.mark[:1] in _DONE_SIGNS or _MEASURE.match(plain):
                return "none", []
            parts = [p.strip(" .。") for p in _PARTS.split(text)] if inline else [text]
            is_list = len(parts) > 1 and min(map(len, parts)) >= _LEAST_LETTERS
            found = parts if is_list else [text.strip()]
        elif kind == "decision":
            is_short = len(plain) < _LEAST_LETTERS or plain.endswith(_QUESTION)
            if is_short or is_column(plain, "undecided"):
                return "none", []
            said = bare(_STRUCK.sub(r"superseded: \1", text.strip()))
            found = [_QUOTE.sub(r"\1", _DAY_TAIL.sub("", said))]
        else:
            above = [block.label if inline else "", block.lead, *block.heads[:1]]
            above += [block.parent.label] if block.parent else []
            bid = next((f"{label}: " for label in above if is_bidding(label)), "")
            found = [bid + _QUOTE.sub(r"\1", plain)]
        return kind, found

    def doubt(self, at: Sequence[int], kind: Kind, sure: float) -> tuple[float, str]:
        """Return how sure sentences are of a kind, and why: 1 declared, 0 none."""
        column = KINDS.index(kind)
        found, place = max(((self._judge(p)[column], p) for p in at), default=(1, 0))
        if found >= sure:
            return 1.0, ""
        return (found, why(self.units, place, kind)) if found >= FLOOR else (0.0, "")

    def _suggest(self, block: Block) -> None:
        """Take the sentences of a block that the model finds, above the cuts."""
        for place in self.places.get(id(block), ()):
            unit, judged = self.units[place], self._judge(place, whole=False)
            lines = Lines(unit.line, unit.line)
            for kind, p in zip(KINDS, judged, strict=True):
                cut, said = cuts_of(kind)[0], unit.text
                if p >= _SPOKEN and kind == "decision" and left_by(said):
                    cut, said = _SPOKEN, bare(block.text)
                elif p >= _SPOKEN and kind == "directive" and unit.label:
                    cut = _SPOKEN if "ordered" in dict(phrases_in(said)) else cut
                if kind not in self.asked or p < cut or is_empty(said):
                    continue
                words, is_lead = why(self.units, place, kind), said.endswith(_COLON)
                if kind == "decision" and not is_lead and not said.endswith(_QUESTION):
                    text, cause = _with_reason(said)
                    self.decisions += [StatedDecision(text, "", lines, cause, p, words)]
                elif kind == "directive" and not is_lead:
                    self.directives.append(StatedDirective(said, lines, p, words))
                elif kind == "open" and not is_done(said):
                    self.open_items += [OpenItem(said, False, "", lines, "", p, words)]

    def _decide(
        self, number: int, block: Block, texts: Sequence[str], sure: float, why: str
    ) -> None:
        for text in texts:
            text, reason = _with_reason(text)
            behind = self.blocks[number + 1] if number + 1 < len(self.blocks) else None
            pairs = zip(block.columns, block.cells, strict=False)
            causes = (cell for head, cell in pairs if kind_of_label(head) == "reason")
            reason = reason or next(causes, "")
            if behind and kind_of_label(behind.label) == "reason":
                reason = bare(behind.text)
            said = f"{block.day}: {text}" if block.day else text
            label = block.label or block.lead or next(iter(block.heads), "")
            lines = Lines(block.first, block.last)
            self.decisions += [StatedDecision(said, label, lines, reason, sure, why)]


def still_open(items: Iterable[OpenItem], reports: Reports) -> Iterator[OpenItem]:
    """Drop repeats, and items that a later line of the text reports as done."""
    seen = set[str]()
    with_word: dict[str, list[tuple[int, str]]] = {}
    for report in reports:
        for word in {*named(report[1]).words}:
            with_word.setdefault(word, []).append(report)
    for one in sorted(items, key=lambda item: item.lines):
        if one.done:
            yield one
            continue
        key = "".join(c for c in one.text.casefold() if c.isalnum())
        if key in seen:
            continue
        seen.add(key)
        if one.mark or not with_word:
            yield one
            continue
        work = named(one.text)
        found = sorted((len(with_word.get(w, ())), w) for w in {*work.words})
        rare = [with_word.get(word, ()) for _, word in found[:_RARE_WORDS]]
        if not any(
            is_reported(work, named(text))
            for some in rare
            for line, text in some[-_NEAR:]
            if line > one.lines.last
        ):
            yield one


def doubt_below(block: Block, kind: Kind) -> float:
    """Return below which probability a label's kind is doubted: 0 never.

    Undoubted are boxes, signs, rows, what is struck; hardly a dated decision, or one
    word for it or a rule before a text: in small letters it may be a program's field.
    """
    is_marked = block.box is not None or block.mark[:1] in OPEN_SIGNS
    if is_marked or block.kind in ("row", "head") or block.text.startswith("~~"):
        return 0
    is_word = " " not in block.label and not block.label[:1].islower()
    is_written = is_word and kind_of_label(block.label) == kind != "open"
    is_dated = kind == "decision" and block.day != ""
    return _WRITTEN if is_written else _DATED if is_dated else cuts_of(kind)[1]


def _is_shown(block: Block) -> bool:
    """Return whether a block is an example or attack, which is no rule."""
    own = "" if kind_of_label(block.label) == "directive" else block.label
    parent = block.parent.label if block.parent else ""
    return any(map(is_shown, (*block.heads, block.lead, parent, own)))


def _context(block: Block) -> LabelKind:
    """Return the kind of the nearest label above a block: of its list, its headings."""
    parent = block.parent
    while parent is not None:
        if kind := kind_of_label(parent.label):
            return kind
        parent = parent.parent
    if block.lead and (kind := kind_of_label(block.lead)):
        return kind
    for place, head in enumerate(block.heads[:3]):
        # What a document's title names is in the lists below it, not in all sections.
        is_title = block.levels[place] == 1 and (place or block.kind == "para")
        kind = "" if is_title else kind_of_label(head)
        if kind in ("decision", "directive") and place:
            # What a heading below "Decisions" holds argues for it.
            return "outcome"
        if kind:
            return kind
    return ""


def _declared_row(block: Block) -> tuple[str, list[str]]:
    """Return kind and texts that a table's row declares by its columns and headings."""
    pairs = [*zip(block.columns, block.cells, strict=False)]
    states = [state_of(bare(c)) for h, c in pairs if is_column(h, "state")]
    named = [bare(c) for h, c in pairs if is_column(h, "decision")]
    context = kind_of_label(block.lead) or next(
        (k for k in map(kind_of_label, block.heads) if k), ""
    )
    if named:
        shorts = [bare(c) for _, c in pairs if len(c) <= _SHORT]
        is_moot = any(is_column(cell, "undecided") for cell in shorts)
        if len(named[0]) < _LEAST_LETTERS or is_moot:
            return "none", []
        return ("none", []) if is_empty(named[0]) else ("decision", named[:1])
    signed = [c for h, c in pairs if is_column(h, "state")] or block.cells
    if "open" in states or any(bare(c)[:1] in OPEN_SIGNS for c in signed):
        title = title_of(block.columns, block.cells)
        return ("open", [title]) if title else ("none", [])
    if states:
        return "none", []
    if context == "open" and block.columns:
        title = title_of(block.columns, block.cells)
        ended = any(is_done(c) or state_of(bare(c)) == "done" for c in block.cells)
        is_open = title and not is_empty(title) and not ended
        return ("open", [title]) if is_open else ("none", [])
    if context == "decision" and block.columns:
        chosen = [bare(c) for h, c in pairs if is_column(h, "choice")]
        if chosen and len(chosen[0]) >= _LEAST_LETTERS:
            return "decision", chosen[:1]
    return "", []


def title_of(columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return the cell that names a row: that of its task, else the first with words."""
    pairs = [*zip(columns, cells, strict=False)]
    tasks = [cell for head, cell in pairs if is_column(head, "title")]
    for cell in (*tasks, *cells):
        text = bare(cell)
        is_word = len(re.findall(r"[^\W\d_]", text)) > 1 and not state_of(text)
        if is_word and not re.fullmatch(r"[a-zA-Z]{0,6}[-#.]?\d[\d.]*", text):
            return text
    return ""


def is_empty(text: str) -> bool:
    """Return whether an item reports nothing, or is a placeholder."""
    return says_nothing(text) or _TEMPLATE.search(text) is not None


def is_done(text: str) -> bool:
    """Return whether the words or marks of an item say that it is done."""
    low = text.strip().lstrip("*_ ")
    if low[:1] in _DONE_SIGNS or low[:1] == "❌" or _STRUCK.match(text.strip()):
        return True
    if low.rstrip("\ufe0f*_. ")[-1:] in _DONE_SIGNS:
        return True
    found = _DONE_TAIL.search(low)
    return found is not None and state_of(found[1]) == "done"


def reports_done(block: Block) -> bool:
    """Return whether a block is a report of finished work by its form."""
    if block.box is not None:
        return block.box in DONE_BOXES
    told = is_done(block.text) or block.mark[:1] in _DONE_SIGNS
    return told or "done" in (kind_of_label(block.label), _context(block))


def _with_reason(text: str) -> tuple[str, str]:
    """Return a decision and its reason: behind a label, or behind a word for it."""
    parts = re.split(
        r"(?<=[.;。；,，)）])\s*[(（]?"
        r"(?=[^\s:：.。]{2,16}[ \u00a0]?(?:[:：]| [—–-])\s*\S)",
        text,
    )
    for part in parts[1:]:
        parted = re.sub(r"^([^\s:：]{2,16}) ?(?:[:：]|[—–-])", r"\1\0", part)
        label, _, rest = parted.partition("\0")
        if rest and kind_of_label(label) == "reason":
            return text[: text.index(part)].rstrip(" (（"), rest.strip(" )）")
    return text, reason_in(text)


def decides(text: str) -> bool:
    """Return whether a line of a list of decisions settles something, by its form."""
    plain = bare(text)
    return not (
        is_empty(plain)
        or plain.endswith((*_QUESTION, *_COLON))
        or is_column(plain, "undecided")
        or any(kind == "hedged" for kind, _ in phrases_in(plain))
    )


def reason_in(text: str) -> str:
    """Return the reason in a text: all behind its first "because", "since" or such."""
    low = text.casefold()
    for kind, phrase in phrases_in(text):
        # A word of two letters is a reason in one language, anything in others.
        is_clear = len(phrase) > 2 or not phrase.isascii()
        if kind == "because" and is_clear and (at := low.find(phrase)) > 0:
            return text[at + len(phrase) :].strip(" ,.:)。")
    return ""


def doubts(
    text: str, listed: Iterable[tuple[Lines, bool]], kind: Kind
) -> Iterator[tuple[float, str]]:
    """Yield how sure lines, each with or without a written label, are, and why."""
    reader = Reader(blocks_of(text), ())
    lines = [unit.line for unit in reader.units]
    for (first, last), is_written in listed:
        at = range(bisect_left(lines, first), bisect_right(lines, last))
        is_dated = any(reader.units[place].block.day for place in at)
        sure = _DATED if is_dated else cuts_of(kind)[1]
        yield reader.doubt(at, kind, _WRITTEN if is_written else sure)
