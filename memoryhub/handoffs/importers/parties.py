"""The other workspace that takes part in a handoff, and the decision it asks for.

On one's own machine the file states both. In a team whoever writes files of one
workspace has no rights in others: there only a sending through the hub counts, which
has checked them, and for a decision only its text then.
"""

from __future__ import annotations

from memoryhub.formats.hub.handoff import Fields, Task
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.log_verbs import SEND
from memoryhub.handoffs.rules.acting import DECISION
from memoryhub.journal.changes import Change
from memoryhub.journal.models import Operation
from memoryhub.people.roles import is_team
from topics.models import Decision


def columns_of_parties(
    change: Change, task: Task, fields: Fields
) -> dict[str, str | int | None]:
    """Return the columns about another workspace that takes part, and the decision.

    Older versions wrote the file twice, each with the other one as its `twin`.
    """
    twin = fields.twin[:200]
    slug, _, _ = twin.partition("/")
    origin = fields.origin[:200] or slug
    if slug and task.recipient.startswith(f"{slug}/"):
        origin = ""
    else:
        twin = ""
    asked = first_sentence(task.context) if task.type == DECISION else ""
    if origin and is_team():
        said = _text_sent(change, task, fields)
        origin = origin if said is not None else ""
        asked = asked if said is None or first_sentence(said) == asked else ""
    decision = Decision.id_of(change.workspace.uuid, asked) if asked else None
    return {"twin": twin, "origin": origin, "decision_id": decision}


def _text_sent(change: Change, task: Task, fields: Fields) -> str | None:
    """Return the context with which the hub sent a task; None if it did not."""
    sent = Operation.objects.order_by().filter(
        workspace=change.workspace.id,
        verb=SEND,
        target__in={change.path, change.origin},
        payload__task__task_id=task.task_id,
    )
    for payload in sent.values_list("payload", flat=True):
        stated = payload["fields"]
        wanted = (stated.get("origin", ""), stated.get("twin", ""))
        if wanted == (fields.origin, fields.twin):
            return str(payload["task"]["context"])
    return None
