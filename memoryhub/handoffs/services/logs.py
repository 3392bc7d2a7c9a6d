"""The log of a handoff: its file, and the edit that adds a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath

from memoryhub.disk.files import UnreadableFile
from memoryhub.formats.base import FormatError
from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.formats.hub.handoff import (
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    listed_in,
)
from memoryhub.formats.text.line_edits import folded
from memoryhub.handoffs.log_verbs import (
    REVISE,
    parts_of,
    standing_in,
    step_payload,
    step_verb,
    task_payload,
    with_signed,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.lane import named_at
from memoryhub.handoffs.rules.acting import SIGNED_OFF, WITH_REASON, NotAllowed
from memoryhub.handoffs.rules.parties import signed_key
from memoryhub.handoffs.services.memory import Sequel, with_sequel
from memoryhub.handoffs.services.sending import Author, complete, seconds
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import read_newest

_MOST_REASON = 2000
#: Parts of a task that a step can change.
_CHANGEABLE = {"context", "input", "expected_output", "constraints", "after"}


@dataclass(frozen=True, slots=True)
class Step:
    """A requested step.

    `base`: the handoff's `standing` as the caller saw it; None skips the check. `then`:
    edit that has to follow. `changes`: new parts of the task, by field.
    """

    verb: str
    reason: str = ""
    base: str | None = None
    detail: str = ""
    result: Result | None = None
    then: Sequel | None = None
    changes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Log:
    """The file that holds a handoff's log, with its current text."""

    path: str
    text: str
    fields: Fields

    def step(self, handoff: Handoff, author: Author, step: Step, *more: Step) -> Edit:
        """Return the edit that appends a step, and the lines of more after it.

        Raises:
            NotAllowed: ``handoff-reason-missing``; ``handoff-not-own``, the task is in
                another file; or a changed part is missing or too long.
        """
        lines = [_line(one, author) for one in (step, *more)]
        named = Task(handoff.task_id, "", "", "")
        document = handoff_format.parse(self.text)
        payload = {
            **task_payload(named, self.fields),
            **step_payload(*_not_logged(document, handoff), *lines, result=step.result),
            "row": handoff.code,
            "label": handoff.context or handoff.task_id,
        }
        base = standing_in(document) if self.text else ""
        said = with_sequel(payload, step.then)
        if step.verb == SIGNED_OFF:
            place = len(payload["lines"]) - len(lines)
            said = with_signed(said, {place: signed_key(handoff)})
        reason = lines[0].reason
        verb = step_verb(said)
        if step.changes:
            verb, said = REVISE, said | self._changed(document, handoff, step, author)
        return Edit(self.path, verb, said, author.actor, base, reason, author.key)

    def _changed(
        self, document: HandoffDocument, handoff: Handoff, step: Step, author: Author
    ) -> Payload:
        changes = step.changes
        if self.fields.source or not document.tasks:
            path = self.fields.source or self.path
            raise NotAllowed("handoff-not-own", task_id=handoff.name, path=path)
        said: Payload = {name: changes[name] for name in _CHANGEABLE & changes.keys()}
        task = complete(replace(document.tasks[0], **said))
        if "after" in changes:
            names = named_at(
                handoff.workspace,
                handoff.side,
                listed_in(task.after),
                bound=author.bound,
            )
            task = replace(task, after=", ".join(names))
        return {"task": parts_of(task)}


def _line(step: Step, author: Author) -> LogLine:
    reason = folded(step.reason)[:_MOST_REASON]
    if step.verb in WITH_REASON and not reason:
        raise NotAllowed("handoff-reason-missing", verb=step.verb)
    return LogLine(seconds(author.at), author.actor, step.verb, reason, step.detail)


def _not_logged(document: HandoffDocument, handoff: Handoff) -> Iterator[LogLine]:
    """Yield the missing log line of a result, so that later lines come after it."""
    if result := handoff_format.result_alone(document):
        at = seconds(handoff.finished_at) if handoff.finished_at else None
        yield LogLine(at, handoff.taken_by or handoff.recipient, result.status)


def current(handoff: Handoff) -> Handoff:
    """Return the current row.

    Raises:
        FormatError: ``handoff-unknown``, it is no longer in any file.
    """
    rows = Handoff.objects.select_related("workspace", "file", "topic")
    found = rows.filter(pk=handoff.pk, last_seq__isnull=True).first()
    if found is None:
        raise FormatError("handoff-unknown", task_id=handoff.task_id or handoff.code)
    return found


def log_of(handoff: Handoff, at: datetime) -> Log:
    """Return the log of a handoff; new content on disk is recorded first.

    Raises:
        UnreadableFile: the file of the task is gone, or cannot be read.
    """
    workspace, path = handoff.workspace, handoff.file.path
    disk = read_newest(workspace, path, at)
    if disk.file is None:
        raise UnreadableFile(path, "the file is gone")
    if is_own(path) and handoff.position == 0:
        return Log(path, disk.text, Fields())
    fields = Fields(source=path, occurrence=_occurrence(handoff))
    for name in _names_apart(handoff):
        text = read_newest(workspace, name, at).text
        found = handoff_format.parse(text)
        place = (found.task_id, found.source, found.fields.occurrence)
        if not text or place == (handoff.task_id, path, fields.occurrence):
            return Log(name, text, fields)
    raise UnreadableFile(path, "another handoff has the place of its log")


def is_own(path: str) -> bool:
    """Return whether a path is that of a handoff's own file."""
    return handoff_format.matches(PurePosixPath(path), "")


def _names_apart(handoff: Handoff) -> tuple[str, ...]:
    """Return candidate paths for a log apart from its task, in order of preference."""
    own = f"handoff-{handoff.code}"
    plain = handoff_format.PLAIN_ID.fullmatch(handoff.task_id)
    names = (handoff.task_id, f"{handoff.task_id}-{handoff.code}") if plain else (own,)
    return tuple(map(handoff_format.path_of, names))


def _occurrence(handoff: Handoff) -> str:
    """Return its number among equal ids in its file; "" for the first."""
    before = Handoff.objects.filter(
        file_id=handoff.file_id,
        task_id=handoff.task_id,
        last_seq__isnull=True,
        position__lt=handoff.position,
    ).count()
    return str(before + 1) if before else ""
