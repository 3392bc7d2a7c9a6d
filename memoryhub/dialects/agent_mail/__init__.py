"""The archive of mcp_agent_mail: mail between agents, and files they reserved.

``messages/YYYY/MM/*.md`` has each message once, with its head as JSON between
``---json`` and ``---``; what lies in an inbox, an outbox or a thread repeats it.
``agents/<name>/profile.json`` declares an agent, ``file_reservations/id-N.json`` says
what an agent reserved; the same record by its hash repeats it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from memoryhub.dialects.agent_team import TeamFile
from memoryhub.dialects.dialect import Dialect, Role, always, gettext_noop
from memoryhub.dialects.facts import Agent, Entry, Time
from memoryhub.formats.base import FormatError, Lines, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json
from memoryhub.prose.stated import Stated, find_stated

_SAID = r"messages/\d{4}/\d\d/[^/]+\.md|agents/[^/]+/profile\.json"
_SAID += r"|file_reservations/id-\d+\.json"
_REPEATED = (
    r"messages/threads/[^/]+\.md|agents/[^/]+/(?:in|out)box/\d{4}/\d\d/[^/]+\.md"
)
_REPEATED += r"|file_reservations/[0-9a-f]{40}\.json"
_ONCE = re.compile(rf"(?:.*/)?(?:{_SAID})")
_PLACE = re.compile(rf"(?:.*/)?(?:{_SAID}|{_REPEATED})")
_HEAD = re.compile(r"\ufeff?---json\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_MARKS = ("---json", "# Thread ")
_OF_PROFILE = ("name", "program", "task_description")
_OF_RESERVATION = ("agent", "path_pattern")
_LONGEST = 2_000


def is_in_archive(path: PurePosixPath) -> bool:
    """Return whether a path is that of a file of an archive."""
    return bool(_PLACE.fullmatch(str(path)))


def matches(path: PurePosixPath, text: str) -> bool:
    """Return whether a text in such a place is like the archive's files.

    Any program may call a file ``agents/<name>/profile.json``: its keys tell.
    """
    if not is_in_archive(path):
        return False
    keys = _OF_PROFILE if path.name == "profile.json" else _OF_RESERVATION
    return text.startswith(_MARKS) or (
        text.startswith("{") and all(f'"{key}"' in text for key in keys)
    )


def role_of(path: PurePosixPath) -> Role:
    """Return the role of a file: copies of a message or record are not read."""
    return Role.MEMORY if _ONCE.fullmatch(str(path)) else Role.DOCUMENT


def parse(text: str) -> TeamFile:
    """Return the message, agent or reservation of any text; it never fails."""
    head = _HEAD.match(text)
    if not head and not text.lstrip("\ufeff").startswith("{"):
        return TeamFile(text, (), Stated())
    try:
        held = parse_json(head[1] if head else text)
    except FormatError as error:
        problem = Problem(error.code, error.line + bool(head), error.parameters)
        return TeamFile(text, (), Stated(), problems=(problem,))
    held = held if isinstance(held, dict) else {}
    lines = Lines(1, max(1, text.rstrip().count("\n") + 1))
    if head:
        body, above = text[head.end() :], text.count("\n", 0, head.end())
        part = _message(held, body.strip(), lines)
        stated = find_stated(body, line=above)
        return TeamFile(text, (), stated, _text(held, "subject"), parts=(part,))
    if "program" not in held and (pattern := _text(held, "path_pattern")):
        part = _reservation(held, pattern, lines)
        return TeamFile(text, (), Stated(), pattern, parts=(part,))
    name, task = _text(held, "name"), _text(held, "task_description")
    agents = (Agent(name, lines, task),) if name else ()
    return TeamFile(text, (), Stated(), name, agents)


def _message(held: dict[str, Any], body: str, lines: Lines) -> Entry:
    """Return a message as an entry of its sender: its readers, its thread, its text."""
    sender, to = _text(held, "from"), held.get("to")
    names = ", ".join(map(str, to)) if isinstance(to, list) else ""
    thread = _text(held, "thread_id")
    facts = (names and f"To {names}", thread and f"Thread {thread}")
    text = "\n\n".join(filter(None, ("; ".join(filter(None, facts)), body)))
    title = ": ".join(filter(None, (sender, _text(held, "subject"))))
    at = parse_timestamp(_text(held, "created"))
    return Entry(title, text, lines, Time(at), agent=sender, kind="entry")


def _reservation(held: dict[str, Any], pattern: str, lines: Lines) -> Entry:
    """Return a reservation as an entry of the agent that made it."""
    agent = _text(held, "agent")
    title = f"{agent} reserved {pattern}".strip()
    at = parse_timestamp(_text(held, "created_ts"))
    reason = _text(held, "reason")
    return Entry(title, reason, lines, Time(at), agent=agent, kind="entry")


def _text(held: dict[str, Any], key: str) -> str:
    said = held.get(key)
    return " ".join(said[:_LONGEST].split()) if isinstance(said, str) else ""


DIALECT = Dialect(
    name="agent_mail",
    title=gettext_noop("Mail between agents"),
    kind=gettext_noop("agent mail"),
    order=25,
    matches=matches,
    parse=parse,
    is_data=True,
    scanned=r"projects/[^/]+/"
    r"(?:agents/[^/]+/profile\.json|file_reservations/id-\d+\.json)",
    in_place=is_in_archive,
    role=role_of,
    declares_agents=True,
    is_read_only=True,
    is_found=True,
    in_rows=always,
)
