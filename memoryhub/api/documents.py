"""Operations on whole files, conditional on their previous version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from django.http import HttpResponse
from ninja import Header, Router
from pydantic import BaseModel, Field

from memoryhub.api.door import (
    KEY,
    NAME_LENGTH,
    SESSION,
    ApiRequest,
    Session,
    caller_of,
)
from memoryhub.api.file_records import DocumentRecord
from memoryhub.api.shapes import answered, responses
from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.journal.versions import path_in
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.gate import needed_scope
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.calling import dated_call
from memoryhub.tools.quoting import may_read, refuse_private
from memoryhub.workspaces.services.documents import document_at, replace_document

router = Router(tags=["documents"])

_PLACE = "/workspaces/{slug}/documents/{anypath:path}"
_TAGS = 1_000
#: Most characters of a text; its operation stores it four times.
_TEXT = 1_000_000

IfNoneMatch = Annotated[
    str,
    Header(
        alias="If-None-Match",
        max_length=_TAGS,
        description="The ETag of the version that is known",
    ),
]


class Conditions(BaseModel):
    """Preconditions of a replacement and its idempotency key."""

    if_match: str = Field(
        "", alias="If-Match", max_length=_TAGS, description="The version it replaces"
    )
    if_none_match: str = Field(
        "", alias="If-None-Match", max_length=_TAGS, description="*: no file yet"
    )
    key: str = Field(
        "", alias="Idempotency-Key", max_length=NAME_LENGTH, description=KEY
    )
    session: str = Field(
        "", alias="MemoryHub-Session", max_length=NAME_LENGTH, description=SESSION
    )


@dataclass(frozen=True, slots=True)
class Tags:
    """ETags of a header, as hashes; ``*`` matches any."""

    hashes: frozenset[str]

    @classmethod
    def of(cls, header: str) -> Tags:
        """Parse a header; weak tags too, which compression makes of strong ones."""
        tags = (tag.strip().removeprefix("W/") for tag in header.split(","))
        return cls(frozenset(tag.strip('"') for tag in tags if tag))

    def name(self, sha: str) -> bool:
        """Return whether a tag matches this version; an empty hash is no version."""
        return bool(sha) and (sha in self.hashes or "*" in self.hashes)


class DocumentText(BaseModel):
    """The requested content of a file."""

    text: str = Field(max_length=_TEXT)


class Replacement(Request):
    """A file, its new text, and the version it replaces; "" if there must be none."""

    path: str
    text: str
    if_match: str

    def holds(self, sha: str) -> bool:
        """Return whether the precondition holds; `if_match` "" requires no file."""
        return Tags.of(self.if_match).name(sha) if self.if_match else not sha


class Replaced(Answer):
    """Result of a replacement: `state` is staged if a person reviews first."""

    path: str
    state: str
    seq: int = Field(description="The operation's place in the journal")
    sha256: str = Field(description="Of the bytes that the file is to have")


@tool("Replace a file", Scope.MEMORY, destructive=True)
def replace_file(caller: Caller, request: Replacement) -> Replaced:
    """Replace a file's content."""
    who = Who(caller.actor, caller.operation_key("document"))
    try:
        operation = replace_document(
            caller.workspace, request.path, request.text, request.holds, who
        )
    except Conflict as conflict:
        raise ToolError("precondition-failed", path=request.path) from conflict
    return Replaced(
        path=operation.target,
        state=operation.state,
        seq=operation.seq,
        sha256=operation.after_sha,
    )


@router.get(_PLACE, response={**responses(DocumentRecord), 304: None})
def document(
    request: ApiRequest,
    slug: str,
    path: str,
    known: IfNoneMatch = "",
    session: Session = "",
) -> HttpResponse:
    """Return the text of a file; its ETag is the sha256 of its bytes."""
    caller = caller_of(request, slug, Scope.READ, session=session)
    path = path_in(caller.workspace, path)
    refuse_private(caller, path)
    found = document_at(caller.workspace, path)
    if found is None or not may_read(caller, path):
        raise ToolError("not-found", what="document", name=path)
    if Tags.of(known).name(found.sha256):
        return _tagged(HttpResponse(status=304), found.sha256)
    return _tagged(answered(DocumentRecord.of(found)), found.sha256)


@router.put(_PLACE, response=responses(Replaced))
def document_replace(
    request: ApiRequest,
    slug: str,
    path: str,
    body: DocumentText,
    conditions: Header[Conditions],
) -> HttpResponse:
    """Replace the text of a file if it is still the version in `If-Match`.

    A new file is made with `If-None-Match: *`. Files in memory folders need the scope
    `memory`, logs of handoffs `handoff`, all others `instructions`: their changes wait
    until a person has looked at them.
    """
    workspace = request.auth.workspace(slug)
    path = path_in(workspace, path)
    needed = needed_scope(workspace, path)
    session, key = conditions.session, conditions.key
    caller = caller_of(request, slug, needed, session=session, key=key)
    refuse_private(caller, path)
    if not conditions.if_match and conditions.if_none_match != "*":
        raise ToolError("precondition-missing")
    replacement = Replacement(path=path, text=body.text, if_match=conditions.if_match)
    done, request.as_of = dated_call(replace_file, caller, replacement)
    assert isinstance(done, Replaced)
    return _tagged(answered(done), done.sha256)


def _tagged(response: HttpResponse, sha: str) -> HttpResponse:
    if sha:
        response["ETag"] = f'"{sha}"'
    return response
