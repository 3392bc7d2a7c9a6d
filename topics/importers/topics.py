"""Importers of topics that files describe or declare, and of sessions bound to them.

A session's topic is in the session map, or in a topic's Meta.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from pathlib import PurePath, PurePosixPath
from typing import Any, cast

from memoryhub.dialects import facts
from memoryhub.dialects.registry import by_name, facts_of_path
from memoryhub.events.importers import add_event, tells_topic
from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.dates import split_dated
from memoryhub.formats.text.decoding import storable
from memoryhub.formats.text.topic_names import Name, is_general, name_of
from memoryhub.journal.changes import Change
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.fold import Fact, fold, fold_sources
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Revision, Source
from memoryhub.journal.ownership import Owner
from memoryhub.journal.rows import Entities, Row, Rows
from memoryhub.values.identity import code_of, derive
from topics.models import HistoryEntry, SessionBinding, Topic

_UNSAFE = re.compile(r"[^\w.-]+")
_STATUS_SIZE = 20_000
_PROJECT_FIELDS = ("project", "topic", "projekt", "proyecto", "projeto", "projet")
_TAG_FIELDS = ("tags", "topics")
_MOST_TAGS, _LONGEST = 12, 80
#: Between kind, folder and name in the value of a declared topic's source.
_SEPARATOR = "\t"


class TopicImporter(Importer):
    """Maintains the topics of a workspace, and the lines of their histories."""

    def __init__(self, session: Session) -> None:
        self._root = PurePath(session.workspace.root)
        self._entities = Entities(Topic, session.workspace.id, empty=session.empty)
        filed = [
            row for row in self._entities.load_all() if row["kind"] != Topic.Kind.NAMED
        ]
        self._by_file = {
            row["file_id"]: row["id"] for row in filed if row["last_seq"] is None
        }
        #: Topics whose names give one slug, by it.
        self._sharing: dict[str, set[int]] = {}
        for row in filed:
            self._sharing.setdefault(slug_of(row["name"]), set()).add(row["id"])
        #: The history of the revision that was taken last.
        self.history: list[Fact] = []

    def take(self, change: Change) -> None:
        """Import the topic that a revision describes, and those that it declares."""
        described = next(iter(change.stated(facts.Topic)), None)
        row_id = self._row_id(change, described) if described else None
        before = self._before(change)
        before = None if before == row_id else before
        if before is not None:
            self._close(change, before)
        if described and row_id is not None:
            self._by_file[change.file_id] = row_id
            self._write(change, row_id, described)
            if before is not None and change.kind == Revision.Kind.MOVED:
                change.renamed = before, row_id
                lines = HistoryEntry.objects.filter(file_id=change.file_id)
                lines.update(topic_id=row_id)
        change.topic_id = self._of_file(change)
        self.history = _take_history(change, row_id)
        _take_declared(change)

    def flush(self, rows: Rows) -> None:
        """Write the changed topics to the rows."""
        self._entities.flush(rows)

    def _before(self, change: Change) -> int | None:
        """Return the topic that a file described before this revision, if any.

        The topic of a folder names one of its files. That of another one counts where
        it moves, and is derived from its path, as after a restart.
        """
        known = self._by_file.get(change.file_id)
        if known is not None or change.kind != Revision.Kind.MOVED:
            return known
        stated = facts_of_path(change.previous_format, change.previous_place)
        for one in stated:
            if isinstance(one, facts.Topic) and one.kind == "bank":
                return change.row_id(Topic, one.key)
        return None

    def _of_file(self, change: Change) -> int | None:
        """Return the topic of a file, or that of its folder, if there is one now."""
        row_id = self._by_file.get(change.file_id)
        part = next(iter(change.stated(facts.PartOf)), None)
        if row_id is not None or part is None:
            return row_id
        row = self._entities.get(change.row_id(Topic, part.folder))
        return row["id"] if row and row["last_seq"] is None else None

    def _row_id(self, change: Change, described: facts.Topic) -> int:
        """Return the topic's id; a second file of one name is a topic of its own."""
        row_id = change.row_id(Topic, described.key or change.origin)
        row = self._entities.get(row_id)
        if row and row["last_seq"] is None and row["file_id"] != change.file_id:
            if described.kind == "bank":
                return row_id
            return change.row_id(Topic, change.origin)
        return row_id

    def _close(self, change: Change, row_id: int) -> None:
        row = self._entities.get(row_id)
        self._by_file.pop(change.file_id, None)
        if row is None or row["file_id"] != change.file_id:
            return
        self._share(self._entities.put(row_id, last_seq=change.seq)["name"])
        self._add_event(change, row_id, "removed")

    def _write(self, change: Change, row_id: int, described: facts.Topic) -> None:
        before = self._entities.get(row_id)
        is_new = before is None or before["last_seq"] is not None
        if before and not is_new and before["file_id"] != change.file_id:
            # Of a memory bank's two files, the one with the status describes it.
            speaks_for_it = described.status and not before["status"]
            if not speaks_for_it:
                return
        name = described.name
        if name is None:
            is_inside = change.place == change.pure_path
            around = self._root if is_inside else self._root.parent
            name = around.name or PurePosixPath(described.key).name
        title = name if described.title is None else described.title
        row: Row = {
            "name": name[:300],
            "kind": described.kind,
            "file_id": change.file_id,
            "title": title[:300],
            "status": described.status[:_STATUS_SIZE],
            "status_first_line": described.status_lines.first,
            "status_last_line": described.status_lines.last,
            "created_on": described.created_on,
            "updated_on": described.updated_on,
            "session_key": described.session_key,
            "slug": before["slug"] if before else "",
            "first_seq": before["first_seq"] if before else change.seq,
            "last_seq": None,
        }
        is_changed = not before or before["status"] != row["status"]
        row["status_seq"] = change.seq
        if before and not is_changed:
            row["status_seq"] = before["status_seq"]
        self._entities.put(row_id, **row)
        self._sharing.setdefault(slug_of(row["name"]), set()).add(row_id)
        for name in dict.fromkeys(((before or row)["name"], row["name"])):
            self._share(name)
        if is_new:
            self._add_event(change, row_id, "added")
        elif is_changed and not tells_topic(change):
            self._add_event(change, row_id, "status")

    def _share(self, name: str) -> None:
        """Give a slug to one of the topics whose names give it, their codes to others.

        It is the only one there is now, or that is called exactly so; else none.
        """
        slug = slug_of(name)
        rows = [self._entities.get(row_id) for row_id in self._sharing[slug]]
        sharing = [row for row in rows if row and slug_of(row["name"]) == slug]
        alive = [row for row in sharing if row["last_seq"] is None] or sharing
        wanted = [row for row in alive if row["name"] == slug] or alive
        for row in sharing:
            alone = wanted == [row]
            self._entities.put(row["id"], slug=slug if alone else code_of(row["id"]))

    def _add_event(self, change: Change, row_id: int, verb: str) -> None:
        row = self._entities.get(row_id)
        assert row is not None
        day = row["created_on"] if verb == "added" else None
        add_event(
            change,
            "topic",
            verb,
            row["name"],
            target_id=row_id,
            detail=row["status"],
            occurred_at=change.start_of(day) if day else None,
            precision=(Precision.DAY if day else Precision.NONE).value,
            topic_id=row_id,
            line=row["status_first_line"],
        )


