"""Pages offer nothing that the person's role would refuse."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from shutil import copytree
from urllib.parse import urljoin, urlsplit

import pytest
from django.conf import settings as hub
from django.test import Client
from django.urls import Resolver404, resolve
from pytest_django import Settings

from memoryhub.accounts.services.persons import TEAM_URLS
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import admit, may, visits
from memoryhub.people.rights import Right
from memoryhub.sync.engine import sync_workspace
from memoryhub.web.rights import right_for
from memoryhub.workspaces.services.adding import add_workspace
from tests.people.team import browser_of, person

_LINK = re.compile(r'\b(?:href|hx-get)="(/[^"]*)"')
_FORM = re.compile(r'<form\b[^>]*?method="post"[^>]*>|\bhx-post="(/[^"]*)"')
_ACTION = re.compile(r'\baction="([^"]*)"')
#: Most pages of each kind.
_EACH = 2


@pytest.fixture
def sample(db: None, hub_data: Path, tmp_path: Path, settings: Settings) -> str:
    settings.MEMORYHUB_TEAM = True
    root = tmp_path / "sample-copy"
    copytree(Path(hub.BASE_DIR) / "samples" / "acme-checkout", root)
    sync_workspace(add_workspace(root, slug="acme"))
    return "acme"


def pages(client: Client, start: str) -> Iterator[tuple[str, int, str]]:
    """Yield address, status and text of pages that links lead to, a few of a kind."""
    waiting, seen, kinds = [start], {start}, Counter[str]()
    while waiting:
        address = waiting.pop(0)
        answer = client.get(address)
        html = answer.headers.get("Content-Type", "").startswith("text/html")
        body = b"".join(answer) if answer.streaming else answer.content
        text = body.decode() if html else ""
        yield address, answer.status_code, text
        for link in map(unescape, _LINK.findall(text)):
            name = _name(link)
            if link in seen or not name or kinds[name] >= _EACH:
                continue
            kinds[name] += 1
            seen.add(link)
            waiting.append(link)


def _name(link: str) -> str:
    try:
        return resolve(urlsplit(link).path, TEAM_URLS).url_name or ""
    except Resolver404:
        return ""


def forms(address: str, text: str) -> Iterator[str]:
    """Yield the addresses to which a page's forms are sent."""
    for found in _FORM.finditer(text):
        action = _ACTION.search(found[0])
        yield urljoin(address, unescape(found[1] or (action[1] if action else "")))


@pytest.mark.parametrize("role", ["viewer", "editor", "coordinator", "administrator"])
def test_a_page_offers_no_link_or_form_that_is_refused(sample: str, role: str) -> None:
    who = person("zofia", Workspace.objects.get(slug=sample), role)
    refused: list[tuple[str, str]] = []
    opened = Counter[str]()
    for address, status, text in pages(browser_of(who), f"/w/{sample}/"):
        opened[_name(address)] += 1
        if status not in (200, 302, 303):
            refused.append((address, str(status)))
        for action in forms(address, text):
            match = resolve(urlsplit(action).path, TEAM_URLS)
            right = right_for(match.url_name or "", "POST", match.kwargs)
            with visits():
                admit(who, Right.OWN, str(match.kwargs.get("slug", "")))
                if not may(right or Right.OWN, str(match.kwargs.get("slug", ""))):
                    refused.append((address, action))
    assert not refused
    assert len(opened) > 30
