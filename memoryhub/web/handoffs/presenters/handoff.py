"""One handoff as its page shows it: the task, everything said of it, what is near."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext

from memoryhub.formats.base import Lines
from memoryhub.formats.hub.handoff import STATES
from memoryhub.formats.text.mentions import find_mentions
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.conversation import Said, conversation
from memoryhub.handoffs.queries.lane import turns
from memoryhub.handoffs.rules.acting import (
    SIGNED_OFF,
    TAKEN_FROM,
    WRITE,
    Actor,
    Lane,
    begun_unsigned,
)
from memoryhub.journal.versions import known_paths
from memoryhub.web.handoffs.presenters.acts import Act, acts_for
from memoryhub.web.handoffs.presenters.cards import (
    TYPE_ICONS,
    TYPES,
    ActLink,
    sent_label,
    since_sent,
    title_of,
)
from memoryhub.web.kit.clock import Clock, time_label
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import event_verb
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.state_labels import HANDOFF_STATES
from snapshots.exporters import lines_of, span_text

#: Acts that have a button of their own; the others are a step further.
_ACTS = 2


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was said of a handoff."""

    glyph: str
    label: str
    actor: str
    when: str
    iso: str
    reason: str
    parts: tuple[tuple[str, str], ...]
    place: str
    url: str


def handoff_page(handoff: Handoff, person: str, shell: Shell) -> dict[str, Any]:
    """Return what the page of a handoff shows."""
    told = conversation(handoff)
    addresses = shell.addresses
    url = addresses.handoff(handoff.code)
    state, label = HANDOFF_STATES[handoff.state]
    return {
        "handoff": handoff,
        "name": name_of(handoff),
        "heading": title_of(handoff.context, name_of(handoff)),
        "state": state,
        "state_label": str(label),
        "type": str(TYPES[handoff.type]),
        "icon": TYPE_ICONS.get(handoff.type, "help"),
        "facts": facts_of(handoff, shell),
        "acts": act_links(handoff, person, url)[:_ACTS],
        "change_url": f"{url}change/",
        "text_url": f"{url.removesuffix('/')}.md",
        "parts": [(name, text) for name, text in _parts(handoff) if text],
        "steps": [_step(said, shell) for said in told.steps],
        "decisions": [
            (row.text, addresses.decision(row.code)) for row in told.decisions
        ],
        "snapshots": [
            (row.text or row.code, addresses.snapshot(row.code))
            for row in told.snapshots
        ],
        "files": _files(handoff, told.files, shell),
        "again": [_link(row, shell) for row in told.again],
        "same_id": [_link(row, shell) for row in told.same_id],
        "topic_url": addresses.topic(handoff.topic.slug) if handoff.topic else "",
        "place": f"{handoff.file.path}:{handoff.first_line}",
        "place_url": place_of(handoff, addresses),
        "raw": raw_of(handoff),
    }


def task_shown(handoff: Handoff, shell: Shell) -> dict[str, Any]:
    """Return what is asked as who decides on it reads it, and the files it names."""
    parts = [(name, text) for name, text in _parts(handoff) if text]
    mentions = find_mentions("\n".join(text for _, text in parts))
    return {"parts": parts, "files": _files(handoff, mentions.files, shell)}


def name_of(handoff: Handoff) -> str:
    """Return what a handoff is called: its id, or its code where it has none."""
    return handoff.task_id or handoff.code


def place_of(handoff: Handoff, addresses: Addresses) -> str:
    """Return where a handoff stands in its file, or stood when it was last there."""
    line, seq = handoff.first_line, handoff.newest_seq
    return addresses.file(handoff.file.path, line=line, rev=seq)


def raw_of(handoff: Handoff) -> str:
    """Return the task's block exactly as its file has it."""
    lines = Lines(handoff.first_line, handoff.last_line)
    return lines_of(span_text(handoff), lines)


