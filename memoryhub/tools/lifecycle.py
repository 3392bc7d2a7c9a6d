"""Tool that receives hosts' lifecycle events and returns their hooks' output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field

from memoryhub.dialects.host_events import BEFORE_EDIT, CLAUDE_CODE, OPENCLAW
from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.tools import lifecycle_claude, lifecycle_edits, lifecycle_openclaw
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.quoting import with_notice

#: Handler of an event: the host's data to the hook's output, None for none.
Handler = Callable[[Caller, Mapping[str, Any]], Any]

#: Handlers by host and by its event names.
HANDLERS: Mapping[str, Mapping[str, Handler]] = {
    OPENCLAW: {**lifecycle_openclaw.HANDLERS, **lifecycle_edits.OPENCLAW_HANDLERS},
    CLAUDE_CODE: {**lifecycle_claude.HANDLERS, **lifecycle_edits.CLAUDE_HANDLERS},
}

#: Read-only events: the agent waits for a context.
_ASKING = BEFORE_EDIT | {"before_prompt_build", "SessionStart", "UserPromptSubmit"}
#: Those of them that are answered without imported rows: from the hub's own tables, or
#: from the session map and the topic's file as they are on disk.
_STORED = BEFORE_EDIT | {"before_prompt_build"}


class LifecycleRequest(Request):
    """A lifecycle event, as its host sends it."""

    host: str = Field(max_length=40, description="The program, such as openclaw")
    event: str = Field(max_length=80, description="The event, by the host's own name")
    said: dict[str, Any] = Field(
        default_factory=dict,
        description='Data of the host: from OpenClaw {"event": {...}, "ctx": {...}},'
        " from Claude Code the input of its hook",
    )


class LifecycleAnswer(Answer):
    """The output for the host's hook; null for none."""

    output: Any = None

    def as_text(self) -> str:
        """Return the fields as JSON, quoted if there is output."""
        fields = super().as_text()
        return fields if self.output is None else with_notice(quoted(fields))


@tool(
    "Tell of an event in an agent's life",
    Scope.MEMORY,
    reading=lambda r: r.event in _ASKING,
    stored=lambda r: r.event in _STORED,
)
def lifecycle_event(caller: Caller, request: LifecycleRequest) -> LifecycleAnswer:
    """Report a host's lifecycle event; the answer is the hook's output.

    For the hooks of hosts, not for models: before a prompt is built the bound topic's
    context is given, before and after a compaction and before a reset it is saved.
    """
    handler = HANDLERS.get(request.host, {}).get(request.event)
    if handler is None:
        name = f"{request.host} {request.event}"
        raise ToolError("not-found", what="lifecycle event", name=name)
    return LifecycleAnswer(output=handler(caller, request.said))


TOOLS = (lifecycle_event,)
