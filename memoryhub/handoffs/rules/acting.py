"""Rules of handoffs: permitted actions, and the order of writes.

Pure. Writes to a workspace run one at a time, in the order they were sent; reads run in
parallel; a decision waits for a person's sign-off.

Who must act, and whether a write is in the lane, is decided once, when a handoff is
projected, and stored as `Handoff.acts` and `Handoff.in_lane`: pages, notices and tools
filter and print these columns. Writes that overlap by repository and paths share a
lane; one that names neither can touch the whole workspace. Words for any person, such
as ``you``, name nobody: it waits for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memoryhub.dialects.handoff import PRIORITIES, SAID, listed_in
from memoryhub.formats.base import FormatError
from memoryhub.handoffs.rules.fields import PERSON
from memoryhub.handoffs.rules.parties import (
    BY_COORDINATOR,
    BY_PERSON,
    is_member,
    is_pool,
    mentioned_in,
    reviewer_named,
    reviewer_of,
    reviewers_of,
)
from memoryhub.journal.ownership import PEOPLE, is_person
from memoryhub.values.identity import code_of

if TYPE_CHECKING:
    from memoryhub.handoffs.models import Handoff


class Scope(NamedTuple):
    """A repository, or "" for any, and folders or files in it, or () for all."""

    repository: str = ""
    paths: tuple[tuple[str, ...], ...] = ()


def can_meet(one: Handoff, other: Handoff) -> bool:
    """Return whether two writes can touch the same file."""
    first = scope_of(one.repository, one.paths)
    second = scope_of(other.repository, other.paths)
    if first.repository != second.repository:
        return not (first.repository and second.repository)
    if not (first.paths and second.paths):
        return True
    return any(_meet(here, there) for here in first.paths for there in second.paths)


@lru_cache(maxsize=4096)
def scope_of(repository: str, paths: str) -> Scope:
    """Parse the repository and paths of a task into a scope; cached.

    Names are compared without case, as some file systems do. A path that leads out of
    the repository, is absolute, or begins with a pattern can be anywhere.
    """
    found = [_parts(path) for path in listed_in(paths)]
    name = repository.strip().casefold()
    known = tuple(parts for parts in found if parts)
    return Scope(name, known if len(known) == len(found) else ())


def _parts(path: str) -> tuple[str, ...]:
    """Return the folders of a path up to a pattern; () if it can be anywhere."""
    whole = path.replace("\\", "/").strip().casefold()
    parts = [part for part in whole.split("/") if part not in ("", ".")]
    if whole.startswith("/") or ".." in parts or ":" in whole:
        return ()
    plain = []
    for part in parts:
        if any(mark in part for mark in "*?["):
            break
        plain.append(part)
    return tuple(plain)


def _meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


READ_ONLY, WRITE, DECISION = "read_only", "write", "decision"
OPEN, IN_PROGRESS, BLOCKED = "open", "in_progress", "blocked"
RETURNED, REVIEW = "returned", "review"
DONE, FAILED, WITHDRAWN = "done", "failed", "withdrawn"
#: States in which the recipient has the task; returned work is its sender's.
ACTIVE = (OPEN, IN_PROGRESS, BLOCKED)
UNFINISHED = (*ACTIVE, RETURNED, REVIEW)
OVER = (DONE, FAILED, WITHDRAWN)
SENT_BACK, REVISED, REOPENED = "sent back", "revised", "reopened"
ACCEPTED = "accepted"
#: Verb reserved to a person signed in to the hub's pages.
SIGNED_OFF = "signed off"
#: States from which a handoff can be taken.
TAKEN_FROM = (OPEN, BLOCKED)
#: Sort key of handoffs: see `turn_of`.
Turn = tuple[datetime, int, str, int, int, int]
#: Verbs that need a reason; that of a message is its text.
WITH_REASON = frozenset({SENT_BACK, REOPENED, "blocked", "failed", "overridden", SAID})


class NotAllowed(FormatError):
    """A refusal by the rules: a code with parameters."""


class Actor(NamedTuple):
    """Who acts; a coordinator may act for anybody, only a person may sign off.

    `role` decides in which pools it is. `signers`: the people who may sign off; empty
    means every person.
    """

    name: str
    coordinates: bool = False
    person: bool = False
    role: str = ""
    signers: tuple[str, ...] = ()

    def is_among(self, allowed: Iterable[str]) -> bool:
        """Return whether these names are it, or a pool that it is in."""
        return any(
            name == self.name or is_member(name, self.name, self.role)
            for name in allowed
        )


@dataclass(frozen=True)
class Lane:
    """The unfinished writes of a workspace: in progress, open in order, and blocked.

    A write that is blocked or comes after unfinished tasks keeps its place in `order`
    but lets the next one go. Writes that cannot touch the same files do not wait for
    one another. `shared`: task ids that other handoffs have as well. `states`: of the
    tasks that others come after, by name.
    """

    order: tuple[Handoff, ...] = ()
    shared: frozenset[str] = frozenset()
    states: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def now(self) -> tuple[Handoff, ...]:
        """Writes in progress; more than one only by conflicting files of agents."""
        return tuple(w for w in self.order if w.state == IN_PROGRESS)

    @cached_property
    def next(self) -> tuple[Handoff, ...]:
        """Open writes that come after nothing unfinished."""
        return tuple(w for w in self.order if w.state == OPEN and not self.unmet(w))

    @cached_property
    def held(self) -> tuple[Handoff, ...]:
        """Writes that are blocked or have unfinished dependencies."""
        waiting = (OPEN, BLOCKED)
        return tuple(
            w
            for w in self.order
            if w.state == BLOCKED or (w.state in waiting and self.unmet(w))
        )

    @cached_property
    def places(self) -> dict[int, int]:
        """Place of each open write by its id, counted after those in progress."""
        busy: list[Handoff] = [*self.now]
        ahead: list[Handoff] = []
        places = dict[int, int]()
        is_one = not any(w.repository or w.paths for w in self.order)
        for write in self.next:
            before = [*busy, *ahead]
            met = before if is_one else [w for w in before if can_meet(w, write)]
            places[write.id] = len(met) + 1
            ahead.append(write)
        return places

    @cached_property
    def overlapping(self) -> tuple[Handoff, ...]:
        """Writes in progress that can touch the files of another one."""
        now = self.now
        return tuple(
            one for one in now if any(w is not one and can_meet(w, one) for w in now)
        )

    def unmet(self, handoff: Handoff) -> tuple[str, ...]:
        """Return the tasks that have to be done before and are not."""
        if not handoff.after:
            return ()
        names = listed_in(handoff.after)
        return tuple(name for name in names if self.states.get(name) != DONE)

    def before(self, write: Handoff) -> Handoff | None:
        """Return the write that one has to wait for; None if it can begin."""
        busy = (w for w in self.now if w.id != write.id and can_meet(w, write))
        if (first := next(busy, None)) or write.overridden:
            return first
        for other in self.order:
            if other.id == write.id:
                return None
            if other.state == OPEN and can_meet(other, write) and not self.unmet(other):
                return other
        return None

    def name_of(self, write: Handoff) -> str:
        """Return a write's display name: its row code if its id is not unique."""
        same = sum(other.task_id == write.task_id for other in self.order)
        is_shared = same > 1 or write.task_id in self.shared
        return code_of(write.id) if is_shared else write.name


