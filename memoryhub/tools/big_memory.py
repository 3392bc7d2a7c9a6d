"""Tools of big-memory: save, recall and list task snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from os.path import normpath
from pathlib import Path
from typing import Literal

from pydantic import Field

from memoryhub.dialects.task_snapshot import (
    SnapshotDraft,
    is_absolute,
)
from memoryhub.formats.injection import quoted
from memoryhub.formats.text.list_items import is_none
from memoryhub.journal.models import Operation
from memoryhub.journal.scopes import Scope
from memoryhub.journal.untimed import UNDATED
from memoryhub.people.callers import Caller
from memoryhub.recall.recovery import RECALLED, recovered
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, Item, Request, tool
from memoryhub.tools.memory_files import MemoryHit, hits_for, index_of
from memoryhub.tools.quoting import block, may_read, with_notice
from snapshots.queries.snapshots import done_since, newest_snapshots, outdated_decisions
from snapshots.services.snapshots import save_snapshot, topic_of_session

Phase = Literal[
    "planning", "implementing", "debugging", "testing", "reviewing", "deploying"
]

#: Age up to which a snapshot is recent.
_RECENT = timedelta(hours=1)
_HITS, _HIT_TOKENS = 3, 300
#: Changed files that a status names.
_LISTED = 20

_ASK = "Does this match where we left off? Anything to update before I continue?"
_NOT_FOUND = (
    "I couldn't find a structured snapshot. Can you briefly remind me what we were"
    " working on? I'll save a snapshot this time so it won't happen again."
)
_SIGNS = """\
Suspect that your context was compacted when ANY of these are true:
- The conversation begins with a summary/compaction block rather than the original \
exchange
- You cannot recall specific details (file paths, variable names, exact code) that \
should be known
- The user says "you forgot", "we were working on", "remember when", "what was I \
doing", or similar
- A system message contains "Auto-compaction complete" or similar

Then call snapshot_recall, and go on from its next steps.

A compaction is near when a system message speaks of "compact", "memory flush", \
"store durable memories" or "nearing compaction". Then call snapshot_save, before \
anything else."""


class FileTouched(Request):
    """A file that the task is about."""

    path: str = Field(
        min_length=1,
        max_length=1_000,
        description="Its path; a relative one is below the workspace's folder.",
    )
    purpose: str = Field(
        default="", max_length=1_000, description="What is happening in it."
    )


class DecisionMade(Request):
    """A decision and why it was made."""

    decision: str = Field(min_length=1, max_length=2_000)
    rationale: str = Field(default="", max_length=2_000)


class KeyValue(Request):
    """An exact identifier that is easy to forget."""

    kind: str = Field(
        default="",
        max_length=200,
        description="What it is: API endpoint, table name, env var, error.",
    )
    value: str = Field(min_length=1, max_length=2_000, description="It, exactly.")


class SaveRequest(Request):
    """The eight sections of a snapshot; omitted ones are saved as none."""

    goal: str = Field(
        min_length=1,
        max_length=2_000,
        description="One sentence: what the user is trying to accomplish, and why.",
    )
    phase: Phase = Field(description="What is being done.")
    branch: str = Field(default="", max_length=300, description="The git branch.")
    blocked_by: str = Field(
        default="", max_length=2_000, description="What blocks the work, if anything."
    )
    progress: str = Field(
        default="", max_length=500, description="A rough percentage or milestone."
    )
    files: list[FileTouched] = Field(
        default=[], max_length=100, description="The files in play."
    )
    decisions: list[DecisionMade] = Field(
        default=[], max_length=100, description="What was decided, and why."
    )
    code: str = Field(
        default="",
        max_length=20_000,
        description="Code that cannot be read from files again, at most 50 lines.",
    )
    key_names: list[KeyValue] = Field(
        default=[], max_length=100, description="Exact identifiers."
    )
    blockers: list[Item] = Field(
        default=[],
        max_length=100,
        description='Lines such as "Blocker: ..." and "Question: ...".',
    )
    next_steps: list[Item] = Field(
        min_length=1,
        max_length=100,
        description="What to do next: ordered, specific, actionable.",
    )
    topic: str = Field(
        default="",
        max_length=200,
        description="The topic it is about, if the session is bound to another.",
    )


class Saved(Answer):
    """Where a snapshot is; `staged` if a person reviews before it is written."""

    path: str
    snapshot_id: str
    staged: bool

    def as_text(self) -> str:
        if self.staged:
            return f"Snapshot waits for review before it is written to {self.path}"
        return f"Snapshot saved to {self.path}"


@tool("Save where the task stands", Scope.MEMORY, together=True)
def snapshot_save(caller: Caller, request: SaveRequest) -> Saved:
    """Save a snapshot of the task to today's log, so that a compaction loses nothing.

    Use it when a system message speaks of compaction or of a memory flush, after a
    milestone or a decision, before switching tasks, and when the user says "save
    snapshot" or "checkpoint". Not for simple questions and answers.
    """
    who = Who(caller.actor, caller.operation_key("snapshot"))
    done = save_snapshot(caller.workspace, _draft(caller, request), who)
    staged = done.state == Operation.State.STAGED
    return Saved(path=done.target, snapshot_id=str(done.after), staged=staged)


def _draft(caller: Caller, request: SaveRequest) -> SnapshotDraft:
    topic = request.topic or topic_of_session(caller.workspace, caller.session)
    now = caller.now().replace(microsecond=0, tzinfo=None)
    root = caller.workspace.root
    return SnapshotDraft(
        now,
        "",
        caller.agent,
        topic,
        goal=request.goal.strip(),
        phase=request.phase,
        branch=request.branch,
        blocked=bool(request.blocked_by),
        blocked_by=request.blocked_by,
        progress=request.progress,
        files=tuple(
            (_absolute(root, file.path), file.purpose) for file in request.files
        ),
        decisions=tuple((d.decision, d.rationale) for d in request.decisions),
        code=request.code,
        key_names=tuple((name.kind, name.value) for name in request.key_names),
        blockers=tuple(request.blockers),
        next_steps=tuple(s for s in request.next_steps if not is_none(s)),
    )


def _absolute(root: str, path: str) -> str:
    """Return a path resolved against the workspace's folder, which has no home `~`."""
    is_final = is_absolute(path) or path.startswith("~")
    return path if is_final else normpath(Path(root) / path)


