"""Request models of the handoff tools."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from memoryhub.tools.base import Request

_TEXT, _LONG, _NAME = 5_000, 100_000, 100
#: Filter by state; empty for all.
State = Literal[
    "",
    "open",
    "in_progress",
    "blocked",
    "returned",
    "review",
    "done",
    "failed",
    "withdrawn",
]

TASK_ID = Field(
    min_length=1,
    max_length=100,
    description="Its id, such as 20261120-03, or its code if the id is ambiguous.",
)
BASE = Field(
    None,
    max_length=300,
    description="The handoff's `standing` as you have seen it: refused if it moved on.",
)


class SendRequest(Request):
    """A task for another agent: in fields, or as one `<task>` block."""

    needed = ("to", "type", "context", "input")
    instead = "xml"

    to: str = Field(
        "",
        max_length=_NAME,
        description="Required without xml. Who shall do it: an agent, workspace/agent,"
        " role:NAME or any for the first that takes it, or you for a person.",
    )
    type: Literal["", "read_only", "write", "decision"] = Field(
        "",
        description="Required without xml. read_only runs beside others; writes run one"
        " at a time; a decision waits until a person signs it off.",
    )
    context: str = Field(
        "",
        max_length=_TEXT,
        description="Required without xml. What it is about, in at most 200"
        " characters.",
    )
    input: str = Field(
        "",
        max_length=_LONG,
        description="Required without xml. What to work from: files, facts, questions.",
    )
    expected_output: str = Field(
        "", max_length=_LONG, description="What has to come of it."
    )
    constraints: str = Field(
        "", max_length=_LONG, description="What must not be done, limits, conditions."
    )
    after: list[str] = Field(
        [],
        max_length=50,
        description="Ids of handoffs that have to be done before it can be taken.",
    )
    parent: str = Field(
        "", max_length=_NAME, description="The handoff that it is part of."
    )
    repository: str = Field(
        "",
        max_length=_NAME,
        description="For a write: the only repository that it touches; it runs beside"
        " writes of others.",
    )
    paths: list[str] = Field(
        [],
        max_length=100,
        description="For a write: the only files or folders that it touches; it runs"
        " beside writes that name others.",
    )
    priority: Literal["high", "normal", "low"] = Field(
        "normal", description="Which of the writes that wait is first."
    )
    review: str = Field(
        "",
        max_length=_NAME,
        description="Who has to accept the result before it counts as done: sender,"
        " coordinator, person, or an agent.",
    )
    due: datetime | None = Field(None, description="By when it has to be done.")
    topic: str = Field("", max_length=200, description="The topic that it belongs to.")
    result_to: str = Field(
        "",
        max_length=300,
        description="What gets the result: an inbox of Claude Code's teams,"
        " teams/NAME/inboxes/AGENT.json, or, with workspace/agent, a memory file here"
        " such as memories/project.md.",
    )
    sender: str = Field(
        "", max_length=_NAME, description="Who hands it over, if not the caller."
    )
    xml: str = Field(
        "",
        max_length=4 * _LONG,
        description="Instead of the fields above: the task as one <task> block.",
    )


class ListRequest(Request):
    """Filters for handoffs; without any, all of them, newest first."""

    task_id: str = Field(
        "", max_length=100, description="Only this one, whole, by its id or code."
    )
    to: str = Field("", max_length=_NAME, description="Only those for this agent.")
    sender: str = Field("", max_length=_NAME, description="Only those by this agent.")
    agent: str = Field(
        "", max_length=_NAME, description="Only those to or from this agent."
    )
    since: AwareDatetime | None = Field(
        None,
        description="Only those sent or moved since then: the time that an earlier"
        " answer is as of.",
    )
    state: State = Field("", description="Only those in this state.")
    type: Literal["", "read_only", "write", "decision"] = Field(
        "", description="Only those of this type."
    )
    parent: str = Field(
        "", max_length=_NAME, description="Only those that are part of this one."
    )
    ready: bool = Field(
        False,
        description="Only those that can be taken now, oldest first: reads, signed"
        " decisions, the next write; blocked ones too, unless `state` is open.",
    )
    for_person: bool = Field(
        False, description="Only those in which a person has to act."
    )
    text: str = Field("", max_length=500, description="Only those that say this.")
    limit: int = Field(20, ge=1, le=200, description="How many at most.")


class TakeRequest(Request):
    """Which handoff the caller begins to work on."""

    task_id: str = TASK_ID
    base: str | None = BASE


class UpdateRequest(Request):
    """An action on a handoff, and its reason."""

    task_id: str = TASK_ID
    action: Literal[
        "put_back",
        "block",
        "sign_off",
        "send_back",
        "revise",
        "accept",
        "reopen",
        "withdraw",
        "override",
        "fail",
        "hand_off_again",
        "heartbeat",
        "message",
    ] = Field(
        description="put_back: others may take it; block: it waits for something;"
        " send_back: it is its sender's again, who revises or withdraws it; revise: the"
        " sender sends it again, with the changed parts; accept: who reviews it accepts"
        " the result; reopen: the sender or reviewer does not accept what came of it;"
        " withdraw: it is not needed; fail: it is given up;"
        " hand_off_again: the same task is sent anew; heartbeat: the caller still works"
        " on it, as any call of it says; override, for coordinators only:"
        " lets a write go out of turn; message: `reason` is a line to all whom it"
        " concerns, @name or @you calls somebody else. sign_off is for people alone,"
        " at the hub's pages: refused here."
    )
    reason: str = Field(
        "",
        max_length=2000,
        description="Why; needed to block, send_back, reopen, override and fail, and"
        " the text of a message.",
    )
    to: str = Field(
        "", max_length=_NAME, description="For hand_off_again: another recipient."
    )
    context: str = Field("", max_length=_TEXT, description="For revise, if changed.")
    input: str = Field("", max_length=_LONG, description="For revise, if changed.")
    expected_output: str = Field(
        "", max_length=_LONG, description="For revise, if changed."
    )
    constraints: str = Field(
        "", max_length=_LONG, description="For revise, if changed."
    )
    after: list[str] | None = Field(
        None, max_length=50, description="For revise: what it comes after, if changed."
    )
    base: str | None = BASE


class ReportRequest(Request):
    """The result of a task: in fields, or as one `<r>` block."""

    needed = ("task_id", "status")
    instead = "xml"

    task_id: str = Field(
        "",
        max_length=100,
        description="Required without xml. The handoff's id; the block has it, too.",
    )
    status: Literal["", "done", "failed", "blocked"] = Field(
        "",
        description="Required without xml. How it ended, or that it cannot go on.",
    )
    output: str = Field("", max_length=_LONG, description="What came of it.")
    side_effects: str = Field(
        "", max_length=_LONG, description="What was changed: files, services, settings."
    )
    memory_update: str = Field(
        "",
        max_length=_LONG,
        description="Notes for other agents; appended to the memory file that the first"
        " line names, such as memories/project.md.",
    )
    reason: str = Field(
        "", max_length=2000, description="Why it failed or is blocked, in one line."
    )
    base: str | None = BASE
    xml: str = Field(
        "",
        max_length=4 * _LONG,
        description="Instead of the fields above: the result as one <r> block.",
    )
