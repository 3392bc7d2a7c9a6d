"""The live stream, spoken to as an ASGI server speaks to it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memoryhub.runtime.asgi_messages import Message
from memoryhub.runtime.live import LiveStream


class Page:
    """A browser's page that listens to a stream."""

    def __init__(self, stream: LiveStream, query: str = "", **headers: str) -> None:
        named = {"host": "localhost:8765", **headers}
        self.scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": "/live/",
            "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode())
                for name, value in named.items()
            ],
        }
        self.sent: list[Message] = []
        self._stream = stream
        self._leaves = asyncio.Event()

    async def receive(self) -> Message:
        await self._leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    def opens(self) -> asyncio.Task[None]:
        return asyncio.ensure_future(self._stream(self.scope, self.receive, self.send))

    def leaves(self) -> None:
        self._leaves.set()

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def events(self) -> list[tuple[str, dict[str, Any]]]:
        text = b"".join(m.get("body", b"") for m in self.sent).decode()
        found = []
        for block in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if line)
            if "event" in fields:
                found.append((fields["event"], json.loads(fields["data"])))
        return found

    async def hears(self, count: int) -> list[tuple[str, dict[str, Any]]]:
        await until(lambda: len(self.events) >= count)
        return self.events


async def until(happened: Callable[[], bool]) -> None:
    """Return when something has happened, or after a time in which it surely had."""
    for _ in range(12_000):
        if happened():
            break
        await asyncio.sleep(0.005)


def make_workspaces(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN")
    connection.execute(
        "CREATE TABLE workspaces_workspace"
        " (slug TEXT, last_seq INT, checked_at TEXT, removed_at TEXT,"
        " handoff_changes INT)"
    )
    rows = "('a', 5, '09:00', NULL, 0), ('b', 7, NULL, NULL, 0)"
    rows += ", ('~3', 9, NULL, '10:00', 0)"
    connection.execute(f"INSERT INTO workspaces_workspace VALUES {rows}")
    connection.execute("COMMIT")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "hub.sqlite3", isolation_level=None)
    make_workspaces(connection)
    yield connection
    connection.close()


@pytest.fixture
def stream(database: sqlite3.Connection, tmp_path: Path) -> LiveStream:
    place = tmp_path / "hub.sqlite3"
    return LiveStream(place, period=0.005, heartbeat=0.05)


def grow(database: sqlite3.Connection, slug: str) -> None:
    database.execute(
        "UPDATE workspaces_workspace SET last_seq = last_seq + 1 WHERE slug = ?", [slug]
    )


def test_a_page_hears_that_a_journal_has_grown(
    stream: LiveStream, database: sqlite3.Connection
) -> None:
    async def script() -> None:
        page = Page(stream)
        task = page.opens()
        await page.hears(1)
        grow(database, "a")
        changed = {"workspace": "a", "seq": 6, "checked_at": "09:00"}
        assert await page.hears(2) == [("hello", {}), ("changed", changed)]
        page.leaves()
        await asyncio.wait_for(task, 30)

    asyncio.run(script())


def test_a_page_hears_that_a_handoff_of_its_workspace_has_changed_elsewhere(
    stream: LiveStream, database: sqlite3.Connection
) -> None:
    async def script() -> None:
        page = Page(stream, "workspace=a")
        task = page.opens()
        await page.hears(1)
        database.execute(
            "UPDATE workspaces_workspace SET handoff_changes = 1 WHERE slug = 'a'"
        )
        changed = {"workspace": "a", "seq": 5, "checked_at": "09:00"}
        assert await page.hears(2) == [("hello", {}), ("changed", changed)]
        page.leaves()
        await asyncio.wait_for(task, 30)

    asyncio.run(script())


def test_a_look_at_a_folder_is_another_event(
    stream: LiveStream, database: sqlite3.Connection
) -> None:
    async def script() -> None:
        page = Page(stream)
        task = page.opens()
        await page.hears(1)
        database.execute("UPDATE workspaces_workspace SET checked_at = '09:01'")
        assert [name for name, _ in await page.hears(3)][1:] == ["checked"] * 2
        page.leaves()
        await task

    asyncio.run(script())


