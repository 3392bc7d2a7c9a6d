"""What becomes of a handoff that was sent: each step is a line in its log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.files import UnreadableFile
from memoryhub.formats import handoff as handoff_format
from memoryhub.formats.base import FormatError
from memoryhub.formats.handoff import Fields, HandoffDocument, LogLine, Result, Task
from memoryhub.handoffs.log_verbs import STEP, standing_in, step_payload, task_payload
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries_lane import turns
from memoryhub.handoffs.queries_waiting import deadlock_with
from memoryhub.handoffs.rules import (
    UNFINISHED,
    WITH_REASON,
    Lane,
    NotAllowed,
    check,
)
from memoryhub.handoffs.services import Asked, Done, operation_before, seconds, send
from memoryhub.handoffs.services_lane import lanes
from memoryhub.handoffs.services_rows import certain
from memoryhub.handoffs.services_twins import level, pair_for, pair_of, twin_of
from memoryhub.sync.edits import Conflict, Edit, apply_edit
from memoryhub.sync.writing import read_newest
from memoryhub.workspaces.versions import newest_text

_MOST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Step:
    """A step that is asked for: the verb, why, and what it is made from.

    `base` is the handoff's `standing` as the one who asks has seen it; None asks for
    the step wherever it stands.
    """

    verb: str
    reason: str = ""
    base: str | None = None
    detail: str = ""
    result: Result | None = None


def take(handoff: Handoff, asked: Asked, *, base: str | None = None) -> Done:
    """Begin the work: writes one by one in their order, decisions once signed off."""
    return move(handoff, Step("taken", base=base), asked)


class Terms(NamedTuple):
    """By when a handoff has to be done, and the topic it belongs to."""

    due: datetime | None = None
    topic: str = ""


def terms_of(handoff: Handoff, at: datetime) -> Terms:
    """Return the terms of a handoff that still hold: a due time only while it is ahead.

    Its file can name a topic that the workspace does not have.
    """
    due, path = handoff.due_at, handoff.file.path
    text = newest_text(handoff.workspace, path) if _is_own(path) else ""
    named = handoff.topic.name if handoff.topic else ""
    return Terms(
        due if due and due > at else None, handoff_format.parse(text).topic or named
    )


def hand_off_again(
    handoff: Handoff,
    asked: Asked,
    *,
    recipient: str = "",
    reason: str = "",
    terms: Terms | None = None,
) -> Done:
    """Send the same work anew, to another if need be; the old one names the new.

    Without other terms it is on those that still hold. One that is not finished is
    withdrawn, so that the work is not done twice.
    """
    task = _same_task(handoff, asked, recipient)
    new, old = pair_for(handoff.workspace, task), pair_of(handoff)
    with lanes(handoff.workspace, *new.others, *old.others):
        with certain(handoff.workspace):
            handoff = _current(handoff)
            if operation_before(handoff.workspace, asked.key) is None:
                _check(handoff, "handed off again", asked)
        due, topic = terms or terms_of(handoff, asked.at)
        done = send(handoff.workspace, task, asked, due=due, topic=topic)
        _end_old(handoff, done.handoff.task_id, reason, asked)
    return done


def _same_task(handoff: Handoff, asked: Asked, recipient: str) -> Task:
    return Task(
        "",
        handoff.sender if asked.coordinates else asked.actor,
        recipient or handoff.recipient,
        handoff.type,
        handoff.context,
        handoff.input,
        handoff.expected_output,
        handoff.constraints,
    )


def _end_old(handoff: Handoff, task_id: str, reason: str, asked: Asked) -> None:
    """Name the new handoff in the old one's log, and withdraw what is not finished."""
    link = replace(asked, key=f"{asked.key}-old", coordinates=True)
    step = Step("handed off again", reason, detail=task_id)
    old = move(handoff, step, link).handoff
    if old.state in UNFINISHED:
        end = replace(link, key=f"{asked.key}-end")
        move(old, Step("withdrawn", reason), end)


