"""Session bindings: the topic of a session, from the session map and topics' Meta."""

from __future__ import annotations

from operator import itemgetter

from memoryhub.dialects import facts
from memoryhub.dialects.registry import by_name
from memoryhub.events.importers import add_event
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.decoding import storable
from memoryhub.journal.changes import Change
from memoryhub.journal.fold import fold_sources
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Source
from memoryhub.journal.ownership import Owner
from memoryhub.journal.rows import Entities, Row, Rows
from topics.models import SessionBinding, Topic


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
