"""Tables of Markdown: their rule, their cells, and the cell that names a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from memoryhub.formats.statements.open_states import is_done
from memoryhub.formats.text.growing import LineSearch
from memoryhub.formats.text.labels import normalise_label
from memoryhub.formats.text.phrases import REASON_LABELS, UNDECIDED
from memoryhub.formats.text.sentences import LONGEST_LINE

_RULE = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r]*+"
)
CELL_END = re.compile(r"(?<!\\)\|")
_STATE_WORDS = (
    "status state stage progress done? stand fortschritt estado situação progresso état"
    " statut stato avanzamento статус состояние 状态 狀態 进度 进展 進捗 状況"
    " ステータス"
    " 상태 진행 stan durum"
)
STATE_HEADS = frozenset(_STATE_WORDS.split())
_TASK_WORDS = (
    "task tasks item what title action todo topic feature issue work question aufgabe"
    " was thema frage punkt tarea tema qué asunto tarefa assunto tâche quoi sujet"
    " attività cosa taak wat задача что вопрос дело 任务 任務 事项 事項 内容 待办"
    " タスク"
    " 項目 作業 작업 항목 업무 zadanie sprawa görev iş konu"
)
_TASK_HEADS = frozenset(_TASK_WORDS.split())
_DECISION_WORDS = (
    "decision decided choice answer rule outcome entscheidung beschluss antwort"
    " decisión acuerdo respuesta decisão acordo resposta décision choix réponse"
    " decisione scelta"
    " решение ответ decyzja ustalenie karar besluit keuze 决定 決定 决策 结论 結論 결정"
)
_DECISION_HEADS = frozenset(_DECISION_WORDS.split())
#: Those of them that name nothing else, under whatever heading the table is.
_NAMED = _DECISION_HEADS - {
    *("choice", "answer", "rule", "outcome", "antwort", "respuesta", "resposta"),
    *("réponse", "ответ"),
}
#: A shorter cell is no decision; a state is no longer than this.
_LEAST, _SHORT = 4, 24
_NO_TITLE = re.compile(r"[a-z]{0,6}[-#.]?\d[\d?.:/-]{0,12}|\[.\]|[\d\W]*")


def is_rule(line: str) -> bool:
    """Return whether a line is the rule below a table's labels."""
    may_be = "|" in line and "-" in line and len(line) <= LONGEST_LINE
    return may_be and _RULE.fullmatch(line) is not None


def _rules_in(lines: str) -> Iterator[int]:
    """Yield the numbers of the lines that are rules of tables."""
    bar, number, counted = lines.find("|"), 1, 0
    while bar >= 0:
        start, end = lines.rfind("\n", 0, bar) + 1, lines.find("\n", bar)
        end = len(lines) if end < 0 else end
        number += lines.count("\n", counted, start)
        if is_rule(lines[start:end]):
            yield number
        bar, counted = lines.find("|", end), start


#: The rules of all tables of a text.
RULES = LineSearch(_rules_in)


def cells_of(line: str) -> list[str]:
    """Return the cells of a row, without the outer bars."""
    bare = line[:LONGEST_LINE].strip().strip("|")
    return [cell.strip() for cell in CELL_END.split(bare)]


def title_of(heads: Sequence[str], cells: Sequence[str], but: int = -1) -> str:
    """Return the cell that names a row: that of its task, else the first with words.

    The column `but` is none.
    """
    tasks = [place for place, head in enumerate(heads) if head in _TASK_HEADS]
    others = [place for place in range(len(cells)) if place != but]
    for place in (*(p for p in tasks if p in others), *others):
        bare = cells[place].strip("*_` ")
        if bare and not _NO_TITLE.fullmatch(bare.lower()):
            return cells[place]
    return ""


def stateless_rows(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield number and name of each row not done, where no column has the states."""
    heads: list[str] = []
    before = ""
    for number, line in lines:
        if "|" not in line:
            heads = []
        elif is_rule(line.rstrip("\n")):
            heads = [normalise_label(cell) for cell in cells_of(before)]
            heads = [] if STATE_HEADS.intersection(heads) else heads
        elif heads:
            cells = cells_of(line)
            title = title_of(heads, cells)
            if title and not any(is_done(f": {cell}") for cell in cells):
                yield number, title
        before = line


def table_lines(
    lines: Sequence[str], rules: Iterable[int], skipped: frozenset[int]
) -> Iterator[tuple[int, str]]:
    """Yield the lines of tables by number, each from the line above its rule.

    The line below a table ends it. Lines that are skipped are passed over.
    """
    read = 0
    for rule in rules:
        if rule in skipped or rule <= read:
            continue
        above = (n for n in range(rule - 1, 0, -1) if n not in skipped)
        yield from ((n, lines[n - 1]) for n in islice(above, 1))
        for read in range(rule, len(lines) + 1):
            if read not in skipped:
                yield read, lines[read - 1]
                if "|" not in lines[read - 1]:
                    break


class Row(NamedTuple):
    """A row of a table: its line, its decision, and the reason if a column has it."""

    number: int
    text: str
    reason: str = ""


def decided_rows(
    lines: Iterable[tuple[int, str]], *, named: bool = False
) -> Iterator[Row]:
    """Yield the decision of each row of the tables below such a label.

    It is in the column that is called so, else the longest cell that asks nothing and
    tells no reason. `named`: only tables that have such a column count.
    """
    heads: list[str] = []
    before = ""
    for number, line in lines:
        if "|" not in line:
            heads = []
        elif is_rule(line.rstrip("\n")):
            heads = [normalise_label(cell) for cell in cells_of(before)]
            heads = [] if named and _NAMED.isdisjoint(heads) else heads
        elif heads:
            cells = cells_of(line)
            if (text := _decided(heads, cells)) and not _is_undecided(cells, text):
                yield Row(number, text, _reason(heads, cells))
        before = line


def _decided(heads: Sequence[str], cells: Sequence[str]) -> str:
    called = [
        place
        for place, head in enumerate(heads[: len(cells)])
        if head in _DECISION_HEADS and len(cells[place]) >= _LEAST
    ]
    if called:
        return cells[called[0]]
    others = [
        cell
        for place, cell in enumerate(cells)
        if not cell.endswith(("?", "？"))
        and (place >= len(heads) or heads[place] not in REASON_LABELS)
    ]
    text = max(others, key=len, default="")
    return text if len(text) >= _LEAST else ""


def _is_undecided(cells: Sequence[str], text: str) -> bool:
    """Return whether another cell of a row leaves it open: ``tbd``."""
    others = (cell.lower() for cell in cells if cell != text)
    return any(
        len(cell) <= _SHORT and UNDECIDED.search(cell) is not None for cell in others
    )


def _reason(heads: Sequence[str], cells: Sequence[str]) -> str:
    named = zip(heads, cells, strict=False)
    return next((cell for head, cell in named if head in REASON_LABELS), "")
