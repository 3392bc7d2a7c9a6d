"""Answers of hooks without a server: the topic's file, in snap-memory's form.

The formats and what they need only, no Django; read-only.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from memoryhub.dialects import session_map
from memoryhub.dialects.host_events import (
    OPENCLAW,
    HostEvent,
    context_answer,
    event_from,
)
from memoryhub.dialects.topic_context import file_name
from memoryhub.disk.files import FileError, folder_of
from memoryhub.disk.places import Place, read_file
from memoryhub.formats import injection
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.merging import settled
from memoryhub.sync.scan.ignored import is_left_out

#: Parts of a frame, as in the client.
Frame = Mapping[str, bytes]
#: Most characters of a context that a host accepts in place.
_MOST_CHARACTERS = 8_000
_MOST_BYTES = 1_000_000
_MAP = "context-session-map.json"
_WORKSPACES = (
    "SELECT slug, root, memory_folder, ignore_patterns FROM workspaces_workspace"
)


def answer_from_files(frame: Frame, data: str) -> bytes:
    """Return the host's answer; empty if the files have none for this event.

    Prompts get none: only the hub knows what is new.
    """
    fields = json.loads(frame["body"] or b"{}")
    if not isinstance(fields, dict):
        raise ValueError("the event is no JSON object")
    event = event_from(frame["event"].decode(), fields, frame["agent"].decode())
    if event.is_unattended or event.name == "UserPromptSubmit":
        return b""
    for place in _places(frame, event, Path(data)):
        text = _topic_text(place, event)
        if text.strip():
            answer = context_answer(event.name, _wrapped(text, event))
            return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    return b""


class _Place(NamedTuple):
    """A workspace's root, its memory folder and its ignore patterns."""

    root: Path
    folder: str
    ignore: tuple[str, ...] = ()

    def read(self, path: str) -> str:
        """Return a file's text; "" if it cannot or may not be read."""
        if is_left_out(path, self.ignore):
            return ""
        try:
            data = read_file(Place(self.root, path), limit=_MOST_BYTES).data
        except FileError:
            return ""
        return settled(decode(data).text)


def _places(frame: Frame, event: HostEvent, data: Path) -> Iterator[_Place]:
    """Yield the workspaces that may hold the topic."""
    named = frame["workspace"].decode("utf-8", "replace")
    known = _known(data / "memoryhub.sqlite3")
    if named:
        yield from (known[slug] for slug in known if slug == named)
        return
    here = folder_of(event.folder or frame["folder"].decode("utf-8", "surrogateescape"))
    around = [here, *here.parents]
    yield from (found for found in known.values() if found.root in around)
    if (here / "memory").is_dir():
        yield _Place(here, "memory")


def _known(database: Path) -> dict[str, _Place]:
    """Return each workspace's place by slug; none if the database is unreadable."""
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as hub:
            rows = hub.execute(_WORKSPACES).fetchall()
    except sqlite3.Error:
        return {}
    return {
        slug: _Place(folder_of(root), folder, tuple(json.loads(ignore)))
        for slug, root, folder, ignore in rows
    }


def _topic_text(place: _Place, event: HostEvent) -> str:
    bound = _bound(place.read(f"{place.folder}/{_MAP}"), event.session)
    if not bound and event.host == OPENCLAW:
        return ""
    topic = bound or event.topic
    return place.read(f"{place.folder}/{file_name(topic)}") if topic else ""


def _bound(text: str, session: str) -> str:
    with suppress(FormatError):
        return session_map.topic_bound(text, session)
    return ""


def _wrapped(text: str, event: HostEvent) -> str:
    """Return a text as the host's agents get it, quoted; for OpenClaw uncut.

    Unquoted text is a workspace setting that only the hub applies.
    """
    if event.host == OPENCLAW:
        return injection.wrap_quoted(text)
    cut = text[:_MOST_CHARACTERS]
    more = "" if cut == text else "\n[The file goes on.]"
    return f"{injection.HUB_HEADER}\n{injection.quoted(cut)}{more}"
