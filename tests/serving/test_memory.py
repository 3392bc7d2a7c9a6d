"""Memory of a served hub: after a load it has about what it had when warm."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import httpx2 as httpx
import pytest

from tests.browser.hub import local_token_of, prepare_hub, serving_hub

_WORDS = ("valve", "gauge", "tariff", "ledger", "beacon", "harbor", "cargo", "dock")
_TOOLS = "/api/v1/workspaces/notes/tools"
#: Megabytes by which the process may grow, however many have asked at once.
_GROWTH = 50


def words(chance: Random, count: int) -> str:
    return " ".join(chance.choices(_WORDS, k=count))


def notes(folder: Path) -> None:
    chance = Random(1)
    (folder / "notes/memory").mkdir(parents=True)
    for day in range(1, 29):
        parts = [f"- Decision: use {words(chance, 6)}\n" for _ in range(60)]
        text = f"# 2026-10-{day:02}\n\n" + "".join(parts)
        (folder / f"notes/memory/2026-10-{day:02}.md").write_text(text)


def resident(client: httpx.Client) -> float:
    """Return the megabytes that the server's process has."""
    text = client.get("/metrics").text
    found = re.search(r"^process_resident_memory_bytes (\S+)$", text, re.MULTILINE)
    assert found, text[:200]
    return float(found[1]) / 1e6


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="measured by /proc")
def test_twelve_clients_at_once_make_the_server_hardly_larger(tmp_path: Path) -> None:
    notes(tmp_path)
    prepare_hub(tmp_path, [tmp_path / "notes"])
    with serving_hub(tmp_path) as hub:
        headers = {"Authorization": f"Bearer {local_token_of(hub)}"}
        with httpx.Client(base_url=hub, headers=headers, timeout=120) as client:

            def search(seed: int) -> int:
                query = {"query": words(Random(seed), 3)}
                return client.post(f"{_TOOLS}/memory_search", json=query).status_code

            def append(seed: int) -> int:
                content = {"content": f"- {words(Random(seed), 8)}"}
                return client.post(f"{_TOOLS}/memory_append", json=content).status_code

            def load(ask: Callable[[int], int], number: int) -> None:
                with ThreadPoolExecutor(12) as pool:
                    assert set(pool.map(ask, range(number))) == {200}

            for seed in range(20):
                assert search(seed) == append(seed) == 200
            warm = resident(client)
            load(search, 150)
            load(append, 60)
            load(search, 150)

            assert resident(client) - warm < _GROWTH
