"""The second process that makes pages while many are asked for."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import uvloop
from django.conf import settings

from memoryhub.runtime.asgi_messages import Scope
from memoryhub.runtime.serving import page_process
from memoryhub.runtime.serving.page_process import PageProcess, Pressure
from tests.browser.hub import cookie_of, running_hub
from tests.waiting import wait_for

PAGES = ("/w/small/", "/w/small/timeline/", "/w/small/files/", "/w/small/health/")


def page_scope(hub: str, path: str, cookie: str = "") -> Scope:
    host, _, port = urlsplit(hub).netloc.partition(":")
    headers = [(b"host", f"{host}:{port}".encode())]
    headers += [(b"cookie", (cookie or cookie_of(hub)).encode())]
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "http_version": "1.1",
        "headers": headers,
        "client": (host, 1),
        "server": (host, int(port)),
    }


def page_of(hub: str, path: str) -> tuple[int, bytes]:
    with urlopen(Request(hub + path, headers={"Cookie": cookie_of(hub)})) as answer:
        return answer.status, answer.read()


def processes_of(hub_folder: Path) -> list[int]:
    """Return the ids of the processes that make pages of the hub in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if b"page_worker" in command and str(hub_folder).encode() in environment:
            found.append(int(process.name))
    return found


def is_one_ready(
    hub: str, folder: Path, pages: Sequence[str] = PAGES
) -> Callable[[], bool]:
    """Return whether pages come from the second process; asks for many each time."""

    def look() -> bool:
        with ThreadPoolExecutor(12) as pool:
            answers = pool.map(lambda path: page_of(hub, path), [*pages] * 3)
        assert {status for status, _ in answers} == {200}
        return len(processes_of(folder)) == 1

    return look


def test_many_pages_are_pressure_and_those_of_one_person_are_not() -> None:
    slow, quick = Pressure(), Pressure()

    assert not any(slow.note({}) for _ in range(7))
    assert [quick.note({}) for _ in range(9)][-2:] == [True, True]


def test_the_process_answers_as_the_server_does_and_may_be_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "small/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    with running_hub(tmp_path, [tmp_path / "small"]) as hub:
        monkeypatch.setenv("MEMORYHUB_DATA", str(tmp_path / "data"))
        heads, bodies = asyncio.run(answers_around_a_kill(hub))
        _, body = page_of(hub, PAGES[2])

    assert [head and head["status"] for head in heads] == [200, 404, None]
    assert b"2026-11-20.md" in bodies[0] and b"2026-11-20.md" in body
    assert (b"content-type", b"text/html; charset=utf-8") in heads[0]["headers"]


async def answers_around_a_kill(hub: str) -> tuple[list[Any], list[bytes]]:
    """Return the answers to a page, to none, and to a page after a kill."""
    process = PageProcess()
    process.start([page_scope(hub, PAGES[0])])
    async with asyncio.timeout(60):
        while not process.is_ready:
            await asyncio.sleep(0.05)
    heads: list[Any] = []
    bodies = []
    for path in (PAGES[2], "/w/small/none", PAGES[2]):
        if len(heads) == 2:
            os.kill(process.pid, signal.SIGKILL)
        body = BytesIO()
        heads.append(await process.answer(page_scope(hub, path), {}, body))
        bodies.append(body.getvalue())
    assert not process.is_ready
    await noticed_end(process)
    return heads, bodies


def test_a_server_goes_on_when_the_process_is_killed_and_ends_it_at_its_own_end(
    tmp_path: Path,
) -> None:
    memory = tmp_path / "small/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    with running_hub(tmp_path, [tmp_path / "small"]) as hub:
        wait_for(is_one_ready(hub, tmp_path))
        (process,) = processes_of(tmp_path)
        os.kill(process, signal.SIGKILL)
        pages = [page_of(hub, path) for path in PAGES * 3]

    assert [status for status, _ in pages] == [200] * len(pages)
    wait_for(lambda: not processes_of(tmp_path))


def test_pages_come_from_the_server_when_the_process_hangs_and_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "small/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    monkeypatch.setattr(page_process, "_PATIENCE", 0.5)
    monkeypatch.setattr(settings, "MEMORYHUB_PAGE_SECONDS", 0)
    with running_hub(tmp_path, [tmp_path / "small"]) as hub:
        monkeypatch.setenv("MEMORYHUB_DATA", str(tmp_path / "data"))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            heads = runner.run(answers_of_a_stopped_process(hub))

    assert heads == [None] * 6