def slug_of(name: str) -> str:
    """Return a topic's name in its form for URLs; not unique."""
    return _UNSAFE.sub("-", name).strip("-.") or "topic"


def _take_history(change: Change, topic_id: int | None) -> list[Fact]:
    """Import the history of a revision's topic; return its lines with their rows."""
    stated = change.stated(facts.History)
    found = []
    for one in stated:
        day, text = split_dated(one.text)
        values = {
            "topic_id": topic_id,
            "text": text,
            "occurred_at": change.start_of(day) if day else change.changed_at,
            "precision": (Precision.DAY if day else Precision.NONE).value,
        }
        found.append(Fact(key_of(one.text, str(day)), one.lines, values))
    folded = fold(HistoryEntry, change, found)
    for one, fact in zip(stated, folded, strict=False):
        if fact.verb != "added" or one.compacted:
            continue
        before, messages = one.saved or ("", None)
        add_event(
            change,
            "history",
            "saved" if one.saved else "said",
            fact.values["text"],
            target_id=fact.id,
            occurred_at=fact.values["occurred_at"],
            precision=fact.values["precision"],
            topic_id=topic_id,
            line=one.lines.first,
            data={"messages": messages, "before": before} if one.saved else None,
        )
    return folded


def _take_declared(change: Change) -> None:
    """Import the topics that a file declares, those of fewest lines first.

    Prose that mentions something declares nothing.
    """
    found = [*change.stated(facts.Declared), *_declared_in_matter(change.text)]
    named = [o for o in found if len(o.name) <= _LONGEST and not is_general(o.name)]
    sources = []
    for one in sorted(named, key=lambda o: o.lines.last - o.lines.first):
        name, folder = storable(one.name), storable(one.folder)
        value = _SEPARATOR.join((one.kind, folder.replace(_SEPARATOR, " "), name))
        row_id = id_of_named(change.workspace.uuid, name_of(name))
        said = key_of(value, "").text
        sources.append((row_id, one.lines, value, Key(said, said)))
    fold_sources(change, Source.Target.TOPIC, sources)


def _declared_in_matter(text: str) -> Iterator[facts.Declared]:
    if not text.startswith("---"):
        return
    matter, lines = frontmatter.split(text), facts.whole(text)
    for field in _PROJECT_FIELDS:
        if name := matter.get(field):
            yield facts.Declared("project", name.strip("[]# "), lines)
    for field in _TAG_FIELDS:
        for name in matter.items(field)[:_MOST_TAGS]:
            yield facts.Declared("tag", name.strip("[]# "), lines)


def declared_of(source: Source) -> facts.Declared:
    """Return the topic that a source declares."""
    kind, folder, name = source.value.split(_SEPARATOR, 2)
    lines = Lines(source.first_line, source.last_line)
    return facts.Declared(cast(Any, kind), name, lines, folder)


