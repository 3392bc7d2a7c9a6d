"""Handing over as its page shows it: what can be picked, and the text it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import DateTimeField, F, Q, QuerySet, Value
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryhub.exports.handover import FORMS, Handover, Left, Picked, Text
from memoryhub.journal.models import Workspace
from memoryhub.values import tokens
from memoryhub.values.identity import code_of, id_of
from memoryhub.values.limits import INDEX_TOKENS
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.http import typed
from snapshots.models import SessionMemory, Snapshot
from topics.models import Decision, Topic

#: How many of each kind can be seen at once; a filter finds the others.
_SHOWN, _TOPICS = 30, 200
#: Parts of one record that are listed with their texts.
_PARTS_SHOWN = 100
_FORM_LABELS: dict[str, Promise] = {
    "snapshots": gettext_lazy("BIG-MEMORY blocks"),
    "topic": gettext_lazy("Topic files"),
    "session": gettext_lazy("Session texts"),
    "pointers": gettext_lazy("MEMORY.md pointers"),
    "recall": gettext_lazy("Recall text"),
}
_KINDS: dict[str, Promise] = {
    "topic": gettext_lazy("Topic"),
    "snapshot": gettext_lazy("Snapshot"),
    "decision": gettext_lazy("Decision"),
    "memory": gettext_lazy("Session memory"),
}
_HEADINGS: dict[str, Promise] = {
    "topic": gettext_lazy("Topics"),
    "snapshot": gettext_lazy("Snapshots"),
    "decision": gettext_lazy("Decisions"),
    "memory": gettext_lazy("Session memories"),
}
_WHYS: dict[str, Promise] = {
    "no-place": gettext_lazy("This form has no place for: %(values)s."),
    "unknown": gettext_lazy("Not known, so the file says none: %(values)s."),
    "record-missing": gettext_lazy("It can no longer be read."),
    "place-missing": gettext_lazy("No file says it, so nothing can point to it."),
    "no-recall": gettext_lazy("Only topics have a recall text."),
    "over-budget": gettext_lazy("Left out to stay within %(limit)s tokens."),
    "topic-is-there": gettext_lazy(
        "The topic is there already: its status and history were left as they are."
    ),
    "snapshot-breaks-block": gettext_lazy("A line of it would end the block."),
    "comment-not-a-line": gettext_lazy(
        "Its id, agent or topic does not fit a comment."
    ),
    "status-breaks-sections": gettext_lazy("A line of it would begin another section."),
}
#: Parts of records, as `translation_values.Remembered` names them.
_PARTS: dict[str, Promise] = {
    "topic": gettext_lazy("topic"),
    "goal": gettext_lazy("goal or status"),
    "agent": gettext_lazy("agent"),
    "recipient": gettext_lazy("recipient"),
    "type": gettext_lazy("type"),
    "session": gettext_lazy("session"),
    "project_root": gettext_lazy("project root"),
    "time": gettext_lazy("time"),
    "place": gettext_lazy("place"),
    "phase": gettext_lazy("phase"),
    "branch": gettext_lazy("branch"),
    "blocked": gettext_lazy("what blocks it"),
    "progress": gettext_lazy("progress"),
    "last_action": gettext_lazy("last action"),
    "plan_source": gettext_lazy("source of the plan"),
    "plan": gettext_lazy("the plan"),
    "code": gettext_lazy("code"),
    "notes": gettext_lazy("notes"),
    "trigger": gettext_lazy("trigger"),
    "decisions": gettext_lazy("decisions"),
    "history": gettext_lazy("history"),
    "blockers": gettext_lazy("blockers and questions"),
    "next_steps": gettext_lazy("next steps"),
    "constraints": gettext_lazy("constraints"),
    "dependencies": gettext_lazy("dependencies"),
    "files": gettext_lazy("files"),
    "reference_files": gettext_lazy("reference files"),
    "key_names": gettext_lazy("names and values"),
    "meta": gettext_lazy("meta"),
    "other": gettext_lazy("other sections"),
    "text": gettext_lazy("other lines"),
}
#: What of a part: behind the comma of a field's name.
_DETAILS: dict[str, Promise] = {
    "date": gettext_lazy("%(part)s: day"),
    "reason": gettext_lazy("%(part)s: reason"),
    "supersedes": gettext_lazy("%(part)s: what they replace"),
    "signed off by": gettext_lazy("%(part)s: who signed off"),
    "signed off on": gettext_lazy("%(part)s: day of the sign-off"),
    "what of it": gettext_lazy("%(part)s: what of them"),
}


@dataclass(frozen=True, slots=True)
class Option:
    """A thing that can be picked."""

    code: str
    label: str
    more: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The things of one kind that can be picked."""

    kind: str
    heading: str
    options: tuple[Option, ...]
    picked: int


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of the hand-over."""

    number: int
    path: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ShownLeft:
    """What could not be carried, why, and each part of it with its text."""

    kind: str
    name: str
    why: str
    parts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HandoverPage:
    """Everything the page shows."""

    path: str
    text_url: str
    zip_url: str
    write_url: str
    query: str
    form: str
    text: str
    forms: tuple[tuple[str, str, bool], ...]
    groups: tuple[Group, ...]
    files: tuple[ShownFile, ...]
    left: tuple[ShownLeft, ...]
    tokens: int
    any_picked: bool
    targets: tuple[tuple[str, str], ...]
    carried: tuple[tuple[str, str], ...]


def picked_of(query: QueryDict) -> Picked:
    """Return what an address picks; what is no code is passed over."""
    return Picked(
        _ids(query.getlist("topic")),
        _ids(query.getlist("snapshot")),
        _ids(query.getlist("decision")),
        _ids(query.getlist("memory")),
    )


def form_of(query: QueryDict) -> str:
    """Return the form an address asks for."""
    form = query.get("form", "")
    return form if form in FORMS else FORMS[0]


def _ids(codes: Iterable[str]) -> tuple[int, ...]:
    found = []
    for code in codes:
        try:
            found.append(id_of(code))
        except ValueError:
            continue
    return tuple(found)


def handover_page(
    shell: Shell,
    query: QueryDict,
    handover: Handover,
    targets: Sequence[Workspace],
) -> HandoverPage:
    """Return the page of a hand-over."""
    picked, form = picked_of(query), form_of(query)
    path = shell.addresses.handover
    said = query.copy()
    said["form"] = form
    asked = said.urlencode()
    text = typed(query, "q")
    names = ("topic", "snapshot", "decision", "memory")
    return HandoverPage(
        path=path,
        text_url=f"{path.removesuffix('/')}.md?{asked}",
        zip_url=f"{path.removesuffix('/')}.zip?{asked}",
        write_url=f"{path}write/",
        query=asked,
        form=form,
        text=text,
        forms=tuple((key, str(_FORM_LABELS[key]), key == form) for key in FORMS),
        groups=tuple(_groups(shell, picked, text)),
        files=tuple(_shown_file(n, file) for n, file in enumerate(handover.files, 1)),
        left=tuple(shown_left(left) for left in handover.left),
        tokens=handover.tokens,
        any_picked=bool(picked),
        targets=tuple((each.slug, each.name) for each in targets),
        carried=tuple((n, code) for n in names for code in query.getlist(n)),
    )


def _shown_file(number: int, file: Text) -> ShownFile:
    return ShownFile(number, file.path, file.text, tokens.shown(file.text))


def shown_left(left: Left) -> ShownLeft:
    """Return in words what could not be carried."""
    fields = dict.fromkeys(_part(lost.field) for lost in left.lost)
    words = {"limit": INDEX_TOKENS, "values": ", ".join(fields)}
    said = [_WHYS[left.why] % words] if left.lost or left.why != "no-place" else []
    if left.unknown:
        said.append(_WHYS["unknown"] % {"values": ", ".join(left.unknown)})
    return ShownLeft(
        str(_KINDS.get(left.kind, left.kind)),
        left.name[:200],
        " ".join(map(str, said)),
        tuple((_part(lost.field), lost.text) for lost in left.lost[:_PARTS_SHOWN]),
    )


def _part(field: str) -> str:
    """Return the words for a field of `Lost`."""
    name, _, detail = field.partition(", ")
    part = str(_PARTS.get(name, name))
    return str(_DETAILS[detail] % {"part": part}) if detail in _DETAILS else part


def _groups(shell: Shell, picked: Picked, text: str) -> list[Group]:
    """Return what can be picked of each kind: one query for all of them."""
    chosen = {
        "topic": picked.topics,
        "snapshot": picked.snapshots,
        "decision": picked.decisions,
        "memory": picked.memories,
    }
    rows = _all_options(shell.workspace, chosen, text)
    found: dict[str, list[_Row]] = {kind: [] for kind in chosen}
    for row in rows:
        found[row[0]].append(_Row(*row))
    return [_group(kind, found[kind], chosen[kind], shell.clock) for kind in chosen]


class _Row(NamedTuple):
    kind: str
    row_id: int
    label: str
    at: datetime | None
    name: str


def _group(kind: str, rows: list[_Row], picked: Sequence[int], clock: Clock) -> Group:
    rows.sort(key=lambda row: row.label.casefold() if kind == "topic" else "")
    if kind != "topic":
        rows.sort(key=lambda row: row.at or clock.now, reverse=True)
    rows.sort(key=lambda row: row.row_id not in picked)
    options = tuple(
        Option(
            code_of(row.row_id),
            (row.label or row.name)[:200],
            _more(row, clock),
            row.row_id in picked,
        )
        for row in rows
    )
    checked = sum(option.checked for option in options)
    return Group(kind, str(_HEADINGS[kind]), options, checked)


def _more(row: _Row, clock: Clock) -> str:
    when = clock.moment(row.at) if row.at else ""
    return ", ".join(part for part in (row.name, when) if part)


def _all_options(
    workspace: Workspace, chosen: Mapping[str, Sequence[int]], text: str
) -> QuerySet[Any, Any]:
    topics = Topic.objects.filter(workspace=workspace)
    if text:
        said = Q(name__icontains=text) | Q(status__icontains=text)
        topics = topics.filter(said | Q(pk__in=chosen["topic"]))
    shown = topics.filter(pk__in=topics.order_by("name", "pk").values("pk")[:_TOPICS])
    never = Value(None, output_field=DateTimeField())
    first = _columns(shown, "topic", F("name"), never, Value(""))
    snapshots = _newest(Snapshot, workspace, chosen["snapshot"], text, "goal")
    decisions = _newest(Decision, workspace, chosen["decision"], text, "text")
    memories = _newest(SessionMemory, workspace, chosen["memory"], text, "objective")
    at = F("occurred_at")
    found: QuerySet[Any, Any] = first.union(
        _columns(snapshots, "snapshot", F("goal"), at, F("snapshot_id")),
        _columns(decisions, "decision", F("text"), at, Value("")),
        _columns(memories, "memory", F("objective"), at, F("memory_id")),
        all=True,
    )
    return found


def _columns(
    rows: QuerySet[Any], kind: str, label: Any, at: Any, name: Any
) -> QuerySet[Any, Any]:
    named = rows.order_by().annotate(
        as_kind=Value(kind), as_label=label, as_at=at, as_name=name
    )
    columns = ("as_kind", "pk", "as_label", "as_at", "as_name")
    found: QuerySet[Any, Any] = named.values_list(*columns)
    return found


def _newest(
    model: type[Snapshot] | type[Decision] | type[SessionMemory],
    workspace: Workspace,
    picked: Sequence[int],
    text: str,
    words: str,
) -> QuerySet[Any]:
    """Return the newest rows of a kind that say a text, and those that are picked."""
    rows: QuerySet[Any] = model._default_manager.filter(workspace=workspace)
    if text:
        rows = rows.filter(Q(**{f"{words}__icontains": text}) | Q(pk__in=picked))
    newest = rows.order_by("-occurred_at", "-pk").values("pk")[:_SHOWN]
    return rows.filter(Q(pk__in=newest) | Q(pk__in=list(picked)))
