"""Memory of a served hub: after a load it has about what it had when warm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from random import Random

import httpx2 as httpx
import pytest

from tests.browser.hub import prepare_hub, serving_hub
from tests.serving.attack import memory_of, process_of
from tests.serving.clients import known_to
from tests.serving.test_page_process import is_one_ready, processes_of
from tests.waiting import wait_for

_WORDS = ("valve", "gauge", "tariff", "ledger", "beacon", "harbor", "cargo", "dock")
_TOOLS = "/api/v1/workspaces/notes/tools"
_READ = (
    *(f"/w/notes/{page}" for page in ("", "timeline/", "decisions/", "open-items/")),
    *("/w/notes/files/memory/2026-10-07.md", "/w/notes/search/?q=valve"),
    *(f"/api/v1/workspaces/notes/{rows}" for rows in ("open-items", "events", "files")),
)
#: Megabytes by which the process may grow, however many have asked at once.
_GROWTH = 50


def words(chance: Random, count: int) -> str:
    return " ".join(chance.choices(_WORDS, k=count))


def notes(folder: Path) -> None:
    chance = Random(1)
    (folder / "notes/memory").mkdir(parents=True)
    for day in range(1, 29):
        parts = [
            f"- Decision: use {words(chance, 6)}\n- [ ] Mend {words(chance, 3)}\n"
            for _ in range(40)
        ]
        text = f"# 2026-10-{day:02}\n\n" + "".join(parts)
        (folder / f"notes/memory/2026-10-{day:02}.md").write_text(text)


def resident(processes: Iterable[int]) -> float:
    """Return the megabytes that processes have now."""
    return sum(memory_of(process) for process in processes)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="measured by /proc")
def test_twelve_clients_at_once_make_the_hub_hardly_larger(tmp_path: Path) -> None:
    """Neither while they ask nor afterwards; the process that makes pages counts."""
    notes(tmp_path)
    prepare_hub(tmp_path, [tmp_path / "notes"])
    with (
        serving_hub(tmp_path) as hub,
        httpx.Client(base_url=hub, headers=known_to(hub), timeout=300) as client,
    ):

        def search(seed: int) -> int:
            query = {"query": words(Random(seed), 3)}
            return client.post(f"{_TOOLS}/memory_search", json=query).status_code

        def append(seed: int) -> int:
            content = {"content": f"- {words(Random(seed), 8)}"}
            return client.post(f"{_TOOLS}/memory_append", json=content).status_code

        def read(seed: int) -> int:
            return client.get(_READ[seed % len(_READ)]).status_code

        def recall(seed: int) -> int:
            call = {"name": "recall", "arguments": {"workspace": "notes"}}
            message = {"jsonrpc": "2.0", "id": seed, "method": "tools/call"}
            return client.post(
                "/mcp",
                json={**message, "params": call},
                headers={"Accept": "application/json, text/event-stream"},
            ).status_code

        def mixed(seed: int) -> int:
            asked = (read, read, read, search, recall, append)
            return asked[seed % len(asked)](seed // 2)

        def load(ask: Callable[[int], int], number: int) -> float:
            """Have twelve clients ask; return the most megabytes meanwhile."""
            most = 0.0
            with ThreadPoolExecutor(12) as pool:
                asked = [pool.submit(ask, seed) for seed in range(number)]
                while wait(asked, timeout=0.1).not_done:
                    most = max(most, resident(processes))
            assert {answer.result() for answer in asked} == {200}
            return most

        pages = [path for path in _READ if path.startswith("/w/")]
        wait_for(is_one_ready(hub, tmp_path, pages))
        processes = [process_of(hub), *processes_of(tmp_path)]
        for seed in range(20):
            assert search(seed) == append(seed) == read(seed) == recall(seed) == 200
        # Warm: each of its threads has been asked, and has its connections.
        load(read, 60)
        load(mixed, 48)
        warm = resident(processes)
        most = max(load(search, 80), load(append, 30), load(mixed, 120))
        after = resident(processes)

    assert (len(processes), most - warm < _GROWTH, after - warm < _GROWTH) == (
        *(2, True, True),
    ), f"{warm:.0f} MB when warm, {most:.0f} at most, {after:.0f} at the end"
