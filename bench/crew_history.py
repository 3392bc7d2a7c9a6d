"""The history of each handoff of a simulated crew: its log, line by line.

Each line is matched with the call that asked for it. The model is the simulation's
own: it knows nothing of how a hub decides.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.crew_calls import Call
from bench.crew_files import HandoffFile, LogLine

#: The actor of what the hub does by itself, and of what the person does.
HUB, PERSON = "memoryhub", "operator"
#: Prefix of the names of coordinators, who have decisions signed off.
COORDINATOR = "coordinator"
FINISHED = frozenset({"done", "failed", "withdrawn"})
#: The verb that each change of a handoff writes.
_VERBS = {
    "put_back": "put back",
    "block": "blocked",
    "sign_off": "signed off",
    "send_back": "sent back",
    "revise": "revised",
    "reopen": "reopened",
    "accept": "accepted",
    "message": "said",
    "withdraw": "withdrawn",
    "override": "overridden",
    "fail": "failed",
    "hand_off_again": "handed off again",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that must never be: its name, and where it was seen."""

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


@dataclass(frozen=True, slots=True)
class Matched:
    """A line of a log with the call that asked for it, and the state it led to."""

    line: LogLine
    call: Call
    state: str


#: The lines that each actor's calls ask for, in the actor's order.
Waiting = defaultdict[str, deque[tuple[LogLine, Call]]]


@dataclass(slots=True)
class History:
    """A handoff's log, walked through line by line."""

    file: HandoffFile
    waiting: Waiting
    matched: list[Matched] = field(default_factory=list)
    violations: list[Violation] = field(default_factory=list)
    state: str = ""
    signed: bool = False
    moves: int = 0
    #: Verb and actor of its last step; messages are none.
    last: tuple[str, str] = ("", "")
    #: How many lines were matched before each time that the hub put it back.
    put_back: list[int] = field(default_factory=list)

    def walk(self) -> None:
        """Match every line of the log with a call."""
        for line in self.file.log:
            expected = self.waiting.get(line.actor)
            if not expected or expected[0][0] != line:
                if not self._is_put_back(line):
                    self._accuse("line-unasked", str(line))
                continue
            _, call = expected.popleft()
            if "by" not in call.request:
                self._check_line(line, call)
            self._move(line, call)
        for line, _ in self._missing():
            self._accuse("line-lost", str(line))
        if self.file.odd:
            self._accuse("line-odd", str(self.file.odd[0]))

    def _is_put_back(self, line: LogLine) -> bool:
        """Return whether the hub released an expired lease here; record it if so."""
        is_so = (line.actor, line.verb, self.state) == (HUB, "put back", "in_progress")
        if is_so:
            self.moves, self.state = self.moves + 1, "open"
            self.last = (line.verb, line.actor)
            self.put_back.append(len(self.matched))
        return is_so

    def _check_line(self, line: LogLine, call: Call) -> None:
        kind = self.file.type
        if line.verb == "taken" and self.state not in {"open", "blocked"}:
            self._accuse("taken-twice", call.key)
        if line.verb == "taken" and kind == "decision" and not self.signed:
            self._accuse("unsigned-decision", call.key)
        if line.verb == "done" and kind != "read_only" and self.state != "in_progress":
            self._accuse("late-result", call.key)
        if line.verb == "accepted" and self.state != "review":
            self._accuse("late-accept", call.key)
        if line.verb == "accepted" and not self._accepts(line.actor):
            self._accuse("not-yours", call.key)

    def _accepts(self, actor: str) -> bool:
        """Return whether somebody may accept, coordinators and people included."""
        word, sender = (
            name.rpartition("/")[2] for name in (self.file.review, self.file.sender)
        )
        reviewer = sender if word == "sender" else word
        if word == "person":
            return actor == PERSON
        return actor in (reviewer, PERSON) or actor.startswith(COORDINATOR)

    def _move(self, line: LogLine, call: Call) -> None:
        before, self.state = self.state, self.file.state_of(line.verb) or self.state
        if line.verb != "said":
            self.moves += 1 + (call.tool == "handoff_report")
            self.last = (line.verb, line.actor)
        if line.verb in {"signed off", "sent back", "reopened"}:
            self.signed = line.verb == "signed off"
        if line.verb == "handed off again" and before not in FINISHED:
            end = LogLine(line.actor, "withdrawn", line.reason)
            self.waiting[line.actor].appendleft((end, call))
        self.matched.append(Matched(line, call, self.state))
        if call.answer.get("task_id") == self.file.task_id:
            self._check_answer(line, call)

    def _check_answer(self, line: LogLine, call: Call) -> None:
        """The answer says where it stood after its own line, or later."""
        moves, _, stands = str(call.answer["standing"]).partition(" ")
        untrue = int(moves) < self.moves
        if int(moves) == self.moves:
            state = call.answer["state"] == self.state
            verb, _, actor = stands.partition(", ")
            untrue = not state or self.last != (verb, actor.rpartition("/")[2])
        if untrue:
            self._accuse("answer-untrue", f"{call.key} {call.answer['standing']}")

    def _missing(self) -> Iterator[tuple[LogLine, Call]]:
        for expected in self.waiting.values():
            for line, call in expected:
                ends_old = line.verb == "withdrawn" and call.sends
                # Others may have finished the old one first, after a kill.
                if not (ends_old and self.state in FINISHED):
                    yield line, call

    def _accuse(self, name: str, what: str) -> None:
        self.violations.append(Violation(name, f"{self.file.name} {what}"))


class Names:
    """How handoffs are named that calls speak of: by the workspace that has the file.

    That one is between two is told from who it was sent to, by the answers alone.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self._homes: dict[str, str] = {}
        for call in calls:
            if call.accepted and call.sends:
                task_id, recipient = call.answer["task_id"], call.answer["recipient"]
                slug, slash, _ = recipient.partition("/")
                if slash:
                    self._homes[f"{call.slug}/{task_id}"] = f"{slug}/{task_id}"

    def of(self, call: Call, task_id: str) -> str:
        """Return the `workspace/task_id` of the handoff that a call refers to."""
        name = f"{call.slug}/{task_id}"
        return self._homes.get(name, name)


def histories(
    files: Mapping[str, HandoffFile], calls: Sequence[Call]
) -> dict[str, History]:
    """Return every handoff's history with its violations."""
    waiting = _expected(calls)
    found = {name: History(file, waiting[name]) for name, file in files.items()}
    for history in found.values():
        history.walk()
    return found


def _expected(calls: Sequence[Call]) -> defaultdict[str, Waiting]:
    """Return the lines that calls ask for, by handoff."""
    waiting, names = defaultdict[str, Waiting](lambda: defaultdict(deque)), Names(calls)
    for call in sorted(calls, key=lambda call: call.started):
        for task_id, verb, reason in _lines_of(call) if call.accepted else ():
            line = LogLine(call.actor, verb, reason)
            waiting[names.of(call, task_id)][call.actor].append((line, call))
    return waiting


def _lines_of(call: Call) -> Iterator[tuple[str, str, str]]:
    if call.sends:
        yield call.answer["task_id"], "sent", ""
    if call.tool == "handoff_take":
        yield call.request["task_id"], "taken", ""
    if call.tool == "handoff_report":
        yield call.request["task_id"], call.request["status"], call.key
    if call.tool == "handoff_update":
        yield call.request["task_id"], _VERBS[call.action], call.key