class SnapshotStatusRequest(Request):
    """Filter of the snapshots that are counted; all by default."""

    agent: str = Field(default="", max_length=200, description="Only by this agent.")
    topic: str = Field(default="", max_length=200, description="Only of this topic.")


class SnapshotRecallRequest(SnapshotStatusRequest):
    """Choice of a snapshot; the newest by default."""

    back: int = Field(
        default=0,
        ge=0,
        le=1_000,
        description="How many of the newest to pass over, because they are stale.",
    )
    project: str = Field(
        default="",
        max_length=200,
        description="Project name to search for if there is no snapshot.",
    )


class RecalledSnapshot(Answer):
    """The task from the snapshot, or from other sources if there is none.

    `outdated` are decisions of the snapshot that no longer hold.
    """

    found: bool
    timestamp: str = ""
    snapshot_id: str = ""
    goal: str = ""
    phase: str = ""
    working_on: list[str] = []
    next_up: list[str] = []
    outdated: list[str] = []
    place: str = ""
    snapshot: str = ""
    related: list[MemoryHit] = []
    memory_index: str = ""

    def as_text(self) -> str:
        if self.found:
            return f"{RECALLED.format(timestamp=self.timestamp)}\n\n{self._task()}"
        known = [hit.as_text() for hit in self.related]
        if self.memory_index:
            known.append(block("MEMORY.md", self.memory_index))
        return "\n\n".join([*([with_notice(*known)] if known else []), _NOT_FOUND])

    def _task(self) -> str:
        card = [f"- **Goal:** {self.goal}", f"- **Phase:** {self.phase}"]
        card += _listed("Working on", self.working_on)
        card += _listed("Next up", self.next_up)
        gone = ["Decided otherwise since:", *(f"- {text}" for text in self.outdated)]
        return with_notice(
            quoted("\n".join(card)),
            quoted("\n".join(gone)) if self.outdated else "",
            block(self.place, self.snapshot),
            _ASK,
        )


def _listed(label: str, items: Sequence[str]) -> list[str]:
    return [f"- **{label}:**", *(f"  - {item}" for item in items)]


