"""Importer of handoffs: tasks, log lines and results to rows with a state.

On one's own machine a file states the other workspace that takes part, and the decision
that it asks for. In a team whoever writes files of one workspace has no rights in
others: there only a sending through the hub counts, which has checked them, and for a
decision only its text then.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q

from memoryhub.dialects.facts import Quoting, Time
from memoryhub.dialects.handoff import (
    PRIORITIES,
    Fields,
    HandoffDocument,
    LogLine,
    Result,
    Task,
    day_of,
    find_results,
    find_tasks,
    hindrance_of,
    listed_in,
)
from memoryhub.events.importers import add_event, add_file_event
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.source import first_sentence
from memoryhub.handoffs.log_verbs import REVISE, SEND, SIGN, SIGNED, STEP, TAKE_BACK
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.decisions import sign_offs
from memoryhub.handoffs.queries.resends import in_order
from memoryhub.handoffs.rules.acting import (
    DECISION,
    SIGNED_OFF,
    TAKEN_FROM,
    in_lane,
    who_acts,
)
from memoryhub.handoffs.rules.outcomes import outcome_of
from memoryhub.handoffs.rules.parties import is_strange, signed_key
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.fold import Fact, fold
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Agent, Operation, SourceFile, Workspace
from memoryhub.journal.ownership import Owner
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.rows import Entities, Row, Rows
from memoryhub.people.roles import is_team
from snapshots.importers.provenance import Provenance, owner_columns
from topics.importers.decisions import DecisionImporter, decide
from topics.importers.topics import BindingImporter
from topics.models import Decision, Topic

#: Timeline verbs of log verbs that lead to a state: results use the state as verb.
_TOLD = {"taken": "in_progress"}


def write_state(
    change: Change,
    handoff: Handoff,
    steps: list[HandoffStep],
    given: frozenset[Signature],
    strange: Collection[int] = (),
) -> None:
    """Store the state that the steps lead to, and add a timeline event per new step.

    Only sign-offs that a person has `given` count; `strange` steps do not.
    """
    for step in steps:
        if step.stranger != (step.id in strange):
            step.stranger = step.id in strange
            change.rows.update(HandoffStep, step.id, stranger=step.stranger)
    for step in steps:
        confirmed = is_sign_off(step) and (
            (step.actor, step.happened_at, signed_key(handoff)) in given
        )
        if step.confirmed != confirmed:
            step.confirmed = confirmed
            change.rows.update(HandoffStep, step.id, confirmed=confirmed)
    is_new = handoff.first_seq == change.seq and handoff.state == ""
    state = Handoff.State.OPEN.value if is_new else handoff.state
    results = [step for step in steps if step.is_result]
    result = results[-1] if results else HandoffStep(verb="")
    stored = dict(vars(handoff))
    columns = outcome_of(steps, handoff) | {
        "result_status": result.verb[:20],
        "result": result.output,
        "side_effects": result.side_effects,
        "memory_update": result.memory_update,
    }
    vars(handoff).update(columns)
    columns |= {"acts": who_acts(handoff), "in_lane": in_lane(handoff)}
    if not columns.items() <= stored.items():
        change.rows.update(Handoff, handoff.id, **columns)
    for step in steps:
        if step.handoff_id != handoff.id:
            change.rows.update(HandoffStep, step.id, handoff_id=handoff.id)
    _tell_all(change, handoff, steps, state, is_new=is_new)


def is_sign_off(step: HandoffStep) -> bool:
    """Return whether a step is a sign-off line of a log."""
    return step.verb == SIGNED_OFF and not step.is_result


def _tell_all(
    change: Change,
    handoff: Handoff,
    steps: list[HandoffStep],
    before: str,
    *,
    is_new: bool,
) -> None:
    """Add a timeline event for every new log line and every other state change.

    `before`: the state that it had. A state can change without a line: by a result
    alone, or by one that was taken back.
    """
    if is_new:
        _tell(change, handoff, "sent", None)
    log = [step for step in steps if not (step.is_result or step.stranger)]
    new = [s for s in log if s.first_seq == change.seq and s.verb != "sent"]
    for step in new:
        verb = _TOLD.get(step.verb, step.verb.replace(" ", "_"))
        if is_sign_off(step) and not step.confirmed:
            verb = "sign_off_claimed"
        _tell(change, handoff, verb, step)
    if not new and before != handoff.state:
        holder = handoff.taken_by or handoff.recipient
        _tell(change, handoff, handoff.state, steps[-1] if steps else None, holder)


def _tell(
    change: Change,
    handoff: Handoff,
    verb: str,
    step: HandoffStep | None,
    holder: str = "",
) -> None:
    """Add the event of a step; a result without an actor is that of its `holder`."""
    sent = verb == "sent"
    happened = step.happened_at if step else None
    at = handoff.occurred_at if sent else happened
    precision = handoff.precision if sent else Precision.SECOND.value
    actor = step.actor if step else handoff.sender if sent else ""
    if step and step.is_result:
        actor = actor or holder
    add_event(
        change,
        "handoff",
        verb,
        handoff.context or handoff.task_id,
        target_id=handoff.id,
        detail=step.reason if step else "",
        occurred_at=at,
        precision=precision if at else Precision.NONE.value,
        agent_id=_agent_of(change, handoff, actor or handoff.sender, holder),
        topic_id=handoff.topic_id,
        line=handoff.first_line,
        data={
            "id": handoff.task_id,
            "from": handoff.sender,
            "to": handoff.recipient,
            "type": handoff.type,
            "by": actor,
        },
        origin=handoff.origin,
    )


def _agent_of(change: Change, handoff: Handoff, actor: str, holder: str) -> int | None:
    """Return the agent of a step; None for people, and for others whom it is not of."""
    if actor == handoff.sender:
        return handoff.agent_id
    if actor in (handoff.recipient, holder):
        return change.row_id(Agent, actor)
    return change.acting_id if actor == change.actor else None


#: A sign-off by a person: actor, time and hash of the signed text.
Signature = tuple[str, datetime | None, str]
#: Signatures by handoff id.
Signatures = Mapping[int, frozenset[Signature]]


def _signatures_of(handoffs: Iterable[tuple[Handoff, int]]) -> Signatures:
    """Return the signatures of one workspace's handoffs, each up to a journal seq.

    A line in a file alone does not count. A signature counts from the version that its
    operation wrote until it is taken back, in whatever file the line is then: the
    operation names the handoff.
    """
    known = {handoff.code: (handoff, until) for handoff, until in handoffs}
    if not known:
        return {}
    workspace = next(handoff.workspace_id for handoff, _ in known.values())
    about = Operation.objects.order_by().filter(
        workspace=workspace, payload__row__in=list(known)
    )
    # Any target: named, and without ordering, so that the index of sign-offs is used.
    signs = about.filter(verb=SIGN, target__gt="")
    signed = sorted(signs, key=lambda one: one.seq)
    undone = about.filter(verb=TAKE_BACK, seq__gt=signed[0].seq) if signed else ()
    found: dict[int, set[Signature]] = defaultdict(set)
    for operation in sorted([*signed, *undone], key=lambda one: one.seq):
        handoff, until = known[operation.payload["row"]]
        if operation.version_seq is None or operation.version_seq > until:
            continue
        given = found[handoff.id]
        change = given.update if operation.verb == SIGN else given.difference_update
        change(
            (line["actor"][:200], datetime.fromisoformat(line["at"]), line[SIGNED])
            for line in operation.payload["lines"]
            if line.get(SIGNED)
        )
    return {row: frozenset(given) for row, given in found.items()}


#: Texts of decisions by the slug of the workspace that asks for their sign-off.
Requests = Mapping[str, set[str]]


def requests_in(handoffs: Iterable[Handoff]) -> Requests:
    """Return the decisions that other workspaces ask to sign off in these handoffs."""
    found: dict[str, set[str]] = defaultdict(set)
    for handoff in handoffs:
        if handoff.origin and handoff.decision_id is not None:
            found[handoff.origin].add(first_sentence(handoff.context))
    return found


def decide_elsewhere(asked: Requests, rows: Rows) -> None:
    """Decide the state of decisions in the workspaces that ask for their sign-off.

    The handoffs' own rows must be stored.
    """
    if not asked:
        return
    rows.flush()
    for sender in Workspace.objects.filter(slug__in=list(asked)):
        facts = WorkspaceFacts.of(sender)
        ids = {Decision.id_of(facts.uuid, text) for text in asked[sender.slug]}
        decisions = Entities(Decision, sender.pk, empty=False)
        decide(facts, decisions, ids, sign_offs)
        decisions.flush(rows)


#: Workspaces of untaken tasks that come after those of others, with their names.
_AFTER_OTHERS: Prepared[tuple[int, str]] = Prepared(
    lambda: (
        Handoff.objects.filter(
            after__gt="",
            after__contains="/",
            state__in=TAKEN_FROM,
            last_seq__isnull=True,
        )
        .order_by()
        .values_list("workspace", "after")
    )
)


def count_change(workspace_id: int, slug: str, origins: Collection[str]) -> None:
    """Count a change of handoffs in their workspace and in those that it concerns.

    These sent them, or have tasks that come after one of them.
    """
    waiting = {
        home
        for home, after in _AFTER_OTHERS()
        if any(name.startswith(f"{slug}/") for name in listed_in(after))
    }
    concerned = Q(pk__in=[workspace_id, *waiting]) | Q(slug__in=[*origins])
    rows = Workspace.everything.filter(concerned)
    rows.update(handoff_changes=F("handoff_changes") + 1)


def leave_senders(workspace: Workspace) -> None:
    """Take a removed workspace's handoffs from those that sent them."""
    rows = Rows()
    sent = Handoff.objects.filter(workspace=workspace, origin__gt="")
    origins = set(sent.order_by().values_list("origin", flat=True).distinct())
    count_change(workspace.pk, workspace.slug, origins)
    asking = sent.filter(decision__isnull=False)
    decide_elsewhere(requests_in(asking.only("origin", "decision", "context")), rows)
    rows.flush()


