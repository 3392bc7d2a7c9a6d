"""Hook events before an edit: refused where another agent holds the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memoryhub.claims.models import FileClaim
from memoryhub.claims.places import names_of_file
from memoryhub.claims.queries import (
    Holder,
    claim_line,
    holders_of_file,
    live_claims,
)
from memoryhub.dialects.host_events import (
    HostEvent,
    edited_file,
    event_from,
    refusal_answer,
    session_id,
)
from memoryhub.people.callers import Caller

HostData = Mapping[str, Any]


def holders(caller: Caller, holder: Holder, file: Path) -> list[FileClaim]:
    """Return the claims of others on a file, if this holder has none on it itself."""
    live = live_claims(caller.workspace, caller.clock())
    if not live:
        return []
    return holders_of_file(
        live, holder, names_of_file(file, Path(caller.workspace.root))
    )


def _before_edit(caller: Caller, event: HostEvent, path: str) -> str:
    """Return why an agent should leave a file alone; "" if nobody holds it."""
    if not path:
        return ""
    file = Path(event.folder or caller.workspace.root, path)
    held = holders(caller, Holder(event.agent, session_id(event.session)), file)
    if not held:
        return ""
    lines = [claim_line(claim, caller.workspace, event.agent) for claim in held]
    return (
        "MemoryHub: another agent or session holds this file. Do something else, ask"
        " the holder, or wait until the claim ends; files_claim with force overrides"
        " it.\n" + "\n".join(f"> {line}" for line in lines)
    )


def _handler(name: str) -> Callable[[Caller, HostData], dict[str, Any] | None]:
    def handle(caller: Caller, data: HostData) -> dict[str, Any] | None:
        event = event_from(name, data, caller.agent)
        why = _before_edit(caller, event, edited_file(name, data))
        return refusal_answer(name, why) if why else None

    return handle


CLAUDE_HANDLERS = {"PreToolUse": _handler("PreToolUse")}
OPENCLAW_HANDLERS = {"before_tool_call": _handler("before_tool_call")}
