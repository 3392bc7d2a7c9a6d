"""Results appended to a file of the workspace that sent the handoff and wants them."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.log_verbs import ADD_MEMORY, SEND
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.sides import called
from memoryhub.handoffs.rules.acting import ACCEPTED, DONE, FAILED
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit

_STATES, _VERBS = (DONE, FAILED), (DONE, FAILED, ACCEPTED)
_ENDED = {"state__in": _STATES, "last_verb__in": _VERBS}
#: Newest results of a workspace that are looked at after a sync.
_MOST = 50


def undelivered(workspace: Workspace, at: datetime) -> list[tuple[Handoff, Exception]]:
    """Deliver the results of a workspace's handoffs; return those that cannot be."""
    rows = Handoff.objects.filter(workspace=workspace, last_seq__isnull=True, **_ENDED)
    sent = rows.filter(origin__gt="", result_to__gt="").select_related("file")
    tried = [(row, deliver(row, at)) for row in sent.order_by("-last_at")[:_MOST]]
    return [(row, error) for row, error in tried if error is not None]


def deliver(handoff: Handoff, at: datetime) -> Exception | None:
    """Append a result to the sender's file for results; return a reason if that fails.

    Once for a text, however often it is called. Only an operation of sending counts: a
    file alone has nothing written in another workspace.
    """
    ended = handoff.state in _STATES and handoff.last_verb in _VERBS
    if not handoff.result_to or not ended or not _is_wanted(handoff):
        return None
    other = Workspace.objects.filter(slug=handoff.origin).first()
    if other is None:
        return None
    text = _text(handoff)
    key = sha256(f"{handoff.code}\n{text}".encode()).hexdigest()[:32]
    said = {"row": handoff.code, "label": handoff.task_id, "text": text}
    actor = called(handoff.last_actor, handoff.workspace.slug, other.slug)
    edit = Edit(handoff.result_to, ADD_MEMORY, said, actor, key=key)
    try:
        apply_edit(other, edit, clock=lambda: at)
    except (Conflict, FormatError, FileError) as error:
        return error
    return None


def _is_wanted(handoff: Handoff) -> bool:
    fields = {
        "payload__fields__origin": handoff.origin,
        "payload__fields__result_to": handoff.result_to,
    }
    sent = Operation.objects.filter(workspace=handoff.workspace_id, verb=SEND, **fields)
    return sent.filter(target=handoff.file.path).exists()


def _text(handoff: Handoff) -> str:
    """Return the result as a memory file has it."""
    name, by = handoff.name, f"{handoff.workspace.slug}/{handoff.last_actor}"
    head = f"Handoff {name} {handoff.state} by {by}: {handoff.title}"
    parts = (handoff.result or handoff.last_reason, handoff.side_effects)
    return "\n\n".join(filter(None, (head, *parts)))