#: Operations that write lines into a log.
_WRITING = (STEP, SIGN, REVISE)
Line = tuple[str, str, datetime]


def strange_steps(
    handoff: Handoff, steps: Sequence[HandoffStep], slug: str, until: int
) -> frozenset[int]:
    """Return the ids of the steps that do not count, by the journal up to `until`.

    One query where a line is by an unexpected actor.
    """
    log = [step for step in steps if not step.is_result]
    odd = [s for s in log if is_strange(s.verb, s.actor, handoff, slug)]
    if not odd:
        return frozenset()
    operations = Operation.objects.order_by().filter(
        workspace=handoff.workspace_id,
        verb__in=_WRITING,
        version_seq__lte=until,
        payload__row=handoff.code,
    )
    written = {
        (line["actor"][:200], line["verb"], datetime.fromisoformat(line["at"]))
        for payload in operations.values_list("payload", flat=True)
        for line in payload["lines"]
        if line["at"]
    }
    takers, found = set[str](), set[int]()
    for step in log:
        if is_strange(step.verb, step.actor, handoff, slug, takers):
            at = step.happened_at
            if at is None or (step.actor, step.verb, at) not in written:
                found.add(step.id)
                continue
        if step.verb == "taken":
            takers.add(step.actor)
    return frozenset(found)