@tool("Recall where the task stood", Scope.READ)
def snapshot_recall(caller: Caller, request: SnapshotRecallRequest) -> RecalledSnapshot:
    """Give the newest snapshot of the task: goal, phase, files, next steps, all of it.

    Use it when the conversation begins with a summary, when you cannot recall file
    paths, names or code you should know, when the user says "you forgot" or "what was
    I doing", and at the start of a session that goes on with earlier work. If the user
    says it is stale, ask again with back=1.
    """
    rows = newest_snapshots(
        caller.workspace,
        agent=request.agent,
        topic=request.topic,
        private=caller.private,
    )
    row = rows[request.back : request.back + 1].first()
    if row is None:
        return _fallback(caller, request.project or caller.workspace.name)
    known = recovered(row)
    return RecalledSnapshot(
        found=True,
        timestamp=known.timestamp,
        snapshot_id=known.snapshot_id,
        goal=known.goal,
        phase=known.phase,
        working_on=list(known.files),
        next_up=list(known.steps),
        outdated=[decision.text for decision in outdated_decisions(row)],
        place=known.place,
        snapshot=known.block,
    )


def _fallback(caller: Caller, project: str) -> RecalledSnapshot:
    """Return big-memory's fallback without a snapshot: search hits and MEMORY.md."""
    found: dict[tuple[str, int], MemoryHit] = {}
    for words in (project, "decided", "working on"):
        for hit in hits_for(caller, words, _HITS, _HIT_TOKENS):
            found.setdefault((hit.path, hit.from_line), hit)
    return RecalledSnapshot(
        found=False, related=list(found.values()), memory_index=index_of(caller)
    )


class SnapshotStatus(Answer):
    """Number of snapshots today, the newest one, and the suggested action."""

    today: int
    newest: str
    goal: str
    next_step: str
    suggestion: Literal["save", "recall"]
    #: What came after the newest snapshot: files of memory, decisions, steps done.
    changed_files: list[str] = []
    decisions_since: int = 0
    steps_done: list[str] = []
    diverged: bool = False

    def as_text(self) -> str:
        if not self.newest:
            return "No snapshots yet. Save one with snapshot_save."
        lines = [f"Snapshots today: {self.today}. Newest: {self.newest}."]
        task = quoted(f"Goal: {self.goal}\nNext: {self.next_step}")
        lines.append(with_notice(task))
        if self.diverged:
            lines.append(
                f"The task has moved on since: decisions {self.decisions_since},"
                f" steps done {len(self.steps_done)},"
                f" changed files of memory {len(self.changed_files)}. Save one with"
                " snapshot_save."
            )
        elif self.suggestion == "save":
            lines.append("None is recent: save one with snapshot_save.")
        else:
            lines.append(
                "If the task has moved on from this, save with snapshot_save; if your"
                " context seems incomplete, recall with snapshot_recall."
            )
        return "\n\n".join(lines)


@tool("What snapshots there are", Scope.READ)
def snapshot_status(caller: Caller, request: SnapshotStatusRequest) -> SnapshotStatus:
    """Return the number of snapshots today, the newest one, and the next action.

    Use it to see whether the task has moved on since the last snapshot.
    """
    rows = newest_snapshots(
        caller.workspace,
        agent=request.agent,
        topic=request.topic,
        private=caller.private,
    )
    now = caller.now()
    row = rows.first()
    if row is None:
        return SnapshotStatus(
            today=0, newest="", goal="", next_step="", suggestion="save"
        )
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = midnight + timedelta(days=1)
    dated = rows.exclude(UNDATED)
    today = dated.filter(occurred_at__gte=midnight, occurred_at__lt=tomorrow)
    since, at = done_since(row), row.stated_at
    changed = [path for path in since.files if may_read(caller, path)]
    return SnapshotStatus(
        changed_files=changed[:_LISTED],
        decisions_since=since.decisions,
        steps_done=since.steps,
        diverged=bool(changed or since.decisions or since.steps),
        today=today.count(),
        newest=recovered(row).timestamp,
        goal=row.goal,
        next_step=row.next_step,
        suggestion="recall" if at and now - at <= _RECENT else "save",
    )


class SignsRequest(Request):
    """No fields."""


class Signs(Answer):
    """Signs that a context was compacted, or soon will be."""

    text: str

    def as_text(self) -> str:
        return self.text


@tool("How to tell that your context was compacted", Scope.READ)
def compaction_signs(caller: Caller, request: SignsRequest) -> Signs:
    """Return the signs of a compacted context, and the action for them.

    Use it when something seems missing from the conversation.
    """
    return Signs(text=_SIGNS)


TOOLS = (snapshot_save, snapshot_recall, snapshot_status, compaction_signs)
