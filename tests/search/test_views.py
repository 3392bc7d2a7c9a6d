"""The search page and the palette."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from tests.conftest import MakeWorkspace
from tests.factories import imported, small
from tests.test_samples import ACME
from topics.models import Decision

pytestmark = pytest.mark.django_db

URL = "/w/acme/search/"
PART = {"HX-Request": "true"}


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def ask(client: Client, text: str, **headers: str) -> str:
    response = client.get(URL, {"q": text}, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def test_it_works(client: Client, workspace: Workspace) -> None:
    html = ask(client, "deliver events")

    assert "<h1>Search</h1>" in html
    assert "<mark>Deliver</mark> <mark>events</mark>" in html
    assert 'id="group-snapshots"' in html
    assert 'href="/w/acme/files/memory/2026-11-20.md?view=raw#L' in html


def test_a_line_that_only_stands_beside_a_found_one_is_no_passage_of_its_own(
    client: Client, make_workspace: MakeWorkspace
) -> None:
    sample = make_workspace(ACME)
    sync_workspace(sample)
    html = client.get(f"/w/{sample.slug}/search/?q=deploy").content.decode()

    passages = re.findall(r'<p class="snip">(.*?)</p>', html, re.DOTALL)
    assert len(passages) > 10
    assert [one for one in passages if "<mark>" not in one] == []


def test_a_part_is_given_while_typing(client: Client, workspace: Workspace) -> None:
    response = client.get(URL, {"q": "deliv"}, headers=PART)
    html = response.content.decode()

    assert "<html" not in html
    assert "<mark>Deliver</mark>" in html
    assert "HX-Request" in response["Vary"]


def test_it_refuses_a_stranger(client: Client, workspace: Workspace) -> None:
    assert client.get("/w/other/search/").status_code == 404
    assert client.get("/w/other/palette").status_code == 404
    assert client.post(URL).status_code == 405


def test_an_empty_query_asks_for_one(client: Client, workspace: Workspace) -> None:
    assert "What are you looking for?" in ask(client, "  ")


@pytest.mark.parametrize(
    "text",
    ['"', '"""', "(", "a AND", "NOT", "-", "*", "body:", "{names} : x", "a NEAR b",
     "topic:", "kind:zzz", "before:never", "'; --", "\x00", "🧠", "^x", "a" * 5_000,
     '"' * 999, "-" * 999, "x:" * 400],
)  # fmt: skip
def test_nothing_that_is_typed_fails(
    client: Client, workspace: Workspace, text: str
) -> None:
    ask(client, text)
    ask(client, text, **PART)
    assert client.get("/w/acme/palette", {"q": text}).status_code == 200


def test_it_says_how_the_query_was_read(client: Client, workspace: Workspace) -> None:
    html = ask(client, 'kind:zzz events -"every minute" topic:api')

    assert "There is no kind “zzz”" in html
    assert "without “every minute”" in html
    assert "topic: api" in html
    assert 'href="/w/acme/search/?q=events+topic%3Aapi"' in html


def test_no_result_offers_the_nearest_word(
    client: Client, workspace: Workspace
) -> None:
    html = ask(client, "delivr")

    assert "Nothing found" in html
    assert '<a href="/w/acme/search/?q=deliver">deliver</a>?' in html


def test_facets_are_links(client: Client, workspace: Workspace) -> None:
    html = ask(client, "events")

    assert 'href="/w/acme/search/?q=events+kind%3Adecision"' in html
    assert 'aria-label="Kind"' in html


def test_an_exact_id_is_opened(client: Client, workspace: Workspace) -> None:
    response = client.get(URL, {"q": "2026-11-20-02"})

    assert response.status_code == 302
    assert response["Location"].startswith("/w/acme/snapshots/")
    assert client.get(URL, {"q": "memory/context-api.md"})["Location"] == (
        "/w/acme/files/memory/context-api.md"
    )


def test_an_exact_id_can_still_be_searched_for(
    client: Client, workspace: Workspace
) -> None:
    response = client.get(URL, {"q": "2026-11-20-02", "stay": "1"})

    assert "<mark>2026-11-20-02</mark>" in response.content.decode()


