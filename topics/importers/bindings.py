"""Session bindings: the topic of a session, from the session map and topics' Meta."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from memoryhub.dialects import session_map
from memoryhub.dialects.session_map import SessionMap
from memoryhub.dialects.topic_context import TopicContext, topic_of
from memoryhub.events.importers import Happening, add_event
from memoryhub.formats.base import Lines
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.decoding import storable
from memoryhub.journal.changes import Change, WorkspaceFacts
from memoryhub.journal.importers.agents import AgentImporter
from memoryhub.journal.importers.files import FileImporter
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Source
from memoryhub.journal.ownership import Owner
from memoryhub.journal.rows import Entities, Row, Rows
from topics.models import SessionBinding, Topic


class Bound(NamedTuple):
    """A binding in one file; the session map takes precedence over a topic's Meta."""

    session_key: str
    topic_name: str
    lines: Lines
    in_map: bool


class BindingImporter:
    """Maintains the bindings of a workspace, all of them in memory."""

    def __init__(
        self,
        workspace: WorkspaceFacts,
        agents: AgentImporter,
        files: FileImporter,
        *,
        empty: bool,
    ) -> None:
        self._agents = agents
        self._files = files
        self._entities = Entities(SessionBinding, workspace.id, empty=empty)
        self._live: dict[str, Row] = {
            row["session_key"]: row
            for row in self._entities.load_all()
            if row["last_seq"] is None
        }
        #: Cache of `topic_of` by agent since the last change of a binding.
        self._only: dict[int | None, Owner] = {}

    def take(self, change: Change, bound: Iterable[Bound]) -> None:
        """Replace a revision's former bindings by its current ones."""
        stated = list(bound)
        facts = [
            _source(change.row_id(SessionBinding, b.session_key), b) for b in stated
        ]
        folded = fold_aligned(
            Source, change, facts, target_kind=Source.Target.BINDING.value
        )
        for closed in folded.closed:
            self._drop_source(change, closed.heading_key, closed.first_line)
        for binding, matched in zip(stated, folded.matched, strict=True):
            self._bind(change, binding, new_source=matched.verb == "added")

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
            self._only[agent_id] = self._only_topic(agent_id)
        return self._only[agent_id]

    def flush(self, rows: Rows) -> None:
        """Write the changed bindings to the rows."""
        self._entities.flush(rows)

    def _bind(self, change: Change, bound: Bound, *, new_source: bool) -> None:
        row_id = change.row_id(SessionBinding, bound.session_key)
        row = self._entities.get(row_id) or self._new(change, row_id, bound)
        live = row["last_seq"] is None and row["open_sources"] > 0
        before = row["topic_name"] if live else None
        if live and row["in_map"] and not bound.in_map:
            bound = bound._replace(topic_name=row["topic_name"], in_map=True)
        self._binds(
            self._entities.put(
                row_id,
                topic_name=bound.topic_name,
                topic_id=change.row_id(Topic, bound.topic_name),
                in_map=bound.in_map,
                open_sources=row["open_sources"] + new_source,
                last_seq=None,
            )
        )
        if before != bound.topic_name:
            self._add_event(change, row_id, "rebound" if before else "bound", bound)

    def _only_topic(self, agent_id: int | None) -> Owner:
        topics = {
            row["topic_id"]
            for row in self._live.values()
            if agent_id is None or row["agent_id"] == agent_id
        }
        return Owner(topics.pop(), "binding") if len(topics) == 1 else Owner()

    def _binds(self, row: Row) -> None:
        self._live[row["session_key"]] = row
        self._only.clear()

    def _new(self, change: Change, row_id: int, bound: Bound) -> Row:
        key = parse_session_key(bound.session_key)
        return self._entities.put(
            row_id,
            session_key=bound.session_key,
            topic_name=bound.topic_name,
            topic_id=None,
            agent_id=self._agents.named(change, key.agent),
            channel=key.channel[:100],
            kind=key.kind[:100],
            peer=key.peer,
            in_map=bound.in_map,
            open_sources=0,
            first_seq=change.seq,
            last_seq=None,
            recorded_at=change.recorded_at,
        )

    def _drop_source(self, change: Change, row_id: int, line: int) -> None:
        row = self._entities.get(row_id)
        if row is None:
            return
        remaining = max(0, row["open_sources"] - 1)
        row = self._entities.put(
            row_id,
            open_sources=remaining,
            last_seq=None if remaining else change.seq,
        )
        if remaining:
            self._fall_back(change, row, line)
        else:
            self._live.pop(row["session_key"], None)
            self._only.clear()

    def _fall_back(self, change: Change, row: Row, line: int) -> None:
        """Bind a session by its other sources, the session map before topics."""
        change.rows.flush()
        sources = Source.objects.filter(
            target_kind=Source.Target.BINDING, target_id=row["id"], last_seq=None
        )
        facts = [
            (self._files.format_of(source.file_id) == session_map.NAME, source.value)
            for source in sources.order_by("-first_seq", "-position")
        ]
        in_map, name = max(
            facts, key=itemgetter(0), default=(row["in_map"], row["topic_name"])
        )
        now = self._entities.put(
            row["id"],
            topic_name=name,
            topic_id=change.row_id(Topic, name),
            in_map=in_map,
        )
        self._binds(now)
        if name != row["topic_name"]:
            bound = Bound(row["session_key"], name, Lines(line, line), in_map)
            self._add_event(change, row["id"], "rebound", bound)

    def _add_event(self, change: Change, row_id: int, verb: str, bound: Bound) -> None:
        row = self._entities.get(row_id)
        assert row is not None
        happening = Happening(
            "session",
            verb,
            bound.session_key,
            row_id,
            bound.topic_name,
            agent_id=row["agent_id"],
            topic_id=row["topic_id"],
            line=bound.lines.first,
        )
        add_event(change, happening)


def _source(row_id: int, bound: Bound) -> Fact:
    values = {
        "target_kind": Source.Target.BINDING.value,
        "target_id": row_id,
        "value": bound.topic_name,
    }
    text = key_of(f"{bound.session_key}\n{bound.topic_name}", "").text
    return Fact(Key(text, row_id), bound.lines, values)


def bound_in(change: Change) -> list[Bound]:
    """Return the bindings in a revision."""
    match change.document:
        case SessionMap() as document:
            return [
                Bound(storable(b.key), storable(b.topic), b.lines, True)
                for b in document.bindings
            ]
        case TopicContext() as document:
            name = topic_of(change.pure_path)
            return [
                Bound(meta.value, name, meta.lines, False)
                for meta in document.meta
                if meta.key == "session" and name
            ]
    return []