def test_a_page_of_one_workspace_hears_of_no_other(
    stream: LiveStream, database: sqlite3.Connection
) -> None:
    async def script() -> None:
        page = Page(stream, "workspace=b")
        task = page.opens()
        await page.hears(1)
        grow(database, "a")
        await asyncio.sleep(0.03)
        grow(database, "b")
        assert [data["seq"] for _, data in (await page.hears(2))[1:]] == [8]
        page.leaves()
        await task

    asyncio.run(script())


@pytest.mark.parametrize(
    ("query", "headers", "count"),
    [
        ("workspace=b&after=7", {}, 1),
        ("workspace=b&after=6", {}, 2),
        ("workspace=b", {"last_event_id": "6"}, 2),
        ("", {"last_event_id": "12"}, 1),
        ("after=nonsense", {}, 1),
        ("workspace=unknown&after=1", {}, 1),
    ],
)
def test_a_page_hears_what_it_missed(
    stream: LiveStream, query: str, headers: dict[str, str], count: int
) -> None:
    async def script() -> None:
        page = Page(stream, query, **headers)
        task = page.opens()
        await page.hears(count)
        await asyncio.sleep(0.03)
        assert len(page.events) == count
        page.leaves()
        await task

    asyncio.run(script())


def test_a_quiet_stream_is_kept_open_by_heartbeats(stream: LiveStream) -> None:
    async def script() -> None:
        page = Page(stream)
        task = page.opens()
        beat = {"body": b": \n\n"}
        await until(lambda: sum(beat.items() <= m.items() for m in page.sent) >= 2)
        assert sum(beat.items() <= m.items() for m in page.sent) >= 2
        page.leaves()
        await task

    asyncio.run(script())


def test_closing_ends_every_stream(stream: LiveStream) -> None:
    async def script() -> None:
        pages = [Page(stream), Page(stream)]
        tasks = [page.opens() for page in pages]
        await asyncio.gather(*(page.hears(1) for page in pages))
        stream.close()
        await asyncio.wait_for(asyncio.gather(*tasks), 30)
        assert all(not p.sent[-1].get("more_body") for p in pages)

    asyncio.run(script())


def test_nothing_is_polled_once_the_last_page_has_left(stream: LiveStream) -> None:
    async def script() -> None:
        page = Page(stream)
        task = page.opens()
        await page.hears(1)
        page.leaves()
        await task
        await until(lambda: len(asyncio.all_tasks()) == 1)
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(script())


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"method": "POST"}, 405),
        ({"path": "/live/other/"}, 404),
    ],
)
def test_other_requests_are_refused(
    stream: LiveStream, change: dict[str, Any], status: int
) -> None:
    async def script() -> None:
        page = Page(stream)
        page.scope |= change
        await page.opens()
        assert page.status == status

    asyncio.run(script())


def test_a_database_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    place = tmp_path / "late.sqlite3"
    stream = LiveStream(place, period=0.005)

    async def script() -> None:
        page = Page(stream)
        task = page.opens()
        assert await page.hears(1) == [("hello", {})]
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            make_workspaces(connection)
        assert [name for name, _ in await page.hears(3)][1:] == ["changed"] * 2
        page.leaves()
        await task

    asyncio.run(script())


def test_no_more_pages_listen_than_may(tmp_path: Path) -> None:
    stream = LiveStream(tmp_path / "none.sqlite3", most=2)

    async def script() -> None:
        pages = [Page(stream) for _ in range(3)]
        tasks = [page.opens() for page in pages]
        await until(lambda: all(page.sent for page in pages))
        assert [page.status for page in pages] == [200, 200, 503]
        pages[0].leaves()
        await tasks[0]
        again = Page(stream)
        tasks.append(again.opens())
        await until(lambda: bool(again.sent))
        assert again.status == 200
        stream.close()
        await asyncio.gather(*tasks)

    asyncio.run(script())
