"""Behind nginx and Caddy, with TLS and the files of deploy/: everything works."""

from __future__ import annotations

import io
import random
import re
import sqlite3
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hub import manage
from tests.browser.team import PASSWORD, TEAM
from tests.deploy.conftest import notes_hub
from tests.deploy.proxies import Front, fronted

_LINK = re.compile(r'\b(?:href|src|action|hx-get|hx-post|data-live)="([^"#]+)"')
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "host", "version": "1"},
    },
}
PREFERENCES = {
    "theme": "dark",
    "density": "comfortable",
    "language": "en",
    "time_zone": "",
}
_JSON = {"Accept": "application/json, text/event-stream"}


def posted(
    browser: httpx.Client,
    address: str,
    data: dict[str, str],
    headers: dict[str, str] | None = None,
    archive: bytes = b"",
) -> httpx.Response:
    """Send the form of a page to its own address, as a browser does."""
    page = browser.get(address)
    token = _TOKEN.search(page.text)
    assert token, page.status_code
    given = page.headers["Set-Cookie"].partition(";")[0]
    parts = urlsplit(str(browser.base_url))
    own = {
        "Cookie": f"{browser.headers['Cookie']}; {given}",
        "Sec-Fetch-Site": "same-origin",
        "Origin": f"{parts.scheme}://{parts.netloc}",
        "Referer": str(page.url),
    }
    return browser.post(
        address,
        data={"csrfmiddlewaretoken": token[1], **data},
        headers=own | (headers or {}),
        files={"archive": ("memory.zip", archive)} if archive else None,
    )


def test_pages_and_all_they_link_to_are_below_the_base_path(front: Front) -> None:
    base = urlsplit(front.address).path
    with front.browser() as browser:
        page = browser.get("w/notes/")
        links = set(_LINK.findall(page.text))
        assert len(links) > 20
        assert all(link.startswith((base, "?", "data:")) for link in links), links
        for link in sorted(links):
            answer = (
                browser.get(
                    urljoin(str(page.url), link.replace("&amp;", "&")),
                    headers={"Accept": "text/html"},
                )
                if "/live/" not in link
                else page
            )
            assert answer.status_code in (200, 303, 302, 405), link


def test_a_redirect_stays_below_the_base_path(front: Front) -> None:
    with front.browser() as browser:
        answer = browser.get("")

    assert answer.status_code == 302
    assert answer.headers["Location"] == f"{urlsplit(front.address).path}w/notes/"


def test_cookies_are_of_this_hub_alone_and_https_is_remembered(front: Front) -> None:
    with front.browser() as browser:
        answer = browser.get("me/")

    cookie = answer.headers["Set-Cookie"]
    assert "Secure" in cookie
    assert f"Path={urlsplit(front.address).path}" in cookie
    assert answer.headers["Strict-Transport-Security"] == "max-age=2592000"


def test_a_form_is_accepted_from_the_hub_alone(front: Front) -> None:
    with front.browser() as browser:
        own = posted(browser, "me/", PREFERENCES)
        elsewhere = {"Origin": "https://evil.example", "Sec-Fetch-Site": "none"}
        other = posted(browser, "me/", PREFERENCES, headers=elsewhere)

    assert own.status_code == 303
    assert own.headers["Location"] == f"{urlsplit(front.address).path}me/"
    assert other.status_code == 403


def test_news_arrive_on_a_stream_that_stays_open(front: Front) -> None:
    with front.browser() as browser, browser.stream("GET", "live/") as stream:
        lines = stream.iter_lines()
        assert "event: hello" in (next(lines), next(lines), next(lines))
        note = front.folder / f"notes/memory/{random.randrange(10**9)}.md"
        note.write_text("# news\n")
        manage(front.folder, "sync", "notes")
        assert any(line == "event: changed" for line in lines)


def test_rest_answers_a_token_and_describes_its_own_address(front: Front) -> None:
    with front.program("read") as program:
        known = program.get("api/v1/workspaces")
        described = program.get("api/v1/openapi.json").json()

    assert [one["slug"] for one in known.json()["data"]] == ["notes"]
    assert described["servers"][0]["url"] == front.address.rstrip("/")
    assert "/api/v1/workspaces" in described["paths"]


def test_errors_of_rest_keep_their_shape(front: Front) -> None:
    with front.client() as stranger:
        answer = stranger.get("api/v1/nothing")

    assert answer.json()["error"]["code"] == "not-found"


def test_mcp_is_spoken(front: Front) -> None:
    with front.program("read") as program:
        answer = program.post("mcp", json=_INITIALIZE, headers=_JSON)

    assert answer.json()["result"]["serverInfo"]["name"] == "memoryhub"


def test_a_long_poll_waits_for_news(front: Front) -> None:
    api = "api/v1/workspaces/notes"
    with front.program("read", "handoff") as program, ThreadPoolExecutor(1) as pool:
        since = program.get(f"{api}/inbox").json()["data"]["cursor"]
        poll = pool.submit(program.get, f"{api}/inbox?since={since}&wait=50")
        task = {"to": "scout", "type": "read_only", "context": "Look", "input": "x.md"}
        sent = program.post(f"{api}/tools/handoff_send", json=task)
        assert sent.status_code == 200, sent.text
        answer = poll.result()

    assert answer.status_code == 200, answer.text
    (news,) = answer.json()["data"]["news"]
    assert news["task_id"] == sent.json()["data"]["task_id"]


def test_a_large_upload_arrives_whole(front: Front) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        text = random.Random(1).randbytes(3_000_000).hex()
        archive.writestr("memory/large.md", f"# Large\n\n{text}\n")
    with front.browser() as browser:
        answer = posted(
            browser,
            "imports/new/",
            {"source": "upload"},
            archive=packed.getvalue(),
        )
        assert answer.status_code == 303, answer.status_code
        review = browser.get(urljoin(front.address, answer.headers["Location"]))

    assert "large.md" in review.text


