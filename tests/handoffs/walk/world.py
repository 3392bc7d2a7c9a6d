"""The model's handoffs: what their page and docs/domain.md say of them.

Nothing here imports the hub: the model and the program agree only if both follow the
manual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

ENDED = ("done", "failed", "withdrawn")
PERSON = "operator"
#: Words for a person in tasks and mentions.
PEOPLE = ("operator", "you", "person")
#: The state that a verb leads to; empty for verbs that change none.
STATES: Mapping[str, str] = {
    "sent": "open",
    "put back": "open",
    "revised": "open",
    "reopened": "open",
    "taken": "in_progress",
    "blocked": "blocked",
    "sent back": "returned",
    "done": "done",
    "accepted": "done",
    "failed": "failed",
    "withdrawn": "withdrawn",
    "said": "",
    "signed off": "",
    "overridden": "",
    "handed off again": "",
}
#: Verbs of a file's log that count only by certain actors.
_WORK = ("taken", "done", "failed", "blocked", "put back")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log; `by_hub` is true if the hub wrote it for its caller."""

    at: datetime | None
    actor: str
    verb: str
    object: str = ""
    reason: str = ""
    by_hub: bool = True
    #: When the hub first read a line without a time.
    read_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A task's block; what a sign-off is valid for is its `text`."""

    task_id: str
    sender: str
    recipient: str
    kind: str
    context: str = ""
    input: str = ""
    after: tuple[str, ...] = ()
    parent: str = ""
    repository: str = ""
    paths: tuple[str, ...] = ()
    priority: str = "normal"
    review: str = ""

    @property
    def reviewer(self) -> str:
        """Who accepts: an agent, "coordinator", "person", or nobody."""
        name = self.sender if self.review in ("sender", "yes") else self.review
        return "person" if name in PEOPLE else name

    @property
    def text(self) -> tuple[str, str, str]:
        return self.kind, self.context, self.input

    @property
    def is_pool(self) -> bool:
        return self.recipient == "any" or self.recipient.startswith("role:")


