"""Tool by which agents read the comments of people, and answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memoryhub.comments.models import Thread
from memoryhub.comments.queries import (
    PlacedThread,
    named_for_agents,
    open_threads,
    placed,
    thread_of,
    threads_of,
)
from memoryhub.comments.services import (
    LONGEST,
    Author,
    line_place,
    open_thread,
    reply,
)
from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.journal.versions import path_in
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, Scope, tool
from memoryhub.tools.quoting import may_read, refuse_private, with_notice

#: Threads that are read at most.
MOST = 50


class CommentsRequest(Request):
    """List threads, answer one, or open one on a line of a file."""

    action: Literal["list", "reply", "comment"] = Field(
        "list",
        description="list: threads; reply: answer one; comment: open one on a line.",
    )
    thread: int = Field(0, ge=0, description="Number of the thread, to reply to it.")
    text: str = Field(
        "", max_length=LONGEST, description="Your comment; @name asks somebody."
    )
    path: str = Field(
        "", max_length=1_000, description="File: to comment, or to list only its own."
    )
    line: int = Field(0, ge=0, description="Line to comment, 0 for the whole file.")
    resolved: bool = Field(False, description="List the resolved ones instead.")


class CommentRecord(Answer):
    """A comment."""

    author: str
    agent: bool
    text: str
    at: datetime


class ThreadRecord(Answer):
    """A thread: its subject, the subject's current place, and its comments.

    `line` is that of the present file, 0 where the text is gone or the thread is about
    more than a line; `outdated`: the text was changed since. `code` is the id of a
    decision or snapshot.
    """

    thread: int
    kind: str
    path: str
    line: int
    code: str
    section: str
    quote: str
    outdated: bool
    waits_for: list[str]
    resolved_by: str
    resolved_at: datetime | None
    comments: list[CommentRecord]

    @classmethod
    def made_of(cls, found: PlacedThread) -> ThreadRecord:
        """Return the record of a thread."""
        row = found.thread
        is_section = row.kind == Thread.Kind.SNAPSHOT
        return cls(
            thread=row.pk,
            kind=row.kind,
            path=found.path,
            line=found.spot.line,
            code=row.code,
            section=row.section,
            quote="" if is_section else row.quote,
            outdated=found.is_outdated,
            waits_for=[] if row.is_resolved else row.waits_for,
            resolved_by=row.resolved_by,
            resolved_at=row.resolved_at,
            comments=[
                CommentRecord(
                    author=each.author,
                    agent=each.is_agent,
                    text=each.text,
                    at=each.made_at,
                )
                for each in found.comments
            ],
        )

    def lines(self) -> list[str]:
        """Return the thread as lines of text."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        state = " (outdated)" if self.outdated else ""
        names = named_for_agents(self.waits_for)
        waits = f", waits for {names}" if names else ""
        head = [f"Comment {self.thread} on {place}{state}{waits}"]
        if self.section or self.quote.strip():
            head.append(f"  about: {self.section or self.quote.strip()}")
        return [*head, *(f"  {each.author}: {each.text}" for each in self.comments)]


class CommentsAnswer(Answer):
    """The threads in question, the last active first."""

    threads: list[ThreadRecord]

    def as_text(self) -> str:
        """Return the threads, quoted."""
        if not self.threads:
            return "There are no such comments."
        lines = [line for thread in self.threads for line in thread.lines()]
        return with_notice(quoted("\n".join(lines)))


@tool(
    "Read and answer comments",
    Scope.HANDOFF,
    reading=lambda r: r.action == "list",
    stored=lambda r: True,
)
def comments(caller: Caller, request: CommentsRequest) -> CommentsAnswer:
    """Read people's open comments on memory, and answer them.

    Read them before you change a file. Change what they ask for, then reply what you
    did; only a person resolves a thread.
    """
    if request.path:
        path = path_in(caller.workspace, request.path)
        request = request.model_copy(update={"path": path})
    if request.action == "list":
        return CommentsAnswer(threads=_listed(caller, request))
    thread = _ACTIONS[request.action](caller, request)
    found = thread_of(caller.workspace, thread.pk)
    return CommentsAnswer(threads=_records(caller, [found] if found else []))


def _listed(caller: Caller, request: CommentsRequest) -> list[ThreadRecord]:
    refuse_private(caller, request.path)
    rows = open_threads(caller.workspace)
    if request.resolved:
        rows = threads_of(caller.workspace).filter(resolved_at__isnull=False)
    if request.path:
        rows = rows.filter(path=request.path)
    return _records(caller, list(rows[:MOST]))


def _records(caller: Caller, rows: list[Thread]) -> list[ThreadRecord]:
    seen = [row for row in rows if may_read(caller, row.path)]
    return [
        ThreadRecord.made_of(found)
        for found in placed(caller.workspace, seen)
        if may_read(caller, found.path)
    ]


def _reply(caller: Caller, request: CommentsRequest) -> Thread:
    thread = thread_of(caller.workspace, request.thread)
    if thread is None or not may_read(caller, thread.path):
        raise ToolError("not-found", what="comment", name=str(request.thread))
    return reply(thread, request.text, author_of(caller)).thread


def _comment(caller: Caller, request: CommentsRequest) -> Thread:
    refuse_private(caller, request.path)
    if not may_read(caller, request.path):
        raise ToolError("not-found", what="file", name=request.path)
    place = line_place(caller.workspace, request.path, request.line)
    return open_thread(caller.workspace, place, request.text, author_of(caller))


_ACTIONS = {"reply": _reply, "comment": _comment}


def author_of(caller: Caller) -> Author:
    """Return a caller as the author of a comment: a program is never a person."""
    key = caller.operation_key("comment")
    return Author(caller.name, caller.clock(), is_agent=not caller.person, key=key)


TOOLS = (comments,)
