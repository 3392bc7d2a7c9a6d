"""What pages and feeds tell of what waits and of the webhook."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memoryhub.notices.models import Notice
from tests.factories import imported, make_workspace_row

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
FEED = "/w/acme/your-turn.atom"
TASK = """<task>
  <from>{agent}</from>
  <to>planner</to>
  <task_id>20261120-01</task_id>
  <type>decision</type>
  <context>Use <b>events</b>.</context>
</task>
"""


def settings_page(client: Client) -> str:
    return client.get("/w/acme/settings/").content.decode()


def make_notice(**values: object) -> None:
    said = {
        "workspace": make_workspace_row(),
        "key": "k",
        "delivery": UUID(int=1),
        "body": {},
        "made_at": timezone.now(),
        "tried_at": timezone.now(),
        **values,
    }
    Notice.objects.create(**said)


def test_the_feed_has_what_waits(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/handoffs/1.md": TASK.format(agent="builder")})

    answer = client.get(FEED)

    assert answer["Content-Type"].startswith("application/atom+xml")
    (entry,) = ElementTree.fromstring(answer.content).findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Needs you: Sign off: Use <b>events</b>"
    assert str(entry.findtext(f"{ATOM}id")).startswith("urn:uuid:")
    known = {"If-None-Match": answer["ETag"]}
    assert client.get(FEED, headers=known).status_code == 304


def test_the_feed_says_once_that_it_is_a_deadlock(
    client: Client, hub_data: Path, workspace_root: Path
) -> None:
    names = "<from>{}</from><to>{}</to><task_id>{}</task_id>"
    waits = f"<task>\n{names}\n<after>{{}}</after>\n</task>\n"
    text = waits.format("b", "a", "1", "2") + waits.format("a", "b", "2", "1")
    imported(workspace_root, {"memory/2026-11-20.md": text})

    (entry,) = ElementTree.fromstring(client.get(FEED).content).iter(f"{ATOM}entry")

    assert entry.findtext(f"{ATOM}title") == "Deadlock: a → b → a"


def test_a_feed_is_not_found_for_an_unknown_workspace(client: Client) -> None:
    assert client.get(FEED).status_code == 404


def test_the_feed_is_named_by_the_overview_and_the_settings(client: Client) -> None:
    make_workspace_row()

    assert FEED in client.get("/w/acme/").content.decode()
    assert FEED in settings_page(client)


def test_settings_tell_that_there_is_no_webhook(client: Client) -> None:
    make_workspace_row()

    assert "No webhook" in settings_page(client)


def test_settings_tell_how_the_webhook_fails_and_never_its_key(
    client: Client, settings: Settings
) -> None:
    settings.MEMORYHUB_WEBHOOK_URL = "https://me:pw@hooks.example:8443/T0/key"
    make_notice(error="answered <500>", state=Notice.State.GIVEN_UP)

    text = settings_page(client)

    assert "https://hooks.example:8443" in text
    assert "Failing, just now: answered &lt;500&gt;" in text
    assert "1 given up" in text
    assert "T0/key" not in text and "me:pw" not in text


def test_settings_tell_of_the_last_delivery(client: Client, settings: Settings) -> None:
    settings.MEMORYHUB_WEBHOOK_URL = "https://hooks.example/"
    make_notice(state=Notice.State.DELIVERED)

    assert "Last delivery just now" in settings_page(client)
