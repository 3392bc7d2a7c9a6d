"""One handoff: task, log and results, linked rows; and notes without a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from django.utils.translation import gettext

from memoryhub.dialects import handoff_note
from memoryhub.dialects.handoff import STATES, listed_in
from memoryhub.dialects.handoff_note import Kind
from memoryhub.dialects.roles import READ
from memoryhub.formats.base import Lines
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.mentions import files_in
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.queries.agents import person_in
from memoryhub.handoffs.queries.alarms import leases
from memoryhub.handoffs.queries.board import is_overdue, median_leads
from memoryhub.handoffs.queries.conversation import DatedStep, conversation, evidence_of
from memoryhub.handoffs.queries.lane import open_work, parts_of, tasks_named, turns
from memoryhub.handoffs.rules.acting import (
    SIGNED_OFF,
    TAKEN_FROM,
    UNFINISHED,
    Lane,
    begun_unsigned,
    depends_on_lane,
)
from memoryhub.handoffs.rules.parties import BY_COORDINATOR, BY_PERSON, reviewer_of
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.untimed import times_on_disk
from memoryhub.journal.versions import known_paths
from memoryhub.people.policy import may
from memoryhub.people.rights import Right
from memoryhub.web.handoffs.acts import Act, ActLink, acts_for
from memoryhub.web.handoffs.cards import (
    PRIORITIES,
    TYPE_ICONS,
    note_of_write,
    since_sent,
    title_of,
)
from memoryhub.web.kit.clock import Clock, time_label
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import clauses, event_verb, headed, listed
from memoryhub.web.kit.links import Addresses, addresses_of
from memoryhub.web.kit.state_labels import HANDOFF_STATES, HANDOFF_TYPES, REVISION_KINDS
from snapshots.exporters import lines_of, span_text

_SHOWN = 12
#: Characters of a file that are read, and of a line that are shown.
_READ, _LINE = 40_000, 200
#: Acts with a button of their own; the others are on the change page.
_ACTS = 2


class _Note(NamedTuple):
    """A note of a file: its heading, and the first line of each kind.

    `at` is when the file was changed on disk; the note may state no day.
    """

    path: str
    title: str
    day: date | None
    at: datetime
    lines: tuple[tuple[Kind, str], ...]


def notes_shown(workspace: Workspace, shell: Shell) -> list[dict[str, Any]]:
    """Return the newest of the handoff notes that changed last, each with its file."""
    notes: list[_Note] = cached(workspace, "handoff notes", lambda: _newest(workspace))
    words: dict[Kind, str] = {
        "done": gettext("Done"),
        "next": gettext("Next"),
        "blocked": gettext("Blocked"),
        "failed": gettext("Failed"),
    }
    return [
        {
            "title": note.title,
            "lines": [(words[kind], text) for kind, text in note.lines],
            "when": shell.clock.date_label(note.day or shell.clock.day(note.at)),
            "url": shell.addresses.file(note.path),
        }
        for note in notes
    ]


def _newest(workspace: Workspace) -> list[_Note]:
    files = SourceFile.objects.filter(
        workspace=workspace,
        present=True,
        format=handoff_note.NAME,
        role__in=READ,
        blob__isnull=False,
    ).order_by("-seq")
    rows = list(files.values_list("path", "blob_id", "seq")[:_SHOWN])
    texts = bytes_by_id([blob for _, blob, _ in rows if blob])
    times = times_on_disk(workspace, [seq for _, _, seq in rows])
    notes = [
        _note(path, times[seq], decode(texts[blob]).text[:_READ])
        for path, blob, seq in rows
        if blob in texts and seq in times
    ]
    return sorted(notes, key=lambda one: one.day or one.at.date(), reverse=True)


def _note(path: str, at: datetime, text: str) -> _Note:
    (note,) = handoff_note.parse(text, PurePosixPath(path)).parts
    first: dict[Kind, str] = {}
    for item in handoff_note.items_in(text):
        first.setdefault(item.kind, item.text[:_LINE])
    return _Note(path, note.title[:_LINE], note.time.at, at, tuple(first.items()))


@dataclass(frozen=True, slots=True)
class StepShown:
    """A line of the log or a result, for display."""

    line: DatedStep
    shell: Shell
    home: Addresses

    @property
    def step(self) -> HandoffStep:
        return self.line.step

    @property
    def glyph(self) -> str:
        verb = self.step.verb
        state = verb if self.step.is_result else STATES.get(verb, "open")
        return HANDOFF_STATES.get(state, ("open", ""))[0]

    @property
    def verb(self) -> str:
        step = self.step
        claimed = step.verb == SIGNED_OFF and not (step.confirmed or step.is_result)
        event = "sign_off_claimed" if claimed else step.verb.replace(" ", "_")
        return event_verb("handoff", event)[0] or step.verb

    @property
    def reason(self) -> str:
        return self.step.reason or self.step.detail

    @property
    def when(self) -> str:
        at = self.line.at
        return self.shell.clock.moment(at) if at else gettext("time not recorded")

    @property
    def iso(self) -> str:
        at = self.line.at
        return self.shell.clock.local(at).isoformat(timespec="seconds") if at else ""

    @property
    def place(self) -> str:
        return f"{self.step.file.path}:{self.step.first_line}"

    @property
    def url(self) -> str:
        path, line = self.step.file.path, self.step.first_line
        return self.home.file(path, line=line)


def handoff_page(handoff: Handoff, person: str, shell: Shell) -> dict[str, Any]:
    """Return the template values of a handoff's page."""
    found = conversation(handoff)
    addresses, home = shell.addresses, addresses_of(handoff.workspace.slug)
    url = addresses.handoff(handoff.code)
    state, label = HANDOFF_STATES[handoff.state]
    return {
        "handoff": handoff,
        "name": handoff.name,
        "heading": title_of(handoff),
        "state": state,
        "state_label": str(label),
        "type": str(HANDOFF_TYPES[handoff.type]),
        "icon": TYPE_ICONS.get(handoff.type, "help"),
        "facts": facts_of(handoff, shell),
        "is_overdue": _is_overdue(handoff, shell),
        "lane_note": _lane_note(handoff),
        "acts": act_links(handoff, person, url)[:_ACTS],
        "change_url": f"{url}change/",
        "message_url": f"{url}message/",
        "text_url": f"{url.removesuffix('/')}.md",
        "parts": _parts(handoff),
        "steps": [StepShown(line, shell, home) for line in found.steps],
        "decisions": [
            (row.text, addresses.decision(row.code)) for row in found.decisions
        ],
        "snapshots": [
            (row.goal or row.snapshot_id or row.code, addresses.snapshot(row.code))
            for row in found.snapshots
        ],
        "files": _files(handoff, found.files),
        "evidence": _evidence(handoff, home),
        "again": [_link(row, shell) for row in found.again],
        "after": _named(handoff, listed_in(handoff.after), shell),
        "parent": _named(handoff, filter(None, [handoff.parent]), shell),
        "parts_of_it": [_link(row, shell) for row in parts_of(handoff)],
        "same_id": [_link(row, shell) for row in found.same_id],
        "topic_url": addresses.topic(handoff.topic.slug) if handoff.topic else "",
        "place": f"{handoff.file.path}:{handoff.first_line}",
        "place_url": place_of(handoff),
        "raw": lines_of(
            span_text(handoff), Lines(handoff.first_line, handoff.last_line)
        ),
    }


