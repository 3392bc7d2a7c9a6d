"""Links, forms and ids of every page, as each role reads it, below a path."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve, set_script_prefix
from pytest_django import Settings

from memoryhub.accounts.services.persons import TEAM_URLS
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from memoryhub.sync.engine import sync_workspace
from memoryhub.web import help as manual
from tests.browser.walk import route_names
from tests.conftest import MakeWorkspace

_SAMPLES = Path(__file__).parents[1] / "samples"
_PREFIX = "/hub"
#: Roles of the three who read, by the words of the settings.
_READERS = {"guest": "viewer", "member": "editor", "head": "administrator"}
_PASSWORD = "correct horse battery"
#: Routes that no walk opens or finds a form for, by the reason.
_UNOPENED = {
    "by a link that is mailed or printed": "account_confirm_email join open"
    " account_reset_password_from_key account_reset_password_from_key_done",
    "where a form or a program leads": "account_email_verification_sent"
    " account_inactive account_logout account_reset_password_done account_signup"
    " healthz push-worker readyz undo unsee review-unrevert-shown",
    "with a second factor": "mfa_authenticate mfa_deactivate_totp mfa_edit_webauthn"
    " mfa_download_recovery_codes mfa_generate_recovery_codes mfa_index"
    " mfa_list_webauthn mfa_reauthenticate mfa_reauthenticate_webauthn"
    " mfa_remove_webauthn mfa_view_recovery_codes",
    "with an identity provider": "account_set_password openid_connect_callback"
    " openid_connect_login socialaccount_connections socialaccount_login_cancelled"
    " socialaccount_login_error socialaccount_signup",
    "with a mail server": "mail-channel",
    "with memory elsewhere on the computer": "add_inside import_found",
    "on the page of another person": "deactivate-person",
    "on rows of a state that none has here": "claim_end comment comment_reopen"
    " decision-sign-off delete-view directives open-item-reopen problems read_messages"
    " restore review-accept-shown review-reopen review-revert-shown",
}
#: What an administrator makes before the walk, so that there are pages of it.
_MADE: dict[str, dict[str, str | list[str]]] = {
    "/groups/": {"name": "crew"},
    "/accounts/people/invite/": {"workspace": "acme", "role": "20", "days": "1"},
    "/me/channels/": {
        "name": "Phone", "address": "ntfy://topic", "kinds": "failed",
        "base": "http://localhost", "paused": "on",
    },
    "/w/acme/tokens/": {"agent": "builder", "scopes": ["read"], "days": "30"},
    "/w/acme/forget/": {"kind": "text", "text": "Redis", "minutes": "10"},
    "/w/acme/review/rules/new/": {"pattern": "**", "text": "Fridays", "reason": "no"},
    "/w/acme/comments/new/": {
        "kind": "file", "path": "MEMORY.md", "line": "1", "text": "Why?",
    },
    "/imports/new/": {"source": "sample"},
}  # fmt: skip
#: Attributes whose address a page may read; those of a `srcset` are parted by commas.
_LEADING = ("href", "src", "poster", "srcset", "hx-get", "data-href", "data-news")


@pytest.fixture
def three_workspaces(
    tmp_path: Path, make_workspace: MakeWorkspace, settings: Settings
) -> Iterator[list[Workspace]]:
    """Give the sample after a clean-up, odd files, and files that disappeared at once.

    The hub is a team's, below a path.
    """
    roots = [tmp_path / name for name in ("acme", "nasty", "gone")]
    copy = (sys.executable, "-c", "import shutil, sys; shutil.copytree(*sys.argv[1:])")
    subprocess.run([*copy, _SAMPLES / "acme-checkout", roots[0]], check=True)
    subprocess.run([sys.executable, _SAMPLES / "make_nasty.py", roots[1]], check=True)
    clash = "# Clash\n\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> theirs\n"
    (roots[0] / "memory/clash.md").write_text(clash)
    (roots[2] / "memory").mkdir(parents=True)
    for number in range(10, 34):
        day = f"2026-10-{number}" if number < 32 else f"2026-11-{number - 31:02}"
        (roots[2] / f"memory/{day}.md").write_text(f"# {day}\n\n- note {number}\n")
    made = [make_workspace(root) for root in roots]
    for workspace in made:
        sync_workspace(workspace)
    with (roots[0] / "MEMORY.md").open("a") as memory:
        memory.write("\n## Learned\n- Deploys on Friday are fine\n")
    (roots[0] / "memory/linked.md").symlink_to(tmp_path / "elsewhere.md")
    for path in sorted((roots[2] / "memory").iterdir())[:23]:
        path.unlink()
    for workspace in made:
        sync_workspace(workspace)
    settings.MEMORYHUB_TEAM = True
    settings.FORCE_SCRIPT_NAME = _PREFIX
    set_script_prefix(f"{_PREFIX}/")
    _forget_addresses()
    yield made
    set_script_prefix("/")
    _forget_addresses()


def _forget_addresses() -> None:
    """Empty what keeps addresses of the manual: a process has one path but here."""
    for kept in (manual._read, manual._explained):
        kept.cache_clear()


@pytest.mark.parametrize(
    ("language", "most"),
    [
        ("en", 2),
        ("zh-hans", 1),
        pytest.param("en", 5, marks=pytest.mark.soak),
        pytest.param("zh-hans", 5, marks=pytest.mark.soak),
    ],
)
def test_every_link_leads_somewhere(
    three_workspaces: list[Workspace], language: str, most: int
) -> None:
    for reader in _READERS:
        browser = _signed_in(reader, three_workspaces, language)

        faults, pages, _ = _walk(browser, most)

        assert pages > 100
        assert not faults, "\n".join([f"for a {reader}:", *sorted(faults)])


def test_every_route_is_opened_but_these(three_workspaces: list[Workspace]) -> None:
    stranger = Client(headers={"host": "localhost"})
    browser = _signed_in("head", three_workspaces, "en")
    for address, said in _MADE.items():
        assert browser.post(address, said).status_code in (200, 303)

    outside, _, opened = _walk(stranger, 1, "/accounts/login/")
    inside, _, routes = _walk(browser, 1)

    assert not outside | inside, sorted(outside | inside)
    never = set(route_names(TEAM_URLS)) - opened - routes
    assert sorted(never) == sorted(" ".join(_UNOPENED.values()).split())


def _signed_in(reader: str, workspaces: list[Workspace], language: str) -> Client:
    """Return the browser of a new person with a role in the workspaces."""
    is_head = reader == "head"
    who = User.objects.create_user(
        reader, password=_PASSWORD, hub_administrator=is_head
    )
    for workspace in workspaces:
        role = Role.of_word(_READERS[reader])
        assert role
        grant(workspace, who, role)
    browser = Client(headers={"host": "localhost", "accept-language": language})
    browser.post("/accounts/login/", {"login": reader, "password": _PASSWORD})
    return browser


def _walk(
    browser: Client, most: int, start: str = "/"
) -> tuple[set[str], int, set[str]]:
    """Open so many pages of a kind; return faults, the number read, and the routes.

    Those that a form sends to are among them, though nothing is sent.
    """
    ahead, seen = deque([(start, "")]), {f"{_PREFIX}{start}"}
    opened: Counter[tuple[str, ...]] = Counter()
    faults: set[str] = set()
    pages = 0
    while ahead:
        address, source = ahead.popleft()
        name, kind = _kind_of(address)
        opened[kind] += 1
        if opened[kind] > most:
            continue
        answer = browser.get(address)
        if answer.status_code >= 400:
            faults.add(f"{source}: {address} answers {answer.status_code}")
        page = _Page(f"{_PREFIX}{address}")
        page.follow(answer.headers.get("Location", ""))
        is_html = answer.headers.get("Content-Type", "").startswith("text/html")
        if answer.status_code == 200 and is_html and not answer.streaming:
            pages += 1
            page.feed(answer.content.decode())
        else:
            deque(answer, maxlen=0)
        faults.update(f"{name}: {fault}" for fault in page.all_faults)
        for link in set(page.static) - seen:
            seen.add(link)
            if (answer := browser.get(link)).status_code != 200:
                faults.add(f"{name}: {link} answers {answer.status_code}")
            deque(answer, maxlen=0)
        opened.update({_kind_of(one)[1]: 0 for one in page.actions})
        for link in dict.fromkeys(page.links):
            if link not in seen and link.startswith(f"{_PREFIX}/"):
                seen.add(link)
                ahead.append((link.removeprefix(_PREFIX), name))
    return faults, pages, {kind[0] for kind in opened}


def _kind_of(address: str) -> tuple[str, tuple[str, ...]]:
    """Return an address's route, and its kind: route, workspace, tab and filter."""
    parts = urlsplit(address.removeprefix(_PREFIX))
    try:
        route = resolve(unquote(parts.path), TEAM_URLS)
    except Resolver404:
        return "", (address,)
    asked = sorted(parse_qs(parts.query, keep_blank_values=True))
    name, values = route.url_name or "", route.kwargs
    kind = (name, str(values.get("slug", "")), str(values.get("tab", "")), *asked[:1])
    return name, kind


