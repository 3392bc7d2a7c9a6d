"""Seeded random changes to decisions, and to handoffs that ask to sign them off."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from memoryhub.dialects.handoff import Result, Task, render_task
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import NotAllowed
from memoryhub.handoffs.services.sending import Author, send
from memoryhub.handoffs.services.steps import Step, move
from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.engine import sync_workspace

BEGIN = datetime(2026, 11, 20, 9, tzinfo=UTC)
REFUSED = (Conflict, FileError, FormatError, NotAllowed)
TEXTS = ("Use queues for mail", "Ship the api in May", "Drop the old cache")
IDS = tuple(f"20261120-0{number}" for number in range(1, 4))
TYPES = ("decision", "decision", "decision", "write", "read_only")
PEOPLE = ("planner", "builder", "operator", "eve")
#: Files with decisions, by their first lines.
LOGS = {
    "memory/decisions.md": "# Decisions\n\n",
    "MEMORY.md": "# Memory\n\n## Decisions\n\n",
    "memory/2026-11-20.md": "# 2026-11-20\n\n## Decisions\n\n",
    "memory/context-api.md": "# Context: api\n\n## Key Decisions\n\n",
}
#: Files with tasks: some of their own, some among other text.
TASKS = (
    *(f"memory/handoffs/{one}.md" for one in IDS),
    "memory/plan.md",
    "AGENTS.md",
    "TEAM.md",
)
STATED = (
    "- {}\n",
    "- 2026-11-19: {} (it is cheap)\n",
    "- Rejected: {} (too slow)\n",
    "- {} (signed off by Ann, 2026-11-19)\n",
    "- Decision: {}\n",
)
VERBS = (
    "sent", "taken", "done", "signed off", "sent back -- no", "blocked -- waits",
    "failed -- broken", "put back", "withdrawn", "reopened -- more", "said -- hello",
)  # fmt: skip
STEPS = ("signed off", "taken", "sent back", "done", "said", "revised", "failed")


class Story:
    """Changes to files and through the hub, in workspaces that hand work to others."""

    def __init__(self, workspaces: Sequence[Workspace], seed: int) -> None:
        self._workspaces = workspaces
        self._random = random.Random(seed)
        self._past: list[tuple[Path, str]] = []
        self._ticks = count()
        self._acts = (
            self._create, self._create, self._append, self._append, self._edit,
            self._edit, self._rename, self._rename, self._delete, self._restore,
            self._send, self._undo, self._move, self._move, *[self._sign] * 6,
        )  # fmt: skip
        for workspace in workspaces:
            for name, head in LOGS.items():
                lines = map(self._line, [name] * 2)
                self._write(Path(workspace.root, name), head + "".join(lines))
        for _ in range(8):
            self._create()

    def run(self, rounds: int) -> None:
        """Change something and import it, so many times."""
        for _ in range(rounds):
            for _ in range(self._random.randint(1, 5)):
                self._random.choice(self._acts)()
            for workspace in self._workspaces:
                sync_workspace(workspace, clock=self._now, accept_deletions=True)

    def _now(self) -> datetime:
        return BEGIN + timedelta(seconds=next(self._ticks))

    def _create(self) -> None:
        root = Path(self._random.choice(self._workspaces).root)
        name = self._random.choice((*LOGS, *TASKS))
        self._write(root / name, LOGS.get(name, "# Plan\n\n") + self._piece(name))

    def _append(self) -> None:
        if place := self._some_file():
            self._write(place, place.read_text() + self._piece(str(place)))

    def _edit(self) -> None:
        """Replace a value of a task, or a list item, by another or by nothing."""
        place = self._some_file()
        text = place.read_text() if place else ""
        found = list(re.finditer(r"(?m)^  <(context|task_id|type)>.*\n|^- .*\n", text))
        if place and found:
            one = self._random.choice(found)
            values = {"context": TEXTS, "task_id": IDS, "type": TYPES}
            by = self._random.choice(["", self._line(str(place))])
            if name := one[1]:
                by = f"  <{name}>{self._random.choice(values[name])}</{name}>\n"
            self._write(place, text[: one.start()] + by + text[one.end() :])

    def _rename(self) -> None:
        if place := self._some_file():
            root = next(
                r for w in self._workspaces if (r := Path(w.root)) in place.parents
            )
            other = root / self._random.choice(TASKS)
            self._past.append((place, place.read_text()))
            other.parent.mkdir(parents=True, exist_ok=True)
            place.rename(other)

    def _delete(self) -> None:
        if place := self._some_file():
            self._past.append((place, place.read_text()))
            place.unlink()

    def _restore(self) -> None:
        if self._past:
            self._write(*self._random.choice(self._past))

    def _write(self, place: Path, text: str) -> None:
        if place.exists():
            self._past.append((place, place.read_text()))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def _some_file(self) -> Path | None:
        roots = [Path(workspace.root) for workspace in self._workspaces]
        found = sorted(place for root in roots for place in root.rglob("*.md"))
        return self._random.choice(found) if found else None

    def _piece(self, name: str) -> str:
        """Return what can be added to a file: a line, a task or a result."""
        some, is_log = self._random.random(), name.endswith(tuple(LOGS))
        task_id = self._random.choice(IDS)
        if some < (0.6 if is_log else 0.3):
            return self._line(name)
        if some < 0.5 or is_log:
            status = self._random.choice(["done", "failed", "blocked"])
            ends = f"<task_id>{task_id}</task_id>\n<status>{status}</status>"
            return f"\n<r>\n{ends}\n<o>so it is</o>\n</r>\n"
        if some < 0.6 and "handoffs/" in name:
            head = f"# Handoff {task_id}\n\n- source: AGENTS.md"
        else:
            head = f"\n{render_task(self._task(task_id))}"
        return f"{head}\n\n## Log\n\n{self._line(name)}"

    def _line(self, name: str) -> str:
        if name.endswith(tuple(LOGS)):
            return self._random.choice(STATED).format(self._random.choice(TEXTS))
        who, verb = self._random.choice(PEOPLE), self._random.choice(VERBS)
        return f"- {self._now():%Y-%m-%dT%H:%M:%SZ} {who}: {verb}\n"

    def _task(self, task_id: str = "", to: str = "builder") -> Task:
        kind, text = self._random.choice(TYPES), self._random.choice(TEXTS)
        return Task(task_id, "planner", to, kind, text, "i", "o")

    def _author(self, actor: str, *, person: bool = False) -> Author:
        key = f"key-{next(self._ticks)}"
        return Author(actor, key=key, at=self._now(), person=person)

    def _send(self) -> None:
        here, there = self._random.sample([*self._workspaces, *self._workspaces], 2)
        to = "builder" if here == there else f"{there.slug}/builder"
        with suppress(*REFUSED):
            send(here, self._task(to=to), self._author("planner"))

    def _undo(self) -> None:
        done = list(Operation.objects.order_by("workspace", "seq"))
        if done:
            one = self._random.choice(done)
            with suppress(*REFUSED):
                undo(one.workspace, one, "operator", clock=self._now)

    def _sign(self) -> None:
        self._step(Step("signed off"), "operator", type="decision")

    def _move(self) -> None:
        verb = self._random.choice(STEPS)
        result = Result("", "done", "made") if verb == "done" else None
        text = self._random.choice(TEXTS)
        changes = {"context": text} if verb == "revised" else {}
        step = Step(verb, "a reason", result=result, changes=changes)
        self._step(step, self._random.choice(PEOPLE))

    def _step(self, step: Step, actor: str, **which: str) -> None:
        rows = Handoff.objects.filter(last_seq__isnull=True, **which)
        found = list(rows.select_related("workspace", "file").order_by("id"))
        if found:
            author = self._author(actor, person=actor == "operator")
            with suppress(*REFUSED):
                move(self._random.choice(found), step, author)