def columns_of_parties(
    change: Change, task: Task, fields: Fields
) -> dict[str, str | int | None]:
    """Return the columns about another workspace that takes part, and the decision.

    Older versions wrote the file twice, each with the other one as its `twin`.
    """
    twin = fields.twin[:200]
    slug, _, _ = twin.partition("/")
    origin = fields.origin[:200] or slug
    if slug and task.recipient.startswith(f"{slug}/"):
        origin = ""
    else:
        twin = ""
    asked = first_sentence(task.context) if task.type == DECISION else ""
    if origin and is_team():
        said = _text_sent(change, task, fields)
        origin = origin if said is not None else ""
        asked = asked if said is None or first_sentence(said) == asked else ""
    decision = Decision.id_of(change.workspace.uuid, asked) if asked else None
    return {"twin": twin, "origin": origin, "decision_id": decision}


def _text_sent(change: Change, task: Task, fields: Fields) -> str | None:
    """Return the context with which the hub sent a task; None if it did not."""
    sent = Operation.objects.order_by().filter(
        workspace=change.workspace.id,
        verb=SEND,
        target__in={change.path, change.origin},
        payload__task__task_id=task.task_id,
    )
    for payload in sent.values_list("payload", flat=True):
        stated = payload["fields"]
        wanted = (stated.get("origin", ""), stated.get("twin", ""))
        if wanted == (fields.origin, fields.twin):
            return str(payload["task"]["context"])
    return None


