from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client

from memoryhub.journal.models import Revision, Workspace
from memoryhub.sync.record.projection import rebuild
from tests.factories import imported, make_events, make_workspace_row, small
from topics.models import Decision

pytestmark = pytest.mark.django_db

URL = "/w/acme/timeline.atom"
ATOM = "{http://www.w3.org/2005/Atom}"


def entries(client: Client, url: str = URL) -> list[ElementTree.Element]:
    response = client.get(url)
    assert response["Content-Type"].startswith("application/atom+xml")
    return ElementTree.fromstring(response.content).findall(f"{ATOM}entry")


def titles(client: Client, url: str = URL) -> list[str | None]:
    return [entry.findtext(f"{ATOM}title") for entry in entries(client, url)]


def test_it_tells_of_the_newest_events(client: Client) -> None:
    make_events(make_workspace_row(), 60)

    found = titles(client)

    assert len(found) == 50
    assert found[0] == "Daily note: Event 59"


def test_ids_stay_when_the_hub_is_rebuilt(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    workspace = small(workspace_root)
    before = {entry.findtext(f"{ATOM}id") for entry in entries(client)}

    rebuild(workspace)

    assert before == {entry.findtext(f"{ATOM}id") for entry in entries(client)}
    assert all(str(one).startswith("urn:uuid:") for one in before)


def test_a_topic_has_a_feed_of_its_own(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)
    make_events(Workspace.objects.get(), 1, id=1, title="Other")

    assert "Daily note: Other" in titles(client)
    of_topic = titles(client, "/w/acme/topics/api.atom")
    assert of_topic and "Daily note: Other" not in of_topic
    assert client.get("/w/acme/topics/nothing.atom").status_code == 404


def test_what_agents_write_is_escaped_and_always_xml(client: Client) -> None:
    title = "<script>\x00\x01 & ]]> \ufffe"
    make_events(make_workspace_row(), 1, title=title, detail=title)

    (entry,) = entries(client)

    assert entry.findtext(f"{ATOM}title") == (
        "Daily note: <script>\ufffd\ufffd & ]]> \ufffd"
    )


def test_a_summary_is_html_and_tells_no_secret(client: Client) -> None:
    said = "a < b <img src=x> AKIAIOSFODNN7EXAMPLE"
    make_events(make_workspace_row(), 1, title=said, detail=said)

    (entry,) = entries(client)

    summary = str(entry.findtext(f"{ATOM}summary"))
    assert "a &lt; b &lt;img src=x&gt; ••••" in summary
    assert "AKIA" not in summary + str(entry.findtext(f"{ATOM}title"))


def test_a_reader_that_knows_all_gets_nothing(client: Client) -> None:
    make_events(make_workspace_row(), 1)
    tag = client.get(URL)["ETag"]

    assert client.get(URL, headers={"If-None-Match": tag}).status_code == 304


def test_it_is_not_found_for_an_unknown_workspace(client: Client) -> None:
    assert client.get("/w/nobody/timeline.atom").status_code == 404


def test_a_decision_shows_its_state_here_and_on_the_timeline(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    small(workspace_root)
    Decision.objects.filter(text="Use events").update(state=Decision.State.UNSIGNED)

    summaries = [entry.findtext(f"{ATOM}summary") for entry in entries(client)]
    page = client.get("/w/acme/timeline/?kind=decision").content.decode()

    assert sum("Needs sign-off" in str(summary) for summary in summaries) == 1
    assert page.count("Needs sign-off</span>") == 1


def test_an_item_without_a_time_is_not_of_midnight(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    files = {"memory/context-session-map.json": '{"agent:a:main": "be'}
    imported(workspace_root, files)
    (recorded_at,) = Revision.objects.values_list("recorded_at", flat=True)

    (entry,) = entries(client, "/w/acme/your-turn.atom")

    assert entry.findtext(f"{ATOM}title") == "Not read: 1 file could not be read"
    assert entry.findtext(f"{ATOM}updated") == recorded_at.isoformat()
