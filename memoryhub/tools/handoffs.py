"""Tools by which agents hand work to each other and report results."""

from __future__ import annotations

from collections.abc import Mapping

from memoryhub.dialects.handoff import SAID, Result, Task, find_results, find_tasks
from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.agents import coordinates, is_known
from memoryhub.handoffs.queries.alarms import leases
from memoryhub.handoffs.queries.board import Filters, listing, ready
from memoryhub.handoffs.queries.lane import turns_listed, unfinished_parts
from memoryhub.handoffs.queries.waiting import deadlock_with
from memoryhub.handoffs.rules.acting import ACCEPTED, REOPENED, REVISED, SENT_BACK, Lane
from memoryhub.handoffs.services.leases import renew
from memoryhub.handoffs.services.sending import Author, Terms, find, look_up, send
from memoryhub.handoffs.services.steps import (
    Reported,
    Step,
    hand_off_again,
    move,
    report,
    take,
)
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.edit.gate import PRIVATE
from memoryhub.tools.base import Answer, tool
from memoryhub.tools.handoff_answers import (
    HandoffAnswer,
    HandoffRow,
    ReportAnswer,
    answer_of,
    lines_of,
    rows_of,
    shown,
    warned,
)
from memoryhub.tools.handoff_requests import (
    ListRequest,
    ReportRequest,
    SendRequest,
    TakeRequest,
    UpdateRequest,
)
from memoryhub.tools.quoting import refuse_private, with_notice


@tool("Hand work to another agent", Scope.HANDOFF, together=True)
def handoff_send(caller: Caller, request: SendRequest) -> HandoffAnswer:
    """Hand a task to another agent, or a decision to a person to sign off.

    Use it instead of free text whenever another agent shall do something for you. The
    answer has the task's id; ask `handoff_list` for what became of it.
    """
    task = _task(request)
    author = _author(caller, "send")
    terms = Terms(request.due, request.topic, request.result_to)
    done = send(caller.workspace, task, author, terms)
    notes = []
    if not is_known(caller.workspace, done.handoff.recipient):
        notes.append("No file declares an agent of the recipient's name.")
    return answer_of(done, *notes)


def _task(request: SendRequest) -> Task:
    """Return the task to send.

    Raises:
        ToolError: ``handoff-xml``, not exactly one block, or fields as well;
            ``handoff-broken``, a block that is not closed.
    """
    fields = (
        request.sender,
        request.to,
        request.type,
        request.context,
        request.input,
        request.expected_output,
        request.constraints,
    )
    ties = (
        ", ".join(request.after),
        request.parent,
        request.repository,
        ", ".join(request.paths),
        request.priority.replace("normal", ""),
        request.review,
    )
    if not request.xml:
        after, parent, repository, paths, priority, review = ties
        return Task(
            "",
            *fields,
            after=after,
            parent=parent,
            repository=repository,
            paths=paths,
            priority=priority,
            review=review,
        )
    found = find_tasks(request.xml)
    if len(found) != 1 or any(fields) or any(ties):
        raise ToolError("handoff-xml", block="task", found=len(found))
    if broken := [p.code for p in found[0].problems if p.code.endswith("not-closed")]:
        raise ToolError("handoff-broken", problems=", ".join(broken))
    return found[0]


class HandoffList(Answer):
    """Handoffs in the requested order; a single one by id also with its task."""

    handoffs: list[HandoffRow]
    more: bool
    whole: HandoffAnswer | None = None

    def as_text(self) -> str:
        """Return a quoted line per handoff, or the whole one requested by id."""
        if self.whole is not None:
            return self.whole.as_text()
        if not self.handoffs:
            return "There are no such handoffs."
        return with_notice(
            quoted(lines_of(self.handoffs)), "There are more." * self.more
        )


@tool("Handoffs between agents", Scope.READ)
def handoff_list(caller: Caller, request: ListRequest) -> HandoffList:
    """List handoffs with state, sender and recipient.

    Use it with `ready`, and `to` your own name, to find work that you can take now:
    what else is for you says what it waits for. Use it with a `task_id` to read one
    with its result.
    """
    whole, filters = None, _filters(caller, request)
    if request.task_id:
        whole = look_up(caller.workspace, request.task_id)
        refuse_private(caller, whole.file.path)
        filters = Filters(ids=(whole.pk,))
    lane = turns_listed(caller.workspace)
    cards = _cards(caller, request, filters, lane)
    shown_cards = cards[: request.limit]
    held = leases(caller.workspace, shown_cards, caller.now())
    return HandoffList(
        handoffs=rows_of(shown_cards, lane, held, caller.now()),
        more=len(cards) > request.limit,
        whole=_whole(whole) if whole else None,
    )


def _whole(handoff: Handoff) -> HandoffAnswer:
    answer = shown(handoff, *_where(handoff)).in_full(handoff)
    return warned(answer, deadlock_with(handoff))


def _where(handoff: Handoff) -> list[str]:
    """Return a note where another workspace has the handoff's file."""
    if not handoff.viewer:
        return []
    return [f"Its work is done in {handoff.home_slug}, which has its file."]


def _filters(caller: Caller, request: ListRequest) -> Filters:
    return Filters(
        without_file="" if caller.private else PRIVATE,
        type=request.type,
        state=request.state,
        agent=request.agent,
        sender=request.sender,
        recipient=request.to,
        since=request.since,
        text=request.text,
        for_person=request.for_person,
        parent=request.parent,
    )


def _cards(
    caller: Caller, request: ListRequest, filters: Filters, lane: Lane
) -> tuple[Handoff, ...]:
    """Return the matching handoffs, one more than the limit if there are more."""
    workspace, now, most = caller.workspace, caller.now(), request.limit + 1
    if request.ready:
        return ready(workspace, filters, lane, now, limit=most)
    return listing([workspace], filters, now, limit=most).cards


