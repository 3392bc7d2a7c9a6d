"""One random walk: a step by some door, the model's own, and what every door shows.

After each step its answer and the files of all handoffs are compared with the model.
After every other step, and after each that a file took, one door in turn shows every
handoff; all doors do after some steps, and after each of a `thorough` walk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from memoryhub.handoffs.services.leases import put_back_silent
from tests.handoffs.walk import claims, compare, moves
from tests.handoffs.walk.doors import Answer, add_line, written
from tests.handoffs.walk.rules import TABLE, VERBS, acts, lease_end, ready, refusals
from tests.handoffs.walk.talk import AGENTS, Talk
from tests.handoffs.walk.world import ENDED, PERSON, Line, Task

#: Steps between two looks at what takes longer, and by all doors.
_OFTEN, _SOMETIMES, _RARELY = 2, 8, 25
#: Steps that no door answers.
_UNANSWERED = ("by_hand", "junk", "edit", "jump", "put_back_silent")
#: Doors that have turns to show every handoff.
_TURNS = ("rest", "mcp", "rest", "mcp", "cli")
_REPORTS = {"done": "done", "fail": "failed", "block": "blocked"}
_PAGES = (
    "take", "send_back", "put_back", "block", "override", "withdraw", "reopen",
    "accept",
)  # fmt: skip
#: How often each kind of step is drawn.
_KINDS = {
    "act": 60, "send": 11, "refused_send": 3, "by_hand": 8, "junk": 2, "jump": 4,
    "heartbeat": 3, "repeat": 2, "stale": 3, "put_back_silent": 2, "edit": 2,
    "message": 7, "hear": 6, "claim": 10,
}  # fmt: skip
_MOST = 16


@dataclass(slots=True)
class Walk(Talk):
    """A walk in one workspace; its numbers decide every step."""

    def go(self, steps: int) -> str:
        """Take steps, and compare all doors after each.

        Return the first difference below the steps that led to it; empty for none.
        """
        for self.number in range(1, steps + 1):
            if wrong := [*self._step(), *self._seen_wrong()]:
                return "\n".join([*self.said[-60:], *wrong])
        return ""

    def _step(self) -> Iterator[str]:
        self.world.now += timedelta(seconds=self.rng.choice((1, 1, 7, 61)))
        kinds = _KINDS | ({} if len(self.world.tasks) < _MOST else {"send": 0})
        (kind,) = self.rng.choices(list(kinds), list(kinds.values()))
        if not self.world.tasks:
            kind = "send"
        self.taken[kind] += 1
        self.unanswered = kind in _UNANSWERED
        yield from getattr(self, f"_{kind}")()

    def _seen_wrong(self) -> Iterator[str]:
        world, doors, number = self.world, self.doors, self.number
        wanted = compare.expected(world)
        everything = self.thorough or number % _RARELY == 0
        every_door = ("rest", "mcp", "cli") if everything else self._turn()
        for door in every_door:
            rows = doors.get("handoffs") if door == "rest" else self._listed(door)
            self.codes |= {row["task_id"]: row["code"] for row in rows}
            yield from compare.rows_differ(wanted, rows, door)
        yield from compare.files_differ(world, doors)
        if everything or number % _SOMETIMES == 0:
            yield from compare.alarms_differ(world, doors)
            yield from self._ready_wrong()
        if everything:
            yield from compare.board_differs(world, doors)
            yield from compare.inbox_differs(world, doors)
            yield from compare.claims_differ(claims.live(world), self._held())

    def _turn(self) -> tuple[str, ...]:
        """Return the door whose turn it is to show every handoff; often none."""
        if self.number % _OFTEN and not self.unanswered:
            return ()
        self.turns += 1
        return (_TURNS[self.turns % len(_TURNS)],)

    def _held(self) -> list[dict[str, Any]]:
        door = self.rng.choice(list(self.doors.by_name))
        answer = self.doors.by_name[door]("", "files_claim", {"action": "list"}, "")
        return list(answer.fields["claims"])

    def _ready_wrong(self) -> Iterator[str]:
        name = self.rng.choice(AGENTS)
        found = [r["task_id"] for r in self._listed("mcp", ready=True, to=name)]
        if found != ready(self.world, name):
            yield f"ready for {name}: {found}, not {ready(self.world, name)}"

    def _listed(self, door: str, **wanted: Any) -> list[dict[str, Any]]:
        asked = {"limit": 200, **wanted}
        answer = self.doors.by_name[door]("", "handoff_list", asked, "")
        return list(answer.fields["handoffs"])

    # Sending

    def _send(self) -> Iterator[str]:
        block, due = moves.drawn_task(self.rng, self.world)
        fields = moves.fields_of(block, due)
        answer = self._ask(block.sender, "handoff_send", fields)
        if answer.code:
            yield f"a task was refused: {answer}"
            return
        wanted = moves.next_id(self.world)
        if answer.fields["task_id"] != wanted:
            yield f"the id is {answer.fields['task_id']}, not {wanted}"
        task = Task(replace(block, task_id=answer.fields["task_id"]), due)
        task.log.append(Line(self.world.now, block.sender, "sent"))
        self.world.tasks[task.task_id] = task
        yield from self._answer_wrong(task, answer)

    def _refused_send(self) -> Iterator[str]:
        fields, code = moves.bad_send(self.rng, self.world)
        answer = self._ask("ann", "handoff_send", fields)
        if answer.code != code:
            yield f"a bad task was answered {answer}, not {code}"

    # Acting

    def _act(self) -> Iterator[str]:
        task, act, actor = self._drawn_act()
        reason = "" if self.rng.random() < 0.15 else f"why {self.number}"
        yield from self._acted(task, act, actor, reason)

    def _drawn_act(self) -> tuple[Task, str, str]:
        """Draw an act; most of the time one that is allowed."""
        actors = (*AGENTS, PERSON)
        drawn = [self._any_act(actors) for _ in range(12)]
        if self.rng.random() < 0.7:
            for task, act, actor in drawn:
                if not refusals(self.world, task, act, actor, "why"):
                    return task, act, actor
        return drawn[0]

    def _any_act(self, actors: tuple[str, ...]) -> tuple[Task, str, str]:
        task = self.rng.choice(list(self.world.tasks.values()))
        parties = (task.block.sender, task.block.recipient, task.block.recipient)
        actor = self.rng.choice([*actors, *(p for p in parties if p in actors)])
        acts = [act for act in TABLE for _ in range(moves.LIKELY.get(act, 1))]
        return task, self.rng.choice(acts), actor

    def _acted(self, task: Task, act: str, actor: str, reason: str) -> Iterator[str]:
        if actor == PERSON:
            if act == "sign_off" or act in _PAGES:
                yield from self._pressed(task, act, reason)
            return
        fields = {"task_id": task.task_id}
        codes = refusals(self.world, task, act, actor, reason)
        again = replace(task.block, recipient=self.rng.choice(("bob", "cid", "any")))
        changes = moves.drawn_changes(self.rng, self.world, task)
        tool, more = self._request(act, reason, again, changes)
        answer = self._ask(actor, tool, fields | more)
        if answer.code not in (codes or {""}):
            yield f"{act} was answered {answer.code or 'done'}, not {codes or 'done'}"
            return
        if answer.code:
            return
        self._apply(task, act, actor, reason, by_report=tool == "handoff_report")
        if act == "revise":
            self._revised(task, changes)
        if act == "hand_off_again":
            yield from self._again(task, actor, reason, again.recipient, answer)
        else:
            yield from self._answer_wrong(task, answer)

    def _request(
        self, act: str, reason: str, again: Any, changes: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return the tool and the fields by which an act is asked for."""
        if act == "take":
            return "handoff_take", {}
        if act == "done" or (act in _REPORTS and reason and self.rng.random() < 0.5):
            fields = {"status": _REPORTS[act], "output": "It is so."}
            return "handoff_report", fields | {"reason": reason}
        fields = {"action": act, "reason": reason}
        if act == "revise":
            fields |= changes
        if act == "hand_off_again":
            fields["to"] = again.recipient
        return "handoff_update", fields

    def _apply(
        self, task: Task, act: str, actor: str, reason: str, *, by_report: bool = False
    ) -> None:
        if act != "hand_off_again":
            no_reason = act == "take" and actor != PERSON
            why = "" if no_reason else reason
            task.log.append(Line(self.world.now, actor, VERBS[act], "", why))
        task.results += by_report

    def _revised(self, task: Task, changes: dict[str, Any]) -> None:
        changed = dict(changes)
        if "after" in changed:
            changed["after"] = tuple(changed["after"])
        task.block = replace(task.block, **changed)

    def _again(
        self, task: Task, actor: str, reason: str, to: str, answer: Answer
    ) -> Iterator[str]:
        new_id, now = moves.next_id(self.world), self.world.now
        if answer.fields["task_id"] != new_id:
            yield f"the id is {answer.fields['task_id']}, not {new_id}"
        over = self.world.state(task) in ENDED
        task.log.append(Line(now, actor, "handed off again", new_id, reason))
        if not over:
            task.log.append(Line(now, actor, "withdrawn", "", reason))
        sender = task.block.sender if self.world.coordinates(actor) else actor
        block = replace(task.block, task_id=new_id, sender=sender, recipient=to)
        due = task.due if task.due and task.due > now else None
        new = Task(block, due, [Line(now, actor, "sent")])
        self.world.tasks[new_id] = new
        yield from self._answer_wrong(new, answer)

    def _pressed(self, task: Task, act: str, reason: str) -> Iterator[str]:
        """Act as the person, by the page's form."""
        codes = refusals(self.world, task, act, PERSON, reason)
        base, page = self.world.steps(task), act.replace("_", "-")
        status = self.doors.press(self._code(task), page, base, reason)
        self.said.append(f"{self.number} page: {act} {task.task_id} -> {status}")
        if status != (422 if codes else 303):
            yield f"{act} on the page was answered {status}, not {codes or 'done'}"
        if status == 303:
            self.world.signs[PERSON] = self.world.now
            self._apply(task, act, PERSON, reason)
            if act == "sign_off":
                task.signed_texts[len(task.log) - 1] = task.block.text

    def _stale(self) -> Iterator[str]:
        """Act on an older standing than there is: nothing must change."""
        task, act, actor = self._drawn_act()
        if actor == PERSON or act != "take":
            return
        codes = refusals(self.world, task, act, actor, "why")
        fields = {"task_id": task.task_id, "base": "0 sent, nobody"}
        answer = self._ask(actor, "handoff_take", fields)
        if answer.code not in {"conflict", *codes}:
            yield f"a stale take was answered {answer}"

    def _heartbeat(self) -> Iterator[str]:
        task = self.rng.choice(list(self.world.tasks.values()))
        actor = self.world.stand(task).taken_by
        if self.world.state(task) != "in_progress" or actor == PERSON:
            return
        fields = {"task_id": task.task_id, "action": "heartbeat"}
        yield from self._answer_wrong(task, self._ask(actor, "handoff_update", fields))

    def _repeat(self) -> Iterator[str]:
        """Make one call twice by its key: it is done once, with one answer."""
        block, due = moves.drawn_task(self.rng, self.world)
        key, fields = f"key-{self.number}", moves.fields_of(block, due)
        first = self._ask(block.sender, "handoff_send", fields, key)
        again = self._ask(block.sender, "handoff_send", fields, key)
        if first.fields["code"] != again.fields["code"]:
            yield f"a repeated call was answered {again}, not {first}"
        task = Task(replace(block, task_id=first.fields["task_id"]), due)
        task.log.append(Line(self.world.now, block.sender, "sent"))
        self.world.tasks[task.task_id] = task

    # Files and time

    def _by_hand(self) -> Iterator[str]:
        """Write a line into a log by hand, as an agent without the hub does."""
        task, act, actor = self._drawn_act()
        if act == "hand_off_again":
            return
        line = Line(self.world.now, actor, VERBS[act], "", "by hand", by_hub=False)
        self.said.append(f"{self.number} file {task.task_id}: {written(line)}")
        add_line(self.doors.file(task.task_id), written(line))
        task.log.append(line)
        self.world.signs[actor] = self.world.now
        yield from ()

    def _junk(self) -> Iterator[str]:
        """Write a line that no reader understands: it decides nothing."""
        task = self.rng.choice(list(self.world.tasks.values()))
        actor, verb, text = self.rng.choice(moves.JUNK)
        self.said.append(f"{self.number} file {task.task_id}: {text}")
        add_line(self.doors.file(task.task_id), text)
        if verb:
            line = Line(None, actor, verb, by_hub=False, read_at=self.world.now)
            task.log.append(line)
            self.world.signs[actor] = self.world.now
        yield from ()

    def _edit(self) -> Iterator[str]:
        """Change a task's text by hand: a sign-off of the old one is void."""
        task = self.rng.choice(list(self.world.tasks.values()))
        path = self.doors.file(task.task_id)
        new = f"edited {self.number}"
        old = f"<input>{task.block.input}</input>"
        path.write_text(path.read_text().replace(old, f"<input>{new}</input>"))
        self.said.append(f"{self.number} file {task.task_id}: input edited")
        task.block = replace(task.block, input=new)
        yield from ()

    def _jump(self) -> Iterator[str]:
        """Let hours pass, so that leases end and due times go by."""
        self.world.now += timedelta(minutes=self.rng.choice((9, 40, 130, 400)))
        self.said.append(f"{self.number} it is {self.world.now}")
        yield from ()

    def _put_back_silent(self) -> Iterator[str]:
        """Have the hub put back what silent agents hold, as its server does."""
        self.workspace.refresh_from_db()
        self.workspace.put_back_silent = True
        found = put_back_silent(self.workspace, self.world.now)
        silent = [t for t in self.world.unfinished() if self._is_silent(t)]
        self.said.append(f"{self.number} put back of silent holders: {found}")
        if found != len(silent):
            yield f"{found} of silent holders put back, not {len(silent)}"
        for task in silent:
            reason = moves.silent_reason(self.world, task)
            line = Line(self.world.now, "memoryhub", "put back", "", reason)
            task.log.append(line)

    def _is_silent(self, task: Task) -> bool:
        end, waits = lease_end(self.world, task), acts(self.world, task)
        return end is not None and end < self.world.now and waits != "person"
