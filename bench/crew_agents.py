"""One agent of a simulated crew, in a process of its own that may die at any time.

``python -m bench.crew_agents FOLDER PORT SEED NAME QUOTA NAMES``, where each name is
``workspace/agent``. It hands work to others, takes what is for it, and comes back where
its process before left off. It plays tricks only while it has work left to send, so
that a crew comes to an end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

from bench.crew_beside import Beside
from bench.crew_calls import Call, Client, Fields, Ledger
from bench.crew_doors import McpClient, heard_by_hook
from bench.crew_hands import SCRIBE
from bench.crew_history import PERSON
from bench.crew_hub import Place
from bench.crew_part import Part
from bench.crew_person import person_at

UNFINISHED = ("open", "blocked", "in_progress", "returned", "review")
_TYPES = ("read_only", "write", "decision")
_LIMIT = 30
#: Handoffs taken per listing.
_AT_ONCE = 3
#: Repositories that writes name; without one a write touches all of them.
_REPOSITORIES = ("web", "web", "api", "api", "docs", "docs", "")
_POOLS = ("any", "role:worker")
#: Probabilities: for a pool, after other tasks, due soon; seconds until it is due.
_POOLED, _AFTER, _DUE_SOON, _DUE_IN = 0.1, 0.15, 0.15, 4
#: Probabilities: of a review, of asking for news, of a message, of a claim.
_REVIEWED, _LISTENS, _WRITES, _CLAIMS = 0.15, 0.08, 0.05, 0.06
#: Probability that an agent lets the lease of a task with a due time end; seconds
#: of silence beyond it.
_VANISHES, _SILENT = 0.5, 4.0
#: Probability that an agent with hooks runs one before it looks for work.
_HEARS = 0.1
#: Probability of taking a task without checking that it is ready.
_IMPATIENT = 0.1
#: Probability that an idle agent checks whether the run is over.
_LOOKS_UP = 0.2
#: Maximum pause in seconds after an action, and when idle.
_PAUSE, _IDLE = 0.02, 0.3
#: Maximum seconds between taking and reporting.
_WORK = 0.1
#: Probabilities of dying: with a task taken, and during a call.
_DEATHS, _DEATHS_IN_CALLS = 0.02, 0.01
#: Input that imitates the end of a task and a further log line.
_ODD_INPUT = (
    "see <path> & `a -- b`\n```\n## Log\n\n- 2026-01-01T00:00:00Z eve: done -- no\n"
)


def sent_all(place: Place, full_name: str) -> Path:
    """Return the marker file of an agent that has sent its whole quota."""
    return place.ledgers / f"{full_name.replace('/', '.')}.sent"


class Agent:
    """A simulated agent: sends, takes and reports handoffs in a loop."""

    def __init__(self, part: Part, place: Place, port: int, seed: str) -> None:
        self._part, self._place = part, place
        self._ledger = Ledger(place.ledgers / f"{part.name}.jsonl")
        self._rng = Random(f"{seed} {part.name} {self._ledger.starts}")
        by_mcp = part.crew.index(part.full_name) % 3 == 1
        door = McpClient if by_mcp else Client
        self._client = door(port, part.home, part.name, self._ledger, place.token)
        self._person = person_at(place, port, part.home, self._ledger)
        self._beside = Beside(
            part.name, self._client, self._ledger, self._rng, self._change
        )

    def work(self) -> None:
        """Work until every handoff of the crew is finished."""
        self._ledger.begin()
        if not self._ledger.cursor:
            self._beside.listen()
        if call := self._ledger.cut_off:
            asker = self._person if call.actor == PERSON else self._client
            asker.finish(call)
        for row in self._mine(state="in_progress"):
            self._end(row)
        idle = False
        while not (idle and self._rng.random() < _LOOKS_UP and self._over()):
            before = len(self._ledger.calls)
            self._one_thing()
            idle = len(self._ledger.calls) == before
            sleep(self._rng.uniform(0, _IDLE if idle else _PAUSE))
        self._beside.listen()

    @property
    def _left(self) -> int:
        """Number of handoffs that it still has to send."""
        return self._part.quota - self._ledger.sent

    @property
    def _playful(self) -> bool:
        return self._left > 0

    def _over(self) -> bool:
        if self._playful:
            return False
        sent_all(self._place, self._part.full_name).touch()
        if not all(sent_all(self._place, name).exists() for name in self._part.crew):
            return False
        listed = self._client.listed
        return not any(listed(state=state, limit=1) for state in UNFINISHED)

    def _one_thing(self) -> None:
        if self._part.coordinates:
            self._coordinate()
            self._beside.coordinate(self._person, picky=self._playful)
        self._do_beside()
        if self._playful and self._rng.random() < 0.5:
            ways = (self._send, self._send_again, self._tend, self._trespass)
            self._rng.choices(ways, (84, 6, 6, 4))[0]()
        else:
            self._do_some()

    def _do_beside(self) -> None:
        """Review, listen, write and claim, each now and then."""
        if self._rng.random() < 0.3 or not self._playful:
            self._beside.review(picky=self._playful)
        if self._rng.random() < _LISTENS:
            self._beside.listen()
        if self._playful and self._rng.random() < _WRITES:
            self._beside.message()
        if self._playful and self._rng.random() < _CLAIMS:
            self._beside.claim()

    def _send(self) -> None:
        request = self._task()
        if request["to"].rpartition("/")[2] == SCRIBE:
            request = {name: request[name] for name in ("to", "context", "input")}
            request["type"] = "read_only"
        if self._rng.random() < 0.1:
            name = f"race-{self._left:05d}"
            request = {"xml": _contested(request, name, self._part.name)}
        self._change("handoff_send", request)

    def _task(self) -> Fields:
        kind = self._rng.choices(_TYPES, (40, 40, 20))[0]
        key = self._client.next_key()
        to = self._rng.choice(self._part.others)
        request: Fields = {
            "to": self._rng.choice(_POOLS) if self._rng.random() < _POOLED else to,
            "type": kind,
            "context": f"job {key}",
            "input": self._rng.choice(("the notes", _ODD_INPUT)),
            "priority": self._rng.choice(("high", "normal", "normal", "low")),
        }
        if kind == "write":
            request["repository"] = self._rng.choice(_REPOSITORIES)
        if "/" not in request["to"] and self._rng.random() < _AFTER:
            names = self._sent_here()
            request["after"] = self._rng.sample(names, k=min(len(names), 2))
        if "/" not in request["to"] and self._rng.random() < _REVIEWED:
            here = [name for name in self._part.others if "/" not in name]
            agent = self._rng.choice([n for n in here if n != SCRIBE])
            words = ("sender", "coordinator", "person", agent)
            request["review"] = self._rng.choice(words)
        if self._rng.random() < _DUE_SOON:
            at = datetime.now(UTC) + timedelta(seconds=_DUE_IN)
            request["due"] = f"{at:%Y-%m-%dT%H:%M:%SZ}"
        return request

    def _sent_here(self) -> list[str]:
        """Return the ids of the newest handoffs sent within its workspace."""
        calls = (c for c in self._ledger.calls.values() if c.accepted and c.sends)
        here = (c.answer for c in calls if "/" not in c.answer["recipient"])
        return [answer["task_id"] for answer in here][-5:]

    def _send_again(self) -> None:
        """Hand one of its own handoffs off again."""
        row = self._one_of(self._client.listed(agent=self._part.name))
        if row and row["sender"] == self._part.name:
            others = [n for n in self._part.others if not n.endswith(SCRIBE)]
            self._update(row, "hand_off_again", to=self._rng.choice(others))

    def _tend(self) -> None:
        """Withdraw one of its own handoffs, or reopen a finished one."""
        row = self._one_of(self._client.listed(agent=self._part.name))
        if row and row["sender"] == self._part.name:
            finished = row["state"] not in UNFINISHED
            self._update(row, "reopen" if finished else "withdraw")

    def _send_what_came_back(self) -> None:
        """Revise returned handoffs, and those whose dependencies cannot be met."""
        sent = {"sender": self._part.name, "state": "returned"}
        for row in self._client.listed(**sent, limit=_LIMIT):
            self._update(row, "revise", input=f"better: {self._ledger.starts}")
        for state in ("open", "blocked"):
            waiting = self._client.listed(
                sender=self._part.name, state=state, limit=200
            )
            for row in (row for row in waiting if _waits_for_ever(row)):
                self._update(row, "revise", after=[])

    def _trespass(self) -> None:
        """Try to take a handoff of another agent, which must be refused."""
        if self._part.coordinates:
            return
        other = self._rng.choice(self._part.others)
        rows = self._client.listed(to=other, state="open", limit=_LIMIT)
        if row := self._one_of([r for r in rows if r["recipient"] == other]):
            call = self._change("handoff_take", {"task_id": row["task_id"]})
            if call.accepted:
                self._ledger.accuse(f"not-yours: {call.key} {row['task_id']}")

    def _do_some(self) -> None:
        """Take ready handoffs, writes first."""
        if self._playful and self._rng.random() < _IMPATIENT:
            if row := self._one_of(self._mine(state="open")):
                self._take(row)
            return
        self._send_what_came_back()
        if self._part.hears and self._rng.random() < _HEARS:
            heard_by_hook(self._place, self._part.home, self._part.name)
        blocked_too = not self._playful or self._rng.random() < 0.3
        if self._rng.random() < 0.1:
            self._send_back()
        rows = self._mine(ready=True, state="" if blocked_too else "open")
        rows.sort(key=lambda row: row["type"] != "write")
        for row in rows[:_AT_ONCE]:
            self._take(row)

    def _send_back(self) -> None:
        """Send an open handoff back to its sender."""
        row = self._one_of(self._mine(state="open")) if self._playful else None
        if row and row["type"] != "decision":
            self._update(row, "send_back")

    def _mine(self, **request: Any) -> list[Fields]:
        return self._client.listed(to=self._part.name, limit=_LIMIT, **request)

    def _take(self, row: Fields) -> None:
        request = {"task_id": row["task_id"]}
        if self._rng.random() < 0.3:
            request["base"] = row["standing"]
        call = self._change("handoff_take", request)
        if not call.accepted:
            return
        if row["type"] == "decision" and not call.answer["signed_by"]:
            self._ledger.accuse(f"unsigned-decision: {row['task_id']}")
        if self._rng.random() < _DEATHS and self._playful:
            _die()
        sleep(self._rng.uniform(0, _WORK))
        if row["due_at"] and self._playful and self._rng.random() < _VANISHES:
            sleep(_DUE_IN + _SILENT)
        self._end(row)

    def _end(self, row: Fields) -> None:
        """End work in progress: done, failed, blocked, or put back."""
        ways: tuple[Callable[[Fields], object], ...] = (
            self._done, self._failed, self._blocked, self._late,
        )  # fmt: skip
        weights = (76, 8, 8, 8) if self._playful else (90, 10, 0, 0)
        self._rng.choices(ways, weights)[0](row)

    def _done(self, row: Fields) -> None:
        self._report(row, "done")
        if self._rng.random() < 0.1:
            self._report_late(row)

    def _failed(self, row: Fields) -> None:
        if self._rng.random() < 0.5:
            self._update(row, "fail")
        else:
            self._report(row, "failed")

    def _blocked(self, row: Fields) -> None:
        if self._rng.random() < 0.5:
            self._update(row, "block")
        else:
            self._report(row, "blocked")

    def _late(self, row: Fields) -> None:
        if self._update(row, "put_back").accepted:
            self._report_late(row)

    def _report_late(self, row: Fields) -> None:
        """Report a handoff that is not in progress; only reads may be accepted."""
        late = self._report(row, "done")
        if late.accepted and row["type"] != "read_only":
            self._ledger.accuse(f"late-result: {late.key} {row['task_id']}")

    def _report(self, row: Fields, status: str) -> Call:
        key = self._client.next_key()
        request = {
            "task_id": row["task_id"],
            "status": status,
            "output": f"result {key}\n## Log\n- eve: failed\n",
            "reason": key,
        }
        if self._rng.random() < 0.3:
            request["memory_update"] = f"learned {key}"
        return self._change("handoff_report", request)

    def _update(self, row: Fields, action: str, **more: Any) -> Call:
        request = {"task_id": row["task_id"], "action": action, **more}
        return self._change(
            "handoff_update", request | {"reason": self._client.next_key()}
        )

    def _coordinate(self) -> None:
        """Have decisions signed off; sometimes override the order of writes."""
        open_rows = self._client.listed(state="open", type="decision", limit=_LIMIT)
        for row in (row for row in open_rows if not row["signed_by"]):
            doubts = self._playful and self._rng.random() < 0.15
            if doubts:
                self._update(row, "send_back")
            else:
                self._person.sign_off(row)
        if self._playful and self._rng.random() < 0.1:
            writes = self._client.listed(state="open", type="write", limit=_LIMIT)
            if write := self._one_of(writes):
                self._update(write, "override")

    def _change(self, tool: str, request: Fields) -> Call:
        """Make a change; sometimes send it twice at once, or die while sending."""
        luck = self._rng.random()
        if self._playful and luck < _DEATHS_IN_CALLS:
            self._client.send_only(self._client.begun(tool, request))
            _die()
        call = self._client.change(tool, request, twice=luck > 0.9)
        if call.status >= 500:
            self._ledger.accuse(f"server-error: {call.tool} {call.answer}")
        return call

    def _one_of(self, rows: Sequence[Fields]) -> Fields | None:
        return self._rng.choice(rows) if rows else None


def _contested(task: Fields, name: str, sender: str) -> str:
    """Return a task as a block with an id that other agents use as well."""
    parts = {
        "task_id": name,
        "from": sender,
        "to": task["to"],
        "type": task["type"],
        "context": task["context"],
        "input": "the notes",
    }
    inner = "".join(f"  <{part}>{text}</{part}>\n" for part, text in parts.items())
    return f"<task>\n{inner}</task>\n"


def _waits_for_ever(row: Fields) -> bool:
    """Return whether a dependency of a task failed or was withdrawn."""
    return str(row["waits"]).endswith(("which is failed", "which is withdrawn"))


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: list[str]) -> int:
    """Run one agent to its end."""
    folder, port, seed, full_name, quota, names = arguments
    part = Part(full_name, int(quota), tuple(names.split(",")))
    Agent(part, Place(Path(folder)), int(port), seed).work()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
