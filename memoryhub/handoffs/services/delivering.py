"""Delivery of results to the file that the sender of a handoff named for them.

A memory file of its workspace, or an inbox of an agent in a team of Claude Code.

A handoff to another workspace's agent that a file alone has is a problem: a read never
causes a write there.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from itertools import islice

from memoryhub.dialects.agent_team import is_inbox
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.dates import in_utc
from memoryhub.handoffs.log_verbs import ADD_MEMORY, ADD_MESSAGE, SEND
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import called
from memoryhub.handoffs.rules.acting import ACCEPTED, DONE, FAILED, UNFINISHED
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import TWIN_MISSING
from memoryhub.journal.verbs import Payload
from memoryhub.people.roles import is_team
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.scan.walk import ScanProblem
from memoryhub.values.identity import code_of

_STATES, _VERBS = (DONE, FAILED), (DONE, FAILED, ACCEPTED)
_ENDED = {"state__in": _STATES, "last_verb__in": _VERBS}
#: Newest results of a workspace that are looked at after a sync.
_MOST = 50


def undelivered(workspace: Workspace, at: datetime) -> list[tuple[Handoff, Exception]]:
    """Deliver the results of a workspace's handoffs; return those that cannot be."""
    ids = _WITH_RESULTS(workspace.pk)
    rows = Handoff.objects.select_related("file", "workspace").in_bulk(ids)
    tried = [(rows[pk], deliver(rows[pk], at)) for pk in ids if pk in rows]
    return [(row, error) for row, error in tried if error is not None]


_WITH_RESULTS: Prepared[int] = Prepared(
    lambda workspace_id: (
        Handoff.objects.filter(
            workspace_id=workspace_id,
            last_seq__isnull=True,
            result_to__gt="",
            **_ENDED,
        )
        .order_by("-last_at")
        .values_list("pk", flat=True)[:_MOST]
    ),
    int,
)


def deliver(handoff: Handoff, at: datetime) -> Exception | None:
    """Add a result to the sender's file for results; return a reason if that fails.

    Once for a text, however often it is called. Only an operation of sending counts: a
    file alone has nothing written in another workspace.
    """
    ended = handoff.state in _STATES and handoff.last_verb in _VERBS
    if not handoff.result_to or not ended or not _is_wanted(handoff):
        return None
    other = _sender_of(handoff)
    if other is None:
        return None
    try:
        apply_edit(other, _edit(handoff, other, at), clock=lambda: at)
    except (Conflict, FormatError, FileError) as error:
        return error
    return None


def _sender_of(handoff: Handoff) -> Workspace | None:
    """Return the workspace that sent a handoff; None if it was deleted."""
    if not handoff.origin:
        return handoff.workspace
    return Workspace.objects.filter(slug=handoff.origin).first()


def _edit(handoff: Handoff, other: Workspace, at: datetime) -> Edit:
    by = called(handoff.last_actor, handoff.workspace.slug, other.slug)
    name = handoff.name
    head = f"Handoff {name} {handoff.state} by {by}: {handoff.title}"
    parts = (handoff.result or handoff.last_reason, handoff.side_effects)
    text = "\n\n".join(filter(None, (head, *parts)))
    key = sha256(f"{handoff.code}\n{text}".encode()).hexdigest()[:32]
    actor = called(handoff.last_actor, handoff.workspace.slug, other.slug)
    said: Payload = {"row": handoff.code, "label": handoff.task_id}
    if not is_inbox(handoff.result_to):
        edit = said | {"text": text}
        return Edit(handoff.result_to, ADD_MEMORY, edit, actor, key=key)
    message = {
        "from": actor,
        "text": text,
        "summary": text.partition("\n")[0],
        "timestamp": in_utc(at),
    }
    edit = said | {"message": message}
    return Edit(handoff.result_to, ADD_MESSAGE, edit, actor, key=key)


def _is_wanted(handoff: Handoff) -> bool:
    fields = {
        "payload__fields__origin": handoff.origin,
        "payload__fields__result_to": handoff.result_to,
    }
    sent = Operation.objects.filter(workspace=handoff.workspace_id, verb=SEND, **fields)
    return sent.filter(target=handoff.file.path).exists()


#: Problem: a result cannot be appended to the file that its sender asked for.
NOT_DELIVERED = "result-not-delivered"


def after_sync(workspace: Workspace, at: datetime) -> list[ScanProblem]:
    """Deliver results written by hand; return problems between workspaces."""
    left = [
        ScanProblem(row.file.path, NOT_DELIVERED, f"{row.origin}/{row.result_to}")
        for row, _ in undelivered(workspace, at)
    ]
    return [*left, *islice(_not_sent(workspace), _MOST)]


def _not_sent(workspace: Workspace) -> Iterator[ScanProblem]:
    """Yield a problem per handoff to another workspace that only a file here has."""
    said = _ELSEWHERE(workspace.pk)
    named = {recipient.partition("/")[0] for _, recipient, _ in said}
    elsewhere = _known(named) - {workspace.slug, ""}
    for row_id, recipient, path in said:
        slug, _, agent = recipient.partition("/")
        if agent and slug in elsewhere:
            yield ScanProblem(path, TWIN_MISSING, recipient, code_of(row_id))


#: Unfinished tasks for agents of other workspaces that no file there has.
_ELSEWHERE: Prepared[tuple[int, str, str]] = Prepared(
    lambda workspace_id: (
        Handoff.objects.filter(
            workspace_id=workspace_id,
            last_seq__isnull=True,
            state__in=UNFINISHED,
            twin="",
            recipient__contains="/",
        )
        .order_by("first_seq", "position")
        .values_list("pk", "recipient", "file__path")
    ),
    int,
)


def _known(slugs: set[str]) -> set[str]:
    """Return those of these slugs that workspaces have; in a team all of them.

    A problem here would tell people of this workspace which others exist.
    """
    if is_team() or not slugs:
        return slugs
    rows = Workspace.objects.filter(slug__in=slugs)
    return set(rows.order_by().values_list("slug", flat=True))