async def answers_of_a_stopped_process(hub: str) -> list[Any]:
    """Return the answers to more pages than it has threads."""
    process = PageProcess()
    process.start([page_scope(hub, PAGES[0])])
    async with asyncio.timeout(60):
        while not process.is_ready:
            await asyncio.sleep(0.05)
    os.kill(process.pid, signal.SIGSTOP)
    pages = (process.answer(page_scope(hub, PAGES[2]), {}, BytesIO()) for _ in range(6))
    async with asyncio.timeout(60):
        heads = await asyncio.gather(*pages)
        await noticed_end(process)
    assert not Path(f"/proc/{process.pid}").exists()
    return heads


#: A process that never answers what is asked at "/slow".
_NEVER_FOR_ONE = """
import socket, sys, threading
from memoryhub.runtime.serving.page_worker import _read, _write
def serve(number):
    stream = socket.socket(fileno=int(number)).makefile("rwb")
    _write(stream, b"")
    while b'"/slow"' not in _read(stream):
        _write(stream, b'[200, []]')
        _write(stream, b"")
    stream.read()
for number in sys.argv[1].split(","):
    threading.Thread(target=serve, args=(number,)).start()
"""


def test_a_page_that_takes_too_long_ends_no_process_that_answers_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_process, "_PROGRAM", _NEVER_FOR_ONE)
    monkeypatch.setattr(page_process, "_PATIENCE", 1.0)
    monkeypatch.setattr(settings, "MEMORYHUB_PAGE_SECONDS", 0)

    assert asyncio.run(answers_beside_a_slow_one()) == [None, *[200] * 9, None]


async def answers_beside_a_slow_one() -> list[int | None]:
    """Return answers to slow pages and others: the last one with nothing beside it."""
    hub = "http://127.0.0.1:9"
    scope, other = (page_scope(hub, path, "none") for path in ("/slow", "/other"))
    process = PageProcess()
    pid = await started(process, [])
    slow = asyncio.ensure_future(process.answer(scope, {}, BytesIO()))
    heads = []
    while not slow.done():
        heads.append(await process.answer(other, {}, BytesIO()))
        await asyncio.sleep(0.01)
    found = [await slow, *heads[:5]]
    found += [await process.answer(other, {}, BytesIO()) for _ in range(4)]
    assert process.is_ready and process.pid == pid
    found.append(await process.answer(scope, {}, BytesIO()))
    assert not process.is_ready
    await noticed_end(process)
    return [head and head["status"] for head in found]


def test_a_late_failure_of_an_ended_process_leaves_the_next_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "small/memory"
    memory.mkdir(parents=True)
    (memory / "2026-11-20.md").write_text("# 2026-11-20\n\n- a note about ports\n")
    monkeypatch.setattr(page_process, "_PAUSE", 0.0)
    with running_hub(tmp_path, [tmp_path / "small"]) as hub:
        monkeypatch.setenv("MEMORYHUB_DATA", str(tmp_path / "data"))
        heads, made = asyncio.run(answers_of_two_processes(hub))

    assert heads == [None] * 6
    assert len(set(made)) == 2 and made[1] == made[2] != 0


async def answers_of_two_processes(hub: str) -> tuple[list[Any], list[int]]:
    """Return answers that an ended process owes while the next one starts.

    And the ids of the processes: the ended one, the next, that after another start.
    """
    process = PageProcess()
    first = [page_scope(hub, PAGES[0])]
    made = [await started(process, first)]
    os.kill(process.pid, signal.SIGSTOP)
    owed = [
        asyncio.ensure_future(process.answer(page_scope(hub, path), {}, BytesIO()))
        for path in (*PAGES, *PAGES[:2])
    ]
    await asyncio.sleep(0)
    process.close()
    made.append(await started(process, first))
    async with asyncio.timeout(60):
        heads = await asyncio.gather(*owed)
    made.append(await started(process, first))
    head = await process.answer(page_scope(hub, PAGES[2]), {}, BytesIO())
    assert head and head["status"] == 200
    process.close()
    await noticed_end(process)
    return heads, made


async def started(process: PageProcess, first: Sequence[Scope]) -> int:
    """Start a process, unless one runs; return its id once it is ready."""
    process.start(first)
    async with asyncio.timeout(60):
        while not process.is_ready:
            await asyncio.sleep(0.05)
    return process.pid


async def noticed_end(process: PageProcess) -> None:
    """Wait until the loop has noticed the end of the process, and closed its pipes."""
    assert process._process is not None
    await process._process.wait()
    await asyncio.sleep(0.05)