def test_links_for_elsewhere_are_of_the_public_address(front: Front) -> None:
    with front.browser() as browser, front.program("read") as program:
        feed = browser.get("w/notes/timeline.atom").text
        snippets = browser.get("w/notes/connect/").text
        card = program.get("api/a2a/notes/scout/.well-known/agent-card.json")

    assert f'href="{front.address}w/notes/timeline/"' in feed
    assert f"{front.address}mcp?workspace=notes" in snippets.replace("&amp;", "&")
    assert card.status_code == 404 or front.address in card.text


def test_the_token_of_this_computer_is_not_accepted_through_a_proxy(
    front: Front, untrusted_front: Front
) -> None:
    for one in (front, untrusted_front):
        secret = manage(one.folder, "token", "local", "--show").strip()
        bearer = {"Authorization": f"Bearer {secret}"}
        assert httpx.get(f"{one.own}/api/v1/workspaces", headers=bearer).is_success
        for claim in ({}, {"X-Forwarded-For": "127.0.0.1"}):
            with one.client(**bearer, **claim) as program:
                answer = program.get("api/v1/workspaces")
            assert answer.status_code == 401, claim
            assert answer.json()["error"]["code"] == "token-elsewhere"


def test_a_proxy_that_is_not_trusted_serves_people_too(untrusted_front: Front) -> None:
    with untrusted_front.browser() as browser:
        assert posted(browser, "me/", PREFERENCES).status_code == 303
        assert "Secure" in browser.get("me/").headers["Set-Cookie"]


def test_a_hub_is_reached_without_its_base_path_on_its_own_computer(
    front: Front,
) -> None:
    assert httpx.get(f"{front.own}/healthz").text == "ok\n"
    assert httpx.get(f"{front.own}/w/notes/").status_code == 401


def test_a_later_link_opens_a_page_at_the_public_address(front: Front) -> None:
    link = manage(front.folder, "open", "/w/notes/", "--print").strip()
    assert link.startswith(f"{front.address}open/?token=") is True


def test_a_browser_opens_pages_below_a_base_path(
    untrusted_front: Front, chromium: Browser
) -> None:
    context = chromium.new_context(ignore_https_errors=True)
    name, _, value = untrusted_front.cookie.partition("=")
    context.add_cookies(
        [{"name": name, "value": value, "url": untrusted_front.address}]
    )
    page = context.new_page()
    failed: list[str] = []
    page.on(
        "response",
        lambda got: failed.append(got.url) if got.status >= 400 else None,
    )
    page.on("console", lambda said: failed.append(said.text))
    with page.expect_response(lambda got: "/hub/live/" in got.url) as stream:
        page.goto(f"{untrusted_front.address}w/notes/")
    assert stream.value.ok
    page.locator('a[href$="/w/notes/files/"]').first.click()
    expect(page).to_have_url(f"{untrusted_front.address}w/notes/files/")
    page.wait_for_load_state()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette input")).to_be_focused()
    page.keyboard.type("ports")
    expect(page.get_by_text("a note about ports").first).to_be_visible()

    assert failed == []


def test_a_team_signs_in_below_a_base_path(
    team_front: Front, chromium: Browser
) -> None:
    address = team_front.address.rstrip("/")
    page = chromium.new_context(ignore_https_errors=True).new_page()

    page.goto(f"{address}/w/notes/")
    assert page.url.startswith(f"{address}/accounts/login/")
    sign_in_here(page)
    expect(page).to_have_url(f"{address}/w/notes/")

    cookies = page.context.cookies()
    mine = [one for one in cookies if one["name"].startswith("memoryhub_")]
    assert [(one["secure"], one["path"]) for one in mine] == [(True, "/hub/")]
    page.goto(f"{address}/me/")
    links = page.eval_on_selector_all("a[href]", "all => all.map((one) => one.href)")
    assert len(links) > 5
    assert all(link.startswith(f"{address}/") for link in links), links


@pytest.mark.parametrize("proxy", ["nginx", "caddy"])
def test_no_client_names_a_person_through_our_files(tmp_path: Path, proxy: str) -> None:
    folder = notes_hub(tmp_path)
    add = ("person", "admin", "kim", "--password-stdin")
    manage(folder, *add, stdin=f"{PASSWORD}\n", **TEAM)
    trusting = {
        "MEMORYHUB_PROXY_USER_HEADER": "Remote-User",
        "MEMORYHUB_TRUSTED_PROXIES": "127.0.0.1",
    }
    with fronted(folder, proxy, "/hub/", **TEAM, **trusting) as front:
        for name in ("Remote-User", "remote-user", "Remote_User", "REMOTE_USER"):
            with front.client(**{name: "kim"}) as client:
                answer = client.get("me/")
            assert answer.headers["Location"].startswith("/hub/accounts/login/"), name


def sign_in_here(page: Page) -> None:
    """Fill in the form that a page without a sign-in led to."""
    page.get_by_label("User name or e-mail").fill("kim")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_the_audit_log_names_door_and_workspace(front: Front) -> None:
    with front.program("read") as program:
        refused = program.put(
            "api/v1/workspaces/notes/documents/memory/x.md",
            json={"text": "x"},
            headers={"If-None-Match": "*"},
        )
    assert refused.status_code == 403

    place = f"file:{front.folder / 'data/memoryhub.sqlite3'}?mode=ro"
    with closing(sqlite3.connect(place, uri=True)) as hub:
        newest = hub.execute(
            "SELECT door, workspace, outcome FROM audit_auditentry ORDER BY id DESC"
        ).fetchone()
    assert newest == ("rest", "notes", "refused")