_TASK_ID_SIZE = 100


class HandoffImporter(Importer):
    """Importer that projects revisions to handoffs and their steps.

    It has the decisions decided that handoffs ask to sign off.
    """

    def __init__(self, session: Session) -> None:
        self._agents = session.agents
        self._bindings = session.of(BindingImporter)
        self._decisions = session.of(DecisionImporter)
        self._unsettled: dict[str, Change] = {}
        self._asked: set[int] = set()
        self._origins: set[str] = set()
        #: Handoffs before and after a change, that other workspaces sent.
        self._sent_here: list[Handoff] = []

    def take(self, change: Change) -> None:
        """Fold a revision's handoffs and steps into rows; `settle` adds its event."""
        tasks, steps = _blocks_of(change)
        before, asked, sent_here = _stated_before(change)
        self._note_origins(sent_here)
        touched = {_known_as(task.task_id) for task in tasks} | before
        touched |= {_known_as(task_id) for task_id, _ in steps}
        self._asked |= asked
        if not touched:
            return
        if touched & self._unsettled.keys():
            change.rows.flush()
            self.settle()
        provenance = Provenance(change, self._agents, self._bindings)
        self._fold_tasks(change, tasks, provenance)
        facts = [_step_fact(change, task_id, step) for task_id, step in steps]
        fold(HandoffStep, change, facts)
        self._unsettled |= dict.fromkeys(sorted(touched), change)
        change.told_later = True

    def flush(self, rows: Rows) -> None:
        """Settle handoffs, then the decisions that they ask to sign off."""
        rows.flush()
        self.settle()
        rows.flush()
        asked, self._asked = self._asked, set()
        self._decisions.decide(rows, asked, sign_offs)
        sent_here, self._sent_here = self._sent_here, []
        decide_elsewhere(requests_in(sent_here), rows)

    def settle(self) -> None:
        """Compute the state of every handoff touched since the last call.

        All rows collected so far must have been written.
        """
        if not self._unsettled:
            return
        handoffs, steps = self._stored()
        signable = (name for name, log in steps.items() if any(map(is_sign_off, log)))
        given = _signatures_of(
            (row, self._unsettled[name].seq)
            for name in signable
            for row in handoffs[name]
        )
        for task_id, change in self._unsettled.items():
            taken = defaultdict(list)
            for step in steps[task_id]:
                if handoffs[task_id]:
                    taken[_owner_of(step, handoffs[task_id]).id].append(step)
                elif step.handoff_id is not None:
                    # Its handoff is deleted.
                    change.rows.update(HandoffStep, step.id, handoff_id=None)
            for handoff in handoffs[task_id]:
                self._asked |= {handoff.decision_id or 0} - {0}
                self._note_origins([handoff])
                signed = given.get(handoff.id, frozenset())
                own = taken[handoff.id]
                odd = strange_steps(handoff, own, change.workspace.slug, change.seq)
                write_state(change, handoff, own, signed, odd)
        for change in {id(c): c for c in self._unsettled.values()}.values():
            if not change.is_told:
                add_file_event(change)
        facts = next(iter(self._unsettled.values())).workspace
        count_change(facts.id, facts.slug, self._origins)
        self._unsettled.clear()
        self._origins.clear()

    def _note_origins(self, handoffs: Iterable[Handoff]) -> None:
        """Remember handoffs that another workspace sent, and that workspace."""
        sent_here = [handoff for handoff in handoffs if handoff.origin]
        self._sent_here += sent_here
        self._origins.update(handoff.origin for handoff in sent_here)

    def _stored(
        self,
    ) -> tuple[dict[str, list[Handoff]], dict[str, list[HandoffStep]]]:
        """Return live handoffs and ordered steps of the unsettled tasks, by task id."""
        workspace = next(iter(self._unsettled.values())).workspace
        handoffs, steps = defaultdict(list), defaultdict(list)
        task_ids = list(self._unsettled)
        asked = workspace.id, json.dumps(task_ids)
        for handoff in _ALIVE(*asked):
            handoffs[handoff.task_id].append(handoff)
        for step in in_order(_ALIVE_STEPS(*asked)):
            steps[step.task_id].append(step)
        return handoffs, steps

    def _fold_tasks(
        self, change: Change, tasks: Sequence[Task], provenance: Provenance
    ) -> None:
        facts, used = [], dict[str, int]()
        for task in tasks:
            used[task.task_id] = used.get(task.task_id, 0) + 1
            row_id = change.row_id(
                Handoff, change.origin, task.task_id, used[task.task_id]
            )
            facts.append(self._fact(change, row_id, task, provenance))
        for closed in fold(Handoff, change, facts)[len(facts) :]:
            change.rows.update(Handoff, closed.id, acts="", in_lane=False)

    def _fact(
        self, change: Change, row_id: int, task: Task, provenance: Provenance
    ) -> Fact:
        document = change.document
        own = document if isinstance(document, HandoffDocument) else None
        sender = Owner(self._agents.named(change, task.sender), "marker")
        topic_id = change.row_id(Topic, own.topic) if own and own.topic else None
        topic = Owner(topic_id, "marker")
        if topic_id is None:
            guess = bool(task.sender) and own is None and change.acting_id is None
            topic = self._bindings.topic_of("", sender.id, guess=guess)
        when = _sent(task, own, provenance)
        self._agents.named(change, task.recipient)
        known = task.type in Handoff.Type.values
        due = own.due if own else None
        fields = own.fields if own else Fields()
        columns = {
            "task_id": _known_as(task.task_id),
            "sender": task.sender[:200],
            "recipient": task.recipient[:200],
            "type": task.type if known else Handoff.Type.UNKNOWN.value,
            "context": task.context,
            "input": task.input,
            "expected_output": task.expected_output,
            "constraints": task.constraints,
            "problem": hindrance_of(task)[:40],
            "after": task.after,
            "parent": _known_as(task.parent),
            "repository": task.repository[:200],
            "paths": task.paths,
            "priority": task.priority if task.priority in PRIORITIES else "",
            "review": task.review[:200],
            "due_at": change.local(due) if due else None,
            **columns_of_parties(change, task, fields),
            "result_to": fields.result_to[:400],
            "topic_name": fields.topic[:300] if fields.origin else "",
        }
        text = "\n".join(str(value) for value in columns.values())
        return Fact(
            key_of(text, task.task_id),
            task.lines,
            columns | when | owner_columns(sender, topic),
            row_id,
        )


