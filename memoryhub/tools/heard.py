"""Sessions of hosts that report through hooks: which of them are alive."""

from __future__ import annotations

from memoryhub.claims.queries import Holder
from memoryhub.dialects.host_events import claude_session_key, session_id
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.tools.models import HeardSession


def claiming_session(caller: Caller) -> str:
    """Return the id of the session for which a caller claims files; "" for its agent.

    The one that the call names, unless it has ended; else that of the host which
    started the calling process, if hooks report it: a host that begins a new session in
    the same process reports the end of the former.
    """
    named = session_id(caller.session)
    if named:
        return "" if is_alive(caller.workspace, caller.name, named) is False else named
    own = caller.host_session
    return own if own and is_alive(caller.workspace, caller.name, own) else ""


def holder_of(caller: Caller) -> Holder:
    """Return a caller as the holder of claims."""
    return Holder(caller.name, claiming_session(caller))


def is_alive(workspace: Workspace, agent: str, session: str) -> bool | None:
    """Return whether a session of Claude Code is alive; None if no hook reports it."""
    key = claude_session_key(agent, session)
    rows = HeardSession.objects.filter(workspace=workspace, session=key)
    ends = rows.values_list("ended_at", flat=True)
    return next((end is None for end in ends), None)
