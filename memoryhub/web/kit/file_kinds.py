"""Kinds of files in words: the dialect a file is read as, and its role."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryhub.formats.roles import Role

ROLES: dict[str, Promise] = {
    Role.MEMORY: gettext_lazy("memory"),
    Role.WORK: gettext_lazy("work list"),
    Role.RECORD: gettext_lazy("record"),
    Role.INSTRUCTION: gettext_lazy("instruction"),
    Role.DOCUMENT: gettext_lazy("document"),
}

FILE_KINDS: dict[str, Promise] = {
    "active_context": gettext_lazy("active context"),
    "agent_roles": gettext_lazy("agent roles"),
    "agent_team": gettext_lazy("agent team"),
    "auto_memory": gettext_lazy("auto memory"),
    "basic_memory": gettext_lazy("basic memory"),
    "beads": gettext_lazy("beads"),
    "daily_log": gettext_lazy("daily log"),
    "decision_log": gettext_lazy("decision log"),
    "decision_record": gettext_lazy("decision record"),
    "dreaming": gettext_lazy("dreaming"),
    "error_log": gettext_lazy("error log"),
    "exec_plan": gettext_lazy("exec plan"),
    "handoff": gettext_lazy("handoff"),
    "handoff_note": gettext_lazy("handoff note"),
    "instructions": gettext_lazy("instructions"),
    "memory_bank": gettext_lazy("memory bank"),
    "memory_index": gettext_lazy("memory index"),
    "memory_tip": gettext_lazy("memory tip"),
    "plain": gettext_lazy("plain"),
    "project_notes": gettext_lazy("project notes"),
    "raw_memories": gettext_lazy("raw memories"),
    "rollout_summary": gettext_lazy("rollout summary"),
    "session_compact": gettext_lazy("session compact"),
    "session_map": gettext_lazy("session map"),
    "session_transcript": gettext_lazy("session transcript"),
    "spec_kit": gettext_lazy("spec kit"),
    "task_snapshot": gettext_lazy("task snapshot"),
    "topic_context": gettext_lazy("topic context"),
    "wiki_page": gettext_lazy("wiki page"),
}


def kind_of(dialect: str) -> str:
    """Return a dialect in words; an unknown one is spelled out."""
    return str(FILE_KINDS.get(dialect) or dialect.replace("_", " "))
