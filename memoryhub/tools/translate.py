"""Tool that translates a record of one dialect into another."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memoryhub.dialects import handoff
from memoryhub.dialects.translation import Frame, remembered
from memoryhub.errors.base import ToolError
from memoryhub.exports.record_texts import (
    Kind,
    SnapshotIds,
    SourceRecord,
    records_named,
    source_records,
    translation_of,
)
from memoryhub.formats.injection import quoted
from memoryhub.handoffs.queries.ids import last_number
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import may_read, with_notice
from snapshots.models import Snapshot

Dialect = Literal[
    "topic_context", "task_snapshot", "session_compact", "memory_index", "handoff"
]


class TranslateRequest(Request):
    """The source of a translation: a record of the workspace, or a text."""

    to: Dialect = Field(description="The form to give it in.")
    kind: Kind | None = Field(None, description="With name: which kind of record.")
    name: str = Field(
        "",
        max_length=300,
        description="The topic's name, or the id of a snapshot, memory or handoff.",
    )
    text: str = Field(
        "", max_length=500_000, description="Instead of a record: a text of any form."
    )
    dialect: Dialect | None = Field(
        None, description="The form that the text has; left out, it is found out."
    )
    topic: str = Field("", max_length=200, description="The topic it is to be about.")
    recipient: str = Field("", max_length=100, description="handoff: its recipient.")
    task_type: Literal["", "read_only", "write", "decision"] = Field(
        "", description="handoff: its type."
    )
    record_id: str = Field(
        "", max_length=100, description="The new snapshot's or handoff's own id."
    )
    place: str = Field(
        "", max_length=300, description="memory_index: the file to point to."
    )


class LostPart(Answer):
    """Something the other form has no place for; `text` is a line of no field."""

    field: str
    text: str


class Translated(Answer):
    """The record in the other form, and all that it could not carry.

    `unknown` are parts that the form requires and the record lacks.
    """

    source: str
    dialect: str
    text: str
    lost: list[LostPart]
    unknown: list[str]

    def as_text(self) -> str:
        """Return the text, then the losses, both quoted."""
        text = quoted(self.text.rstrip("\n"))
        parts = [f"- {part.field}: {part.text}" for part in self.lost]
        lost = ["Not carried:", quoted("\n".join(parts))] if parts else []
        missing = f"Not known: {', '.join(self.unknown)}." if self.unknown else ""
        return with_notice(text, "\n".join(lost), missing)


@tool("A memory in another form", Scope.READ)
def translate(caller: Caller, request: TranslateRequest) -> Translated:
    """Give a topic, snapshot, session memory or handoff in another system's form.

    Use it to pass a memory on to an agent that reads another system, and tell it
    what is listed as lost. Nothing is written.
    """
    record = _source_record(caller, request)
    frame = Frame(
        at=caller.now().replace(tzinfo=None, microsecond=0),
        record_id=request.record_id or _free_id(caller, request, record),
        topic=request.topic,
        recipient=request.recipient,
        type=request.task_type,
        place=request.place,
        zone=caller.now().tzinfo,
    )
    known = Snapshot.objects.filter(workspace=caller.workspace)
    ids = SnapshotIds(known.values_list("snapshot_id", flat=True))
    made = translation_of(record, request.to, frame, ids)
    return Translated(
        source=record.memory.dialect,
        dialect=request.to,
        text=made.text,
        lost=[LostPart.of(part) for part in made.lost],
        unknown=list(made.unknown),
    )


def _free_id(caller: Caller, request: TranslateRequest, record: SourceRecord) -> str:
    """Return the next id of a handoff made of another record; "" for other forms."""
    if request.to != handoff.NAME or record.memory.dialect == handoff.NAME:
        return ""
    day = f"{caller.now():%Y%m%d}"
    return f"{day}-{last_number([caller.workspace], day) + 1:02d}"


def _source_record(caller: Caller, request: TranslateRequest) -> SourceRecord:
    if request.text.strip():
        return SourceRecord("text", "", remembered(request.text, request.dialect or ""))
    if request.kind is None or not request.name:
        raise ToolError("refused", reason="say kind and name of a record, or a text")
    found = records_named(caller.workspace, request.kind, request.name)
    found = [row for row in found if may_read(caller, row.file.path)]
    if not found:
        raise ToolError("not-found", what=request.kind, name=request.name)
    if len(found) > 1:
        codes = ", ".join(row.code for row in found)
        raise ToolError("ambiguous", what=request.kind, name=request.name, codes=codes)
    return source_records(caller.workspace, found)[0]


TOOLS = (translate,)
