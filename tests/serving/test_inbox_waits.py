"""Agents that wait for their inbox at a real server: who hears what, and how soon."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings

from memoryhub.errors.base import ToolError
from memoryhub.runtime.inbox_watch import InboxWatch
from memoryhub.runtime.live import live_stream
from tests.browser.hub import local_token_of, manage, running_hub

AGENTS = [f"agent-{number:02d}" for number in range(20)]
ROLES = "# AGENTS\n\n## Roles\n\n" + "".join(f"- **{n}**: Works\n" for n in AGENTS)
TASK = {"type": "read_only", "context": "Look at the door", "input": "src/door.py"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("waiting")


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    (folder / "crew").mkdir()
    (folder / "crew/AGENTS.md").write_text(ROLES)
    with running_hub(folder, [folder / "crew"], watch=True) as address:
        yield address


@contextmanager
def asked(
    hub: str, address: str, agent: str, token: str = "", **headers: str
) -> Iterator[HTTPResponse]:
    """Give the answer to a GET by an agent."""
    known = {"Authorization": f"Bearer {token or local_token_of(hub)}"}
    named = {} if token else {"MemoryHub-Agent": agent}
    with closing(HTTPConnection(urlsplit(hub).netloc, timeout=60)) as connection:
        connection.request("GET", address, headers={**known, **named, **headers})
        yield connection.getresponse()


def inbox(hub: str, agent: str, **query: object) -> dict[str, Any]:
    address = f"/api/v1/workspaces/crew/inbox?{urlencode(query)}"
    with asked(hub, address, agent) as answer:
        found = json.load(answer)
        assert answer.status == 200, found
    data: dict[str, Any] = found["data"]
    return data


def tool(hub: str, agent: str, name: str, fields: Mapping[str, object]) -> Any:
    headers = {
        "Authorization": f"Bearer {local_token_of(hub)}",
        "MemoryHub-Agent": agent,
        "Content-Type": "application/json",
    }
    with closing(HTTPConnection(urlsplit(hub).netloc, timeout=60)) as connection:
        address = f"/api/v1/workspaces/crew/tools/{name}"
        connection.request("POST", address, json.dumps(fields), headers)
        answer = connection.getresponse()
        found = json.load(answer)
        assert answer.status == 200, found
        return found["data"]


def test_twenty_agents_wait_and_each_hears_of_its_task(hub: str) -> None:
    since = {name: inbox(hub, name)["cursor"] for name in AGENTS}
    with ThreadPoolExecutor(len(AGENTS)) as pool:
        waits = {
            name: pool.submit(inbox, hub, name, since=since[name], wait=50)
            for name in AGENTS
        }
        time.sleep(1)
        assert not any(wait.done() for wait in waits.values())
        for name in AGENTS:
            tool(hub, "planner", "handoff_send", {"to": name, **TASK})
        told = {name: wait.result() for name, wait in waits.items()}

    for name in AGENTS:
        (news,) = told[name]["news"]
        assert (news["kind"], news["recipient"]) == ("task", name)


def test_pages_answer_while_agents_wait(hub: str) -> None:
    since = {name: inbox(hub, name)["cursor"] for name in AGENTS}
    with ThreadPoolExecutor(len(AGENTS)) as pool:
        waits = [
            pool.submit(inbox, hub, name, since=since[name], wait=50) for name in AGENTS
        ]
        time.sleep(0.5)
        with asked(hub, "/api/v1/workspaces/crew/topics", "planner") as answer:
            assert answer.status == 200
        assert not any(wait.done() for wait in waits)
        for name in AGENTS:
            tool(hub, "planner", "handoff_send", {"to": name, **TASK})
        assert all(wait.result()["news"] for wait in waits)


def test_a_wait_without_news_ends_with_the_same_cursor(hub: str) -> None:
    since = inbox(hub, "scout")["cursor"]

    told = inbox(hub, "scout", since=since, wait=1)

    assert (told["news"], told["cursor"]) == ([], since)


def test_a_file_that_an_agent_writes_wakes_the_recipient(
    hub: str, folder: Path
) -> None:
    since = inbox(hub, "agent-03")["cursor"]
    text = (
        "<task>\n<from>pen</from>\n<to>agent-03</to>\n<task_id>pen-1</task_id>\n"
        "<type>read_only</type>\n<context>By hand</context>\n<input>x</input>\n"
        "</task>\n"
    )
    with ThreadPoolExecutor(1) as pool:
        wait = pool.submit(inbox, hub, "agent-03", since=since, wait=50)
        time.sleep(0.5)
        place = folder / "crew/memory/handoffs"
        place.mkdir(parents=True, exist_ok=True)
        (place / "pen-1.md").write_text(text)
        told = wait.result()

    assert [news["task_id"] for news in told["news"]] == ["pen-1"]


def test_a_stream_gives_an_event_per_news_and_goes_on_from_its_id(hub: str) -> None:
    since = inbox(hub, "agent-05")["cursor"]
    place = "/api/v1/workspaces/crew/inbox/stream"
    with asked(hub, place, "agent-05", **{"Last-Event-ID": since}) as stream:
        assert stream.getheader("Content-Type", "").startswith("text/event-stream")
        first = event_of(stream)
        sent = tool(hub, "planner", "handoff_send", {"to": "agent-05", **TASK})
        second = event_of(stream)

    assert first["news"] == []
    assert [news["task_id"] for news in second["news"]] == [sent["task_id"]]
    assert inbox(hub, "agent-05", since=second["cursor"])["news"] == []


def event_of(stream: HTTPResponse) -> dict[str, Any]:
    """Return the data of the next event of a stream."""
    for line in iter(stream.readline, b""):
        if line.startswith(b"data: "):
            data: dict[str, Any] = json.loads(line.removeprefix(b"data: "))
            return data
    raise AssertionError("the stream ended")


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("wait=99", 422, "request-invalid"),
        ("wait=x", 422, "request-invalid"),
        ("wait=1&since=x", 404, "cursor-invalid"),
        ("wait=1&surprise=1", 422, "request-invalid"),
    ],
)
def test_what_rest_refuses_is_refused_at_once(
    hub: str, query: str, status: int, code: str
) -> None:
    with asked(hub, f"/api/v1/workspaces/crew/inbox?{query}", "scout") as answer:
        assert (answer.status, json.load(answer)["error"]["code"]) == (status, code)


def test_a_token_hears_only_of_its_own_agent(hub: str, folder: Path) -> None:
    line = ["token", "make", "agent-01", "--workspace", "crew", "--scope", "read"]
    token = manage(folder, *line).strip()
    place = "/api/v1/workspaces/crew/inbox"
    with asked(hub, f"{place}?wait=1&agent=agent-02", "", token) as other:
        assert (other.status, json.load(other)["error"]["code"]) == (403, "agent-other")
    with asked(hub, f"{place}/stream", "", "mhub_nothing") as stranger:
        assert stranger.status == 401


def test_waits_of_one_token_have_a_limit_however_it_is_written(
    hub: str, folder: Path
) -> None:
    line = ["token", "make", "agent-08", "--workspace", "crew", "--scope", "read"]
    token = manage(folder, *line).strip()
    place = "/api/v1/workspaces/crew/inbox/stream"
    kinds = ("Bearer ", "bearer ", "BEARER   ")
    statuses = []
    with ExitStack() as opened:
        for number in range(101):
            written = {"Authorization": f"{kinds[number % 3]}{token}"}
            one = opened.enter_context(asked(hub, place, "", token, **written))
            statuses.append(one.status)

    assert statuses == [200] * 100 + [429]


def test_the_waits_of_all_tokens_leave_connections_for_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "MEMORYHUB_MAX_CONNECTIONS", 31)
    watch = InboxWatch(live_stream())
    with ExitStack() as opened:
        for number in range(10):
            opened.enter_context(watch.admitted(f"mhub_{number}"))
        with pytest.raises(ToolError, match="too-many-waits"):
            opened.enter_context(watch.admitted("mhub_next"))

    with watch.admitted("mhub_next"):
        pass
