"""Operations on workspaces, their files and events."""

from __future__ import annotations

from typing import Literal

from django.http import HttpResponse
from ninja import Query, Router
from pydantic import BaseModel, Field

from memoryhub.api.door import ApiRequest, caller_of
from memoryhub.api.file_records import (
    AcceptedRecord,
    FileRecord,
    HeldFileRecord,
    WorkspaceRecord,
)
from memoryhub.api.listing import OwnerQuery, SearchQuery, listed
from memoryhub.api.records import EventRecord
from memoryhub.api.shapes import answered, responses
from memoryhub.dialects.roles import Role
from memoryhub.errors.base import ToolError
from memoryhub.journal.authors import agent_id_named, owners_of
from memoryhub.journal.scopes import Scope
from memoryhub.sync.edit.holding import WorkspaceAway, held_files
from memoryhub.sync.engine import WorkspaceGone, sync_workspace
from memoryhub.timeline.queries.events import (
    decode_place,
    timeline_page,
)
from memoryhub.timeline.queries.filters import Filter
from memoryhub.timeline.queries.frame import PAGE_SIZE, files_in
from memoryhub.tools.quoting import may_read
from memoryhub.values.cursors import decode_cursor, encode_cursor
from topics.queries.topics import topic_ids_named

router = Router(tags=["workspaces"])

Kind = Literal[
    "", "snapshot", "compaction", "decision", "handoff", "history", "note",
    "memory", "session", "topic", "file", "edit", "import",
]  # fmt: skip


class FileQuery(SearchQuery):
    """Which files."""

    gone: bool = Field(False, description="Those that are gone, not those there are")
    role: Role | Literal[""] = Field("", description="Only of this role")


class EventQuery(OwnerQuery, SearchQuery):
    """Which events."""

    kind: Kind = Field("", description="Only of this kind")


class HeldSeen(BaseModel):
    """The held files to accept as deleted."""

    seen: int = Field(
        strict=True, ge=0, description="How many files were held when somebody looked"
    )


@router.get("/workspaces", response=responses(list[WorkspaceRecord]))
def workspaces(request: ApiRequest) -> HttpResponse:
    """List the workspaces that you may ask for."""
    return answered([WorkspaceRecord.of(found) for found in request.auth.workspaces()])


@router.get("/workspaces/{slug}", response=responses(WorkspaceRecord))
def workspace(request: ApiRequest, slug: str) -> HttpResponse:
    """Return one workspace with its journal position and the time of its last scan."""
    caller = caller_of(request, slug, Scope.READ, look=False)
    return answered(WorkspaceRecord.of(caller.workspace))


@router.get("/workspaces/{slug}/files", response=responses(list[FileRecord]))
def files(request: ApiRequest, slug: str, query: Query[FileQuery]) -> HttpResponse:
    """List the files of a workspace by path."""
    caller = caller_of(request, slug, Scope.READ)
    after = query.after(_path_key) or ""
    rows = files_in(
        caller.workspace,
        text=query.q,
        after=after,
        role=query.role,
        gone=query.gone,
        private=caller.private,
    )
    return listed(
        rows, FileRecord.of, lambda row: encode_cursor(row.path), size=PAGE_SIZE
    )


@router.get("/workspaces/{slug}/events", response=responses(list[EventRecord]))
def events(request: ApiRequest, slug: str, query: Query[EventQuery]) -> HttpResponse:
    """List the events of the timeline, newest first.

    A search for a text looks at so many events for a page; it can give few, or none,
    and go on all the same.
    """
    caller = caller_of(request, slug, Scope.READ)
    found = caller.workspace
    wanted = Filter(
        found.pk,
        query.kind,
        agent_id_named(found.pk, query.agent) if query.agent else None,
        topic_ids_named(found, query.topic) if query.topic else None,
        query.q,
    )
    page = timeline_page(wanted, query.after(decode_place))
    following = page.older.encode() if page.older else None
    given = (row for row in page.events if may_read(caller, row.path or ""))
    owner = owners_of(found)
    return answered([EventRecord.of(row, owner) for row in given], following)


@router.get("/workspaces/{slug}/held-files", response=responses(list[HeldFileRecord]))
def held(request: ApiRequest, slug: str) -> HttpResponse:
    """List files that vanished together and are not recorded as deleted, by path.

    While there are any, nothing is written into the workspace.
    """
    caller = caller_of(request, slug, Scope.READ, look=False)
    rows = (r for r in held_files(caller.workspace) if may_read(caller, r.path))
    return answered([HeldFileRecord.of(row) for row in rows])


@router.post("/workspaces/{slug}/held-files/accept", response=responses(AcceptedRecord))
def accept_held(request: ApiRequest, slug: str, body: HeldSeen) -> HttpResponse:
    """Accept that the files that are held were deleted; needs the scope `admin`."""
    found = caller_of(request, slug, Scope.ADMIN).workspace
    if (held := held_files(found).count()) != body.seen:
        raise ToolError("held-other", held=held)
    try:
        report = sync_workspace(found, accept_deletions=True)
    except WorkspaceGone as error:
        raise WorkspaceAway(".", "the workspace's folder is not there") from error
    return answered(
        AcceptedRecord(
            number=report.number, deleted=report.deleted, held=len(report.held)
        )
    )


def _path_key(cursor: str) -> str:
    return str(decode_cursor(cursor, str)[0])
