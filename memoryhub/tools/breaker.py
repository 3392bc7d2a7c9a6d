"""Report of compaction outcomes to the circuit breaker, and the breaker's answer."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memoryhub.compaction.breaker import (
    TRIPS_AT,
    Breaker,
    failure_line,
    parse_line,
    success_line,
)
from memoryhub.errors.base import ToolError
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.edits import was_tried
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.workspaces.services.optimizer import ErrorLine, append_error, breaker_log


class BreakerState(Answer):
    """An agent's breaker: open, it allows no L2 until an operator clears it."""

    agent: str
    failures: int
    is_open: bool
    since: str
    reason: str

    def as_text(self) -> str:
        """Return one sentence."""
        if self.is_open:
            return (
                f"The circuit breaker of {self.agent} is open since {self.since}:"
                f" L1 only, until the operator clears it. {self.reason}"
            )
        return (
            f"The circuit breaker of {self.agent} is closed"
            f" ({self.failures} of {TRIPS_AT} failures in a row)."
        )


def breaker_state(breaker: Breaker) -> BreakerState:
    """Return the state of a breaker; since when and why only of an open one."""
    closed = {} if breaker.is_open else {"since": "", "reason": ""}
    return BreakerState.of(breaker, **closed)


class OutcomeRequest(Request):
    """How a compaction went."""

    outcome: Literal["succeeded", "failed"] = Field(
        description="How L2 ended: failed also where the host refused the result."
    )
    reason: str = Field(
        default="",
        max_length=1_000,
        description="Why it failed, in one line; needed for a failure.",
    )


class OutcomeReported(Answer):
    """The recorded outcome, and the state of the breaker after it.

    `line` is empty where nothing needed to be: a success after no failure.
    """

    path: str
    line: str
    state: str
    breaker: BreakerState

    def as_text(self) -> str:
        """Return the recorded line and the state of the breaker."""
        written = "Appended to" if self.state == "applied" else "Staged for"
        done = f"{written} {self.path}: - {self.line}" if self.line else ""
        return "\n".join(filter(None, (done, self.breaker.as_text())))


@tool("Report how a compaction went", Scope.MEMORY)
def compaction_report(caller: Caller, request: OutcomeRequest) -> OutcomeReported:
    """Report whether a compaction (L2) worked, once after each one.

    After three failures in a row the breaker opens: compact_transcript then trims
    only, and you wait for the operator. A success ends the row.
    """
    agent = caller.name
    line = _line(caller, agent, request)
    who = Who(caller.actor, caller.operation_key("report"))
    log = breaker_log(caller.workspace)
    before = log.breaker(agent)
    again = was_tried(caller.workspace, who.key)
    if before.is_open and not again:
        raise ToolError("breaker-open", agent=agent, since=before.since)
    if request.outcome == "succeeded" and not before.failures and not again:
        return _reported(log.path, "", "", before)
    done = append_error(caller.workspace, ErrorLine(log.path, line), who)
    after = breaker_log(caller.workspace).breaker(agent)
    return _reported(done.target, done.payload["text"], done.state, after)


def _line(caller: Caller, agent: str, request: OutcomeRequest) -> str:
    """Return the line for the log; the agent's name must parse back from it."""
    at = f"{caller.now():%Y-%m-%d %H:%M}"
    if request.outcome == "failed":
        line = failure_line(agent, request.reason, at=at)
    else:
        line = success_line(agent, at=at)
    if parse_line(line).who != agent:
        raise ToolError("agent-invalid", agent=agent)
    return line


def _reported(path: str, line: str, state: str, breaker: Breaker) -> OutcomeReported:
    return OutcomeReported(
        path=path, line=line, state=state, breaker=breaker_state(breaker)
    )


TOOLS = (compaction_report,)
