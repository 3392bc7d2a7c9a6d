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

from memoryhub.dialects.agent_team import of_team
from memoryhub.dialects.dialect import Dialect, Role, always, gettext_noop
from memoryhub.dialects.facts import Agent, Document, Entry, dated, whole_lines
from memoryhub.formats.base import NO_PATH, FormatError, Problem
from memoryhub.formats.text.dates import parse_timestamp
from memoryhub.formats.text.javascript import parse_json, text_of
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


def parse(text: str, path: PurePosixPath = NO_PATH) -> Document:
    """Return the message, agent or reservation of any text; it never fails.

    Nobody edits a message: what it asks for is no open item, as it could not be closed.
    """
    head = _HEAD.match(text)
    if not head and not text.lstrip("\ufeff").startswith("{"):
        return of_team(text, path)
    try:
        held = parse_json(head[1] if head else text)
    except FormatError as error:
        problem = Problem(error.code, error.line + bool(head), error.parameters)
        return of_team(text, path, problems=(problem,))
    held = held if isinstance(held, dict) else {}
    if head:
        body, above = text[head.end() :], text.count("\n", 0, head.end())
        stated = find_stated(body, line=above)._replace(open_items=())
        sender, subject = text_of(held, "from"), text_of(held, "subject")
        title = ": ".join(filter(None, (sender, subject)))
        said, created = _message(held, body.strip()), text_of(held, "created")
    elif "program" not in held and (subject := text_of(held, "path_pattern")):
        stated, sender = Stated(), text_of(held, "agent")
        title = f"{sender} reserved {subject}".strip()
        said, created = text_of(held, "reason"), text_of(held, "created_ts")
    else:
        name, task = text_of(held, "name"), text_of(held, "task_description")
        agents = (Agent(name, whole_lines(text), task),) if name else ()
        return of_team(text, path, name, told=agents)
    at = dated(parse_timestamp(created), path)
    part = Entry(title, said, whole_lines(text), at, agent=sender, kind="entry")
    return of_team(text, path, subject, stated=stated, parts=(part,))


def _message(held: dict[str, Any], body: str) -> str:
    """Return a message's readers, its thread and its text."""
    to, thread = held.get("to"), text_of(held, "thread_id")
    names = ", ".join(map(str, to)) if isinstance(to, list) else ""
    facts = filter(None, (names and f"To {names}", thread and f"Thread {thread}"))
    return "\n\n".join(filter(None, ("; ".join(facts), body)))


DIALECT = Dialect(
    title=gettext_noop("Mail between agents"),
    kind=gettext_noop("agent mail"),
    order=25,
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
