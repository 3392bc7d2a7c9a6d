"""HTTP client of a simulated agent, with a ledger on disk that survives a kill.

A change is in the ledger before it is sent. Where no answer came, because the server
or the agent died, the same call is made again with the same key until there is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Any

Fields = dict[str, Any]

#: How long a server may be away, in seconds.
_PATIENCE = 300.0
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Call:
    """Something that was asked for; `status` is 0 until an answer came.

    Times are of the clock that all processes of a machine share.
    """

    actor: str
    key: str
    tool: str
    request: Fields
    started: float
    ended: float = 0.0
    status: int = 0
    answer: Fields = field(default_factory=dict)
    #: The workspace that was asked.
    slug: str = ""

    @property
    def accepted(self) -> bool:
        return self.status == 200

    @property
    def action(self) -> str:
        """A request to change the state of an existing handoff."""
        return str(self.request.get("action", ""))

    @property
    def sends(self) -> bool:
        """Whether it makes a handoff."""
        return self.tool == "handoff_send" or self.action == "hand_off_again"

    @property
    def code(self) -> str:
        """Why it was refused; empty where it was not."""
        return "" if self.accepted else str(self.answer.get("code", ""))

    @property
    def is_read(self) -> bool:
        return not self.key


class Ledger:
    """The calls of one agent, in its order, whichever of its processes made them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.calls: dict[str, Call] = {}
        self.reads: list[Call] = []
        self.untrue: list[str] = []
        self.starts = 0
        #: Task, verb, actor and reason of each step that its inbox gave it.
        self.heard: list[tuple[str, str, str, str]] = []
        self.cursor = ""
        #: How many handoffs it has sent.
        self.sent = 0
        for said in _lines(path):
            self._take(said)

    @property
    def cut_off(self) -> Call | None:
        """The call that an earlier process died in."""
        return next((call for call in self.calls.values() if not call.status), None)

    @property
    def name(self) -> str:
        """The agent whose calls it has."""
        return self._path.stem

    def begin(self) -> None:
        """Note that a process begins to work."""
        self._put({"begin": True})

    def note(self, call: Call) -> None:
        """Keep a call, or its answer."""
        self._put(asdict(call))

    def hear(self, news: list[tuple[str, str, str, str]], cursor: str) -> None:
        """Note the news of an inbox, and where the next begin."""
        self._put({"heard": news, "cursor": cursor})

    def accuse(self, violation: str) -> None:
        """Record an impossible answer."""
        self._put({"untrue": violation})

    def _put(self, said: Fields) -> None:
        with self._path.open("a") as file:
            file.write(f"{json.dumps(said)}\n")
        self._take(said)

    def _take(self, said: Fields) -> None:
        if "untrue" in said:
            self.untrue.append(said["untrue"])
        elif "begin" in said:
            self.starts += 1
        elif "heard" in said:
            self.heard += [tuple(news) for news in said["heard"]]
            self.cursor = said["cursor"]
        else:
            call = Call(**said)
            if call.is_read:
                self.reads.append(call)
            else:
                self.calls[call.key] = call
                self.sent += call.accepted and call.sends


def _lines(path: Path) -> Iterator[Fields]:
    """Yield the entries of a ledger; skip a last line cut off by a kill."""
    said = path.read_text() if path.exists() else ""
    for line in said.split("\n")[:-1]:
        yield json.loads(line)


