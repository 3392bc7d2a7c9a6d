"""How often credentials may ask."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from pytest_django import Settings

from memoryhub.runtime.asgi_messages import Message, Receive, Scope, Send
from memoryhub.runtime.serving.rates import Callers, Rate, RateLimited
from tests.serving.clients import known_to

LIST = "/api/v1/workspaces"


class Clock:
    """A clock that is set by hand."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def taken(rate: Rate, name: bytes, times: int) -> int:
    """Return how many of so many turns are free."""
    free = 0
    for _ in range(times):
        if not rate.wait(name):
            rate.take(name)
            free += 1
    return free


def test_a_name_has_some_turns_at_once_and_then_so_many_a_second() -> None:
    clock = Clock()
    rate = Rate(5, 20, clock)

    assert taken(rate, b"a", 30) == 20
    assert rate.wait(b"a") == pytest.approx(0.2)
    assert taken(rate, b"b", 1) == 1
    clock.now += 2
    assert taken(rate, b"a", 30) == 10


def test_who_was_let_in_before_does_not_wait_for_those_that_guess() -> None:
    callers = Callers(Clock())
    callers.was_right(b"known")

    for number in range(60):
        callers.was_wrong(b"%d" % number, "127.0.0.1")

    assert callers.wait(b"guess", "127.0.0.1") > 0
    assert callers.wait(b"known", "127.0.0.1") == 0


def test_a_new_token_waits_for_guesses_of_its_own_network_alone() -> None:
    callers = Callers(Clock())

    for number in range(60):
        callers.was_wrong(b"%d" % number, f"2001:db8::{number:x}")

    assert callers.wait(b"new", "2001:db8::ffff:1") > 0
    assert callers.wait(b"new", "2001:db8:0:1::1") == 0
    assert callers.wait(b"new", "192.0.2.1") == 0


async def statuses(asked: RateLimited, credential: str, *answers: int) -> list[int]:
    """Return the statuses that a caller gets from an application with these answers."""
    found: list[int] = []

    async def send(message: Message) -> None:
        found.append(message.get("status", 0))

    async def receive() -> Message:
        return {"type": "http.request"}

    for answer in answers:
        headers = [(b"authorization", credential.encode())]
        client = ("192.0.2.1", 1)
        scope = {"path": LIST, "headers": headers, "client": client, "answer": answer}
        await asked(scope, receive, send)
    return [status for status in found if status]


async def answered(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": scope["answer"]})


def test_refusals_of_another_kind_make_no_guess_a_known_token() -> None:
    asked = RateLimited(answered, Callers(Clock()))

    async def attack() -> list[int]:
        await statuses(asked, "Bearer right", 200)
        for number in range(12_000):
            await statuses(asked, f"Bearer {number}", 404)
        for number in range(60):
            await statuses(asked, f"Bearer wrong {number}", 401)
        return await statuses(asked, "Bearer right", 200)

    assert asyncio.run(attack()) == [200]


def test_wrong_tokens_are_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    callers = Callers(clock)

    with caplog.at_level(logging.WARNING):
        for number in range(500):
            callers.was_wrong(b"%d" % number, "10.0.0.9")
        clock.now += 61
        callers.was_wrong(b"again", "10.0.0.9")

    assert [record.getMessage() for record in caplog.records] == [
        "1 wrong tokens, the last from 10.0.0.9",
        "500 wrong tokens, the last from 10.0.0.9",
    ]


def test_a_token_that_asks_too_often_waits(settings: Settings) -> None:
    settings.MEMORYHUB_REQUESTS_PER_SECOND = 2
    callers = Callers(Clock())

    waits = [callers.wait(b"busy", "") for _ in range(21)]

    assert waits == [0.0] * 20 + [0.5]


def status_of(hub: str, credential: str) -> tuple[int, str]:
    asked = Request(hub + LIST, headers={"Authorization": f"Bearer {credential}"})
    try:
        with urlopen(asked, timeout=60) as found:
            return found.status, ""
    except HTTPError as error:
        with error:
            return error.code, error.headers.get("Retry-After", "")


def test_guessed_tokens_are_soon_not_looked_at(hub: str) -> None:
    right = known_to(hub)["Authorization"].removeprefix("Bearer ")
    assert status_of(hub, right)[0] == 200

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: status_of(hub, f"wrong{n}"), range(400)))

    assert (429, "1") in found and (401, "") in found
    assert status_of(hub, right)[0] == 200