def move(handoff: Handoff, step: Step, asked: Asked) -> Done:
    """Do a step, in the lane of the workspace where the work is done.

    Raises:
        Conflict: the handoff moved on since `step.base`, which says to where.
        NotAllowed: a rule is against it, named with whom or what it waits for.
        FormatError: ``row-unknown``, the handoff is gone.
        FileError: its file cannot be read or written.
    """
    workspaces = (handoff.workspace, *pair_of(handoff).others)
    with lanes(*workspaces):
        operation = operation_before(handoff.workspace, asked.key)
        with certain(*workspaces):
            handoff = _current(handoff)
        if operation is None:
            level(handoff, asked.at)
            log = _newest(handoff, asked.at)
            with certain(*workspaces):
                handoff = _current(handoff)
                if step.base is not None and step.base != handoff.standing:
                    raise Conflict(log.path, step.base, handoff.standing)
                _check(handoff, step.verb, asked)
            edit = _edit(handoff, log, step, asked)
            operation = apply_edit(handoff.workspace, edit, clock=lambda: asked.at)
        level(handoff, asked.at)
        with certain(*workspaces):
            handoff = _current(handoff)
    return Done(handoff, operation, deadlock_with(handoff))


@dataclass(frozen=True, slots=True)
class _Log:
    """The file that a handoff's log is kept in, as it is now."""

    path: str
    text: str
    fields: Fields


def _edit(handoff: Handoff, log: _Log, step: Step, asked: Asked) -> Edit:
    reason = " ".join(step.reason.split())[:_MOST_REASON]
    if step.verb in WITH_REASON and not reason:
        raise NotAllowed("handoff-reason-missing", verb=step.verb)
    line = LogLine(seconds(asked.at), asked.actor, step.verb, reason, step.detail)
    named = Task(handoff.task_id, "", "", "")
    document = handoff_format.parse(log.text)
    payload = {
        **task_payload(named, log.fields),
        **step_payload(*_not_logged(document, handoff), line, result=step.result),
        "row": handoff.code,
        "label": handoff.context or handoff.task_id,
    }
    base = standing_in(document) if log.text else ""
    return Edit(log.path, STEP, payload, asked.actor, base, reason, asked.key)


def _not_logged(document: HandoffDocument, handoff: Handoff) -> Iterator[LogLine]:
    """Give the line that a result has not in its log, as what follows is after it."""
    if result := handoff_format.result_alone(document):
        at = seconds(handoff.finished_at) if handoff.finished_at else None
        yield LogLine(at, handoff.taken_by or handoff.recipient, result.status)


def _check(handoff: Handoff, verb: str, asked: Asked) -> None:
    """Tell whether the rules allow a step, where the work is done."""
    row = (twin_of(handoff) if handoff.away else None) or handoff
    lane = turns(row.workspace, row.pk) if verb == "taken" else Lane()
    check(verb, handoff, asked.who, lane, row.pk)


def _current(handoff: Handoff) -> Handoff:
    """Return the row as it is now.

    Raises:
        FormatError: ``row-unknown``, no file says it any more.
    """
    rows = Handoff.objects.select_related("workspace", "file", "topic")
    found = rows.filter(pk=handoff.pk, last_seq__isnull=True).first()
    if found is None:
        raise FormatError("row-unknown", row=handoff.task_id or handoff.code)
    return found


def _newest(handoff: Handoff, at: datetime) -> _Log:
    """Return the log of a handoff; what is new on disk is recorded first.

    Raises:
        UnreadableFile: the file of the task is gone, or cannot be read.
    """
    workspace, path = handoff.workspace, handoff.file.path
    disk = read_newest(workspace, path, at)
    if disk.file is None:
        raise UnreadableFile(path, "the file is gone")
    if _is_own(path) and handoff.position == 0:
        return _Log(path, disk.text, Fields())
    fields = Fields(source=path, occurrence=_occurrence(handoff))
    for name in _names_apart(handoff):
        text = read_newest(workspace, name, at).text
        found = handoff_format.parse(text)
        place = (found.task_id, found.source, found.fields.occurrence)
        if not text or place == (handoff.task_id, path, fields.occurrence):
            return _Log(name, text, fields)
    raise UnreadableFile(path, "another handoff has the place of its log")


def _is_own(path: str) -> bool:
    return handoff_format.matches(PurePosixPath(path), "")


def _names_apart(handoff: Handoff) -> tuple[str, ...]:
    """Return where the log of a task in another file can be, the first choice first."""
    own = f"handoff-{handoff.code}"
    plain = handoff_format.PLAIN_ID.fullmatch(handoff.task_id)
    names = (handoff.task_id, f"{handoff.task_id}-{handoff.code}") if plain else (own,)
    return tuple(map(handoff_format.path_of, names))


def _occurrence(handoff: Handoff) -> str:
    """Return which of those with its id in its file it is, but the first."""
    before = Handoff.objects.filter(
        file_id=handoff.file_id,
        task_id=handoff.task_id,
        last_seq__isnull=True,
        position__lt=handoff.position,
    ).count()
    return str(before + 1) if before else ""
