"""Answers of the handoff tools: fields for programs, quoted XML for models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from memoryhub.dialects.handoff import Result, listed_in, render_result, render_task
from memoryhub.handoffs.exporters import task_of, ties_of
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.board import held_up
from memoryhub.handoffs.queries.conversation import Evidence, evidence_of
from memoryhub.handoffs.queries.lane import states_named
from memoryhub.handoffs.queries.messages import thread_of
from memoryhub.handoffs.queries.waiting import Deadlock
from memoryhub.handoffs.rules.acting import FAILED, REVIEW, TAKEN_FROM, WITHDRAWN, Lane
from memoryhub.handoffs.services.sending import Done
from memoryhub.tools.base import Answer
from memoryhub.tools.quoting import block, with_notice

#: Short texts of the refusals to take a handoff.
_WAITS = {
    "handoff-not-signed": "unsigned",
    "handoff-lane-busy": "{task_id} is in progress",
    "handoff-lane-order": "after {first}",
    "handoff-broken": "its block is broken: {problems}",
    "handoff-after": "after {first}, which is {state}",
    "handoff-state": "it is {state}",
    "handoff-over": "it is {state}",
    "handoff-withdrawn": "it was withdrawn",
}


class HandoffRow(Answer):
    """A handoff in a list; `standing` is the base of a later change.

    `waits` says why it cannot be taken now; it is empty where it can be. `acts` is who
    must act: an agent, "person", or empty for nobody. `silent`: its holder has not
    called since `lease_until`. `in_lane` is true of a write
    that is in progress, next or held in this workspace.
    """

    task_id: str
    code: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    standing: str
    sent_at: datetime
    signed_by: str
    taken_by: str
    reason: str
    overdue: bool
    waits: str
    due_at: datetime | None = None
    acts: str
    in_lane: bool
    silent: bool = False
    lease_until: datetime | None = None
    after: list[str] = []
    parent: str = ""
    repository: str = ""
    paths: list[str] = []
    priority: str = "normal"
    review: str = ""

    def line(self, *, coded: bool) -> str:
        """Return it as one line; `coded` adds the row code, for an ambiguous id."""
        name = self.task_id or self.code
        if coded and self.task_id:
            name = f"{name} {self.code}"
        marks = [self.type, self.state]
        if self.type == "decision" and self.state == "open" and self.signed_by:
            marks.append(f"signed off by {self.signed_by}")
        if self.waits and self.state in TAKEN_FROM:
            marks.append(self.waits)
        marks += ["overdue"] * self.overdue + ["holder silent"] * self.silent
        why = f" -- {self.reason}" if self.reason else ""
        whose = f"{name} {self.sender} -> {self.recipient}"
        return f"{whose} [{', '.join(marks)}] {self.context}{why}"


class MessageAnswer(Answer):
    """A message in a handoff's thread."""

    at: datetime
    by: str
    text: str

    @classmethod
    def of_step(cls, step: HandoffStep) -> Self:
        at = (step.happened_at or step.recorded_at).astimezone(UTC)
        return cls(at=at, by=step.actor, text=step.reason)


class EvidenceAnswer(Answer):
    """Side effects of a result, by the journal.

    `changed` are files that changed while the work was done, with the name of whoever
    changed each; `unnamed` those of them that the result does not name, `unchanged`
    those that it names and that did not change; `commits` are hashes that it names.
    """

    changed: dict[str, str]
    unnamed: list[str]
    unchanged: list[str]
    commits: list[str]

    @classmethod
    def of_result(cls, found: Evidence) -> Self:
        return cls(
            changed={file.path: file.by for file in found.files},
            unnamed=[file.path for file in found.files if not file.named],
            unchanged=list(found.unchanged),
            commits=list(found.commits),
        )

    def lines(self) -> list[str]:
        """Return it as lines for a model."""
        changed = (f"{path} ({by or 'unknown'})" for path, by in self.changed.items())
        parts = {
            "Changed meanwhile": ", ".join(changed),
            "Not named in the result": ", ".join(self.unnamed),
            "Named, but not changed": ", ".join(self.unchanged),
            "Commits named": ", ".join(self.commits),
        }
        return [f"{name}: {text}" for name, text in parts.items() if text]