def _blocks_of(
    change: Change,
) -> tuple[Sequence[Task], Sequence[tuple[str, LogLine | Result]]]:
    """Return the tasks of a revision, and its steps, each with its task id."""
    document = change.document
    if document is None or isinstance(document, Quoting):
        return (), ()
    if not isinstance(document, HandoffDocument):
        results = find_results(change.text)
        return find_tasks(change.text), [(r.task_id, r) for r in results]
    named = document.task_id
    task_id = change.pure_path.stem if named is None else named
    steps: list[tuple[str, LogLine | Result]] = [
        (task_id, line) for line in document.log
    ]
    return document.tasks, [*steps, *((r.task_id, r) for r in document.results)]


def _known_as(task_id: str) -> str:
    """Truncate a task id to the size of its column."""
    return task_id[:_TASK_ID_SIZE]


def _stated_before(change: Change) -> tuple[set[str], set[int], list[Handoff]]:
    """Return task ids, decision ids and tasks of the file's previous revision."""
    if change.fresh:
        return set(), set(), []
    tasks, steps = _TASKS(change.file_id), _STEPS(change.file_id)
    asked = {task.decision_id for task in tasks if task.decision_id is not None}
    names = {*(task.task_id for task in tasks), *steps}
    return names, asked, tasks


#: The live handoffs of tasks, and their steps, in the order they became known.
_ALIVE: Prepared[Handoff] = Prepared(
    lambda workspace_id, ids: Handoff.objects.filter(
        workspace_id=workspace_id, task_id__in=listed(ids), last_seq__isnull=True
    ).order_by("first_seq", "position"),
    int,
    str,
)
_ALIVE_STEPS: Prepared[HandoffStep] = Prepared(
    lambda workspace_id, ids: HandoffStep.objects.filter(
        workspace_id=workspace_id, task_id__in=listed(ids), last_seq__isnull=True
    ).order_by("first_seq", "position"),
    int,
    str,
)


