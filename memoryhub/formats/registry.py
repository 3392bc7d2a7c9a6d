"""All dialects in the order of detection; importing it imports each of them."""

from __future__ import annotations

from pathlib import PurePosixPath

from memoryhub.formats.base import Document, Format
from memoryhub.formats.big_memory import task_snapshot
from memoryhub.formats.ccw import memory_tip, session_compact
from memoryhub.formats.codex import raw_memories, rollout_summary
from memoryhub.formats.hub import handoff
from memoryhub.formats.openclaw import (
    daily_log,
    dreaming,
    session_transcript,
    wiki_page,
)
from memoryhub.formats.optimizer import (
    active_context,
    decision_log,
    error_log,
    memory_index,
    project_notes,
)
from memoryhub.formats.others import (
    agent_roles,
    agent_team,
    auto_memory,
    basic_memory,
    beads,
    decision_record,
    exec_plan,
    handoff_note,
    instructions,
    memory_bank,
    plain,
    spec_kit,
)
from memoryhub.formats.snap_memory import session_map, topic_context

#: The dialects in the order of detection: by name or place, then by text,
#: and last the fallback that matches anything.
FORMATS: tuple[Format, ...] = (
    session_map,
    beads,
    agent_team,
    memory_bank,
    spec_kit,
    auto_memory,
    basic_memory,
    wiki_page,
    session_transcript,
    rollout_summary,
    raw_memories,
    dreaming,
    handoff_note,
    handoff,
    memory_index,
    agent_roles,
    instructions,
    error_log,
    project_notes,
    active_context,
    topic_context,
    session_compact,
    memory_tip,
    task_snapshot,
    decision_record,
    exec_plan,
    decision_log,
    daily_log,
    plain,
)

#: Candidate dialects of a file whose name begins with a day; the last one is a log.
_DAYS_FORMATS: tuple[Format, ...] = (
    handoff,
    session_transcript,
    dreaming,
    daily_log.SessionFormat(),
)
#: Dialects of files that are not Markdown.
_DATA_FORMATS: tuple[Format, ...] = (session_map, beads, agent_team)
_DATA = plain.Data()

#: Length of the head of a day's file in which marks of other dialects count.
_HEAD = 300


def detect(path: PurePosixPath, text: str) -> Format:
    """Return the dialect of a text at this path, relative to the workspace.

    Never fails: a text that matches no other dialect is `plain`.
    """
    name = path.name
    if not name.casefold().endswith((".md", ".markdown", ".mdc")):
        found = (f for f in _DATA_FORMATS if f.matches(path, text))
        return next(found, _DATA)
    if role := memory_bank.role_of(path):
        return memory_bank.RoleFormat(role)
    if part := spec_kit.role_of(path):
        return spec_kit.RoleFormat(part)
    if handoff_note.is_in_folder(path) and handoff_note.matches(path, text):
        return handoff_note
    if name[:1].isdigit() and daily_log.is_daily(path) and _is_log(text):
        head = text[:_HEAD]
        found = (f for f in _DAYS_FORMATS if f.matches(path, head))
        return next(found, daily_log)
    format_ = next(f for f in FORMATS if f.matches(path, text))
    session = _DAYS_FORMATS[-1]
    return session if format_ is daily_log and session.matches(path, text) else format_


def _is_log(text: str) -> bool:
    """Return whether a day's file has no other dialect's marks at its start."""
    return not text.startswith("---") and "## Session ID" not in text[:_HEAD]


def parse(path: PurePosixPath, text: str) -> Document:
    """Return the document of a text at this path; raise nothing but `FormatError`."""
    return detect(path, text).parse(text)
