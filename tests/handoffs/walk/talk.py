"""Steps of a walk in which agents write to each other, listen, and claim files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from memoryhub.journal.models import Workspace
from tests.handoffs.walk import claims, compare, talking
from tests.handoffs.walk.doors import Answer, Doors, add_line, written
from tests.handoffs.walk.watch import in_a_circle, is_circle, waits_for
from tests.handoffs.walk.world import PERSON, Line, Task, World

AGENTS = ("ann", "bob", "cid", "dan", "规划者", "lead")
#: How often a refusal is asked of a second door.
_TWICE = 0.4


@dataclass(slots=True)
class Talk:
    """A workspace, the model of it, and what has been asked so far."""

    workspace: Workspace
    world: World
    doors: Doors
    rng: Random
    taken: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    #: Cursor of each agent's inbox, and the length of each log when it was given.
    cursors: dict[str, tuple[str, dict[str, int]]] = field(default_factory=dict)
    thorough: bool = False
    number: int = 0
    turns: int = 0
    unanswered: bool = False

    def _ask(
        self, agent: str, tool: str, fields: dict[str, Any], key: str = ""
    ) -> Answer:
        """Ask some door; refusals are asked of another one too."""
        first, second = self.rng.choices(("rest", "mcp", "cli"), (47, 47, 6), k=2)
        self.said.append(f"{self.number} {first} {agent}: {tool} {fields}")
        answer = self.doors.by_name[first](agent, tool, fields, key)
        self.world.signs[agent] = self.world.now
        self.said[-1] += f" -> {answer.code or answer.fields.get('state')}"
        if answer.code and second != first and self.rng.random() < _TWICE:
            other = self.doors.by_name[second](agent, tool, fields, key)
            if other.code != answer.code:
                both = f"{answer.code}, by {second} {other.code}"
                answer = replace(answer, code=both)
        return answer

    def _answer_wrong(self, task: Task, answer: Answer) -> Iterator[str]:
        fields = answer.fields
        for difference in compare.answer_differs(self.world, task, fields):
            yield f"the answer's {difference}"
        names = fields["deadlock_tasks"]
        if not names and in_a_circle(self.world, task):
            waits = {
                n: [*waits_for(self.world, t)] for n, t in self.world.tasks.items()
            }
            yield f"deadlock of {task.task_id} is {names}: {waits}"
        if names and not is_circle(self.world, names):
            yield f"deadlock {names} is no circle"

    def _code(self, task: Task) -> str:
        if task.task_id not in self.codes:
            self.codes[task.task_id] = self.doors.record(task.task_id)["code"]
        return self.codes[task.task_id]

    def _message(self) -> Iterator[str]:
        """Write into a thread: it changes neither state nor standing."""
        task = self.rng.choice(list(self.world.tasks.values()))
        actor = self.rng.choice((*AGENTS, PERSON))
        text = talking.drawn_text(self.rng, self.number)
        said = talking.written(text)
        line = Line(self.world.now, actor, "said", "", said)
        if actor == PERSON:
            yield from self._pressed_message(task, text, line)
            return
        if said and self.rng.random() < 0.25:
            add_line(self.doors.file(task.task_id), written(line))
            self.said.append(f"{self.number} file {task.task_id}: {written(line)}")
            task.log.append(replace(line, by_hub=False))
            self.world.signs[actor] = self.world.now
            return
        fields = {"task_id": task.task_id, "action": "message", "reason": text}
        answer = self._ask(actor, "handoff_update", fields)
        wanted = "" if said else "handoff-reason-missing"
        if answer.code != wanted:
            yield f"a message was answered {answer.code or 'done'}, not {wanted}"
        if not answer.code:
            task.log.append(line)
            yield from self._answer_wrong(task, answer)
        yield from self._thread_wrong(task)

    def _pressed_message(self, task: Task, text: str, line: Line) -> Iterator[str]:
        base = self.world.steps(task)
        status = self.doors.press(self._code(task), "message", base, text)
        self.said.append(f"{self.number} page: message {text!r} -> {status}")
        if status != (303 if line.reason else 422):
            yield f"a message on the page was answered {status}"
        if status == 303:
            task.log.append(line)
            self.world.signs[PERSON] = self.world.now
        yield from self._thread_wrong(task)

    def _thread_wrong(self, task: Task) -> Iterator[str]:
        door = self.rng.choice(("rest", "mcp", "cli", "record"))
        if door == "record":
            found = self.doors.record(task.task_id)["messages"]
        else:
            whole = {"task_id": task.task_id}
            answer = self.doors.by_name[door]("", "handoff_list", whole, "")
            found = answer.fields["whole"]["messages"]
        texts = [(message["by"], message["text"]) for message in found]
        if texts != talking.thread(task):
            yield f"thread of {task.task_id} by {door}: {texts}"

    def _hear(self) -> Iterator[str]:
        """Ask for an agent's news since it asked last."""
        agent = self.rng.choice(AGENTS)
        cursor, heard = self.cursors.get(agent, ("", {}))
        answer = self._ask(agent, "handoff_inbox", {"since": cursor})
        logs = {task.task_id: len(task.log) for task in self.world.tasks.values()}
        self.cursors[agent] = answer.fields["cursor"], logs
        if not cursor:
            return
        steps = [news for news in answer.fields["news"] if news["kind"] == "step"]
        found = {
            (n["task_id"], n["what"], n["reason"] * (n["what"] == "said"))
            for n in steps
        }
        must, may = talking.news_for(self.world, agent, heard)
        if lacking := must - found:
            yield f"{agent} does not hear of {sorted(lacking)}"
        if strange := found - may:
            yield f"{agent} hears of {sorted(strange)}"

    def _claim(self) -> Iterator[str]:
        agent, fields = self.rng.choice(AGENTS), claims.drawn(self.rng)
        codes = claims.refusals(self.world, agent, fields)
        met = (
            set() if codes else {c.name for c in claims.met(self.world, agent, fields)}
        )
        answer = self._ask(agent, "files_claim", fields)
        if answer.code not in (codes or {""}):
            yield f"a claim was answered {answer.code or 'done'}, not {codes or 'done'}"
        if answer.code or codes:
            return
        held = claims.apply(self.world, agent, fields)
        yield from compare.claims_differ(held, answer.fields["claims"])
        overlaps = {compare.claim_name(row) for row in answer.fields["overlaps"]}
        if fields["action"] == "claim" and overlaps != met:
            yield f"overlaps {sorted(overlaps)}, not {sorted(met)}"
