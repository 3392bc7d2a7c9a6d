"""Memory of a served hub: after a load it has about what it had when warm."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import httpx2 as httpx
import pytest

from tests.browser.hub import prepare_hub, serving_hub
from tests.serving.clients import known_to

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


def resident(client: httpx.Client) -> float:
    """Return the megabytes that the server's process has."""
    text = client.get("/metrics").text
    found = re.search(r"^process_resident_memory_bytes (\S+)$", text, re.MULTILINE)
    assert found, text[:200]
    return float(found[1]) / 1e6


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="measured by /proc")
def test_twelve_clients_at_once_make_the_server_hardly_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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

        def load(ask: Callable[[int], int], number: int) -> None:
            with ThreadPoolExecutor(12) as pool:
                assert set(pool.map(ask, range(number))) == {200}

        for seed in range(20):
            assert search(seed) == append(seed) == read(seed) == recall(seed) == 200
        warm = resident(client)
        load(search, 150)
        load(append, 60)
        load(mixed, 240)

        assert resident(client) - warm < _GROWTH
