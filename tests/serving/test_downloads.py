"""Many who ask for whole workspaces at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.serving.clients import head, is_answered, known_to, open_clients


def status_of(hub: str) -> tuple[int, str]:
    address = f"{hub}/w/small/export/download/"
    try:
        with urlopen(Request(address, headers=known_to(hub)), timeout=60) as found:
            return found.status, found.read()[:2].decode()
    except HTTPError as error:
        with error:
            return error.code, error.headers["Retry-After"]


def test_some_downloads_are_given_and_others_are_to_come_again(hub: str) -> None:
    with ThreadPoolExecutor(60) as pool:
        found = set(pool.map(lambda _: status_of(hub), range(120)))

    assert (200, "PK") in found
    assert found <= {(200, "PK"), (503, "2")}


def test_answers_that_nobody_takes_hold_no_page(hub: str) -> None:
    asked = head(hub, "GET /w/small/export/download/") + head(hub, "GET /w/small/") * 20

    with open_clients(hub, 20, asked):
        assert is_answered(f"{hub}/w/small/")