def facts_of(handoff: Handoff, shell: Shell) -> list[tuple[str, str]]:
    """Return when it was sent, signed, taken and ended, and by when it is due."""
    clock = shell.clock
    at, precision = handoff.occurred_at, handoff.precision
    zone = handoff.workspace.time_zone
    facts = [(gettext("Sent"), sent_label(at, precision, zone, clock))]
    waits = since_sent(clock.now - at, precision)
    if handoff.state in TAKEN_FROM and waits:
        facts.append((gettext("Waiting"), waits))
    if handoff.due_at:
        facts.append((gettext("Due"), _due(handoff.due_at, clock)))
    if handoff.signed_at:
        when = clock.moment(handoff.signed_at)
        facts.append((gettext("Signed off"), f"{handoff.signed_by}, {when}"))
    if handoff.claimed_by:
        claim = gettext("%(name)s in a file; no person confirmed it here")
        facts.append((gettext("Signed off"), claim % {"name": handoff.claimed_by}))
    if begun_unsigned(handoff):
        facts.append(("", gettext("begun without a sign-off")))
    if handoff.taken_at:
        when = clock.moment(handoff.taken_at)
        facts.append((gettext("Taken"), f"{handoff.taken_by}, {when}"))
    if took := since_sent((handoff.finished_at or at) - at, precision):
        facts.append((gettext("Took"), took))
    return facts


def _due(at: datetime, clock: Clock) -> str:
    """Return by when something has to be done, to the minute also on later days."""
    local = clock.local(at)
    if local.date() <= clock.now.date():
        return clock.moment(at)
    return f"{clock.day_label(local.date())}, {time_label(local)}"


def possible_acts(handoff: Handoff, person: str) -> tuple[Act, ...]:
    """Return what a person can do about a handoff now."""
    lane = Lane()
    if handoff.type == WRITE:
        lane = turns(handoff.workspace, handoff.pk)
    actor = Actor(person, coordinates=True, person=True)
    return acts_for(handoff, actor, lane, handoff.pk)


def act_links(handoff: Handoff, person: str, url: str) -> list[ActLink]:
    """Return the ways to the forms of what a person can do."""
    return [
        ActLink(str(act.label), f"{url}{act.name}/", act.key, act.key == "s")
        for act in possible_acts(handoff, person)
    ]


def _parts(handoff: Handoff) -> list[tuple[str, str]]:
    return [
        (gettext("Context"), handoff.context),
        (gettext("Input"), handoff.input),
        (gettext("Expected output"), handoff.expected_output),
        (gettext("Constraints"), handoff.constraints),
    ]


def _step(said: Said, shell: Shell) -> Step:
    at = shell.clock.local(said.at)
    state = said.verb if said.is_result else STATES.get(said.verb, "open")
    verb, _ = event_verb("handoff", _event_of(said))
    result = gettext("result: %(status)s") % {"status": verb or said.verb}
    return Step(
        HANDOFF_STATES.get(state, ("open", ""))[0],
        result if said.is_result else verb or said.verb,
        said.actor,
        shell.clock.moment(said.at),
        at.isoformat(timespec="seconds"),
        said.reason or said.detail,
        tuple((name, text) for name, text in _result_parts(said) if text),
        f"{said.path}:{said.line}",
        shell.addresses.file(said.path, line=said.line),
    )


def _event_of(said: Said) -> str:
    """Return how the timeline calls a step."""
    claimed = said.verb == SIGNED_OFF and not (said.confirmed or said.is_result)
    return "sign_off_claimed" if claimed else said.verb.replace(" ", "_")


def _result_parts(said: Said) -> list[tuple[str, str]]:
    return [
        (gettext("Output"), said.output),
        (gettext("Side effects"), said.side_effects),
        (gettext("Memory update"), said.memory_update),
    ]


def _link(row: Handoff, shell: Shell) -> tuple[str, str]:
    title = title_of(row.context, name_of(row))
    return f"{name_of(row)}: {title}", shell.addresses.handoff(row.code)


def _files(
    handoff: Handoff, paths: Collection[str], shell: Shell
) -> list[tuple[str, str]]:
    """Return paths with the pages of those that are files of the workspace."""
    known = known_paths(handoff.workspace, paths)
    return [(p, shell.addresses.file(p) if p in known else "") for p in paths]
