"""OpenClaw session keys: agent, channel and peer of a session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Values at the channel's position in keys that have no channel.
_KINDS = frozenset({"main", "subagent", "cron", "hook", "heartbeat", "memory", "acp"})

#: Runs without a person: snap-memory writes nothing for them.
_UNATTENDED = frozenset({"heartbeat", "cron", "memory"})

#: An agent's main session, a person's direct chat with it (with the channel and the
#: account, as far as the host's setting tells them apart), a session of Claude Code.
_MAIN = re.compile(
    r"agent:[^:]+:(?:main|(?:[^:]+:){0,2}(?:dm|direct):[^:]+|claude-code:session:[^:]+)"
)

_FIRST = "agent:"
_KEY = re.compile(
    rf"(?<![\w-]){_FIRST}"
    r"[^\s:`\"'<>|*,;()\[\]{}]+:[^\s`\"'<>|*,;()\[\]{}]+"
)

#: The label before the value of a list line: ``- **session**: ``.
_LABEL = re.compile(r"[ \t]*[-*] \*\*[^*\n]{1,40}\*\*:?[ \t]*")
_LABEL_SIZE = 60


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session key and its parts; missing parts are empty."""

    text: str
    agent: str = ""
    channel: str = ""
    kind: str = ""
    peer: str = ""


def parse_session_key(text: str) -> SessionKey:
    """Return the parts of a key; all are empty for a text of no known form.

    OpenClaw's forms: ``agent:<agent>:<channel>:<kind>:<id>``, the main session
    ``agent:<agent>:main``, and ``cron:<id>`` and ``hook:<uuid>``.
    """
    head, _, rest = text.partition(":")
    if head in ("cron", "hook") and rest:
        return SessionKey(text, kind=head, peer=rest)
    if head != "agent" or not rest:
        return SessionKey(text)
    agent, _, place = rest.partition(":")
    first, _, tail = place.partition(":")
    if first in _KINDS or not tail:
        return SessionKey(text, agent, kind=first, peer=tail)
    kind, colon, peer = tail.partition(":")
    if not colon:
        return SessionKey(text, agent, first, peer=kind)
    return SessionKey(text, agent, first, kind, peer)


def unattended_run(key: str) -> str:
    """Return which run without a person a key is of: heartbeat, cron, memory or ""."""
    parsed = parse_session_key(key)
    if parsed.peer.rpartition(":")[2] == "heartbeat":
        return "heartbeat"
    return parsed.kind if parsed.kind in _UNATTENDED else ""


def is_main(key: str) -> bool:
    """Return whether a key is of a session with one person: a main or direct chat.

    Groups, channels, threads, subagents, hooks, unattended runs and keys of no known
    form are not.
    """
    return bool(_MAIN.fullmatch(key))


def is_with_person(key: str) -> bool:
    """Return whether a person speaks in a session, not a run or another agent.

    A session of no known key is taken for a person's.
    """
    kind = parse_session_key(key).kind
    return not unattended_run(key) and (kind == "main" or kind not in _KINDS)


def find_session_keys(text: str) -> tuple[str, ...]:
    """Return all agent keys in a text, without duplicates, in order.

    A key may hold blanks (a phone number); they are read where the key is the
    value of a labelled list line, and end the key anywhere else.
    """
    return tuple(dict.fromkeys(_keys(text)))


def _keys(text: str) -> Iterator[str]:
    for found in _found(text):
        if _is_labelled(text, found.start()):
            end = text.find("\n", found.start())
            yield text[found.start() : end if end >= 0 else len(text)].strip()
        else:
            yield found[0].rstrip(".:!?。，")


def _found(text: str) -> Iterator[re.Match[str]]:
    """Yield the keys; their first word is searched without regular expressions."""
    at = text.find(_FIRST)
    while at >= 0:
        found = _KEY.match(text, at)
        if found:
            yield found
        at = text.find(_FIRST, found.end() if found else at + 1)


def _is_labelled(text: str, start: int) -> bool:
    """Return whether only a label precedes this offset in its line."""
    earliest = max(0, start - _LABEL_SIZE)
    at = text.rfind("\n", earliest, start)
    if at < 0 < earliest:
        return False
    return bool(_LABEL.fullmatch(text, at + 1, start))