def test_text_of_files_is_escaped(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    note = (
        "# <script>alert(1)</script> & needle\n\n<img src=x onerror=alert(1)> needle\n"
    )
    imported(workspace_root, {"memory/<b>needle.md": note})
    html = ask(client, "needle <script>")

    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=alert(1)&gt; <mark>needle</mark>" in html


def test_more_results_take_no_more_queries(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    notes = {
        f"memory/2026-11-{n + 1:02}.md": f"## Walrus {n}\n\nSeen.\n" for n in range(25)
    }
    imported(workspace_root, notes | {"memory/2026-10-01.md": "## Heron\n\nSeen.\n"})
    counts = []
    for text in ("heron", "walrus"):
        ask(client, text)
        with CaptureQueriesContext(connection) as captured:
            ask(client, text)
        counts.append(len(captured))

    # Below few results earlier versions are searched too.
    assert counts[1] <= counts[0] <= 45


def test_the_palette_gives_rows(client: Client, workspace: Workspace) -> None:
    html = client.get("/w/acme/palette", {"q": "deliver"}).content.decode()

    assert html.count('role="option"') > 1
    assert 'aria-selected="false"' in html
    assert 'data-href="/w/acme/snapshots/' in html
    assert "Search for “deliver”" in html


def test_the_palette_finds_topics_by_a_sign(
    client: Client, workspace: Workspace
) -> None:
    html = client.get("/w/acme/palette", {"q": "#endpoints"}).content.decode()

    assert 'data-href="/w/acme/topics/api/"' in html
    assert "snapshots/" not in html


def test_the_palette_finds_commands_by_a_sign(
    client: Client, workspace: Workspace
) -> None:
    every = client.get("/w/acme/palette", {"q": ">"}).content.decode()
    some = client.get("/w/acme/palette", {"q": "> add DECI"}).content.decode()

    assert every.count('role="option"') > 5
    assert some.count('role="option"') == 1
    assert 'data-href="/w/acme/decisions/new/"' in some


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("agents", "agents/"),
        ("trends", "trends/"),
        ("connect", "connect/"),
        ("forget", "forget/"),
        ("tokens", "tokens/"),
        ("new handoff", "handoffs/new/"),
        ("build", "agents/builder/"),
    ],
)
def test_the_palette_finds_places_by_plain_words(
    client: Client, workspace: Workspace, typed: str, place: str
) -> None:
    html = client.get("/w/acme/palette", {"q": typed}).content.decode()

    assert f'data-href="/w/acme/{place}"' in html


def test_the_palette_is_empty_at_first(client: Client, workspace: Workspace) -> None:
    assert 'role="option"' not in client.get("/w/acme/palette").content.decode()


def test_every_page_leads_to_the_search(client: Client, workspace: Workspace) -> None:
    html = client.get("/w/acme/timeline/").content.decode()

    assert 'hx-get="/w/acme/palette"' in html
    assert 'class="find" href="/w/acme/search/"' in html


def test_what_has_a_day_only_is_shown_without_a_time(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    topic = (
        "# Context: api\n\n## Key Decisions\n- 2020-11-18: Count walruses (why not)\n"
    )
    imported(workspace_root, {"memory/context-api.md": topic})

    html = ask(client, "walruses kind:decision")

    assert ">18 Nov 2020</time>" in html and "00:00</time>" not in html
    assert 'href="/w/acme/decisions/' in html


def test_a_decision_shows_its_state(client: Client, workspace: Workspace) -> None:
    Decision.objects.filter(text="Use events").update(state=Decision.State.REJECTED)

    assert "<span>Rejected</span>" in ask(client, 'kind:decision "use events"')


@pytest.fixture
def routine(hub_data: Path, workspace_root: Path) -> Workspace:
    """Return nine days with a line that differs in a number, and one decision."""
    files = {
        f"memory/2026-11-0{n}.md": f"# 2026-11-0{n}\n\n## Check\n"
        f"- Backup of the archive took {n} minutes\n"
        for n in range(1, 10)
    }
    files["memory/2026-11-10.md"] = (
        "# 2026-11-10\n\n## Plan\nDecision: keep the backup in two regions (law)\n"
    )
    return imported(workspace_root, files)


def test_repeats_are_one_result_with_a_link_to_all(
    client: Client, routine: Workspace
) -> None:
    shown = client.get("/w/acme/search/", {"q": "backup archive"}).content.decode()
    link = unescape(re.search(r'href="([^"]*every=1[^"]*)"', shown)[1])  # type: ignore[index]

    assert "and 8 more like it" in shown
    assert shown.count("minutes") == 1
    assert client.get(link).content.decode().count("minutes") == 9


def test_the_palette_says_why_and_how_to_narrow(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    hands = [
        f"{a}{b}o" for a in "kmrt" for b in ("ar", "el", "in", "on", "ul", "ys", "ab")
    ]
    files = {
        f"memory/2026-11-{n:02}.md": f"# Log\n\n## Check\n- Backup seen by {hand}\n"
        for n, hand in enumerate(hands, 1)
    }
    files["memory/2026-11-30.md"] = (
        "# Log\n\n### Decisions\n- Use the seen backup over any backup seen (law)\n"
    )
    imported(workspace_root, files)
    shown = client.get("/w/acme/palette", {"q": "backup seen"}).content.decode()

    assert "<mark>backup, seen</mark>" in shown
    assert "q=backup+seen+kind%3A" in shown
