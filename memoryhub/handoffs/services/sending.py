"""Sending and lookup of handoffs.

Both are decided in the lane of the workspace, so that they still hold when written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils import timezone

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.handoff import (
    MAX_CONTEXT,
    PRIORITIES,
    TYPES,
    Fields,
    LogLine,
    Task,
    listed_in,
)
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.dates import in_utc
from memoryhub.formats.text.line_edits import one_line
from memoryhub.handoffs.log_verbs import SEND, step_payload, task_payload
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.ids import handoffs_named, is_used, last_number
from memoryhub.handoffs.queries.lane import named_at
from memoryhub.handoffs.queries.sides import called, seen_from
from memoryhub.handoffs.queries.waiting import Deadlock, deadlock_with
from memoryhub.handoffs.rules.acting import Actor, NotAllowed
from memoryhub.handoffs.rules.fields import is_id
from memoryhub.handoffs.rules.parties import is_agent_named
from memoryhub.handoffs.services.lane import certain, lanes
from memoryhub.handoffs.services.memory import Sequel, takes_results, with_sequel
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import (
    Conflict,
    Edit,
    operation_of_key,
)
from memoryhub.sync.edit.writing import read_newest
from topics.services.topics import new_key

_NAME_SIZE, _KEY_SIZE = 100, 32
#: Most handoffs of one id that a refusal lists.
_CHOICES = 5


@dataclass(frozen=True, slots=True)
class Author:
    """The caller, the time and the idempotency key of a change.

    `bound`: no effects in other workspaces. `person`: signed in to the hub's pages,
    never a program.
    """

    actor: str
    coordinates: bool = False
    key: str = field(default_factory=new_key)
    at: datetime = field(default_factory=timezone.now)
    bound: bool = False
    person: bool = False

    @property
    def who(self) -> Actor:
        return Actor(self.actor, self.coordinates, self.person)

    def among(self, here: Workspace, there: Workspace) -> Author:
        """Return a caller of one workspace by its name and key in another one."""
        if here.pk == there.pk:
            return self
        key = sha256(f"{here.uuid}\n{self.key}".encode()).hexdigest()[:_KEY_SIZE]
        return replace(self, actor=called(self.actor, here.slug, there.slug), key=key)


class Terms(NamedTuple):
    """Due time and topic of a handoff.

    `result_to`: file of the sender's workspace that gets the result: an inbox of Claude
    Code's teams, or a memory file if the work is done in another workspace.
    """

    due: datetime | None = None
    topic: str = ""
    result_to: str = ""


NO_TERMS = Terms()


class Done(NamedTuple):
    """A handoff after a change, its operation, and the deadlock it closed, if any."""

    handoff: Handoff
    operation: Operation
    deadlock: Deadlock | None = None


def send(
    workspace: Workspace,
    task: Task,
    author: Author,
    terms: Terms = NO_TERMS,
    then: Callable[[str], Sequel] | None = None,
) -> Done:
    """Send a task; without an id it gets the next one of the day.

    A recipient ``workspace/agent`` gets it in that workspace. `then` returns, for the
    new id, the edit that has to follow.

    Raises:
        NotAllowed: a part is missing, too long or another agent's; or its id is taken.
        FormatError: a value that would not parse back, such as a template's
            placeholder.
    """
    task = _checked(at_home(workspace, task), author)
    home = home_of(workspace, task)
    is_local = home == workspace
    if (path := terms.result_to) and not takes_results(path, is_local=is_local):
        raise NotAllowed("handoff-result-to", path=path)
    by = author.among(workspace, home)
    with lanes(workspace, home):
        operation = operation_before(home, by.key)
        if operation is None:
            task_id = _free_id(workspace, home, task.task_id, author.at)
            due = stamp(terms.due, workspace) if terms.due else ""
            origin = "" if is_local else workspace.slug
            fields = Fields(due, terms.topic, origin=origin, result_to=path)
            task = _named_in(home, workspace, replace(task, task_id=task_id))
            task = _after_at(home, workspace, task, bound=author.bound)
            operation = _make(home, task, fields, by, then and then(task_id))
        with certain(home):
            sent = sent_by(operation)
    return done_for(workspace, sent, operation)


def home_of(workspace: Workspace, task: Task) -> Workspace:
    """Return the workspace that does a task's work; its recipient can name another."""
    slug, _, agent = task.recipient.partition("/")
    other = Workspace.objects.filter(slug=slug).first() if agent else None
    return other or workspace