def task_shown(handoff: Handoff) -> dict[str, Any]:
    """Return the task's parts for the form of an act, and the files they mention."""
    parts = _parts(handoff)
    found = files_in("\n".join(text for _, text in parts))
    return {"parts": parts, "files": _files(handoff, found)}


def place_of(handoff: Handoff) -> str:
    """Return the address of a handoff's block; if it is gone, in its last version."""
    line, seq = handoff.first_line, handoff.newest_seq
    return addresses_of(handoff.workspace.slug).file(
        handoff.file.path, line=line, rev=seq
    )


class Fact(NamedTuple):
    """A fact of a handoff: its label, its value, and where the value leads."""

    label: str
    value: str
    url: str = ""


def facts_of(handoff: Handoff, shell: Shell) -> list[Fact]:
    """Return the facts of a handoff: sent, waiting, due, signed, taken, lead time."""
    sent, *others = (Fact(*fact) for fact in _facts(handoff, shell))
    return [sent, *_sides(handoff), *others]


def _facts(handoff: Handoff, shell: Shell) -> list[tuple[str, str]]:
    clock = shell.clock
    at, precision = handoff.occurred_at, handoff.precision
    zone = handoff.workspace.time_zone
    facts = [(gettext("Sent"), clock.stated(at, precision, zone))]
    facts += _whose_turn(handoff)
    waits = since_sent(clock.now - at, precision)
    if handoff.state in TAKEN_FROM and waits:
        facts.append((gettext("Waiting"), waits))
    if handoff.review:
        facts.append((gettext("To be accepted by"), _reviewer(handoff)))
    if handoff.due_at:
        facts.append((gettext("Due"), due_label(handoff.due_at, clock)))
    if handoff.signed_at:
        when = clock.moment(handoff.signed_at)
        facts.append((gettext("Signed off"), clauses((handoff.signed_by, when))))
    if handoff.claimed_by:
        claim = gettext("%(name)s in a file; no person confirmed it here")
        facts.append((gettext("Signed off"), claim % {"name": handoff.claimed_by}))
    if begun_unsigned(handoff):
        facts.append(("", gettext("begun without a sign-off")))
    if handoff.taken_at:
        when = clock.moment(handoff.taken_at)
        facts.append((gettext("Taken by"), clauses((handoff.taken_by, when))))
    facts += _lane_facts(handoff, clock)
    if took := since_sent((handoff.finished_at or at) - at, precision):
        facts.append((gettext("Took"), took))
    return facts


def _reviewer(handoff: Handoff) -> str:
    words = {BY_PERSON: gettext("a person"), BY_COORDINATOR: gettext("a coordinator")}
    name = reviewer_of(handoff)
    return words.get(name, name)


