"""The inbox of an agent, for programs that wait for it."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpResponse
from ninja import Query, Router
from pydantic import Field

from memoryhub.api.door import NAME_LENGTH, ApiRequest, caller_of
from memoryhub.api.listing import CheckedQuery
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.tools.inbox import MOST_WAIT, InboxAnswer, InboxRequest, inbox_of
from memoryhub.values.cursors import MAX_LENGTH

router = Router(tags=["inbox"])


class InboxQuery(CheckedQuery):
    """From where on, and how long to wait for news."""

    since: str = Field(
        "",
        max_length=MAX_LENGTH,
        description="The `cursor` of the answer before, or a time; without it, all that"
        " is unfinished",
    )
    wait: int = Field(
        0,
        ge=0,
        le=MOST_WAIT,
        description="Seconds to wait for news; the answer comes with the first",
    )
    agent: str = Field(
        "", max_length=NAME_LENGTH, description="Whose; by default the caller's own"
    )
    limit: int = Field(20, ge=1, le=50, description="How many of `ready` at most")


@router.get("/workspaces/{slug}/inbox", response=responses(InboxAnswer))
def inbox(request: ApiRequest, slug: str, query: Query[InboxQuery]) -> HttpResponse:
    """Return an agent's news since a cursor, and the tasks it can take now.

    With `wait` the answer comes with the first news, or without any after that time.
    """
    # The server does the waiting, see `runtime.inbox_waits`.
    caller = caller_of(request, slug, Scope.READ)
    if query.agent and query.agent != caller.agent:
        if caller.bound:
            raise ToolError("agent-other", agent=query.agent)
        caller = replace(caller, agent=query.agent)
    wanted = InboxRequest(since=query.since, limit=query.limit)
    return answered(inbox_of(caller, wanted))