def begun_unsigned(handoff: Handoff) -> bool:
    """Return whether a decision was taken or done without a sign-off, by its files.

    A claimed sign-off is accepted for a decision that is done.
    """
    if handoff.type != DECISION or handoff.signed_by:
        return False
    return (
        handoff.state == DONE and not handoff.claimed_by
    ) or handoff.state == IN_PROGRESS


def lane_of(writes: Iterable[Handoff]) -> Lane:
    """Return the lane with these unfinished writes."""
    return Lane(tuple(sorted(writes, key=lane_turn_of)))


def lane_turn_of(write: Handoff) -> tuple[int, Turn]:
    """Return the sort key of writes in a lane: by priority, then in turn."""
    return PRIORITIES.index(write.priority or "normal"), turn_of(write)


def turn_of(handoff: Handoff) -> Turn:
    """Return the sort key of handoffs, the same as `models.IN_TURN` in SQL.

    Within one second the shorter id is first: 20261120-99 before -100. Equal ids are
    ordered by the seq of their first revision, then by position.
    """
    name, place = handoff.task_id, (handoff.first_seq, handoff.position)
    return handoff.sent_at, len(name), name, *place, handoff.id


def check(verb: str, handoff: Handoff, actor: Actor, lane: Lane, row_id: int) -> None:
    """Check that an actor may apply a verb to a handoff now.

    Raises:
        NotAllowed: a rule forbids it; names who may, or the handoff it waits for.
    """
    if verb == SAID:
        return
    _check_who(verb, handoff, actor)
    allowed = _FROM.get(verb, ACTIVE)
    if verb == DONE and handoff.type != READ_ONLY:
        allowed = (IN_PROGRESS,)
    if _TYPE_OF.get(verb, handoff.type) != handoff.type:
        raise NotAllowed(
            "handoff-type-other", task_id=handoff.task_id, type=handoff.type, verb=verb
        )
    if handoff.state not in allowed:
        raise _moved_on(verb, handoff)
    if verb == SIGNED_OFF and handoff.signed_by:
        at = (
            handoff.signed_at.isoformat(timespec="minutes") if handoff.signed_at else ""
        )
        raise NotAllowed(
            "handoff-signed", task_id=handoff.task_id, actor=handoff.signed_by, at=at
        )
    if verb == "taken" or (verb == DONE and handoff.state in TAKEN_FROM):
        if handoff.problem:
            raise NotAllowed("handoff-broken", problems=handoff.problem)
        for name in lane.unmet(handoff):
            state = lane.states.get(name, "unknown")
            raise NotAllowed(
                "handoff-after", task_id=handoff.task_id, first=name, state=state
            )
    if verb == "taken":
        _check_turn(handoff, lane, row_id)


