"""Claude Code's five hook events, and the context returned to its agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from memoryhub.claims.queries import Holder, claim_line, ended_for
from memoryhub.claims.services import end_session
from memoryhub.dialects.host_events import (
    HostEvent,
    context_answer,
    event_from,
    session_id,
)
from memoryhub.dialects.topic_context import reset_text
from memoryhub.formats.injection import HUB_HEADER, quoted
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import pools_of
from memoryhub.handoffs.queries.messages import messages_to, moved_lines
from memoryhub.handoffs.queries.sides import last_seq_at
from memoryhub.people.callers import Caller
from memoryhub.recall.topic import recall_of
from memoryhub.sync.edit.gate import is_private
from memoryhub.tools.models import HeardSession
from memoryhub.tools.recall import request_for
from memoryhub.tools.snap_memory import utc_day
from topics.models import Topic
from topics.queries.topics import with_content
from topics.services.checkpoints import auto_save, bound_topic, topic_text
from topics.services.topics import Author

HostData = Mapping[str, Any]

#: Token budget: Claude Code sets a context of more than 10,000 characters aside.
_BUDGET = 2_000
_HANDOFFS, _LINE = 10, 160

#: Phrases of a prompt that ask for a snapshot, or for a recall.
_SAVE = ("save snapshot", "checkpoint", "big-memory save", "存一下")
_RESTORE = ("restore context", "you forgot", "what was i working on", "where were we")
_ASK_TO_SAVE = "A snapshot was asked for: call MemoryHub's snapshot_save now."


def _session_start(caller: Caller, event: HostEvent, data: HostData) -> str:
    """Return the recall of the session's topic, else of the whole workspace."""
    _note_notified(caller, event)
    return _recalled(caller, event)


def _prompt(caller: Caller, event: HostEvent, data: HostData) -> str:
    """Return the memory that a prompt asks for, and news of handoffs."""
    words = str(data.get("prompt", ""))[:_LINE].casefold()
    parts = [_ASK_TO_SAVE] if any(word in words for word in _SAVE) else []
    if any(word in words for word in _RESTORE):
        parts.append(_recalled(caller, event))
    parts += _news(caller, event)
    return "\n\n".join(part for part in parts if part)


def _pre_compact(caller: Caller, event: HostEvent, data: HostData) -> str:
    """Add the compaction to the topic's history; bind the session to its topic."""
    topic = _topic_of(caller, event)
    if topic:
        _keep(caller, topic, event, "compaction")
    return ""


def _stop(caller: Caller, event: HostEvent, data: HostData) -> str:
    """Record that the session is alive."""
    _note_heard(caller, event)
    return ""


def _session_end(caller: Caller, event: HostEvent, data: HostData) -> str:
    """Add the end to the topic's history, if the session has a topic with a file.

    Its claims of files are its agent's from now on.
    """
    topic = _topic_of(caller, event)
    if topic and topic_text(caller.workspace, topic) is not None:
        _keep(caller, topic, event, event.trigger[:_LINE] or "the session's end")
    _note_heard(caller, event, ended_at=caller.clock())
    end_session(caller.workspace, session_id(event.session))
    return ""


def _topic_of(caller: Caller, event: HostEvent) -> str:
    bound = event.session and bound_topic(caller.workspace, event.session)
    return bound or event.topic


def _keep(caller: Caller, topic: str, event: HostEvent, before: str) -> None:
    day = utc_day(caller)
    author = Author(caller.actor, day, caller.operation_key("line"))
    auto_save(caller.workspace, topic, event.session, reset_text(day, before), author)


def _recalled(caller: Caller, event: HostEvent) -> str:
    """Return the recall of the session's topic if it has content, else of all."""
    topic = None
    if name := _topic_of(caller, event):
        named = Topic.objects.filter(workspace=caller.workspace, name=name)
        topic = with_content(named).select_related("file__blob", "workspace").first()
    holder = Holder(event.agent, session_id(event.session))
    request = request_for(caller, event.agent, holder, _BUDGET)
    return recall_of(caller.workspace, topic, request).text