def at_home(workspace: Workspace, task: Task) -> Task:
    """Return a task without its own workspace's prefix in the recipient."""
    own = f"{workspace.slug}/"
    return replace(task, recipient=task.recipient.strip().removeprefix(own))


def done_for(side: Workspace, handoff: Handoff, operation: Operation) -> Done:
    """Return a change as the workspace sees it from which it was made."""
    (seen,) = seen_from([side], [handoff])
    return Done(seen, operation, deadlock_with(seen))


def _named_in(home: Workspace, workspace: Workspace, task: Task) -> Task:
    """Return a task with the names that agents have where the work is done."""
    if home == workspace:
        return task
    slugs = workspace.slug, home.slug
    sender, recipient = called(task.sender, *slugs), called(task.recipient, *slugs)
    is_named = is_agent_named(task.review)
    review = called(task.review, *slugs) if is_named else task.review
    return replace(task, sender=sender, recipient=recipient, review=review)


def _after_at(
    home: Workspace, workspace: Workspace, task: Task, *, bound: bool
) -> Task:
    """Return a task with the names of others that it waits for, as its home has them.

    Raises:
        NotAllowed: ``handoff-after-unknown``.
    """
    if not (task.after or task.parent):
        return task
    with certain(*{workspace.pk: workspace, home.pk: home}.values()):
        after = named_at(home, workspace, listed_in(task.after), bound=bound)
        parents = filter(None, [task.parent])
        parent = named_at(home, workspace, parents, bound=bound)
    return replace(task, after=", ".join(after), parent="".join(parent))


def find(workspace: Workspace, name: str) -> Handoff:
    """Return the handoff with a task id, or with a row code if the id is ambiguous.

    Raises:
        FormatError: ``handoff-unknown``, there is none.
        NotAllowed: ``handoff-ambiguous``, with the codes to choose from.
    """
    with certain(workspace):
        return look_up(workspace, name)


def look_up(workspace: Workspace, name: str) -> Handoff:
    """Return the handoff of a name, as `find`, but from rows as they are."""
    found = handoffs_named(workspace, name)
    if not found:
        raise FormatError("handoff-unknown", task_id=name)
    if len(found) > 1:
        named = [f"{h.code} in {h.file.path}:{h.first_line}" for h in found]
        more = ["…"] * (len(named) > _CHOICES)
        choices = ", ".join(named[:_CHOICES] + more)
        raise NotAllowed("handoff-ambiguous", task_id=name, choices=choices)
    return found[0]


def operation_before(workspace: Workspace, key: str) -> Operation | None:
    """Return the operation of an idempotency key, if there is one.

    Raises:
        Conflict: it was withdrawn, since the file had other content.
    """
    operation = operation_of_key(workspace, key)
    if operation is not None and operation.state == Operation.State.WITHDRAWN:
        raise Conflict(operation.target, operation.base, operation.reason)
    return operation


def sent_by(operation: Operation) -> Handoff:
    """Return the handoff that an operation created.

    Raises:
        FormatError: ``handoff-unknown``, it is gone by now.
    """
    task_id = operation.payload["task"]["task_id"]
    for found in _SENT(operation.workspace_id, task_id, operation.target):
        return found
    raise FormatError("handoff-unknown", task_id=task_id)


_SENT: Prepared[Handoff] = Prepared(
    lambda workspace_id, task_id, path: (
        Handoff.objects.select_related("workspace", "file")
        .filter(
            workspace_id=workspace_id,
            task_id=task_id,
            last_seq__isnull=True,
            file__path=path,
        )
        .order_by("pk")[:1]
    ),
    int,
    str,
    str,
)


def _checked(task: Task, author: Author) -> Task:
    """Return the task tidied, if this caller may send it; raise `NotAllowed` else."""
    task = replace(task, sender=task.sender.strip() or author.actor)
    if task.sender != author.actor and not author.coordinates:
        raise NotAllowed("handoff-not-yours", who=task.sender, actor=author.actor)
    if author.bound and "/" in task.recipient:
        raise NotAllowed("handoff-elsewhere", to=task.recipient)
    if task.type.strip() and task.type not in TYPES:
        raise NotAllowed("handoff-type", type=task.type)
    if task.priority not in ("", *PRIORITIES):
        raise NotAllowed("handoff-priority", priority=task.priority)
    if task.task_id and not is_id(task.task_id):
        raise NotAllowed("handoff-id-invalid", task_id=task.task_id)
    return complete(task)