def id_of_named(workspace: bytes, name: Name) -> int:
    """Return the id of the topic of a name that has no file."""
    return derive(workspace, Topic.__name__, Topic.Kind.NAMED.value, name.key)


class BindingImporter(Importer):
    """Maintains the bindings of a workspace, all of them in memory.

    The session map takes precedence over a topic's Meta.
    """

    def __init__(self, session: Session) -> None:
        self._agents, self._files = session.agents, session.files
        workspace_id, empty = session.workspace.id, session.empty
        self._entities = Entities(SessionBinding, workspace_id, empty=empty)
        self._live: dict[str, Row] = {
            row["session_key"]: row
            for row in self._entities.load_all()
            if row["last_seq"] is None
        }
        #: Cache of `topic_of` by agent since the last change of a binding.
        self._only: dict[int | None, Owner] = {}

    def take(self, change: Change) -> None:
        """Replace a revision's former bindings by its current ones."""
        stated, sources = [], []
        for one in change.stated(facts.Binding):
            key, topic = storable(one.key), storable(one.topic)
            row_id = change.row_id(SessionBinding, key)
            text_key = key_of(f"{key}\n{topic}", "").text
            stated.append((row_id, key, topic))
            sources.append((row_id, one.lines, topic, Key(text_key, row_id)))
        folded = fold_sources(change, Source.Target.BINDING, sources)
        for closed in folded[len(stated) :]:
            self._drop_source(change, closed.key.heading, closed.lines.first)
        in_map = by_name(self._files.format_of(change.file_id)).maps_sessions
        for (row_id, key, topic), fact in zip(stated, folded, strict=False):
            row = self._entities.get(row_id) or self._new(change, row_id, key)
            keeps = _is_bound(row) and row["in_map"] and not in_map
            self._bind(
                change,
                row,
                row["topic_name"] if keeps else topic,
                in_map=keeps or in_map,
                line=fact.lines.first,
                open_sources=row["open_sources"] + (fact.verb == "added"),
            )

    def topic_of(self, session_key: str, agent_id: int | None, *, guess: bool) -> Owner:
        """Return the topic of a row: that of its session, which may have none.

        Without a session, and if `guess`, the only topic its agent is bound to;
        without an agent, the only topic bound at all.
        """
        if row := self._live.get(session_key):
            return Owner(row["topic_id"], "session")
        if session_key or not guess:
            return Owner()
        if agent_id not in self._only:
            topics = {
                row["topic_id"]
                for row in self._live.values()
                if agent_id is None or row["agent_id"] == agent_id
            }
            only = Owner(topics.pop(), "binding") if len(topics) == 1 else Owner()
            self._only[agent_id] = only
        return self._only[agent_id]

    def flush(self, rows: Rows) -> None:
        """Write the changed bindings to the rows."""
        self._entities.flush(rows)

    def _new(self, change: Change, row_id: int, session_key: str) -> Row:
        key = parse_session_key(session_key)
        return self._entities.put(
            row_id,
            session_key=session_key,
            agent_id=self._agents.named(change, key.agent),
            channel=key.channel[:100],
            kind=key.kind[:100],
            peer=key.peer,
            first_seq=change.seq,
            recorded_at=change.recorded_at,
        )

    def _bind(
        self,
        change: Change,
        row: Row,
        topic: str,
        *,
        in_map: bool,
        line: int,
        open_sources: int,
    ) -> None:
        """Bind a session to a topic; tell it if that is another one than before."""
        before = row["topic_name"] if _is_bound(row) else None
        now = self._entities.put(
            row["id"],
            topic_name=topic,
            topic_id=change.row_id(Topic, topic),
            in_map=in_map,
            open_sources=open_sources,
            last_seq=None,
        )
        self._live[now["session_key"]] = now
        self._only.clear()
        if before != topic:
            add_event(
                change,
                "session",
                "rebound" if before else "bound",
                now["session_key"],
                target_id=now["id"],
                detail=topic,
                agent_id=now["agent_id"],
                topic_id=now["topic_id"],
                line=line,
            )

    def _drop_source(self, change: Change, row_id: int, line: int) -> None:
        """Bind a session by its other sources, the session map before topics."""
        row = self._entities.get(row_id)
        if row is None:
            return
        remaining = max(0, row["open_sources"] - 1)
        if not remaining:
            self._entities.put(row_id, open_sources=0, last_seq=change.seq)
            self._live.pop(row["session_key"], None)
            self._only.clear()
            return
        change.rows.flush()
        sources = Source.objects.filter(
            target_kind=Source.Target.BINDING, target_id=row_id, last_seq=None
        )
        named = [
            (
                by_name(self._files.format_of(source.file_id)).maps_sessions,
                source.value,
            )
            for source in sources.order_by("-first_seq", "-position")
        ]
        known = row["in_map"], row["topic_name"]
        in_map, topic = max(named, key=itemgetter(0), default=known)
        self._bind(change, row, topic, in_map=in_map, line=line, open_sources=remaining)


def _is_bound(row: Row) -> bool:
    return row["last_seq"] is None and row["open_sources"] > 0
