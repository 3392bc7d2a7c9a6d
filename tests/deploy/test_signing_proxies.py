"""Proxies that sign people in, as docs/deploy.md changes our files for them."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import ROOT, manage
from tests.browser.team import PASSWORD, TEAM
from tests.deploy.conftest import notes_hub
from tests.deploy.proxies import Front, fronted

TRUSTING = {
    "MEMORYHUB_PROXY_USER_HEADER": "Remote-User",
    "MEMORYHUB_TRUSTED_PROXIES": "127.0.0.1",
}
PROVIDER = "127.0.0.1:9091"


class Provider(BaseHTTPRequestHandler):
    """A provider that lets everybody pass, and names whom a cookie `sso` names."""

    def do_GET(self) -> None:
        found = re.search(r"\bsso=(\w+)", self.headers.get("Cookie", ""))
        self.send_response(200)
        if found:
            self.send_header("Remote-User", found[1])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def provider() -> Iterator[str]:
    """Give the address of a running provider."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def changes(proxy: str, address: str) -> dict[str, str]:
    """Return what docs/deploy.md says to write instead of parts of our files."""
    manual = (ROOT / "docs/deploy.md").read_text().replace(PROVIDER, address)
    section = manual.partition("### A proxy that signs in\n")[2].partition("\n### ")[0]
    caddy, nginx, location = re.findall(r"(?m)(?:^    .*\n)+", section)
    if proxy == "caddy":
        lines = "\t\trequest_header -Remote-User\n\t\treverse_proxy 127.0.0.1:8765\n"
        return {lines: caddy}
    line = '        proxy_set_header Remote-User "";\n'
    return {line: nginx, "    location / {": f"{location}    location / {{"}


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def front(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    """Give a team's hub behind a proxy with a provider; kim is its administrator."""
    folder = notes_hub(tmp_path_factory.mktemp("signing"))
    add = ("person", "admin", "kim", "--password-stdin")
    manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)
    with provider() as address:
        edits = changes(request.param, address)
        with fronted(
            folder, request.param, "/hub/", edits, **TEAM, **TRUSTING
        ) as running:
            yield running


def page_of(chromium: Browser, front: Front, sso: str, **headers: str) -> Page:
    """Return a page of a browser with a session at the provider, or with none."""
    context = chromium.new_context(ignore_https_errors=True, extra_http_headers=headers)
    if sso:
        context.add_cookies([{"name": "sso", "value": sso, "url": front.address}])
    return context.new_page()


def test_a_browser_is_signed_in_as_whom_the_provider_names(
    front: Front, chromium: Browser
) -> None:
    page = page_of(chromium, front, "ann")
    page.goto(f"{front.address}me/")
    expect(page.locator("h1")).to_have_text("Your account")
    expect(page.locator("main")).to_contain_text("ann")
    assert page.goto(f"{front.address}w/notes/").status == 404  # type: ignore[union-attr]

    page.context.add_cookies([{"name": "sso", "value": "kim", "url": front.address}])
    page.goto(f"{front.address}w/notes/")
    expect(page.locator("main")).to_contain_text("Nothing needs your answer")

    page.context.clear_cookies(name="sso")
    page.goto(f"{front.address}me/")
    expect(page.locator("h1")).to_have_text("Sign in")
    page.context.close()


@pytest.mark.parametrize("sso", ["", "ann"])
@pytest.mark.parametrize("name", ["Remote-User", "remote-user", "Remote_User"])
def test_a_browser_names_nobody_itself(
    front: Front, chromium: Browser, sso: str, name: str
) -> None:
    page = page_of(chromium, front, sso, **{name: "kim"})
    page.goto(f"{front.address}me/")

    # Caddy passes the other spelling on: together with the provider's nobody is named.
    is_clear = sso and name != "Remote_User"
    wanted = "Your account" if is_clear else re.compile("Your account|Sign in")
    expect(page.locator("h1")).to_have_text(wanted)
    assert page.get_by_role("link", name="People", exact=True).count() == 0
    page.context.close()


#: Lines by which a client tries to name a person, or to hide who does.
LINES = (
    "Remote-User: kim\r\nRemote-User: kim",
    "Remote-User: kim\r\nRemote_User: kim",
    "Remote-User : kim",
    " Remote-User: kim",
    "X-Any: 1\r\n Remote-User: kim",
    "Connection: close, Remote-User\r\nRemote-User: kim",
    "Memoryhub-Proxied-User: kim",
    "Memoryhub_Proxied_User: kim",
    "REMOTE\tUSER: kim",
    "Cookie: a=1\rRemote-User: kim",
    "X-Any: 1\nRemote-User: kim",
)


@pytest.mark.parametrize("line", LINES)
def test_no_line_of_a_request_names_a_person(front: Front, line: str) -> None:
    place = urlsplit(front.address)
    asked = f"GET /hub/me/ HTTP/1.1\r\nHost: {place.netloc}\r\n{line}\r\n"
    closing = "" if "close" in line else "Connection: close\r\n"
    assert place.hostname and place.port
    with (
        socket.create_connection((place.hostname, place.port), timeout=60) as plain,
        front.trusted.wrap_socket(plain, server_hostname=place.hostname) as client,
    ):
        client.sendall(f"{asked}{closing}\r\n".encode())
        answer = read_all(client)

    assert answer.startswith((b"HTTP/1.1 302", b"HTTP/1.1 400"))
    assert b"Your account" not in answer


def read_all(client: ssl.SSLSocket) -> bytes:
    """Return all that a server sends until it closes."""
    parts = []
    while part := client.recv(65_536):
        parts.append(part)
    return b"".join(parts)
