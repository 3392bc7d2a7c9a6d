"""Secrets are masked wherever pages show what files say, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from memoryhub.masking import with_masks
from tests.factories import imported
from tests.growth import assert_in_proportion

KEY = "ghp_" + "a1B2" * 9
MASK = "••••••••"


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
        (f"<textarea name=t>{KEY}</textarea>", f"<textarea name=t>{KEY}</textarea>"),
        (f'<input value="{KEY}">', f'<input value="{KEY}">'),
        ("<p>1 &lt; 2 &amp; 3</p>", "<p>1 &lt; 2 &amp; 3</p>"),
    ],
)  # fmt: skip
def test_what_is_shown_is_masked(html: str, masked: str) -> None:
    assert with_masks(html).replace("&quot;", '"') == masked.replace("&quot;", '"')


def test_what_stands_around_a_secret_stays_escaped() -> None:
    html = with_masks(f"<p>&lt;b&gt; {KEY} &lt;script&gt;</p>")

    assert html == f"<p>&lt;b&gt; {MASK} &lt;script&gt;</p>"


@pytest.mark.parametrize(
    "text", [f"<p>{KEY}</p>\n" * 4_000, "<a " * 80_000, 'title="' * 80_000], ids=len
)
def test_it_takes_time_in_proportion(text: str) -> None:
    assert_in_proportion(lambda size: with_masks(text[:size]), len(text) // 4)


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
