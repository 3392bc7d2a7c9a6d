"""Steps of a handoff after it was sent, each a line in its log; the log's file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.handoff import (
    STATUSES,
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    listed_in,
)
from memoryhub.disk.files import UnreadableFile
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.line_edits import folded
from memoryhub.handoffs.exporters import task_of
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
from memoryhub.handoffs.queries.agents import role_of
from memoryhub.handoffs.queries.lane import named_at, turns
from memoryhub.handoffs.queries.resends import HANDED_OFF_AGAIN, why_not_again
from memoryhub.handoffs.rules.acting import (
    DONE,
    SIGNED_OFF,
    UNFINISHED,
    WITH_REASON,
    Lane,
    NotAllowed,
    check,
    check_signer,
    depends_on_lane,
)
from memoryhub.handoffs.rules.parties import signed_key
from memoryhub.handoffs.services.delivering import deliver
from memoryhub.handoffs.services.lane import certain, lanes
from memoryhub.handoffs.services.memory import (
    Remembered,
    Sequel,
    Update,
    follow,
    remembered,
    takes_results,
    with_sequel,
)
from memoryhub.handoffs.services.sending import (
    Author,
    Done,
    Terms,
    at_home,
    complete,
    done_for,
    home_of,
    operation_before,
    seconds,
    send,
    tidy,
)
from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.verbs import Payload
from memoryhub.journal.versions import newest_text
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import read_newest


def take(handoff: Handoff, author: Author, *, base: str | None = None) -> Done:
    """Take a handoff: writes one at a time in order, decisions once signed off."""
    return move(handoff, Step("taken", base=base), author)


def move(handoff: Handoff, step: Step, author: Author) -> Done:
    """Apply a step to a handoff's file, in the lane of the workspace that has it.

    Raises:
        Conflict: the handoff moved on since `step.base`; has the current standing.
        NotAllowed: a rule forbids it; names who may, or the handoff it waits for.
        FormatError: ``handoff-unknown``, the handoff is gone.
        FileError: its file cannot be read or written.
    """
    workspace, author = handoff.workspace, author.among(handoff.side, handoff.workspace)
    with lanes(workspace):
        operation = operation_before(workspace, author.key)
        if operation is None:
            now, log = checked(handoff, step, author)
            edit = log.step(now, author, step)
            operation = apply_edit(workspace, edit, clock=lambda: author.at)
        with certain(workspace):
            now = current(handoff)
        deliver(now, author.at)
    return done_for(handoff.side, now, operation)


def checked(handoff: Handoff, step: Step, author: Author) -> tuple[Handoff, Log]:
    """Return a handoff and its log, current and checked; the caller holds its lane.

    Raises:
        Conflict, NotAllowed, FormatError, FileError: as `move` raises them.
    """
    with certain(handoff.workspace):
        handoff = current(handoff)
    log = log_of(handoff, author.at)
    with certain(handoff.workspace):
        handoff = current(handoff)
        if step.base is not None and step.base != handoff.standing:
            raise Conflict(log.path, step.base, handoff.standing)
        lane = Lane()
        if depends_on_lane(step.verb, handoff):
            lane = turns(handoff.workspace, handoff.pk)
        who = author.who._replace(
            role=role_of(handoff.workspace, author.actor, handoff.recipient),
            signers=tuple(handoff.workspace.signers),
        )
        check(step.verb, handoff, who, lane, handoff.pk)
        if step.verb == SIGNED_OFF and (others := _signers_of_sender(handoff)):
            check_signer(author.actor, others)
        if against := why_not_again(step.verb, handoff):
            raise against
    return handoff, log


def _signers_of_sender(handoff: Handoff) -> Sequence[str]:
    """Return who signs decisions of the workspace that sent one; empty for everybody.

    A sign-off where the work is done counts for its decision too.
    """
    rows = Workspace.objects.filter(slug=handoff.origin) if handoff.origin else ()
    return [name for workspace in rows for name in workspace.signers]


#: Characters of a result's first line that are its reason.
_FIRST_LINE = 200


class Reported(NamedTuple):
    """A handoff with its result, and the outcome of its memory update if it had one."""

    done: Done
    memory: Remembered | None = None


def report(
    handoff: Handoff,
    result: Result,
    author: Author,
    *,
    base: str | None = None,
    reason: str = "",
) -> Reported:
    """Report the result of a handoff: done, failed or blocked.

    The memory update goes to the end of the file that its first line names, else of the
    day's log.

    Raises:
        NotAllowed: an unknown status, no reason, or refused by `move`: a late result,
            when the handoff was put back or is finished.
        Conflict, FormatError, FileError: as `move` raises them.
    """
    if result.status not in STATUSES:
        raise NotAllowed("handoff-status", status=result.status)
    if result.task_id not in {"", handoff.task_id}:
        raise NotAllowed("handoff-other-id", task_id=result.task_id)
    result = replace(
        result,
        task_id=handoff.task_id,
        output=tidy(result.output),
        side_effects=tidy(result.side_effects),
        memory_update=tidy(result.memory_update),
    )
    if result.status != DONE and not reason.strip():
        reason = result.output.partition("\n")[0][:_FIRST_LINE]
    with lanes(handoff.workspace):
        then = _memory_edit(handoff, result, author)
        step = Step(result.status, reason, base, result=result, then=then)
        done = move(handoff, step, author)
        return Reported(done, remembered(done.operation, author.at))


def _memory_edit(handoff: Handoff, result: Result, author: Author) -> Sequel | None:
    """Return the edit of a memory file, in the workspace that the result comes from."""
    if not result.memory_update:
        return None
    update = Update(handoff.side, handoff, result.memory_update)
    edit = update.edit(author.actor, f"{author.key}-memory", author.at)
    return Sequel(handoff.side, edit)


def terms_of(handoff: Handoff, at: datetime) -> Terms:
    """Return the terms of a handoff that still hold: a due time only if in the future.

    The topic may be one that its file names and the workspace does not have.
    """
    due, path = handoff.due_at, handoff.file.path
    text = newest_text(handoff.workspace, path) if is_own(path) else ""
    named = handoff.topic.name if handoff.topic else ""
    return Terms(
        due if due and due > at else None, handoff_format.parse(text).topic or named
    )


def hand_off_again(
    handoff: Handoff,
    author: Author,
    *,
    recipient: str = "",
    reason: str = "",
    terms: Terms | None = None,
    base: str | None = None,
) -> Done:
    """Send the same work anew, to another recipient if given; the old one links to it.

    `terms` default to those that still hold. An unfinished handoff is withdrawn, so
    that the work is not done twice.

    Raises:
        NotAllowed: ``handoff-again-open``, the handoff that it was handed off to before
            is not finished; or refused by `send`.
        Conflict, FormatError, FileError: as `move` raises them.
    """
    workspace, task = handoff.side, _same_task(handoff, author, recipient)
    home = home_of(workspace, at_home(workspace, task))
    with lanes(workspace, home, handoff.workspace):
        terms = terms or terms_of(current(handoff), author.at)
        if takes_results(handoff.result_to, is_local=home == workspace):
            terms = terms._replace(result_to=handoff.result_to)
        then = partial(_end, handoff, reason, author, base)
        done = send(workspace, task, author, terms, then)
        follow(done.operation, author.at)
        with certain(home):
            return done_for(workspace, current(done.handoff), done.operation)


def _same_task(handoff: Handoff, author: Author, recipient: str) -> Task:
    return replace(
        task_of(handoff),
        task_id="",
        sender=handoff.sender if author.coordinates else author.actor,
        recipient=recipient or handoff.recipient,
    )


def _end(
    handoff: Handoff, reason: str, author: Author, base: str | None, task_id: str
) -> Sequel:
    """Return the edit that links the old handoff to the new; withdraws an open one."""
    workspace = handoff.workspace
    link = replace(author, key=f"{author.key}-old").among(handoff.side, workspace)
    now, log = checked(handoff, Step(HANDED_OFF_AGAIN, base=base), link)
    again = Step(HANDED_OFF_AGAIN, reason, detail=task_id)
    steps = [Step("withdrawn", reason)] if now.state in UNFINISHED else []
    return Sequel(workspace, log.step(now, link, again, *steps))


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
    for found in _ALIVE(handoff.pk):
        return found
    raise FormatError("handoff-unknown", task_id=handoff.task_id or handoff.code)


_ALIVE: Prepared[Handoff] = Prepared(
    lambda pk: Handoff.objects.select_related("workspace", "file", "topic").filter(
        pk=pk, last_seq__isnull=True
    ),
    int,
)


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
