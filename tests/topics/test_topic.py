from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import TOPIC, imported, small
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Topic

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

URL = "/w/acme/topics/api/"


def page(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode().replace("&amp;", "&")


def test_it_says_how_the_topic_stands(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client)

    assert "Endpoints live." in html and "In progress" in html
    assert re.search(r"Changed: on disk, [^<]+ · line 9<", html)
    assert 'href="/w/acme/files/memory/context-api.md?view=blame#L9"' in html
    assert "Write the test" in html and "42%" in html


def test_the_newest_snapshot_stands_beside_the_timeline(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client)

    assert "Compacted 280 → 45 messages" in html
    assert 'id="snap"' in html and "1 of 9 changed" not in html
    assert '<span class="sr">Added: </span>1. Use events' in html


def test_tabs_are_links_with_counts(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client)

    assert f'href="{URL}snapshots/">Snapshots<span class="n">2<' in html
    assert f'href="{URL}decisions/">Decisions<span class="n">2<' in html
    for tab in ("snapshots", "decisions", "handoffs", "sessions"):
        assert 'aria-current="page"' in page(client, f"{URL}{tab}/")


def test_decisions_say_why_and_where(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    html = page(client, URL + "decisions/")

    assert "Poll every minute" in html and "simplest to ship" in html
    assert "files/memory/context-api.md?view=raw#L" in html


def test_its_timeline_has_events_of_this_topic_alone(
    client: Client, workspace_root: Path
) -> None:
    small(workspace_root)

    html = page(client, URL + "?kind=history")

    assert "Context created" in html
    assert 'class="ev snapshot"' not in html
    assert "Import #1</a>" not in html


def test_htmx_gets_the_rows_alone(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    response = client.get(URL, headers={"HX-Request": "true"})

    assert b"<html" not in response.content and b"Context created" in response.content
    assert "HX-Request" in response["Vary"]


def test_a_note_shows_its_file(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {"memory/glossary.md": "# Glossary\n\nWords.\n\n- one\n"})

    html = page(client, "/w/acme/topics/glossary/")

    assert "<li>one</li>" in html and "Note" in html


def test_what_agents_write_is_escaped(client: Client, workspace_root: Path) -> None:
    text = TOPIC.replace("Endpoints live.", "<script>x</script>").replace(
        "Poll every minute", "<img src=x>"
    )
    imported(workspace_root, {"memory/context-api.md": text})

    for tab in ("", "decisions/", "sessions/"):
        html = page(client, URL + tab)
        assert "<script>x" not in html and "<img" not in html


def test_an_address_means_the_topic_that_is_called_exactly_so(
    client: Client, workspace_root: Path
) -> None:
    files = {"memory/a b.md": "# One\n\nFirst.\n", "memory/a-b.md": "# Two\n\nNext.\n"}
    imported(workspace_root, files)

    assert "Next." in page(client, "/w/acme/topics/a-b/")
    other = Topic.objects.get(name="a b")
    assert other.slug == other.code
    for path in ("", "topics/", "search/?q=First"):
        assert f'href="/w/acme/topics/{other.code}/' in page(client, "/w/acme/" + path)


def test_a_topic_has_its_name_as_address_while_no_other_gives_the_same(
    workspace_root: Path,
) -> None:
    workspace = imported(workspace_root, {"memory/a b.md": "# One\n\nFirst.\n"})
    assert Topic.objects.get().slug == "a-b"

    say(workspace, {"memory/a b.md": None, "memory/a#b.md": "# Two\n"})
    gone, now = Topic.objects.order_by("name")
    assert (gone.slug, now.slug) == (gone.code, "a-b")
    say(workspace, {"memory/a b.md": "# One again\n"})
    assert not Topic.objects.filter(slug="a-b")
    assert_a_rebuild_changes_nothing(workspace)


def test_a_name_of_two_topics_is_asked_about(
    client: Client, workspace_root: Path
) -> None:
    imported(
        workspace_root,
        {"memory/a b.md": "# One\n\nFirst.\n", "memory/a#b.md": "# Two\n\nNext.\n"},
    )
    first, second = Topic.objects.order_by("name")
    assert (first.slug, second.slug) == (first.code, second.code)

    html = page(client, "/w/acme/topics/a-b/")

    assert "Which a-b?" in html and f'href="/w/acme/topics/{first.code}/"' in html
    assert "First." in page(client, f"/w/acme/topics/{first.code}/")
    assert client.get("/w/acme/topics/a-b.md").status_code == 404
    listed = page(client, "/w/acme/topics/")
    assert f'href="/w/acme/topics/{second.code}/"' in listed


def test_md_answers_the_file(client: Client, workspace_root: Path) -> None:
    small(workspace_root)

    response = client.get("/w/acme/topics/api.md")

    assert response.content == TOPIC.encode()
    assert response["Content-Type"] == "text/markdown; charset=utf-8"


@pytest.mark.parametrize("path", ["nope/", "api/nope/", "nope.md", "0000000000000/"])
def test_what_is_not_there_is_not_found(
    client: Client, workspace_root: Path, path: str
) -> None:
    small(workspace_root)

    assert client.get("/w/acme/topics/" + path).status_code == 404


def test_headings_and_ids_are_unique(client: Client, workspace_root: Path) -> None:
    text = TOPIC.replace("Endpoints live.", "### Part\n\nEndpoints live.")
    imported(workspace_root, {"memory/context-api.md": text})

    ids = re.findall(r'\sid="([^"]+)"', page(client))

    assert len(ids) == len(set(ids))


def test_a_tab_shows_fifty_rows_and_leads_to_the_others(
    client: Client, workspace_root: Path
) -> None:
    keys = {f"agent:builder:s{n:02}": "api" for n in range(60)}
    path = "memory/context-session-map.json"
    imported(workspace_root, {"memory/context-api.md": TOPIC, path: json.dumps(keys)})

    first = page(client, URL + "sessions/")
    second = page(client, URL + "sessions/?page=2")

    assert "builder:s48<" in first and "builder:s49<" not in first
    assert '<a class="more" href="?page=2">Next</a>' in first
    assert "builder:s49<" in second and '<a class="more" href="?page=1">' in second
