"""Items of open work: statements of the same work in many files, folded into one.

A pure function of the statements, so that a rebuild gives the same items.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from snapshots.rules.same_work import Named, is_done_by, is_same, named

#: So many of a text's rarest words are looked up, and texts for each of them.
_RARE_WORDS, _TEXTS = 3, 12


class Statement(NamedTuple):
    """A line of a file with open or done work; ordered by time, then by place."""

    at: datetime
    file_id: int
    line: int
    id: int
    text: str
    done: bool = False
    #: Whether it is shown although no file states it as open: a ticked checkbox.
    own: bool = True
    #: Whether it is an entry of a log: its id is that of another table.
    is_entry: bool = False
    #: Whether its file or text states a time: else `at` is the file's on disk.
    is_dated: bool = True


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of work with its statements, oldest first.

    `closing` reports it as done; None while it is open. `open` are the statements since
    it was last done before.
    """

    open: tuple[Statement, ...]
    closing: Statement | None
    statements: tuple[Statement, ...]

    @property
    def newest(self) -> Statement:
        """The statement that is changed when the item is closed."""
        return self.open[-1] if self.open else self.statements[-1]

    @property
    def reopened(self) -> Statement:
        """The statement that is changed when the item is opened again."""
        closing = self.closing
        return closing if closing and not closing.is_entry else self.newest

    @property
    def is_dated(self) -> bool:
        """Whether any of its statements has a time; else its age is unknown."""
        return any(each.is_dated for each in self.open or self.statements)

    @property
    def since(self) -> datetime:
        return self._times[0]

    @property
    def last(self) -> datetime:
        return self._times[-1]

    @property
    def _times(self) -> list[datetime]:
        """The stated times in order; those of files on disk if none is stated."""
        told = self.open or self.statements
        return [each.at for each in told if each.is_dated or not self.is_dated]

    @property
    def id(self) -> int:
        """The row of its first statement."""
        return (self.open or self.statements)[0].id

    @property
    def times(self) -> int:
        """Number of files that state it as open."""
        return len({each.file_id for each in self.open or self.statements})


def items_of(statements: Iterable[Statement]) -> tuple[Item, ...]:
    """Fold statements into items, those mentioned last first, undated ones last."""
    ordered = sorted(statements)
    folder = _Folder([each for each in ordered if not each.done])
    for statement in ordered:
        if statement.done:
            folder.add_report(statement)
    items = [_item(sorted(group)) for group in folder.groups()]
    items.sort(key=lambda item: (item.is_dated, item.last, item.id), reverse=True)
    return tuple(items)


class _Folder:
    """Groups open statements by their work; adds each report to the work it ends."""

    def __init__(self, stated: Sequence[Statement]) -> None:
        self._names: list[Named] = []
        self._by_bare: dict[str, int] = {}
        self._with_word: dict[str, list[int]] = defaultdict(list)
        #: For each text, the first text of the same work.
        self._work: list[int] = []
        self._statements: dict[int, list[Statement]] = defaultdict(list)
        names = [(each, named(each.text)) for each in stated]
        texts = {name.bare: name for _, name in names}
        self._frequency = Counter(w for name in texts.values() for w in name.words)
        self._by_head: dict[str, int] = {}
        for statement, name in names:
            self._statements[self._place(name)].append(statement)
        self._reports: dict[str, list[Statement]] = defaultdict(list)

    def groups(self) -> Iterator[list[Statement]]:
        yield from self._statements.values()
        yield from self._reports.values()

    def _place(self, name: Named) -> int:
        """Return the work of an open text; a new one if it is like none before."""
        if name.bare in self._by_bare:
            return self._work[self._by_bare[name.bare]]
        like = next(
            (n for n in self._near(name) if is_same(self._names[n], name)), None
        )
        number = len(self._names)
        self._names.append(name)
        self._by_bare[name.bare] = number
        self._by_head.setdefault(name.head, number)
        self._work.append(number if like is None else self._work[like])
        for word in name.words:
            self._with_word[word].append(number)
        return self._work[number]

    def add_report(self, report: Statement) -> None:
        """Add a report of done work to all works that it names."""
        name = named(report.text)
        near = {*self._near(name)}
        near.update(
            self._by_bare[key] for key in {name.bare, name.head} & self._by_bare.keys()
        )
        done = {self._work[n] for n in near if is_done_by(self._names[n], name)}
        for work in done:
            self._statements[work].append(report)
        if not done and report.own:
            self._reports[name.bare].append(report)

    def _near(self, name: Named, *, least: int = 1) -> list[int]:
        """Return the texts with the same head or one of the rarest words, in order.

        `least`: words of fewer open texts are in no other one.
        """
        shared = (word for word in name.words if self._frequency[word] >= least)
        rare = sorted(shared, key=lambda word: (self._frequency[word], word))
        near = {
            self._by_head[key] for key in (name.head, name.bare) if key in self._by_head
        }
        for word in rare[:_RARE_WORDS]:
            near.update(self._with_word[word][-_TEXTS:])
        return sorted(near)


def _item(statements: Sequence[Statement]) -> Item:
    """Return the item of a work's statements; one done before begins anew."""
    opened: list[Statement] = []
    closing: Statement | None = None
    for each in statements:
        if not each.done:
            opened = [] if closing else opened
            closing = None
            opened.append(each)
        elif not opened or _is_after(each, opened[-1]):
            closing = closing or each
    return Item(tuple(opened), closing, tuple(statements))


def _is_after(report: Statement, stated: Statement) -> bool:
    """Return whether a report is known to be later than a statement."""
    if report.file_id == stated.file_id and report.at == stated.at:
        return report.line > stated.line
    return report.at > stated.at
