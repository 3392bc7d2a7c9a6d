"""MCP prompts for the moments before and after a compaction."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from memoryhub.errors.base import ToolError
from memoryhub.mcp.connections import Connection
from memoryhub.mcp.tools import answer_text

_CAPTURE = """\
Save where the task stands, before the context is compacted or the session ends.

1. Call snapshot_save once, with everything somebody who knows nothing of this
   conversation needs: the goal in words a newcomer understands, the phase and what
   blocks it, every file in play by its absolute path, every decision with its reason,
   names and values exactly as they are, and the next steps in order.
2. Where a topic has a file of its own, call context_snap with the action checkpoint,
   so that its status and its decisions are there too.
3. Say in one line what was saved. Do not go on before the calls have answered.
{topic}
{signs}"""
_RECOVERY = """\
The context was compacted, or this session has just begun. Below is what is remembered.

1. Tell the user in three lines at most what you were doing, what was decided last and
   what comes next, and ask whether that is right.
2. What is missing below: look for it with memory_search, then memory_get.
3. Files and facts may have changed since: look at the source before you rely on one.
   Where memory is wrong, the source is right: say so with trust_source.
"""
_ARGUMENTS = [
    PromptArgument(name="topic", description="The topic it is about, if any."),
    PromptArgument(
        name="workspace", description="Its short name, where there are several."
    ),
]

PROMPTS: Mapping[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            name="capture",
            title="Save a snapshot before a compaction",
            description="Use it when a compaction is near, or a piece of work ends.",
            arguments=_ARGUMENTS,
        ),
        Prompt(
            name="recovery",
            title="Go on after a compaction",
            description="Use it when the context was compacted, or a session begins.",
            arguments=_ARGUMENTS,
        ),
    )
}


def prompt_for(
    name: str, arguments: Mapping[str, str], connection: Connection
) -> GetPromptResult:
    """Return the messages of a prompt.

    Raises:
        ToolError: ``not-found``, no such prompt; and those of the tools it calls.
        NoSuchWorkspace: no workspace of this name, or none named and several exist.
    """
    if name not in PROMPTS:
        raise ToolError("not-found", what="prompt", name=name)
    caller = connection.reader(arguments.get("workspace", ""))
    topic = arguments.get("topic", "")
    if name == "capture":
        about = f"\nThe topic is: {topic}\n" if topic else ""
        signs = answer_text(caller, "compaction_signs", {})
        texts = [_CAPTURE.format(topic=about, signs=signs)]
    else:
        fields = {"topic": topic} if topic else {}
        texts = [_RECOVERY, answer_text(caller, "recall", fields)]
    return GetPromptResult(
        description=PROMPTS[name].title,
        messages=[
            PromptMessage(role="user", content=TextContent(type="text", text=text))
            for text in texts
        ],
    )