def depends_on_lane(verb: str, handoff: Handoff) -> bool:
    """Return whether `check` needs the lane, which takes queries of other tasks."""
    begins_write = verb == "taken" and handoff.type == WRITE
    return begins_write or (verb in ("taken", DONE) and bool(handoff.after))


def hindrance(handoff: Handoff, lane: Lane, row_id: int) -> NotAllowed | None:
    """Return why the recipient cannot take a handoff now; None if it can."""
    try:
        check("taken", handoff, Actor(handoff.recipient), lane, row_id)
    except NotAllowed as refused:
        return refused
    return None


def _check_who(verb: str, handoff: Handoff, actor: Actor) -> None:
    if verb == SIGNED_OFF and not actor.person:
        raise NotAllowed("sign-off-needs-person", actor=actor.name)
    if verb == ACCEPTED and reviewer_of(handoff) == BY_PERSON and not actor.person:
        raise NotAllowed("review-needs-person", actor=actor.name)
    if verb == SIGNED_OFF and actor.signers:
        check_signer(actor.name, actor.signers)
    if actor.coordinates or verb == SIGNED_OFF:
        return
    allowed = _actors_of(verb, handoff)
    if not allowed:
        raise NotAllowed("handoff-needs-coordinator", actor=actor.name)
    if not actor.is_among(allowed):
        raise NotAllowed(
            "handoff-not-yours", who=" / ".join(sorted(allowed)), actor=actor.name
        )


def check_signer(name: str, signers: Iterable[str]) -> None:
    """Check that a person, from the pages of any workspace, is among the signers.

    Raises:
        NotAllowed: ``sign-off-not-yours``.
    """
    who = [person_of(signer) for signer in signers]
    if person_of(name) not in who:
        raise NotAllowed("sign-off-not-yours", who=", ".join(who), actor=name)


def person_of(name: str) -> str:
    """Return a person's name without the workspace from whose pages it acts."""
    return name.rpartition("/")[2]


def _actors_of(verb: str, handoff: Handoff) -> set[str]:
    """Return who may apply a verb; empty means only a coordinator."""
    sender, receiver = {handoff.sender}, {_receiver(verb, handoff)}
    of_decision = handoff.type == DECISION
    if verb == ACCEPTED or (verb == REOPENED and handoff.state == REVIEW):
        return reviewers_of(handoff)
    actors = {
        "overridden": set[str](),
        SENT_BACK: set[str]() if of_decision else receiver,
        REOPENED: set[str]() if of_decision else sender,
        REVISED: sender,
        "taken": receiver,
        "withdrawn": sender,
        "handed off again": sender | receiver,
    }
    return actors.get(verb, receiver | ({handoff.taken_by} - {""}))