class _Page(HTMLParser):
    """Reads a page's links, ids, and what is wrong with them."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.static: list[str] = []
        self.actions: list[str] = []
        self.ids: Counter[str] = Counter()
        self.faults: list[str] = []

    @property
    def all_faults(self) -> list[str]:
        """What is wrong with the page, its links and where its forms send to."""
        twice = [f"id {one} twice" for one, n in self.ids.items() if n > 1]
        every = self.links + self.actions
        outside = [one for one in every if not one.startswith(f"{_PREFIX}/")]
        lost = [one for one in self.actions if not _kind_of(one)[0]]
        return [
            *self.faults,
            *twice,
            *(f"{link} leaves {_PREFIX}" for link in outside),
            *(f"nothing answers a form at {link}" for link in lost),
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.ids.update([said["id"]] if "id" in said else [])
        for name in (*_LEADING, "hx-post"):
            if name in said and not said[name].strip():
                self.faults.append(f"<{tag} {name}=''>")
        if tag == "form" and not said.get("action", "").strip():
            self.faults.append("form without an action")
        for name in said.keys() & {"action", "formaction", "hx-post"}:
            target = urljoin(self.address, said[name]).partition("#")[0]
            if said[name].strip() and not re.match(r"[a-z]+:|//", target):
                self.actions.append(target)
        for name in said.keys() & set(_LEADING):
            several = said[name].split(",") if name == "srcset" else [said[name]]
            for link in several:
                self.follow(link.strip().split(" ")[0])
        if tag == "form" and said.get("method", "get").lower() == "get":
            self.follow(said.get("action", ""))

    def follow(self, link: str) -> None:
        target = urljoin(self.address, link).partition("#")[0]
        if not link or re.match(r"[a-z]+:|//", target):
            return
        if target.startswith("/static/sheets/"):
            return  # built when the process starts, which is below no path here
        is_static = target.startswith("/static/")
        (self.static if is_static else self.links).append(target)
