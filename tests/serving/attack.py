"""What clients that mean harm do to a hub, all at once, while a page is measured."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from tests.serving.clients import connected, head, known_to, open_clients

SEARCH = "/api/v1/workspaces/small/tools/memory_search"
#: Words that are nowhere, as a page of another site may ask for them.
WORDS = quote(" ".join(f"wq{number}zz" for number in range(140)))
#: The state of a listening socket in /proc/net/tcp.
_LISTENS = "0A"
_OTHER_SITE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}


@cache
def _keys() -> bytes:
    """Return a request of 600,000 keys."""
    return json.dumps({"query": "x", **{f"k{n}": 1 for n in range(600_000)}}).encode()


def process_of(hub: str) -> int:
    """Return the process that listens at the address of a hub."""
    port = f":{urlsplit(hub).port:04X}"
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[9] for row in rows if row[1].endswith(port) and row[3] == _LISTENS}
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if str(opened.readlink())[len("socket:[") : -1] in listening:
                return int(opened.parts[2])
    raise LookupError(hub)


def memory_of(process: int, name: str = "VmRSS") -> float:
    """Return the memory of a process in megabytes, `VmHWM` the most it ever had."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    raise LookupError(name)


class Attack:
    """Requests that are sent again and again, and connections that are kept open.

    It is a process of its own, so that it takes no time of those that measure.
    """

    def __init__(self, hub: str, *, heads: int = 900, stalled: int = 4) -> None:
        self._hub = hub
        self._heads, self._stalled = heads, stalled
        self._keys = _keys()
        forked = multiprocessing.get_context("fork")
        self._begun, self._over = forked.Event(), forked.Event()
        self._process = forked.Process(target=self._run, daemon=True)

    def __enter__(self) -> Attack:
        self._process.start()
        assert self._begun.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._process.join(60)

    def _run(self) -> None:
        kind = "Content-Type: application/json"
        half = head(self._hub, "GET /healthz")[:-2]
        begun = head(self._hub, f"POST {SEARCH}", kind, "Content-Length: 100") + b"{}"
        acts: list[Callable[[], None]] = [
            lambda: self._ask(SEARCH, self._keys, {"Content-Type": "application/json"}),
            lambda: self._ask(f"/w/small/search/?q={WORDS}"),
            *[lambda: self._ask("/w/small/export/download/", None, _OTHER_SITE)] * 6,
        ]
        with (
            open_clients(self._hub, self._heads, half),
            open_clients(self._hub, self._stalled, begun),
            ThreadPoolExecutor(len(acts)) as pool,
        ):
            asking = [pool.submit(self._again, act) for act in acts]
            self._begun.set()
            for asked in asking:
                asked.result()

    def _again(self, act: Callable[[], None]) -> None:
        while not self._over.is_set():
            act()
            # The processors are few, and shared with the hub that is measured.
            self._over.wait(0.25)

    def _ask(
        self, path: str, body: bytes | None = None, more: dict[str, str] | None = None
    ) -> None:
        asked = Request(self._hub + path, body, {**known_to(self._hub), **(more or {})})
        with suppress(URLError, OSError), urlopen(asked, timeout=60) as answer:
            answer.read()


class Visitor:
    """A person who looks at one page again and again, on one connection."""

    def __init__(self, hub: str, path: str = "/w/small/") -> None:
        self._client = connected(hub)
        self._asked = head(hub, f"GET {path}")

    def look(self) -> None:
        """Ask for the page; it has to be given."""
        self._client.sendall(self._asked)
        found = b""
        while not _is_whole(found):
            part = self._client.recv(262_144)
            assert part, found[:200]
            found += part
        assert found.startswith(b"HTTP/1.1 200"), found[:200]

    def close(self) -> None:
        self._client.close()


def _is_whole(answer: bytes) -> bool:
    start, _, body = answer.partition(b"\r\n\r\n")
    _, _, length = start.lower().partition(b"content-length: ")
    return bool(length) and len(body) >= int(length.split(b"\r\n")[0])
