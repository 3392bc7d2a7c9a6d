"""Decisions and bindings of a revision, from any dialect."""

from __future__ import annotations

from memoryhub.formats.optimizer.decision_log import DecisionLog
from memoryhub.formats.optimizer.decision_text import parse_decision
from memoryhub.formats.others.memory_bank import MemoryBankFile
from memoryhub.formats.snap_memory.session_map import SessionMap
from memoryhub.formats.snap_memory.topic_context import TopicContext, topic_of
from memoryhub.formats.text.decoding import storable
from memoryhub.journal.changes import Change
from topics.importers.bindings import Bound
from topics.importers.decisions import Mention


def bound_in(change: Change) -> list[Bound]:
    """Return the bindings in a revision."""
    match change.document:
        case SessionMap() as document:
            return [
                Bound(storable(b.key), storable(b.topic), b.lines, True)
                for b in document.bindings
            ]
        case TopicContext() as document:
            name = topic_of(change.pure_path)
            return [
                Bound(meta.value, name, meta.lines, False)
                for meta in document.meta
                if meta.key == "session" and name
            ]
    return []


def decided_in(change: Change, topic_id: int | None) -> list[Mention]:
    """Return the decisions of a topic file, a decision log or a memory bank."""
    match change.document:
        case TopicContext() as document:
            return [
                Mention(parse_decision(item.text), item.lines, topic_id)
                for item in document.decisions
            ]
        case DecisionLog() as document:
            return [Mention(d.content, d.lines) for d in document.decisions]
        case MemoryBankFile() as document:
            return [Mention(d.content, d.lines, topic_id) for d in document.decisions]
    return []
