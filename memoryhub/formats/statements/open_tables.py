"""Open rows of tables: one cell marks the row as open, waiting or not begun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoryhub.formats.base import FormatError, Lines
from memoryhub.formats.statements.lists import Listed
from memoryhub.formats.statements.tables import (
    CELL_END,
    STATE_HEADS,
    cells_of,
    is_rule,
    title_of,
)
from memoryhub.formats.text.labels import normalise_label
from memoryhub.formats.text.open_phrases import says_open

#: A sign before the word of a state: a coloured dot.
_ORNAMENT = re.compile(r"\A[^\w\s\[]{1,3}\s+")
#: A longer table is data.
_MOST_ROWS = 300
#: A state of more words tells why.
_BARE_STATE = 3
_SIGNS = "⏳⌛🔲⬜☐🔜🔄🚧❓🟡🟠"
_OPEN = re.compile(
    r"(?:(?:still|noch|immer noch|ainda|aún|todavía|encore|ancora|nog|ещ[её]|пока) )?"
    r"(?:open|pending|to-?do|to do|in progress|in review|wip|not (?:yet )?(?:started"
    r"|done|begun)|planned|(?:waiting|awaiting|blocked)(?:[: ].{1,60})?|offen|in arbeit"
    r"|in bearbeitung|ausstehend|wartet(?: .{1,40})?|geplant|blockiert|nicht begonnen"
    r"|pendientes?|en curso|en proceso|en progreso|bloquead[oa]|por hacer|sin empezar"
    r"|pendentes?|em andamento|em curso|a fazer|por fazer|aguarda(?:ndo)?(?: .{1,40})?"
    r"|(?:em )?abert[oa]|abiert[oa]|à faire|en cours|en attente(?: .{1,40})?|bloquée?"
    r"|ouverte?|da fare"
    r"|in corso|in attesa(?: .{1,40})?|in sospeso|aperto|bezig|te doen"
    r"|wacht(?: .{1,40})?|открыт[оа]?|в работе|в процессе|ожида\w+(?: .{1,40})?"
    r"|жд[её]м(?: .{1,40})?|не (?:начат\w*|сделано|готово|решено)"
    r"|待[办辦定处處跟确確审審].{0,6}|进行中|進行中|未(?:开始|完成|解决|着手|対応|完了"
    r"|定|決)"
    r"|等待?.{0,10}|阻塞|対応中|作業中|保留|確認中|.{0,8}待ち|대기(?: ?중)?|진행 ?중"
    r"|미(?:완료|정|결|해결)|예정|보류|do zrobienia|w toku|oczekuje|bekliyor"
    r"|devam ediyor|yapılacak|\[ \])"
)


def open_rows(lines: Sequence[str], rules: Iterable[int]) -> Iterator[Listed]:
    """Yield the open rows of tables, by the lines of their rules: title and line."""
    for rule in rules:
        if rule > 1 and "|" in lines[rule - 2]:
            yield from _rows(lines, rule)


def _rows(lines: Sequence[str], rule: int) -> Iterator[Listed]:
    heads = [normalise_label(cell) for cell in cells_of(lines[rule - 2])]
    for number in range(rule + 1, min(len(lines), rule - 1 + _MOST_ROWS) + 1):
        line = lines[number - 1]
        if "|" not in line or is_rule(line):
            return
        title = _open_title(heads, cells_of(line))
        if title:
            yield Listed(title, "", Lines(number, number))


def _open_title(heads: Sequence[str], cells: Sequence[str]) -> str:
    """Return the title of an open row; empty for other rows."""
    states = [place for place, head in enumerate(heads) if head in STATE_HEADS]
    columns = states or range(len(cells))
    may_say = bool(states)
    state = next(
        (p for p in columns if p < len(cells) and _is_open(cells[p], may_say)), None
    )
    if state is None:
        return ""
    title, said = title_of(heads, cells, but=state), cells[state]
    return f"{title}: {said}" if title and _says_more(said) else title


def _says_more(state: str) -> bool:
    """Return whether a state names the reason for waiting."""
    return len(state.split()) > _BARE_STATE


def _is_open(cell: str, may_say: bool) -> bool:
    """Return whether a cell is a word or sign for open; `may_say`: or a sentence."""
    bare = cell.strip("*_` .").lower()
    word = _ORNAMENT.sub("", bare, count=1)
    return bool(bare) and (
        bare[0] in _SIGNS
        or _OPEN.fullmatch(word) is not None
        or (may_say and "," not in bare and says_open(bare, loose=False) is not None)
    )


def closed_row(line: str, head: str, reason: str = "") -> str:
    """Return a row of a table with its open cell done; all other cells stay.

    `head` is the table's line of labels.

    Raises:
        FormatError: ``item-in-table``, no cell of the row says that it is open.
    """
    ends = [found.start() for found in CELL_END.finditer(line)]
    begins = [0, *(end + 1 for end in ends)]
    spans = [*zip(begins, [*ends, len(line)], strict=True)]
    heads = [normalise_label(cell.strip()) for cell in CELL_END.split(head)]
    states = [place for place, name in enumerate(heads) if name in STATE_HEADS]
    for place in states or range(len(spans)):
        cell = line[slice(*spans[place])].strip() if place < len(spans) else ""
        if _is_open(cell, bool(states)):
            first = spans[place][0] + line[slice(*spans[place])].index(cell)
            return line[:first] + _done(cell, reason) + line[first + len(cell) :]
    raise FormatError("item-in-table")


def head_above(lines: Sequence[str], row: int) -> str:
    """Return the labels of the table that has a row, counted from 0; "" without."""
    for place in range(row - 1, max(0, row - _MOST_ROWS), -1):
        if "|" not in lines[place]:
            return ""
        if is_rule(lines[place]):
            return lines[place - 1]
    return ""


def _done(cell: str, reason: str) -> str:
    if cell == "[ ]":
        return "[x]"
    mark = "✅" if cell[:1] in _SIGNS else "done"
    why = " ".join(reason.replace("|", "/").split())
    return f"{mark} (closed: {why})" if why else mark
