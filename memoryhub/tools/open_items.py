"""Tools that list, close and reopen open items of all files."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.formats.text.line_edits import folded
from memoryhub.formats.text.ticking import bare_text
from memoryhub.journal.grades import mark_of
from memoryhub.journal.models import Operation
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.recall.texts import open_item_line
from memoryhub.tools.base import Answer, LeastConfidence, OfGrade, Request, tool
from memoryhub.tools.quoting import with_notice
from snapshots.models import OpenItem
from snapshots.queries.open_items import (
    OwnedItem,
    State,
    open_work,
    owned_items,
    selected,
    wanted_items,
    work_by_code,
)
from snapshots.rules.carried_over import Item
from snapshots.services.open_items import close_item, reopen_item
from topics.services.topics import Author


class OpenItemsRequest(Request):
    """Filter of open items; empty fields match all."""

    text: str = Field("", max_length=200, description="Words of the item")
    topic: str = Field("", max_length=300, description="Only of this topic")
    agent: str = Field("", max_length=200, description="Only of this agent")
    state: State = Field("open", description="open, done, or empty for both")
    grade: OfGrade = "declared"
    confidence: LeastConfidence = 0.0
    limit: int = Field(20, ge=1, le=500, description="How many at most")


class OpenItemListed(Answer):
    """An item; `source` is the place that names it last, as path:line."""

    code: str
    text: str
    state: str
    since: datetime | None = Field(
        description="When a file first named it; null if none states a time"
    )
    last_mentioned_at: datetime | None = Field(
        description="When a file last named it; null if none states a time"
    )
    mentions: int = Field(description="How many files name it")
    done_at: datetime | None
    agent: str
    topic: str
    grade: str
    confidence: float
    source: str
    line: str = Field(description="As a line of a recall")


class OpenItemList(Answer):
    """The matching items mentioned last, and the number of all matches."""

    total: int
    items: list[OpenItemListed]

    def as_text(self) -> str:
        """Return a quoted line per item, with its code."""
        if not self.items:
            return "There are no such open items."
        lines = (
            f"{row.line} [{row.code}, {row.state}{mark_of(row.grade, row.confidence)}]"
            for row in self.items
        )
        more = self.total - len(self.items)
        return with_notice(
            quoted("\n".join(lines)), f"There are {more} more." * bool(more)
        )


@tool("What is left to do, asked or waiting", Scope.READ)
def open_items(caller: Caller, request: OpenItemsRequest) -> OpenItemList:
    """List open items of all files: checkboxes, next steps, blockers, questions.

    Use it before you begin, to see what is left, since when, and how often it was put
    off; each item is listed once, however many files repeat it.
    """
    wanted = wanted_items(
        caller.workspace,
        state=request.state,
        text=request.text,
        topic=request.topic,
        agent=request.agent,
        grade=request.grade,
        confidence=request.confidence,
        private=caller.private,
    )
    found = selected(caller.workspace, wanted, caller.now())
    shown = owned_items(found[: request.limit])
    return OpenItemList(total=len(found), items=[_listed(item) for item in shown])


def _listed(found: OwnedItem) -> OpenItemListed:
    work, closing = found.work, found.work.closing
    return OpenItemListed(
        code=work.code,
        text=work.text,
        state=work.state,
        since=work.since if work.is_dated else None,
        last_mentioned_at=work.last if work.is_dated else None,
        mentions=work.times,
        done_at=closing.at if closing and closing.is_dated else None,
        agent=found.agent.name if found.agent else "",
        topic=found.topic.name if found.topic else "",
        grade=found.row.grade,
        confidence=found.row.confidence,
        source=found.place,
        line=open_item_line(found),
    )


class CloseRequest(Request):
    """Which item is done, and why if that is not plain."""

    item: str = Field(
        min_length=1,
        max_length=5000,
        description="The item's code in open_items, or its exact text",
    )
    reason: str = Field(
        "", max_length=500, description="Why it is closed; it follows in the file"
    )


class ItemClosed(Answer):
    """The item that was changed, the line's place, and the operation that did it."""

    code: str
    text: str
    source: str
    operation: int
    state: str

    def as_text(self) -> str:
        """Return a sentence, and the item quoted."""
        is_staged = self.state == "staged"
        how = "A person has to review it before it is written" if is_staged else "Done"
        return f"{how}:\n{quoted(f'{self.text} ({self.source})')}"


@tool("Close an open item", Scope.MEMORY)
def open_item_close(caller: Caller, request: CloseRequest) -> ItemClosed:
    """Tick an open item off in the file that names it last.

    Use it when the work is done or no longer wanted; say why if it was dropped. The
    change can be undone by a person.
    """
    found = _item(caller, request.item, is_done=False)
    author = Author(caller.actor, caller.today(), caller.operation_key("close"))
    operation = close_item(caller.workspace, found.row, request.reason, author)
    return _changed(found.work, found.row, operation)


class ReopenRequest(Request):
    """Which item is not done after all."""

    item: str = Field(
        min_length=1,
        max_length=5000,
        description="The item's code in open_items, or its exact text",
    )


@tool("Open an item again", Scope.MEMORY)
def open_item_reopen(caller: Caller, request: ReopenRequest) -> ItemClosed:
    """Take the mark from the line that reports an item as done, and its reason.

    Use it when work that was ticked off turns out to be left. What words report as
    done is refused: correct these words in their file.
    """
    found = _item(caller, request.item, is_done=True)
    reopened = found.work.reopened
    row = OpenItem.objects.select_related("file").get(pk=reopened.id)
    author = Author(caller.actor, caller.today(), caller.operation_key("reopen"))
    operation = reopen_item(caller.workspace, row, author)
    return _changed(found.work, row, operation)


def _changed(work: Item, row: OpenItem, operation: Operation) -> ItemClosed:
    return ItemClosed(
        code=work.code,
        text=work.text,
        source=f"{row.file.path}:{row.first_line}",
        operation=operation.seq,
        state=operation.state,
    )


def _item(caller: Caller, item: str, *, is_done: bool) -> OwnedItem:
    """Return the item of a code or text, of those that the caller may know.

    Raises:
        ToolError: ``not-found``, ``ambiguous``.
    """
    coded = work_by_code(caller.workspace, item, private=caller.private)
    works = [coded] if coded else _of_text(caller, item)
    found = owned_items([work for work in works if work.is_done is is_done])
    if not found:
        what = "item that is done" if is_done else "open item"
        raise ToolError("not-found", what=what, name=item)
    if len(found) > 1:
        codes = ", ".join(each.work.code for each in found)
        raise ToolError("ambiguous", what="open item", name=item, codes=codes)
    return found[0]


def _of_text(caller: Caller, text: str) -> list[Item]:
    wanted, known = folded(text), open_work(caller.workspace, private=caller.private)
    return [
        work for work in known if wanted in {folded(work.text), bare_text(work.text)}
    ]


TOOLS = (open_items, open_item_close, open_item_reopen)
