"""Tools that compact a session's transcript, or plan it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from memoryhub.compaction import compact_rs
from memoryhub.compaction.levels import (
    Compacted,
    Level,
    Step,
    compacted,
    cut_to,
    restore_order,
)
from memoryhub.compaction.messages import text_tokens
from memoryhub.compaction.rendering import render
from memoryhub.compaction.summary import Findings, task_file
from memoryhub.compaction.transcript import Transcript, read
from memoryhub.errors.base import ToolError
from memoryhub.formats.base import Problem
from memoryhub.journal.scopes import Scope
from memoryhub.journal.versions import file_at, newest_text
from memoryhub.people.callers import Caller
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, Request, tool
from memoryhub.tools.breaker import BreakerState, breaker_state
from memoryhub.tools.quoting import block, may_read, with_notice
from memoryhub.workspaces.services.optimizer import breaker_log, save_task
from memoryhub.workspaces.services.task_files import (
    task_file_to_read,
    task_file_to_write,
)

#: Largest transcript in characters.
_LONGEST = 40_000_000
#: Most problems that are listed; the rest is counted.
_PROBLEMS = 50
_WORDS: Mapping[Step, str] = {
    "trimmed": "L1: {count} tool outputs trimmed",
    "summarised": "L2: {count} messages replaced by a summary",
    "breaker-open": "L4: the circuit breaker is open, so nothing is summarised",
    "nothing-to-summarise": "L2: nothing to summarise before the newest messages",
    "summary-too-long": "L2: a summary would be no shorter than what it replaces",
    "turns-dropped": "L5: {count} oldest turns dropped",
    "still-too-large": "L5: what is left does not fit the window",
    "prepare": "{count} tokens: prepare, L2 is near",
    "not-due": "compact.rs: not due",
}
_MESSAGES = {
    "json-invalid": "is not valid JSON: {reason}",
    "message-not-an-object": "is no JSON object",
}


class CompactionRequest(Request):
    """A transcript, and how it is to be made shorter."""

    transcript: str = Field(
        min_length=1,
        max_length=_LONGEST,
        description="The whole transcript, JSON or JSONL: an OpenClaw or Claude Code"
        " session file, or a list of messages with role and content.",
    )
    variant: Literal["optimizer", "compact-rs"] = Field(
        default="optimizer",
        description="Rules to apply: context-memory-optimizer's levels, or a preview of"
        " claw-code's compact.rs (782d9ce).",
    )
    level: Level = Field(
        default="auto",
        description="Optimizer: L1 trims tool outputs, L2 summarises all but the"
        " 4 newest messages, L3 names files to read again, L4 is L1 alone, L5 drops the"
        " oldest turns; auto takes those that are due.",
    )
    window: int = Field(
        default=200_000,
        ge=1_000,
        le=100_000_000,
        description="Tokens of the context window: L2 is due at three quarters.",
    )
    preserve: int = Field(
        default=4,
        ge=0,
        le=10_000,
        description="For compact.rs: number of newest messages to keep.",
    )
    max_tokens: int = Field(
        default=10_000, ge=0, description="Of compact.rs: it is due from here on."
    )
    keep_pairs: bool = Field(
        default=False,
        description="Of compact.rs: never part a tool's use and result (as later"
        " versions do); the optimizer never does.",
    )


class CompactRequest(CompactionRequest):
    """A transcript to make shorter, and whether to save the task first."""

    write: bool = Field(
        default=False,
        description="Save the task at hand in memories/context.md before L2 or L5, in"
        " memories/context-<agent>.md where there are several agents; its earlier text"
        " stays in the journal.",
    )


class Restored(Answer):
    """A file to read again; without a text it is the agent's to read.

    `limit` is how many tokens of it are read at most; `cut` if that left some out.
    `agent`: whose task it is, of a task file.
    """

    path: str
    known: bool
    text: str
    tokens: int
    limit: int | None
    cut: bool
    agent: str = ""

    def as_text(self) -> str:
        """Return the text, quoted, or a request to read the file."""
        if self.known:
            marks = [f"the task of {self.agent}"] if self.agent else []
            marks += ["cut"] if self.cut else []
            return block(", ".join([self.path, *marks]), self.text)
        most = f", at most {self.limit} tokens of it" if self.limit else ""
        return f"Read {self.path} yourself{most}."


class TranscriptProblem(Answer):
    """A line that could not be read; line 0 where the transcript is a JSON list."""

    line: int
    code: str
    message: str


class CompactionPlan(Answer):
    """The plan of a compaction: steps, sizes, summary and continuation.

    Summary and continuation are empty where nothing is summarised, `context` where
    no task is to be saved. `problem_count` counts problems that are not listed, too.
    """

    form: str
    variant: str
    done: list[str]
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    summary: str
    continuation: str
    completed: list[str]
    pending: list[str]
    key_files: list[str]
    current_task: str
    context: str
    restore: list[Restored]
    breaker: BreakerState
    problems: list[TranscriptProblem]
    problem_count: int

    def as_text(self) -> str:
        """Return figures and steps, then summary and files, quoted."""
        figures = (
            f"{self.messages_before} → {self.messages_after} messages,"
            f" ~{self.tokens_before:,} → ~{self.tokens_after:,} tokens"
        )
        problems = [f"Line {p.line} {p.message}" for p in self.problems]
        lines = "\n".join([figures, *self.done, *problems])
        breaker = self.breaker.as_text() if self.breaker.failures else ""
        summary = block("summary", self.summary) if self.summary else ""
        files = [one.as_text() for one in self.restore]
        return with_notice(lines, breaker, summary, *files)


class CompactedTranscript(CompactionPlan):
    """The shorter transcript, in the form it came in; where the task was saved."""

    echoes = True

    transcript: str
    saved: str

    def as_text(self) -> str:
        """Return the plan's text; the transcript is only a field."""
        saved = f"Task saved in {self.saved}.\n\n" if self.saved else ""
        return saved + super().as_text()


