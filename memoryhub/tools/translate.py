"""The tool that gives a record of one dialect in the form of another."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Literal

from pydantic import Field

from memoryhub.errors.base import ToolError
from memoryhub.exports.record_texts import Kind, RecordText, record_text, records_named
from memoryhub.formats.big_memory.snapshot_draft import next_snapshot_id
from memoryhub.formats.snap_memory.injection import quoted
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.translation.records import Frame, Translation, remembered
from memoryhub.formats.translation.records import translate as translated
from memoryhub.formats.translation.values import Remembered
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import told
from snapshots.models import Snapshot

Dialect = Literal[
    "topic_context", "task_snapshot", "session_compact", "memory_index", "handoff"
]


class TranslateRequest(Request):
    """What to translate: a record of the workspace, or a text."""

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
    recipient: str = Field("", max_length=100, description="handoff: who gets it.")
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
    """The record in the other form, and all that it could not carry."""

    source: str
    dialect: str
    text: str
    lost: list[LostPart]

    def as_text(self) -> str:
        """Return the text, then what is not in it, both quoted."""
        text = quoted(self.text.rstrip("\n"))
        parts = [f"- {part.field}: {part.text}" for part in self.lost]
        lost = ["Not carried:", quoted("\n".join(parts))] if parts else []
        return told(text, "\n".join(lost))


@tool("A memory in another form", Scope.READ)
def translate(caller: Caller, request: TranslateRequest) -> Translated:
    """Give a topic, snapshot, session memory or handoff in another system's form.

    Use it to pass a memory on to an agent that reads another system, and tell it
    what is listed as lost. Nothing is written.
    """
    given = _given(caller, request)
    memory = remembered(given.text, given.dialect)
    if given.topic and memory.dialect != request.to:
        memory = replace(memory, topic=given.topic)
    now = caller.now().replace(tzinfo=None, microsecond=0)
    frame = Frame(
        at=now,
        record_id=request.record_id or _free_id(caller, memory, request.to, now),
        topic=request.topic,
        recipient=request.recipient,
        type=request.task_type,
        place=request.place or given.path,
    )
    return _answer(memory.dialect, translated(memory, request.to, frame))


def _given(caller: Caller, request: TranslateRequest) -> RecordText:
    if request.text.strip():
        return RecordText(request.text, request.dialect or "", "", "")
    if request.kind is None or not request.name:
        raise ToolError("refused", reason="say kind and name of a record, or a text")
    found = records_named(caller.workspace, request.kind, request.name)
    if not found:
        raise ToolError("not-found", what=request.kind, name=request.name)
    if len(found) > 1:
        codes = ", ".join(row.code for row in found)
        raise ToolError("ambiguous", what=request.kind, name=request.name, codes=codes)
    return record_text(found[0])


def _free_id(caller: Caller, memory: Remembered, to: Dialect, now: datetime) -> str:
    """Return the next id of its day for a new snapshot; other forms make their own."""
    if to != "task_snapshot" or memory.dialect == to:
        return ""
    day = (parse_timestamp(memory.time) or now).date()
    ids = Snapshot.objects.filter(
        workspace=caller.workspace, snapshot_id__startswith=day.isoformat()
    )
    return next_snapshot_id(day, ids.values_list("snapshot_id", flat=True))


def _answer(source: str, made: Translation) -> Translated:
    lost = [LostPart(field=part.field, text=part.text) for part in made.lost]
    return Translated(source=source, dialect=made.dialect, text=made.text, lost=lost)


TOOLS = (translate,)