def _receiver(verb: str, handoff: Handoff) -> str:
    """Return who has the task: of a pool, the one that has taken it."""
    held = handoff.state not in (OPEN, RETURNED) and verb != "taken"
    if held and handoff.taken_by and is_pool(handoff.recipient):
        return handoff.taken_by
    return handoff.recipient


#: States that a verb applies to; by default those in which the recipient has it.
_FROM = {
    "put back": (IN_PROGRESS, BLOCKED),
    "taken": TAKEN_FROM,
    "blocked": (OPEN, IN_PROGRESS),
    REVISED: (OPEN, BLOCKED, RETURNED),
    ACCEPTED: (REVIEW,),
    REOPENED: (REVIEW, *OVER),
    "withdrawn": UNFINISHED,
    "handed off again": (*UNFINISHED, *OVER),
}


#: Verbs that apply to one type only.
_TYPE_OF = {SIGNED_OFF: DECISION, "overridden": WRITE}


def _moved_on(verb: str, handoff: Handoff) -> NotAllowed:
    """Return the refusal for a handoff in a state that the verb does not apply to."""
    name, state = handoff.task_id, handoff.state
    if state == WITHDRAWN:
        return NotAllowed("handoff-withdrawn", task_id=name, actor=handoff.last_actor)
    if state in OVER:
        return NotAllowed("handoff-over", task_id=name, state=state)
    untaken = verb == DONE and state in TAKEN_FROM
    code = "handoff-not-taken" if untaken else "handoff-state"
    return NotAllowed(code, task_id=name, state=state, verb=verb)


def _check_turn(handoff: Handoff, lane: Lane, row_id: int) -> None:
    """Check that work can begin: decisions once signed, writes in turn."""
    if handoff.type == DECISION and not handoff.signed_by:
        raise NotAllowed("handoff-not-signed", task_id=handoff.task_id)
    if handoff.type != WRITE:
        return
    check_free(handoff, lane, row_id)
    own = next((w for w in lane.order if w.id == row_id), None)
    if own is not None and (first := lane.before(own)) is not None:
        raise NotAllowed(
            "handoff-lane-order", task_id=handoff.task_id, first=lane.name_of(first)
        )


def check_free(handoff: Handoff, lane: Lane, row_id: int) -> None:
    """Check that a write may be in progress.

    Raises:
        NotAllowed: ``handoff-lane-busy``, one that can touch the same files is.
    """
    for write in lane.now:
        if write.id != row_id and can_meet(write, handoff):
            raise NotAllowed(
                "handoff-lane-busy",
                task_id=lane.name_of(write),
                actor=write.taken_by or write.recipient,
            )


def who_acts(handoff: Handoff) -> str:
    """Return who must act: `PERSON`, the name of an agent, or "" for nobody."""
    if handoff.state not in UNFINISHED:
        return ""
    if handoff.state == RETURNED:
        return PERSON if is_person(handoff.sender) else handoff.sender
    if handoff.state == REVIEW:
        name = reviewer_of(handoff)
        return PERSON if name in (BY_COORDINATOR, BY_PERSON) else name
    if handoff.to_sign or is_person(handoff.recipient):
        return PERSON
    if handoff.state != OPEN and is_pool(handoff.recipient):
        return handoff.taken_by or handoff.recipient
    return handoff.recipient


def in_lane(handoff: Handoff) -> bool:
    """Return whether a write is in its workspace's lane: in progress, next or held."""
    is_whole = not (handoff.away or handoff.problem)
    return handoff.type == WRITE and handoff.state in ACTIVE and is_whole


def named_people(names: Iterable[str]) -> tuple[str, ...]:
    """Return the user names among names, casefolded; empty for everybody."""
    people = [name.strip().casefold() for name in names if is_person(name)]
    return () if PEOPLE.intersection(people) else tuple(dict.fromkeys(people))


def named_by_handoff(row: Handoff) -> tuple[str, ...]:
    """Return whose act a handoff needs by name; a sign-off is any signer's."""
    if row.to_sign:
        return ()
    if row.state == REVIEW:
        return named_people([reviewer_named(row)])
    return named_people([row.sender if row.state == RETURNED else row.recipient])


def named_by_message(row: Handoff, text: str) -> tuple[str, ...]:
    """Return whom a message in a handoff's thread is to: mentioned, else parties."""
    mentioned = [name for name in mentioned_in(text) if is_person(name)]
    return named_people(mentioned or (row.sender, row.recipient))