@tool("Plan a compaction", Scope.READ)
def compaction_plan(caller: Caller, request: CompactionRequest) -> CompactionPlan:
    """Preview a compaction of a transcript without doing it.

    Use it to see how many tokens a session takes, whether compaction is due, what is
    pending, which files matter, and what to read again afterwards.
    """
    transcript = _transcript(request)
    state = _state(caller, request, transcript)
    return CompactionPlan(**_figures(caller, request, transcript, state))


@tool("Compact a transcript", Scope.MEMORY, reading=lambda r: not r.write)
def compact_transcript(caller: Caller, request: CompactRequest) -> CompactedTranscript:
    """Shorten a transcript: trim tool results, summarise old messages.

    Use it when the session nears its context window. Go on from the transcript that
    comes back, read again what `restore` names, then report with compaction_report
    whether it worked. With `write` the task is saved in your own task file first.
    """
    transcript = _transcript(request)
    state = _state(caller, request, transcript)
    context = _context(caller, request, state)
    saved = ""
    if context and request.write:
        who = Who(caller.actor, caller.operation_key("context"))
        path = task_file_to_write(caller.workspace, caller.agent)
        saved = save_task(caller.workspace, path, context, who).target
    return CompactedTranscript(
        **_figures(caller, request, transcript, state),
        transcript=render(transcript, state.messages),
        saved=saved,
    )


def _transcript(request: CompactionRequest) -> Transcript:
    transcript = read(request.transcript)
    if not transcript.messages:
        problem = next(iter(transcript.problems), None)
        reason = f": line {problem.line} {_message(problem)}" if problem else ""
        raise ToolError("transcript-empty", reason=reason)
    return transcript


def _state(
    caller: Caller, request: CompactionRequest, transcript: Transcript
) -> Compacted:
    if request.variant == "compact-rs":
        return compact_rs.compacted(
            transcript.messages,
            request.preserve,
            request.max_tokens,
            keep_pairs=request.keep_pairs,
        )
    log = breaker_log(caller.workspace)
    return compacted(
        transcript.messages,
        request.level,
        request.window,
        breaker_open=log.breaker(caller.name).is_open,
        folder=transcript.folder,
    )


def _figures(
    caller: Caller,
    request: CompactionRequest,
    transcript: Transcript,
    state: Compacted,
) -> dict[str, Any]:
    """Return the fields of a `CompactionPlan`."""
    found = state.findings
    reads_again = request.level == "L3" or state.took("summarised")
    is_optimizer = request.variant == "optimizer"
    log = breaker_log(caller.workspace)
    return {
        "form": transcript.form,
        "variant": request.variant,
        "done": [_WORDS[step].format(count=count) for step, count in state.done],
        "messages_before": len(state.before),
        "messages_after": len(state.messages),
        "tokens_before": state.tokens_before,
        "tokens_after": state.tokens_after,
        "summary": state.summary,
        "continuation": state.continuation,
        "completed": found.completed,
        "pending": found.pending,
        "key_files": found.key_files,
        "current_task": found.task,
        "context": _context(caller, request, state),
        "restore": (
            _restore_list(caller, found.key_files)
            if is_optimizer and reads_again
            else []
        ),
        "breaker": breaker_state(log.breaker(caller.name)),
        "problems": [
            TranscriptProblem.of(one, message=_message(one))
            for one in transcript.problems[:_PROBLEMS]
        ],
        "problem_count": len(transcript.problems),
    }


def _context(caller: Caller, request: CompactionRequest, state: Compacted) -> str:
    """Return the new text of the task file, or "" if it stays."""
    takes_away = state.took("summarised") or state.took("turns-dropped")
    if request.variant == "compact-rs" or not takes_away:
        return ""
    found, task = state.findings, state.conclusion or state.findings.task
    if not state.took("summarised"):
        # L5 alone writes the conclusion and nothing else.
        found, task = Findings(), state.conclusion
    stamp = f"{caller.now():%Y-%m-%d %H:%M}"
    return task_file(task, found, stamp=stamp, tokens=state.tokens_before)


def _restore_list(caller: Caller, key_files: Iterable[str]) -> list[Restored]:
    """Return the files to read again in order; only memory files have their text.

    A file for private sessions only is left out for other callers.
    """
    task = task_file_to_read(caller.workspace, caller.agent)
    order = restore_order(key_files, task.path)
    found = [_restored(caller, *one) for one in order if may_read(caller, one[0])]
    return [
        one.model_copy(update={"agent": task.agent}) if one.path == task.path else one
        for one in found
    ]


def _restored(caller: Caller, asked: str, limit: int | None) -> Restored:
    place, root = PurePosixPath(asked), PurePosixPath(caller.workspace.root)
    path = str(place.relative_to(root) if place.is_relative_to(root) else place)
    file = file_at(caller.workspace, path)
    known = file is not None and file.present and may_read(caller, path)
    whole = newest_text(caller.workspace, path) if known else ""
    text = cut_to(whole, limit)
    return Restored(
        path=asked,
        known=known,
        text=text,
        tokens=text_tokens(text) if known else 0,
        limit=limit,
        cut=len(text) < len(whole),
    )


def _message(problem: Problem) -> str:
    return _MESSAGES[problem.code].format(**problem.parameters)


TOOLS = (compact_transcript, compaction_plan)
