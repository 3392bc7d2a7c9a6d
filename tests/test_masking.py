"""Secrets are masked wherever pages show what files say, and only there."""

from __future__ import annotations

import logging
import re
import sys
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.database.secret_key import opened
from memoryhub.web.kit.masked_log import MaskedLog
from memoryhub.web.kit.masking import with_links, with_masks
from tests.factories import imported
from tests.growth import assert_ends, assert_in_proportion

KEY = "ghp_" + "a1B2" * 9
MASK = "••••••••"
HEAD = "<thead>\n<tr><th>user</th><th>password</th></tr>\n</thead>\n<tbody>"


@pytest.mark.parametrize(
    ("html", "masked"),
    [
        (f"<p>use {KEY} now</p>", f"<p>use {MASK} now</p>"),
        ("<b>password</b>: hunter22", f"<b>password</b>: {MASK}"),
        ("&quot;password&quot;: &quot;hunt&amp;er2&quot;", f'"password": "{MASK}"'),
        ("pass<mark>word</mark>: hun<mark>ter22</mark>",
         f"pass<mark>word</mark>: {MASK}<mark>{MASK}</mark>"),
        (f'<i title="is {KEY}">x</i>', f'<i title="is {MASK}">x</i>'),
        ("<dt>Token:</dt><dd>123456789</dd>", "<dt>Token:</dt><dd>123456789</dd>"),
        ("<dt>Password</dt> <dd>hunter2x!9</dd>",
         f"<dt>Password</dt> <dd>{MASK}</dd>"),
        ("<tr>\n<td>password</td>\n<td>hunter2x!9</td>\n</tr>",
         f"<tr>\n<td>password</td>\n<td>{MASK}</td>\n</tr>"),
        (f"{HEAD}\n<tr><td>dana</td><td>hunter2x!9</td></tr></tbody>",
         f"{HEAD}\n<tr><td>dana</td><td>{MASK}</td></tr></tbody>"),
        ("<p>1 &lt; 2 &amp; 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
    ],
)  # fmt: skip
def test_what_is_shown_is_masked(html: str, masked: str) -> None:
    assert with_masks(html).replace("&quot;", '"') == masked.replace("&quot;", '"')


@pytest.mark.parametrize(
    "html",
    [
        f'<textarea name="t">new key {KEY} &amp; more</textarea>',
        f'<input type="text" value="{KEY}">',
        f'<option value="{KEY}">one</option>',
        f'<a href="/w/acme/files/memory/{KEY}.md?line=2">file</a>',
        f'<form action="/w/acme/agents/{KEY}/"></form>',
    ],
)
def test_a_secret_in_a_link_or_a_form_is_sealed_and_comes_back(html: str) -> None:
    page = with_masks(html)

    assert KEY not in page
    assert opened(page) == html
    assert with_masks(html) == page


@pytest.mark.parametrize("text", ["~sealed.AAAA~", "~sealed." + "A" * 60 + "~", "~"])
def test_what_this_hub_has_not_sealed_stays_as_it_is(text: str) -> None:
    assert opened(text) == text


def test_a_log_line_and_its_traceback_are_masked() -> None:
    record = logging.LogRecord("x", 40, "x.py", 1, "failed: %s", (KEY,), None)
    try:
        raise ValueError(KEY)
    except ValueError:
        record.exc_info = sys.exc_info()

    MaskedLog().filter(record)
    said = logging.Formatter().format(record)

    assert KEY not in said
    assert said.count(MASK) == 2


def test_what_stands_around_a_secret_stays_escaped() -> None:
    html = with_masks(f"<p>&lt;b&gt; {KEY} &lt;script&gt;</p>")

    assert html == f"<p>&lt;b&gt; {MASK} &lt;script&gt;</p>"


@pytest.mark.parametrize(
    "text", [f"<p>{KEY}</p>\n" * 4_000, "<a " * 80_000, 'title="' * 80_000], ids=len
)
def test_a_long_page_is_masked_in_linear_time(text: str) -> None:
    assert_in_proportion(lambda size: with_masks(text[:size]), len(text) // 16)
    assert_ends(lambda: with_masks(text * 2))


SNAPSHOT = f"""# 2026-11-20

## 07:30 - Rotated keys
The new one is {KEY}.

### Decisions
- 2026-11-20: Use {KEY} for the mirror
"""
TOPIC = f"""# api

## Meta
- **created**: 2026-11-01

## Current Status
The **password**: hunter22 works, {KEY} too.

## Key Decisions
- 2026-11-10: Mirror with {KEY} every minute

## History
- 2026-11-01: Context created with {KEY}
"""


@pytest.mark.django_db
def test_no_page_shows_a_secret_that_files_hold(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    files = {"memory/2026-11-20.md": SNAPSHOT, "memory/context-api.md": TOPIC}
    base = f"/w/{imported(workspace_root, files).slug}/"
    pages = (
        "", "timeline/", "topics/", "topics/api/", "decisions/", "days/2026-11-20/",
        "topics/api/recall/", "search/?q=mirror", "files/memory/context-api.md",
        "health/",
    )  # fmt: skip
    shown = {page: client.get(base + page, follow=True) for page in pages}

    assert {page: each.status_code for page, each in shown.items()} == dict.fromkeys(
        pages, 200
    )
    assert [page for page, each in shown.items() if KEY in each.content.decode()] == []
    assert MASK in shown["topics/api/"].content.decode()
    assert KEY in client.get(f"{base}topics/api/?show=secrets").content.decode()
    assert KEY in client.get(f"{base}topics/api.md").content.decode()


NAMED = {
    "AGENTS.md": f"| Agent | Role |\n|---|---|\n| {KEY} | builds |\n",
    f"memory/{KEY}.md": "# Notes\n\nNothing here.\n",
    f"memory/context-{KEY}.md": TOPIC,
}


@pytest.mark.django_db
def test_names_and_addresses_hold_no_secret_and_still_lead_there(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    base = f"/w/{imported(workspace_root, NAMED).slug}/"
    pages = {
        page: client.get(base + page).content.decode()
        for page in ("", "agents/", "files/", "topics/", "timeline/", "decisions/")
    }
    links = re.findall(
        r'href="([^"]*~sealed[^"]*)"', pages["files/"] + pages["topics/"]
    )

    assert [page for page, html in pages.items() if KEY in html] == []
    assert len(links) >= 2
    for link in links:
        answer = client.get(unescape(link), follow=True)
        assert answer.status_code == 200, link
        assert KEY not in answer.content.decode()


@pytest.mark.django_db
def test_a_form_that_is_sent_back_writes_the_secret_as_it_was(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    slug = imported(workspace_root, {"memory/context-api.md": TOPIC}).slug
    form = client.get(f"/w/{slug}/topics/api/status/").content.decode()
    text = re.search(r'<textarea[^>]* name="text"[^>]*>([^<]*)', form)
    base = re.search(r'name="base" value="([^"]*)"', form)
    assert text and base and KEY not in form

    client.post(
        f"/w/{slug}/topics/api/status/",
        {"text": f"{unescape(text[1])} Twice.", "base": unescape(base[1]), "key": "k1"},
    )

    written = (workspace_root / "memory/context-api.md").read_text(encoding="utf-8")
    assert f"The **password**: hunter22 works, {KEY} too. Twice." in written


@pytest.mark.django_db
def test_a_page_says_that_something_is_masked_and_where_it_is_shown(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    slug = imported(workspace_root, {"memory/context-api.md": TOPIC}).slug

    page = client.get(f"/w/{slug}/topics/api/").content.decode()

    assert "on this page look like secrets and are masked" in page
    assert f'href="/w/{slug}/topics/api/?show=secrets"' in page


def test_a_mask_leads_to_the_form_that_forgets_it_but_inside_links_and_fields() -> None:
    others = f'<a href="x">{MASK}</a><b title="{MASK}">y</b>'
    box = '<label><input type="checkbox">'
    html = f"<p>{MASK}</p>{box}{MASK}</label>{others}"

    page = with_links(html, "/w/acme/forget/?secrets=")

    url = "/w/acme/forget/?secrets="
    link = f'<a class="link mask" href="{url}" title="Forget…">{MASK}</a>'
    assert page == f"<p>{link}</p>{box}{link}</label>{others}"
