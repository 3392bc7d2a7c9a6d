"""The person of a simulated crew: a browser that is signed in, which signs decisions.

An agent's process holds the browser, and asks by it what no agent may.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from bench.crew_calls import Call, Client, Fields, Ledger
from bench.crew_history import PERSON
from bench.crew_hub import Place

#: Any will do that the cookie and the form both say.
_CSRF = "0123456789abcdef0123456789abcdef"
_DONE, _CONFLICT = 303, 409


class Person(Client):
    """The browser of the person, at the pages of one workspace."""

    def __init__(self, port: int, slug: str, ledger: Ledger, cookie: str) -> None:
        super().__init__(port, slug, PERSON, ledger)
        self._cookie = cookie

    def next_key(self) -> str:
        """Return the key of the next form; other processes have the same person."""
        return f"{PERSON}-{self._slug}-{len(self._ledger.calls):05d}"

    def sign_off(self, row: Fields) -> Call:
        """Sign a decision off as a list has it."""
        return self._press(row, "sign_off")

    def accept(self, row: Fields) -> Call:
        """Accept a result as a list has it."""
        return self._press(row, "accept")

    def _press(self, row: Fields, action: str) -> Call:
        request = {
            "task_id": row["task_id"],
            "action": action,
            "code": row["code"],
            "base": row["standing"],
        }
        return self.change("handoff_update", request)

    def name_coordinators(self, agents: list[str]) -> None:
        """Say in the workspace's settings who coordinates.

        Raises:
            RuntimeError: the page refuses it.
        """
        values = {
            "name": self._slug,
            "time_zone": "UTC",
            "memory_folder": "memory",
            "max_decisions": "20",
            "max_history": "30",
            "coordinators": agents,
            "handoff_lease": "120",
            "put_back_silent": "on",
        }
        with closing(HTTPConnection("localhost", self._port, timeout=30)) as browser:
            self._post(browser, f"/w/{self._slug}/settings/", values)
            answer = browser.getresponse()
            if answer.status != _DONE:
                raise RuntimeError(f"the settings were answered {answer.status}")

    def _send(self, connection: HTTPConnection, call: Call) -> None:
        name = call.action.replace("_", "-")
        page = f"/w/{self._slug}/handoffs/{call.request['code']}/{name}/"
        values = {
            "base": call.request["base"],
            "key": call.key,
            "reason": call.key,
        }
        self._post(connection, page, values)

    def _post(
        self, connection: HTTPConnection, page: str, values: Mapping[str, object]
    ) -> None:
        headers = {
            "Cookie": f"{self._cookie}; csrftoken={_CSRF}",
            "X-CSRFToken": _CSRF,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        connection.request("POST", page, urlencode(values, doseq=True), headers)

    def _read(self, connection: HTTPConnection) -> tuple[int, Fields]:
        """Return the status as programs are given it, and why it was refused."""
        response = connection.getresponse()
        response.read()
        if response.status == _DONE:
            return 200, {}
        code = "conflict" if response.status == _CONFLICT else "refused-by-page"
        return response.status, {"code": code}


def signed_in(link: str) -> str:
    """Return the cookie of the browser that a link signs in.

    Raises:
        RuntimeError: the link signs nobody in.
    """
    parts = urlsplit(link)
    with closing(HTTPConnection(parts.netloc, timeout=60)) as browser:
        browser.request("GET", f"{parts.path}?{parts.query}")
        answer = browser.getresponse()
        cookies = answer.headers.get_all("Set-Cookie", [])
        answer.read()
    found = next((one for one in cookies if "HttpOnly" in one), None)
    if found is None:
        raise RuntimeError(f"the link did not sign in: {answer.status}")
    return found.split(";")[0]


def person_at(place: Place, port: int, slug: str, ledger: Ledger) -> Person:
    """Return the person at a workspace's pages, by the cookie of their browser."""
    return Person(port, slug, ledger, place.cookie.read_text())
