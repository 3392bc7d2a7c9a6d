"""Importer of directives, each at its place in a file, with whose words they are.

A directive keeps its origin while its text stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.session_key import is_with_person
from memoryhub.formats.openclaw.session_transcript import SessionTranscript
from memoryhub.formats.others.auto_memory import AutoMemory
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Operation
from memoryhub.journal.prepared import Prepared
from topics.models import Directive


class Directed(NamedTuple):
    """A directive at one place, with time and owner of that place."""

    text: str
    lines: Lines
    topic_id: int | None
    agent_id: int | None
    at: datetime
    precision: str
    confidence: float = 1.0
    why: str = ""


def fold_directives(change: Change, directed: Sequence[Directed]) -> None:
    """Replace the directives of a file's revision before by its current ones."""
    safe = [one for one in directed if not change.has_secret(one.lines)]
    whose = _whose(change) if safe else {}
    facts = [_fact(change, one, whose) for one in safe]
    fold_aligned(Directive, change, facts, change.since)


def _whose(change: Change) -> dict[str, str]:
    """Return origin and writer of a revision's directives, by the journal.

    A program without a name writes as the operator: only what a person typed on a page
    is a person's. What is restored or reverted is of nobody.
    """
    if change.acting_id is not None:
        return {"origin": Directive.Origin.AGENT, "written_by": change.actor[:200]}
    if change.actor:
        typed = _TYPED in _VERBS(change.workspace.id, change.seq)
        origin = Directive.Origin.PERSON if typed else Directive.Origin.UNKNOWN
        return {"origin": origin, "written_by": change.actor[:200] if typed else ""}
    match change.document:
        case SessionTranscript(session_key=key):
            of_person = is_with_person(key)
        case AutoMemory(type=type_):
            of_person = type_ in ("feedback", "user")
        case _:
            of_person = change.pure_path.name.casefold() == "user.md"
    origin = Directive.Origin.PERSON if of_person else Directive.Origin.UNKNOWN
    return {"origin": origin, "written_by": ""}


#: Verb of a text that a person typed on a page.
_TYPED = "edit_text"
_VERBS: Prepared[str] = Prepared(
    lambda workspace_id, seq: Operation.objects.filter(
        workspace_id=workspace_id, version_seq=seq
    ).values_list("verb", flat=True),
    int,
    int,
)


def _fact(change: Change, one: Directed, whose: dict[str, str]) -> Fact:
    said = statement_key("directive", one.text)
    text_key = key_of(f"{one.confidence}\n{one.text}", "").text
    values = {
        "text": one.text,
        **whose,
        **grade_columns(one.confidence, one.why, change.assigned.get(said)),
        "topic_id": one.topic_id,
        "agent_id": one.agent_id,
        "occurred_at": one.at,
        "precision": one.precision,
    }
    return Fact(Key(text_key, said), one.lines, values)