class Client:
    """One agent's connection to a workspace of a hub, kept open between calls."""

    def __init__(
        self, port: int, slug: str, agent: str, ledger: Ledger, token: str = ""
    ) -> None:
        self._token = token
        self._port, self._slug, self._agent = port, slug, agent
        self._ledger = ledger
        self._open: HTTPConnection | None = None
        self._beside: HTTPConnection | None = None

    def close(self) -> None:
        """Close its connections."""
        for connection in (self._open, self._beside):
            if connection is not None:
                connection.close()

    def listed(self, **request: Any) -> list[Fields]:
        """Return the handoffs of a list."""
        rows: list[Fields] = self._asked_for("handoff_list", request)["handoffs"]
        return rows

    def inbox(self, since: str) -> Fields:
        """Return the news of the agent since a cursor."""
        return self._asked_for("handoff_inbox", {"since": since})

    def _asked_for(self, tool: str, request: Fields) -> Fields:
        """Call a read-only tool; retry while the hub is busy (503).

        Raises:
            RuntimeError: any other refusal: an agent that took it for an empty answer
                would go home while there is work for it.
        """
        end = monotonic() + _PATIENCE
        while True:
            call = self._call("", tool, request)
            status, answer = self._answer(call)
            self._ledger.note(replace(call, ended=monotonic(), status=status))
            if status == 200:
                return answer
            if status != 503 or monotonic() > end:
                raise RuntimeError(f"{tool} was answered {status}: {answer}")
            sleep(_PAUSE)

    def change(self, tool: str, request: Fields, *, twice: bool = False) -> Call:
        """Return a change with its answer; `twice` sends it two times at once.

        Both are one call, so that two answers to it are a violation.
        """
        call = self.begun(tool, request)
        if not twice:
            return self.finish(call)
        beside = self.send_only(call)
        done = self.finish(call)
        other = self._heard(beside, call)
        if other != done.status:
            statuses = f"{done.status} and {other}"
            self._ledger.accuse(f"answer-untrue: {call.key} was answered {statuses}")
        return done

    def begun(self, tool: str, request: Fields) -> Call:
        """Note a change that is about to be sent."""
        call = self._call(self.next_key(), tool, request)
        self._ledger.note(call)
        return call

    def _call(self, key: str, tool: str, request: Fields) -> Call:
        return Call(self._agent, key, tool, request, monotonic(), slug=self._slug)

    def next_key(self) -> str:
        """Return the key of the next change, which no text has another of inside."""
        return f"{self._agent}-{len(self._ledger.calls):05d}"

    def finish(self, call: Call) -> Call:
        """Return a change with its answer, sent as often as it takes to get one."""
        status, answer = self._answer(call)
        done = replace(call, ended=monotonic(), status=status, answer=answer)
        self._ledger.note(done)
        return done

    def _heard(self, connection: HTTPConnection, call: Call) -> int:
        """Return the status that a connection answers a change, or another try."""
        try:
            status, _ = self._read(connection)
        except (OSError, HTTPException):
            status, _ = self._answer(call)
        return status

    def send_only(self, call: Call) -> HTTPConnection:
        """Send a change over another connection, and do not wait for its answer."""
        self._beside = HTTPConnection("localhost", self._port, timeout=30)
        with suppress(OSError):
            self._send(self._beside, call)
        return self._beside

    def record_page(self, cursor: str) -> tuple[list[Fields], str | None]:
        """Return a page of the records of handoffs, and where the next begins.

        A hub that cannot tell has none.
        """
        address = f"/api/v1/workspaces/{self._slug}/handoffs?cursor={cursor}"
        connection = self._connection()
        connection.request("GET", address, headers=self._headers(""))
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            return [], None
        said = json.loads(body)
        return said["data"], said["next"]

    def alarms(self) -> list[Fields] | None:
        """Return the alarms of the workspace; None if the hub cannot tell."""
        connection = self._connection()
        address = f"/api/v1/workspaces/{self._slug}/alarms"
        try:
            connection.request("GET", address, headers=self._headers(""))
            response = connection.getresponse()
            body = response.read()
        except (OSError, HTTPException):
            self.close()
            self._open = None
            return None
        rows: list[Fields] | None = None
        if response.status == 200:
            rows = json.loads(body)["data"]
        return rows

    def _answer(self, call: Call) -> tuple[int, Fields]:
        end = monotonic() + _PATIENCE
        while True:
            try:
                return self._asked(call)
            except (OSError, HTTPException):
                self.close()
                self._open = None
                if monotonic() > end:
                    raise
                sleep(_PAUSE)

    def _asked(self, call: Call) -> tuple[int, Fields]:
        connection = self._connection()
        self._send(connection, call)
        return self._read(connection)

    def _send(self, connection: HTTPConnection, call: Call) -> None:
        address = f"/api/v1/workspaces/{self._slug}/tools/{call.tool}"
        body = json.dumps(call.request)
        connection.request("POST", address, body, self._headers(call.key))

    def _read(self, connection: HTTPConnection) -> tuple[int, Fields]:
        """Return the status and the JSON body of an answer."""
        return _read(connection)

    def _headers(self, key: str) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "MemoryHub-Agent": self._agent,
        }
        return headers | ({"Idempotency-Key": key} if key else {})

    def _connection(self) -> HTTPConnection:
        if self._open is None:
            self._open = HTTPConnection("localhost", self._port, timeout=30)
        return self._open


def _read(connection: HTTPConnection) -> tuple[int, Fields]:
    """Return the status and the JSON body of an answer."""
    response = connection.getresponse()
    body = response.read()
    try:
        said = json.loads(body)
    except ValueError:
        return response.status, {"code": "not-json"}
    return response.status, said.get("data") or said["error"]
