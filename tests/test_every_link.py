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
from memoryhub.web.help import presenters
from tests.conftest import MakeWorkspace

_SAMPLES = Path(__file__).parents[1] / "samples"
_PREFIX = "/hub"
#: Roles of the three who read, by the words of the settings.
_READERS = {"guest": "viewer", "member": "editor", "head": "administrator"}
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
    for kept in (presenters._read, presenters._explained):
        kept.cache_clear()


@pytest.mark.parametrize(("language", "most"), [("en", 5), ("zh-hans", 2)])
def test_every_link_leads_somewhere(
    three_workspaces: list[Workspace], language: str, most: int
) -> None:
    for reader, word in _READERS.items():
        who = User.objects.create_user(reader, hub_administrator=reader == "head")
        for workspace in three_workspaces:
            role = Role.of_word(word)
            assert role
            grant(workspace, who, role)
        browser = Client(headers={"host": "localhost", "accept-language": language})
        browser.force_login(who)

        faults, pages = _walk(browser, most)

        assert pages > 100
        assert not faults, "\n".join([f"for a {reader}:", *sorted(faults)])


def _walk(browser: Client, most: int) -> tuple[set[str], int]:
    """Open so many pages of a kind, from home; return faults and the number read."""
    ahead, seen = deque([("/", "")]), {f"{_PREFIX}/"}
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
        is_html = answer.headers.get("Content-Type", "").startswith("text/html")
        if answer.status_code != 200 or answer.streaming or not is_html:
            deque(answer, maxlen=0)
            continue
        pages += 1
        page = _Page(f"{_PREFIX}{address}")
        page.feed(answer.content.decode())
        twice = [f"id {one} twice" for one, n in page.ids.items() if n > 1]
        faults.update(f"{name}: {fault}" for fault in page.faults + twice)
        for link in set(page.static) - seen:
            seen.add(link)
            if (answer := browser.get(link)).status_code != 200:
                faults.add(f"{name}: {link} answers {answer.status_code}")
            deque(answer, maxlen=0)
        outside = [one for one in page.links if not one.startswith(f"{_PREFIX}/")]
        faults.update(f"{name}: {link} leaves {_PREFIX}" for link in outside)
        for link in dict.fromkeys(page.links):
            if link not in seen and link not in outside:
                seen.add(link)
                ahead.append((link.removeprefix(_PREFIX), name))
    return faults, pages


def _kind_of(address: str) -> tuple[str, tuple[str, ...]]:
    """Return an address's route, and its kind: route, workspace, tab and filter."""
    parts = urlsplit(address)
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
        self.ids: Counter[str] = Counter()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.ids.update([said["id"]] if "id" in said else [])
        for name in (*_LEADING, "hx-post"):
            if name in said and not said[name].strip():
                self.faults.append(f"<{tag} {name}=''>")
        if tag == "form" and not said.get("action", "").strip():
            self.faults.append("form without an action")
        for name in said.keys() & set(_LEADING):
            several = said[name].split(",") if name == "srcset" else [said[name]]
            for link in several:
                self._follow(link.strip().split(" ")[0])
        if tag == "form" and said.get("method", "get").lower() == "get":
            self._follow(said.get("action", ""))

    def _follow(self, link: str) -> None:
        target = urljoin(self.address, link).partition("#")[0]
        if not link or re.match(r"[a-z]+:|//", target):
            return
        if target.startswith("/static/sheets/"):
            return  # built when the process starts, which is below no path here
        is_static = target.startswith("/static/")
        (self.static if is_static else self.links).append(target)