def _lane_facts(handoff: Handoff, clock: Clock) -> Iterator[tuple[str, str]]:
    """Yield the lease of a taken handoff, its paths and its priority."""
    if end := leases(handoff.workspace, [handoff], clock.now).get(handoff.pk):
        words = gettext("Lease ended") if end < clock.now else gettext("Lease until")
        yield words, clock.moment(end)
    if handoff.repository or handoff.paths:
        touched = (handoff.repository, *listed_in(handoff.paths))
        yield gettext("Touches only"), listed(filter(None, touched))
    if handoff.priority:
        yield gettext("Priority"), str(PRIORITIES[handoff.priority])


def _whose_turn(handoff: Handoff) -> Iterator[tuple[str, str]]:
    """Yield for whom a handoff waits."""
    if handoff.for_person:
        yield "", gettext("Waits for a person")
    elif handoff.acts:
        yield gettext("Waits for"), handoff.acts


def _sides(handoff: Handoff) -> Iterator[Fact]:
    """Yield the other workspace that takes part, with its page of the handoff."""
    if slug := handoff.partner:
        words = gettext("Work is done in") if handoff.away else gettext("Sent from")
        known = may(Right.READ, slug) and Workspace.objects.filter(slug=slug).exists()
        there = handoff.task_id if handoff.twin else handoff.code
        yield Fact(words, slug, addresses_of(slug).handoff(there) if known else "")


def _is_overdue(handoff: Handoff, shell: Shell) -> bool:
    if handoff.state not in UNFINISHED:
        return False
    late = is_overdue(median_leads([handoff.side]), shell.clock.now)
    return Handoff.objects.filter(late, pk=handoff.pk).exists()


def _lane_note(handoff: Handoff) -> str:
    """Return the place of a write in the lane in words; empty outside the lane."""
    if not handoff.in_lane:
        return ""
    places = open_work(handoff.workspace).lane.places
    return note_of_write(handoff, places.get(handoff.pk, 0))


def due_label(at: datetime, clock: Clock) -> str:
    """Return the due time; to the minute on later days too."""
    local = clock.local(at)
    if local.date() <= clock.now.date():
        return clock.moment(at)
    return clauses((clock.day_label(local.date()), time_label(local)))


def possible_acts(handoff: Handoff, person: str) -> tuple[Act, ...]:
    """Return the acts that a person can do on a handoff now."""
    waits = handoff.state in TAKEN_FROM and depends_on_lane("taken", handoff)
    lane = turns(handoff.workspace, handoff.pk) if waits else Lane()
    actor = person_in(handoff.workspace, person)
    acts = acts_for(handoff, actor, lane, handoff.pk)
    return tuple(act for act in acts if may(act.right, handoff.side.slug))


def act_links(handoff: Handoff, person: str, url: str) -> list[ActLink]:
    """Return links to the forms of a person's possible acts."""
    return [
        ActLink(str(act.label), f"{url}{act.name}/", act.key, act.key == "s")
        for act in possible_acts(handoff, person)
    ]


def _parts(handoff: Handoff) -> list[tuple[str, str]]:
    """Return the non-empty parts of the task as (heading, text)."""
    parts = [
        (gettext("Context"), handoff.context),
        (gettext("Input"), handoff.input),
        (gettext("Expected output"), handoff.expected_output),
        (gettext("Constraints"), handoff.constraints),
    ]
    return [(name, text) for name, text in parts if text]


def _named(
    handoff: Handoff, names: Iterable[str], shell: Shell
) -> list[tuple[str, str]]:
    """Return tasks with their state and address; no address for an unknown one."""
    wanted = list(names)
    found = tasks_named(handoff.workspace, wanted)
    shown = []
    for name in wanted:
        row = next(iter(found.get(name, ())), None)
        if row is None:
            shown.append((name, ""))
            continue
        label, url = _link(row, shell)
        state = HANDOFF_STATES[row.state][1]
        shown.append((f"{label} ({state})", url))
    return shown


def _link(row: Handoff, shell: Shell) -> tuple[str, str]:
    return headed(row.name, title_of(row)), shell.addresses.handoff(row.code)


def _change(kind: str) -> str:
    """Return how a file changed, in words; one seen on disk is new or changed."""
    return gettext("changed") if kind == "seen" else str(REVISION_KINDS[kind])


def _evidence(handoff: Handoff, home: Addresses) -> dict[str, Any]:
    """Return a result's side effects by the journal; empty without any."""
    found = evidence_of(handoff)
    if found is None or not (handoff.review or handoff.side_effects):
        return {}
    return {
        "claim": handoff.side_effects,
        "files": [
            (file, home.file(file.path), _change(file.kind)) for file in found.files
        ],
        "unchanged": found.unchanged,
        "commits": found.commits,
        "more": found.more,
    }


def _files(handoff: Handoff, paths: Collection[str]) -> list[tuple[str, str]]:
    """Return paths with addresses; empty for paths not where the work is done."""
    known = known_paths(handoff.workspace, paths)
    home = addresses_of(handoff.workspace.slug)
    return [(p, home.file(p) if p in known else "") for p in paths]