class HandoffAnswer(Answer):
    """A handoff as it is now, with its blocks as its file has them.

    `notes` are further remarks, `deadlock` the agents of a circle of tasks that wait
    for one another, and `deadlock_tasks` the tasks. `after` are the tasks that have to
    be done before, `parent` is the one that it is part of.
    """

    task_id: str
    code: str
    sender: str
    recipient: str
    type: str
    state: str
    context: str
    standing: str
    signed_by: str
    taken_by: str
    due: datetime | None
    due_at: datetime | None = None
    lease_until: datetime | None = None
    path: str
    xml: str
    notes: list[str] = []
    deadlock: list[str] = []
    deadlock_tasks: list[str] = []
    after: list[str] = []
    parent: str = ""
    repository: str = ""
    paths: list[str] = []
    priority: str = "normal"
    review: str = ""
    evidence: EvidenceAnswer | None = None
    messages: list[MessageAnswer] = []

    def as_text(self) -> str:
        """Return state, notes and its blocks, the latter quoted."""
        is_done = f"done, to be accepted by {self.review}"
        state = is_done if self.state == REVIEW else self.state
        notes = [f"The handoff is {state}.", *self.notes]
        said = [f"{self.task_id or self.code}: {self.standing}"]
        said += [f"{m.at:%Y-%m-%dT%H:%MZ} {m.by}: {m.text}" for m in self.messages]
        if self.evidence:
            said += self.evidence.lines()
        if self.deadlock:
            notes.append("A deadlock: somebody of the circle has to give way.")
            said.append(" -> ".join([*self.deadlock, self.deadlock[0]]))
            said.append(" -> ".join([*self.deadlock_tasks, *self.deadlock_tasks[:1]]))
        return with_notice(
            "\n".join(notes), block(self.path, "\n".join([*said, self.xml]))
        )

    def in_full(self, handoff: Handoff) -> Self:
        """Return it with its messages, and the evidence of its result if it has one."""
        found = evidence_of(handoff)
        evidence = EvidenceAnswer.of_result(found) if found else None
        thread = [MessageAnswer.of_step(step) for step in thread_of(handoff)]
        return self.model_copy(update={"evidence": evidence, "messages": thread})


class ReportAnswer(HandoffAnswer):
    """A handoff with its result, and where its memory update went."""

    memory_path: str = ""
    memory_staged: bool = False
    memory_refused: str = ""


def lines_of(rows: Sequence[HandoffRow]) -> str:
    """Return a list as text, a line per handoff."""
    shared = _shared(row.task_id for row in rows)
    return "\n".join(row.line(coded=row.task_id in shared) for row in rows)


def rows_of(
    cards: Sequence[Handoff], lane: Lane, leases: Mapping[int, datetime], now: datetime
) -> list[HandoffRow]:
    """Return the rows of a list; `lane` is the workspace's write lane.

    `leases`: when those in progress end, by row.
    """
    lane = replace(lane, shared=_shared(card.task_id for card in cards))
    return [_row_of(card, lane, leases.get(card.pk), now) for card in cards]


def _shared(task_ids: Iterable[str]) -> frozenset[str]:
    """Return the ids that occur more than once."""
    counts = Counter(task_ids)
    return frozenset(task_id for task_id, count in counts.items() if count > 1)


def _row_of(
    card: Handoff, lane: Lane, lease: datetime | None, now: datetime
) -> HandoffRow:
    return HandoffRow(
        task_id=card.task_id,
        code=card.code,
        sender=card.sender,
        recipient=card.recipient,
        type=card.type,
        state=card.state,
        context=card.context,
        standing=card.standing,
        sent_at=card.sent_at,
        signed_by=card.signed_by,
        taken_by=card.taken_by,
        reason=card.last_reason,
        overdue=card.overdue,
        waits=waits_of(card, lane),
        due_at=card.due_at,
        acts=card.acts,
        in_lane=card.in_lane,
        silent=lease is not None and lease < now,
        lease_until=lease,
        **ties_of(card),
    )


def waits_of(card: Handoff, lane: Lane) -> str:
    """Return why a handoff cannot be taken now, in a few words; empty if it can.

    The sender of work done elsewhere learns there, too, that it can never begin.
    """
    if card.away:
        away = f"its work is done in {card.home_slug}"
        return "; ".join([away, *_never_begun(card)])
    refused = held_up(card, lane)
    return _WAITS[refused.code].format(**refused.parameters) if refused else ""


def _never_begun(card: Handoff) -> Iterator[str]:
    """Yield the failed or withdrawn tasks that untaken work comes after."""
    if not card.after or card.state not in TAKEN_FROM:
        return
    states = states_named(card.workspace, [card.after])
    for name in listed_in(card.after):
        if (state := states.get(name)) in (FAILED, WITHDRAWN):
            yield f"after {name}, which is {state}"


def answer_of(done: Done, *notes: str) -> HandoffAnswer:
    """Return a tool's answer after a change of a handoff."""
    return warned(shown(done.handoff, *notes), done.deadlock)


def warned(answer: HandoffAnswer, deadlock: Deadlock | None) -> HandoffAnswer:
    """Return an answer with the deadlock that its handoff is part of."""
    if deadlock is None:
        return answer
    tasks, agents = map(list, deadlock)
    return answer.model_copy(update={"deadlock": agents, "deadlock_tasks": tasks})


def shown(handoff: Handoff, *notes: str) -> HandoffAnswer:
    """Return a handoff with its task and newest result as XML."""
    return HandoffAnswer(
        task_id=handoff.task_id,
        code=handoff.code,
        sender=handoff.sender,
        recipient=handoff.recipient,
        type=handoff.type,
        state=handoff.state,
        context=handoff.context,
        standing=handoff.standing,
        signed_by=handoff.signed_by,
        taken_by=handoff.taken_by,
        due=handoff.due_at,
        due_at=handoff.due_at,
        path=handoff.file.path,
        xml=_xml(handoff),
        notes=list(notes),
        **ties_of(handoff),
    )


def _xml(handoff: Handoff) -> str:
    blocks = [render_task(task_of(handoff))]
    if handoff.result_status:
        result = Result(
            handoff.task_id,
            handoff.result_status,
            handoff.result,
            handoff.side_effects,
            handoff.memory_update,
        )
        blocks.append(render_result(result))
    return "\n".join(blocks)
