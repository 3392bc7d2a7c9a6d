"""The inbox of an agent: its news, and the tasks it can take now."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.handoffs.queries.alarms import leases
from memoryhub.handoffs.queries.inbox import (
    ALARM,
    READY,
    STEP,
    TASK,
    Inbox,
    News,
    Position,
    inbox,
)
from memoryhub.handoffs.queries.lane import turns_listed
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.handoff_answers import HandoffRow, rows_of
from memoryhub.tools.quoting import with_notice
from memoryhub.values.cursors import MAX_LENGTH

#: Name of the tool, for doors that can wait for its news.
INBOX = "handoff_inbox"
#: Longest wait for news in seconds.
MOST_WAIT = 60
_LINE = 200


class InboxRequest(Request):
    """From where on."""

    since: str = Field(
        "",
        max_length=MAX_LENGTH,
        description="The `cursor` of the answer before, or a time such as"
        " 2026-11-20T10:00:00Z; without it, all that is unfinished.",
    )
    limit: int = Field(20, ge=1, le=50, description="How many `ready` ones at most.")


class NewsRow(Answer):
    """Something that changed for the agent.

    `kind`: task, a new one for it; ready, it can be taken from now on; step, somebody
    else did `what` with it; alarm, it stands still, `what` is the alarm's kind. `by` is
    who did it, `output` what came of it. An alarm without a handoff, such as breaker,
    has the agent that it is about in `recipient`.
    """

    kind: str
    at: datetime
    task_id: str
    code: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    what: str
    by: str
    reason: str
    output: str

    def line(self) -> str:
        """Return it as one line."""
        name = self.task_id or self.code or self.recipient
        what = {TASK: f"new task from {self.sender}", READY: "can be taken now"}
        what[STEP] = f"{self.what} by {self.by or 'somebody'}"
        what[ALARM] = f"alarm: {self.what}"
        told = " ".join((self.output or self.reason).split())[:_LINE]
        context = " ".join(self.context.split())[:_LINE]
        return f"{name} {what[self.kind]}: {told or context}"


class InboxAnswer(Answer):
    """News, oldest first, and handoffs that can be taken now, in turn.

    `cursor`: give it as `since` to hear only what changes from now on.
    """

    workspace: str
    agent: str
    news: list[NewsRow]
    ready: list[HandoffRow]
    cursor: str

    def as_text(self) -> str:
        """Return a quoted line for each, and the cursor."""
        return with_notice(quoted(self.lines()), f"cursor: {self.cursor}")

    def lines(self) -> str:
        """Return a line per news item, and one that lists the takeable handoffs."""
        news = "\n".join(row.line() for row in self.news) or "Nothing new."
        names = ", ".join(row.task_id or row.code for row in self.ready)
        ready = f"You can take now: {names}" if names else "Nothing to take now."
        return f"{news}\n{ready}"


@tool("What changed for you", Scope.READ)
def handoff_inbox(caller: Caller, request: InboxRequest) -> InboxAnswer:
    """Get what changed for you since a cursor: new tasks, results, send-backs, alarms.

    Use it to wait for work and for what became of your handoffs: give the cursor of the
    answer before. `ready` are those that you can take now.
    """
    return inbox_of(caller, request)


def inbox_of(caller: Caller, request: InboxRequest) -> InboxAnswer:
    """Return the inbox of the caller's agent.

    Raises:
        ToolError: ``agent-missing``, the caller is no agent; ``cursor-invalid``.
    """
    if not caller.agent:
        raise ToolError("agent-missing")
    since = _position(caller, request.since)
    hidden = "" if caller.private else PRIVATE
    found = inbox(
        caller.workspace,
        caller.agent,
        since,
        caller.now(),
        limit=request.limit,
        hidden=hidden,
    )
    return _answer(caller, found)


def _position(caller: Caller, since: str) -> Position | None:
    """Return the position that a request names.

    Raises:
        ToolError: ``cursor-invalid``.
    """
    if not since:
        return None
    try:
        return Position.from_cursor(since)
    except ValueError:
        return Position.at_time(caller.workspace, _time(since))


def _time(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        if at.tzinfo is not None:
            return at
    except ValueError:
        pass
    raise ToolError("cursor-invalid")


def _answer(caller: Caller, found: Inbox) -> InboxAnswer:
    now = caller.now()
    held = leases(caller.workspace, found.ready, now)
    return InboxAnswer(
        workspace=caller.workspace.slug,
        agent=caller.agent,
        news=list(map(_row, found.news)),
        ready=rows_of(found.ready, turns_listed(caller.workspace), held, now),
        cursor=found.position.cursor,
    )


def _row(news: News) -> NewsRow:
    own = news._asdict()
    if (row := own.pop("handoff")) is not None:
        return NewsRow.of(row, **own)
    without = dict.fromkeys(NewsRow.model_fields.keys() - own.keys(), "")
    return NewsRow(**{**without, **own, "recipient": news.by})


TOOLS = (handoff_inbox,)
