"""The manual in the hub, and the way to it from every page."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from markdown_it import MarkdownIt

from memoryhub.dialects.registry import BY_NAME
from memoryhub.web.help import (
    INDEX,
    MAX_HITS,
    help_url,
    page_names,
    page_of,
    search,
)
from tests.test_docs import ROOT, address_names

NAMES = [INDEX, *page_names()]
#: Pages for those who work on the hub.
DEVELOPMENT = {"architecture", "changelog", "contributing", "testing"}
_TAGS = re.compile(r"<(h[3-6]|li|tr|td|pre|p|code)\b")


def documented() -> set[str]:
    docs = ROOT / "docs"
    names = {path.relative_to(docs).as_posix()[:-3] for path in docs.rglob("*.md")}
    names |= {f"formats/{name}" for name in BY_NAME}
    return {name for name in names if not name.startswith("decisions/")}


def places() -> set[str]:
    """Return every address of the manual, with and without an anchor."""
    pages = [page_of(name) for name in NAMES]
    anchors = {f"{page.url}#{one}" for page in pages for one, _ in page.sections}
    return anchors | {page.url for page in pages}


def test_the_contents_list_all_pages_but_those_on_development() -> None:
    assert set(NAMES) == documented() - DEVELOPMENT


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_to_a_page_and_heading_of_the_manual(name: str) -> None:
    page = page_of(name)
    known = places()
    for link in map(unescape, re.findall(r'href="([^"]*)"', page.html)):
        address = f"{page.url}{link}" if link.startswith("#") else link
        assert link.startswith("https://") or address in known, link
    assert "](" not in re.sub(r"<(pre|code).*?</\1>", "", page.html, flags=re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_what_commonmark_reads_in_its_file(name: str) -> None:
    own = ROOT / f"memoryhub/dialects/{name.removeprefix('formats/')}/manual.md"
    file = own if own.exists() else ROOT / f"docs/{name}.md"
    text = file.read_text("utf-8").partition("\n")[2]
    read = MarkdownIt("gfm-like2", {"linkify": False}).render(text)

    expected, shown = (
        Counter(_TAGS.findall(html)) for html in (read, page_of(name).html)
    )
    assert shown == expected
    assert "<h1" not in read and "style=" not in page_of(name).html
    assert not re.search(r"<th[^>]*></th>", page_of(name).html)


@pytest.mark.parametrize("route", sorted(address_names()))
def test_the_help_of_a_page_leads_to_its_row_or_what_that_links_to(route: str) -> None:
    address = help_url(route)

    assert address in places() - {page_of(INDEX).url}


def test_a_page_links_to_its_help(client: Client, db: None) -> None:
    html = client.get("/me/").content.decode()

    assert 'href="/help/dashboard/#h-overview-and-people"' in html
    assert help_url("settings") == "/help/settings/#h-of-a-workspace"
    assert help_url("no-such-page") == "/help/"


def test_a_page_has_its_sections_and_links_between_files(
    client: Client, db: None
) -> None:
    html = client.get("/help/cli/").content.decode()

    assert '<h1 lang="en">Commands</h1>' in html
    assert '<h2 id="h-forget">forget</h2>' in html and 'href="#h-forget"' in html
    assert 'href="/help/formats/injection/"' in html
    assert "<pre tabindex" in html
    assert 'href="/help/cli/#h-forget"' in page_of("durability").html


@pytest.mark.parametrize(
    "name", ["architecture", "decisions/0017-markdown-it-reads-agents-text", "no"]
)
def test_what_is_not_in_the_contents_is_not_found(
    client: Client, db: None, name: str
) -> None:
    assert client.get(f"/help/{name}/").status_code == 404
    for odd in ("../README", "%2e%2e/README", "cli.md", "index"):
        assert client.get(f"/help/{odd}/").status_code == 404, odd


def test_a_search_finds_headings_first_and_paragraphs_with_all_words() -> None:
    (first, *_) = search("sign-offs")
    assert first.page.name == "formats/handoff" and first.hits[0].is_heading

    found = search("MEMORYHUB_FORGET_MINUTES minutes")
    assert found[0].page.name == "settings"
    assert not search("MEMORYHUB_FORGET_MINUTES xyzzy")
    assert search("forget main secret.txt")[0].hits[0].text.endswith("< secret.txt")
    many = search("the")
    assert all(len(one.hits) <= MAX_HITS for one in many) and any(o.more for o in many)


def test_the_page_of_a_search_links_to_the_headings(client: Client, db: None) -> None:
    html = client.get("/help/?q=forget+tombstone").content.decode()

    assert 'href="/help/security/#h-forgetting"' in html
    assert "Nothing found" in client.get("/help/?q=xyzzy").content.decode()
    assert "<script>" not in client.get("/help/?q=<script>").content.decode()


def test_a_page_is_read_again_when_its_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.web.help._FOLDER", tmp_path)
    (tmp_path / "index.md").write_text("# Manual\n\n[One](one.md)\n")
    for text in ("Before.", "<b onclick=x>After</b> and [out](../README.md)."):
        (tmp_path / "one.md").write_text(f"# One\n\n{text}\n")

    assert page_of("one").html == "<p>After and out.</p>"


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_as_small_as_others(client: Client, db: None, name: str) -> None:
    sent = client.get(page_of(name).url).content

    assert len(gzip.compress(sent, 6)) <= 16_300
