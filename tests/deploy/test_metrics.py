"""Metrics and logs of a real hub: complete, protected, and without text of memory."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage
from typing import Any

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from memoryhub import __version__
from memoryhub.people.services.local_token import local_token
from memoryhub.runtime.asgi_messages import Asgi, Message, Receive, Scope, Send
from memoryhub.runtime.metrics import metrics
from memoryhub.runtime.serving.observing import Observed
from tests.browser.hub import signed_in_by
from tests.deploy.conftest import notes_hub
from tests.deploy.proxies import served
from tests.growth import steps_of

SECRET = "a-token-for-scrapes"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return notes_hub(tmp_path_factory.mktemp("metrics"))


@pytest.fixture(scope="module")
def hub(folder: Path) -> Iterator[str]:
    with served(folder) as link:
        yield link.partition("/open/")[0]


def scraped(hub: str, **headers: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the values of all metrics, by name and labels."""
    text = httpx.get(f"{hub}/metrics", headers=headers).text
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(map(str, sample.labels.values()))
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_the_free_bytes_of_the_disk_are_told(hub: str, folder: Path) -> None:
    (free,) = scraped(hub)["memoryhub_disk_free_bytes"].values()

    assert 0 < free < disk_usage(folder).total


def test_requests_are_counted_by_kind_of_page(hub: str) -> None:
    for path in ("/w/notes/timeline/", "/w/notes/files/a-name-of-a-file.md", "/secret"):
        httpx.get(hub + path)

    counted = scraped(hub)["memoryhub_request_seconds_count"]

    assert counted["GET", "w/timeline", "401"] == 1
    assert counted["GET", "w/files", "401"] == 1
    assert counted["GET", "other", "404"] == 1


def test_the_state_of_the_hub_is_there(hub: str) -> None:
    found = scraped(hub)

    assert found["memoryhub_sync_age_seconds"]["notes",] < 600
    assert found["memoryhub_journal_entries"]["notes",] == 1
    assert found["memoryhub_hook_events"] == {("waiting",): 0, ("refused",): 0}
    assert found["memoryhub_database_bytes"]["memoryhub.sqlite3",] > 10_000
    ((_, version),) = found["memoryhub_build_info"]
    assert version == __version__


@pytest.mark.parametrize(
    "claim",
    [{"X-Forwarded-For": "127.0.0.1"}, {"Via": "1.1 a"}],
    ids=lambda claim: next(iter(claim)),
)
def test_without_a_token_only_this_computer_is_answered(
    hub: str, claim: dict[str, str]
) -> None:
    answer = httpx.get(f"{hub}/metrics", headers=claim)

    assert answer.status_code == 401
    assert "memoryhub_" not in answer.text


def test_with_a_token_set_everybody_needs_it(tmp_path: Path) -> None:
    with served(notes_hub(tmp_path), MEMORYHUB_METRICS_TOKEN=SECRET) as link:
        hub = link.partition("/open/")[0]
        for sent in ({}, {"Authorization": "Bearer x"}, {"Authorization": SECRET}):
            answer = httpx.get(f"{hub}/metrics", headers=sent)
            assert (answer.status_code, "memoryhub" in answer.text) == (401, False)
        right = {"Authorization": f"Bearer {SECRET}", "X-Forwarded-For": "10.0.0.1"}
        assert "memoryhub_journal_entries" in scraped(hub, **right)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_known", [True, False])
def test_in_a_team_a_program_of_this_computer_sends_the_local_token(
    hub_data: Path, settings: Settings, is_known: bool
) -> None:
    settings.MEMORYHUB_TEAM = True
    secret = local_token() if is_known else "mhub_local_guess"
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {secret}".encode())]
    scope = {"method": "GET", "client": ("127.0.0.1", 1), "headers": headers}
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(metrics(scope, _receive, send))

    assert sent[0]["status"] == (200 if is_known else 401)
    assert (b"memoryhub_build" in sent[1]["body"]) is is_known


def test_logs_are_objects_without_text_of_memory(tmp_path: Path) -> None:
    folder = notes_hub(tmp_path)
    log = tmp_path / "log"
    with log.open("w") as stderr, served(folder, stderr, MEMORYHUB_LOG="json") as link:
        hub, cookie = link.partition("/open/")[0], signed_in_by(link)
        for path in ("/w/notes/", "/w/notes/search/?q=ports", "/w/never/", "/w/%0Ax/"):
            answer = httpx.get(hub + path, headers={"Cookie": cookie})
    entries: list[dict[str, Any]] = [*map(json.loads, log.read_text().splitlines())]

    asked = [entry for entry in entries if entry["logger"] == "memoryhub.requests"]
    routes = [(one["route"], one["status"], one["workspace"]) for one in asked]
    assert ("w", 200, "notes") in routes and ("w/search", 200, "notes") in routes
    assert ("w", 404, "") in routes
    assert asked[-1]["request"] == answer.headers["X-Request-ID"]
    assert all(one["ms"] > 0 for one in asked)
    assert not re.search(r"ports|never|token|%0A", log.read_text())


def test_observing_a_request_takes_few_steps() -> None:
    def steps(inner: Asgi) -> int:
        return steps_of(lambda: asyncio.run(_asked(inner, 100))) // 100

    own = Observed(_nothing)
    steps(own)  # the first request of a route makes its counters

    assert steps(own) - steps(_nothing) < 200


async def _asked(inner: Asgi, times: int) -> None:
    for _ in range(times):
        scope = {"type": "http", "method": "GET", "path": "/w/notes/timeline/"}
        await inner({**scope, "query_string": b""}, _receive, _send)


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _receive() -> Message:
    return {"type": "http.request", "body": b""}


async def _send(message: Message) -> None:
    """Take an answer."""
