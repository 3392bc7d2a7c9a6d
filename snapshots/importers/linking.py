"""Links of rows to the topics that their text, place or file names.

A pure function of a workspace's rows: a topic that appears later links earlier rows,
and a replay gives the same links. Rows whose topic a marker, a session or a person
states are left alone.

What people set, later versions keep: owners of rows, grades of statements.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any

from django.db import models, transaction
from django.db.models import Q, QuerySet

from memoryhub.dialects.file_days import date_of
from memoryhub.events.models import Event
from memoryhub.formats.base import Lines
from memoryhub.formats.text.topic_names import Name, Names, is_general, name_of
from memoryhub.journal.changes import end_of
from memoryhub.journal.grades import Grade
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import (
    Operation,
    Revision,
    Source,
    SourceFile,
    Workspace,
)
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.rows import Row, Rows
from memoryhub.journal.verbs import Payload
from memoryhub.values.identity import id_of
from snapshots.models import (
    AuthoredSpan,
    LogEntry,
    OpenItem,
    Ownership,
    SessionMemory,
    Snapshot,
)
from topics.importers.decisions import DecisionImporter
from topics.importers.topics import declared_of, id_of_named, slug_of
from topics.models import NAMED, Decision, Directive, Topic

VERB = "assign"
#: Verbs of verdicts on suggestions, by the grade that they give.
JUDGING = {
    Grade.DECLARED.value: "accept",
    Grade.DISMISSED.value: "dismiss",
    Grade.SUGGESTED.value: "ask_again",
}
Statement = Decision | Directive | OpenItem
#: Models of statements, by their names in payloads of verdicts.
STATEMENTS: Mapping[str, type[Statement]] = {
    "decision": Decision,
    "directive": Directive,
    "item": OpenItem,
}

#: Assignable models, by their names in payloads.
ASSIGNABLE: Mapping[str, type[AuthoredSpan]] = {
    "snapshot": Snapshot,
    "memory": SessionMemory,
    "entry": LogEntry,
    "item": OpenItem,
}
_EVENT_KINDS = {
    "snapshot": [Event.Kind.SNAPSHOT],
    "memory": [Event.Kind.MEMORY],
    "entry": [Event.Kind.NOTE, Event.Kind.SESSION],
    "item": [Event.Kind.NOTE],
}
#: The columns set by a person, by id of a row, or key of a suggestion's text.
Assigned = dict[int, dict[str, Any]]


def assigned_by(payloads: Iterable[Payload]) -> Assigned:
    """Return the columns that people set by these operations, oldest first."""
    assigned: Assigned = {}
    for payload in payloads:
        _note(assigned, payload)
    return assigned


def accepted_in(payloads: Iterable[Payload]) -> frozenset[tuple[str, str]]:
    """Return kind and text of statements that people accepted, or items assigned.

    A model of a later version may not find them.
    """
    found: set[tuple[str, str]] = set()
    for payload in payloads:
        if payload.get("grade") == Grade.DECLARED:
            found.update((kind, text) for kind, _, text in payload["stated"])
        elif Ownership.ASSIGNED in payload.get("rules", {}).values():
            found.add((payload["kind"], payload["label"]))
    return frozenset(one for one in found if one[0] in STATEMENTS)


NEWEST = 2**62
#: What people assigned, accepted and dismissed in a workspace up to a seq.
payloads_until: Prepared[Payload] = Prepared(
    lambda workspace_id, seq: (
        Operation.objects.filter(
            workspace_id=workspace_id,
            verb__in=(VERB, *JUDGING.values()),
            state=Operation.State.APPLIED,
            seq__lte=seq,
        )
        .order_by("seq")
        .values_list("payload", flat=True)
    ),
    int,
    int,
)


def _note(assigned: Assigned, payload: Payload) -> None:
    """Record the columns that an operation sets; discard those of a reverted one.

    That is an assignment, or the grade that a person gave to suggestions, or took back.
    """
    if "stated" in payload:
        by, at = payload["by"], datetime.fromisoformat(payload["at"])
        columns = {
            "grade": payload["grade"],
            "judged_by": by,
            "judged_at": at if by else None,
        }
        assigned |= {id_of(code): columns for _, code, _ in payload["stated"]}
        return
    kept = {
        column: value
        for column, value in _columns_of_target(payload).items()
        if payload["rules"][column.partition("_")[0]] == Ownership.ASSIGNED
    }
    if kept and payload["kind"] == "item":
        # Whoever assigns a suggested item takes it for one.
        kept["grade"] = Grade.DECLARED.value
    if kept:
        assigned[id_of(payload["id"])] = kept
    else:
        assigned.pop(id_of(payload["id"]), None)


def project_assignment(payload: Payload) -> None:
    """Set the owner of an assigned row and of its events."""
    columns = _columns_of_target(payload)
    row_id = id_of(payload["id"])
    kind = payload["kind"]
    ASSIGNABLE[kind]._default_manager.filter(pk=row_id).update(**columns)
    if kind == "item":
        is_assigned = Ownership.ASSIGNED in payload["rules"].values()
        grade = Grade.DECLARED if is_assigned else Grade.SUGGESTED
        items = OpenItem.everything.filter(pk=row_id, confidence__lt=1, judged_by="")
        items.update(grade=grade)
    events = Event.objects.filter(kind__in=_EVENT_KINDS[kind], target_id=row_id)
    events.update(
        agent_id=columns["agent_id"],
        topic_id=columns["topic_id"],
        topic_named=columns["topic_rule"] == Ownership.NAMED,
    )


def project_verdict(assigned: Assigned, operation: Operation) -> dict[int, Row]:
    """Grade directives and open items; return the columns of decisions by id."""
    graded: dict[int, Row] = {}
    for kind, code, _ in operation.payload["stated"]:
        key = id_of(code)
        if kind == "decision":
            graded[key] = assigned[key]
        else:
            rows: QuerySet[Any] = STATEMENTS[kind].everything.filter(confidence__lt=1)
            rows = rows.filter(workspace=operation.workspace_id, heading_key=key)
            rows.update(**assigned[key])
    return graded


def _columns_of_target(payload: Payload) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name in ("agent", "topic"):
        code = payload[name]
        columns[f"{name}_id"] = id_of(code) if code else None
        columns[f"{name}_rule"] = payload["rules"][name]
    return columns


#: Kinds of declared topics that any text may name; others hold for their lines alone.
_IN_TEXTS = frozenset({"project", "group"})
#: A tag is a topic if so many files have it.
_FILES_OF_TAG = 2
#: Events for which no topic is stated.
_UNSTATED = Q(topic_id__isnull=True) | Q(topic_named=True)


class Linker(Importer):
    """Gives rows the owners and grades that people set, and topics by their names."""

    verbs = frozenset({VERB, *JUDGING.values()})

    def __init__(self, session: Session) -> None:
        self._session = session
        until = NEWEST if session.empty else session.until
        set_by_people = payloads_until(session.workspace.id, until)
        session.assigned = {} if session.empty else assigned_by(set_by_people)
        session.accepted = accepted_in(set_by_people)

    def take_operation(self, operation: Operation) -> None:
        """Project an assignment, or a verdict, from this operation on."""
        session, payload = self._session, operation.payload
        session.accepted |= accepted_in([payload])
        _note(session.assigned, payload)
        if operation.verb == VERB:
            project_assignment(payload)
        else:
            graded = project_verdict(session.assigned, operation)
            session.of(DecisionImporter).judge(graded)

    @staticmethod
    def conclude(workspace: Workspace) -> None:
        """Link rows to the topics that they name."""
        link_topics(workspace)


#: Topics by name; and by file the lines that are about a topic.
_Names = dict[Name, int]
_Places = dict[int, list[tuple[Lines, int]]]
#: A row with its file and line, the topic it is linked to now, and its text.
_Linked = tuple[int, int, int, int | None, str]


def link_topics(workspace: Workspace) -> None:
    """Link the rows of changed files, and all of them if topics have other names.

    The caller holds the lock of the workspace, or a transaction that wrote to it.
    """
    # What is not projected yet is linked once it is.
    workspace.refresh_from_db(fields=["projected_seq", "linked_seq", "linked_names"])
    if workspace.linked_seq >= workspace.projected_seq:
        return
    with transaction.atomic():
        names: _Names = {}
        for topic_id, called in _WITH_FILES(workspace.pk):
            if not is_general(called):
                names.setdefault(name_of(called), topic_id)
        declared, signature = _declare(workspace, names)
        is_known = workspace.linked_names == signature
        since = workspace.linked_seq if is_known and not _assigned(workspace) else 0
        if names or declared or workspace.linked_seq:
            _link(workspace, names, declared, since)
            _release(workspace)
        workspace.linked_seq = workspace.projected_seq
        workspace.linked_names = signature
        rows, now = Rows(), {"linked_seq": workspace.linked_seq}
        rows.update(Workspace, workspace.pk, **now, linked_names=signature)
        rows.flush()


def _assigned(workspace: Workspace) -> bool:
    """Return whether people gave rows topics, or took them back, since the last run."""
    return bool(_ASSIGNED(workspace.pk, workspace.linked_seq))


_ASSIGNED: Prepared[int] = Prepared(
    lambda workspace_id, seq: Operation.objects.filter(
        workspace_id=workspace_id, verb=VERB, seq__gt=seq
    ).values_list("seq", flat=True)[:1],
    int,
    int,
)


def _declare(workspace: Workspace, names: _Names) -> tuple[_Places, str]:
    """Add the topics that files declare to the names; a relation adds none.

    Return the lines that are about topics, and a hash of the inputs that decide the
    links of rows in unchanged files.
    """
    filed = frozenset(names.values())
    stated = [(row, declared_of(row)) for row in _DECLARED(workspace.pk)]
    groups: dict[str, str] = {}
    for _, topic in stated:
        if topic.kind == "group" and topic.folder:
            groups.setdefault(topic.folder, topic.name)
    tagged = Counter(topic.name for _, topic in stated if topic.kind == "tag")
    tags = {tag for tag, n in tagged.items() if n >= _FILES_OF_TAG}
    declared: _Places = defaultdict(list)
    unfiled: dict[int, Topic] = {}
    for source, topic in stated:
        if topic.kind == "tag" and topic.name not in tags:
            continue
        # What was done in the folder of a group of tasks belongs to that group.
        title = groups.get(topic.folder, topic.name) if topic.folder else topic.name
        name = name_of(title)
        topic_id = names.get(name) or id_of_named(workspace.uuid.bytes, name)
        if topic_id not in filed:
            if topic.kind == "relation":
                continue
            unfiled.setdefault(
                topic_id, _named_topic(workspace, topic_id, title, source)
            )
        declared[source.file_id].append((topic.lines, topic_id))
        if topic.kind in _IN_TEXTS:
            names.setdefault(name, topic_id)
    _write_named(workspace, unfiled)
    known = sorted((name.key, topic_id) for name, topic_id in names.items())
    data = repr((known, sorted(groups.items()), sorted(tags)))
    digest = blake2b(data.encode("utf-8", "replace"), digest_size=16)
    return declared, digest.hexdigest()


def _named_topic(
    workspace: Workspace, topic_id: int, title: str, source: Source
) -> Topic:
    """Return the topic without a file of its own that a source declares."""
    return Topic(
        id=topic_id,
        workspace=workspace,
        name=title,
        title=title,
        kind=Topic.Kind.NAMED,
        file_id=source.file_id,
        status_first_line=source.first_line,
        status_last_line=source.last_line,
        status_seq=source.first_seq,
        first_seq=source.first_seq,
    )


_WITH_FILES: Prepared[tuple[int, str]] = Prepared(
    lambda workspace_id: (
        Topic.objects.filter(workspace_id=workspace_id, last_seq__isnull=True)
        .exclude(kind=Topic.Kind.NAMED)
        .order_by("first_seq", "id")
        .values_list("id", "name")
    ),
    int,
)


_DECLARED: Prepared[Source] = Prepared(
    lambda workspace_id: Source.objects.filter(
        workspace_id=workspace_id,
        target_kind=Source.Target.TOPIC,
        last_seq__isnull=True,
    ).order_by("first_seq", "file_id", "position"),
    int,
)


def _write_named(workspace: Workspace, wanted: Mapping[int, Topic]) -> None:
    """Replace the topics without files by those that files declare now."""
    rows = {row.pk: row for row in _NAMED_ROWS(workspace.pk)}
    if not (rows or wanted):
        return
    topics = Topic.objects.filter(workspace=workspace)
    topics.filter(pk__in=[pk for pk in rows if pk not in wanted]).delete()
    filed = topics.exclude(kind=Topic.Kind.NAMED)
    slugs = set(filed.values_list("slug", flat=True))
    columns = [field.attname for field in Topic._meta.concrete_fields]
    for row in sorted(wanted.values(), key=lambda row: (row.first_seq, row.pk)):
        slug = slug_of(row.name)
        row.slug = row.code if slug in slugs else slug
        slugs.add(row.slug)
        before = rows.get(row.pk)
        if before is None:
            row.save(force_insert=True)
        elif any(getattr(before, name) != getattr(row, name) for name in columns):
            row.save(force_update=True)


_NAMED_ROWS: Prepared[Topic] = Prepared(
    lambda workspace_id: Topic.objects.filter(
        workspace_id=workspace_id, kind=Topic.Kind.NAMED
    ),
    int,
)


def _link(workspace: Workspace, called: _Names, declared: _Places, since: int) -> None:
    """Link the rows that changed since a seq, of files whose place did all rows."""
    revised = _REVISED(workspace.pk, since) if since else []
    at = json.dumps([path for path, _ in revised])
    paths = dict(_files(everything=not since)(workspace.pk, since, at))
    replaced = {path for path, moved_from in revised if moved_from}
    whole = {file_id for file_id, path in paths.items() if path in replaced}
    if since:
        whole |= paths.keys() & declared.keys()
        whole |= paths.keys() & {*_NO_MORE_DECLARED(workspace.pk, since)}
    names = Names(called)
    of_files = {file_id: _of_path(path, names) for file_id, path in paths.items()}
    for model, kinds, rows in _linkable(workspace, paths, whole, since):
        linked: dict[int | None, list[int]] = defaultdict(list)
        for row_id, file_id, line, before, text in rows:
            topic_id = names.first_in(text)
            if topic_id is None:
                about = declared.get(file_id, ())
                near = (
                    topic for lines, topic in about if lines.first <= line <= lines.last
                )
                topic_id = next(near, of_files.get(file_id))
            if topic_id is not None or before is not None:
                linked[topic_id].append(row_id)
        for topic_id, ids in linked.items():
            _write(model, kinds, topic_id, ids)


#: Path, and path before, of each version since a seq.
_REVISED: Prepared[tuple[str, str]] = Prepared(
    lambda workspace_id, seq: Revision.objects.filter(
        workspace_id=workspace_id, seq__gt=seq
    ).values_list("path", "moved_from"),
    int,
    int,
)


#: Ids of files of which lines no more belong to a topic since a seq.
_NO_MORE_DECLARED: Prepared[int] = Prepared(
    lambda workspace_id, seq: Source.objects.filter(
        workspace_id=workspace_id, target_kind=Source.Target.TOPIC, last_seq__gt=seq
    ).values_list("file_id", flat=True),
    int,
    int,
)


@cache
def _files(*, everything: bool) -> Prepared[tuple[int, str]]:
    """Return the query of all files, or of those at paths that changed since a seq."""

    def make(workspace_id: int, seq: int, paths: str) -> QuerySet[Any]:
        rows = SourceFile.objects.filter(workspace_id=workspace_id)
        if not everything:
            rows = rows.filter(seq__gt=seq, path__in=listed(paths))
        return rows.values_list("id", "path")

    return Prepared(make, int, int, str)


def _of_path(path: str, names: Names) -> int | None:
    """Return the topic that the name of a dated file, or its folder, is."""
    pure = PurePosixPath(path)
    slug = pure.stem if date_of(pure) else ""
    return names.first_in(slug) or names.first_in(pure.parent.name)


def _linkable(
    workspace: Workspace, files: Iterable[int], whole: Iterable[int], since: int
) -> Iterator[tuple[type[models.Model], tuple[str, ...], Iterator[_Linked]]]:
    """Yield the rows of each kind whose topic nothing but names can decide.

    Those of `files`, or all if `since` is 0; entries only of the `whole` files, and
    those with an event since then: what changes an entry is one.
    """
    kind = Event.Kind
    entries = (kind.NOTE.value, kind.SESSION.value)
    told = _TOLD(workspace.pk, end_of(since)) if since else ()
    for model, kinds, ids, within in (
        (LogEntry, entries, [*told], [*whole]),
        (OpenItem, (kind.NOTE.value,), [], [*files]),
    ):
        asked = _unstated(model, everything=not since)
        found = (
            asked(workspace.pk, json.dumps(ids), json.dumps(within))
            if ids or within or not since
            else ()
        )
        linked = (
            (row_id, file_id, line, topic_id, " ".join(texts))
            for row_id, file_id, line, topic_id, *texts in found
        )
        yield model, kinds, linked
    yield (
        Decision,
        (kind.DECISION.value,),
        _decisions(workspace, files if since else None),
    )


@cache
def _unstated(model: type[models.Model], *, everything: bool) -> Prepared[Any]:
    """Return the query of rows whose topic is not stated: all, or by ids and files."""
    text = ("title", "excerpt") if model is LogEntry else ("text",)
    rows = model._default_manager.filter(Q(topic_rule="") | Q(topic_rule=NAMED))
    if model is LogEntry:
        # A session's topic is the one that it is bound to, if any.
        rows = rows.exclude(session_key__startswith="agent:")

    def make(workspace_id: int, ids: str, files: str) -> QuerySet[Any]:
        found = rows.filter(workspace_id=workspace_id)
        if not everything:
            some = Q(pk__in=listed(ids)) | Q(file_id__in=listed(files))
            found = found.filter(some)
        return found.values_list("id", "file_id", "first_line", "topic_id", *text)

    return Prepared(make, int, str, str)


#: Ids of entries with an event behind a position.
_TOLD: Prepared[int | None] = Prepared(
    lambda workspace_id, position: (
        Event.objects.filter(
            workspace_id=workspace_id,
            position__gt=position,
            kind__in=(Event.Kind.NOTE.value, Event.Kind.SESSION.value),
        )
        .order_by()
        .values_list("target_id", flat=True)
    ),
    int,
    int,
)


def _decisions(workspace: Workspace, files: Iterable[int] | None) -> Iterator[_Linked]:
    """Yield decisions at the first place that has them."""
    everything, some = files is None, ""
    if files is not None:
        ids = {*_DECIDED_IN(workspace.pk, json.dumps([*files]))}
        if not ids:
            return
        some = json.dumps([*ids])
    decided = _decided(everything=everything)(workspace.pk, some)
    known = {row[0]: row for row in decided}
    for row_id, file_id, line in _places(everything=everything)(workspace.pk, some):
        if row := known.pop(row_id, None):
            yield row_id, file_id, line, *row[1:]


#: Ids of the decisions that files state.
_DECIDED_IN: Prepared[int] = Prepared(
    lambda workspace_id, files: Source.objects.filter(
        workspace_id=workspace_id,
        target_kind=Source.Target.DECISION,
        file_id__in=listed(files),
    ).values_list("target_id", flat=True),
    int,
    str,
)


@cache
def _decided(*, everything: bool) -> Prepared[tuple[int, int | None, str]]:
    """Return the query of decisions whose topic is not stated: all, or by ids."""

    def make(workspace_id: int, ids: str) -> QuerySet[Any]:
        rows = Decision.objects.filter(
            Q(topic_id__isnull=True) | Q(topic_rule=NAMED), workspace_id=workspace_id
        )
        rows = rows if everything else rows.filter(pk__in=listed(ids))
        return rows.values_list("id", "topic_id", "text")

    return Prepared(make, int, str)


@cache
def _places(*, everything: bool) -> Prepared[tuple[int, int, int]]:
    """Return the query of the places of decisions, the first ones first."""

    def make(workspace_id: int, ids: str) -> QuerySet[Any]:
        rows = Source.objects.filter(
            workspace_id=workspace_id, target_kind=Source.Target.DECISION
        )
        rows = rows if everything else rows.filter(target_id__in=listed(ids))
        rows = rows.order_by("first_seq", "file_id", "position")
        return rows.values_list("target_id", "file_id", "first_line")

    return Prepared(make, int, str)


def _write(
    model: type[models.Model],
    kinds: tuple[str, ...],
    topic_id: int | None,
    ids: Sequence[int],
) -> None:
    """Set the topic of rows, and of their events for which none is stated."""
    is_named, some = topic_id is not None, listed(json.dumps(ids))
    rows = model._default_manager.filter(pk__in=some)
    rows.update(topic_id=topic_id, topic_rule=NAMED if is_named else "")
    events = Event.objects.filter(_UNSTATED, kind__in=kinds, target_id__in=some)
    events.update(topic_id=topic_id, topic_named=is_named)


def _release(workspace: Workspace) -> None:
    """Take the topic from events whose rows have one by another rule now."""
    if not _WITH_NAME(workspace.pk):
        return
    named = Event.objects.filter(workspace=workspace, topic_named=True)
    for model in (LogEntry, OpenItem, Decision):
        rows = model._default_manager.filter(workspace=workspace, topic_rule=NAMED)
        named = named.exclude(target_id__in=rows.values_list("pk", flat=True))
    named.update(topic_id=None, topic_named=False)


#: One event with a topic by its name.
_WITH_NAME: Prepared[int] = Prepared(
    lambda workspace_id: (
        Event.objects.filter(workspace_id=workspace_id, topic_named=True)
        .order_by()
        .values_list("pk", flat=True)[:1]
    ),
    int,
)
