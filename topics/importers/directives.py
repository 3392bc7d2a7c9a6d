"""Importer of directives, each at its place in a file, with whose words they are.

A directive keeps its origin while its text stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from memoryhub.dialects.auto_memory import AutoMemory
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.session_key import is_with_person
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Operation
from memoryhub.prose.stated import StatedDirective
from topics.models import Directive


def fold_directives(
    change: Change,
    stated: Sequence[StatedDirective] = (),
    owners: Mapping[str, int | None] | None = None,
    when: Callable[[Lines], tuple[datetime, str]] | None = None,
) -> None:
    """Replace the directives of a file's revision before by its current ones.

    `owners` are columns; `when` gives the time of some lines, and its precision.
    """
    safe = [one for one in stated if not change.has_secret(one.lines)]
    columns = {**_whose(change), **(owners or {})} if safe else {}
    facts = []
    for one in safe:
        said = statement_key("directive", one.text)
        assert when is not None
        at, precision = when(one.lines)
        values = {
            "text": one.text,
            **columns,
            **grade_columns(one.confidence, one.why, change.assigned.get(said)),
            "occurred_at": at,
            "precision": precision,
        }
        text_key = key_of(f"{one.confidence}\n{one.text}", "").text
        facts.append(Fact(Key(text_key, said), one.lines, values))
    fold_aligned(Directive, change, facts, change.since)


def _whose(change: Change) -> dict[str, str]:
    """Return origin and writer of a revision's directives, by the journal.

    A program without a name writes as the operator: only what a person typed on a page
    is a person's. What is restored or reverted is of nobody.
    """
    if change.acting_id is not None:
        return {"origin": Directive.Origin.AGENT, "written_by": change.actor[:200]}
    if change.actor:
        wrote = Operation.objects.filter(
            workspace=change.workspace.id, version_seq=change.seq, verb=_TYPED
        )
        typed = wrote.exists()
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