@tool("Take a handoff", Scope.HANDOFF, together=True)
def handoff_take(caller: Caller, request: TakeRequest) -> HandoffAnswer:
    """Begin the work of a handoff that is for you, and get its task.

    Use it before you start: it is refused while another write is in progress, out of
    turn, or before a decision is signed off. Then do something else and ask again.
    """
    handoff = _found(caller, request.task_id)
    done = take(handoff, _author(caller, "take"), base=request.base)
    return _with_lease(caller, done.handoff, answer_of(done))


def _with_lease(
    caller: Caller, handoff: Handoff, answer: HandoffAnswer
) -> HandoffAnswer:
    """Return an answer with the end of the holder's lease, where it has one."""
    held = leases(caller.workspace, [handoff], caller.now())
    return answer.model_copy(update={"lease_until": held.get(handoff.pk)})


#: Unfinished parts that an answer names.
_PARTS = 10
#: Log verbs by requested action.
_VERBS: Mapping[str, str] = {
    "put_back": "put back",
    "block": "blocked",
    "sign_off": "signed off",
    "send_back": SENT_BACK,
    "revise": REVISED,
    "accept": ACCEPTED,
    "reopen": REOPENED,
    "withdraw": "withdrawn",
    "override": "overridden",
    "fail": "failed",
    "message": SAID,
}


@tool("Change a handoff", Scope.HANDOFF, together=True)
def handoff_update(caller: Caller, request: UpdateRequest) -> HandoffAnswer:
    """Change a handoff: blocked, put back, signed off, withdrawn, …

    Use `handoff_report` instead when the work is done or failed with a result.
    """
    handoff = _found(caller, request.task_id)
    if request.action == "heartbeat":
        renew(caller.workspace, caller.name, caller.clock())
        answer = warned(shown(handoff), deadlock_with(handoff))
        return _with_lease(caller, handoff, answer)
    author = _author(caller, request.action)
    if request.action != "hand_off_again":
        verb = _VERBS[request.action]
        changes = _changes(request) if verb == REVISED else {}
        step = Step(verb, request.reason, request.base, changes=changes)
        return answer_of(move(handoff, step, author))
    done = hand_off_again(
        handoff, author, recipient=request.to, reason=request.reason, base=request.base
    )
    return answer_of(done, f"It takes the place of {request.task_id}.")


def _changes(request: UpdateRequest) -> dict[str, str]:
    """Return the changed parts of a task by field."""
    parts = ("context", "input", "expected_output", "constraints")
    found = {name: text for name in parts if (text := getattr(request, name))}
    if request.after is not None:
        found["after"] = ", ".join(request.after)
    return found


@tool("Report a result", Scope.HANDOFF, together=True)
def handoff_report(caller: Caller, request: ReportRequest) -> ReportAnswer:
    """Report the result of a handoff that you have taken: done, failed or blocked.

    Use it when you end the work. A write has to be taken first; what you want others
    to remember goes into `memory_update`.
    """
    result = _result(request)
    name = request.task_id or result.task_id
    if not name:
        missing = "task_id" if result.status else "task_id, status"
        raise ToolError("handoff-part-missing", part=missing)
    handoff = _found(caller, name)
    if name == handoff.code:
        result = Result("", *_parts(result))
    author = _author(caller, "report")
    told_of = report(handoff, result, author, base=request.base, reason=request.reason)
    return _reported(told_of)


def _result(request: ReportRequest) -> Result:
    """Return the reported result.

    Raises:
        ToolError: ``handoff-xml``, not exactly one block, or fields as well;
            ``handoff-broken``, a block that is not closed.
    """
    fields = (
        request.status,
        request.output,
        request.side_effects,
        request.memory_update,
    )
    if not request.xml:
        return Result(request.task_id, *fields)
    found = find_results(request.xml)
    if len(found) != 1 or any(fields):
        raise ToolError("handoff-xml", block="r", found=len(found))
    if broken := [p.code for p in found[0].problems if p.code.endswith("not-closed")]:
        raise ToolError("handoff-broken", problems=", ".join(broken))
    return found[0]


def _parts(result: Result) -> tuple[str, str, str, str]:
    return result.status, result.output, result.side_effects, result.memory_update


def _reported(told_of: Reported) -> ReportAnswer:
    memory = told_of.memory
    notes = []
    if memory and memory.refused:
        notes.append(f"The memory update was not written: {memory.refused}")
    elif memory:
        where = "is staged for" if memory.staged else "is at the end of"
        notes.append(f"The memory update {where} {memory.path}.")
    if parts := unfinished_parts(told_of.done.handoff):
        names = ", ".join(part.name for part in parts[:_PARTS])
        more = f" and {len(parts) - _PARTS} more" if len(parts) > _PARTS else ""
        notes.append(f"Parts of it are not finished: {names}{more}.")
    answer = answer_of(told_of.done, *notes).model_dump()
    return ReportAnswer(
        **answer,
        memory_path=memory.path if memory else "",
        memory_staged=bool(memory and memory.staged),
        memory_refused=memory.refused if memory else "",
    )


def _found(caller: Caller, name: str) -> Handoff:
    """Return the handoff with this name; `ToolError` if the session may not read it."""
    handoff = find(caller.workspace, name)
    refuse_private(caller, handoff.file.path)
    return handoff


def _author(caller: Caller, part: str) -> Author:
    return Author(
        caller.name,
        coordinates(caller.workspace, caller.agent),
        caller.operation_key(part),
        caller.clock(),
        caller.bound,
        caller.person,
    )


TOOLS = (handoff_send, handoff_list, handoff_take, handoff_update, handoff_report)
