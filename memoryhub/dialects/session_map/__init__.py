"""snap-memory's ``context-session-map.json``: the topic of each bound session."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.dialects.dialect import Dialect, always, gettext_noop
from memoryhub.dialects.facts import Agent, Binding, Document
from memoryhub.formats.base import NO_PATH, FormatError, Lines
from memoryhub.formats.openclaw.session_key import parse_session_key
from memoryhub.formats.text.decoding import storable
from memoryhub.formats.text.javascript import key_order, parse_json, stringify

NAME = "session_map"

#: The second name is that of soulclaw, a descendant.
FILE_NAMES = frozenset({"context-session-map.json", "topic-map.json"})

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMap(Document):
    """A parsed session map; other values than strings are preserved, not bound."""

    bindings: tuple[Binding, ...]

    def facts(self, place: PurePosixPath) -> Iterator[Agent | Binding]:
        """Yield the bindings, and the agents that the sessions are of."""
        for one in self.bindings:
            yield Agent(parse_session_key(storable(one.key)).agent)
            yield one


def topic_bound(text: str, key: str) -> str:
    """Return the topic that a session is bound to in a map, or nothing."""
    topic = _read(text).get(key)
    return topic if isinstance(topic, str) else ""


def with_binding(text: str, key: str, topic: str) -> str:
    """Return a map with a session bound to a topic.

    A known key stays in place. The file is rewritten in snap-memory's own form, as
    snap-memory's next checkpoint would do anyway.
    """
    return stringify({**_read(text), key: topic})


def without_binding(text: str, key: str) -> str:
    """Return a map without a session; unknown keys change nothing."""
    held = _read(text)
    if key not in held:
        return text
    return stringify({k: v for k, v in held.items() if k != key})


def matches(path: PurePosixPath, text: str) -> bool:
    return path.name in FILE_NAMES


def parse(text: str, path: PurePosixPath = NO_PATH) -> SessionMap:
    """Return the bindings of a map, in JavaScript's key order; the last of equal keys.

    Raises `FormatError`: ``json-invalid`` with the line, ``json-not-a-map``.
    """
    held = _read(text)
    lines: dict[str, Lines] = {}
    number, counted = 1, 0
    for found in _STRING.finditer(text):
        if not text[found.end() : found.end() + 40].lstrip().startswith(":"):
            continue
        number += text.count("\n", counted, found.start())
        counted = found.start()
        lines[_decoded(found[0])] = Lines(number, number)
    bindings = (
        Binding(key, topic, lines.get(key, Lines(1, 1)))
        for key in key_order(held)
        if isinstance(topic := held[key], str)
    )
    return SessionMap(text, bindings=tuple(bindings))


def _read(text: str) -> dict[str, object]:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    held = parse_json(text)
    if not isinstance(held, dict):
        raise FormatError("json-not-a-map", 1)
    return held


def _decoded(literal: str) -> str:
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal


DIALECT = Dialect(
    title=gettext_noop("Session map"),
    kind=gettext_noop("session map"),
    order=10,
    is_data=True,
    maps_sessions=True,
    is_found=True,
    in_rows=always,
)