@dataclass(slots=True)
class Task:
    """A handoff: its block, its log, and how many results its file has."""

    block: Block
    due: datetime | None = None
    log: list[Line] = field(default_factory=list)
    results: int = 0
    broken: bool = False
    #: The text for which a person signed at a line of the log, by its index.
    signed_texts: dict[int, tuple[str, str, str]] = field(default_factory=dict)

    @property
    def task_id(self) -> str:
        return self.block.task_id

    @property
    def moved_at(self) -> datetime:
        """When the newest step of its log was written; messages are none."""
        at = self.steps[-1].at or self.steps[-1].read_at
        assert at is not None
        return at

    @property
    def steps(self) -> list[Line]:
        return [line for line in self.log if line.verb != "said"]

    @property
    def sent_at(self) -> datetime:
        at = self.log[0].at
        assert at is not None
        return at


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a handoff stands by its log."""

    state: str = "open"
    taken_by: str = ""
    taken_at: datetime | None = None
    signed_by: str = ""
    overridden: bool = False
    replaced_by: str = ""
    reason: str = ""
    last: str = ""


@dataclass(slots=True)
class Claim:
    """A path that an agent holds until a time."""

    agent: str
    repository: str
    path: str
    reason: str
    ends_at: datetime
    forced: bool = False

    @property
    def name(self) -> str:
        return f"{self.repository}:{self.path}" if self.repository else self.path


@dataclass(slots=True)
class World:
    """A workspace: who is in it, its handoffs, the time."""

    now: datetime
    roles: Mapping[str, str]
    coordinators: tuple[str, ...]
    lease: timedelta = timedelta(hours=2)
    tasks: dict[str, Task] = field(default_factory=dict)
    #: When each agent last called or wrote.
    signs: dict[str, datetime] = field(default_factory=dict)
    #: Every claim that was made and not ended, the oldest first.
    claims: list[Claim] = field(default_factory=list)
    _known: dict[str, tuple[object, Standing]] = field(default_factory=dict)

    def stand(self, task: Task) -> Standing:
        """Return where a handoff stands: the last verb that counts decides."""
        key = (len(task.log), task.block, len(task.signed_texts))
        known = self._known.get(task.task_id)
        if known is None or known[0] != key:
            known = self._known[task.task_id] = (key, self._walked(task))
        return known[1]

    def _walked(self, task: Task) -> Standing:
        stands = Standing()
        for index in self.counted(task):
            line = task.log[index]
            stands = _moved(stands, line, review=bool(task.block.review))
            # A line that nobody vouches for takes no sign-off of a person away.
            if line.verb == "signed off" and task.signed_texts.get(index) == (
                task.block.text
            ):
                stands = replace(stands, signed_by=line.actor)
        return stands

    def counted(self, task: Task) -> list[int]:
        """Return the places of the lines that are not a stranger's work."""
        found, takers = list[int](), set[str]()
        for index, line in enumerate(task.log):
            if self._counts(task, line, takers):
                found.append(index)
                if line.verb == "taken":
                    takers.add(line.actor)
        return found

    def state(self, task: Task) -> str:
        return self.stand(task).state

    def _counts(self, task: Task, line: Line, takers: set[str]) -> bool:
        if line.verb == "accepted" and not line.by_hub:
            reviewer = task.block.reviewer
            return reviewer != "person" and line.actor in (reviewer, PERSON)
        return (
            line.by_hub
            or line.verb not in _WORK
            or line.actor in {task.block.sender, task.block.recipient, *takers}
            or line.actor == PERSON
            or task.block.is_pool
        )

    def coordinates(self, actor: str) -> bool:
        return actor == PERSON or actor in self.coordinators

    def receives(self, task: Task, actor: str) -> bool:
        """Tell whether a task is for somebody, by name or as one of a pool."""
        recipient = task.block.recipient
        if recipient == "any":
            return True
        if recipient.startswith("role:"):
            return recipient.removeprefix("role:") == self.roles.get(actor)
        return actor == recipient

    def unfinished(self) -> Iterator[Task]:
        for task in self.tasks.values():
            if self.state(task) not in ENDED:
                yield task

    def heirs_of(self, task: Task) -> Iterator[Task]:
        """Yield the handoffs that work which was handed off again went on in."""
        seen = {task.task_id}
        while (then := self.stand(task).replaced_by) and then not in seen:
            seen.add(then)
            if then not in self.tasks:
                break
            task = self.tasks[then]
            yield task

    def last_of(self, task: Task) -> Task:
        """Return the last handoff of a task's work, which is the task or an heir."""
        return [task, *self.heirs_of(task)][-1]

    def steps(self, task: Task) -> str:
        """Return the standing: the number of steps, and the newest one."""
        line = task.steps[-1]
        return f"{len(task.steps) + task.results} {line.verb}, {line.actor}"


def _moved(stands: Standing, line: Line, *, review: bool) -> Standing:
    """Return where a handoff stands after a line of its log."""
    if line.verb == "said":
        return stands
    state = STATES[line.verb] or stands.state
    if line.verb == "done" and review:
        state = "review"
    if line.verb == "sent back" and stands.state in ENDED:
        state = "open"
    stands = replace(stands, state=state, reason=line.reason, last=line.verb)
    return replace(stands, **_columns(line))


def _columns(line: Line) -> dict[str, Any]:
    """Return what a line changes beside the state."""
    columns: dict[str, dict[str, Any]] = {
        "taken": {"taken_by": line.actor, "taken_at": line.at, "overridden": False},
        "sent back": {"taken_by": "", "signed_by": ""},
        "reopened": {"taken_by": "", "signed_by": ""},
        "put back": {"taken_by": ""},
        "revised": {"taken_by": ""},
        "overridden": {"overridden": True},
        "handed off again": {"replaced_by": line.object},
    }
    return columns.get(line.verb, {})
