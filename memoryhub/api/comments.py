"""Operations on comments: list threads, reply, open one."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpResponse
from ninja import Header, Query, Router
from pydantic import Field

from memoryhub.api.door import (
    KEY,
    KEY_HEADER,
    NAME_LENGTH,
    ApiRequest,
    Session,
    caller_of,
)
from memoryhub.api.listing import CheckedQuery
from memoryhub.api.shapes import answered, responses
from memoryhub.journal.scopes import Scope
from memoryhub.tools.base import Request
from memoryhub.tools.calling import dated_call
from memoryhub.tools.comments import (
    CommentsAnswer,
    CommentsRequest,
    ThreadRecord,
    comments,
)

router = Router(tags=["comments"])
_PLACE = "/workspaces/{slug}/comments"
Key = Annotated[str, Header(alias=KEY_HEADER, max_length=NAME_LENGTH, description=KEY)]


class CommentsQuery(CheckedQuery):
    """Which threads."""

    path: str = Field("", max_length=1_000, description="Only those on this file")
    resolved: bool = Field(False, description="The resolved ones instead of the open")


class NewComment(Request):
    """A comment: an answer in a thread, or a new thread on a line of a file."""

    text: str = Field(description="The comment; `@name` asks somebody")
    thread: int = Field(0, ge=0, description="Number of the thread it answers")
    path: str = Field("", max_length=1_000, description="File of a new thread")
    line: int = Field(0, ge=0, description="Line of the file; 0 for all of it")


@router.get(_PLACE, response=responses(list[ThreadRecord]))
def comment_list(
    request: ApiRequest, slug: str, query: Query[CommentsQuery]
) -> HttpResponse:
    """List threads of comments, the last active first, 50 at most.

    Each with the place where its text is now; `outdated` if that was changed.
    """
    caller = caller_of(request, slug, Scope.READ, look=False)
    fields = {"path": query.path, "resolved": query.resolved}
    wanted = CommentsRequest.model_validate(fields)
    found, request.as_of = dated_call(comments, caller, wanted)
    assert isinstance(found, CommentsAnswer)
    return answered(found.threads)


@router.post(_PLACE, response=responses(ThreadRecord))
def comment_add(
    request: ApiRequest,
    slug: str,
    body: NewComment,
    session: Session = "",
    key: Key = "",
) -> HttpResponse:
    """Answer a thread, or open one on a line of a file; needs the scope `handoff`.

    People resolve threads, on pages.
    """
    caller = caller_of(
        request, slug, Scope.HANDOFF, session=session, key=key, look=False
    )
    action = "reply" if body.thread else "comment"
    wanted = CommentsRequest.model_validate({"action": action, **body.model_dump()})
    found, request.as_of = dated_call(comments, caller, wanted)
    assert isinstance(found, CommentsAnswer)
    (thread,) = found.threads
    return answered(thread)
