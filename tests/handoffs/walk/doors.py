"""The doors of the walk: REST, MCP, the command line, pages, and the files."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from django.core.management import CommandError, call_command
from mcp.client import Client as McpClient

from memoryhub.mcp.connections import Connection
from memoryhub.mcp.server import KEY_META, hub_server
from memoryhub.mcp.tools import ERROR_META
from memoryhub.people.access import Access
from memoryhub.tools.calling import CallerOptions
from tests.handoffs.walk.world import STATES, Line
from tests.signing import own_program, signed_in

Fields = Mapping[str, Any]
_CARD = re.compile(r'<span class="mono trunc">(\S+)</span>')
_COUNT = re.compile(r'<span class="count">(\d+)')
_UNREAD = re.compile(r"(\d+) messages? (?:is|are) unread")
_COLUMN = re.compile(r'id="c-(\w+)">')
_LOG_LINE = re.compile(
    r"- (?:(\d\S+Z) |[\d-]+ )?([^:]+): "
    rf"({'|'.join(sorted(STATES, key=len, reverse=True))})(?: (\S+))??(?: -- (.*))?"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The fields of an answer, or the code of a refusal."""

    fields: Fields
    code: str = ""


Door = Callable[[str, str, Fields, str], Answer]


class Doors:
    """Every way to a workspace; each answers a tool call of an agent."""

    def __init__(self, slug: str, root: Path, mcp: Door) -> None:
        self.slug, self.root = slug, root
        self._program, self._browser = own_program(), signed_in()
        self.by_name: Mapping[str, Door] = {
            "rest": self._rest, "mcp": mcp, "cli": self._command,
        }  # fmt: skip

    def _rest(self, agent: str, tool: str, fields: Fields, key: str = "") -> Answer:
        said = {"memoryhub-agent": agent.encode().decode("latin-1")} if agent else {}
        answer = self._program.post(
            f"/api/v1/workspaces/{self.slug}/tools/{tool}",
            json.dumps(fields),
            "application/json",
            headers=said | ({"idempotency-key": key} if key else {}),
        )
        body = answer.json()
        return Answer(body["data"]) if "data" in body else _refused(body)

    def _command(self, agent: str, tool: str, fields: Fields, key: str = "") -> Answer:
        told = {"workspace": self.slug, "agent": agent, "key": key}
        options = [f"--{name}={value}" for name, value in told.items() if value]
        out = io.StringIO()
        line = ["tool", tool, f"--request={json.dumps(fields)}", *options, "--json"]
        try:
            call_command(*line, stdout=out)
        except CommandError:
            return _refused(json.loads(out.getvalue()))
        return Answer(json.loads(out.getvalue()))

    def get(self, path: str) -> list[dict[str, Any]]:
        """Return every row of a list of the API."""
        rows, cursor = list[dict[str, Any]](), ""
        while True:
            url = f"/api/v1/workspaces/{self.slug}/{path}?cursor={cursor}"
            body = self._program.get(url.removesuffix("?cursor=")).json()
            rows += body["data"]
            cursor = body.get("next") or ""
            if not cursor:
                return rows

    def record(self, task_id: str) -> dict[str, Any]:
        """Return one handoff of the API."""
        url = f"/api/v1/workspaces/{self.slug}/handoffs/{task_id}"
        found: dict[str, Any] = self._program.get(url).json()["data"]
        return found

    def unread(self) -> int:
        """Return how many messages the inbox of people says are unread."""
        page = self._browser.get(f"/w/{self.slug}/inbox/").content.decode()
        found = _UNREAD.search(page)
        return int(found[1]) if found else 0

    def board(self) -> dict[str, tuple[int, list[str]]]:
        """Return the count of each column of the board, and the ids on its cards."""
        page = self._browser.get(f"/w/{self.slug}/handoffs/").content.decode()
        parts = _COLUMN.split(page)[1:]
        columns = zip(parts[::2], parts[1::2], strict=True)
        return {
            name: (int(_COUNT.findall(part)[0]), _CARD.findall(part))
            for name, part in columns
        }

    def press(self, code: str, action: str, base: str, reason: str = "") -> int:
        """Send a form of a handoff's page as the person; return the answer's status."""
        url = f"/w/{self.slug}/handoffs/{code}/{action}/"
        values = {"base": base, "reason": reason}
        return self._browser.post(url, values).status_code

    def file(self, task_id: str) -> Path:
        return self.root / "memory/handoffs" / f"{task_id}.md"


def _refused(body: Fields) -> Answer:
    return Answer(body["error"], body["error"]["code"])


@contextmanager
def mcp_door(slug: str) -> Iterator[Door]:
    """Give a client of the protocol that stays connected."""
    server = hub_server(lambda context: Connection(CallerOptions(), Access()))
    with start_blocking_portal() as portal:
        client = McpClient(server, mode="legacy")
        with portal.wrap_async_context_manager(client) as open_client:

            def ask(agent: str, tool: str, fields: Fields, key: str = "") -> Answer:
                said = {"workspace": slug} | ({"agent": agent} if agent else {})
                meta: Any = {KEY_META: key}
                given = portal.call(
                    lambda: open_client.call_tool(tool, {**said, **fields}, meta=meta)
                )
                if given.is_error:
                    return _refused({"error": (given.meta or {})[ERROR_META]})
                assert isinstance(given.structured_content, dict)
                return Answer(given.structured_content)

            yield ask


def log_in(path: Path) -> list[tuple[str, ...]]:
    """Return the log of a handoff's file: time, actor, verb, object and reason."""
    lines = (_LOG_LINE.fullmatch(line) for line in path.read_text().split("\n"))
    return [tuple(part or "" for part in found.groups()) for found in lines if found]


def as_logged(line: Line) -> tuple[str, ...]:
    at = stamp(line.at) if line.at else ""
    return at, line.actor, line.verb, line.object, line.reason


def written(line: Line) -> str:
    """Return a line of a log as an agent without the hub writes it."""
    what = f"{line.verb} {line.object}".rstrip()
    why = f" -- {line.reason}" if line.reason else ""
    assert line.at is not None
    return f"- {stamp(line.at)} {line.actor}: {what}{why}"


def stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def add_line(path: Path, text: str) -> None:
    """Add a line to a log by hand, below its last one."""
    lines = path.read_text().split("\n")
    last = max(n for n, line in enumerate(lines) if line.startswith("- "))
    path.write_text("\n".join([*lines[: last + 1], text, *lines[last + 1 :]]))