_TASKS = Prepared(
    lambda file_id: Handoff.objects.filter(file_id=file_id, last_seq__isnull=True).only(
        "task_id", "decision", "origin", "context"
    ),
    int,
)
_STEPS: Prepared[str] = Prepared(
    lambda file_id: HandoffStep.objects.filter(
        file_id=file_id, last_seq__isnull=True
    ).values_list("task_id", flat=True),
    int,
)


def _sent(task: Task, own: HandoffDocument | None, provenance: Provenance) -> Row:
    """Return when a task was sent: by its log, else its id's day, else its file."""
    if at := next((line.at for line in own.log if line.at), None) if own else None:
        return provenance.when(Time(at))
    return provenance.when(Time(day_of(task.task_id)))


def _step_fact(change: Change, task_id: str, step: LogLine | Result) -> Fact:
    values: dict[str, Any] = {
        "task_id": _known_as(task_id),
        "recorded_at": change.read_at,
        **_source_of(change),
    }
    if isinstance(step, LogLine):
        values |= {
            "verb": step.verb,
            "is_result": False,
            "actor": step.actor[:200],
            "reason": step.reason,
            "detail": step.detail,
            "happened_at": change.local(step.at) if step.at else None,
        }
    else:
        values |= {
            "verb": step.status[:40],
            "is_result": True,
            "output": step.output,
            "side_effects": step.side_effects,
            "memory_update": step.memory_update,
            "happened_at": None,
        }
    text = "\n".join(str(v) for k, v in values.items() if k != "recorded_at")
    key = key_of(text, "").text
    return Fact(Key(key, key), step.lines, values)


def _source_of(change: Change) -> dict[str, Any]:
    """Return the columns that link a log in its own file to the task's file."""
    document = change.document
    if not isinstance(document, HandoffDocument) or not document.source:
        return {}
    file_id = change.row_id(SourceFile, document.source)
    return {"source_file_id": file_id, "occurrence": document.occurrence}


def _owner_of(step: HandoffStep, handoffs: Sequence[Handoff]) -> Handoff:
    """Return the handoff that a step belongs to.

    The one that its log names, else the one before it in its file, else the newest.
    """
    if step.source_file_id is not None:
        there = [h for h in handoffs if h.file_id == step.source_file_id]
        if len(there) >= step.occurrence:
            return there[step.occurrence - 1]
    before = [
        handoff
        for handoff in handoffs
        if handoff.file_id == step.file_id and handoff.first_line <= step.first_line
    ]
    return before[-1] if before else handoffs[-1]