def _news(caller: Caller, event: HostEvent) -> list[str]:
    """Return news of handoffs since the session's last notification, and note it."""
    heard = HeardSession.objects.filter(
        workspace=caller.workspace, session=event.session
    ).first()
    told_at = heard.told_at if heard else None
    news = [_new_handoffs(caller, event, told_at)]
    if told_at and event.agent:
        news.append(_moved_handoffs(caller, event, told_at))
        news.append(_ended_claims(caller, event, told_at))
        news.append(_messages(caller, event, told_at))
    if any(news) or not told_at:
        _note_notified(caller, event)
    return news


def _new_handoffs(caller: Caller, event: HostEvent, since: datetime | None) -> str:
    """Return new handoffs to this agent, since a time if one is given."""
    pools = pools_of(caller.workspace, event.agent)
    waiting = Handoff.objects.filter(
        Q(recipient__iexact=event.agent) | Q(recipient__in=pools),
        workspace=caller.workspace,
        state=Handoff.State.OPEN,
        last_seq__isnull=True,
        first_seq__gt=last_seq_at(caller.workspace.pk, since) if since else 0,
    )
    lines = []
    for handoff in waiting.order_by("first_seq")[:_HANDOFFS]:
        context = " ".join((handoff.context or handoff.input).split())[:_LINE]
        lines.append(f"{handoff.task_id} from {handoff.sender}: {context}")
    how = (
        "New handoffs to you; call MemoryHub's handoff_list for all of them, with ready"
        " for those that you can take now."
    )
    return _listed(how, lines)


def _moved_handoffs(caller: Caller, event: HostEvent, since: datetime) -> str:
    """Return others' moves since a time on handoffs by, to or reviewed by the agent."""
    lines = moved_lines(
        caller.workspace, event.agent, since, caller.now(), private=caller.private
    )
    how = (
        "News of your handoffs; call MemoryHub's handoff_list with a task_id for the"
        " whole of one."
    )
    return _listed(how, lines)


def _messages(caller: Caller, event: HostEvent, since: datetime) -> str:
    """Return others' messages to the agent since a time."""
    found = messages_to(caller.workspace, event.agent, since)
    if not caller.private:
        found = [m for m in found if not is_private(m.handoff.file.path)]
    lines = [message.line for message in found[-_HANDOFFS:]]
    how = (
        "Messages to you; answer with MemoryHub's handoff_update, action message, and"
        " the handoff's id."
    )
    return _listed(how, lines)


def _ended_claims(caller: Caller, event: HostEvent, since: datetime) -> str:
    """Return the agent's claims of files that others have ended since a time."""
    ended = ended_for(caller.workspace, event.agent, since)
    lines = [
        f"{claim_line(claim, caller.workspace)} -- ended by {claim.ended_by}"
        for claim in ended
    ]
    return _listed("Your claims of these files were ended before their time.", lines)


def _listed(how: str, lines: Sequence[str]) -> str:
    """Return quoted lines under a heading; "" without lines."""
    return f"{HUB_HEADER}\n{how}\n{quoted(chr(10).join(lines))}" if lines else ""


def _note_notified(caller: Caller, event: HostEvent) -> None:
    _note_heard(caller, event, told_at=caller.clock())


def _note_heard(caller: Caller, event: HostEvent, **told: datetime) -> None:
    if event.session:
        HeardSession.objects.update_or_create(
            workspace=caller.workspace,
            session=event.session[:500],
            defaults={
                "agent": event.agent[:200],
                "heard_at": caller.clock(),
                "ended_at": None,
                **told,
            },
        )


def _handler(
    name: str, answer: Callable[[Caller, HostEvent, HostData], str]
) -> Callable[[Caller, HostData], dict[str, Any] | None]:
    def handle(caller: Caller, data: HostData) -> dict[str, Any] | None:
        context = answer(caller, event_from(name, data, caller.agent), data)
        return context_answer(name, context) if context else None

    return handle


HANDLERS = {
    name: _handler(name, answer)
    for name, answer in {
        "SessionStart": _session_start,
        "UserPromptSubmit": _prompt,
        "PreCompact": _pre_compact,
        "Stop": _stop,
        "SessionEnd": _session_end,
    }.items()
}