def complete(task: Task) -> Task:
    """Return a task as it will parse back, if nothing is missing or too long.

    Raises:
        NotAllowed: ``handoff-part-missing`` or ``handoff-part-long``, with the part.
    """
    needed = ("recipient", "type", "context", "input")
    missing = [name for name in needed if not getattr(task, name).strip()]
    missing = ["to" if name == "recipient" else name for name in missing]
    if missing == ["type"]:
        raise NotAllowed("handoff-type", type="")
    if missing:
        raise NotAllowed("handoff-part-missing", part=", ".join(missing))
    if max(len(task.sender), len(task.recipient)) > _NAME_SIZE:
        raise NotAllowed("handoff-part-long", part="to", most=_NAME_SIZE)
    if len(task.review) > _NAME_SIZE:
        raise NotAllowed("handoff-part-long", part="review", most=_NAME_SIZE)
    if len(task.context) > MAX_CONTEXT:
        raise NotAllowed("handoff-part-long", part="context", most=MAX_CONTEXT)
    return Task(
        task.task_id,
        one_line(tidy(task.sender)),
        one_line(tidy(task.recipient)),
        task.type,
        tidy(task.context),
        tidy(task.input),
        tidy(task.expected_output),
        tidy(task.constraints),
        after=", ".join(listed_in(tidy(task.after))),
        parent=" ".join(tidy(task.parent).split()),
        repository=" ".join(tidy(task.repository).split()),
        paths=", ".join(listed_in(tidy(task.paths))),
        priority=task.priority if task.priority != "normal" else "",
        review=" ".join(tidy(task.review).split()),
    )


def tidy(text: str) -> str:
    """Return a text as a block in a file gives it back.

    Raises:
        NotAllowed: ``handoff-not-plain``, it contains a NUL.
    """
    if "\0" in text:
        raise NotAllowed("handoff-not-plain")
    return text.strip().replace("\r\n", "\n").replace("\r", "\n").strip()


def _free_id(workspace: Workspace, home: Workspace, wanted: str, at: datetime) -> str:
    """Return the task id to send, unused in both workspaces.

    Raises:
        NotAllowed: ``handoff-id-taken``, the wanted one is used.
    """
    places = [*{workspace.pk: workspace, home.pk: home}.values()]
    if wanted:
        if not all(_is_free(place, wanted, at) for place in places):
            raise NotAllowed("handoff-id-taken", task_id=wanted)
        return wanted
    day = at.astimezone(ZoneInfo(workspace.time_zone)).strftime("%Y%m%d")
    with certain(*places):
        first = 1 + last_number(places, day)
    return next(
        task_id
        for task_id in (f"{day}-{number:02d}" for number in count(first))
        if all(_is_free(place, task_id, at) for place in places)
    )


def _is_free(workspace: Workspace, task_id: str, at: datetime) -> bool:
    """Return whether neither a row nor a file, recorded or not, has this id."""
    path = handoff_format.path_of(task_id)
    return (
        not is_used(workspace, task_id)
        and read_newest(workspace, path, at).file is None
    )


def _make(
    workspace: Workspace,
    task: Task,
    fields: Fields,
    author: Author,
    then: Sequel | None,
) -> Operation:
    line = LogLine(seconds(author.at), author.actor, "sent")
    payload = task_payload(task, fields) | step_payload(line)
    path = handoff_format.path_of(task.task_id)
    said = with_sequel(payload, then)
    edit = Edit(path, SEND, said, author.actor, base="", key=author.key)
    return apply_edit(workspace, edit, clock=lambda: author.at)


def seconds(at: datetime) -> datetime:
    """Return a time as logs have it: UTC, whole seconds."""
    return at.astimezone(UTC).replace(microsecond=0)


def stamp(at: datetime, workspace: Workspace) -> str:
    """Return a time as a handoff's file has it; a naive one is in the workspace's zone.

    Raises:
        NotAllowed: ``handoff-due``, out of the calendar's range.
    """
    zone = at.tzinfo or ZoneInfo(workspace.time_zone)
    try:
        return in_utc(seconds(at.replace(tzinfo=zone)))
    except OverflowError as error:
        raise NotAllowed("handoff-due", due=at.isoformat()) from error
